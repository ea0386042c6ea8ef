//! What a tensor gets whose rows are no whole number of the type's blocks.

use ggufkit_format::spec::TensorType as T;

/// Types with smaller blocks and about as many bits.
const SMALLER: &[(T, T)] = &[
    (T::IQ1_S, T::IQ4_NL),
    (T::IQ1_M, T::IQ4_NL),
    (T::IQ2_XXS, T::IQ4_NL),
    (T::IQ2_XS, T::IQ4_NL),
    (T::IQ2_S, T::IQ4_NL),
    (T::IQ3_XXS, T::IQ4_NL),
    (T::IQ3_S, T::IQ4_NL),
    (T::IQ4_XS, T::IQ4_NL),
    (T::Q2_0, T::Q4_0),
    (T::Q2_K, T::Q4_0),
    (T::Q3_K, T::Q4_0),
    (T::TQ1_0, T::Q4_0),
    (T::TQ2_0, T::Q4_0),
    (T::Q4_K, T::Q5_0),
    (T::Q5_K, T::Q5_1),
    (T::Q6_K, T::Q8_0),
];

/// Blocks of the types that stand on the right: where such a one does not fit, nothing smaller does.
const SMALL: u64 = 32;

/// Values of a block.
pub(super) fn block(ty: T) -> u64 {
    ty.info().map_or(1, |info| u64::from(info.block_elems).max(1))
}

/// Whether rows of this length are whole blocks.
pub(super) fn fits(ty: T, row: u64) -> bool {
    row.is_multiple_of(block(ty))
}

/// The type in place of one that does not fit; `None` where none is known.
pub(super) fn fitting(ty: T, row: u64) -> Option<T> {
    if fits(ty, row) {
        return Some(ty);
    }
    let smaller = SMALLER.iter().find(|(from, _)| *from == ty).map(|(_, to)| *to);
    let smaller = smaller.or_else(|| (block(ty) <= SMALL).then_some(ty))?;
    Some(if fits(smaller, row) { smaller } else { T::F16 })
}
