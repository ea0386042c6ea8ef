//! Byte order, and the only place where bytes become numbers.

/// Byte order of every multi-byte number of a file, head and tensor data alike.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Endian {
    /// Least significant byte first: nearly every file in the world.
    #[default]
    Little,
    /// Most significant byte first (version 3 permits it). The magic keeps the bytes `GGUF`; the version field tells.
    Big,
}

impl Endian {
    /// `"little"` or `"big"`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Little => "little",
            Self::Big => "big",
        }
    }
}

macro_rules! numbers {
    ($($name:ident $ty:ty, $n:literal;)*) => {
        impl Endian {
            $(
                #[doc = concat!("The `", stringify!($ty), "` of these ", stringify!($n), " bytes.")]
                #[inline]
                #[must_use]
                pub const fn $name(self, bytes: [u8; $n]) -> $ty {
                    match self {
                        Self::Little => <$ty>::from_le_bytes(bytes),
                        Self::Big => <$ty>::from_be_bytes(bytes),
                    }
                }
            )*
        }
    };
}

numbers! {
    u16 u16, 2; i16 i16, 2;
    u32 u32, 4; i32 i32, 4; f32 f32, 4;
    u64 u64, 8; i64 i64, 8; f64 f64, 8;
}

/// The value of an IEEE 754 half-precision number, given by its bits.
#[must_use]
#[allow(clippy::arithmetic_side_effects, reason = "shifts and sums of fields that the masks bound")]
pub const fn f16_to_f32(bits: u16) -> f32 {
    let sign = ((bits & 0x8000) as u32) << 16;
    let exponent = ((bits >> 10) & 0x1f) as u32;
    let mantissa = (bits & 0x3ff) as u32;
    let out = match (exponent, mantissa) {
        (0, 0) => sign,
        // A subnormal is mantissa * 2^-24, which single precision holds as a normal number.
        (0, m) => {
            let top = 31 - m.leading_zeros();
            sign | ((top + 127 - 24) << 23) | ((m << (23 - top)) & 0x007f_ffff)
        }
        (31, m) => sign | 0x7f80_0000 | (m << 13),
        (e, m) => sign | ((e + 127 - 15) << 23) | (m << 13),
    };
    f32::from_bits(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_precision_follows_ieee_754() {
        for (bits, value) in [
            (0x0000, 0.0),
            (0x8000, -0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0400, 6.103_515_6e-5),
            (0x0001, 5.960_464_5e-8),
            (0x03ff, 6.097_555e-5),
            (0x3555, 0.333_251_95),
            (0x7c00, f32::INFINITY),
            (0xfc00, f32::NEG_INFINITY),
        ] {
            assert_eq!(f16_to_f32(bits).to_bits(), f32::to_bits(value), "{bits:#06x}");
        }
        assert!(f16_to_f32(0x7e00).is_nan());
    }
}
