//! What reaches the terminal: colour, width, and text that cannot drive it.

use std::borrow::Cow;
use std::fmt::{self, Display, Write as _};
use std::io::{self, BufWriter, IsTerminal as _, StdoutLock, Write};

use anstyle::{AnsiColor, Style};
use ggufkit::format::{Escaped, is_safe, shorten};
use unicode_width::UnicodeWidthStr as _;

use crate::stdout;

/// When to use colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set or TERM is "dumb"
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Color {
    fn on(self, terminal: bool) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => {
                let set = |name| std::env::var_os(name).is_some_and(|v| !v.is_empty());
                terminal && !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|t| t != "dumb")
            }
        }
    }
}

/// What a piece of output is; the colours follow from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ink {
    /// Headings.
    Head,
    /// Keys and names.
    Key,
    /// Types.
    Type,
    /// Numbers.
    Number,
    /// Text values.
    Text,
    /// What may be overlooked: positions, marks of omission.
    Faint,
    /// What is odd.
    Warn,
    /// What failed.
    Bad,
    /// What is as it should be.
    Good,
}

impl Ink {
    /// Its colour.
    pub(crate) fn style(self) -> Style {
        let color = |c: AnsiColor| Style::new().fg_color(Some(anstyle::Color::Ansi(c)));
        match self {
            Self::Head => Style::new().bold(),
            Self::Key => color(AnsiColor::Cyan),
            Self::Type => color(AnsiColor::Magenta),
            Self::Number => color(AnsiColor::Yellow),
            Self::Text => color(AnsiColor::Green),
            Self::Faint => Style::new().dimmed(),
            Self::Warn => color(AnsiColor::Yellow).bold(),
            Self::Bad => color(AnsiColor::Red).bold(),
            Self::Good => color(AnsiColor::Green).bold(),
        }
    }
}

/// A piece of output with its colour, where colour is on.
pub(crate) struct Painted<T> {
    text: T,
    style: Option<Style>,
}

impl<T: Display> Display for Painted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.style {
            Some(style) => write!(f, "{style}{}{style:#}", self.text),
            None => self.text.fmt(f),
        }
    }
}

/// Standard output, buffered, and standard error.
///
/// A command whose answer is what it prints ends when nobody takes it. One whose product is files, or whose exit status is
/// a verdict, calls [`Out::hold`]: from then on an output that fails is remembered and printed to no more, and nothing that the command does depends on
/// it.
pub(crate) struct Out {
    out: BufWriter<StdoutLock<'static>>,
    color: bool,
    error_color: bool,
    terminal: bool,
    width: usize,
    /// Whether somebody said how wide it is: the terminal, or COLUMNS.
    measured: bool,
    /// Columns of the terminal that standard error leads to.
    error_edge: Option<usize>,
    held: Option<Held>,
    /// Whether nothing may be written to standard output.
    closed: bool,
    /// Whether anything was written to standard error.
    said: bool,
}

/// What became of the two outputs since [`Out::hold`].
#[derive(Default)]
struct Held {
    out: Option<io::Error>,
    err: Option<io::Error>,
}

/// What is returned in place of an error that is remembered.
fn keep(result: io::Result<()>, kept: &mut Option<io::Error>) {
    if let Err(error) = result {
        kept.get_or_insert(error);
    }
}

