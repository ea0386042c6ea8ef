//! The table of `gguf stats`: a row for each tensor, the name last, and the drawn histograms.

use std::io::{self, Write as _};

use ggufkit::inspect::units;

use super::line::{COLUMNS, Line, Numbers, Real, TALL};
use super::{Answer, By};
use crate::out::{self, Ink, Out, pad, pad_left};

/// The heights of a column in eighths of a line.
const HEIGHTS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A column: its title, how long it stays when room is scarce (the smallest goes first), and what it says.
struct Column {
    title: &'static str,
    rank: u8,
    text: fn(&Line, &Numbers) -> String,
}

const COLUMNS_OF: [Column; 11] = [
    Column { title: "type", rank: 9, text: |line, _| line.ty.map_or_else(String::new, |ty| ty.to_string()) },
    Column { title: "elements", rank: 5, text: |_, n| units::count(n.elements) },
    Column { title: "min", rank: 10, text: |_, n| number(n.min) },
    Column { title: "max", rank: 10, text: |_, n| number(n.max) },
    Column { title: "mean", rank: 6, text: |_, n| number(n.mean) },
    Column { title: "std", rank: 8, text: |_, n| number(n.std) },
    Column { title: "kurtosis", rank: 4, text: |_, n| number(n.kurtosis) },
    Column { title: "zeros", rank: 3, text: |_, n| share(n.zeros, n.elements) },
    Column { title: "outliers", rank: 2, text: |_, n| outliers(n) },
    Column { title: "scale", rank: 1, text: |_, n| scale(n) },
    Column { title: "distribution", rank: 0, text: |line, _| picture(line) },
];

/// Columns that a name has to have, where there is a choice, and where there is none.
const NAME: usize = 24;
const LEAST: usize = 8;

pub(super) fn print(
    out: &mut Out,
    answer: &Answer,
    by: Option<By>,
    top: Option<usize>,
    histogram: bool,
) -> io::Result<()> {
    let sum = answer.sum(histogram).filter(|_| answer.lines.len() > 1);
    let shown = top.unwrap_or(usize::MAX).min(answer.lines.len());
    let lines: Vec<&Line> = answer.lines.iter().take(shown).chain(&sum).collect();
    let mut widths = [0_usize; COLUMNS_OF.len()];
    for line in &lines {
        let numbers = line.numbers();
        for (width, column) in widths.iter_mut().zip(&COLUMNS_OF) {
            *width = (*width).max(out::columns(&(column.text)(line, &numbers)));
        }
    }
    // A column that says nothing of any line is not there.
    let (of, widths): (Vec<&Column>, Vec<usize>) = COLUMNS_OF
        .iter()
        .zip(widths)
        .filter(|(_, width)| *width > 0)
        .map(|(column, width)| (column, width.max(column.title.len())))
        .unzip();
    let room = if out.is_terminal() { out.width() } else { usize::MAX };
    let kept = fitting(&of, &widths, room);
    let title = |column: &Column| column.title.to_owned();
    let name = match by {
        None => "name",
        Some(By::Layer) => "layer",
        Some(By::Type) => "type of the group",
    };
    let head = row(&of, &widths, &kept, &title) + name;
    let head = out.paint(Ink::Faint, head);
    writeln!(out, "{head}")?;
    for line in lines {
        let numbers = line.numbers();
        let text = row(&of, &widths, &kept, &|column| (column.text)(line, &numbers));
        let tensors = match (&by, line.tensors) {
            (Some(_), 1) => "  (1 tensor)".to_owned(),
            (Some(_), n) => format!("  ({} tensors)", units::count(n)),
            (None, _) => String::new(),
        };
        let bad = bad(&numbers);
        let behind = tensors.len().saturating_add(bad.len());
        let left = room.saturating_sub(out::columns(&text)).saturating_sub(behind);
        let name = out::fit(&line.name, left.max(LEAST)) + &tensors;
        let bad = out.paint(Ink::Bad, bad);
        writeln!(out, "{text}{name}{bad}")?;
        if histogram {
            draw(out, line, &numbers)?;
        }
    }
    match answer.lines.len().saturating_sub(shown) {
        0 => Ok(()),
        more => {
            let text = format!("{} more; --top N shows N", units::count(more as u64));
            let text = out.paint(Ink::Faint, text);
            writeln!(out, "{text}")
        }
    }
}

