//! Rows of bytes with words beside them.
//!
//! On a wide page every byte stands in the column of its position, sixteen to a row, and the words stand beside:
//!
//! ```text
//! 0x0004 │             03 00 00 00                         │     ····          header.version  u32 = 3
//! ```
//!
//! On a narrow one the words follow up to eight bytes on the same line, or stand above longer runs:
//!
//! ```text
//! 0x0004  03 00 00 00              header.version  u32 = 3
//! ```

use std::fmt::Write as _;
use std::io::{self, Write as _};

use anstyle::Style;
use ggufkit::format::Span;

use super::palette::FAINT;
use crate::commands::explain::wrap::{Run, fill};
use crate::out::{Ink, Out};

/// Columns from which on there is room for words beside sixteen bytes.
const WIDE: usize = 112;
/// Bytes of a row.
const ROW: u64 = 16;
/// Bytes that stand before the words on a narrow page.
const INLINE: u64 = 8;

/// Bytes with their place.
#[derive(Clone, Copy)]
pub(super) struct Bytes<'a> {
    /// Where they stand.
    pub(super) span: Span,
    /// The first of them, as many as are shown.
    pub(super) shown: &'a [u8],
    /// Their colour.
    pub(super) style: Style,
}

impl Bytes<'_> {
    /// Bytes that are not shown.
    fn folded(&self) -> u64 {
        self.span.len.saturating_sub(self.shown.len() as u64)
    }

    /// What takes the place of the bytes that are not shown.
    fn fold_mark(&self) -> Option<String> {
        let (n, end) = (self.folded(), self.span.end());
        let from = self.span.start.saturating_add(self.shown.len() as u64);
        let bytes = if n == 1 { "byte" } else { "bytes" };
        (n > 0).then(|| format!("⋮ {} {bytes}, {from:#x}..{end:#x}", ggufkit::inspect::units::count(n)))
    }
}

/// A page to write on.
pub(super) struct Page {
    wide: bool,
    width: usize,
    digits: usize,
}

impl Page {
    /// A page as wide as the output, for positions up to `last`.
    pub(super) fn new(out: &Out, last: u64) -> Self {
        let digits = format!("{last:x}").len().max(4);
        Self { wide: out.width() >= WIDE, width: out.width(), digits: digits + digits % 2 }
    }

    fn position(&self, at: u64) -> String {
        format!("0x{at:0digits$x}", digits = self.digits)
    }

    /// Columns before the words.
    fn indent(&self) -> usize {
        let position = self.digits + 2;
        if self.wide { position + 3 + 47 + 3 + 16 + 2 } else { position + 2 + 23 + 2 }
    }

    /// Columns for words.
    pub(super) fn room(&self) -> usize {
        self.width.saturating_sub(self.indent()).max(24)
    }

    /// The columns' numbers, where bytes stand in columns.
    pub(super) fn ruler(&self, out: &mut Out) -> io::Result<()> {
        if !self.wide {
            return Ok(());
        }
        let numbers: Vec<String> = (0..ROW).map(|i| format!("{i:2x}")).collect();
        let line = format!("{:w$} │ {} │", "", numbers.join(" "), w = self.digits + 2);
        let line = out.paint(Ink::Faint, line);
        writeln!(out, "{line}")
    }

    /// Bytes with words.
    pub(super) fn bytes(&self, out: &mut Out, bytes: &Bytes<'_>, words: &[Run]) -> io::Result<()> {
        let words = fill(words, self.room());
        if self.wide { self.beside(out, bytes, &words) } else { self.above(out, bytes, &words) }
    }

    fn beside(&self, out: &mut Out, bytes: &Bytes<'_>, words: &[Vec<Run>]) -> io::Result<()> {
        let mut words = words.iter();
        let mut rest = bytes.shown;
        let mut at = bytes.span.start;
        let mut first = true;
        let bar = |out: &Out| out.paint(Ink::Faint, "│").to_string();
        while !rest.is_empty() || first {
            let column = at % ROW;
            let (row, after) = rest.split_at(rest.len().min((ROW - column) as usize));
            // Nothing is shown of what is folded from its first byte on: the mark alone stands there.
            if row.is_empty() && bytes.folded() > 0 {
                break;
            }
            let (hex, text) = (hex(row), ascii(row));
            let (lead, fill) = (column as usize, ROW as usize - column as usize - row.len());
            let position = out.paint(Ink::Faint, self.position(at));
            let hex = format!(
                "{:l$}{}{:f$}",
                "",
                if row.is_empty() { String::new() } else { out.styled(bytes.style, hex).to_string() },
                "",
                l = lead * 3,
                // The last byte of a row has no space after it.
                f = 47 - lead * 3 - (row.len() * 3).saturating_sub(1).min(47 - lead * 3),
            );
            let text = out.styled(bytes.style, text).to_string();
            write!(out, "{position} {b} {hex} {b} {:lead$}{text}{:fill$}", "", "", b = bar(out))?;
            line(out, words.next(), "  ")?;
            at = at.saturating_add(row.len() as u64);
            rest = after;
            first = false;
        }
        if let Some(mark) = bytes.fold_mark() {
            let position = out.paint(Ink::Faint, self.position(at));
            let mark = out.styled(FAINT, format!("{mark:47}"));
            write!(out, "{position} {b} {mark} {b} {:16}", "", b = bar(out))?;
            line(out, words.next(), "  ")?;
        }
        let blank = format!("{:w$} {b} {:47} {b} {:16}", "", "", "", w = self.digits + 2, b = bar(out));
        for more in words {
            write!(out, "{blank}")?;
            line(out, Some(more), "  ")?;
        }
        Ok(())
    }

