//! The types whose values share a block: one file per type, in families as in
//! [`spec::TENSOR_TYPES`](ggufkit_format::spec::TENSOR_TYPES).
//!
//! A type says what one block is worth ([`Block`]) and how one is made ([`Encode`]); going over rows is done here. To add a
//! type: its file, and its line in the family's list.

mod batch;
mod codebook;
mod float4;
mod k_quant;
mod simple;
mod ternary;

use ggufkit_format::spec::TensorType;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::block::batch::Batched;
use crate::codec::{Codec, Importance};
use crate::number::c_max;
use crate::wide::{self, Registers, Sixteen, Wide};

/// The codecs, family by family.
pub(crate) static FAMILIES: &[&[Codec]] =
    &[simple::CODECS, k_quant::CODECS, codebook::CODECS, ternary::CODECS, float4::CODECS];

/// A block of `N` values as its bytes stand in a file, anywhere in memory.
pub(crate) trait Block<const N: usize>:
    FromBytes + IntoBytes + Immutable + KnownLayout + Unaligned
{
    /// The type that is made of such blocks.
    const TYPE: TensorType;

    /// The values of the block: how they are defined, one after the other.
    fn decode(&self, out: &mut [f32; N]);

    /// The same, sixteen at a time, where the compiler makes too little of the definition. Tests hold both to be the same, of
    /// all blocks and by all registers.
    #[inline(always)]
    fn decode_wide<L: Sixteen>(&self, out: &mut [f32; N]) {
        self.decode(out);
    }
}

/// A block that is made from its values alone; what matters how much is not asked for.
pub(crate) trait Encode<const N: usize>: Block<N> {
    /// Fills the block.
    ///
    /// Every byte of the block is written: what is there before is of some other use.
    fn encode(&mut self, values: &[f32; N]);

    /// The same, sixteen values at a time, where the compiler makes too little of the definition.
    #[inline(always)]
    fn encode_wide<L: Sixteen>(&mut self, values: &[f32; N]) {
        self.encode(values);
    }
}

/// The codec of a type that is only read.
pub(crate) const fn decoder<B: Block<N>, const N: usize>() -> Codec {
    Codec {
        ty: B::TYPE,
        block_elements: N,
        block_bytes: size_of::<B>(),
        decode: decode_blocks::<B, N>,
        #[cfg(test)]
        definition: Some(testing::definition::<B, N>),
        encode: None,
    }
}

/// The codec of a type that is read and written.
pub(crate) const fn both<B: Encode<N>, const N: usize>() -> Codec {
    Codec { encode: Some((Importance::Unused, encode_blocks::<B, N>)), ..decoder::<B, N>() }
}

/// The codec of a type that is written `P` blocks at a time.
pub(crate) const fn batched<B: Block<N> + Batched<P, N>, const P: usize, const N: usize>() -> Codec {
    Codec { encode: Some((B::IMPORTANCE, batch::encode::<B, P, N>)), ..decoder::<B, N>() }
}

/// Lengths were tested by the codec; what would not be whole is left as it is.
fn decode_blocks<B: Block<N>, const N: usize>(registers: Registers, bytes: &[u8], out: &mut [f32]) {
    let Ok(blocks) = <[B]>::ref_from_bytes(bytes) else { return };
    let (out, _) = out.as_chunks_mut();
    wide::run(registers, Read::<B, N> { blocks, out });
}

/// A `decode` that is inlined is compiled for the processor's registers.
struct Read<'a, B, const N: usize> {
    blocks: &'a [B],
    out: &'a mut [[f32; N]],
}

impl<B: Block<N>, const N: usize> Wide for Read<'_, B, N> {
    #[inline(always)]
    fn run<L: Sixteen>(self) {
        for (block, out) in self.blocks.iter().zip(self.out) {
            block.decode_wide::<L>(out);
        }
    }
}

/// Where rows begin does not matter.
fn encode_blocks<B: Encode<N>, const N: usize>(
    values: &[f32],
    _row: usize,
    _importance: Option<&[f32]>,
    out: &mut [u8],
) {
    let Ok(blocks) = <[B]>::mut_from_bytes(out) else { return };
    wide::run(Registers::Avx512, Write { values: values.as_chunks::<N>().0, blocks });
}

/// What becomes of sixteen values at a time: the lowest bytes of integers as [`truncate`](crate::number::truncate) has them.
#[inline(always)]
fn truncated<L: Sixteen, const N: usize>(values: &[f32; N], number: impl Fn(L) -> L) -> [i8; N] {
    let mut codes = [0; N];
    for (codes, values) in codes.as_chunks_mut().0.iter_mut().zip(values.as_chunks().0) {
        *codes = number(L::from_array(values)).truncated();
    }
    codes
}

/// The upper nibbles.
#[inline(always)]
fn upper<const B: usize>(bytes: &[u8; B]) -> [u8; B] {
    let mut upper = *bytes;
    for byte in &mut upper {
        *byte >>= 4;
    }
    upper
}

/// An `encode` that is inlined is compiled for the processor's registers.
struct Write<'a, B, const N: usize> {
    values: &'a [[f32; N]],
    blocks: &'a mut [B],
}

impl<B: Encode<N>, const N: usize> Wide for Write<'_, B, N> {
    #[inline(always)]
    fn run<L: Sixteen>(self) {
        for (block, values) in self.blocks.iter_mut().zip(self.values) {
            block.encode_wide::<L>(values);
        }
    }
}

/// `1 / d`, and 0 for a scale of 0.
#[inline(always)]
fn inverse(d: f32) -> f32 {
    if d != 0.0 { 1.0 / d } else { 0.0 }
}

/// The greatest distance from zero. One that is not a number makes forget what was before it, as `MAX` in C does.
#[inline(always)]
fn reach<const N: usize>(values: &[f32; N]) -> f32 {
    let reach = reach_of_bits(values);
    if reach.is_nan() { values.iter().fold(0.0, |reach, x| c_max(reach, x.abs())) } else { reach }
}

/// The greatest distance from zero, or not a number where any value is not.
///
/// Without their signs, floats are in the order of their bits, those that are not a number last; integers are compared many
/// at a time.
#[inline(always)]
fn reach_of_bits<const N: usize>(values: &[f32; N]) -> f32 {
    let mut reach = 0;
    for x in values {
        reach = reach.max(x.abs().to_bits());
    }
    f32::from_bits(reach)
}

#[cfg(test)]
pub(crate) mod testing;
