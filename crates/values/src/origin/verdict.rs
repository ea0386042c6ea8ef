//! Whether values come from a source: what the distances of all tensors say together.

use ggufkit_format::spec::TensorType;

use crate::compare::Difference;

/// What the distances say.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Verdict {
    /// Every matrix is as near as its type allows: the values are those of the source.
    Same,
    /// All matrices are near, some further off than their types explain: made from another state of the source, as one that was
    /// trained further, or changed since.
    Related,
    /// Some matrices are near, and some have nothing in common.
    Mixed,
    /// The values have nothing in common.
    Unrelated,
    /// There is no matrix to tell by.
    Unknown,
}

impl Verdict {
    /// A word that stays.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Related => "related",
            Self::Mixed => "mixed",
            Self::Unrelated => "unrelated",
            Self::Unknown => "unknown",
        }
    }
}

/// The relative error that comes of writing normally distributed values as a type; `None` where that is not known.
fn typical(ty: TensorType) -> Option<f64> {
    TYPICAL.iter().find(|(known, _)| *known == ty).map(|(_, error)| *error)
}

/// Relative errors of types.
const TYPICAL: &[(TensorType, f64)] = &[
    (TensorType::F32, 0.0),
    (TensorType::F16, 2.06e-4),
    (TensorType::BF16, 1.66e-3),
    (TensorType::Q4_0, 8.47e-2),
    (TensorType::Q4_1, 7.73e-2),
    (TensorType::Q5_0, 4.29e-2),
    (TensorType::Q5_1, 3.77e-2),
    (TensorType::Q8_0, 5.27e-3),
    (TensorType::Q1_0, 5.98e-1),
    (TensorType::Q2_0, 7.09e-1),
    (TensorType::Q2_K, 2.95e-1),
    (TensorType::Q3_K, 1.50e-1),
    (TensorType::Q4_K, 7.07e-2),
    (TensorType::Q5_K, 3.58e-2),
    (TensorType::Q6_K, 1.76e-2),
    (TensorType::IQ2_XXS, 3.41e-1),
    (TensorType::IQ2_XS, 2.98e-1),
    (TensorType::IQ3_XXS, 2.13e-1),
    (TensorType::IQ1_S, 4.84e-1),
    (TensorType::IQ3_S, 1.64e-1),
    (TensorType::IQ2_S, 2.65e-1),
    (TensorType::IQ4_NL, 7.56e-2),
    (TensorType::IQ4_XS, 7.63e-2),
    (TensorType::IQ1_M, 5.84e-1),
    (TensorType::TQ1_0, 7.93e-1),
    (TensorType::TQ2_0, 7.93e-1),
    (TensorType::MXFP4, 1.15e-1),
    (TensorType::NVFP4, 9.52e-2),
];

/// How far beyond the typical error is still the type's doing: values are not normally distributed, and importance puts the
/// error where it hurts least.
const SLACK: f64 = 2.0;

/// The cosine from which on two matrices have something in common: that of random ones of a model's size is next to 0.
const NEAR: f64 = 0.5;

/// What the distances of matrices say: of each the types in the source and in the file.
#[must_use]
pub fn verdict<'d>(matrices: impl IntoIterator<Item = (TensorType, TensorType, &'d Difference)>) -> Verdict {
    let (mut near, mut far, mut off) = (0_u64, 0_u64, 0_u64);
    for (own, written, difference) in matrices {
        // Zeros have no direction, and nothing to tell.
        let Some(cosine) = difference.cosine() else { continue };
        if cosine < NEAR {
            far = far.saturating_add(1);
            continue;
        }
        near = near.saturating_add(1);
        // What both types take away; a source in the type of the file has lost it already.
        let allowed = match own == written {
            true => Some(0.0),
            false => typical(written).map(|error| SLACK * error),
        };
        let within = difference.relative().zip(allowed).is_none_or(|(found, allowed)| found <= allowed);
        off = off.saturating_add(u64::from(!within || difference.not_finite > 0));
    }
    match (near, far, off) {
        (0, 0, _) => Verdict::Unknown,
        (0, ..) => Verdict::Unrelated,
        (_, 1.., _) => Verdict::Mixed,
        (.., 1..) => Verdict::Related,
        _ => Verdict::Same,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::of_values;
    use ggufkit_quant::codecs;

    /// Sums of twelve uniform numbers are as good as normal.
    fn normal(count: usize) -> Vec<f32> {
        let mut seed = 7_u64;
        let mut uniform = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 40) as f32 / (1 << 24) as f32
        };
        (0..count).map(|_| (0..12).map(|_| uniform()).sum::<f32>() - 6.0).collect()
    }

    #[test]
    fn what_is_near_and_what_is_not() {
        let values = normal(4096);
        let q8 = codecs().find(|codec| codec.tensor_type() == TensorType::Q8_0).unwrap();
        let (mut blocks, mut again) = (vec![0; 128 * 34], vec![0.0; 4096]);
        q8.encode(&values, 4096, None, &mut blocks).unwrap();
        q8.decode(&blocks, &mut again).unwrap();
        let of = |other: &[f32]| of_values(&values, other);
        let (own, written) = (TensorType::BF16, TensorType::Q8_0);
        let same = of(&again);
        // A tenth of the weights' size is twenty times what Q8_0 takes away.
        let trained: Vec<f32> = again
            .iter()
            .zip(normal(4097).iter().skip(1))
            .map(|(value, noise)| value + noise / 10.0)
            .collect();
        let (trained, other) = (of(&trained), of(&normal(4097)[1..]));
        let told = |all: &[&Difference]| verdict(all.iter().map(|one| (own, written, *one)));
        assert_eq!(told(&[&same, &same]), Verdict::Same);
        assert_eq!(told(&[&same, &trained]), Verdict::Related);
        assert_eq!(told(&[&same, &other]), Verdict::Mixed);
        assert_eq!(told(&[&other, &other]), Verdict::Unrelated);
        assert_eq!(told(&[&of(&[0.0; 4096])]), Verdict::Unknown);
        // What has the type of the source already is not to lose anything.
        assert_eq!(verdict([(written, written, &same)]), Verdict::Related);
    }

    #[test]
    fn errors_of_types_are_those_of_writing_normal_values() {
        let values = normal(1 << 12);
        let weights = [1.0; 256];
        for codec in codecs().filter(|codec| codec.can_encode()) {
            let ty = codec.tensor_type();
            let mut blocks = vec![0; values.len() / codec.block_elements() * codec.block_bytes()];
            let importance = codec.needs_importance().then_some(&weights[..]);
            codec.encode(&values, 256, importance, &mut blocks).unwrap();
            let mut again = vec![0.0; values.len()];
            codec.decode(&blocks, &mut again).unwrap();
            let found = of_values(&values, &again).relative().unwrap();
            let wanted = typical(ty).unwrap();
            assert!((found - wanted).abs() <= 0.1 * wanted, "{ty}: {found} is not {wanted}");
        }
    }
}
