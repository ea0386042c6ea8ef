//! Read GGUF model files: their metadata, their tensor table, their weights.
//!
//! ```
//! # fn main() -> Result<(), ggufkit::Error> {
//! # let path = "../../samples/Tiny-Llama-591K-v1.0-Q4_K_M.gguf";
//! let file = ggufkit::open(path)?;
//! let architecture = file.get("general.architecture").and_then(|v| v.as_str());
//! let context = file.get("llama.context_length").and_then(|v| v.as_u64());
//! assert_eq!((architecture, context), (Some("llama"), Some(2048)));
//! assert_eq!(file.tensors().len(), 20);
//! # Ok(())
//! # }
//! ```
//!
//! A file is opened by reading its head, milliseconds even for the largest; tensor data stays on disk until it is asked
//! for. Everything keeps its place: [`Kv`] and [`Tensor`] know the byte range that they were read from, errors name the
//! offset and the field, and the order and the duplicates of the file are kept.
//!
//! * [`tutorial`] goes from opening a file to reading its weights.
//! * [`cookbook`] has short answers to single questions.
//! * [`format`](mod@format) is the format alone, for readers with their own I/O: sans-IO, `no_std`.
//! * [`check`] judges files by rules; [`edit`] changes and repairs them; [`digest`] hashes them.
//! * [`quant`] has the codecs of all tensor types; [`values`] measures and compares weights.
//! * [`io`] has sources, shard sets and tensor data; [`inspect`] the answers that the command `gguf` prints.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod cookbook;
mod error;
mod gguf;
pub mod tutorial;

pub use ggufkit_check as check;
pub use ggufkit_digest as digest;
pub use ggufkit_edit as edit;
pub use ggufkit_format as format;
pub use ggufkit_inspect as inspect;
pub use ggufkit_io as io;
pub use ggufkit_quant as quant;
pub use ggufkit_values as values;

pub use error::Error;
pub use gguf::{Gguf, open, open_with};
pub use ggufkit_format::{ByteStr, Dialect, Index, Kv, Limits, Options, Scalar, Span, Tensor, Value, View};
