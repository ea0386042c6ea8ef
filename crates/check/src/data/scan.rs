//! Which values of a block can be other than finite, and how many are.
//!
//! Source: `ggml_validate_row_data` in ggml-quants.c: every value of the float types, and the scales of the block types.

use ggufkit_format::Endian;
use ggufkit_format::spec::{PartUnit, TensorType, TypeStatus};

/// Odd, with bits spread evenly; for mixing.
pub(super) const PRIME: u64 = 0x9e37_79b9_7f4a_7c15;

/// Bytes between the samples that make a fingerprint, and bytes of one.
const STEP: usize = 4096;
const SAMPLE: usize = 64;

/// Values that are not finite.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Count {
    /// Not a number.
    pub(crate) nan: u64,
    /// Infinite.
    pub(crate) infinite: u64,
    /// Position of the first of them, and its length in bytes.
    pub(crate) first: Option<(u64, u64)>,
    /// Whether they are scales of blocks and not values.
    pub(crate) scales: bool,
}

impl Count {
    pub(super) fn add(&mut self, other: &Self) {
        self.nan += other.nan;
        self.infinite += other.infinite;
        self.scales |= other.scales;
        self.first = match (self.first, other.first) {
            (Some(a), Some(b)) => Some(if b.0 < a.0 { b } else { a }),
            (a, b) => a.or(b),
        };
    }

    fn note(&mut self, class: Class, at: u64, len: u64) {
        match class {
            Class::Finite => return,
            Class::Nan => self.nan += 1,
            Class::Infinite => self.infinite += 1,
        }
        if self.first.is_none_or(|(first, _)| at < first) {
            self.first = Some((at, len));
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    Finite,
    Nan,
    Infinite,
}

impl Class {
    const fn of(exponent_full: bool, mantissa: bool) -> Self {
        match (exponent_full, mantissa) {
            (false, _) => Self::Finite,
            (true, false) => Self::Infinite,
            (true, true) => Self::Nan,
        }
    }
}

/// A number that can be other than finite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Number {
    F16,
    Bf16,
    F32,
    F64,
    E8m0,
    /// The half-precision scale of IQ1_M, whose four nibbles are the top ones of four words.
    Nibbles,
}

impl Number {
    const fn of(unit: PartUnit) -> Option<Self> {
        Some(match unit {
            PartUnit::F16 => Self::F16,
            PartUnit::Bf16 => Self::Bf16,
            PartUnit::F32 => Self::F32,
            PartUnit::F64 => Self::F64,
            PartUnit::E8M0 => Self::E8m0,
            _ => return None,
        })
    }

    const fn bytes(self) -> usize {
        match self {
            Self::E8m0 => 1,
            Self::F16 | Self::Bf16 => 2,
            Self::F32 => 4,
            Self::F64 | Self::Nibbles => 8,
        }
    }

