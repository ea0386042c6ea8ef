//! The one traversal: every field of a head, in file order, none left out.
//!
//! Dump, annotated hex, the walk that a learner steps through and the tests are built on it. The spans of the fields
//! follow each other without a gap from the magic to the start of the data section; what could not be parsed is one
//! last field.

use alloc::collections::VecDeque;

use crate::dialect::{ArrayHeader, HeaderTrait};
use crate::index::{Kv, Payload, Scalar, Tensor};
use crate::parser::strings;
use crate::path::{Element, HeaderPart, KvPart, Path, TensorPart};
use crate::span::Span;
use crate::spec::{TensorType, ValueType};
use crate::text::ByteStr;
use crate::view::{ArrayRef, View};

/// A field of the head.
#[derive(Clone, Debug)]
pub struct Field<'a> {
    /// Where it stands.
    pub span: Span,
    /// Which field it is.
    pub path: Path,
    /// What it holds.
    pub value: FieldValue<'a>,
}

/// What a field holds.
#[derive(Clone, Copy, Debug)]
pub enum FieldValue<'a> {
    /// The magic.
    Magic(&'a [u8]),
    /// The version.
    Version(u32),
    /// A number of items.
    Count(u64),
    /// The length of the text that follows, in bytes.
    Length(u64),
    /// Text.
    Text(ByteStr<'a>),
    /// The type of a value or of an array's elements: the raw id, and what it stands for.
    ValueType(u32, ValueType),
    /// A value of fixed size.
    Scalar(Scalar),
    /// The alignment in a dialect's header.
    Alignment(u32),
    /// Elements of an array, taken together.
    Elements(ArrayRef<'a>),
    /// One dimension of a tensor.
    Dim(u64),
    /// The type of a tensor.
    TensorType(TensorType),
    /// The offset of a tensor's data from the start of the data section.
    Offset(u64),
    /// The NUL after a dialect's string.
    Nul(u8),
    /// Padding.
    Padding(&'a [u8]),
    /// Bytes that were not parsed.
    Unparsed(&'a [u8]),
}

/// How much of an array is shown element by element; the rest is one field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Detail {
    /// Every element is a field (two for a string: length and bytes).
    All,
    /// The first so many elements are fields of their own.
    First(u64),
}

impl<'a> View<'a> {
    /// Every field of the head in file order; arrays are shown as `detail` says.
    #[must_use]
    pub fn fields(&self, detail: Detail) -> Fields<'a> {
        Fields::new(*self, detail)
    }

    /// The same fields from the record on that holds the byte at `position`, without a walk over those before it; of an
    /// array of which every element is shown, from the element on that holds it.
    #[must_use]
    pub fn fields_from(&self, detail: Detail, position: u64) -> Fields<'a> {
        Fields::from(*self, detail, position)
    }
}

/// The fields of a head. See [`View::fields`].
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    view: View<'a>,
    detail: Detail,
    queue: VecDeque<Field<'a>>,
    stage: Stage,
    array: Option<Walk<'a>>,
    position: u64,
}

#[derive(Clone, Copy, Debug)]
enum Stage {
    Header,
    Kv(usize),
    Tensor(usize),
    Tail,
    End,
}

/// An array whose elements are being given out.
#[derive(Clone, Debug)]
struct Walk<'a> {
    kv: u64,
    levels: alloc::vec::Vec<Level>,
    shown: u64,
    limit: u64,
    end: u64,
    root: ArrayRef<'a>,
}

#[derive(Clone, Copy, Debug)]
struct Level {
    ty: ValueType,
    count: u64,
    done: u64,
}

impl<'a> Fields<'a> {
    fn new(view: View<'a>, detail: Detail) -> Self {
        let position = view.index().header().base;
        Self { view, detail, queue: VecDeque::new(), stage: Stage::Header, array: None, position }
    }

