//! Types whose weights are floats of 4 bits.

use crate::codec::Codec;

/// The codecs of this family.
pub(super) static CODECS: &[Codec] = &[];
