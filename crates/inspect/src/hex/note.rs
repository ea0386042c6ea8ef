//! What a field says, in words: the type of its bytes, its value, its meaning.

use ggufkit_format::spec::keys::{self, Choice, KeyInfo};
use ggufkit_format::spec::{Lang, TensorType, TypeStatus, ValueType};
use ggufkit_format::{
    Field, FieldValue, HeaderPart, Index, KvPart, Path, Payload, Scalar, TensorPart, View, shorten,
};

use crate::units;

/// One text in two languages, either of which may hold values in braces.
macro_rules! say {
    ($lang:expr, $en:literal, $zh:literal $(,)?) => {
        match $lang {
            ggufkit_format::spec::Lang::En => format!($en),
            ggufkit_format::spec::Lang::Zh => format!($zh),
        }
    };
}
pub(super) use say;

/// Characters of a text that a note shows.
const TEXT: usize = 60;

/// A field in words. `{type} = {value} {meaning}` is a line that can be read aloud: `u64 = 12 bytes follow`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// What the bytes are: `u32`, `string`, `[f32; 512]`; empty where the value speaks for itself.
    pub ty: String,
    /// The value, escaped and shortened; empty where there is none.
    pub value: String,
    /// What it means; may be empty.
    pub meaning: String,
    /// Whether the meaning is a remark of its own, as opposed to the unit that the value counts.
    pub aside: bool,
}

impl Note {
    /// The meaning as it follows the value: after a space, or a comma where it is a remark.
    #[must_use]
    pub fn tail(&self, lang: Lang) -> String {
        let alone = self.ty.is_empty() && self.value.is_empty();
        match (self.meaning.as_str(), self.aside && !self.value.is_empty(), lang) {
            ("", ..) => String::new(),
            (meaning, ..) if alone => meaning.to_owned(),
            (meaning, true, Lang::En) => format!(", {meaning}"),
            (meaning, true, Lang::Zh) => format!("，{meaning}"),
            (meaning, false, _) => format!(" {meaning}"),
        }
    }
}

/// Says what a field of `view` holds.
#[must_use]
pub fn note(view: &View<'_>, field: &Field<'_>, lang: Lang) -> Note {
    Notes::new(*view, lang).note(field)
}

/// Notes of many fields of one file, which keep what is known about the key at hand: an array may have a million elements,
/// and looking their key up costs more than all the rest.
#[derive(Clone, Debug)]
pub struct Notes<'a> {
    view: View<'a>,
    lang: Lang,
    /// The key-value that was asked about last.
    known: Option<(u64, Option<&'static KeyInfo>)>,
}

impl<'a> Notes<'a> {
    /// Notes of the fields of `view`.
    #[must_use]
    pub const fn new(view: View<'a>, lang: Lang) -> Self {
        Self { view, lang, known: None }
    }

    /// Says what a field holds.
    #[must_use]
    pub fn note(&mut self, field: &Field<'_>) -> Note {
        let info = match (&field.value, &field.path) {
            (FieldValue::Scalar(_), Path::Kv { index, .. }) => match self.known {
                Some((at, info)) if at == *index => info,
                _ => self.known.insert((*index, key_info(&self.view, *index))).1,
            },
            _ => None,
        };
        written(&self.view, field, info, self.lang)
    }
}

