//! Quantizing a model: which tensor gets which type, what the new files are made of, and whether they came out right.
//!
//! [`Quantization::of`] decides everything before a byte is written: types, sizes, keys, and all that stands in the way. Its plans
//! copy from [`Converting`], a source in which the converted tensors lie behind the files that are read; their bytes are made
//! when they are asked for, a few rows at a time, so that no tensor is ever in memory and [`ggufkit_io::sink`] writes such a file
//! like any other: whole, or not at all. [`Quantization::verify`] reads what was written and measures it.
//!
//! **What is kept.** Key-values as they stand, but for `general.file_type`, `general.quantization_version`, `quantize.imatrix.*`
//! and the files' own `split.*`; order, names and shapes of tensors; the bytes of those whose type stays.

mod convert;
mod error;
mod head;
mod plan;
mod verify;

pub use convert::{Converting, WeightError};
pub use error::{QuantizeError, Refusal};
pub use plan::{Made, Order, Quantization, Request, Supply, Target};
pub use verify::{Measured, VerifyError};

#[cfg(test)]
mod tests;
