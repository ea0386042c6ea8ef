//! The books of IQ3_XXS and IQ3_S: four magnitudes a point, eight levels.

use std::sync::LazyLock;

use super::lookup::Lookup;
use super::points::{Counted, expand};

/// The magnitudes that a digit of IQ3_XXS stands for: 8 apart but for the last, which reaches a little farther.
const XXS_LEVELS: [i8; 8] = [4, 12, 20, 28, 36, 44, 52, 62];
/// The magnitudes that a digit of IQ3_S stands for: the odd numbers.
const S_LEVELS: [i8; 8] = [1, 3, 5, 7, 9, 11, 13, 15];

/// `iq3xxs_grid`. Its points have digits of an even sum.
pub(crate) static IQ3_XXS: [[i8; 4]; 256] = expand(&IQ3_XXS_POINTS, Counted::EvenSum, XXS_LEVELS);
/// `iq3s_grid`.
pub(crate) static IQ3_S: [[i8; 4]; 512] = expand(&IQ3_S_POINTS, Counted::All, S_LEVELS);

/// The points of IQ3_XXS by their digits.
pub(crate) static IQ3_XXS_LOOKUP: LazyLock<Lookup<4, 8>> =
    LazyLock::new(|| Lookup::new(&IQ3_XXS, XXS_LEVELS, 2));
/// The points of IQ3_S by their digits.
pub(crate) static IQ3_S_LOOKUP: LazyLock<Lookup<4, 8>> = LazyLock::new(|| Lookup::new(&IQ3_S, S_LEVELS, 3));

#[rustfmt::skip]
const IQ3_XXS_POINTS: [u64; 32] = [
    0x1041_3533_6002_13b7, 0x1000_0439_4090_b317, 0x0020_2009_6084_8020, 0x0102_00d0_0400_4000,
    0x0000_0313_0018_7333, 0x0808_1103_2000_1133, 0x1008_0500_0010_0005, 0x0001_0200_0000_0004,
    0x1a00_1137_0002_1b33, 0x5000_0051_0041_8393, 0x4001_0802_0020_4000, 0x0004_0083_0000_0000,
    0x000c_1103_2410_0331, 0x0000_2010_2020_0413, 0x0040_0209_2008_1000, 0x0100_2000_0200_8040,
    0x4000_0000_00a0_c084, 0x0004_0008_0901_8100, 0x1002_0400_0410_0004, 0x0000_1034_0000_0000,
    0x0040_0809_1001_0020, 0x0020_0002_2000_2040, 0x0000_1002_2000_0a10, 0x0002_0400_0010_0000,
    0x0100_0100_040c_0400, 0x0000_9000_0400_0080, 0x0020_0004_0004_0000, 0x0000_0102_0000_2000,
    0x0001_0800_0020_201e, 0x0100_2041_0024_0020, 0x0000_0403_0001_0100, 0x0000_0000_0000_1000,
];

#[rustfmt::skip]
const IQ3_S_POINTS: [u64; 64] = [
    0x9205_0aa5_0823_57a7, 0x0422_0010_2289_2317, 0x0900_0aa4_1122_49a3, 0x2280_0510_4a05_2208,
    0x0100_0209_0412_8801, 0x0840_00a2_0845_0014, 0x0200_0400_0200_0a40, 0x0000_1100_0845_0015,
    0x0402_5000_5205_ab17, 0x4100_0502_0902_114b, 0x0401_2009_0411_a401, 0x0104_0002_1182_0992,
    0x0000_1144_0a00_1428, 0x0000_0200_0502_0902, 0x0000_0050_0091_0000, 0x0104_0002_2002_050a,
    0x2980_052a_058a_55ab, 0x0000_0204_1224_8905, 0x1200_8802_810a_0092, 0x0040_0104_0a14_0225,
    0x2400_0002_2409_0082, 0x0100_0801_8004_0210, 0x0002_2000_0002_0085, 0x0000_0108_0140_0220,
    0x0208_0294_2a04_aa04, 0x4401_0001_000a_102a, 0x0000_0100_1401_0401, 0x0800_208a_018a_1102,
    0x0011_0400_0204_4208, 0x0800_4010_0420_0502, 0x0000_0002_0000_4000, 0x0000_0000_2005_000a,
    0x0100_0102_0491_0411, 0x0000_2208_2104_0a84, 0x0104_8001_0802_210a, 0x0000_0000_2205_0a10,
    0x0200_0001_8010_0005, 0x0004_0000_0002_00a0, 0x0001_0000_1000_0800, 0x0000_0208_0100_2100,
    0x1040_0491_0004_1104, 0x0400_0000_0402_042a, 0x0000_0800_4108_0201, 0x0820_0210_0080_0184,
    0x0000_0040_0401_0012, 0x0000_0a00_0040_0400, 0x0000_0004_0000_0000, 0x0000_0000_0004_0014,
    0x0001_0000_0a00_2a00, 0x0010_0000_0081_0001, 0x0104_2004_1000_0400, 0x0000_0001_0002_1001,
    0x0004_0008_0020_0000, 0x0001_0000_1000_0009, 0x0000_0001_0000_0020, 0x0000_0000_0000_0a00,
    0x0004_1001_4005_0091, 0x0000_0028_0010_0204, 0x0000_0200_0102_4112, 0x0000_0800_2400_0004,
    0x0000_0100_0001_0822, 0x0000_0004_0004_0000, 0x0000_0000_0200_0004, 0x0000_0000_0000_0001,
];

#[cfg(test)]
mod tests {
    use super::super::points::tests::{checksum, count};
    use super::*;

    #[test]
    fn the_books_are_the_formats() {
        assert_eq!([count(&IQ3_XXS_POINTS), count(&IQ3_S_POINTS)], [256, 512]);
        // Checksums of what the reference decoder answers.
        assert_eq!(checksum(&IQ3_XXS), 0xdfa5_dc83_d6a1_55d5);
        assert_eq!(checksum(&IQ3_S), 0xfa37_020c_25b4_4829);
    }
}
