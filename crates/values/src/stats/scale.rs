//! The scales of blocks.

use ggufkit_format::spec::{PartRole, PartUnit, TensorType};
use ggufkit_quant::half::{bf16_to_f32, f16_to_f32};
use ggufkit_quant::registers::{Doubles, Pass, widest};

use super::{Scales, Stats};

/// How a scale is written.
#[derive(Clone, Copy)]
enum Written {
    Half,
    Brain,
    Single,
    /// A power of two by its exponent; 255 is not a number.
    Power,
}

/// Where a block has its scale, of a type that has one per block.
pub(super) struct Scale {
    block: usize,
    at: usize,
    written: Written,
}

impl Scale {
    /// Where it is in blocks of a type.
    pub(super) fn of(ty: TensorType) -> Option<Self> {
        let info = ty.info()?;
        let part = info.parts.iter().find(|part| part.role == PartRole::Scale)?;
        let (width, written): (u64, Written) = match part.unit {
            PartUnit::F16 => (2, Written::Half),
            PartUnit::Bf16 => (2, Written::Brain),
            PartUnit::F32 => (4, Written::Single),
            PartUnit::E8M0 => (1, Written::Power),
            _ => return None,
        };
        // More of them than one are the scales of parts of a block.
        let one = u64::from(part.bytes) == width;
        one.then_some(Self { block: info.block_bytes as usize, at: part.offset as usize, written })
    }

    /// Adds the scales of these blocks.
    pub(super) fn look(&self, stats: &mut Stats, blocks: &[u8]) {
        let scales = match self.written {
            Written::Half => self.seen(
                blocks,
                0x7c00,
                |bytes| u32::from(u16::from_le_bytes(bytes) & 0x7fff),
                |bits| f16_to_f32(bits as u16),
            ),
            Written::Brain => self.seen(
                blocks,
                0x7f80,
                |bytes| u32::from(u16::from_le_bytes(bytes) & 0x7fff),
                |bits| bf16_to_f32(bits as u16),
            ),
            Written::Single => self.seen(
                blocks,
                0x7f80_0000,
                |bytes| u32::from_le_bytes(bytes) & 0x7fff_ffff,
                f32::from_bits,
            ),
            // From 1: none of them is zero.
            Written::Power => self.seen(
                blocks,
                256,
                |[exponent]| u32::from(exponent).saturating_add(1),
                |bits| (bits as f32 - 128.0).exp2(),
            ),
        };
        stats.add(&Stats { scales: Some(scales), ..Stats::default() });
    }

    /// Scales by magnitudes that are in the order of their bits, those that are not finite from `infinite` on.
    #[inline(always)]
    fn seen<const WIDTH: usize>(
        &self,
        blocks: &[u8],
        infinite: u32,
        bits: impl Fn([u8; WIDTH]) -> u32,
        value: impl Fn(u32) -> f32,
    ) -> Scales {
        let mut scales = Scales { blocks: 0, zeros: 0, not_finite: 0, magnitudes: None };
        let (mut least, mut most) = (u32::MAX, 0);
        // Put side by side at first, so that many are looked at together.
        let mut some = [0; TOGETHER];
        for blocks in blocks.chunks(self.block.saturating_mul(TOGETHER)) {
            let blocks = blocks.chunks_exact(self.block);
            let count = blocks.len();
            for (slot, block) in some.iter_mut().zip(blocks) {
                *slot = block.get(self.at..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| bits(*bytes));
            }
            let found = widest(Sift { magnitudes: some.get(..count).unwrap_or_default(), infinite });
            scales.blocks = scales.blocks.saturating_add(count as u64);
            scales.zeros = scales.zeros.saturating_add(found.zeros.into());
            scales.not_finite = scales.not_finite.saturating_add(found.not_finite.into());
            least = least.min(found.least);
            most = most.max(found.most);
        }
        scales.magnitudes = (least < u32::MAX).then(|| (value(least), value(most)));
        scales
    }
}

/// Scales that are looked at together.
const TOGETHER: usize = 128;

struct Sift<'a> {
    magnitudes: &'a [u32],
    infinite: u32,
}

/// What there is among some scales.
struct Sifted {
    zeros: u32,
    not_finite: u32,
    least: u32,
    most: u32,
}

impl Pass for Sift<'_> {
    type Output = Sifted;

    #[inline(always)]
    fn run<D: Doubles>(self) -> Sifted {
        let (mut zeros, mut not_finite, mut least, mut most) = (0_u32, 0_u32, u32::MAX, 0);
        for bits in self.magnitudes {
            let (zero, finite) = (*bits == 0, *bits < self.infinite);
            zeros = zeros.wrapping_add(u32::from(zero));
            not_finite = not_finite.wrapping_add(u32::from(!finite));
            least = least.min(if zero | !finite { u32::MAX } else { *bits });
            most = most.max(if finite { *bits } else { 0 });
        }
        Sifted { zeros, not_finite, least, most }
    }
}
