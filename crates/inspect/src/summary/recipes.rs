//! The named recipes of quantization: which types each is made of.
//!
//! Source: `llama_model_quantize` (default type of a file type, the types that single tensors are raised to, the types
//! that rows of odd length fall back to), and the convention of publishers who store embedding and output in Q8_0 and
//! add `_L` to the name.

use ggufkit_format::spec::{FileType, TensorType as T};

use crate::tensors::Share;

/// The types that may hold most bytes of the layers in a file of this recipe, the usual one first. Empty for ids that
/// are not known.
pub(super) const fn expected(recipe: FileType) -> &'static [T] {
    match recipe.0 {
        0 => &[T::F32],
        1 => &[T::F16],
        2 => &[T::Q4_0],
        3 | 4 => &[T::Q4_1],
        5 => &[T::Q4_2],
        6 => &[T::Q4_3],
        7 => &[T::Q8_0],
        8 => &[T::Q5_0],
        9 => &[T::Q5_1],
        10 => &[T::Q2_K, T::Q3_K],
        11 => &[T::Q3_K],
        12 => &[T::Q3_K, T::Q4_K],
        13 => &[T::Q3_K, T::Q5_K],
        14 | 15 => &[T::Q4_K],
        16 | 17 => &[T::Q5_K],
        18 => &[T::Q6_K],
        19 => &[T::IQ2_XXS],
        20 | 28 => &[T::IQ2_XS],
        21 => &[T::Q2_K],
        22 => &[T::IQ3_S, T::IQ3_XXS],
        23 => &[T::IQ3_XXS],
        24 => &[T::IQ1_S],
        25 => &[T::IQ4_NL],
        26 | 27 => &[T::IQ3_S],
        29 => &[T::IQ2_S],
        30 => &[T::IQ4_XS],
        31 => &[T::IQ1_M],
        32 => &[T::BF16],
        33 => &[T::Q4_0_4_4],
        34 => &[T::Q4_0_4_8],
        35 => &[T::Q4_0_8_8],
        36 => &[T::TQ1_0],
        37 => &[T::TQ2_0],
        38 => &[T::MXFP4],
        39 => &[T::NVFP4],
        40 => &[T::Q1_0],
        41 => &[T::Q2_0],
        _ => &[],
    }
}

/// The type that a quantizer takes where a row is no multiple of 256.
pub(super) const fn fallback(wanted: T) -> Option<T> {
    match wanted {
        T::IQ2_XXS
        | T::IQ2_XS
        | T::IQ2_S
        | T::IQ3_XXS
        | T::IQ3_S
        | T::IQ1_S
        | T::IQ1_M
        | T::Q2_K
        | T::Q3_K
        | T::IQ4_XS => Some(T::IQ4_NL),
        T::TQ1_0 | T::TQ2_0 => Some(T::Q4_0),
        T::Q4_K => Some(T::Q5_0),
        T::Q5_K => Some(T::Q5_1),
        T::Q6_K => Some(T::Q8_0),
        _ => None,
    }
}

