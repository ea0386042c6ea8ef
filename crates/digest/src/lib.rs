//! What the weights of a model are called by their bytes: digests of each tensor and of the whole, an identity that does
//! not depend on the file they stand in, and the lists in which people keep them.
//!
//! * [`Algorithm`], [`Digest`] and [`Hasher`]: xxh64, SHA-1, SHA-256, UUID v5 and BLAKE3, as other tools print them.
//! * [`Plan`] reads every byte of a model once, by several threads, for all digests that are asked for.
//! * [`identity`] is the construction of the identity, it sees data in little-endian order ([`exchange`](ggufkit_format::exchange)).
//! * [`manifest`] reads and writes lists of digests: those of llama.cpp's `llama-gguf-hash`, of `sha256sum` and its kin.
//! * [`mod@pointer`] reads a digest that stands alone, as in a Git LFS pointer.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod algorithm;
mod hasher;
pub mod identity;
pub mod manifest;
mod order;
mod pass;
mod plan;
pub mod pointer;
mod tree;

pub use algorithm::{Algorithm, Digest};
pub use hasher::{Hasher, hash_stream};
pub use plan::{Entry, Hashes, Names, NotHashed, Part, Plan, Request};
