//! Builds GGUF files with named positions.
//!
//! For tests only. Nothing here is shared with the code under test: the bytes are written straight from the
//! specification, with its own table of ids, widths and blocks, so that a mistake in the format crate cannot hide in
//! both places at once.
//!
//! * [`builder`] writes files and knows every field's place by its logical path.

#![forbid(unsafe_code)]
// A broken expectation of a test is reported by a panic with the place and the reason.
#![allow(clippy::panic, clippy::expect_used, clippy::unwrap_used)]

pub mod builder;

pub use builder::{Builder, Built, Kind, Tensor, Value};
