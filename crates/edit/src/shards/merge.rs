//! One file out of all shards of a set.

use ggufkit_format::Plan;

use super::{ShardsError, Whole};

/// Plans the one file of a model. Of a set that was split from a canonical file it is that file, byte for byte.
///
/// # Errors
/// The pieces make no file.
pub fn merge(whole: &Whole<'_>) -> Result<Plan, ShardsError> {
    Ok(whole.plan_file(&whole.kvs, (&[], 0), &whole.tensors)?)
}
