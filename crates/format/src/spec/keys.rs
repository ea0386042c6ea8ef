//! Metadata keys that are known: which types they are written with and what they mean.
//!
//! Sources: the key list of the GGUF specification, `LLM_KV_NAMES` of llama.cpp (llama-arch.cpp), the `Keys`
//! class and the writer of gguf-py (constants.py, gguf_writer.py), the `KEY_*` names of clip-impl.h.
//!
//! The rows live in one submodule per namespace; this file holds their shape and the two ways to find one:
//! [`lookup`] for a key that is spelled right and [`near`] for one that is not.

mod attention;
mod clip;
mod general;
mod model;
mod modules;
mod near;
mod other;
mod padding;
mod rope;
mod tokenizer;

pub use near::near;
pub use padding::{PADDING, room};

use super::{Text, ValueType};
use KeyType::{Array, Scalar};

/// The shape of a value: one scalar or string, or an array of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyType {
    /// A single value of this type.
    Scalar(ValueType),
    /// An array with elements of this type.
    Array(ValueType),
}

impl KeyType {
    /// The type of the value, or of the array's elements.
    pub const fn element(self) -> ValueType {
        match self {
            Self::Scalar(ty) | Self::Array(ty) => ty,
        }
    }

    /// The shape with this name: `u32`; `array[u32]`, or shorter `[u32]`.
    pub fn from_name(name: &str) -> Option<Self> {
        let inner = name.strip_prefix("array").or(name.strip_prefix("arr")).unwrap_or(name);
        match inner.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(element) => ValueType::from_name(element).map(Self::Array),
            None => ValueType::from_name(name).filter(|ty| *ty != ValueType::ARRAY).map(Self::Scalar),
        }
    }

    /// Whether the value is an array.
    pub const fn is_array(self) -> bool {
        matches!(self, Self::Array(_))
    }
}

impl core::fmt::Display for KeyType {
    /// `u32` or `array[u32]`.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Scalar(ty) => write!(f, "{ty}"),
            Self::Array(ty) => write!(f, "array[{ty}]"),
        }
    }
}

/// One of the values that an enumerated key may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Choice {
    /// An integer, whatever the width it is stored with.
    Int(i64),
    /// A string.
    Str(&'static str),
}

/// An enumerated value with its name and explanation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyValue {
    /// The value as stored.
    pub value: Choice,
    /// Its name in the sources; for strings the value itself.
    pub name: &'static str,
    /// What choosing it means.
    pub meaning: Text,
}

/// What is known about one key, or one family of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyInfo {
    /// The key. `{arch}` stands for the first segment, whatever it is; `{i}` for a decimal number from 0;
    /// `{name}` for everything that follows.
    pub pattern: &'static str,
    /// Types that loaders accept; the first is the one that converters write.
    ///
    /// llama.cpp compares scalar types exactly, so a `u64` where this says `u32` is a valid file that does
    /// not load.
    pub types: &'static [KeyType],
    /// What the value says, in one sentence.
    pub meaning: Text,
    /// What a number counts, if it counts something.
    pub unit: Option<Text>,
    /// The values that are known, if the value is a choice among few. Others may exist.
    pub values: &'static [KeyValue],
    /// The key to use instead, if this one is out of date or never took hold.
    pub deprecated: Option<&'static str>,
}

impl KeyInfo {
    const fn new(
        pattern: &'static str,
        types: &'static [KeyType],
        en: &'static str,
        zh: &'static str,
    ) -> Self {
        KeyInfo { pattern, types, meaning: Text::new(en, zh), unit: None, values: &[], deprecated: None }
    }

    const fn unit(mut self, unit: Text) -> Self {
        self.unit = Some(unit);
        self
    }

    const fn values(mut self, values: &'static [KeyValue]) -> Self {
        self.values = values;
        self
    }

    const fn instead(mut self, key: &'static str) -> Self {
        self.deprecated = Some(key);
        self
    }

    /// Whether a value of this shape is one of the accepted [`types`](Self#structfield.types).
    pub fn accepts(&self, ty: KeyType) -> bool {
        self.types.contains(&ty)
    }

    /// The row of [`values`](Self#structfield.values) for an integer.
    pub fn choice_int(&self, value: i64) -> Option<&'static KeyValue> {
        self.values.iter().find(|v| v.value == Choice::Int(value))
    }

    /// The row of [`values`](Self#structfield.values) for a string.
    pub fn choice_str(&self, value: &str) -> Option<&'static KeyValue> {
        self.values.iter().find(|v| matches!(v.value, Choice::Str(s) if s == value))
    }
}

const fn int(value: i64, name: &'static str, en: &'static str, zh: &'static str) -> KeyValue {
    KeyValue { value: Choice::Int(value), name, meaning: Text::new(en, zh) }
}

const fn string(value: &'static str, en: &'static str, zh: &'static str) -> KeyValue {
    KeyValue { value: Choice::Str(value), name: value, meaning: Text::new(en, zh) }
}

