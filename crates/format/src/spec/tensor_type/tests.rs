use alloc::string::ToString;

use super::*;

/// id, name, elements, bytes, bits per weight: typed from the format reference, independently of the tables.
const EXPECTED: [(u32, &str, u32, u32, f64); 43] = [
    (0, "F32", 1, 4, 32.0),
    (1, "F16", 1, 2, 16.0),
    (2, "Q4_0", 32, 18, 4.5),
    (3, "Q4_1", 32, 20, 5.0),
    (4, "Q4_2", 0, 0, 0.0),
    (5, "Q4_3", 0, 0, 0.0),
    (6, "Q5_0", 32, 22, 5.5),
    (7, "Q5_1", 32, 24, 6.0),
    (8, "Q8_0", 32, 34, 8.5),
    (9, "Q8_1", 32, 36, 9.0),
    (10, "Q2_K", 256, 84, 2.625),
    (11, "Q3_K", 256, 110, 3.4375),
    (12, "Q4_K", 256, 144, 4.5),
    (13, "Q5_K", 256, 176, 5.5),
    (14, "Q6_K", 256, 210, 6.5625),
    (15, "Q8_K", 256, 292, 9.125),
    (16, "IQ2_XXS", 256, 66, 2.0625),
    (17, "IQ2_XS", 256, 74, 2.3125),
    (18, "IQ3_XXS", 256, 98, 3.0625),
    (19, "IQ1_S", 256, 50, 1.5625),
    (20, "IQ4_NL", 32, 18, 4.5),
    (21, "IQ3_S", 256, 110, 3.4375),
    (22, "IQ2_S", 256, 82, 2.5625),
    (23, "IQ4_XS", 256, 136, 4.25),
    (24, "I8", 1, 1, 8.0),
    (25, "I16", 1, 2, 16.0),
    (26, "I32", 1, 4, 32.0),
    (27, "I64", 1, 8, 64.0),
    (28, "F64", 1, 8, 64.0),
    (29, "IQ1_M", 256, 56, 1.75),
    (30, "BF16", 1, 2, 16.0),
    (31, "Q4_0_4_4", 0, 0, 0.0),
    (32, "Q4_0_4_8", 0, 0, 0.0),
    (33, "Q4_0_8_8", 0, 0, 0.0),
    (34, "TQ1_0", 256, 54, 1.6875),
    (35, "TQ2_0", 256, 66, 2.0625),
    (36, "IQ4_NL_4_4", 0, 0, 0.0),
    (37, "IQ4_NL_4_8", 0, 0, 0.0),
    (38, "IQ4_NL_8_8", 0, 0, 0.0),
    (39, "MXFP4", 32, 17, 4.25),
    (40, "NVFP4", 64, 36, 4.5),
    (41, "Q1_0", 128, 18, 1.125),
    (42, "Q2_0", 64, 18, 2.25),
];

#[test]
fn ids_sizes_and_bits_per_weight() {
    assert_eq!(TENSOR_TYPES.len(), EXPECTED.len());
    assert_eq!(TensorType::COUNT, 43);
    for (id, name, elems, bytes, bpw) in EXPECTED {
        let info = TensorType(id).info().unwrap();
        assert_eq!((info.ty.0, info.name), (id, name));
        assert_eq!((info.block_elems, info.block_bytes), (elems, bytes), "{name}");
        assert_eq!(info.bits_per_weight(), bpw, "{name}");
        assert_eq!(TensorType::from_name(name), Some(TensorType(id)));
        assert_eq!(TensorType::from_name(&name.to_lowercase()), Some(TensorType(id)));
        assert_eq!(info.is_removed(), elems == 0);
        assert_eq!(info.is_quantized(), elems > 1);
        assert_eq!(info.is_plain(), elems == 1);
    }
}

#[test]
fn parts_cover_every_byte_of_a_block_once() {
    for info in TENSOR_TYPES {
        let mut end = 0;
        for part in info.parts {
            assert_eq!(part.offset, end, "{} {}", info.name, part.name);
            assert!(part.bytes > 0);
            assert_eq!(part.bytes % part.unit.width(), 0, "{} {}", info.name, part.name);
            end += part.bytes;
        }
        assert_eq!(end, info.block_bytes, "{}", info.name);
        assert_eq!(info.formula.is_empty(), info.is_removed(), "{}", info.name);
    }
}

#[test]
fn members_that_byte_order_touches() {
    let words = |ty: TensorType| -> alloc::vec::Vec<(&str, u32, u32)> {
        let parts = ty.info().unwrap().parts.iter();
        parts.filter(|p| p.unit.width() > 1).map(|p| (p.name, p.offset, p.unit.width())).collect()
    };
    assert_eq!(words(TensorType::Q4_0), [("d", 0, 2)]);
    assert_eq!(words(TensorType::Q5_1), [("d", 0, 2), ("m", 2, 2), ("qh", 4, 4)]);
    assert_eq!(words(TensorType::Q2_K), [("d", 80, 2), ("dmin", 82, 2)]);
    assert_eq!(words(TensorType::Q3_K), [("d", 108, 2)]);
    assert_eq!(words(TensorType::Q6_K), [("d", 208, 2)]);
    assert_eq!(words(TensorType::Q8_K), [("d", 0, 4), ("bsums", 260, 2)]);
    assert_eq!(words(TensorType::IQ2_XXS), [("d", 0, 2), ("qs", 2, 2)]);
    assert_eq!(words(TensorType::IQ2_XS), [("d", 0, 2), ("qs", 2, 2)]);
    assert_eq!(words(TensorType::IQ3_XXS), [("d", 0, 2), ("scales_and_signs", 66, 4)]);
    assert_eq!(words(TensorType::IQ3_S), [("d", 0, 2)]);
    assert_eq!(words(TensorType::IQ1_S), [("d", 0, 2), ("qh", 34, 2)]);
    assert_eq!(words(TensorType::IQ1_M), [("scales", 48, 2)]);
    assert_eq!(words(TensorType::IQ4_XS), [("d", 0, 2), ("scales_h", 2, 2)]);
    assert_eq!(words(TensorType::MXFP4), []);
    assert_eq!(words(TensorType::NVFP4), []);
    assert_eq!(words(TensorType::BF16), [("value", 0, 2)]);
}

#[test]
fn every_type_is_explained_in_both_languages() {
    for info in TENSOR_TYPES {
        for text in info.parts.iter().map(|p| p.bits).chain([info.what]) {
            assert!(!text.en.is_empty() && !text.zh.is_empty(), "{}", info.name);
            assert!(text.en.is_ascii(), "{}: {}", info.name, text.en);
            assert!(!text.zh.is_ascii(), "{}: {}", info.name, text.zh);
        }
    }
}

#[test]
fn display_names_unknown_and_removed_ids() {
    assert_eq!(TensorType::Q4_K.to_string(), "Q4_K");
    assert_eq!(TensorType(4).to_string(), "Q4_2 (removed)");
    assert_eq!(TensorType(156).to_string(), "unknown(156)");
    assert_eq!(TensorType(43).info(), None);
    assert_eq!(TensorType(u32::MAX).info(), None);
    assert_eq!(TensorType::from_name("Q4_K_M"), None);
    let compute: alloc::vec::Vec<_> =
        TENSOR_TYPES.iter().filter(|i| i.status == TypeStatus::ComputeOnly).map(|i| i.name).collect();
    assert_eq!(compute, ["Q8_1", "Q8_K"]);
}
