//! The books of IQ2_XXS, IQ2_XS and IQ2_S: eight magnitudes a point, three levels.
//!
//! All three are cut from D8, the points whose digits have an even sum: dense near zero (IQ2_S has every point of D8 up
//! to the squared norm 8 of its digits but one), a choice among the many that lie farther out.

use std::sync::LazyLock;

use super::lookup::Lookup;
use super::points::{Counted, expand};

/// The magnitudes that a digit stands for, in eighths of the scale: about 1, 3 and 5 where 8 is one.
const LEVELS: [i8; 3] = [8, 25, 43];

/// `iq2xxs_grid`.
pub(crate) static IQ2_XXS: [[i8; 8]; 256] = expand(&IQ2_XXS_POINTS, Counted::EvenSum, LEVELS);
/// `iq2xs_grid`.
pub(crate) static IQ2_XS: [[i8; 8]; 512] = expand(&IQ2_XS_POINTS, Counted::EvenSum, LEVELS);
/// `iq2s_grid`.
pub(crate) static IQ2_S: [[i8; 8]; 1024] = expand(&IQ2_S_POINTS, Counted::EvenSum, LEVELS);

/// The points of IQ2_XXS by their digits.
pub(crate) static IQ2_XXS_LOOKUP: LazyLock<Lookup<8, 3>> = LazyLock::new(|| Lookup::new(&IQ2_XXS, LEVELS, 2));
/// The points of IQ2_XS by their digits.
pub(crate) static IQ2_XS_LOOKUP: LazyLock<Lookup<8, 3>> = LazyLock::new(|| Lookup::new(&IQ2_XS, LEVELS, 2));
/// The points of IQ2_S by their digits.
pub(crate) static IQ2_S_LOOKUP: LazyLock<Lookup<8, 3>> = LazyLock::new(|| Lookup::new(&IQ2_S, LEVELS, 1));

#[rustfmt::skip]
const IQ2_XXS_POINTS: [u64; 52] = [
    0x0040_a620_99a4_f67f, 0x4c00_2000_0806_0820, 0x3004_082c_8261_0598, 0x8269_0080_0100_c004,
    0x0000_0200_2002_0066, 0x0442_6000_0000_0420, 0x0001_0880_4120_5208, 0x0082_8240_0000_2100,
    0x4080_0040_0040_0002, 0x0800_2013_0000_0000, 0x0000_1000_0000_0500, 0x0031_0100_2600_0008,
    0x0000_0c00_0004_4000, 0x0800_0081_0098_0000, 0x0000_0000_0008_0200, 0x0000_2000_0020_8008,
    0x0000_1000_0000_0000, 0x0080_4026_1449_a4c0, 0x8001_0880_0880_0a20, 0x0004_2004_0400_0104,
    0x2600_0000_0001_0000, 0x2140_0002_0000_0140, 0x0ca4_0200_0200_0000, 0x0000_0200_1001_2000,
    0x0000_0008_0000_0001, 0x2000_0000_0100_1800, 0x2000_2420_0001_0000, 0x0200_0000_0800_0000,
    0x0100_1009_0000_0000, 0x0080_0000_0800_0080, 0x0000_0000_0500_0040, 0x0000_0000_2000_0060,
    0x0000_0001_0000_0000, 0x0000_0000_0000_0000, 0x0820_0080_0200_9800, 0x0000_0002_0000_0002,
    0x2000_2000_0804_0a60, 0x8000_1008_0200_4000, 0x0000_0100_0000_0000, 0x1200_0000_0010_0000,
    0x0800_0080_1000_0024, 0x0802_0000_0100_0000, 0x0000_1000_0000_0001, 0x0000_0000_0000_0000,
    0x0000_0000_1000_0040, 0x0040_0020_0000_0000, 0x0020_0000_0001_0002, 0x0000_0020_0000_0000,
    0x0000_0000_0000_0000, 0x0000_0200_0000_0000, 0x0000_0000_0000_0002, 0x0000_0000_0000_0000,
];

