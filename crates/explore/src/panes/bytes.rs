//! The bytes of a file, each with the field that it belongs to.

use ggufkit::format::spec::{Lang, ValueType};
use ggufkit::format::{Endian, Scalar, Span};
use ggufkit::inspect::units;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span as Piece};

use super::tensors::Tensors;
use super::{Copied, Look};
use crate::file::{Explored, Shown};
use crate::text;
use crate::words::{self, say};

/// Bytes that a search reads at a time, between looks at the keyboard.
const STRETCH: u64 = 1 << 20;

/// A search under way.
struct Search {
    pattern: Vec<u8>,
    at: u64,
    back: bool,
}

#[derive(Default)]
pub(crate) struct Bytes {
    pub(crate) file: usize,
    /// The byte that is selected.
    pub(crate) at: u64,
    /// The first row on the screen.
    top: u64,
    /// Bytes of a row, of the last frame.
    columns: u64,
    /// Whether somebody came from elsewhere, and wants to see what is around.
    arrived: bool,
    search: Option<Search>,
    last: Vec<u8>,
}

/// What a search came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    Not,
    Yes,
    Unreadable,
}

impl Bytes {
    pub(crate) fn go(&mut self, files: &[Explored<'_>], file: usize, at: u64) {
        let Some(explored) = files.get(file) else { return };
        if file != self.file {
            // A search is of one file.
            self.search = None;
        }
        self.file = file;
        self.at = at.min(explored.size.saturating_sub(1));
    }

    /// Comes from elsewhere: the byte stands with some rows above it and more below.
    pub(crate) fn arrive(&mut self, files: &[Explored<'_>], file: usize, at: u64) {
        self.go(files, file, at);
        self.arrived = true;
    }

    pub(crate) fn step(&mut self, files: &[Explored<'_>], by: i64) {
        self.go(files, self.file, self.at.saturating_add_signed(by));
    }

    pub(crate) fn rows(&mut self, files: &[Explored<'_>], by: i64) {
        let columns = i64::try_from(self.columns.max(1)).unwrap_or(16);
        let to = by.saturating_mul(columns);
        // A row that is not there is no place to go to: the column stays.
        if by.abs() == 1 && to < 0 && self.at < to.unsigned_abs() {
            return;
        }
        self.step(files, to);
    }

    /// To the first byte of the field after, or of this one or the one before.
    pub(crate) fn field(&mut self, files: &[Explored<'_>], tensors: &Tensors, by: i64, lang: Lang) {
        let Some(explored) = files.get(self.file) else { return };
        for _ in 0..by.unsigned_abs() {
            let here = self.span(explored, tensors, self.at, lang);
            let to = match (by < 0, here.start < self.at) {
                (false, _) => here.end().max(self.at.saturating_add(1)),
                (true, true) => here.start,
                (true, false) => {
                    let before = here.start.saturating_sub(1);
                    self.span(explored, tensors, before, lang).start
                }
            };
            self.go(files, self.file, to);
        }
    }

    /// The field, or the block, that holds a byte; the byte where none does.
    fn span(&self, explored: &Explored<'_>, tensors: &Tensors, at: u64, lang: Lang) -> Span {
        if let Some(field) = explored.field(at, lang) {
            return field.span;
        }
        let block = tensors.holding(self.file, at).and_then(|tensor| {
            let data = tensor.data?;
            let (_, bytes) = tensor.block?;
            let number = at.checked_sub(data.start)?.checked_div(bytes)?;
            Some(Span::new(data.start.checked_add(number.checked_mul(bytes)?)?, bytes))
        });
        block.unwrap_or(Span::new(at, 1))
    }

    pub(crate) fn search(&mut self, pattern: Vec<u8>, back: bool) {
        self.last.clone_from(&pattern);
        self.begin(back);
    }

    /// The same again.
    pub(crate) fn again(&mut self, back: bool) {
        self.begin(back);
    }

    fn begin(&mut self, back: bool) {
        let pattern = self.last.clone();
        let at = if back { self.at } else { self.at.saturating_add(1) };
        self.search = (!pattern.is_empty()).then_some(Search { pattern, at, back });
    }

    pub(crate) const fn is_searching(&self) -> bool {
        self.search.is_some()
    }

    pub(crate) fn stop(&mut self) -> bool {
        self.search.take().is_some()
    }

    /// Looks through the next stretch; `None` while there is more.
    pub(crate) fn look(&mut self, files: &[Explored<'_>]) -> Option<Found> {
        let (Some(search), Some(explored)) = (&mut self.search, files.get(self.file)) else {
            return Some(Found::Not);
        };
        let over = (search.pattern.len() as u64).saturating_sub(1);
        let stretch = match search.back {
            false => Span::new(search.at, STRETCH.saturating_add(over)),
            true => {
                let start = search.at.saturating_sub(STRETCH);
                Span::between(start, search.at.saturating_add(over).min(explored.size))
            }
        };
        let Ok(bytes) = explored.bytes(stretch) else {
            self.search = None;
            return Some(Found::Unreadable);
        };
        let finder = |bytes: &[u8]| match search.back {
            false => memchr::memmem::find(bytes, &search.pattern),
            true => memchr::memmem::rfind(bytes, &search.pattern),
        };
        if let Some(found) = finder(&bytes) {
            self.arrived = true;
            self.at = stretch.start.saturating_add(found as u64);
            self.search = None;
            return Some(Found::Yes);
        }
        search.at = if search.back { stretch.start } else { stretch.start.saturating_add(STRETCH) };
        let ended = if search.back { stretch.start == 0 } else { search.at >= explored.size };
        if ended {
            self.search = None;
            return Some(Found::Not);
        }
        None
    }

    /// The rows of a screen of this height.
    pub(crate) fn lines(&mut self, files: &[Explored<'_>], height: u64, look: &Look) -> Vec<Line<'static>> {
        let Some(explored) = files.get(self.file) else { return Vec::new() };
        let digits = format!("{:x}", explored.size.saturating_sub(1)).len().max(4);
        let room = look.width.saturating_sub(digits + 5);
        // Each byte is two digits and a space, and a character beside.
        self.columns = [32_u64, 16, 8, 4].into_iter().find(|n| room as u64 >= n * 4 + n / 8).unwrap_or(4);
        let row = self.at / self.columns;
        let (last, height) = (explored.size.div_ceil(self.columns), height.max(1));
        if std::mem::take(&mut self.arrived) && !(self.top..self.top.saturating_add(height)).contains(&row) {
            self.top = row.saturating_sub(height / 4);
        }
        self.top = self
            .top
            .clamp(row.saturating_sub(height.saturating_sub(1)), row)
            .min(last.saturating_sub(height));
        let first = self.top.saturating_mul(self.columns);
        let window = Span::new(first, height.saturating_mul(self.columns));
        let Ok(bytes) = explored.bytes(window) else {
            return vec![Line::from(say(look.lang, words::NO_BYTES))];
        };
        let fields = explored.fields(window, look.lang);
        let under = fields.iter().position(|field| field.span.start <= self.at && self.at < field.span.end());
        let rows = bytes.chunks(usize::try_from(self.columns).unwrap_or(16));
        let mut at = first;
        let mut field = 0;
        rows.map(|bytes| {
            let mut hex = vec![Piece::styled(format!("0x{at:0digits$x} "), look.theme.faint())];
            let mut beside = Vec::new();
            for (column, byte) in bytes.iter().enumerate() {
                while fields.get(field).is_some_and(|field| field.span.end() <= at) {
                    field += 1;
                }
                let is = fields.get(field).filter(|field| field.span.start <= at);
                let mut style =
                    is.map_or_else(ratatui::style::Style::new, |field| look.theme.bytes(field.kind));
                if is.is_some() && Some(field) == under {
                    style = style.add_modifier(Modifier::UNDERLINED);
                }
                let here = if at == self.at { look.theme.selected() } else { style };
                hex.push(Piece::raw(if column % 8 == 0 && column > 0 { "  " } else { " " }));
                hex.push(Piece::styled(format!("{byte:02x}"), here));
                let shown = if (0x20..0x7f).contains(byte) { char::from(*byte) } else { '·' };
                beside.push(Piece::styled(shown.to_string(), here));
                at = at.saturating_add(1);
            }
            let missing = (self.columns as usize).saturating_sub(bytes.len());
            let gaps =
                (bytes.len()..bytes.len() + missing).filter(|column| column % 8 == 0 && *column > 0).count();
            hex.push(Piece::raw(" ".repeat(missing * 3 + gaps + 2)));
            hex.extend(beside);
            Line::from(hex)
        })
        .collect()
    }

    /// The byte at a cell: columns right of the window's edge, rows below its top.
    pub(crate) fn at_cell(&self, files: &[Explored<'_>], column: u64, row: u64) -> Option<u64> {
        let explored = files.get(self.file)?;
        let digits = format!("{:x}", explored.size.saturating_sub(1)).len().max(4) as u64;
        let within = column.checked_sub(digits + 4)?;
        let cell = (0..self.columns).find(|n| within < (n + 1) * 3 + n / 8)?;
        let at = (self.top + row).checked_mul(self.columns)?.checked_add(cell)?;
        (at < explored.size).then_some(at)
    }

    pub(crate) fn told(&self, files: &[Explored<'_>], tensors: &Tensors, look: &Look) -> Vec<Line<'static>> {
        let Some(explored) = files.get(self.file) else { return Vec::new() };
        let mut lines = Vec::new();
        let field = explored.field(self.at, look.lang);
        match &field {
            Some(Shown { path, words, span, .. }) => {
                lines.push(Line::from(vec![
                    Piece::styled(path.clone(), look.theme.name()),
                    Piece::raw("  "),
                    Piece::styled(text::span(*span), look.theme.faint()),
                ]));
                lines.push(Line::from(words.clone()));
            }
            None => match tensors.holding(self.file, self.at) {
                Some(tensor) => {
                    let data = tensor.data.unwrap_or(Span::new(self.at, 0));
                    let into = self.at.saturating_sub(data.start);
                    let mut said = format!("{} {}", say(look.lang, words::OF_TENSOR), tensor.name());
                    if let Some((elements, bytes)) = tensor.block {
                        let block = into / bytes.max(1);
                        let first = block.saturating_mul(elements);
                        let last = first.saturating_add(elements).saturating_sub(1);
                        let word = say(look.lang, words::BLOCK);
                        said = format!("{said}  {word} {block} ({first}..={last}) +{}", into % bytes.max(1));
                    }
                    lines.push(Line::styled(said, look.theme.name()));
                }
                None => lines.push(Line::from(say(look.lang, explored.between(self.at).words()))),
            },
        }
        let next = explored.bytes(Span::new(self.at, 8)).unwrap_or_default();
        let endian = explored.view.map_or(Endian::Little, |view| view.index().header().endian);
        let read =
            |ty| Scalar::read(ty, endian, &next).map(|scalar| format!("{ty} {}", units::scalar_text(scalar)));
        let types =
            [ValueType::UINT8, ValueType::UINT16, ValueType::UINT32, ValueType::FLOAT32, ValueType::UINT64];
        let said: Vec<String> = types.into_iter().filter_map(read).collect();
        let mut pieces = vec![format!("{:#x} = {} ", self.at, self.at)];
        pieces.extend(said);
        let rows = text::pack(&pieces, look.width).into_iter();
        lines.extend(rows.map(|row| Line::styled(row, look.theme.faint())));
        lines
    }

    /// The field's bytes as digits, and its path.
    pub(crate) fn copied(
        &self,
        files: &[Explored<'_>],
        tensors: &Tensors,
        most: usize,
        lang: Lang,
    ) -> Option<Copied> {
        let explored = files.get(self.file)?;
        let span = self.span(explored, tensors, self.at, lang);
        // Each byte is two digits, with a space between them.
        let fits = span.len <= (most / 3) as u64;
        let bytes = if fits { Some(explored.bytes(span).ok()?) } else { None };
        let path = explored.field(self.at, lang).map_or_else(String::new, |field| format!("{} ", field.path));
        Some(Copied {
            value: bytes.map(|bytes| ggufkit::format::spaced_hex(&bytes).into_bytes()),
            place: format!("{path}{:#x}", self.at),
        })
    }
}
