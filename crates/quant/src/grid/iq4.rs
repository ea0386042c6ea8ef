//! The levels of IQ4_NL and IQ4_XS.

/// What the sixteen numbers stand for (`kvalues_iq4nl` in C): close together near zero, where most weights are.
pub(crate) const LEVELS: [i8; 16] =
    [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];

/// The same as floats.
pub(crate) static FLOATS: [f32; 16] = {
    let mut floats = [0.0; 16];
    let mut number = 0;
    while number < 16 {
        floats[number] = LEVELS[number] as f32;
        number += 1;
    }
    floats
};
