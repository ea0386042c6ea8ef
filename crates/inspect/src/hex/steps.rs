//! The walk over a head, as every reader makes it: forward only, nothing read twice, each length known before it is
//! needed.

use std::iter::Peekable;

use ggufkit_format::spec::{Lang, ValueType};
use ggufkit_format::{
    Detail, Element, Field, FieldValue, Fields, HeaderPart, KvPart, Path, TensorPart, View,
};

use super::note::{Note, Notes, array_type, say};
use crate::units;

/// One step: bytes that are read, and what a reader knows after it.
#[derive(Clone, Debug)]
pub struct Step<'a> {
    /// Counted from 1.
    pub number: u64,
    /// The field that is read.
    pub field: Field<'a>,
    /// What it says.
    pub note: Note,
    /// What is read next, and why its length is known; empty after the last step.
    pub next: String,
}

/// The steps of a walk. See [`steps`].
#[derive(Clone, Debug)]
pub struct Steps<'a> {
    view: View<'a>,
    fields: Peekable<Fields<'a>>,
    number: u64,
    lang: Lang,
    notes: Notes<'a>,
}

/// The walk over the head of `view`: one step for each field of [`View::fields`].
#[must_use]
pub fn steps<'a>(view: View<'a>, detail: Detail, lang: Lang) -> Steps<'a> {
    Steps { view, fields: view.fields(detail).peekable(), number: 0, lang, notes: Notes::new(view, lang) }
}

/// The same walk from a step on whose number and place are known: the first of the record that holds `position`.
#[must_use]
pub fn steps_from<'a>(view: View<'a>, detail: Detail, lang: Lang, number: u64, position: u64) -> Steps<'a> {
    let fields = view.fields_from(detail, position).peekable();
    Steps { view, fields, number: number.saturating_sub(1), lang, notes: Notes::new(view, lang) }
}

impl<'a> Iterator for Steps<'a> {
    type Item = Step<'a>;

    fn next(&mut self) -> Option<Step<'a>> {
        let field = self.fields.next()?;
        self.number = self.number.saturating_add(1);
        let next = next(&self.view, &field, self.fields.peek(), self.lang);
        Some(Step { number: self.number, note: self.notes.note(&field), field, next })
    }
}

/// What follows `field`, and why its length is known.
fn next(view: &View<'_>, field: &Field<'_>, following: Option<&Field<'_>>, lang: Lang) -> String {
    let Some(following) = following else { return end(view, lang) };
    let why = why(view, field, following, lang);
    let len = units::count(following.span.len);
    match (following.span.len, lang) {
        (1, Lang::En) => format!("next, 1 byte: {why}"),
        (_, Lang::En) => format!("next, {len} bytes: {why}"),
        (_, Lang::Zh) => format!("接下来 {len} 字节：{why}"),
    }
}

fn why(view: &View<'_>, field: &Field<'_>, following: &Field<'_>, lang: Lang) -> String {
    let index = view.index();
    let header = index.header();
    let lengths = header.length_bytes().saturating_mul(8);
    match &following.path {
        Path::Header(part) => match part {
            HeaderPart::Magic => String::new(),
            HeaderPart::Version => say!(lang, "the version, always a u32", "版本号，始终是 u32"),
            HeaderPart::TensorCount if header.version == 1 => {
                say!(
                    lang,
                    "the number of tensors; counts are u32 in version 1",
                    "张量个数；版本 1 的计数是 u32"
                )
            }
            HeaderPart::TensorCount => {
                say!(
                    lang,
                    "the number of tensors; counts are u64 since version 2",
                    "张量个数；版本 2 起计数是 u64"
                )
            }
            HeaderPart::KvCount => {
                say!(lang, "the number of key-values, also a u{lengths}", "键值对个数，同为 u{lengths}")
            }
            HeaderPart::Alignment => {
                say!(
                    lang,
                    "the alignment, which this layout keeps in its header",
                    "对齐值，该布局把它放在文件头里"
                )
            }
            HeaderPart::Padding => {
                say!(lang, "padding that fills this layout's header", "填充，补满该布局的文件头")
            }
        },
        Path::Kv { index: at, part } => key_value(view, field, *at, part, lang),
        Path::Tensor { index: at, part } => tensor(view, *at, *part, lang),
        Path::Padding => {
            let (end, alignment) = (following.span.start, index.alignment());
            let start = index.data_start().unwrap_or(following.span.end());
            say!(
                lang,
                "the table ends at {end:#x}; the data section begins at the next multiple of {alignment}, {start:#x}",
                "表在 {end:#x} 结束；数据区从下一个 {alignment} 的倍数 {start:#x} 开始"
            )
        }
        Path::Unparsed => {
            say!(lang, "the next item cannot be located, so the walk ends", "下一项无法定位，遍历到此为止")
        }
        Path::Data => String::new(),
    }
}

