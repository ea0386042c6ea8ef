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

use std::io::{self, Write as _};

use anstyle::Style;
use ggufkit::format::{Span, spaced_hex};

use super::palette::FAINT;
use crate::commands::explain::wrap::{Run, fill_owned};
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

    /// The columns' numbers, where bytes stand in columns. Returns whether they do.
    pub(super) fn ruler(&self, out: &mut Out) -> io::Result<bool> {
        if !self.wide {
            return Ok(false);
        }
        let numbers: Vec<String> = (0..ROW).map(|i| format!("{i:2x}")).collect();
        let line = format!("{:w$} │ {} │", "", numbers.join(" "), w = self.digits + 2);
        let line = out.paint(Ink::Faint, line);
        writeln!(out, "{line}")?;
        Ok(true)
    }

    /// Bytes with words.
    pub(super) fn bytes(&self, out: &mut Out, bytes: &Bytes<'_>, words: Vec<Run>) -> io::Result<()> {
        let words = fill_owned(words, self.room());
        if self.wide { self.beside(out, bytes, &words) } else { self.above(out, bytes, &words) }
    }

    fn beside(&self, out: &mut Out, bytes: &Bytes<'_>, words: &[Vec<Run>]) -> io::Result<()> {
        let bar = out.paint(Ink::Faint, "│").to_string();
        let mut words = words.iter();
        let mut rest = bytes.shown;
        let mut at = bytes.span.start;
        // A field of no bytes has a row all the same; of one that is folded whole the mark is the row.
        let mut more = !rest.is_empty() || bytes.folded() == 0;
        while more {
            let column = at % ROW;
            let (row, after) = rest.split_at(rest.len().min((ROW - column) as usize));
            let (lead, width) = (column as usize * 3, (row.len() * 3).saturating_sub(1));
            let mut start = String::with_capacity(160);
            let gap = |start: &mut String, n: usize| start.extend(std::iter::repeat_n(' ', n));
            out.push_styled(&mut start, Ink::Faint.style(), &self.position(at));
            start.push(' ');
            start.push_str(&bar);
            gap(&mut start, 1 + lead);
            out.push_styled(&mut start, bytes.style, &spaced_hex(row));
            gap(&mut start, 48_usize.saturating_sub(lead + width));
            start.push_str(&bar);
            gap(&mut start, 1 + column as usize);
            out.push_styled(&mut start, bytes.style, &ascii(row));
            let after_text = ROW as usize - column as usize - row.len();
            line(out, &start, after_text + 2, words.next())?;
            at = at.saturating_add(row.len() as u64);
            rest = after;
            more = !rest.is_empty();
        }
        if let Some(mark) = bytes.fold_mark() {
            let (position, mark) = (self.position(at), format!("{mark:47}"));
            let (position, mark) = (out.paint(Ink::Faint, position), out.styled(FAINT, mark));
            let start = format!("{position} {bar} {mark} {bar}");
            line(out, &start, 1 + ROW as usize + 2, words.next())?;
        }
        if words.len() == 0 {
            return Ok(());
        }
        let blank = format!("{:w$} {bar} {:47} {bar}", "", "", w = self.digits + 2);
        words.try_for_each(|words| line(out, &blank, 1 + ROW as usize + 2, Some(words)))
    }

    fn above(&self, out: &mut Out, bytes: &Bytes<'_>, words: &[Vec<Run>]) -> io::Result<()> {
        let inline = bytes.span.len <= INLINE && bytes.folded() == 0;
        // Longer runs stand below, in rows that have positions of their own.
        let (position, own) = match inline {
            true => (self.position(bytes.span.start), spaced_hex(bytes.shown)),
            false => (" ".repeat(self.digits + 2), String::new()),
        };
        let gap = 23_usize.saturating_sub(own.len()) + 2;
        let mut start = String::with_capacity(64);
        out.push_styled(&mut start, Ink::Faint.style(), &position);
        start.push_str("  ");
        out.push_styled(&mut start, bytes.style, &own);
        let mut words = words.iter();
        line(out, &start, gap, words.next())?;
        words.try_for_each(|words| line(out, "", self.indent(), Some(words)))?;
        if inline {
            return Ok(());
        }
        let mut at = bytes.span.start;
        for row in bytes.shown.chunks(ROW as usize) {
            let (position, hex) = (self.position(at), format!("{:47}", spaced_hex(row)));
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
        let own = spaced_hex(shown);
        let gap = 24_usize.saturating_sub(own.len() + more.chars().count()) + 2;
        let position = self.position(bytes.span.start);
        let mut start = String::with_capacity(64);
        out.push_styled(&mut start, Ink::Faint.style(), number);
        start.push_str("  ");
        out.push_styled(&mut start, Ink::Faint.style(), &position);
        start.push_str("  ");
        out.push_styled(&mut start, bytes.style, &own);
        start.push_str(more);
        let mut words = words.iter();
        line(out, &start, gap, words.next())?;
        words.try_for_each(|words| line(out, "", self.step_indent(), Some(words)))
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

/// A line: its start, and `gap` columns further on the words.
fn line(out: &mut Out, start: &str, gap: usize, words: Option<&Vec<Run>>) -> io::Result<()> {
    // One write for a line, and no formatting where a text is shown as it is: there may be millions of lines.
    let mut text = String::with_capacity(start.len() + gap + 80);
    text.push_str(start);
    match words.filter(|words| words.iter().any(|run| !run.text.is_empty())) {
        Some(words) => {
            text.extend(std::iter::repeat_n(' ', gap));
            words.iter().for_each(|run| out.push_styled(&mut text, run.style, &run.text));
        }
        None => text.truncate(text.trim_end().len()),
    }
    text.push('\n');
    out.write_all(text.as_bytes())
}

/// The bytes as characters, where they are visible ASCII.
fn ascii(bytes: &[u8]) -> String {
    bytes.iter().map(|&b| if b == b' ' || b.is_ascii_graphic() { char::from(b) } else { '·' }).collect()
}
