//! Searches for the scale, or the scale and the offset, that lose least; shared by the encoders.
//!
//! They are the reference's searches, operation for operation: floats are added in the same order and rounded at the same
//! places, or else one value in some millions would get another code. Most are written over the lanes of
//! [`wide`](crate::wide), a group of values in each. None of them knows how a block is laid out.

pub(crate) mod affine;
pub(crate) mod codebook;
pub(crate) mod descent;
pub(crate) mod points;
pub(crate) mod positive;
pub(crate) mod symmetric;
pub(crate) mod ternary;

/// Below this, a group of values is taken for zeros (`GROUP_MAX_EPS` in C).
pub(crate) const ALMOST_ZERO: f32 = 1e-15;