fn key_value(view: &View<'_>, field: &Field<'_>, at: u64, part: &KvPart, lang: Lang) -> String {
    let index = view.index();
    let (no, count) = (units::count(at.saturating_add(1)), units::count(index.header().kv_count));
    let lengths = index.header().length_bytes().saturating_mul(8);
    let said = || say!(lang, "as many as the length says", "长度字段说明了字节数");
    match part {
        KvPart::KeyLength => say!(
            lang,
            "key-value {no} of {count} begins with the length of its key, a u{lengths}",
            "第 {no} 个键值对（共 {count} 个）以键的长度开头，u{lengths}"
        ),
        KvPart::Key => said(),
        KvPart::Type => say!(lang, "the type of the value, always a u32", "值的类型，始终是 u32"),
        KvPart::ElementType(Element::Whole) => {
            say!(lang, "an array begins with the type of its elements, a u32", "数组以元素类型开头，u32")
        }
        KvPart::ElementType(_) => say!(
            lang,
            "an element that is an array begins with an element type of its own",
            "元素本身是数组，以自己的元素类型开头"
        ),
        KvPart::Count(_) => say!(lang, "the number of elements", "元素个数"),
        KvPart::Length(Element::Whole) => {
            say!(lang, "a string begins with its length, a u{lengths}", "字符串以长度开头，u{lengths}")
        }
        KvPart::Length(element) => say!(
            lang,
            "element {element} begins with its length; only that tells where the next one is",
            "元素 {element} 以长度开头；只有读出它才知道下一个元素在哪里"
        ),
        KvPart::Value(element) => match (&field.value, array_type(index, at)) {
            (FieldValue::Length(_), _) => said(),
            // Said once for an array; what holds for each of a million elements is not said a million times.
            (FieldValue::Scalar(_), Some(_)) => {
                say!(lang, "element {element}, of the same size", "元素 {element}，长度相同")
            }
            (_, Some(ty)) => {
                // Of an array inside an array the element type is not the outermost one's.
                let ty = if ty == ValueType::ARRAY { inner_type(field).unwrap_or(ty) } else { ty };
                say!(
                    lang,
                    "element {element}; {ty} has a fixed size, so its place follows from its number",
                    "元素 {element}；{ty} 长度固定，由编号即可算出位置"
                )
            }
            (FieldValue::ValueType(_, ty), None) => {
                say!(lang, "a value of type {ty} has a fixed size", "{ty} 类型的值长度固定")
            }
            _ => String::new(),
        },
        KvPart::Elements(from, to) => {
            let n = units::count(to.saturating_sub(*from));
            match array_type(index, at).map(|ty| (ty, ty.fixed_size())) {
                Some((_, Some(size))) => say!(
                    lang,
                    "{n} elements of {size} bytes, which a reader may pass over at once",
                    "{n} 个元素，各 {size} 字节，可以一次跳过"
                ),
                Some((ty, None)) => say!(
                    lang,
                    "{n} elements of type {ty}, walked one by one: each length is read to find the next",
                    "{n} 个 {ty} 元素，只能逐个走过：读出每个长度才能找到下一个"
                ),
                None => String::new(),
            }
        }
        KvPart::KeyNul | KvPart::Nul(_) => {
            say!(lang, "the NUL that this layout writes after a string", "该布局在字符串后多写的 NUL")
        }
        KvPart::Record => String::new(),
    }
}

/// The type of the elements of the array whose count was just read, or of which an element was.
fn inner_type(field: &Field<'_>) -> Option<ValueType> {
    match field.value {
        FieldValue::Scalar(scalar) => Some(match scalar {
            ggufkit_format::Scalar::U8(_) => ValueType::UINT8,
            ggufkit_format::Scalar::I8(_) => ValueType::INT8,
            ggufkit_format::Scalar::U16(_) => ValueType::UINT16,
            ggufkit_format::Scalar::I16(_) => ValueType::INT16,
            ggufkit_format::Scalar::U32(_) => ValueType::UINT32,
            ggufkit_format::Scalar::I32(_) => ValueType::INT32,
            ggufkit_format::Scalar::F32(_) => ValueType::FLOAT32,
            ggufkit_format::Scalar::Bool(_) => ValueType::BOOL,
            ggufkit_format::Scalar::U64(_) => ValueType::UINT64,
            ggufkit_format::Scalar::I64(_) => ValueType::INT64,
            ggufkit_format::Scalar::F64(_) => ValueType::FLOAT64,
            ggufkit_format::Scalar::F16(_) => ValueType::FLOAT16,
        }),
        _ => None,
    }
}

fn tensor(view: &View<'_>, at: u64, part: TensorPart, lang: Lang) -> String {
    let header = view.index().header();
    let (no, count) = (units::count(at.saturating_add(1)), units::count(header.tensor_count));
    let lengths = header.length_bytes().saturating_mul(8);
    match part {
        TensorPart::NameLength => say!(
            lang,
            "record {no} of {count} of the tensor table begins with the length of the name, a u{lengths}",
            "张量表第 {no} 条记录（共 {count} 条）以名称长度开头，u{lengths}"
        ),
        TensorPart::Name => say!(lang, "as many as the length says", "长度字段说明了字节数"),
        TensorPart::NameNul => {
            say!(lang, "the NUL that this layout writes after a string", "该布局在字符串后多写的 NUL")
        }
        TensorPart::DimCount => say!(lang, "the number of dimensions, a u32", "维度个数，u32"),
        TensorPart::Dim(i) => {
            let tensor = usize::try_from(at).ok().and_then(|at| view.index().tensors().get(at));
            let dims = tensor.map_or(0, |tensor| view.index().dims(tensor).len());
            let no = i.saturating_add(1);
            say!(lang, "dimension {no} of {dims}, a u{lengths}", "第 {no} 维（共 {dims} 维），u{lengths}")
        }
        TensorPart::Type => say!(lang, "the type of the data, a u32", "数据类型，u32"),
        TensorPart::Offset => {
            say!(lang, "where the data lies in the data section, a u64", "数据在数据区中的位置，u64")
        }
        TensorPart::Record | TensorPart::Data => String::new(),
    }
}

/// After the last field.
fn end(view: &View<'_>, lang: Lang) -> String {
    let index = view.index();
    match (index.data_start(), index.tensors().is_empty()) {
        (Some(start), false) => say!(
            lang,
            "the head is read; from {start:#x} on there are only tensor data, and the table told where each lies",
            "头部读完；从 {start:#x} 起只有张量数据，各在何处表中已有"
        ),
        (Some(_), true) => say!(lang, "the head is read, and there are no tensors", "头部读完，没有张量"),
        (None, _) => String::new(),
    }
}
