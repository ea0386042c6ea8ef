//! The GGUF file format, once.
//!
//! A GGUF file has a head (header, typed key-value metadata, tensor table) in front of the weights. This crate knows how
//! the head is laid out and nothing else: it does no I/O, holds no `unsafe`, and allocates nothing that the bytes do not
//! back. Everything that ggufkit shows, checks or writes stands on it.
//!
//! * [`Parser`] turns bytes into events, however they are cut, and asks for more when it needs them.
//! * [`Index`] is the result: where everything is, in file order, without the bytes. [`Indexer`] and [`parse`] build it.
//! * [`View`] pairs an index with the bytes and hands out values without copying them.
//! * [`fields`](View::fields) goes over the head field by field and leaves no byte unnamed.
//! * [`encode`] is the way back to bytes; a [`Plan`] says what a new file is made of, piece by piece.
//! * [`layout`] is the arithmetic of the data section, [`extents`] says whose its bytes are; [`spec`] holds the tables of types and keys.
//! * [`naming`] reads file names; [`identify`] says what a file is that is not a GGUF.
//!
//! ```
//! use ggufkit_format::{parse, Options, View};
//!
//! // A whole file of one key, written out: header, then "answer" = u32 42.
//! let bytes = b"GGUF\x03\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\
//!               \x06\0\0\0\0\0\0\0answer\x04\0\0\0\x2a\0\0\0";
//! let index = parse(bytes, Options::new()).into_result()?;
//! let view = View::new(&index, bytes);
//! assert_eq!(view.get("answer").and_then(|v| v.as_u64()), Some(42));
//! # Ok::<(), ggufkit_format::ParseError>(())
//! ```

#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]

extern crate alloc;

mod anomaly;
pub mod dialect;
mod edits;
pub mod encode;
mod endian;
mod error;
pub mod exchange;
pub mod extents;
mod fields;
pub mod glob;
pub mod identify;
mod index;
mod indexer;
mod inplace;
pub mod layout;
mod limits;
pub mod naming;
mod parser;
mod path;
mod plan;
mod source;
mod span;
pub mod spec;
mod text;
mod view;

pub use anomaly::{Anomaly, AnomalyKind};
pub use dialect::Dialect;
pub use edits::edits;
pub use endian::{Endian, f16_to_f32};
pub use error::{Fault, ParseError, Reason};
pub use fields::{Detail, Field, FieldValue, Fields};
pub use index::{AlignmentSource, Array, Header, Index, Kv, Outcome, Payload, Scalar, Tensor, TextSpan};
pub use indexer::{Indexer, Progress, parse};
pub use inplace::{InPlace, Shift};
pub use limits::Limits;
pub use parser::{Dims, Event, Key, MAGIC, Options, Parser, Step, TensorEvent};
pub use path::{Element, HeaderPart, KvPart, Path, TensorPart};
pub use plan::{Piece, Plan, PlanError};
pub use source::ReadAt;
pub use span::Span;
pub use text::{ByteStr, Escaped, is_safe, shorten, spaced_hex};
pub use view::{ArrayRef, Elements, Value, View};
