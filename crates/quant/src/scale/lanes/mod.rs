//! Searches for several groups of values at once; see [`wide`](crate::wide).
//!
//! They are the reference's searches, operation for operation: floats are added in the same order and rounded at the same
//! places, or else one value in some millions would get another code. None of them knows how a block is laid out.

pub(crate) mod affine;
pub(crate) mod codebook;
pub(crate) mod descent;
pub(crate) mod positive;
pub(crate) mod symmetric;
