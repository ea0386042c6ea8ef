//! Changes of GGUF files, as plans.
//!
//! A [`Document`] is a file whose records can be changed; its plan says what the new file is made of, and carrying that
//! out is the business of [`ggufkit_io::sink`]. Nothing here writes, and nothing here reads more than it must to decide.
//!
//! * [`Builder`] makes a new file: key-values, tensors, data from wherever it is.
//! * [`Description`] is a file in words, as `gguf dump --format json` has it, to make one of.
//! * [`Document`] changes single things: a key, a value, a name, the layout of the data.
//! * [`patch`](mod@patch) says what differs between two files as operations.
//! * [`repair`](repair::repair) decides what can be put right without inventing anything, and plans it.
//! * [`subset`](mod@subset) makes a file of some tensors of a model.
//! * [`shards`] splits a model over several files, and merges them.
//! * [`quantize`] writes a model's tensors in types of fewer bits.
//! * [`Operation`] is a change by name, as a person asks for it; [`members`] carries it out on a model of several files,
//!   [`preview`] tells what it would break, and [`loads`] whether llama.cpp still takes the file.
//! * [`endian`](mod@endian) turns a file into the other byte order.
//! * [`Placement`] tells which bytes are which tensor's.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod builder;
pub mod description;
mod document;
pub mod endian;
mod error;
pub mod loads;
pub mod members;
mod operation;
pub mod patch;
mod placement;
pub mod preview;
pub mod quantize;
pub mod repair;
pub mod shards;
pub mod subset;
mod together;
mod value;
mod worse;

pub use builder::{ArrayElement, Builder, BuilderError, Data};
pub use description::{DataSource, Described, Description, DescriptionError};
pub use document::Document;
pub use error::EditError;
pub use operation::{Done, Element, Given, Operation, OperationError, Shown};
pub use placement::{DataProblem, DataProblemReason, Placement};
pub use value::{NewValue, ValueError};
