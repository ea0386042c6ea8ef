//! A file that is explored: its head, and its bytes wherever they stand.

use std::cell::OnceCell;
use std::io;

use ggufkit::check::{File, Source};
use ggufkit::format::spec::Lang;
use ggufkit::format::{Detail, Field, Span, View};
use ggufkit::inspect::hex::{Kind, note};
use ggufkit::inspect::regions::{RegionKind, regions};
use ggufkit::inspect::tensors::Table;
use ggufkit::inspect::{Model, Part};

/// A field on the screen.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    pub(crate) span: Span,
    pub(crate) kind: Kind,
    pub(crate) path: String,
    /// Type, value and meaning in one line.
    pub(crate) words: String,
}

/// A file of the model.
pub(crate) struct Explored<'a> {
    pub(crate) label: String,
    pub(crate) view: Option<View<'a>>,
    pub(crate) size: u64,
    part: Option<Part<'a>>,
    /// Stretches outside of the records of the head, told when somebody asks.
    between: OnceCell<Vec<(Span, RegionKind)>>,
    source: Option<&'a Source>,
}

impl<'a> Explored<'a> {
    pub(crate) fn new(file: &File<'a>) -> Self {
        let label = file.file_name.map_or_else(
            || file.label.display().to_string(),
            |name| ggufkit::format::shorten(name.as_bytes(), 200),
        );
        let read = file.view.map_or(0, |view| view.start().saturating_add(view.head().len() as u64));
        let size = file.size.unwrap_or(read);
        let part = file.view.map(|view| Part {
            label: file.label,
            file_name: file.file_name,
            size: Some(size),
            view,
        });
        Self { label, view: file.view, size, part, between: OnceCell::new(), source: file.source }
    }

    /// The bytes of a stretch, as many as there are.
    pub(crate) fn bytes(&self, span: Span) -> io::Result<Vec<u8>> {
        let end = span.end().min(self.size);
        let span = Span::between(span.start.min(end), end);
        if let Some(bytes) = self.view.and_then(|view| view.bytes(span)) {
            return Ok(bytes.to_vec());
        }
        let source = self.source.ok_or(io::ErrorKind::Unsupported)?;
        let mut bytes = vec![0; usize::try_from(span.len).map_err(|_| io::ErrorKind::OutOfMemory)?];
        let mut done = 0;
        while let Some(rest) = bytes.get_mut(done..).filter(|rest| !rest.is_empty()) {
            match source.read_at(rest, span.start.saturating_add(done as u64))? {
                0 => break,
                n => done = done.saturating_add(n),
            }
        }
        bytes.truncate(done);
        Ok(bytes)
    }

    /// What a byte is that belongs to no field and no tensor: of a gap, of padding, of what stands behind the data.
    pub(crate) fn between(&self, at: u64) -> RegionKind {
        let between = self.between.get_or_init(|| {
            let Some(part) = &self.part else { return Vec::new() };
            let all = regions(part, &Table::new(&Model::single(*part)), 0, usize::MAX);
            let owned = |kind| matches!(kind, RegionKind::Metadata | RegionKind::TensorInfo);
            all.into_iter().filter(|one| !owned(one.kind)).map(|one| (one.span, one.kind)).collect()
        });
        // They are in the order of the file.
        let before = between.partition_point(|(span, _)| span.start <= at);
        let holding =
            before.checked_sub(1).and_then(|last| between.get(last)).filter(|(span, _)| at < span.end());
        holding.map_or(RegionKind::Unread, |(_, kind)| *kind)
    }

    /// The fields of the head that hold a byte of a stretch.
    pub(crate) fn fields(&self, span: Span, lang: Lang) -> Vec<Shown> {
        let Some(view) = self.view else { return Vec::new() };
        if span.start >= view.index().data_start().unwrap_or_else(|| view.index().head_end()) {
            return Vec::new();
        }
        let meets = |field: &Field<'_>| field.span.end() > span.start || field.span.len == 0;
        view.fields_from(Detail::All, span.start)
            .skip_while(|field| !meets(field))
            .take_while(|field| field.span.start < span.end())
            .map(|field| shown(&view, &field, lang))
            .collect()
    }

    /// The field that holds a byte.
    pub(crate) fn field(&self, at: u64, lang: Lang) -> Option<Shown> {
        let holds = |field: &Shown| field.span.start <= at && at < field.span.end();
        self.fields(Span::new(at, 1), lang).into_iter().find(holds)
    }
}

fn shown(view: &View<'_>, field: &Field<'_>, lang: Lang) -> Shown {
    let note = note(view, field, lang);
    let mut words = note.ty.clone();
    if !note.value.is_empty() {
        words.push_str(if words.is_empty() { "" } else { " = " });
        words.push_str(&note.value);
    }
    words.push_str(&note.tail(lang));
    Shown { span: field.span, kind: Kind::of(field), path: field.path.to_string(), words }
}
