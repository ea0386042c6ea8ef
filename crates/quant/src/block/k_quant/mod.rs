//! Types of 256 weights, in groups with quantized scales of their own.

use crate::codec::Codec;

/// The codecs of this family.
pub(super) static CODECS: &[Codec] = &[];
