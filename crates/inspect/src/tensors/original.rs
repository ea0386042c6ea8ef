//! Shapes that tensors had before a converter folded them: `comfy.gguf.orig_shape.<tensor name>`.

use ggufkit_format::{ByteStr, Value};
use serde::Serialize;
use serde::ser::Serializer;

use crate::json::JsonElements;
use crate::model::Model;

/// What stands before the tensor's name in the key.
const PREFIX: &[u8] = b"comfy.gguf.orig_shape.";

/// Dimensions that are looked at; ggml has 4.
const MAX_DIMS: u64 = 16;

/// The recorded shapes of a model, by tensor name.
#[derive(Clone, Debug)]
pub struct OriginalShapes<'a>(Vec<(&'a [u8], OriginalShape<'a>)>);

/// A recorded shape, in the order of the framework that the tensor comes from: the row length last. In JSON an array of at
/// most 16 numbers.
#[derive(Clone, Copy, Debug)]
pub struct OriginalShape<'a>(ggufkit_format::ArrayRef<'a>);

impl<'a> OriginalShapes<'a> {
    /// Collects the shapes that the metadata records.
    #[must_use]
    pub fn new(model: &Model<'a>) -> Self {
        let mut shapes: Vec<_> = model
            .kvs()
            .filter_map(|(part, key, kv)| {
                let name = key.0.strip_prefix(PREFIX)?;
                match part.view.value(kv) {
                    Value::Array(array) => Some((name, OriginalShape(array))),
                    _ => None,
                }
            })
            .collect();
        shapes.sort_by_key(|(name, _)| *name);
        Self(shapes)
    }

    /// The shape recorded for a tensor.
    #[must_use]
    pub fn of(&self, name: ByteStr<'_>) -> Option<OriginalShape<'a>> {
        // The first of several is the one that counts.
        let at = self.0.partition_point(|(there, _)| *there < name.0);
        self.0.get(at).filter(|(there, _)| *there == name.0).map(|(_, shape)| *shape)
    }
}

impl OriginalShape<'_> {
    /// The dimensions, at most 16; `None` where one is no whole number.
    #[must_use]
    pub fn dims(&self) -> Option<Vec<u64>> {
        let max = usize::try_from(MAX_DIMS).unwrap_or(usize::MAX);
        self.0.iter().take(max).map(|value| value.as_u64()).collect()
    }

    /// Number of elements; `None` where the shape does not tell.
    #[must_use]
    pub fn elements(&self) -> Option<u64> {
        let dims = self.dims().filter(|_| self.0.len() <= MAX_DIMS)?;
        ggufkit_format::layout::element_count(&dims)
    }
}

impl Serialize for OriginalShape<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        JsonElements { array: self.0, from: 0, to: MAX_DIMS }.serialize(serializer)
    }
}
