//! Turning floats into integers, and choosing between them, as the reference's C does it.
//!
//! Rust's own `as`, `min` and `max` answer otherwise for what does not fit and for what is not a number.

/// `(int) x`: towards zero. What does not fit is C's to leave undefined; x86 gives the smallest integer.
#[inline(always)]
pub(crate) fn truncate(x: f32) -> i32 {
    // What is below all integers becomes the smallest by itself, and one comparison is all that wide registers need.
    if x < 2_147_483_648.0 { x as i32 } else { i32::MIN }
}

/// `lroundf(x)`, whose result C keeps in an `int`: to the nearest integer, ties away from zero. What does not fit is the
/// smallest `long` on x86, of which an `int` keeps 0.
#[inline(always)]
pub(crate) fn round_to_long(x: f32) -> i32 {
    let rounded = x.round();
    if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&rounded) {
        rounded as i64 as i32
    } else {
        0
    }
}

/// `nearest_int` in C: the nearest integer, ties to even, of what is less than 2^22; other numbers give some integer.
///
/// Next to 1.5 * 2^23 floats are 1 apart, so that the sum is rounded to an integer, which then stands in its lowest bits.
#[inline(always)]
pub(crate) fn nearest(x: f32) -> i32 {
    ((x + ROUND).to_bits() & MANTISSA) as i32 - MIDDLE
}

/// What is added to a float and taken from its bits to round it.
pub(crate) const ROUND: f32 = 12_582_912.0;
/// The bits in which the integer then stands.
pub(crate) const MANTISSA: u32 = 0x007f_ffff;
/// What stands there for 0.
pub(crate) const MIDDLE: i32 = 0x0040_0000;

/// `MAX(a, b)` in C: the second one unless the first is greater, so that one that is not a number counts when it is second.
#[inline(always)]
pub(crate) fn c_max(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_floats() {
        assert_eq!([2.9, -2.9, -0.5].map(truncate), [2, -2, 0]);
        assert_eq!([f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 3e9].map(truncate), [i32::MIN; 4]);
        assert_eq!([0.5, -0.5, 2.4, f32::NAN, 1e30, 4_294_967_296.0].map(round_to_long), [1, -1, 2, 0, 0, 0]);
        assert_eq!([0.5, 1.5, 2.5, -0.5, -1.5, 2.499].map(nearest), [0, 2, 2, 0, -2, 2]);
        assert_eq!([4_194_303.0, -4_194_303.0].map(nearest), [4_194_303, -4_194_303]);
    }

    #[test]
    fn the_greater_of_two() {
        assert_eq!(c_max(1.0, 2.0), 2.0);
        assert_eq!(c_max(f32::NAN, 2.0), 2.0);
        assert!(c_max(2.0, f32::NAN).is_nan());
    }
}