fn written(view: &View<'_>, field: &Field<'_>, info: Option<&'static KeyInfo>, lang: Lang) -> Note {
    let index = view.index();
    let width = |len: u64| format!("u{}", len.saturating_mul(8));
    let (ty, value, meaning) = match field.value {
        FieldValue::Magic(bytes) => {
            let meaning = say!(lang, "the mark of every GGUF file", "每个 GGUF 文件的开头标记");
            (String::new(), format!("\"{}\"", shorten(bytes, 16)), meaning)
        }
        FieldValue::Version(version) => ("u32".into(), version.to_string(), endian(index, lang)),
        FieldValue::Count(n) => (width(field.span.len), n.to_string(), counted(index, &field.path, n, lang)),
        FieldValue::Length(n) => {
            let meaning = match n {
                1 if lang == Lang::En => "byte follows".to_owned(),
                _ => say!(lang, "bytes follow", "字节在后"),
            };
            (width(field.span.len), n.to_string(), meaning)
        }
        FieldValue::Text(text) => {
            let odd =
                if text.to_str().is_none() { say!(lang, "not UTF-8", "不是 UTF-8") } else { String::new() };
            (String::new(), format!("\"{}\"", shorten(text.0, TEXT)), odd)
        }
        FieldValue::ValueType(id, ty) => {
            let name = match ty.name() {
                Some(name) => name.to_owned(),
                None => say!(lang, "unknown", "未知"),
            };
            ("u32".into(), id.to_string(), name)
        }
        FieldValue::Scalar(scalar) => {
            let meaning = scalar_meaning(info, scalar, lang);
            (scalar_type(scalar).to_owned(), units::scalar_text(scalar), meaning)
        }
        FieldValue::Alignment(n) => ("u32".into(), n.to_string(), say!(lang, "bytes", "字节")),
        FieldValue::Elements(array) => {
            let (from, to) = match field.path {
                Path::Kv { part: KvPart::Elements(from, to), .. } => (from, to),
                _ => (0, array.len()),
            };
            let (n, bytes) = (units::count(to.saturating_sub(from)), units::count(field.span.len));
            let meaning = say!(lang, "{n} elements in {bytes} bytes", "{n} 个元素，{bytes} 字节");
            (format!("[{}; {}]", array.element_type(), array.len()), String::new(), meaning)
        }
        FieldValue::Dim(n) => {
            let one = n == 1 && lang == Lang::En;
            let meaning = match field.path {
                Path::Tensor { part: TensorPart::Dim(0), .. } if one => "element in a row".to_owned(),
                Path::Tensor { part: TensorPart::Dim(1), .. } if one => "row".to_owned(),
                Path::Tensor { part: TensorPart::Dim(0), .. } => {
                    say!(lang, "elements in a row", "个元素为一行")
                }
                Path::Tensor { part: TensorPart::Dim(1), .. } => say!(lang, "rows", "行"),
                _ => String::new(),
            };
            (width(field.span.len), n.to_string(), meaning)
        }
        FieldValue::TensorType(ty) => ("u32".into(), ty.0.to_string(), block(ty, lang)),
        FieldValue::Offset(n) => ("u64".into(), n.to_string(), data(index, &field.path, lang)),
        FieldValue::Nul(byte) => {
            ("u8".into(), byte.to_string(), say!(lang, "the NUL of this layout", "该布局多写的 NUL"))
        }
        FieldValue::Padding(bytes) => (String::new(), String::new(), padding(index, field, bytes, lang)),
        // How many bytes there are depends on how far the file was read ahead, which means nothing.
        FieldValue::Unparsed(_) => {
            (String::new(), String::new(), say!(lang, "from here on nothing was parsed", "从这里起未能解析"))
        }
    };
    let aside = match field.value {
        FieldValue::Magic(_)
        | FieldValue::Version(_)
        | FieldValue::Text(_)
        | FieldValue::ValueType(..)
        | FieldValue::TensorType(_)
        | FieldValue::Offset(_) => true,
        FieldValue::Scalar(scalar) => !is_counted(info, scalar),
        _ => false,
    };
    Note { ty, value, meaning, aside }
}

fn endian(index: &Index, lang: Lang) -> String {
    match (index.header().endian.name(), lang) {
        ("big", Lang::Zh) => "大端序".to_owned(),
        (_, Lang::Zh) => "小端序".to_owned(),
        (name, Lang::En) => format!("{name}-endian"),
    }
}

fn counted(index: &Index, path: &Path, n: u64, lang: Lang) -> String {
    let one = n == 1 && lang == Lang::En;
    match path {
        Path::Header(HeaderPart::TensorCount) if one => "tensor".to_owned(),
        Path::Header(HeaderPart::TensorCount) => say!(lang, "tensors", "个张量"),
        Path::Header(_) if one => "key-value".to_owned(),
        Path::Header(_) => say!(lang, "key-values", "个键值对"),
        Path::Tensor { .. } if one => "dimension follows".to_owned(),
        Path::Tensor { .. } => say!(lang, "dimensions follow", "个维度在后"),
        Path::Kv { index: kv, part: KvPart::Count(element) } => {
            let whole = *element == ggufkit_format::Element::Whole;
            let size = array_type(index, *kv).filter(|_| whole).and_then(ValueType::fixed_size);
            match size.and_then(|size| Some((size, n.checked_mul(size)?))) {
                Some((1, _)) => say!(lang, "elements of 1 byte", "个元素，各 1 字节"),
                Some((size, all)) => {
                    let all = units::count(all);
                    say!(
                        lang,
                        "elements of {size} bytes: {all} bytes",
                        "个元素，各 {size} 字节：共 {all} 字节"
                    )
                }
                None if one => "element follows".to_owned(),
                None => say!(lang, "elements follow", "个元素在后"),
            }
        }
        _ => String::new(),
    }
}

/// The element type of the array at this key-value.
pub(super) fn array_type(index: &Index, kv: u64) -> Option<ValueType> {
    match &index.kvs().get(usize::try_from(kv).ok()?)?.payload {
        Payload::Array(array) => Some(array.element_type),
        _ => None,
    }
}

