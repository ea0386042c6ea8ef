//! The book of IQ1_S and IQ1_M: eight of -1, 0 and 1.

use std::sync::LazyLock;

use super::lookup::Lookup;
use super::points::{Counted, expand};

/// `iq1s_grid`: 2048 of the 6561 possible points.
pub(crate) static IQ1: [[i8; 8]; 2048] = expand(&IQ1_POINTS, Counted::All, LEVELS);

/// Its points by their digits.
pub(crate) static IQ1_LOOKUP: LazyLock<Lookup<8, 3>> = LazyLock::new(|| Lookup::new(&IQ1, LEVELS, 3));

/// What a digit stands for.
const LEVELS: [i8; 3] = [-1, 0, 1];

#[rustfmt::skip]
const IQ1_POINTS: [u64; 103] = [
    0x5142_02a0_8514_2555, 0xa28a_2086_a831_4508, 0x1450_8514_202a_081a, 0xa005_1525_4544_2082,
    0x8208_0018_8820_8202, 0x0aaa_bb88_a02a_03a0, 0xaa0a_0022_000b_aa90, 0x4508_5140_08a0_828c,
    0x0851_4214_5080_8821, 0x2a80_08a0_9808_308a, 0x4248_2085_1421_4508, 0x20a0_c22c_0145_0855,
    0xa2aa_a824_2a00_268a, 0x0028_2808_08af_e208, 0xa820_28aa_2842_02a0, 0xa8ba_b908_9b0a_2080,
    0x3aaa_aea2_89ae_ca20, 0xb80e_82bb_baea_eb7c, 0x2202_920e_d3ca_ba22, 0x820a_ba8a_a820_2200,
    0x3ba2_e04a_2a00_0802, 0x8140_8100_a22b_2022, 0x8514_0122_0828_8aaa, 0x5421_4509_2082_1550,
    0x203a_a823_0208_a085, 0xa208_5142_5420_8284, 0x082a_0214_5095_0820, 0x2002_48a0_8082_a8b8,
    0xab28_02a2_68a2_8208, 0x0830_8208_2085_082a, 0xa085_1421_4500_4045, 0x8229_0145_0051_4200,
    0x1430_a108_2a82_8a00, 0x2145_0828_8214_5005, 0x2aaa_2002_0220_8514, 0xa828_ae8a_b112_2000,
    0x0a82_0070_a8aa_a1ba, 0x8200_8402_2228_0208, 0xaa2a_b0ea_a080_4800, 0xa7da_ea22_ba8b_20c2,
    0xaa2a_b092_a86e_8b8b, 0x4820_2a0c_448a_8b72, 0x20aa_082a_8a28_4084, 0xa09a_afa2_22a2_ccc8,
    0xa82a_0002_0002_a8e8, 0xa2a2_8ba0_8020_0088, 0xba0a_3282_80a0_ba28, 0x2ba0_a2eb_feba_b8be,
    0x00a2_ea28_0a8a_08a2, 0xdeea_a4fa_0c02_32a1, 0xeb7e_be8d_2ea8_2bef, 0xdeba_7de6_bf7f_f7fa,
    0x12fa_26bf_ff27_fb69, 0x0ebe_aa10_228a_e1e9, 0xae82_0ba8_b208_aa84, 0x6204_8083_e924_baff,
    0x002b_a40a_a8f2_682c, 0x0012_aae2_0808_2a02, 0x82c9_20a6_0a2a_8202, 0x8c00_a200_2882_9089,
    0x6c00_0808_8200_1380, 0x8abe_a602_bbaa_aa8a, 0xd02e_976b_8002_caa0, 0xdeaa_2e10_8210_e9b2,
    0x820a_0004_a5d1_1528, 0x20a1_0108_2082_8a00, 0xa084_3222_ba39_aa82, 0x0262_a28a_0018_8009,
    0xac21_4500_5144_1481, 0x20aa_0851_4214_5082, 0x4508_2a12_0a87_aa28, 0x0851_4208_a005_1421,
    0x22a2_40a0_0220_0145, 0x8a6a_08a2_0800_8800, 0x0a20_0080_aaaa_b86e, 0x5044_0821_22c8_e282,
    0x8515_208a_0951_4214, 0x2a2a_aa08_0a86_1450, 0x2145_0851_420a_0080, 0xe208_5142_1450_00a8,
    0x082a_8218_0a82_8820, 0x0a02_8bb0_8aaa_a2aa, 0x0aaa_8082_2820_aa2a, 0x2202_88a9_0028_0828,
    0xba8a_08b8_280b_bea0, 0xaef8_a4ba_ffae_b24b, 0x30a0_b668_2852_20aa, 0x6a22_0828_020a_80e6,
    0x2baa_aa02_0a20_8062, 0x0808_a2a0_a9a2_eaaa, 0x0e82_0022_8aa0_2010, 0x400a_a085_1421_4500,
    0x4a00_06a9_2145_0851, 0x440d_1000_a508_02aa, 0x0514_2145_0828_8214, 0x0020_f2ac_8282_0800,
    0x20ba_0a28_0aaa_0000, 0x2809_4882_0002_a2ea, 0x0051_454b_1100_14e9, 0x5142_1450_02a8_0145,
    0x400a_2888_0824_8808, 0x02a0_0514_0145_0008, 0x0000_0001_4508_5140,
];

#[cfg(test)]
mod tests {
    use super::super::points::tests::{checksum, count};
    use super::*;

    #[test]
    fn the_book_is_the_formats() {
        assert_eq!(count(&IQ1_POINTS), 2048);
        // The checksum of what the reference decoder answers.
        assert_eq!(checksum(&IQ1), 0x6703_ed86_3501_ae2e);
    }
}
