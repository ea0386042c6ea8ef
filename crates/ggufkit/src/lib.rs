//! Read GGUF model files.
//!
//! ```no_run
//! let file = ggufkit::open("model.gguf")?;
//! let name = file.get("general.name").and_then(|v| v.as_str());
//! println!("{} by {} tensors", name.unwrap_or("?"), file.tensors().len());
//! # Ok::<(), ggufkit::Error>(())
//! ```

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub use ggufkit_format as format;
pub use ggufkit_inspect as inspect;
pub use ggufkit_io as io;
