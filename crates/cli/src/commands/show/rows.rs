//! Rows of facts behind a label, broken where the width ends.

use std::io::{self, Write as _};

use ggufkit::inspect::summary::Figure;
use ggufkit::inspect::{Text, units};

use crate::out::{self, Ink, Out, pad};

/// Columns of the labels, indentation included.
const LABELS: usize = 17;

/// A row: facts behind a label.
pub(super) struct Row<'o> {
    out: &'o mut Out,
    label: &'static str,
    column: usize,
}

impl<'o> Row<'o> {
    pub(super) fn new(out: &'o mut Out, label: &'static str) -> Self {
        Self { out, label, column: 0 }
    }

    /// Adds a fact without colour.
    ///
    /// # Errors
    /// The output's.
    pub(super) fn plain(&mut self, text: &str) -> io::Result<()> {
        self.add(None, text)
    }

    /// Adds a fact; it goes to the next line where it does not fit, and words do where it is longer than a line.
    pub(super) fn add(&mut self, ink: Option<Ink>, text: &str) -> io::Result<()> {
        for (at, line) in wrap(text, self.room()).iter().enumerate() {
            let wide = out::columns(line);
            // What was broken goes on at the start of a line.
            self.place(if at > 0 { self.room() } else { wide })?;
            match ink {
                Some(ink) => {
                    let line = self.out.paint(ink, line);
                    write!(self.out, "{line}")?;
                }
                None => write!(self.out, "{line}")?,
            }
            self.column += wide;
        }
        Ok(())
    }

    fn room(&self) -> usize {
        self.out.width().saturating_sub(LABELS).max(16)
    }

    /// Goes to where a fact of this many columns is written.
    fn place(&mut self, wide: usize) -> io::Result<()> {
        if self.column == 0 {
            let label = self.out.paint(Ink::Key, pad(self.label, LABELS - 4));
            write!(self.out, "  {label}  ")
        } else if self.column + 2 + wide > self.room() {
            self.column = 0;
            write!(self.out, "\n{:LABELS$}", "")
        } else {
            self.column += 2;
            write!(self.out, "  ")
        }
    }

    /// Adds a number with its name, where there is one.
    ///
    /// # Errors
    /// The output's.
    pub(super) fn figure(&mut self, name: &str, figure: Option<&Figure>) -> io::Result<()> {
        let Some(figure) = figure else { return Ok(()) };
        let value = words(figure);
        let wide = out::columns(name) + 1 + out::columns(&value);
        if wide > self.room() {
            return self.plain(&format!("{name} {value}"));
        }
        self.place(wide)?;
        let ink = if matches!(figure, Figure::Odd { .. }) { Ink::Warn } else { Ink::Number };
        let value = self.out.paint(ink, value);
        write!(self.out, "{name} {value}")?;
        self.column += wide;
        Ok(())
    }

    /// Ends the row; one without facts leaves nothing.
    pub(super) fn end(self) -> io::Result<()> {
        if self.column > 0 { writeln!(self.out) } else { Ok(()) }
    }
}

/// A text in lines of at most `room` columns, broken between words where there are any.
pub(super) fn wrap(text: &str, room: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let mut word = word.to_owned();
        let start = lines.last().map_or(0, |line| out::columns(line));
        if start > 0 && start + 1 + out::columns(&word) > room {
            lines.push(String::new());
        } else if start > 0 {
            word.insert(0, ' ');
        }
        for c in word.chars() {
            let mut one = [0; 4];
            let c = c.encode_utf8(&mut one);
            match lines.last_mut() {
                Some(line) if out::columns(line) + out::columns(c) <= room => line.push_str(c),
                _ => lines.push(c.to_owned()),
            }
        }
    }
    lines
}

/// A number of the metadata in words.
pub(super) fn words(figure: &Figure) -> String {
    match figure {
        Figure::One(n) => units::count(*n),
        Figure::Layers { min, max, .. } if min == max => units::count(*min),
        Figure::Layers { min, max, values } => {
            format!("{} to {} ({} values)", units::count(*min), units::count(*max), units::count(*values))
        }
        Figure::Odd { ty, text } if text.is_empty() => format!("? ({ty})"),
        Figure::Odd { ty, text } => format!("{text} ({ty})"),
    }
}

/// Text of the file between quotes, in at most `max` columns.
pub(super) fn quoted(text: &Text<'_>, max: usize) -> String {
    format!("\"{}\"", out::fit(text.as_bytes(), max))
}

/// A count, and beside it the declared one where fewer were read.
pub(super) fn read_of(read: u64, declared: u64, one: &str, many: &str) -> String {
    if read == declared {
        return counted(read, one, many);
    }
    format!("{} of {}", units::count(read), counted(declared, one, many))
}

/// A count with its noun.
pub(super) fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", units::count(n), if n == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_within_those_that_are_too_long() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap("a bcdefghij", 4), ["a", "bcde", "fghi", "j"]);
        assert_eq!(wrap("中文字", 4), ["中文", "字"]);
        assert_eq!(wrap("", 4), [""]);
    }
}
