//! The values of tensors: from the bytes of every type to floats, and from floats to bytes.
//!
//! What a block is made of is told by [`ggufkit_format::spec`]; this crate knows what it is worth. It reads no file and
//! prints nothing: bytes come in as slices, with their lengths tested before anything else happens.
//!
//! * [`codec`] finds the [`Codec`] of a tensor type, which decodes and, for most types, encodes whole rows.
//!   [`Codec::decode_f16`] and [`Codec::decode_bf16`] round what was decoded.
//! * [`half`] turns the two 16-bit floats into `f32` and back.
//! * [`registers`] lends the choice of registers to passes over decoded values.
//!
//! **Bits are the promise.** Decoding gives the very bits that ggml's scalar reference (`dequantize_row_*`) gives, and
//! encoding those of `quantize_*`: the same operations on `f32` in the same order, nothing fused, nothing rearranged.
//! `tests/oracle/codecs.py` holds both against programs that are not ours. Where C leaves a result undefined (a float
//! that does not fit the integer it is turned into), the result is the one that x86 computers give.
//!
//! ```
//! use ggufkit_format::spec::TensorType;
//!
//! let q8_0 = ggufkit_quant::codec(TensorType::Q8_0).ok_or("Q8_0 has a codec")?;
//! let weights: Vec<f32> = (0..64).map(|i| i as f32 / 8.0).collect();
//! let mut blocks = vec![0; 2 * q8_0.block_bytes()];
//! q8_0.encode(&weights, 64, None, &mut blocks)?;
//!
//! let mut values = vec![0.0; 64];
//! q8_0.decode(&blocks, &mut values)?;
//! assert!((values[63] - 63.0 / 8.0).abs() < 0.02);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![deny(unsafe_code)]
#![warn(missing_docs)]
#![cfg_attr(not(test), deny(clippy::indexing_slicing))]

#[allow(
    clippy::indexing_slicing,
    reason = "into arrays of fixed size, by counters that it bounds or bits under a mask"
)]
mod block;
mod codec;
#[allow(
    clippy::indexing_slicing,
    reason = "into arrays of fixed size, by counters that it bounds or bits under a mask"
)]
mod grid;
pub mod half;
mod large;
mod narrow;
mod number;
mod plain;
pub mod registers;
#[allow(
    clippy::indexing_slicing,
    reason = "into arrays of fixed size, by counters that it bounds or bits under a mask"
)]
mod scale;
mod wide;

pub use codec::{Codec, CodecError, Importance, codec, codecs};

/// Which bytes are written. It grows whenever any codec encodes anything otherwise than before, so that what an earlier program
/// has made is not taken for what this one would make.
pub const REVISION: u32 = 2;
