//! Searches for the scale, or the scale and the offset, that lose least; shared by the encoders.

pub(crate) mod lanes;
pub(crate) mod points;
pub(crate) mod symmetric;
pub(crate) mod ternary;
