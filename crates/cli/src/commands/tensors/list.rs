//! The list: a row for each tensor, the name last, so that no length of names moves the other columns.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use ggufkit::inspect::tensors::{Row, Sizing};
use ggufkit::inspect::units;

use super::Answer;
use crate::out::{self, Ink, Out, pad, pad_left};

/// Dimensions of a shape that are written; ggml has 4.
const MAX_DIMS: usize = 8;

/// The columns before the name, from left to right.
const COLUMNS: [Column; 7] = [
    Column { title: "#", left: false, ink: Ink::Faint, rank: 3, text: index },
    Column {
        title: "type",
        left: true,
        ink: Ink::Type,
        rank: 7,
        text: |_, row| row.tensor_type().to_string(),
    },
    Column { title: "shape", left: true, ink: Ink::Text, rank: 6, text: |_, row| shape(row.dims) },
    Column { title: "elements", left: false, ink: Ink::Number, rank: 1, text: elements },
    Column { title: "size", left: false, ink: Ink::Number, rank: 5, text: |_, row| size(row) },
    Column { title: "bits", left: false, ink: Ink::Number, rank: 2, text: |_, row| bits(row) },
    Column { title: "offset", left: false, ink: Ink::Faint, rank: 4, text: offset },
];

/// A column: how it is filled, and how long it stays when room is scarce.
struct Column {
    title: &'static str,
    left: bool,
    ink: Ink,
    /// The smallest is left out first.
    rank: u8,
    text: fn(&Answer<'_, '_>, &Row<'_>) -> String,
}

fn index(answer: &Answer<'_, '_>, row: &Row<'_>) -> String {
    if answer.shards { format!("{}:{}", row.part_index + 1, row.index) } else { row.index.to_string() }
}

fn elements(_: &Answer<'_, '_>, row: &Row<'_>) -> String {
    row.elements.map_or_else(|| "overflow".to_owned(), units::count)
}

fn offset(_: &Answer<'_, '_>, row: &Row<'_>) -> String {
    row.data.map_or_else(|| "-".to_owned(), |at| format!("{at:#x}"))
}

/// A shape, row length first: `[4096, 32000]`.
fn shape(dims: &[u64]) -> String {
    let mut text = "[".to_owned();
    for (at, dim) in dims.iter().take(MAX_DIMS).enumerate() {
        let comma = if at > 0 { ", " } else { "" };
        // A string takes everything.
        let _ = write!(text, "{comma}{dim}");
    }
    if dims.len() > MAX_DIMS {
        text.push_str(", …");
    }
    text.push(']');
    text
}

fn size(row: &Row<'_>) -> String {
    match (row.size, row.sizing) {
        (Some(size), Sizing::Exact) => units::bytes(size),
        (Some(size), _) => format!("≤{}", units::bytes(size)),
        (None, _) => "unknown".to_owned(),
    }
}

fn bits(row: &Row<'_>) -> String {
    match (row.bits_per_weight(), row.sizing) {
        (Some(bits), Sizing::Exact) => format!("{bits:.2}"),
        (Some(bits), _) => format!("≤{bits:.2}"),
        (None, _) => "-".to_owned(),
    }
}

/// What stands behind the name.
fn remarks(answer: &Answer<'_, '_>, row: &Row<'_>) -> Vec<(Ink, String)> {
    let mut remarks = Vec::new();
    if let Some(original) = answer.shapes.of(row.name) {
        match original.dims() {
            Some(dims) => {
                remarks.push((Ink::Faint, format!("(originally {})", shape(&dims))));
                if original.elements() != row.elements {
                    remarks.push((Ink::Warn, "(of another number of elements)".to_owned()));
                }
            }
            None => remarks.push((Ink::Warn, "(its original shape is no list of numbers)".to_owned())),
        }
    }
    if row.in_file() == Some(false) {
        remarks.push((Ink::Bad, "(not in the file)".to_owned()));
    }
    remarks
}

/// Prints the list.
pub(super) fn print(out: &mut Out, answer: &Answer<'_, '_>) -> io::Result<()> {
    if answer.places.is_empty() {
        // Of a head that was read in part, and of a choice that nothing passes, something else is said.
        let none = answer.document.failures.is_empty() && answer.table.iter().next().is_none();
        return if none { writeln!(out, "no tensors") } else { Ok(()) };
    }
    let mut wide = COLUMNS.map(|column| out::columns(column.title));
    let mut name_wide = out::columns("name");
    for row in answer.rows() {
        for (wide, column) in wide.iter_mut().zip(&COLUMNS) {
            *wide = (*wide).max(out::columns(&(column.text)(answer, &row)));
        }
        // A name as long as a page is no reason to leave everything else out.
        name_wide = name_wide.max(out::columns(&out::fit(row.name.0, 200)));
    }
    let shown = fitting(&wide, name_wide, out.is_terminal().then(|| out.width()));
    let columns =
        || COLUMNS.iter().zip(wide).zip(shown).filter(|(_, shown)| *shown).map(|(column, _)| column);
    for (column, wide) in columns() {
        let title = out.paint(Ink::Faint, fill(column, column.title, wide));
        write!(out, "{title}  ")?;
    }
    let title = out.paint(Ink::Faint, "name");
    writeln!(out, "{title}")?;
    for row in answer.rows() {
        for (column, wide) in columns() {
            let text = out.paint(column.ink, fill(column, &(column.text)(answer, &row), wide));
            write!(out, "{text}  ")?;
        }
        let name = out.paint(Ink::Key, out::plain(row.name.0));
        write!(out, "{name}")?;
        for (ink, remark) in remarks(answer, &row) {
            let remark = out.paint(ink, remark);
            write!(out, " {remark}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn fill(column: &Column, text: &str, wide: usize) -> String {
    if column.left { pad(text, wide) } else { pad_left(text, wide) }
}

/// Which columns are shown: all of them where there is no limit, else those that leave room for the longest name.
fn fitting(wide: &[usize; COLUMNS.len()], name: usize, limit: Option<usize>) -> [bool; COLUMNS.len()] {
    let mut shown = [true; COLUMNS.len()];
    let Some(limit) = limit else { return shown };
    let taken = |shown: &[bool; COLUMNS.len()]| {
        name + wide.iter().zip(shown).filter(|(_, shown)| **shown).map(|(wide, _)| wide + 2).sum::<usize>()
    };
    for rank in 1..=5 {
        if taken(&shown) <= limit {
            break;
        }
        for (shown, column) in shown.iter_mut().zip(&COLUMNS) {
            *shown &= column.rank != rank;
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_important_columns_go_first() {
        let wide = [2, 4, 11, 10, 8, 5, 8];
        let names = |shown: [bool; 7]| -> Vec<&str> {
            COLUMNS.iter().zip(shown).filter(|(_, shown)| *shown).map(|(column, _)| column.title).collect()
        };
        let all = ["#", "type", "shape", "elements", "size", "bits", "offset"];
        assert_eq!(names(fitting(&wide, 24, None)), all);
        // The columns take 62, the name 24.
        assert_eq!(names(fitting(&wide, 24, Some(86))), all);
        assert_eq!(names(fitting(&wide, 24, Some(85))), ["#", "type", "shape", "size", "bits", "offset"]);
        assert_eq!(names(fitting(&wide, 24, Some(67))), ["#", "type", "shape", "size", "offset"]);
        assert_eq!(names(fitting(&wide, 24, Some(60))), ["type", "shape", "size"]);
        assert_eq!(names(fitting(&wide, 24, Some(40))), ["type", "shape"]);
    }

    #[test]
    fn shapes_are_row_length_first() {
        assert_eq!(shape(&[]), "[]");
        assert_eq!(shape(&[4096, 32000]), "[4096, 32000]");
        assert_eq!(shape(&[1; 9]), "[1, 1, 1, 1, 1, 1, 1, 1, …]");
    }
}
