//! The levels of IQ4_NL and IQ4_XS.

/// What the sixteen numbers stand for (`kvalues_iq4nl` in C): close together near zero, where most weights are.
pub(crate) static LEVELS: [i8; 16] =
    [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];