impl Out {
    /// The process's output, with colour as asked for.
    pub(crate) fn new(color: Color) -> Self {
        let stdout = io::stdout();
        let terminal = stdout.is_terminal();
        let columns =
            std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok()).filter(|columns| *columns > 0);
        // A terminal that does not say how wide it is is taken for one of the usual width.
        let usual = Some(80);
        let on_error = || crate::platform::columns(&io::stderr()).or(usual);
        let error_edge = if io::stderr().is_terminal() { columns.or_else(on_error) } else { None };
        let on_output = || crate::platform::columns(&stdout).or(usual);
        let width = columns.or_else(|| if terminal { on_output() } else { None });
        Self {
            out: BufWriter::with_capacity(64 << 10, stdout.lock()),
            color: color.on(terminal),
            error_color: color.on(io::stderr().is_terminal()),
            terminal,
            width: width.unwrap_or(100).clamp(40, 400),
            measured: width.is_some(),
            error_edge: error_edge.map(|columns: usize| columns.clamp(40, 400)),
            held: None,
            closed: false,
            said: false,
        }
    }

    /// Standard output is not to be written to: what it was given and did not pass on yet is dropped, and so is all that
    /// follows.
    pub(crate) fn close(&mut self) {
        let fresh = BufWriter::new(io::stdout().lock());
        // Taking it apart writes nothing.
        let _ = std::mem::replace(&mut self.out, fresh).into_parts();
        self.closed = true;
    }

    /// Whether anybody was told anything on standard error.
    pub(crate) fn has_said(&self) -> bool {
        self.said
    }

    /// Whether nothing may be written to standard output; what it was given before goes the same way.
    fn is_closed(&mut self) -> bool {
        if !self.closed && stdout::leads_into().is_some() {
            self.close();
        }
        self.closed
    }

    /// From now on what is printed is a report of work that is done elsewhere: errors of printing are remembered for
    /// [`Out::finish`] and not returned, so that the work goes on.
    pub(crate) fn hold(&mut self) {
        self.held.get_or_insert_default();
    }

    /// Standard output for bytes that are the work itself: its errors are returned, even after [`Out::hold`].
    pub(crate) fn bytes(&mut self) -> &mut impl Write {
        &mut self.out
    }

    /// Ends the output. A reader of a held report who has gone is no error.
    ///
    /// # Errors
    /// The output's; the first that was remembered.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.flush()?;
        let held = self.held.take().unwrap_or_default();
        let told = |error: &io::Error| error.kind() != io::ErrorKind::BrokenPipe;
        // Nobody could be told about standard error; the status is all that is left, and it is that of the work.
        held.out.filter(told).map_or(Ok(()), Err)
    }

    /// Columns to fill: of the terminal, of COLUMNS, or 100.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Columns that a text may be wrapped to: those of the terminal, or of COLUMNS. Programs that read through a pipe get
    /// each text in one line.
    pub(crate) fn edge(&self) -> Option<usize> {
        self.measured.then_some(self.width)
    }

    /// Whether a person looks at it.
    pub(crate) fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Whether colour is on.
    pub(crate) fn color(&self) -> bool {
        self.color
    }

    /// `text` in a colour. The text must be ours or escaped.
    pub(crate) fn paint<T: Display>(&self, ink: Ink, text: T) -> Painted<T> {
        Painted { text, style: self.color.then(|| ink.style()) }
    }

    /// `text` in an arbitrary style (hex dumps use more colours than [`Ink`] has).
    pub(crate) fn styled<T: Display>(&self, style: Style, text: T) -> Painted<T> {
        Painted { text, style: self.color.then_some(style) }
    }

    /// Appends `text` in a style. The text must be ours or escaped.
    pub(crate) fn push_styled(&self, to: &mut String, style: Style, text: &str) {
        if !self.color || text.is_empty() {
            return to.push_str(text);
        }
        // Writing to a string does not fail.
        let _ = write!(to, "{style}{text}{style:#}");
    }

    /// A line, which a terminal too narrow for it gets in several: those that follow begin `hang` columns farther right.
    /// The text must be ours or escaped; it may be coloured.
    ///
    /// # Errors
    /// The output's.
    pub(crate) fn line(&mut self, text: &str, hang: usize) -> io::Result<()> {
        match self.edge() {
            Some(edge) => writeln!(self, "{}", wrapped(text, edge, hang)),
            None => writeln!(self, "{text}"),
        }
    }

    /// A heading on a line of its own.
    ///
    /// # Errors
    /// The output's.
    pub(crate) fn heading(&mut self, text: &str) -> io::Result<()> {
        let painted = self.paint(Ink::Head, text);
        writeln!(self, "{painted}")
    }

    /// Writes bytes of a file exactly. A terminal gets only such as cannot act on it: others are refused on standard error,
    /// under the name `what`, and the answer is `false`.
    ///
    /// # Errors
    /// The output's.
    pub(crate) fn exact(&mut self, what: &str, bytes: &[u8]) -> io::Result<bool> {
        if self.terminal && !is_harmless(bytes) {
            let text = "its bytes could act on this terminal: redirect the output to a file or a pipe";
            self.message(Ink::Bad, "error", &format!("{what}: {text}"))?;
            return Ok(false);
        }
        self.write_all(bytes)?;
        Ok(true)
    }

    /// Writes a message to standard error after what was written so far. It is one line, whatever was typed or read, which
    /// a narrow terminal gets in several; of one that goes on and on its begin and its end are told.
    ///
    /// # Errors
    /// The output's.
    pub(crate) fn message(&mut self, ink: Ink, word: &str, text: &str) -> io::Result<()> {
        self.flush()?;
        self.said = true;
        let painted = Painted { text: word, style: self.error_color.then(|| ink.style()) };
        let text = format!("{painted}: {}", bounded(&one_line(text)));
        let text = match self.error_edge {
            Some(edge) => wrapped(&text, edge, 2),
            None => text,
        };
        match &mut self.held {
            None => writeln!(io::stderr(), "{text}"),
            Some(Held { err: Some(_), .. }) => Ok(()),
            Some(Held { err, .. }) => {
                keep(writeln!(io::stderr(), "{text}"), err);
                Ok(())
            }
        }
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_closed() {
            return Ok(bytes.len());
        }
        let Some(held) = &mut self.held else { return self.out.write(bytes) };
        if held.out.is_none() {
            keep(self.out.write_all(bytes), &mut held.out);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.is_closed() {
            return Ok(());
        }
        let Some(held) = &mut self.held else { return self.out.flush() };
        if held.out.is_none() {
            keep(self.out.flush(), &mut held.out);
        }
        Ok(())
    }
}

