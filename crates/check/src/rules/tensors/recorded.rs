//! Shapes that converters record beside tensors that they had to reshape.

use ggufkit_format::Value;

use crate::facts::{Facts, Record};

/// What stands before the tensor's name in the key.
const PREFIX: &[u8] = b"comfy.gguf.orig_shape.";

/// The key-values that record a shape, with the tensor's name and the shape.
pub(super) fn shapes<'a>(facts: &Facts<'a>) -> impl Iterator<Item = (Record<'a>, &'a [u8], Vec<i128>)> {
    facts.records().filter_map(|record| {
        let name = record.key().0.strip_prefix(PREFIX)?;
        let Value::Array(array) = record.value() else { return None };
        // A shape has few dimensions; what has more is something else.
        if array.len() > 16 {
            return None;
        }
        let number = |value| match value {
            Value::Scalar(scalar) => scalar.as_integer(),
            _ => None,
        };
        Some((record, name, array.iter().map(number).collect::<Option<_>>()?))
    })
}
