//! Short answers to single questions. Every recipe is compiled and run.
//!
//! # Read one key of many files, as little as possible
//!
//! [`io::lookup`](crate::io::lookup) stops at the key: for an early one it reads a page.
//!
//! ```
//! use ggufkit::format::{Index, View};
//! use ggufkit::io::{FileSource, lookup};
//! # fn main() -> std::io::Result<()> {
//! # let path = "../../samples/Tiny-Llama-591K-v1.0-Q4_K_M.gguf";
//! let source = FileSource::open(path)?;
//! let answer = lookup(&source, ggufkit::Options::new(), &mut |key| key == b"general.architecture")?;
//! if let (Some(header), Some(found)) = (answer.header, answer.found) {
//!     let index = Index::of_record(header, found.kv);
//!     let view = View::at(&index, &found.bytes, found.start);
//!     assert_eq!(view.get("general.architecture").and_then(|v| v.as_str()), Some("llama"));
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Stop an untrusted file from costing much
//!
//! The defaults are safe; a service may want them tighter. A limit that is met is an error of its own kind.
//!
//! ```
//! use ggufkit::{Error, Limits, Options};
//! use ggufkit::format::Fault;
//! # let path = "../../samples/Tiny-Llama-591K-v1.0-Q4_K_M.gguf";
//! let limits = Limits::default().with_max_head(1024);
//! match ggufkit::open_with(path, Options::new().with_limits(limits)) {
//!     Err(Error::Head { source, .. }) => assert_eq!(source.fault(), Fault::Limit),
//!     other => panic!("{other:?}"),
//! }
//! ```
//!
//! # Sum the parameters
//!
//! ```
//! use ggufkit::inspect::tensors;
//! # fn main() -> Result<(), ggufkit::Error> {
//! # let file = ggufkit::open("../../samples/Tiny-Llama-591K-v1.0-Q4_K_M.gguf")?;
//! let parameters: u64 = file.inspect(|model| tensors::rows(model).iter().filter_map(|row| row.elements).sum());
//! assert_eq!(parameters, 591_104);
//! # Ok(())
//! # }
//! ```
//!
//! # See every byte of the head named
//!
//! ```
//! use ggufkit::format::Detail;
//! # fn main() -> Result<(), ggufkit::Error> {
//! # let file = ggufkit::open("../../samples/Tiny-Llama-591K-v1.0-Q4_K_M.gguf")?;
//! let mut next = 0;
//! for field in file.view().fields(Detail::All) {
//!     assert_eq!(field.span.start, next); // nothing is left out
//!     next = field.span.end();
//! }
//! assert_eq!(Some(next), file.index().data_start());
//! # Ok(())
//! # }
//! ```
//!
//! # Read a head that arrives in pieces
//!
//! The parser asks for what it needs; where the bytes come from is yours to decide.
//!
//! ```
//! use ggufkit::format::{Indexer, Options, Progress};
//! # let bytes = std::fs::read("../../samples/Tiny-Llama-591K-v1.0-Q4_K_M.gguf").unwrap();
//! let mut indexer = Indexer::new(Options::new());
//! let mut have = 0;
//! loop {
//!     let position = indexer.position() as usize;
//!     match indexer.advance(&bytes[position..have.max(position)], have < bytes.len()) {
//!         Progress::Need { at, min } => have = (at + min.max(1500)).min(bytes.len() as u64) as usize,
//!         Progress::Finished => break,
//!     }
//! }
//! let index = indexer.finish().into_result().unwrap();
//! assert_eq!(index.tensors().len(), 20);
//! ```
//!
//! # Change one value and write the file anew
//!
//! Nothing but the changed record is built in memory; the rest is copied by the system. The new file appears under its name
//! only when it is whole.
//!
//! ```
//! use ggufkit::edit::Document;
//! use ggufkit::format::{ReadAt, Scalar};
//! use ggufkit::io::{FileSource, sink};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let path = "../../samples/Tiny-Llama-591K-v1.0-Q4_K_M.gguf";
//! # let target = std::env::temp_dir().join(format!("ggufkit-cookbook-{}.gguf", std::process::id()));
//! let file = ggufkit::open(path)?;
//! let source = FileSource::open(path)?;
//! let mut document = Document::of(file.view(), source.size().unwrap_or(0))?;
//! let keys = file.view().kvs().position(|(key, _)| key.as_bytes() == b"llama.context_length");
//! document.set_scalar(keys.unwrap_or(0) as u64, Scalar::U32(4096))?;
//! sink::save(&document.plan()?, &source, &target, false, &mut sink::unwatched)?;
//!
//! let changed = ggufkit::open(&target)?;
//! assert_eq!(changed.get("llama.context_length").and_then(|v| v.as_u64()), Some(4096));
//! # drop(changed);
//! # std::fs::remove_file(target)?;
//! # Ok(())
//! # }
//! ```
//!
//! # See what repair would do
//!
//! ```
//! use ggufkit::edit::repair::{Input, Policy, RepairError, repair};
//! use ggufkit::io::FileSource;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let path = "../../samples/Tiny-Llama-591K-v1.0-Q4_K_M.gguf";
//! let source = FileSource::open(path)?;
//! let input = Input { source: &source, label: "model", file_name: None, read: ggufkit::Options::new() };
//! match repair(&input, &Policy::default()) {
//!     Ok(outcome) => outcome.steps.iter().for_each(|step| println!("{}: {}", step.path, step.what)),
//!     Err(RepairError::Refused(refusal)) => println!("{refusal}"),
//!     Err(error) => return Err(error.into()),
//! }
//! # Ok(())
//! # }
//! ```
