//! What the weights of a model are worth, read piece by piece: nothing here holds a tensor in memory.
//!
//! * [`Weights`] are the values of one tensor in a file: where its bytes lie, and how they are decoded.
//! * [`mixture`] says which type each tensor of a quantized model gets; [`importance`] reads importance matrices.
//! * [`Decoded`] are values as floats of one type, read as a stream; [`export`] puts tensors into files of other programs.
//! * [`stats`] counts and measures them in one pass; [`compare`] measures how far two tensors are apart.
//! * [`origin`] finds what the tensors of a model were converted from, as a side of a comparison.
//!
//! Bytes come from [`ggufkit_io`], a codec from [`ggufkit_quant`]; this crate brings them together. Work is cut into
//! units of the same elements whatever the number of threads, and their results are put together in order, so every number
//! is the same from run to run and from machine to machine.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod compare;
mod decoded;
mod exact;
pub mod export;
pub mod importance;
pub mod mixture;
pub mod origin;
pub mod stats;
mod unit;
mod weights;

pub use decoded::{Decoded, Float};
pub use weights::{Memory, NoValues, Stretch, Stretches, Weights};