/// Whether bytes may go to a terminal as they are: text of lines, and nothing in it that acts.
pub(crate) fn is_harmless(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| text.chars().all(|c| c == '\n' || c == '\t' || is_safe(c)))
}

/// The file's text, harmless for a terminal.
pub(crate) fn plain(bytes: &[u8]) -> Escaped<'_> {
    Escaped(bytes)
}

/// A text of ours that quotes others' words, as one line that is harmless for a terminal. Escapes that are there already
/// stay as they are.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_safe) {
        return Cow::Borrowed(text);
    }
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        match is_safe(c) {
            true => line.push(c),
            // Writing to a string does not fail.
            false => _ = write!(line, "{}", Escaped(c.encode_utf8(&mut [0; 4]).as_bytes())),
        }
    }
    Cow::Owned(line)
}

/// Characters of a message: what is longer quotes something that nobody reads to its end.
const MESSAGE: usize = 4000;

/// A text without its middle, where it is too long for a message: it begins with what it is about, and ends with why.
fn bounded(text: &str) -> Cow<'_, str> {
    let count = if text.len() > MESSAGE { text.chars().count() } else { 0 };
    if count <= MESSAGE {
        return Cow::Borrowed(text);
    }
    let at = |n: usize| text.char_indices().nth(n).map_or(text.len(), |(at, _)| at);
    let (head, tail) = (at(MESSAGE / 2), at(count.saturating_sub(MESSAGE / 2)));
    let (head, tail) = (text.get(..head).unwrap_or_default(), text.get(tail..).unwrap_or_default());
    Cow::Owned(format!("{head}…{tail}"))
}

/// A path as given, harmless for a terminal.
pub(crate) fn path(path: &std::path::Path) -> String {
    Escaped(path.as_os_str().as_encoded_bytes()).to_string()
}

/// At most `max` columns of the escaped text, with `…` where some was left out.
pub(crate) fn fit(bytes: &[u8], max: usize) -> String {
    let mut text = shorten(bytes, max.max(1));
    // Wide characters take two columns, so a text of few characters can still be too long.
    while columns(&text) > max && text.pop().is_some() {
        if text.ends_with('…') {
            text.pop();
        }
        text.pop();
        text.push('…');
    }
    text
}