#[rustfmt::skip]
const IQ2_XS_POINTS: [u64; 52] = [
    0x9bcf_fe1b_79bf_dfff, 0xfc01_1029_84de_0134, 0x2213_09bc_0261_779b, 0x53f8_0080_0340_9800,
    0x0480_0201_3880_4126, 0xbcdf_e140_0001_2010, 0xc0c1_0098_4de0_1389, 0x41b0_9bc0_0010_0805,
    0x2080_0000_1009_8002, 0x2008_2033_0000_0100, 0x0000_0002_0000_0500, 0x2010_0984_ff00_0008,
    0x0010_0400_0404_804c, 0x0800_0001_809a_0020, 0x0000_1010_4000_4200, 0x0002_0401_0021_9400,
    0x1a00_0041_0010_4000, 0x309b_c026_53f9_bfc0, 0x8000_0018_1988_0a01, 0x0024_1301_0402_61b7,
    0x2600_0004_8011_0800, 0x0809_0042_0001_1140, 0x49bc_0000_0000_0800, 0x0000_0302_9800_2013,
    0x0221_3800_0004_0008, 0x0004_8000_0091_0084, 0x0088_0822_0040_0040, 0x0000_0000_1840_0100,
    0x1044_1009_8008_0000, 0x0400_0000_0000_00c0, 0x0000_0000_8101_0002, 0x0000_0040_0001_4020,
    0x0000_1000_0004_0000, 0x0440_0020_0000_0020, 0x017c_00c0_2713_7800, 0x0180_0020_1000_0242,
    0x1000_2008_0804_0e69, 0x4001_0000_2008_0000, 0x0000_0220_0610_0202, 0x1342_2400_0200_0000,
    0x0100_0401_0010_1020, 0x000a_0080_2000_0000, 0x0600_0040_0000_0049, 0x2000_0000_0001_0000,
    0x0000_0010_0002_0000, 0x0002_21b0_0004_0004, 0x0168_0004_8000_0100, 0x8000_0800_0201_0004,
    0x0000_0000_0000_0000, 0x4800_000b_0802_0080, 0x0030_0000_3000_0002, 0x0000_0000_0001_0100,
];

#[rustfmt::skip]
const IQ2_S_POINTS: [u64; 52] = [
    0xfbcd_ff53_7fbf_dfff, 0xfc45_502f_c4de_6736, 0xe6ff_6ffc_dbe7_fffb, 0x5f78_04c2_6d02_f84d,
    0x0884_da2f_3811_4dff, 0xbddf_e080_0043_4610, 0xc06f_37fb_ffe6_d77f, 0x6ff6_fbc0_2603_2996,
    0x3680_4c26_f37f_84de, 0x184d_e2df_8004_0261, 0x4024_2004_04c2_6f00, 0x0512_39d7_de00_0020,
    0x12d0_4402_6133_89ce, 0x6804_c26f_36fa_0300, 0x0202_0130_0050_2613, 0x0270_0800_4c06_5000,
    0x1820_0082_0040_0000, 0xf3fb_cda6_7ffb_ffc0, 0x800c_26d2_7984_de6f, 0x4de6_ff09_bcdf_efff,
    0xf640_0804_c26f_009c, 0x1009_84de_0120_9bcd, 0x7fbc_0000_0080_4c08, 0x04c2_6f37_f80d_e6ff,
    0xde6f_f000_6026_1368, 0x6000_804c_26f0_0984, 0x0898_4de0_0000_0502, 0x4040_0000_0804_c001,
    0x4826_d37b_a008_0000, 0x2012_0404_0261_3780, 0x0008_04c2_6d10_0010, 0x0000_0202_0404_4026,
    0x0410_0400_004c_0400, 0x0002_0000_0000_0080, 0x6fb0_1945_e65b_7880, 0x0000_4c07_5809_80de,
    0x984d_e013_09bc_5fe0, 0x4000_000c_04c0_1100, 0x8010_0188_0001_3019, 0xfb10_0830_0200_0000,
    0x0044_c065_0098_4de4, 0x84de_8000_0040_2600, 0x5000_0080_4c08_1009, 0x0140_9800_0404_0004,
    0x0000_0050_000c_0000, 0x004e_4550_0800_0000, 0x8240_0020_0400_1200, 0x1000_0804_d01a_0006,
    0x0000_0000_0000_4048, 0x1000_0008_0800_0002, 0x0016_1800_2008_0000, 0x0000_0000_0001_0040,
];

#[cfg(test)]
mod tests {
    use super::super::points::tests::{checksum, count};
    use super::*;

    #[test]
    fn the_books_are_the_formats() {
        assert_eq!([count(&IQ2_XXS_POINTS), count(&IQ2_XS_POINTS), count(&IQ2_S_POINTS)], [256, 512, 1024]);
        // Checksums of what the reference decoder answers.
        assert_eq!(checksum(&IQ2_XXS), 0xbb4e_e025_b5ac_6e8e);
        assert_eq!(checksum(&IQ2_XS), 0xc9b1_ee61_e799_09bd);
        assert_eq!(checksum(&IQ2_S), 0x123e_dd38_a3b6_2b90);
    }
}