    fn from(view: View<'a>, detail: Detail, position: u64) -> Self {
        let mut fields = Self::new(view, detail);
        let index = view.index();
        if position < index.header().span.end() {
            return fields;
        }
        let at = index.kvs().partition_point(|kv| kv.span.end() <= position);
        if let Some(kv) = index.kvs().get(at) {
            (fields.stage, fields.position) = (Stage::Kv(at), kv.span.start);
            fields.enter(at, kv, position);
            return fields;
        }
        let at = index.tensors().partition_point(|tensor| tensor.span.end() <= position);
        (fields.stage, fields.position) = match index.tensors().get(at) {
            Some(tensor) => (Stage::Tensor(at), tensor.span.start),
            None => (Stage::Tail, index.head_end()),
        };
        fields
    }

    /// Goes on within the array of a key-value, at the element that holds `position`.
    fn enter(&mut self, at: usize, kv: &'a Kv, position: u64) {
        let (Payload::Array(array), Detail::All) = (&kv.payload, self.detail) else { return };
        let Some(into) = position.checked_sub(array.elements.start).filter(|_| array.count > 0) else {
            return;
        };
        let root = self.view.array(array);
        let first = match array.element_type.fixed_size() {
            Some(size) => into.checked_div(size).unwrap_or(0),
            None => {
                let marks = array.marks.partition_point(|mark| *mark <= position).saturating_sub(1);
                u64::try_from(marks).unwrap_or(0).saturating_mul(crate::index::Array::STRIDE)
            }
        };
        let mut elements = root.iter_from(first);
        let (mut done, mut start) = (first, elements.offset());
        while elements.next().is_some()
            && elements.offset() <= position
            && elements.offset() < array.elements.end()
        {
            (done, start) = (done.saturating_add(1), elements.offset());
        }
        let level = Level { ty: array.element_type, count: array.count, done };
        let (kv, end) = (at.try_into().unwrap_or(u64::MAX), array.elements.end());
        let levels = alloc::vec![level];
        self.array = Some(Walk { kv, levels, shown: done, limit: u64::MAX, end, root });
        (self.stage, self.position) = (Stage::Kv(at.saturating_add(1)), start);
    }

    fn push(&mut self, len: u64, path: Path, value: FieldValue<'a>) {
        self.queue.push_back(Field { span: Span::new(self.position, len), path, value });
        self.position = self.position.saturating_add(len);
    }

