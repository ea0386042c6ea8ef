//! Values that codes stand for.

use ggufkit_format::f16_to_f32;
use ggufkit_format::spec::TensorType;

/// The sixteen values of IQ4_NL and IQ4_XS (`kvalues_iq4nl` of ggml-common.h).
pub(super) const UNEVEN: [i8; 16] =
    [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];

/// E2M1, the four-bit float of MXFP4 and NVFP4: sign, two exponent bits, one mantissa bit.
pub(super) fn e2m1(code: u64) -> f32 {
    let size = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0][(code & 7) as usize];
    if code & 8 == 0 { size } else { -size }
}

/// E8M0: a power of two; its code 255 is not a number.
pub(super) fn e8m0(code: u64) -> f32 {
    if code == 255 { f32::NAN } else { (2_f32).powi(code as i32 - 127) }
}

/// An unsigned float with four exponent bits (bias 7) and three mantissa bits. Code 127 counts as zero in ggml.
pub(super) fn ue4m3(code: u64) -> f32 {
    let (exponent, mantissa) = ((code >> 3) & 15, (code & 7) as f32);
    match (code & 127, exponent) {
        (127, _) => 0.0,
        (_, 0) => mantissa * (2_f32).powi(-9),
        (_, e) => (1.0 + mantissa / 8.0) * (2_f32).powi(e as i32 - 7),
    }
}

pub(super) fn half(bits: u64) -> f32 {
    f16_to_f32(bits as u16)
}

/// Whether an element of a group of eight is negative. The eighth sign is not stored: the number of signs is even.
pub(super) fn is_negative(pattern: u64, element: u32) -> bool {
    let eighth = u64::from(pattern.count_ones() % 2) << 7;
    (pattern | eighth) >> (element % 8) & 1 == 1
}

/// Number of elements that one index of the codebook stands for, and the codebook's name in ggml.
pub(super) fn codebook(ty: TensorType) -> Option<(u32, &'static str)> {
    Some(match ty {
        TensorType::IQ2_XXS => (8, "iq2xxs_grid"),
        TensorType::IQ2_XS => (8, "iq2xs_grid"),
        TensorType::IQ2_S => (8, "iq2s_grid"),
        TensorType::IQ3_XXS => (4, "iq3xxs_grid"),
        TensorType::IQ3_S => (4, "iq3s_grid"),
        TensorType::IQ1_S | TensorType::IQ1_M => (8, "iq1s_grid"),
        _ => return None,
    })
}

/// A row of a type's codebook, where it is known here: only the rows that the worked examples need are kept.
pub(super) fn row(ty: TensorType, index: u64) -> Option<&'static [i8]> {
    ROWS.iter().find(|(t, i, _)| *t == ty && *i == index).map(|(_, _, row)| *row)
}

/// From the `*_grid` tables of ggml-common.h.
const ROWS: &[(TensorType, u64, &[i8])] = &[
    (TensorType::IQ2_XXS, 148, &[8, 8, 8, 43, 25, 8, 8, 25]),
    (TensorType::IQ2_XS, 221, &[8, 8, 8, 25, 25, 8, 43, 8]),
    (TensorType::IQ3_XXS, 38, &[20, 12, 28, 4]),
    (TensorType::IQ1_S, 1868, &[1, 1, -1, -1, -1, -1, 1, 1]),
    (TensorType::IQ3_S, 294, &[7, 13, 1, 7]),
    (TensorType::IQ2_S, 844, &[25, 25, 25, 8, 25, 8, 8, 43]),
    (TensorType::IQ1_M, 1722, &[-1, -1, -1, -1, 0, 0, 0, 1]),
];
