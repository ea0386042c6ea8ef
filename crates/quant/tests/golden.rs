//! What the reference writes, as checksums: four rows of six kinds for every type that is written.
//!
//! They were computed by libgguf 0.2.2, those of Q2_0 by the definition in the oracle, since libgguf has no such type;
//! `tests/oracle/codecs.py CODEC_BINARY --sums` prints them. The types' own files have single blocks to look at.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use ggufkit_format::spec::TensorType;
use ggufkit_quant::{Importance, codec, codecs};
use ggufkit_testkit::random::{Congruential, fnv1a};

/// Values of a row.
const ROW: usize = 512;

/// Numbers that anybody can make again, as four bytes each.
fn numbers(seed: u32, count: usize) -> Vec<[u8; 4]> {
    let mut numbers = Congruential::new(seed);
    std::iter::repeat_with(|| numbers.next_bytes()).take(count).collect()
}

/// Four rows of each kind: like weights, heavy-tailed, halves with ties, sparse, one-sided, and tiny.
fn rows() -> [Vec<f32>; 6] {
    let numbers = numbers(3, 4 * ROW);
    let total = |n: &[u8; 4]| n.iter().map(|byte| f32::from(byte.cast_signed())).sum::<f32>();
    let top = |n: &[u8; 4]| f32::from(n[3]);
    let each = |value: &dyn Fn(&[u8; 4]) -> f32| numbers.iter().map(value).collect();
    [
        each(&|n| total(n) / 4096.0),
        each(&|n| (total(n) / 64.0) * (total(n) / 64.0) * (total(n) / 64.0)),
        each(&|n| f32::from(n[3] % 33) / 2.0 - 8.0),
        each(&|n| if n[3] < 16 { total(n) } else { 0.0 }),
        each(&|n| 100.0 + top(n)),
        each(&|n| total(n) * 2.0_f32.powi(-40)),
    ]
}

#[test]
fn rows_become_the_blocks_of_the_reference() {
    let importance: Vec<f32> = numbers(2, ROW).iter().map(|n| 0.5 + f32::from(n[3]) / 256.0).collect();
    for codec in codecs().filter(|codec| codec.can_encode()) {
        let ty = codec.tensor_type();
        let expected = SUMS.iter().find(|(of, _)| *of == ty).map(|(_, sums)| *sums);
        let mut sums = Vec::new();
        for values in rows() {
            for weights in [None, Some(importance.as_slice())] {
                match (codec.importance(), weights) {
                    (Some(Importance::Required), None) | (Some(Importance::Unused), Some(_)) => continue,
                    _ => {}
                }
                let mut out = vec![0; values.len() / codec.block_elements() * codec.block_bytes()];
                codec.encode(&values, ROW, weights, &mut out).unwrap();
                sums.push(fnv1a(out));
            }
        }
        assert_eq!(Some(sums.as_slice()), expected, "{ty}");
    }
    assert!(SUMS.iter().all(|(ty, _)| codec(*ty).is_some_and(|codec| codec.can_encode())));
}

#[test]
fn other_sums_are_another_revision() {
    let types = SUMS.iter().flat_map(|(ty, sums)| [u64::from(ty.0)].into_iter().chain(sums.iter().copied()));
    let bytes = types.flat_map(u64::to_le_bytes);
    // Where the sums change for a type that was there before, REVISION grows by one, and both numbers are written here.
    assert_eq!((ggufkit_quant::REVISION, fnv1a(bytes)), (2, 0xe4d5_6aa1_891a_1dfa));
}

