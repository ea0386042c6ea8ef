//! Records with their places in the subject, and where their parts lie, as labels.

use ggufkit_format::dialect::HeaderTrait;
use ggufkit_format::{
    Array, ByteStr, Element, Header, HeaderPart, Index, Kv, KvPart, Path, Payload, Span, Tensor, TensorPart,
    Value, View,
};

use crate::finding::Label;

/// A key-value with its place in the subject.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'a> {
    /// Number of the file in the subject.
    pub(crate) file: usize,
    /// That file's head.
    pub(crate) view: View<'a>,
    /// Position in the metadata, from 0.
    pub(crate) index: usize,
    /// The key-value.
    pub(crate) kv: &'a Kv,
}

impl<'a> Record<'a> {
    /// The key.
    pub(crate) fn key(&self) -> ByteStr<'a> {
        self.view.key(self.kv)
    }

    /// The value.
    pub(crate) fn value(&self) -> Value<'a> {
        self.view.value(self.kv)
    }

    /// A label at a part of it.
    pub(crate) fn label(&self, part: KvPart) -> Label {
        kv_label(self.file, &self.view, self.index, self.kv, part)
    }
}

/// A tensor-info record with its place in the subject.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TensorAt<'a> {
    /// Number of the file in the subject.
    pub(crate) file: usize,
    /// That file's head.
    pub(crate) view: View<'a>,
    /// Position in the tensor table, from 0.
    pub(crate) index: usize,
    /// The tensor.
    pub(crate) tensor: &'a Tensor,
}

impl<'a> TensorAt<'a> {
    /// The name.
    pub(crate) fn name(&self) -> &'a [u8] {
        self.view.name(self.tensor).0
    }

    /// Where it stands: the number of the file in the subject, and the position in the tensor table.
    pub(crate) fn position(&self) -> (usize, usize) {
        (self.file, self.index)
    }

    /// The dimensions, the row length first.
    pub(crate) fn dims(&self) -> &'a [u64] {
        self.view.index().dims(self.tensor)
    }

    /// A label at a part of it.
    pub(crate) fn label(&self, part: TensorPart) -> Label {
        tensor_label(self.file, &self.view, self.index, self.tensor, part)
    }

    /// A label at all its dimensions.
    pub(crate) fn shape_label(&self) -> Label {
        shape_label(self.file, &self.view, self.index, self.tensor)
    }
}

/// The bytes of a part of a key-value's record. Elements are found by [`element_span`].
pub(crate) fn kv_span(header: &Header, kv: &Kv, part: &KvPart) -> Span {
    let width = header.length_bytes();
    match part {
        KvPart::KeyLength => Span::new(kv.span.start, width),
        KvPart::Key => kv.key.span,
        KvPart::Type => Span::between(kv.value_span.start.saturating_sub(4), kv.value_span.start),
        KvPart::Length(Element::Whole) => Span::new(kv.value_span.start, width),
        KvPart::Value(_) => match &kv.payload {
            Payload::String(text) => text.span,
            _ => kv.value_span,
        },
        KvPart::ElementType(Element::Whole) => Span::new(kv.value_span.start, 4),
        KvPart::Count(Element::Whole) => Span::new(kv.value_span.start.saturating_add(4), width),
        _ => kv.span,
    }
}

/// The bytes of an element of an array: of a string without its length.
pub(crate) fn element_span(view: &View<'_>, array: &Array, at: u64) -> Span {
    let elements = view.array(array).iter_from(at);
    let start = elements.offset();
    let mut rest = elements;
    match rest.next() {
        Some(Value::String(text)) => {
            let width = view.index().header().length_bytes();
            Span::new(start.saturating_add(width), text.0.len() as u64)
        }
        Some(_) => Span::between(start, rest.offset()),
        None => array.elements,
    }
}