/// A line in several of at most `edge` columns, where it has spaces to break at. Colours take no columns.
fn wrapped(text: &str, edge: usize, hang: usize) -> String {
    let lead = text.len().saturating_sub(text.trim_start_matches(' ').len());
    let hang = lead.saturating_add(hang).min(edge / 2);
    let (mut out, mut column, mut begun) = (" ".repeat(lead), lead, false);
    for word in text.get(lead..).unwrap_or_default().split(' ') {
        let wide = columns(&uncoloured(word));
        if begun && column.saturating_add(1).saturating_add(wide) > edge {
            out.truncate(out.trim_end_matches(' ').len());
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', hang));
            column = hang;
        } else if begun {
            out.push(' ');
            column = column.saturating_add(1);
        }
        out.push_str(word);
        (column, begun) = (column.saturating_add(wide), true);
    }
    out
}

/// The text without the colours of ours.
fn uncoloured(text: &str) -> Cow<'_, str> {
    let Some((before, rest)) = text.split_once('\x1b') else { return Cow::Borrowed(text) };
    let mut out = before.to_owned();
    for piece in rest.split('\x1b') {
        out.push_str(piece.split_once('m').map_or("", |(_, after)| after));
    }
    Cow::Owned(out)
}

/// Columns that a text takes.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// `text` followed by the spaces that fill `width` columns.
pub(crate) fn pad(text: &str, width: usize) -> String {
    let fill = width.saturating_sub(columns(text));
    format!("{text}{:fill$}", "")
}

/// `text` preceded by the spaces that fill `width` columns.
pub(crate) fn pad_left(text: &str, width: usize) -> String {
    let fill = width.saturating_sub(columns(text));
    format!("{:fill$}{text}", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_that_does_nothing_may_go_to_a_terminal() {
        for bytes in [&b"a line\n\tand another"[..], "中文 🦙".as_bytes(), b""] {
            assert!(is_harmless(bytes), "{bytes:?}");
        }
        for bytes in
            [&b"\x1b[2J"[..], b"\x00\x00\x80?", b"a\rb", b"\xff", "\u{202e}x".as_bytes(), b"\xc2\x9b31m"]
        {
            assert!(!is_harmless(bytes), "{bytes:?}");
        }
    }

    #[test]
    fn of_a_message_without_end_its_begin_and_its_end_are_told() {
        let long = format!("file {}: no such file", "é".repeat(100_000));
        let told = bounded(&long);
        assert_eq!(told.chars().count(), MESSAGE + 1);
        assert!(told.starts_with("file éé") && told.contains("é…é") && told.ends_with("é: no such file"));
        assert_eq!(bounded("short"), "short");
    }

    #[test]
    fn a_message_is_one_line() {
        assert_eq!(one_line("a \\n b"), "a \\n b");
        assert_eq!(one_line("a\nb\r\x1b[31m\u{202e}中"), "a\\nb\\r\\x1b[31m\\u{202e}中");
    }

    #[test]
    fn lines_are_broken_at_spaces_and_colours_take_no_room() {
        assert_eq!(wrapped("one two three", 9, 2), "one two\n  three");
        assert_eq!(wrapped("  one two three", 9, 2), "  one two\n    three");
        assert_eq!(wrapped("\x1b[1mone\x1b[0m two three", 9, 0), "\x1b[1mone\x1b[0m two\nthree");
        assert_eq!(wrapped("averyveryverylongword and", 9, 2), "averyveryverylongword\n  and");
        assert_eq!(wrapped("a  b", 9, 2), "a  b");
        assert_eq!(wrapped("", 9, 2), "");
    }

    #[test]
    fn texts_fit_their_columns() {
        assert_eq!(fit("中文字".as_bytes(), 6), "中文字");
        assert!(columns(&fit("中文字符很多".as_bytes(), 7)) <= 7);
        assert_eq!(fit(b"abc", 3), "abc");
        assert_eq!(fit(b"abcd", 3), "ab…");
        assert_eq!(pad("中", 4), "中  ");
        assert_eq!(pad_left("7", 3), "  7");
    }
}