fn scalar_type(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::U8(_) => "u8",
        Scalar::I8(_) => "i8",
        Scalar::U16(_) => "u16",
        Scalar::I16(_) => "i16",
        Scalar::U32(_) => "u32",
        Scalar::I32(_) => "i32",
        Scalar::F32(_) => "f32",
        Scalar::Bool(_) => "bool",
        Scalar::U64(_) => "u64",
        Scalar::I64(_) => "i64",
        Scalar::F64(_) => "f64",
        Scalar::F16(_) => "f16",
    }
}

fn scalar_meaning(info: Option<&'static KeyInfo>, scalar: Scalar, lang: Lang) -> String {
    if let Scalar::Bool(byte @ 2..) = scalar {
        return say!(lang, "the byte is {byte}, neither 0 nor 1", "字节为 {byte}，既非 0 也非 1");
    }
    let Some(info) = info else { return String::new() };
    let unit = || match (info.unit.map(|unit| unit.get(lang)), scalar.as_u64(), lang) {
        (None, ..) => String::new(),
        // The units are plurals that end in s.
        (Some(unit), Some(1), Lang::En) => unit.trim_end_matches('s').to_owned(),
        (Some(unit), ..) => unit.to_owned(),
    };
    chosen(info, scalar).unwrap_or_else(unit)
}

/// Whether a number counts something that has a name.
fn is_counted(info: Option<&'static KeyInfo>, scalar: Scalar) -> bool {
    let Some(info) = info else { return false };
    info.unit.is_some() && chosen(info, scalar).is_none()
}

/// What is known about the key of this key-value.
fn key_info(view: &View<'_>, index: u64) -> Option<&'static KeyInfo> {
    let kv = view.index().kvs().get(usize::try_from(index).ok()?)?;
    keys::lookup(view.key(kv).0)
}

/// The name of an enumerated value.
fn chosen(info: &KeyInfo, scalar: Scalar) -> Option<String> {
    let n = i64::try_from(scalar.as_integer()?).ok()?;
    if info.pattern == "general.file_type" {
        let ty = ggufkit_format::spec::FileType(u32::try_from(n).ok()?);
        return ty.info().map(|_| ty.to_string());
    }
    info.values.iter().find(|v| v.value == Choice::Int(n)).map(|v| v.name.to_owned())
}

fn block(ty: TensorType, lang: Lang) -> String {
    let Some(info) = ty.info() else { return say!(lang, "unknown type", "未知类型") };
    let (name, elems, bytes) = (info.name, info.block_elems, info.block_bytes);
    match info.status {
        TypeStatus::Removed { .. } => say!(lang, "{name}, removed from the format", "{name}，已从格式中移除"),
        _ if info.is_plain() => name.to_owned(),
        _ => {
            say!(lang, "{name}: {elems} elements in {bytes} bytes", "{name}：每 {elems} 个元素 {bytes} 字节")
        }
    }
}

fn data(index: &Index, path: &Path, lang: Lang) -> String {
    let Path::Tensor { index: at, .. } = path else { return String::new() };
    let Some(tensor) = usize::try_from(*at).ok().and_then(|at| index.tensors().get(at)) else {
        return String::new();
    };
    match (index.data_position(tensor), index.data_span(tensor)) {
        (_, Ok(span)) => {
            let (start, len) = (span.start, units::count(span.len));
            say!(lang, "data at {start:#x}, {len} bytes", "数据在 {start:#x}，{len} 字节")
        }
        (Some(start), Err(_)) => {
            say!(lang, "data at {start:#x}", "数据在 {start:#x}")
        }
        (None, Err(_)) => say!(lang, "from the start of the data section", "从数据区开头算起"),
    }
}

fn padding(index: &Index, field: &Field<'_>, bytes: &[u8], lang: Lang) -> String {
    let n = bytes.len();
    let odd = if bytes.iter().all(|&b| b == 0) {
        String::new()
    } else {
        say!(lang, ", not all zero", "，不全为零")
    };
    if let Path::Header(_) = field.path {
        return say!(lang, "{n} bytes of padding{odd}", "{n} 字节填充{odd}");
    }
    let (end, alignment) = (index.data_start().unwrap_or(field.span.end()), index.alignment());
    if field.span.end() < end {
        return say!(lang, "{n} bytes of padding{odd}; the file ends", "{n} 字节填充{odd}；文件到此为止");
    }
    let unit = if n == 1 && lang == Lang::En { "byte" } else { "bytes" };
    say!(
        lang,
        "{n} {unit} up to {end:#x}, a multiple of {alignment}{odd}",
        "{n} 字节，补到 {alignment} 的倍数 {end:#x}{odd}"
    )
}