    /// The class of the number at the start of `bytes`.
    fn class(self, bytes: &[u8], endian: Endian) -> Class {
        let word = |at: usize| bytes.get(at..).and_then(|b| b.first_chunk()).map_or(0, |b| endian.u16(*b));
        match self {
            Self::E8m0 => Class::of(bytes.first() == Some(&0xff), true),
            Self::F16 => half(word(0)),
            Self::Bf16 => Class::of(word(0) & 0x7f80 == 0x7f80, word(0) & 0x7f != 0),
            Self::F32 => {
                let bits = bytes.first_chunk().map_or(0, |b| endian.u32(*b));
                Class::of(bits & 0x7f80_0000 == 0x7f80_0000, bits & 0x7f_ffff != 0)
            }
            Self::F64 => {
                let bits = bytes.first_chunk().map_or(0, |b| endian.u64(*b));
                const FULL: u64 = 0x7ff << 52;
                Class::of(bits & FULL == FULL, bits & !(1 << 63) & !FULL != 0)
            }
            Self::Nibbles => half(
                (word(0) >> 12) | ((word(2) >> 8) & 0x00f0) | ((word(4) >> 4) & 0x0f00) | (word(6) & 0xf000),
            ),
        }
    }
}

const fn half(bits: u16) -> Class {
    Class::of(bits & 0x7c00 == 0x7c00, bits & 0x3ff != 0)
}

/// Counts the values of one tensor type.
#[derive(Clone, Debug)]
pub(super) struct Scanner {
    block: usize,
    endian: Endian,
    /// Numbers of a block, by their place in it.
    numbers: Vec<(usize, Number)>,
    /// Whether a block is one value.
    plain: bool,
}

impl Scanner {
    /// `None` for types without a size.
    pub(super) fn new(ty: TensorType, endian: Endian) -> Option<Self> {
        let info = ty.info()?;
        if matches!(info.status, TypeStatus::Removed { .. }) || info.block_bytes == 0 {
            return None;
        }
        let mut numbers: Vec<(usize, Number)> = Vec::new();
        if ty == TensorType::IQ1_M {
            let scales = info.parts.iter().find(|part| part.name == "scales");
            numbers.extend(scales.map(|part| (part.offset as usize, Number::Nibbles)));
        } else {
            for part in info.parts {
                let Some(number) = Number::of(part.unit) else { continue };
                let many = (part.bytes as usize / number.bytes()).max(1);
                numbers.extend((0..many).map(|n| (part.offset as usize + n * number.bytes(), number)));
            }
        }
        Some(Self { block: info.block_bytes as usize, endian, numbers, plain: info.block_elems == 1 })
    }

    pub(super) fn block(&self) -> usize {
        self.block
    }

    /// Counts what is not finite in whole blocks that begin at position `at`.
    pub(super) fn count(&self, bytes: &[u8], at: u64, count: &mut Count) {
        if let [(0, number)] = self.numbers.as_slice()
            && self.plain
        {
            // Whether a stretch holds anything odd is told by one pass without branches; counting is for the rare case.
            for (n, stretch) in bytes.chunks(STEP).enumerate() {
                if self.is_suspicious(*number, stretch) {
                    self.each(stretch, at.saturating_add((n * STEP) as u64), count);
                }
            }
        } else if !self.numbers.is_empty() {
            self.each(bytes, at, count);
        }
    }

    fn each(&self, bytes: &[u8], at: u64, count: &mut Count) {
        for (n, block) in bytes.chunks_exact(self.block).enumerate() {
            for (offset, number) in &self.numbers {
                let class = number.class(block.get(*offset..).unwrap_or_default(), self.endian);
                if class != Class::Finite {
                    let position = at.saturating_add((n * self.block + offset) as u64);
                    count.note(class, position, number.bytes() as u64);
                    count.scales |= !self.plain;
                }
            }
        }
    }