/// The recipe that a mix of the layers' types resembles; `None` where no type holds a third of the bytes.
pub(super) fn resembles(bulk: &[Share], embedding: Option<T>, output: Option<T>) -> Option<String> {
    let bytes =
        |ty: T| bulk.iter().find(|share| share.tensor_type == ty).map_or(0, |share| share.totals.bytes);
    let all: u64 = bulk.iter().map(|share| share.totals.bytes).fold(0, u64::saturating_add);
    let first = bulk.first()?;
    if first.totals.bytes == 0 || first.totals.bytes < all / 3 {
        return None;
    }
    let has = |ty: T| bytes(ty) > 0;
    let name = match first.tensor_type {
        T::Q2_K if has(T::Q3_K) => "Q2_K",
        T::Q2_K => "Q2_K_S",
        T::Q3_K if bytes(T::Q5_K) > bytes(T::Q4_K) => "Q3_K_L",
        T::Q3_K if has(T::Q4_K) => "Q3_K_M",
        T::Q3_K => "Q3_K_S",
        T::Q4_K if has(T::Q6_K) => "Q4_K_M",
        T::Q4_K => "Q4_K_S",
        T::Q5_K if has(T::Q6_K) => "Q5_K_M",
        T::Q5_K => "Q5_K_S",
        T::IQ2_XS if has(T::IQ3_S) => "IQ2_S",
        T::IQ2_S => "IQ2_M",
        T::IQ3_S if has(T::IQ3_XXS) => "IQ3_XS",
        T::IQ3_S if has(T::Q4_K) => "IQ3_M",
        T::IQ3_XXS if bytes(T::IQ3_S) > all / 5 => "IQ3_XS",
        T::MXFP4 => "MXFP4_MOE",
        ty => FileType::from_name(ty.name()?)?.short_name()?,
    };
    let raised = embedding == Some(T::Q8_0) || output == Some(T::Q8_0);
    Some(match (name, raised) {
        ("Q2_K" | "Q6_K", true) => format!("{name}_L"),
        ("Q3_K_L", true) => "Q3_K_XL".to_owned(),
        ("Q4_K_M", true) => "Q4_K_L".to_owned(),
        ("Q5_K_M", true) => "Q5_K_L".to_owned(),
        _ => name.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensors::{Sizing, Totals};

    fn mix(types: &[(T, u64)]) -> Vec<Share> {
        let totals = |bytes| Totals { tensors: 1, elements: bytes, bytes, sizing: Sizing::Exact };
        types
            .iter()
            .map(|(tensor_type, bytes)| Share { tensor_type: *tensor_type, totals: totals(*bytes) })
            .collect()
    }

    #[test]
    fn every_file_type_has_a_type_it_is_mostly_of() {
        for id in 0..42 {
            assert!(!expected(FileType(id)).is_empty(), "{id}");
        }
        assert!(expected(FileType(42)).is_empty());
        // Where a recipe is named after one type, that is the type.
        for info in ggufkit_format::spec::FILE_TYPES {
            if let Some(ty) = T::from_name(info.short_name())
                && !["IQ2_S"].contains(&info.short_name())
            {
                assert_eq!(expected(info.ty).first(), Some(&ty), "{}", info.name);
            }
        }
    }

    #[test]
    fn mixes_resemble_recipes() {
        for (types, embedding, expected) in [
            (&[(T::Q4_K, 80), (T::Q6_K, 20)][..], T::Q4_K, Some("Q4_K_M")),
            (&[(T::Q4_K, 80), (T::Q5_K, 20)], T::Q4_K, Some("Q4_K_S")),
            (&[(T::Q4_K, 80), (T::Q6_K, 20)], T::Q8_0, Some("Q4_K_L")),
            (&[(T::Q2_K, 60), (T::Q3_K, 40)], T::Q8_0, Some("Q2_K_L")),
            (&[(T::Q2_K, 60), (T::Q3_K, 40)], T::Q2_K, Some("Q2_K")),
            (&[(T::Q3_K, 60), (T::Q4_K, 30), (T::Q5_K, 10)], T::Q3_K, Some("Q3_K_M")),
            (&[(T::Q3_K, 60), (T::Q5_K, 40)], T::Q3_K, Some("Q3_K_L")),
            (&[(T::Q8_0, 99), (T::F32, 1)], T::Q8_0, Some("Q8_0")),
            (&[(T::F16, 99), (T::F32, 1)], T::F16, Some("F16")),
            (&[(T(156), 100)], T::F16, None),
            (&[(T::Q4_K, 30), (T::Q5_K, 29), (T::Q6_K, 28), (T::Q8_0, 27)], T::Q4_K, None),
            (&[], T::Q4_K, None),
        ] {
            assert_eq!(resembles(&mix(types), Some(embedding), None).as_deref(), expected, "{types:?}");
        }
    }
}