const STR: &[KeyType] = &[Scalar(ValueType::STRING)];
const BOOL: &[KeyType] = &[Scalar(ValueType::BOOL)];
const U16: &[KeyType] = &[Scalar(ValueType::UINT16)];
const U32: &[KeyType] = &[Scalar(ValueType::UINT32)];
const I32: &[KeyType] = &[Scalar(ValueType::INT32)];
const U32_OR_I32: &[KeyType] = &[Scalar(ValueType::UINT32), Scalar(ValueType::INT32)];
const F32: &[KeyType] = &[Scalar(ValueType::FLOAT32)];
const STRS: &[KeyType] = &[Array(ValueType::STRING)];
const F32S: &[KeyType] = &[Array(ValueType::FLOAT32)];
const F32_OR_F32S: &[KeyType] = &[Array(ValueType::FLOAT32), Scalar(ValueType::FLOAT32)];
const U64S: &[KeyType] = &[Array(ValueType::UINT64)];
const U32S: &[KeyType] = &[Array(ValueType::UINT32)];
/// Integer arrays: gguf-py writes Python integers as i32, loaders take either sign.
const INTS: &[KeyType] = &[Array(ValueType::INT32), Array(ValueType::UINT32)];
/// Flags per layer: loaders read them into integer arrays, so they take integers too.
const BOOLS: &[KeyType] = &[Array(ValueType::BOOL), Array(ValueType::UINT32), Array(ValueType::INT32)];
const STRICT_BOOLS: &[KeyType] = &[Array(ValueType::BOOL)];
/// One number for all layers, or one per layer.
const U32_OR_INTS: &[KeyType] =
    &[Scalar(ValueType::UINT32), Array(ValueType::INT32), Array(ValueType::UINT32)];

const TOKENS: Text = Text::new("tokens", "词元");
const LAYERS: Text = Text::new("layers", "层");
const HEADS: Text = Text::new("heads", "头");
const DIMS: Text = Text::new("dimensions", "维");
const BYTES: Text = Text::new("bytes", "字节");
const EXPERTS: Text = Text::new("experts", "个专家");
const PIXELS: Text = Text::new("pixels", "像素");

/// Ends of the namespaces' runs within [`KEYS`].
const GENERAL_END: usize = general::KEYS.len();
const TOKENIZER_END: usize = GENERAL_END + tokenizer::KEYS.len();
const ARCH_END: usize =
    TOKENIZER_END + model::KEYS.len() + attention::KEYS.len() + rope::KEYS.len() + modules::KEYS.len();
const CLIP_END: usize = ARCH_END + clip::KEYS.len();
const COUNT: usize = CLIP_END + other::KEYS.len();

/// Joins the namespaces' tables while compiling, so that the whole list is one slice.
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "evaluated while compiling, where overflow and a wrong index are errors"
)]
const fn join(tables: &[&[KeyInfo]]) -> [KeyInfo; COUNT] {
    let mut all = [general::KEYS[0]; COUNT];
    let (mut table, mut filled) = (0, 0);
    while table < tables.len() {
        let mut row = 0;
        while row < tables[table].len() {
            all[filled] = tables[table][row];
            filled += 1;
            row += 1;
        }
        table += 1;
    }
    all
}

static ALL: [KeyInfo; COUNT] = join(&[
    general::KEYS,
    tokenizer::KEYS,
    model::KEYS,
    attention::KEYS,
    rope::KEYS,
    modules::KEYS,
    clip::KEYS,
    other::KEYS,
]);

/// Every known key, namespace by namespace.
pub static KEYS: &[KeyInfo] = &ALL;

const ARCH: &str = "{arch}.";

/// First segments that are namespaces of their own, and so never an architecture's name.
const RESERVED: [&[u8]; 7] =
    [b"general", b"tokenizer", b"split", b"quantize", b"imatrix", b"adapter", b"controlvector"];

/// The row whose pattern the key matches.
///
/// Keys are bytes because files do not guarantee UTF-8. Nothing is allocated; a key that is found costs one
/// comparison of lengths, seldom of bytes, per row of its namespace.
pub fn lookup(key: &[u8]) -> Option<&'static KeyInfo> {
    let dot = key.iter().position(|&b| b == b'.')?;
    let (first, rest) = key.split_at_checked(dot)?;
    let rest = rest.strip_prefix(b".")?;
    let own = match first {
        b"general" => KEYS.get(..GENERAL_END),
        b"tokenizer" => KEYS.get(GENERAL_END..TOKENIZER_END),
        b"clip" => KEYS.get(ARCH_END..CLIP_END),
        _ => KEYS.get(CLIP_END..),
    }?;
    // A key with a brace in it must not match a pattern by spelling out its placeholder.
    if !key.contains(&b'{')
        && let Some(info) = own.iter().find(|info| info.pattern.as_bytes() == key)
    {
        return Some(info);
    }
    if let Some(info) = own.iter().find(|info| matches_placeholder(info.pattern, key)) {
        return Some(info);
    }
    if first.is_empty() || RESERVED.contains(&first) {
        return None;
    }
    KEYS.get(TOKENIZER_END..ARCH_END)?
        .iter()
        .find(|info| info.pattern.as_bytes().get(ARCH.len()..).is_some_and(|suffix| suffix == rest))
}

/// Whether a pattern with `{i}` or `{name}` fits the key. Patterns have one placeholder, `{name}` at the end.
fn matches_placeholder(pattern: &str, key: &[u8]) -> bool {
    let Some((before, placeholder)) = pattern.split_once('{') else { return false };
    let Some(rest) = key.strip_prefix(before.as_bytes()) else { return false };
    if let Some(after) = placeholder.strip_prefix("i}") {
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        return digits > 0 && rest.get(digits..).is_some_and(|tail| tail == after.as_bytes());
    }
    placeholder == "name}" && !rest.is_empty()
}

#[cfg(test)]
mod tests;