/// The bytes of a part of a tensor-info record; of its data only where the size is known.
pub(crate) fn tensor_span(index: &Index, tensor: &Tensor, part: TensorPart) -> Span {
    let header = index.header();
    let width = header.length_bytes();
    let counted = tensor.name.span.end().saturating_add(header.nul_bytes());
    let dims = counted.saturating_add(4);
    let after = tensor.span.end();
    let (offset_at, type_at) = if header.dialect.offset_before_type {
        (after.saturating_sub(12), after.saturating_sub(4))
    } else {
        (after.saturating_sub(8), after.saturating_sub(12))
    };
    match part {
        TensorPart::NameLength => Span::new(tensor.span.start, width),
        TensorPart::Name => tensor.name.span,
        TensorPart::DimCount => Span::new(counted, 4),
        TensorPart::Dim(n) => Span::new(dims.saturating_add(u64::from(n).saturating_mul(width)), width),
        TensorPart::Type => Span::new(type_at, 4),
        TensorPart::Offset => Span::new(offset_at, 8),
        TensorPart::Data => index
            .data_span(tensor)
            .unwrap_or_else(|_| Span::new(index.data_position(tensor).unwrap_or(u64::MAX), 0)),
        _ => tensor.span,
    }
}

/// The bytes of all dimensions of a tensor-info record.
pub(crate) fn dims_span(index: &Index, tensor: &Tensor) -> Span {
    let first = tensor_span(index, tensor, TensorPart::Dim(0));
    Span::new(first.start, first.len.saturating_mul(index.dims(tensor).len() as u64))
}

/// A field of the header.
pub(crate) fn header_span(header: &Header, part: HeaderPart) -> Span {
    let (base, width) = (header.base, header.length_bytes());
    let counts = base.saturating_add(8);
    let after = counts.saturating_add(width.saturating_mul(2));
    match part {
        HeaderPart::Magic => Span::new(base, 4),
        HeaderPart::Version => Span::new(base.saturating_add(4), 4),
        HeaderPart::TensorCount => Span::new(counts, width),
        HeaderPart::KvCount => Span::new(counts.saturating_add(width), width),
        HeaderPart::Alignment => Span::new(after, 4),
        HeaderPart::Padding => match header.dialect.header {
            HeaderTrait::Alignment { padding } => Span::new(after.saturating_add(4), padding.into()),
            HeaderTrait::Standard => Span::new(after, 0),
        },
    }
}

/// A label at a part of a key-value's record.
pub(crate) fn kv_label(file: usize, view: &View<'_>, index: usize, kv: &Kv, part: KvPart) -> Label {
    let span = match (&part, &kv.payload) {
        (KvPart::Value(Element::At(n)), Payload::Array(array)) => element_span(view, array, *n),
        _ => kv_span(view.index().header(), kv, &part),
    };
    Label {
        file,
        span,
        path: Path::kv(index as u64, part).to_string(),
        name: Some(view.key(kv).0.to_vec()),
        text: String::new(),
    }
}

/// A label at a part of a tensor-info record.
pub(crate) fn tensor_label(
    file: usize,
    view: &View<'_>,
    index: usize,
    tensor: &Tensor,
    part: TensorPart,
) -> Label {
    Label {
        file,
        span: tensor_span(view.index(), tensor, part),
        path: Path::tensor(index as u64, part).to_string(),
        name: Some(view.name(tensor).0.to_vec()),
        text: String::new(),
    }
}

/// A label at all dimensions of a tensor-info record.
pub(crate) fn shape_label(file: usize, view: &View<'_>, index: usize, tensor: &Tensor) -> Label {
    let span: Span = dims_span(view.index(), tensor);
    let label = tensor_label(file, view, index, tensor, TensorPart::Record);
    Label { span, path: format!("tensors[{index}].dims"), ..label }
}

/// A label at a field of the header.
pub(crate) fn header_label(file: usize, header: &Header, part: HeaderPart) -> Label {
    Label {
        file,
        span: header_span(header, part),
        path: Path::Header(part).to_string(),
        name: None,
        text: String::new(),
    }
}

/// A label at a stretch of bytes that is no field: padding, data, what cannot be parsed.
pub(crate) fn bytes_label(file: usize, span: Span, path: &Path) -> Label {
    Label { file, span, path: path.to_string(), name: None, text: String::new() }
}
