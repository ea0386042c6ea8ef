//! Types of three values per weight: -1, 0, 1.

use crate::codec::Codec;

/// The codecs of this family.
pub(super) static CODECS: &[Codec] = &[];