    fn peek(&self, len: u64) -> &'a [u8] {
        self.view.bytes(Span::new(self.position, len)).unwrap_or_default()
    }

    fn u32_here(&self) -> u32 {
        let endian = self.view.index().header().endian;
        self.peek(4).first_chunk().map_or(0, |b| endian.u32(*b))
    }

    /// The number of `width` bytes (4 or 8) at the current position.
    fn number_here(&self, width: u64) -> u64 {
        let endian = self.view.index().header().endian;
        if width == 4 {
            self.u32_here().into()
        } else {
            self.peek(8).first_chunk().map_or(0, |b| endian.u64(*b))
        }
    }

    fn header(&mut self) {
        let header = *self.view.index().header();
        let width = header.length_bytes();
        self.push(4, Path::Header(HeaderPart::Magic), FieldValue::Magic(self.peek(4)));
        self.push(4, Path::Header(HeaderPart::Version), FieldValue::Version(header.version));
        self.push(width, Path::Header(HeaderPart::TensorCount), FieldValue::Count(header.tensor_count));
        self.push(width, Path::Header(HeaderPart::KvCount), FieldValue::Count(header.kv_count));
        if let HeaderTrait::Alignment { padding } = header.dialect.header {
            let alignment = header.alignment.unwrap_or_default();
            self.push(4, Path::Header(HeaderPart::Alignment), FieldValue::Alignment(alignment));
            let bytes = self.peek(padding.into());
            self.push(padding.into(), Path::Header(HeaderPart::Padding), FieldValue::Padding(bytes));
        }
    }

    /// A text whose bytes are at `text`: its length field, the bytes, and a dialect's NUL.
    fn text(&mut self, text: Span, paths: [Path; 3]) {
        let [length, bytes, nul] = paths;
        let header = self.view.index().header();
        let (width, nuls) = (header.length_bytes(), header.nul_bytes());
        self.push(width, length, FieldValue::Length(text.len));
        let value = FieldValue::Text(ByteStr(self.peek(text.len)));
        self.push(text.len, bytes, value);
        if nuls > 0 {
            let byte = self.peek(1).first().copied().unwrap_or_default();
            self.push(1, nul, FieldValue::Nul(byte));
        }
    }

    fn kv(&mut self, at: usize, kv: &'a Kv) {
        let index = at.try_into().unwrap_or(u64::MAX);
        let path = |part| Path::kv(index, part);
        let whole = || Element::Whole;
        self.text(kv.key.span, [path(KvPart::KeyLength), path(KvPart::Key), path(KvPart::KeyNul)]);
        let id = self.u32_here();
        self.push(4, path(KvPart::Type), FieldValue::ValueType(id, kv.value_type));
        match &kv.payload {
            Payload::Scalar(scalar) => {
                self.push(kv.value_span.len, path(KvPart::Value(whole())), FieldValue::Scalar(*scalar));
            }
            Payload::String(text) => {
                let paths = [KvPart::Length(whole()), KvPart::Value(whole()), KvPart::Nul(whole())];
                self.text(text.span, paths.map(path));
            }
            Payload::Array(array) => {
                self.array_header(index, &whole());
                let root = self.view.array(array);
                let limit = match self.detail {
                    Detail::All => u64::MAX,
                    Detail::First(n) => n,
                };
                let level = Level { ty: array.element_type, count: array.count, done: 0 };
                let levels = alloc::vec![level];
                self.array =
                    Some(Walk { kv: index, levels, shown: 0, limit, end: array.elements.end(), root });
            }
        }
    }

    /// Pushes the two fields before an array's elements; gives the element type and the count.
    fn array_header(&mut self, kv: u64, array: &Element) -> (ValueType, u64) {
        let header = *self.view.index().header();
        let (type_first, width) = match header.dialect.array_header {
            ArrayHeader::Standard => (true, header.length_bytes()),
            ArrayHeader::CountFirst => (false, header.length_bytes()),
            ArrayHeader::ShortCountFirst => (false, 4),
            ArrayHeader::ShortCount => (true, 4),
        };
        let mut found = (ValueType(0), 0);
        for is_type in [type_first, !type_first] {
            if is_type {
                let id = self.u32_here();
                found.0 = header.dialect.value_type(id);
                let path = Path::kv(kv, KvPart::ElementType(array.clone()));
                self.push(4, path, FieldValue::ValueType(id, found.0));
            } else {
                found.1 = self.number_here(width);
                self.push(width, Path::kv(kv, KvPart::Count(array.clone())), FieldValue::Count(found.1));
            }
        }
        found
    }

    /// Pushes the fields of the next element; `None` when the array has been given out.
    fn array_step(&mut self) -> Option<()> {
        let mut walk = self.array.take()?;
        while let Some(level) = walk.levels.last().copied()
            && level.done >= level.count
        {
            walk.levels.pop();
            if let Some(parent) = walk.levels.last_mut() {
                parent.done = parent.done.saturating_add(1);
            }
        }
        let level = walk.levels.last().copied()?;
        // Arrays that are not nested may have a million elements, so their paths come without a detour over the heap.
        let element = match walk.levels.as_slice() {
            [one] => Element::At(one.done),
            more => Element::Nested(more.iter().map(|level| level.done).collect()),
        };
        // The rest of the outermost array is one field; a nested array that was begun is given out whole.
        if walk.shown >= walk.limit && walk.levels.len() == 1 {
            let path = Path::kv(walk.kv, KvPart::Elements(level.done, level.count));
            self.push(walk.end.saturating_sub(self.position), path, FieldValue::Elements(walk.root));
            return Some(());
        }
        let header = *self.view.index().header();
        let before = self.position;
        if let Some(size) = level.ty.fixed_size() {
            let scalar = Scalar::read(level.ty, header.endian, self.peek(size));
            let value = scalar.map_or(FieldValue::Unparsed(&[]), FieldValue::Scalar);
            self.push(size, Path::kv(walk.kv, KvPart::Value(element)), value);
        } else if level.ty == ValueType::STRING {
            let rest = self.peek(walk.end.saturating_sub(self.position));
            let short = header.version == 1;
            let (prefix, text, _) = strings::first(rest, header.endian, short, header.dialect.nul_strings)?;
            let start = self.position.saturating_add(prefix.try_into().unwrap_or(u64::MAX));
            let span = Span::new(start, text.len().try_into().unwrap_or(u64::MAX));
            let parts =
                [KvPart::Length(element.clone()), KvPart::Value(element.clone()), KvPart::Nul(element)];
            self.text(span, parts.map(|part| Path::kv(walk.kv, part)));
        } else {
            let (ty, count) = self.array_header(walk.kv, &element);
            walk.levels.push(Level { ty, count, done: 0 });
        }
        if self.position == before || self.position > walk.end {
            // The bytes are not those that were indexed; the parser guarantees progress on those.
            return None;
        }
        if level.ty != ValueType::ARRAY
            && let Some(level) = walk.levels.last_mut()
        {
            level.done = level.done.saturating_add(1);
        }
        if walk.levels.len() == 1 || (level.ty == ValueType::ARRAY && walk.levels.len() == 2) {
            walk.shown = walk.shown.saturating_add(1);
        }
        self.array = Some(walk);
        Some(())
    }

    fn tensor(&mut self, at: usize, tensor: &'a Tensor) {
        let index = at.try_into().unwrap_or(u64::MAX);
        let path = |part| Path::tensor(index, part);
        let header = *self.view.index().header();
        self.text(
            tensor.name.span,
            [path(TensorPart::NameLength), path(TensorPart::Name), path(TensorPart::NameNul)],
        );
        let dims = self.view.index().dims(tensor);
        self.push(
            4,
            path(TensorPart::DimCount),
            FieldValue::Count(dims.len().try_into().unwrap_or(u64::MAX)),
        );
        let width = if header.version == 1 { 4 } else { 8 };
        for (i, &dim) in dims.iter().enumerate() {
            self.push(width, path(TensorPart::Dim(i.try_into().unwrap_or(u32::MAX))), FieldValue::Dim(dim));
        }
        for is_type in [!header.dialect.offset_before_type, header.dialect.offset_before_type] {
            if is_type {
                self.push(4, path(TensorPart::Type), FieldValue::TensorType(tensor.tensor_type));
            } else {
                self.push(8, path(TensorPart::Offset), FieldValue::Offset(tensor.offset));
            }
        }
    }

    /// After the tensor table: the padding before the data, or what could not be parsed.
    fn tail(&mut self) {
        let index = self.view.index();
        match index.data_start() {
            // A file without tensors may end before the data section would begin: only bytes that exist are named.
            Some(data) => {
                let gap = data.saturating_sub(self.position);
                let there = self.view.available_from(self.position).min(gap);
                if there > 0 {
                    let bytes = self.peek(there);
                    self.push(there, Path::Padding, FieldValue::Padding(bytes));
                }
            }
            None => {
                let there = self.view.available_from(self.position);
                if there > 0 {
                    let bytes = self.peek(there);
                    self.push(there, Path::Unparsed, FieldValue::Unparsed(bytes));
                }
            }
        }
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Field<'a>;

    fn next(&mut self) -> Option<Field<'a>> {
        loop {
            if let Some(field) = self.queue.pop_front() {
                return Some(field);
            }
            if self.array_step().is_some() {
                continue;
            }
            let index = self.view.index();
            match self.stage {
                Stage::Header => {
                    self.header();
                    self.stage = Stage::Kv(0);
                }
                Stage::Kv(at) => match index.kvs().get(at) {
                    Some(kv) => {
                        self.kv(at, kv);
                        self.stage = Stage::Kv(at.saturating_add(1));
                    }
                    None => self.stage = Stage::Tensor(0),
                },
                Stage::Tensor(at) => match index.tensors().get(at) {
                    Some(tensor) => {
                        self.tensor(at, tensor);
                        self.stage = Stage::Tensor(at.saturating_add(1));
                    }
                    None => self.stage = Stage::Tail,
                },
                Stage::Tail => {
                    self.tail();
                    self.stage = Stage::End;
                }
                Stage::End => return None,
            }
        }
    }
}

impl View<'_> {
    /// Bytes of this view from the absolute position `position` on.
    fn available_from(&self, position: u64) -> u64 {
        let end = self.start().saturating_add(self.head().len().try_into().unwrap_or(u64::MAX));
        end.saturating_sub(position)
    }
}
