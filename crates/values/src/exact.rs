//! Values that floats of 32 bits do not hold: those of `F64`, `I32` and `I64`, as the files have them.

use ggufkit_format::spec::TensorType;

/// The types whose values become other numbers when they are decoded to floats of 32 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wide {
    F64,
    I32,
    I64,
}

/// A value as it stands in the file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Exact {
    Whole(i64),
    Real(f64),
}

impl Wide {
    /// `None` where floats of 32 bits hold every value.
    pub(crate) fn of(ty: TensorType) -> Option<Self> {
        match ty {
            TensorType::F64 => Some(Self::F64),
            TensorType::I32 => Some(Self::I32),
            TensorType::I64 => Some(Self::I64),
            _ => None,
        }
    }

    /// Whether floats of 32 bits are just the numbers of these bytes, as small integers and what was once a float are.
    pub(crate) fn is_held_by(self, floats: &[f32], bytes: &[u8]) -> bool {
        /// Integers of less than 2^53 are those that have doubles of their own.
        const DOUBLES: f32 = (1_u64 << 53) as f32;
        match self {
            Self::F64 => all(floats, bytes, |float, value| f64::from(float) == f64::from_le_bytes(value)),
            Self::I32 => {
                all(floats, bytes, |float, value| f64::from(float) == f64::from(i32::from_le_bytes(value)))
            }
            Self::I64 => all(floats, bytes, |float, value| {
                let value = i64::from_le_bytes(value);
                float.abs() < DOUBLES && f64::from(float) == value as f64
            }),
        }
    }

    /// The values of little-endian bytes.
    pub(crate) fn values(self, bytes: &[u8]) -> Vec<Exact> {
        match self {
            Self::F64 => each(bytes, |value| Exact::Real(f64::from_le_bytes(value))),
            Self::I32 => each(bytes, |value| Exact::Whole(i64::from(i32::from_le_bytes(value)))),
            Self::I64 => each(bytes, |value| Exact::Whole(i64::from_le_bytes(value))),
        }
    }
}

fn all<const BYTES: usize>(floats: &[f32], bytes: &[u8], same: impl Fn(f32, [u8; BYTES]) -> bool) -> bool {
    let parts = floats.chunks(64).zip(bytes.as_chunks().0.chunks(64));
    // All of a part, since many at once are tested faster than one by one.
    parts.into_iter().all(|(floats, bytes)| {
        floats.iter().zip(bytes).fold(true, |all, (float, bytes)| all & same(*float, *bytes))
    })
}

fn each<const BYTES: usize>(bytes: &[u8], value: impl Fn([u8; BYTES]) -> Exact) -> Vec<Exact> {
    bytes.as_chunks().0.iter().map(|bytes| value(*bytes)).collect()
}

impl Exact {
    /// The nearest double.
    pub(crate) fn double(self) -> f64 {
        match self {
            Self::Whole(value) => value as f64,
            Self::Real(value) => value,
        }
    }

    /// Whether both are the same number, or both are none.
    pub(crate) fn equals(self, other: Self) -> bool {
        match (self, other) {
            (Self::Whole(a), Self::Whole(b)) => a == b,
            (Self::Real(a), Self::Real(b)) => a == b || (a.is_nan() && b.is_nan()),
            (Self::Whole(whole), Self::Real(real)) | (Self::Real(real), Self::Whole(whole)) => {
                // What is equal as a double is an integer, and of less than 2^64.
                whole as f64 == real && i128::from(whole) == real as i128
            }
        }
    }

    /// How much greater this one is: the nearest double where both are integers.
    pub(crate) fn less(self, other: Self) -> f64 {
        match (self, other) {
            (Self::Real(a), Self::Real(b)) => a - b,
            (Self::Whole(a), Self::Whole(b)) => i128::from(a).saturating_sub(i128::from(b)) as f64,
            (Self::Whole(a), Self::Real(b)) => difference(a, b),
            (Self::Real(a), Self::Whole(b)) => -difference(b, a),
        }
    }
}

fn difference(whole: i64, real: f64) -> f64 {
    // Beyond 2^53 doubles are integers, and of these the difference is known.
    if real.fract() == 0.0 && real.abs() < 1e30 {
        i128::from(whole).saturating_sub(real as i128) as f64
    } else {
        whole as f64 - real
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_held_to_the_last_bit_and_against_doubles_too() {
        let big = i64::MAX - 1;
        assert!(!Exact::Whole(big).equals(Exact::Whole(i64::MAX)));
        assert_eq!(Exact::Whole(big).less(Exact::Whole(i64::MAX)), -1.0);
        assert_eq!(Exact::Whole(i64::MAX).less(Exact::Whole(i64::MIN)), 18_446_744_073_709_551_615.0);
        // 2^53 + 1 has no double of its own.
        let (odd, even) = (Exact::Whole((1 << 53) + 1), Exact::Real(9_007_199_254_740_992.0));
        assert!(!odd.equals(even) && !even.equals(odd));
        assert_eq!((odd.less(even), even.less(odd)), (1.0, -1.0));
        assert!(Exact::Whole(3).equals(Exact::Real(3.0)));
        assert_eq!(Exact::Whole(3).less(Exact::Real(2.5)), 0.5);
        assert!(Exact::Real(f64::NAN).equals(Exact::Real(-f64::NAN)));
        assert!(!Exact::Whole(0).equals(Exact::Real(f64::NAN)));
    }

    #[test]
    fn floats_hold_what_was_a_float_and_no_integer_that_is_another_one() {
        let held = |wide: Wide, float: f32, bytes: &[u8]| {
            wide.is_held_by(&[1.0, float], &[&one(wide), bytes].concat())
        };
        for (value, expected) in
            [(0.5, true), (f64::from(0.1_f32), true), (0.1, false), (1e300, false), (f64::NAN, false)]
        {
            assert_eq!(held(Wide::F64, value as f32, &value.to_le_bytes()), expected, "{value}");
        }
        for (value, expected) in
            [(-3, true), (1 << 24, true), ((1 << 24) + 1, false), (i32::MIN, true), (i32::MAX, false)]
        {
            assert_eq!(held(Wide::I32, value as f32, &value.to_le_bytes()), expected, "{value}");
        }
        let large = 1_i64 << 53;
        for (value, expected) in
            [(large / 2, true), (large / 2 + 1, false), (large, false), (large + 1, false), (i64::MIN, false)]
        {
            assert_eq!(held(Wide::I64, value as f32, &value.to_le_bytes()), expected, "{value}");
        }
    }

    fn one(wide: Wide) -> Vec<u8> {
        match wide {
            Wide::F64 => 1_f64.to_le_bytes().to_vec(),
            Wide::I32 => 1_i32.to_le_bytes().to_vec(),
            Wide::I64 => 1_i64.to_le_bytes().to_vec(),
        }
    }
}
