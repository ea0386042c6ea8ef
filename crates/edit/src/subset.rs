//! A file of some tensors of a model, or of some of their rows, with the model's metadata.
//!
//! Key-values are copied as they stand, in their order, without those that tell which shard of how many a file is. The layout
//! is the canonical one, with the model's alignment. Nothing is asked of the data of tensors that are left out: they may lie
//! outside of the file, or over each other.

use std::collections::HashSet;

use ggufkit_format::spec::TensorType;
use ggufkit_format::{Plan, Span, View};

use crate::document::{ALIGNMENT, Document};
use crate::error::EditError;
use crate::shards::SPLIT_KEYS;

/// A tensor of the new file.
#[derive(Clone, Copy, Debug)]
pub struct Kept<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// Its dimensions, the row length first.
    pub dims: &'a [u64],
    /// Its type.
    pub tensor_type: TensorType,
    /// Where its data is in the source of the plan, in the byte order of the first file.
    pub data: Span,
}

/// Which key-values the new file has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Metadata {
    /// The model's.
    #[default]
    Keep,
    /// That of the alignment alone.
    LeaveOut,
}

/// Plans a file of these tensors, in this order. `view` is the head of the model's first file, which has the metadata; that file,
/// of `size` bytes, begins the source of the plan, and others may follow it.
///
/// # Errors
/// [`EditError`]: the head was not read to its end, something in it cannot be written, the tensors are too long together, or two
/// of them would copy the same bytes or have one name.
pub fn subset(
    view: View<'_>,
    size: u64,
    tensors: &[Kept<'_>],
    metadata: Metadata,
) -> Result<Plan, EditError> {
    let mut document = Document::of(view, size)?;
    for at in 0..document.kv_count() {
        let key = document.key(at);
        let own = SPLIT_KEYS.iter().any(|known| known.as_bytes() == key);
        if own || (metadata == Metadata::LeaveOut && key != ALIGNMENT) {
            document.remove(at)?;
        }
    }
    document.clear_tensors();
    let mut names = HashSet::with_capacity(tensors.len());
    for tensor in tensors {
        if !names.insert(tensor.name) {
            return Err(EditError::SameName(tensor.name.into()));
        }
        document.add_tensor(tensor.name, tensor.dims, tensor.tensor_type, tensor.data)?;
    }
    let plan = document.plan()?;
    plan.verify(u64::MAX)?;
    Ok(plan)
}
