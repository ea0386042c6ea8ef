//! Types whose numbers are looked up in a fixed table.

use crate::codec::Codec;

/// The codecs of this family.
pub(super) static CODECS: &[Codec] = &[];
