//! What a GGUF file is, said in types that serialise.
//!
//! Every answer is computed from a [`Model`]: one head, or the heads of a shard set, as views. Nothing here opens a
//! file, prints, or judges whether a file is right. The command and the web page render these types.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod blocks;
pub mod config;
pub mod diff;
pub mod dump;
pub mod explain;
pub mod hex;
pub mod json;
mod lookup;
pub mod map;
pub mod memory;
mod model;
pub mod names;
pub mod query;
mod reach;
pub mod regions;
pub mod summary;
pub mod tensors;
mod text;
pub mod units;
pub mod yaml;

pub use lookup::{Lookup, Named, Place};
pub use model::{Model, Part, is_integer, type_label};
pub use reach::Reach;
pub use text::{Text, Words, one_line};
