//! Builds GGUF files with named positions, reads them from sources that misbehave, and finds the files of the corpus.
//!
//! For tests only. Nothing here is shared with the code under test: the bytes are written straight from the
//! specification, with its own table of ids, widths and blocks, so that a mistake in the format crate cannot hide in
//! both places at once.
//!
//! * [`builder`] writes files and knows every field's place by its logical path.
//! * [`controls`] are small documents that hold everything.
//! * [`reading`] reads in pieces, and holds what was read against what was written.
//! * [`sources`] are `ReadAt`s that record, fail, trickle or shrink.
//! * [`corpus`] finds files that are not written here.
//! * [`random`] makes random documents from a seed.
//! * [`fuzzing`] says what every input has to obey.

#![forbid(unsafe_code)]
// A broken expectation of a test is reported by a panic with the place and the reason.
#![allow(clippy::panic, clippy::expect_used, clippy::unwrap_used)]

pub mod builder;
pub mod controls;
pub mod corpus;
pub mod fuzzing;
pub mod random;
pub mod reading;
pub mod sources;

pub use builder::{Builder, Built, Kind, Tensor, Value};
