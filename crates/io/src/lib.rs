//! Where GGUF bytes come from, and where they go.
//!
//! * [`FileSource`] is a file read by position; [`DynSource`] any source.
//! * [`Joined`] is several files as one source, laid end to end.
//! * [`Parts`] is files, memory and streams as one source: what a new file is put together from.
//! * [`FileId`] tells whether two names are those of one file.
//! * [`HeadBuffer`] reads a head into memory that is used again for the next file; [`lookup`] finds one key.
//! * [`expand`] turns arguments into inputs; [`ShardSet`] knows which files make up one model.
//! * [`diagnose`] says what else there is to say about a file: not a GGUF, a mis-written one, half a download.
//! * [`TensorReader`] reads tensor data: whole, by rows, by layer, by several threads; [`npy`] writes it for NumPy.
//! * [`npy`] and [`safetensors`] tell where such files have the data of which tensors, and with [`npz`] what stands around the
//!   data of new ones.
//! * [`sink`] carries out plans: a file is written whole or not at all. [`inplace`] changes a file without
//!   copying it; [`Route`] chooses; [`obstacles`] tells before what stands in the way. Nothing else here opens a file for writing.

#![deny(unsafe_code)]
#![warn(missing_docs)]

mod data;
mod diagnose;
mod file;
mod head;
mod identity;
pub mod inplace;
mod inputs;
mod joined;
mod lookup;
mod map;
pub mod npy;
pub mod npz;
pub mod obstacles;
mod parts;
mod platform;
mod route;
pub mod safetensors;
mod shards;
mod shown;
pub mod sink;
mod span_read;
mod turned;

pub use data::{
    ByteDifference, ByteJob, Chunk, DataError, DataReason, Extent, HashJob, RowChunks, Selection,
    TensorReader, all_zero, compare_bytes, hash_bytes, map_many,
};
pub use diagnose::{Diagnosis, Message, Outside, Partial, diagnose, diagnose_stream};
pub use file::{DynSource, FileSource, read_exact_at, read_full};
pub use head::HeadBuffer;
pub use identity::FileId;
pub use inputs::{Expand, Expansion, Input, InputError, SkipReason, Skipped, expand, expand_with_skipped};
pub use joined::{Files, Joined};
pub use lookup::{Found, Lookup, lookup};
#[cfg(feature = "map")]
pub use map::MapSource;
pub use parts::Parts;
pub use route::{Route, RouteError, Way, is_owned_alike, replace};
pub use shards::{ShardMember, ShardPart, ShardProblem, ShardSet, check_shards};
pub use span_read::SpanRead;
pub use turned::Turned;
