//! Where GGUF bytes come from.
//!
//! * [`FileSource`] is a file read by position; [`DynSource`] any source.
//! * [`HeadBuffer`] reads a head into memory that is used again for the next file; [`lookup`] finds one key.
//!
//! Nothing here opens a file for writing.

#![deny(unsafe_code)]
#![warn(missing_docs)]

mod file;
mod head;
mod lookup;
mod map;
mod platform;

pub use file::{DynSource, FileSource};
pub use head::HeadBuffer;
pub use lookup::{Found, Lookup, lookup};