/// By type, for each kind without and with the importance of columns, where that makes sense for the type.
#[rustfmt::skip]
const SUMS: &[(TensorType, &[u64])] = &[
    (TensorType::F32, &[
        0x5a0c_b3fc_e425_5f8e, 0xef3f_27cc_d999_309b, 0xe026_0633_e54f_e6c2, 0x00f7_fabf_d36c_a5a8,
        0x5fd6_6b7e_b76e_9fd2, 0x0217_65fa_8b4c_65e6,
    ]),
    (TensorType::F16, &[
        0xdfad_2a2b_a4d1_b08a, 0xe619_ab3a_2e30_fd0d, 0x3343_e625_a0f6_6d05, 0xfd6f_0b85_86dc_e9be,
        0x5469_df90_6e99_a83f, 0x5309_a506_0bf0_0225,
    ]),
    (TensorType::BF16, &[
        0x3d9b_12cb_9dd9_d8ad, 0xc14e_641f_4f0b_b435, 0x88a3_3577_25a8_2e02, 0x99ea_ab67_df22_4af4,
        0x1da9_92c1_9a5a_0051, 0xf065_9374_fce8_4c99,
    ]),
    (TensorType::Q4_0, &[
        0x9d55_a174_43b9_8946, 0x2f68_049b_613b_ad76, 0x60e8_646f_0700_8974, 0xe12d_f63c_11bb_5346,
        0x7f2e_f9b4_7302_35c0, 0x4645_8b4d_9dad_b867, 0x2202_3401_fe6d_03ce, 0x5ba4_d3ef_580f_c0bc,
        0xcf23_7a8a_5c49_6eb2, 0xdc2a_a679_b96c_0c5d, 0x5f10_f6e0_39c6_21dc, 0x89c1_2c74_8fc3_5022,
    ]),
    (TensorType::Q4_1, &[
        0x9f09_e487_642e_ee8d, 0xc1ea_485a_b515_225d, 0x79a0_58f4_259f_02e3, 0x92d3_c548_4b59_ca0c,
        0xfbc1_315c_7907_b037, 0xa90d_de9d_60f7_bdce, 0x3369_b0e0_c475_8321, 0xd159_1366_4ef9_67ea,
        0xd293_092f_7df3_f479, 0x9c5f_acd2_83b3_48b3, 0x17bf_a748_2001_aead, 0x2409_29f8_5bf0_3c20,
    ]),
    (TensorType::Q5_0, &[
        0xbeb0_d4a0_6cb4_1fd5, 0xa5bd_f918_338d_5bf3, 0xc1a9_5b4d_8d0b_7a71, 0x9ac1_9e16_a944_0809,
        0x2c46_1dc2_a7b8_3313, 0x018e_ac62_22db_a03c, 0x4ade_d719_08c5_8b7d, 0xec17_381c_f54e_dba9,
        0x3fc0_0c13_f995_4a17, 0x6683_b655_b0f9_93c9, 0xacad_6772_3c08_1ebb, 0x1581_7a98_e76d_6951,
    ]),
    (TensorType::Q5_1, &[
        0x4ef1_19a0_431f_cfb1, 0xc01c_255c_6bd8_ce6a, 0x80f4_34c5_1d4b_8d35, 0xa0fc_3ac8_b1a6_220c,
        0x7074_8f00_27de_5b4e, 0x99e7_5cf4_256f_73ec, 0x4abb_c4a4_c15b_13bf, 0x1808_c241_e516_4817,
        0x2684_a9bc_31c2_ed83, 0xa43b_0aa7_7c1a_048f, 0xea27_69de_2abf_d228, 0x0b4c_e592_1efa_7919,
    ]),
    (TensorType::Q8_0, &[
        0xd775_1021_465c_f531, 0xd373_4a16_27b1_254a, 0x6e36_e2e1_aece_b07b, 0x6f7f_b1ab_b2d7_b385,
        0x69c1_965c_52df_9bd8, 0x5450_8e51_5a00_d05e,
    ]),
    (TensorType::Q1_0, &[
        0x2aa9_6772_b6c1_de9b, 0x219e_cdd7_bbf5_fed8, 0x5690_41d5_ba2c_d8df, 0xa5ba_09df_fbad_b02c,
        0xeccd_fed7_b728_f4ce, 0xaec4_53b6_7c0b_ecab,
    ]),
    (TensorType::Q2_0, &[
        0xa84c_fb23_c166_55ac, 0x2fc2_b3f6_67b3_3f05, 0x9347_190d_43b4_f7b2, 0x7bf8_358d_aea4_a759,
        0x5db4_55ca_aa2a_8fa0, 0x781e_2689_4bec_d24c,
    ]),
    (TensorType::Q2_K, &[
        0xd3a8_8539_a225_7d0a, 0x5efa_bc16_2c72_b036, 0x99c3_024d_c4da_4356, 0x3564_9012_ad5f_d84c,
        0xbaa7_f0e9_8ae3_46ab, 0xc952_a7b4_8821_60fe, 0x9739_fb20_143d_c192, 0xb60b_e735_74ed_5cb5,
        0x9ebe_9ca1_2bba_98bc, 0xa3a2_6db4_f0a1_1e9e, 0xc597_7cca_47fa_b4ab, 0xa04e_9a32_3107_5f6e,
    ]),
    (TensorType::Q3_K, &[
        0xc88f_c8d9_99cc_32fd, 0x2b14_7b1e_e98d_0fb6, 0xfc34_2602_58ad_90b0, 0x318b_2a3f_4491_d6a3,
        0xbae1_d085_ac67_3836, 0x965b_7abe_b23b_5491, 0x4ed4_0fca_3486_e351, 0x4003_2e11_a8f0_f426,
        0x175c_a7d3_f828_6ae1, 0xb502_bcde_8b00_1e1d, 0x1608_1034_981d_6aae, 0x0e75_d583_67f9_035f,
    ]),
    (TensorType::Q4_K, &[
        0x185a_a141_76a2_ea27, 0xf427_f6d8_8868_52a8, 0xd472_bbeb_a678_a022, 0x0ac2_8ae2_25c8_6147,
        0x5670_5c31_185f_b8e6, 0x5a1c_22d4_2e6d_d42a, 0x79d1_6be7_72f6_9373, 0xf154_3416_8b31_4daf,
        0x2db5_3b87_815a_1ae3, 0x6ab6_91ca_b9fd_199c, 0xc62a_dbba_6054_d1ec, 0xedd1_dc47_c1fb_fe5e,
    ]),
    (TensorType::Q5_K, &[
        0x4139_731b_ecd4_b448, 0xba31_0677_da0e_b48c, 0xaedd_3019_d8e0_fc1e, 0xfaff_a049_edd1_1ec9,
        0xfd45_919a_da6f_1a91, 0xb0d3_18f8_c8e8_9f59, 0xde44_4bb8_5037_24ce, 0x6641_a0c8_13c7_1a77,
        0xe69b_2b4e_5c5e_2c40, 0xf25f_7fc7_bb69_133c, 0x8259_8131_67f1_564d, 0x1df3_ae20_cc33_8d43,
    ]),
    (TensorType::Q6_K, &[
        0xf1e2_3325_4644_fe48, 0xab06_70fa_f271_947b, 0x9a72_04dc_cedf_299f, 0x6591_db38_ab76_aa49,
        0x824b_6536_ae62_80b0, 0x8adb_4192_2849_57c6, 0xd116_c68d_0afe_ddd3, 0x5262_f0df_9888_798e,
        0xd3e9_b581_7be5_17b7, 0xf444_6c06_5385_e9b6, 0x2546_39a9_4e39_78ab, 0x07bd_3fc5_cf94_9578,
    ]),
    (TensorType::IQ2_XXS, &[
        0x3876_f0fa_6416_28a0, 0xd192_9d27_6e16_72ff, 0x7daa_045c_dce8_744e, 0x4f25_efb7_556e_bb50,
        0x9a9e_7435_f1a2_7c1e, 0xe9e5_175e_f150_8898,
    ]),
    (TensorType::IQ2_XS, &[
        0x0253_d884_76b7_f867, 0x5879_d9cf_06fb_a852, 0x5f16_94cb_9ab6_907b, 0x5f35_530f_83d0_8c7a,
        0x1a97_ae9c_855f_076a, 0x5140_97e2_a3d3_7146,
    ]),
    (TensorType::IQ3_XXS, &[
        0xe5cc_1bfb_b9df_35df, 0x23b6_387b_6156_72cb, 0x220c_88e8_501d_40e6, 0x01ba_c0e2_9f94_ffa2,
        0x7811_e419_a457_b165, 0xe77d_c35c_a843_9b84, 0xbe0c_011f_9995_1acc, 0x86a4_1a88_9dbf_6a10,
        0x7d0b_182d_a7ba_8789, 0xcacd_c3fc_d264_3e5e, 0xacce_919f_8e9b_2065, 0xacce_919f_8e9b_2065,
    ]),
    (TensorType::IQ1_S, &[
        0xa7d6_7dd8_f15b_ce8b, 0xf356_c1bd_66fa_5e1f, 0x1474_efae_ddbb_a9bb, 0xcbca_8f20_9711_5069,
        0x0adb_3b13_0516_2b7e, 0xd869_2efb_ae4c_ef10,
    ]),
    (TensorType::IQ3_S, &[
        0x1105_f75d_f5eb_09e7, 0x94f2_ef0e_628f_7ba0, 0xdc7f_a4c6_9083_3cc5, 0xc16f_bf2c_3eb9_9a63,
        0xcd92_6136_386b_3067, 0xa780_1ded_8bf1_68ee, 0x12e4_1022_9c3d_8d16, 0x8b24_d972_c5ab_9a36,
        0x09dc_5ae6_96ab_f69f, 0x1327_b83d_5085_81d9, 0xe5ea_8d63_16e4_71cc, 0x56ac_ff18_c896_c0df,
    ]),
    (TensorType::IQ2_S, &[
        0xa0cb_1771_6ba9_5bb8, 0x269e_eb42_eb72_10be, 0x40f3_a8f8_c4aa_45d6, 0x5dbe_9e1f_daf0_c752,
        0x5fd2_94c4_f74c_d701, 0xe662_ce7b_7fe6_355b, 0xf4f7_f12a_ce62_f561, 0x55f8_95b5_5e48_440e,
        0x928c_9745_d564_a4a4, 0xbe33_78f2_d76b_936d, 0x42e5_71fa_b8b9_d665, 0x42e5_71fa_b8b9_d665,
    ]),
    (TensorType::IQ4_NL, &[
        0xb511_2176_e422_cc6b, 0xd3f0_3c95_2643_af49, 0x746a_684d_d930_ce35, 0xccd4_4256_fde4_14ca,
        0x48bf_c905_85c0_2b20, 0x1b7d_c472_9d55_ebdb, 0x6b2e_a818_7c48_f88c, 0x45ad_0b36_62da_8cfa,
        0x815b_990f_fecd_c6b0, 0xd2a7_528a_0cdf_d3c9, 0x7ea0_535e_5520_27e1, 0xe772_cc01_a276_7450,
    ]),
    (TensorType::IQ4_XS, &[
        0xa9a1_fcb3_5c40_2bd8, 0xd665_e946_2bb7_0d43, 0x5302_df47_9898_8f01, 0xb54c_6fbf_c008_06ef,
        0x5bca_e279_4927_10c1, 0x3620_55ce_f71e_15c3, 0x53e2_21de_66d2_1035, 0xbf5c_3b1c_afdc_995d,
        0x70f3_ed38_65cc_4097, 0x4df8_e685_b9eb_19a1, 0xdc1a_4b97_f3f0_8654, 0x69e9_2a54_ad0a_defa,
    ]),
    (TensorType::IQ1_M, &[
        0x7796_321d_b997_adc9, 0x0abf_f5de_2071_f311, 0x4f36_1f81_36d8_9161, 0x1f44_b604_49c7_b23a,
        0x38d5_d375_748b_fba8, 0x0f0b_c106_6377_78a5, 0x46f5_6eff_5635_352b, 0x5211_fe92_31f6_f63c,
        0xf5c0_284b_04af_929e, 0x4d5e_5963_9bae_27cd, 0xdded_d579_bea7_6625, 0xdded_d579_bea7_6625,
    ]),
    (TensorType::TQ1_0, &[
        0xc076_f235_a7f5_4fe4, 0x1da1_4243_65e7_d9c4, 0x6714_160d_9c6d_5a30, 0x0422_73c4_7dcf_3d6c,
        0xc12c_a4e9_f635_7055, 0x255e_edc4_52ad_12d4,
    ]),
    (TensorType::TQ2_0, &[
        0x3d98_3878_c1ff_17c4, 0xa38e_fb7a_051a_7971, 0x0f99_c33a_87a1_3bdd, 0x64e3_6f07_3592_2e90,
        0xa73e_03f6_fe22_3b02, 0x66f6_0b4e_675c_6f40,
    ]),
    (TensorType::MXFP4, &[
        0x6450_8133_a9e0_f66a, 0x6035_c434_bef7_fe37, 0x08ad_d747_3c9c_8ca0, 0xd302_659c_6cb9_39ab,
        0x5a96_ed32_7dd7_44e3, 0xcfbd_b26d_396c_0482,
    ]),
    (TensorType::NVFP4, &[
        0x5c30_00f1_076f_4993, 0x401b_4ac3_4e19_0b06, 0x44b9_34be_4844_de2f, 0xebf6_e14a_303c_a96a,
        0xbefc_6e7c_c19f_2423, 0x36fe_4d3f_1c23_3d25,
    ]),
];
