//! A threshold of the searches.

/// Below this, a group of values is taken for zeros (`GROUP_MAX_EPS` in C).
pub(crate) const ALMOST_ZERO: f32 = 1e-15;
