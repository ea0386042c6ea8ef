//! Pieces of text laid out in lines of a width.

use std::io::{self, Write as _};

use unicode_width::UnicodeWidthChar as _;

use crate::out::{Ink, Out, columns};

/// Writes pieces one after the other; where one does not fit in the line, goes on in the next, `indent` from the left.
pub(super) struct Fold {
    indent: usize,
    width: usize,
    column: usize,
    /// Whether a space is due before the next piece, if that is on the same line.
    space: bool,
}

impl Fold {
    /// Begins at `column` of a line that the caller has begun.
    pub(super) fn new(indent: usize, width: usize, column: usize) -> Self {
        // Room for something in every line, however narrow.
        Self { indent, width: width.max(indent + 8), column, space: false }
    }

    /// Adds a piece. A piece that fits in a line is not parted; a longer one fills the lines.
    ///
    /// # Errors
    /// The output's.
    pub(super) fn add(&mut self, out: &mut Out, ink: Ink, piece: &str) -> io::Result<()> {
        let text = piece.trim_end_matches(' ');
        let space = std::mem::replace(&mut self.space, text.len() < piece.len());
        let wide = columns(text);
        if self.column + usize::from(space) + wide <= self.width {
            if space {
                write!(out, " ")?;
            }
            self.column += usize::from(space) + wide;
            return write!(out, "{}", out.paint(ink, text));
        }
        let mut rest = text;
        if self.indent + wide <= self.width || self.column >= self.width {
            self.line(out)?;
            rest = text.trim_start_matches(' ');
        }
        loop {
            let (now, later) = split(rest, self.width.saturating_sub(self.column));
            if !now.is_empty() {
                write!(out, "{}", out.paint(ink, now))?;
                self.column += columns(now);
            }
            if later.is_empty() {
                return Ok(());
            }
            self.line(out)?;
            rest = later;
        }
    }

    fn line(&mut self, out: &mut Out) -> io::Result<()> {
        self.column = self.indent;
        write!(out, "\n{:1$}", "", self.indent)
    }
}

/// Columns at a line's end in which a space is looked for to part the text after.
const REACH: usize = 16;

/// As much of a text as fits in so many columns, and the rest; parted after a space where one is near.
fn split(text: &str, max: usize) -> (&str, &str) {
    let (mut wide, mut end) = (0, text.len());
    for (at, c) in text.char_indices() {
        wide += c.width().unwrap_or(0);
        if wide > max {
            end = at;
            break;
        }
    }
    let (now, later) = text.split_at(end);
    match now.rfind(' ') {
        Some(space) if !later.is_empty() && end - space <= REACH && space > 0 => text.split_at(space + 1),
        _ => (now, later),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_part_where_their_columns_end() {
        assert_eq!(split("abcdef", 4), ("abcd", "ef"));
        assert_eq!(split("abc", 4), ("abc", ""));
        assert_eq!(split("中文字", 5), ("中文", "字"));
        assert_eq!(split("e\u{301}x", 1), ("e\u{301}", "x"));
        assert_eq!(split("abc", 0), ("", "abc"));
        assert_eq!(split("one two three", 9), ("one two ", "three"));
        assert_eq!(split("one two", 7), ("one two", ""));
    }
}
