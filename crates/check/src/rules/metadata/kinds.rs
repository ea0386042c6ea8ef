//! How the type of a known key's value differs from the types that loaders read.

use ggufkit_format::spec::{KeyInfo, KeyType, ValueType, arch};
use ggufkit_format::{Payload, Scalar};
use ggufkit_inspect::is_integer;
use ggufkit_inspect::summary::Kind;

use crate::facts::{Facts, Record};
use crate::rule::Severity;

/// How far a value is from what loaders read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Misfit {
    /// A whole number of another width or sign.
    Integer(KeyType),
    /// A float of another width.
    Float(KeyType),
    /// Something else altogether.
    Kind(KeyType),
}

/// Keys that have rules of their own.
const ELSEWHERE: [&str; 2] = ["general.alignment", "general.architecture"];

/// The difference, with the type to write; `None` where the type is accepted.
pub(super) fn misfit(record: &Record<'_>, info: &KeyInfo) -> Option<Misfit> {
    let found = found(record);
    // Nothing tells the type of no elements: writers put any type there.
    let empty = matches!(&record.kv.payload, Payload::Array(array) if array.count == 0);
    if info.accepts(found) || ELSEWHERE.contains(&info.pattern) || (empty && takes_arrays(info)) {
        return None;
    }
    let same_shape = |like: fn(ValueType) -> bool| {
        let of = |ty: &&KeyType| ty.is_array() == found.is_array() && like(ty.element());
        like(found.element()).then(|| info.types.iter().find(of)).flatten()
    };
    if let Some(ty) = same_shape(is_integer) {
        return Some(Misfit::Integer(*ty));
    }
    if let Some(ty) = same_shape(is_float) {
        return Some(Misfit::Float(*ty));
    }
    info.types.first().map(|ty| Misfit::Kind(*ty))
}

fn takes_arrays(info: &KeyInfo) -> bool {
    info.types.iter().any(|ty| ty.is_array())
}

/// The type of a value.
pub(super) fn found(record: &Record<'_>) -> KeyType {
    record.kv.key_type()
}

pub(super) fn is_float(ty: ValueType) -> bool {
    matches!(ty, ValueType::FLOAT32 | ValueType::FLOAT64 | ValueType::FLOAT16)
}

/// The type that loaders read, in words.
pub(super) fn expected(info: &KeyInfo) -> String {
    let types: Vec<String> = info.types.iter().map(KeyType::to_string).collect();
    types.join(" or ")
}

/// Namespaces and keys that llama.cpp reads, by the types that it asks for and no others.
const READ: [&str; 12] = [
    "{arch}.",
    "tokenizer.ggml.",
    "tokenizer.chat_template",
    "clip.",
    "split.",
    "adapter.",
    "controlvector.",
    "imatrix.",
    "general.name",
    "general.file_type",
    "general.tensor_extra.",
    "xielu.",
];

/// Keys that llama.cpp reads so from files of one kind only.
const READ_FROM: [(Kind, &str); 2] = [(Kind::Lora, "general.type"), (Kind::Mmproj, "general.description")];

/// Keys that llama.cpp takes from the text that every scalar has, whatever its type is.
const READ_AS_TEXT: &str = "general.sampling.";

/// Whether a loader asks for exactly the types of this key.
fn is_read(facts: &Facts<'_>, info: &KeyInfo) -> bool {
    let passed = info.pattern.strip_prefix("{arch}.").zip(facts.architecture());
    if passed.is_some_and(|(suffix, arch)| arch::is_known(arch) && crate::loaders::passes_over(arch, suffix))
    {
        return false;
    }
    READ.iter().any(|prefix| info.pattern.starts_with(prefix))
        || READ_FROM.contains(&(facts.kind(), info.pattern))
}

/// How bad a value of another type is: only what loaders read can be refused by them.
pub(super) fn severity(facts: &Facts<'_>, info: &KeyInfo) -> Severity {
    if is_read(facts, info) { Severity::Warning } else { Severity::Note }
}

/// What follows from a type that is not the one that loaders ask for.
pub(super) fn consequence(facts: &Facts<'_>, info: &KeyInfo) -> &'static str {
    if is_read(facts, info) {
        return "llama.cpp compares types exactly: it reads no other one here and refuses the file (\"has wrong type\")";
    }
    if info.pattern.starts_with(READ_AS_TEXT) {
        return "llama.cpp takes a number of any type, and text that begins with one; an array it does not see";
    }
    "no engine reads this key; tools that show it may ask for the usual type"
}

/// Keys that every engine asks for as soon as there are tensors, beside those that a model does not load without.
const NEEDED: [&str; 2] = ["feed_forward_length", "attention.head_count"];

/// Whether a model whose key cannot be read is of no use: every engine asks for the key.
pub(super) fn is_needed(facts: &Facts<'_>, record: &Record<'_>, info: &KeyInfo) -> bool {
    let key = record.key().0;
    if matches!(info.pattern, "tokenizer.ggml.model" | "tokenizer.ggml.tokens") {
        return true;
    }
    let Some(arch) = facts.architecture() else { return false };
    let Some(suffix) = key.strip_prefix(arch.as_bytes()).and_then(|rest| rest.strip_prefix(b".")) else {
        return false;
    };
    NEEDED.iter().any(|needed| needed.as_bytes() == suffix)
        || ggufkit_inspect::config::is_required(arch, suffix)
}

/// The same number in another type, where it is exactly that.
pub(super) fn convert(value: Scalar, ty: ValueType) -> Option<Scalar> {
    if let Some(float) = value.as_float() {
        #[allow(clippy::cast_possible_truncation, reason = "compared afterwards")]
        return match ty {
            ValueType::FLOAT64 => Some(Scalar::F64(float)),
            ValueType::FLOAT32 => Some(Scalar::F32(float as f32)),
            _ => None,
        };
    }
    let number = value.as_integer()?;
    Some(match ty {
        ValueType::UINT8 => Scalar::U8(number.try_into().ok()?),
        ValueType::INT8 => Scalar::I8(number.try_into().ok()?),
        ValueType::UINT16 => Scalar::U16(number.try_into().ok()?),
        ValueType::INT16 => Scalar::I16(number.try_into().ok()?),
        ValueType::UINT32 => Scalar::U32(number.try_into().ok()?),
        ValueType::INT32 => Scalar::I32(number.try_into().ok()?),
        ValueType::UINT64 => Scalar::U64(number.try_into().ok()?),
        ValueType::INT64 => Scalar::I64(number.try_into().ok()?),
        _ => return None,
    })
}
