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

#[cfg(test)]
mod tests {
    use super::super::points::tests::checksum;
    use super::*;

    #[test]
    fn the_levels_are_the_formats() {
        // The checksum of what the reference decoder answers for the sixteen numbers, the scale being 1.
        assert_eq!(checksum(&[LEVELS]), 0x055d_06d2_d8fa_0f75);
        assert_eq!(FLOATS, LEVELS.map(f32::from));
    }
}