/// What is wrong with values, behind the name.
fn bad(numbers: &Numbers) -> String {
    let mut text = String::new();
    for (count, what) in [(numbers.nan, "NaN"), (numbers.infinite, "infinite")] {
        if count > 0 {
            text.push_str(&format!("  {} {what}", units::count(count)));
        }
    }
    text
}

/// Which columns there is room for.
fn fitting(of: &[&Column], widths: &[usize], room: usize) -> Vec<bool> {
    let mut kept = vec![true; of.len()];
    loop {
        let shown = widths.iter().zip(&kept).filter(|(_, kept)| **kept);
        let taken = shown.fold(NAME, |sum, (width, _)| sum.saturating_add(*width).saturating_add(2));
        if taken <= room {
            return kept;
        }
        let left = of.iter().zip(&kept).enumerate().filter(|(_, (_, kept))| **kept);
        let Some((at, _)) = left.min_by_key(|(_, (column, _))| column.rank) else { return kept };
        if let Some(kept) = kept.get_mut(at) {
            *kept = false;
        }
    }
}

fn row(of: &[&Column], widths: &[usize], kept: &[bool], text: &dyn Fn(&Column) -> String) -> String {
    let mut line = String::new();
    for ((column, width), _) in of.iter().zip(widths).zip(kept).filter(|(_, kept)| **kept) {
        let cell = text(column);
        let left = matches!(column.title, "type" | "distribution");
        line.push_str(&if left { pad(&cell, *width) } else { pad_left(&cell, *width) });
        line.push_str("  ");
    }
    line
}

/// A number in four digits, or in five where one stands before the point.
fn number(value: Real) -> String {
    let Some(value) = value.0 else { return "-".to_owned() };
    let size = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if (1e-3..1e5).contains(&size) {
        let before = size.log10().floor() as i32;
        let behind = if before < 0 { 3 - before } else { 4 - before };
        format!("{value:.*}", usize::try_from(behind).unwrap_or(0))
    } else {
        format!("{value:.3e}")
    }
}

fn share(part: u64, all: u64) -> String {
    match (part, all) {
        (0, _) => "0".to_owned(),
        (part, all) => {
            let percent = part as f64 * 100.0 / all.max(1) as f64;
            if percent < 0.01 { units::count(part) } else { format!("{percent:.2}%") }
        }
    }
}

fn outliers(numbers: &Numbers) -> String {
    numbers.outliers.map_or_else(|| "-".to_owned(), |count| share(count, numbers.elements))
}

fn scale(numbers: &Numbers) -> String {
    let Some(scales) = &numbers.scales else { return String::new() };
    format!("{} … {}", number(scales.min), number(scales.max))
}

/// A picture of the values in one line.
fn picture(line: &Line) -> String {
    line.picture.iter().map(|height| glyph(usize::from(*height))).collect()
}

fn glyph(eighths: usize) -> char {
    HEIGHTS.get(eighths.min(8)).copied().unwrap_or(' ')
}

/// Draws a histogram below its row, with the bounds of its axis.
fn draw(out: &mut Out, line: &Line, numbers: &Numbers) -> io::Result<()> {
    let Some(heights) = &line.drawn else { return Ok(()) };
    for floor in (0..TALL).rev() {
        let cell = |height: &u8| glyph(usize::from(*height).saturating_sub(floor.saturating_mul(8)));
        let text: String = heights.iter().map(cell).collect();
        let text = out.paint(Ink::Number, text.trim_end().to_owned());
        writeln!(out, "  │{text}")?;
    }
    let (low, high) = (number(numbers.min), number(numbers.max));
    let axis = "─".repeat(COLUMNS);
    writeln!(out, "  └{axis}")?;
    let gap = COLUMNS.saturating_sub(low.len()).saturating_add(1);
    writeln!(out, "   {low}{}", pad_left(&high, gap.saturating_sub(1)))?;
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits_whatever_their_size() {
        for (value, text) in [
            (0.0, "0"),
            (0.5, "0.5000"),
            (-12.345, "-12.345"),
            (1234.56, "1234.6"),
            (99_999.0, "99999"),
            (0.000_123_4, "1.234e-4"),
            (1e10, "1.000e10"),
        ] {
            assert_eq!(number(Real(Some(value))), text);
        }
        assert_eq!(number(Real(None)), "-");
    }
}