    fn above(&self, out: &mut Out, bytes: &Bytes<'_>, words: &[Vec<Run>]) -> io::Result<()> {
        let inline = bytes.span.len <= INLINE && bytes.folded() == 0;
        // Longer runs stand below, in rows that have positions of their own.
        let position = match inline {
            true => self.position(bytes.span.start),
            false => " ".repeat(self.digits + 2),
        };
        let position = out.paint(Ink::Faint, position);
        let own = if inline { hex(bytes.shown) } else { String::new() };
        let fill = 23_usize.saturating_sub(own.len());
        let mut words = words.iter();
        let own = out.styled(bytes.style, own);
        write!(out, "{position}  {own}{:fill$}", "")?;
        line(out, words.next(), "  ")?;
        for more in words {
            write!(out, "{:w$}", "", w = self.indent())?;
            line(out, Some(more), "")?;
        }
        if inline {
            return Ok(());
        }
        let mut at = bytes.span.start;
        for row in bytes.shown.chunks(ROW as usize) {
            let (position, hex) = (self.position(at), format!("{:47}", hex(row)));
            let (position, hex) = (out.paint(Ink::Faint, position), out.styled(bytes.style, hex));
            let text = out.styled(bytes.style, ascii(row));
            writeln!(out, "{position}  {hex}  {text}")?;
            at = at.saturating_add(ROW);
        }
        if let Some(mark) = bytes.fold_mark() {
            let mark = out.styled(FAINT, mark);
            writeln!(out, "{:w$}{mark}", "", w = self.digits + 4)?;
        }
        Ok(())
    }

    /// A step of the walk: its number, its first bytes on one line, words beside.
    pub(super) fn step(
        &self,
        out: &mut Out,
        number: &str,
        bytes: &Bytes<'_>,
        words: &[Vec<Run>],
    ) -> io::Result<()> {
        let shown = bytes.shown.get(..INLINE as usize).unwrap_or(bytes.shown);
        let more = if bytes.span.len > shown.len() as u64 { "…" } else { "" };
        let fill = 24_usize.saturating_sub(hex(shown).len() + more.chars().count());
        let (position, own) = (self.position(bytes.span.start), hex(shown));
        let (number, position) = (out.paint(Ink::Faint, number), out.paint(Ink::Faint, position));
        let own = out.styled(bytes.style, own);
        write!(out, "{number}  {position}  {own}{more}{:fill$}", "")?;
        let mut words = words.iter();
        line(out, words.next(), "  ")?;
        for more in words {
            write!(out, "{:w$}", "", w = self.step_indent())?;
            line(out, Some(more), "")?;
        }
        Ok(())
    }

    /// Columns before the words of a step.
    fn step_indent(&self) -> usize {
        6 + 2 + self.digits + 2 + 2 + 24 + 2
    }

    /// Columns for the words of a step.
    pub(super) fn step_room(&self) -> usize {
        self.width.saturating_sub(self.step_indent()).max(24)
    }
}

/// The rest of a line: the words after `gap`, and its end.
fn line(out: &mut Out, words: Option<&Vec<Run>>, gap: &str) -> io::Result<()> {
    let mut text = String::new();
    for run in words.into_iter().flatten() {
        // Writing to a string does not fail.
        let _ = write!(text, "{}", out.styled(run.style, &run.text));
    }
    if text.is_empty() { writeln!(out) } else { writeln!(out, "{gap}{text}") }
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 3);
    for (i, byte) in bytes.iter().enumerate() {
        let _ = write!(text, "{}{byte:02x}", if i == 0 { "" } else { " " });
    }
    text
}

/// The bytes as characters, where they are visible ASCII.
fn ascii(bytes: &[u8]) -> String {
    bytes.iter().map(|&b| if b == b' ' || b.is_ascii_graphic() { char::from(b) } else { '·' }).collect()
}
