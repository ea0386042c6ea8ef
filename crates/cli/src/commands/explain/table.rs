//! Tables. The last column takes what is left of the line and is wrapped; where too little is left, each row becomes a
//! line of its short cells and a paragraph of the last one.

use std::io;

use super::render::{BOLD, FAINT, inline, measure, print, print_line};
use super::wrap::{Run, fill, width_of};
use crate::out::Out;

/// Space between columns.
const GAP: usize = 2;
/// Fewest columns for text to be wrapped in.
const LAST_MIN: usize = 28;

pub(super) fn table(out: &mut Out, head: &[String], rows: &[Vec<String>]) -> io::Result<()> {
    let width = measure(out);
    let cells: Vec<Vec<Vec<Run>>> =
        rows.iter().map(|row| row.iter().map(|cell| inline(cell, out.color())).collect()).collect();
    let columns = head.len();
    let named = head.iter().any(|name| !name.is_empty());
    let heads: Vec<Vec<Run>> = head.iter().map(|name| vec![Run::new(BOLD, name.clone())]).collect();
    let widest = |column: usize| {
        let own = cells.iter().filter_map(|row| row.get(column)).map(|cell| width_of(cell));
        own.chain(heads.get(column).map(|cell| width_of(cell))).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(widest).collect();
    let (last, firsts) = match widths.split_last() {
        Some((last, firsts)) => (*last, firsts),
        None => return Ok(()),
    };
    let before: usize = firsts.iter().map(|w| w + GAP).sum();
    let room = width.saturating_sub(before);
    if room < last.min(LAST_MIN) {
        return stacked(out, &heads, &cells, named);
    }
    let right: Vec<bool> = (0..columns).map(|column| is_numeric(rows, column)).collect();
    let shape = Shape { widths: &widths, right: &right, room: room.min(last), before };
    if named {
        shape.row(out, &heads)?;
    }
    cells.iter().try_for_each(|row| shape.row(out, row))
}

struct Shape<'a> {
    widths: &'a [usize],
    right: &'a [bool],
    /// Columns of the last cell.
    room: usize,
    /// Columns before the last cell.
    before: usize,
}

impl Shape<'_> {
    fn row(&self, out: &mut Out, row: &[Vec<Run>]) -> io::Result<()> {
        let Some((last, firsts)) = row.split_last() else { return Ok(()) };
        let mut line: Vec<Run> = Vec::new();
        for (column, cell) in firsts.iter().enumerate() {
            let fill = self.widths.get(column).copied().unwrap_or(0).saturating_sub(width_of(cell));
            let right = self.right.get(column).copied().unwrap_or(false);
            let space = |n: usize| Run::plain(" ".repeat(n));
            line.push(space(if right { fill } else { 0 }));
            line.extend(cell.iter().cloned());
            line.push(space(GAP + if right { 0 } else { fill }));
        }
        let lines = fill(last, self.room);
        let own = lines.first().map_or(0, |line| width_of(line));
        let right = self.right.last().copied().unwrap_or(false);
        if right {
            line.push(Run::plain(" ".repeat(self.room.saturating_sub(own))));
        }
        line.extend(lines.first().into_iter().flatten().cloned());
        trim(&mut line);
        print_line(out, &line)?;
        print(out, self.before, lines.get(1..).unwrap_or_default())
    }
}

/// Takes spaces off the end of a line.
fn trim(line: &mut Vec<Run>) {
    while let Some(last) = line.last_mut() {
        let end = last.text.trim_end().len();
        last.text.truncate(end);
        if end > 0 {
            break;
        }
        line.pop();
    }
}

/// Whether all cells of a column that hold anything are numbers.
fn is_numeric(rows: &[Vec<String>], column: usize) -> bool {
    let number = |cell: &String| {
        let plain = cell.trim_start_matches('-');
        !plain.is_empty() && plain.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b',')
    };
    let mut cells = rows.iter().filter_map(|row| row.get(column)).filter(|cell| !cell.is_empty()).peekable();
    cells.peek().is_some() && cells.all(number)
}

fn stacked(out: &mut Out, heads: &[Vec<Run>], rows: &[Vec<Vec<Run>>], named: bool) -> io::Result<()> {
    let width = measure(out);
    let heads = if named { Some(heads) } else { None };
    for row in rows {
        let Some((last, firsts)) = row.split_last() else { continue };
        let mut line: Vec<Run> = Vec::new();
        for (column, cell) in firsts.iter().enumerate().filter(|(_, cell)| width_of(cell) > 0) {
            if column > 0 {
                let name = heads.and_then(|heads| heads.get(column)).and_then(|head| head.first());
                let name = name.map(|run| run.text.to_lowercase()).unwrap_or_default();
                let gap = if name.is_empty() { "  ".to_owned() } else { format!("  {name} ") };
                line.push(Run::new(FAINT, gap));
            }
            line.extend(cell.iter().cloned());
        }
        print(out, 0, &fill(&line, width))?;
        if width_of(last) > 0 {
            print(out, 4, &fill(last, width.saturating_sub(4)))?;
        }
    }
    Ok(())
}