    /// Whether a value has an exponent of all ones.
    fn is_suspicious(&self, number: Number, bytes: &[u8]) -> bool {
        macro_rules! any {
            ($type:ty, $mask:expr) => {{
                // In file order the mask's bytes stand where the exponent's do.
                let mask = match self.endian {
                    Endian::Little => <$type>::from_le_bytes(<$type>::to_le_bytes($mask)).to_le(),
                    Endian::Big => <$type>::to_be($mask),
                };
                let (chunks, _) = bytes.as_chunks();
                chunks.iter().fold(false, |any, chunk| any | (<$type>::from_ne_bytes(*chunk) & mask == mask))
            }};
        }
        match number {
            Number::F16 => any!(u16, 0x7c00),
            Number::Bf16 => any!(u16, 0x7f80),
            Number::F32 => any!(u32, 0x7f80_0000),
            Number::F64 => any!(u64, 0x7ff0_0000_0000_0000),
            Number::E8m0 | Number::Nibbles => true,
        }
    }
}

/// Mixes samples of the bytes into a fingerprint.
pub(super) fn samples(bytes: &[u8], mut mixed: u64) -> u64 {
    for sample in bytes.chunks(STEP).filter_map(|stretch| stretch.get(..SAMPLE.min(stretch.len()))) {
        for word in sample.chunks(8) {
            let mut padded = [0; 8];
            for (to, from) in padded.iter_mut().zip(word) {
                *to = *from;
            }
            mixed = (mixed.rotate_left(23) ^ u64::from_le_bytes(padded)).wrapping_mul(PRIME);
        }
    }
    mixed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(ty: TensorType, endian: Endian, bytes: &[u8]) -> Count {
        let mut count = Count::default();
        Scanner::new(ty, endian).unwrap().count(bytes, 100, &mut count);
        count
    }

    #[test]
    fn values_of_float_types_are_classified_in_both_byte_orders() {
        let halves = [0x3c00_u16, 0x7c00, 0xfc00, 0x7c01, 0x7bff];
        let little: Vec<u8> = halves.iter().flat_map(|h| h.to_le_bytes()).collect();
        let big: Vec<u8> = halves.iter().flat_map(|h| h.to_be_bytes()).collect();
        let expected = Count { nan: 1, infinite: 2, first: Some((102, 2)), scales: false };
        assert_eq!(count(TensorType::F16, Endian::Little, &little), expected);
        assert_eq!(count(TensorType::F16, Endian::Big, &big), expected);
        // 0x7f7f is the largest finite bfloat16, and a NaN in half precision.
        assert_eq!(count(TensorType::BF16, Endian::Little, &[0x7f, 0x7f, 0x80, 0x7f]).infinite, 1);
        let floats: Vec<u8> = [1.0_f32, f32::NAN, f32::MAX].iter().flat_map(|v| v.to_le_bytes()).collect();
        assert_eq!(count(TensorType::F32, Endian::Little, &floats).nan, 1);
        let doubles: Vec<u8> = [f64::NEG_INFINITY, f64::MAX].iter().flat_map(|v| v.to_be_bytes()).collect();
        assert_eq!(count(TensorType::F64, Endian::Big, &doubles).infinite, 1);
    }

    #[test]
    fn only_the_scales_of_blocks_are_looked_at() {
        let mut block = vec![0xff; 34];
        block[..2].copy_from_slice(&0x3c00_u16.to_le_bytes());
        assert_eq!(count(TensorType::Q8_0, Endian::Little, &block).first, None);
        block[..2].copy_from_slice(&0x7e00_u16.to_le_bytes());
        let found = count(TensorType::Q8_0, Endian::Little, &block);
        assert_eq!((found.nan, found.first, found.scales), (1, Some((100, 2)), true));
        // Q2_K: d and dmin stand behind scales and quants.
        let mut block = vec![0xff; 84];
        block[80..].copy_from_slice(&[0, 0, 0, 0x7c]);
        let found = count(TensorType::Q2_K, Endian::Little, &block);
        assert_eq!((found.infinite, found.first), (1, Some((182, 2))));
        // MXFP4: an exponent of 255 is not a number. NVFP4 has no such value to look for.
        assert_eq!(count(TensorType::MXFP4, Endian::Little, &[0xff; 17]).nan, 1);
        assert_eq!(count(TensorType::NVFP4, Endian::Little, &[0xff; 36]).first, None);
    }

    #[test]
    fn the_packed_scale_of_iq1_m_is_put_together() {
        // 0x7c00 = infinity: nibbles 0, 0, c, 7 from the lowest, each the top one of its word.
        let mut block = vec![0; 56];
        for (word, nibble) in [0_u16, 0x0, 0xc, 0x7].into_iter().enumerate() {
            block[48 + 2 * word..50 + 2 * word].copy_from_slice(&(nibble << 12 | 0x0fff).to_le_bytes());
        }
        assert_eq!(count(TensorType::IQ1_M, Endian::Little, &block).infinite, 1);
        block[54..56].copy_from_slice(&0x3fff_u16.to_le_bytes());
        assert_eq!(count(TensorType::IQ1_M, Endian::Little, &block).first, None);
    }
}
