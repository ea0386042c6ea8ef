//! From opening a file to reading its weights.
//!
//! # 1. Open
//!
//! [`open`](crate::open) reads the head of a file: the header, the metadata and the tensor table. The weights are not
//! touched, so this takes milliseconds whatever the size of the file.
//!
//! ```
//! # fn main() -> Result<(), ggufkit::Error> {
//! # let path = "../../samples/Tiny-Llama-591K-v1.0-Q4_K_M.gguf";
//! let file = ggufkit::open(path)?;
//! let header = file.index().header();
//! println!("version {}, {}-endian", header.version, header.endian.name());
//! # assert_eq!(header.version, 3);
//! # Ok(())
//! # }
//! ```
//!
//! # 2. Metadata
//!
//! Metadata is a list, not a map: keys keep their order, and a key that occurs twice is there twice.
//! [`Gguf::get`](crate::Gguf::get) finds the first; [`View::kvs`](crate::View::kvs) goes over all.
//!
//! ```
//! use ggufkit::{Scalar, Value};
//! # fn main() -> Result<(), ggufkit::Error> {
//! # let file = ggufkit::open("../../samples/Tiny-Llama-591K-v1.0-Q4_K_M.gguf")?;
//! for (key, kv) in file.view().kvs() {
//!     // A key is bytes: `display` escapes what could act on a terminal.
//!     print!("{} @ {:#x}: ", key.display(), kv.span.start);
//!     match file.view().value(kv) {
//!         Value::Scalar(Scalar::U32(n)) => println!("{n}"),
//!         Value::Scalar(other) => println!("{other:?}"),
//!         Value::String(text) => println!("\"{}\"", text.display()),
//!         Value::Array(array) => println!("{} × {}", array.len(), array.element_type()),
//!     }
//! }
//! // Widths differ between writers; `as_u64` takes any integer that is not negative.
//! let layers = file.get("llama.block_count").and_then(|v| v.as_u64());
//! assert_eq!(layers, Some(2));
//! # Ok(())
//! # }
//! ```
//!
//! # 3. Arrays
//!
//! A vocabulary may have 262,144 tokens. Arrays are read on demand: an element is found in at most 64 steps.
//!
//! ```
//! # fn main() -> Result<(), ggufkit::Error> {
//! # let file = ggufkit::open("../../samples/Tiny-Llama-591K-v1.0-Q4_K_M.gguf")?;
//! let tokens = file.get("tokenizer.ggml.tokens").and_then(|v| v.as_array()).expect("a vocabulary");
//! let eos = file.get("tokenizer.ggml.eos_token_id").and_then(|v| v.as_u64()).expect("an end token");
//! assert_eq!(tokens.get(eos).and_then(|v| v.as_str()), Some("</s>"));
//! assert_eq!(tokens.iter().count(), 384);
//! # Ok(())
//! # }
//! ```
//!
//! # 4. Tensors
//!
//! A tensor's record gives its type, its shape (row length first) and where its data lies.
//!
//! ```
//! use ggufkit::format::spec::TensorType;
//! # fn main() -> Result<(), ggufkit::Error> {
//! # let file = ggufkit::open("../../samples/Tiny-Llama-591K-v1.0-Q4_K_M.gguf")?;
//! let embedding = file.tensor("token_embd.weight")?;
//! assert_eq!(embedding.tensor_type, TensorType::Q6_K);
//! assert_eq!(file.index().dims(embedding), [256, 384]);
//!
//! // 210 bytes for each block of 256 elements: one block a row, 384 rows.
//! let data = file.read(embedding)?;
//! assert_eq!(data.len(), 210 * 384);
//!
//! // Rows are whole blocks, so rows can be read alone.
//! let rows = file.rows(embedding, 2..4)?;
//! assert_eq!(rows, data[2 * 210..4 * 210]);
//! # Ok(())
//! # }
//! ```
//!
//! # 5. When something is wrong
//!
//! ```
//! use ggufkit::Error;
//! # let path = "../../samples/README.md";
//! match ggufkit::open(path) {
//!     Ok(file) => println!("{} tensors", file.tensors().len()),
//!     // What the file is instead: a pointer of git-lfs, a web page, another format, …
//!     Err(Error::NotGguf { identity, .. }) => println!("{}", identity.describe()),
//!     // Where reading ended, in which field, what was needed and what was there.
//!     Err(Error::Head { source, .. }) => println!("{source} [{:#x}, {}]", source.offset(), source.path()),
//!     Err(other) => println!("{other}"),
//! }
//! # assert!(matches!(ggufkit::open(path), Err(Error::NotGguf { .. })));
//! ```
