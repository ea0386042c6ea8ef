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
//! # Read the data of one tensor
//!
//! [`Gguf::read`](crate::Gguf::read) gives fresh memory each time; the reader fills memory that is there already.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let file = ggufkit::open("../../samples/Tiny-Llama-591K-v1.0-Q4_K_M.gguf")?;
//! let tensor = file.tensor("blk.0.attn_q.weight")?;
//! let bytes = file.read(tensor)?;
//! assert_eq!(bytes.len(), 9_216); // 64 blocks of 144 bytes
//!
//! let reader = file.reader();
//! let mut buffer = vec![0; usize::try_from(reader.extent(tensor)?.span.len)?];
//! reader.read_into(tensor, &mut buffer)?;
//! assert_eq!(buffer, bytes);
//! # Ok(())
//! # }
//! ```
//!
//! # Rows of a float tensor as `f32`
//!
//! Data comes as bytes in the byte order of the file. Types of blocks stay as they are stored.
//!
//! ```
//! use ggufkit::format::{Endian, Tensor, f16_to_f32, spec::TensorType};
//!
//! fn floats(file: &ggufkit::Gguf, tensor: &Tensor, rows: std::ops::Range<u64>) -> Result<Vec<f32>, ggufkit::Error> {
//!     let mut bytes = file.rows(tensor, rows)?;
//!     let width = if tensor.tensor_type == TensorType::F32 { 4 } else { 2 };
//!     if file.index().header().endian == Endian::Big {
//!         bytes.chunks_exact_mut(width).for_each(<[u8]>::reverse);
//!     }
//!     let half = |b: &[u8; 2]| u16::from_le_bytes(*b);
//!     let (pairs, fours) = (bytes.as_chunks::<2>().0, bytes.as_chunks::<4>().0);
//!     Ok(match tensor.tensor_type {
//!         TensorType::F32 => fours.iter().map(|b| f32::from_le_bytes(*b)).collect(),
//!         TensorType::F16 => pairs.iter().map(|b| f16_to_f32(half(b))).collect(),
//!         // The upper half of an f32.
//!         TensorType::BF16 => pairs.iter().map(|b| f32::from_bits(u32::from(half(b)) << 16)).collect(),
//!         other => panic!("{other} is no type of plain floats that this recipe knows"),
//!     })
//! }
//! # fn main() -> Result<(), ggufkit::Error> {
//! # let file = ggufkit::open("../../samples/Tiny-Llama-591K-v1.0-Q4_K_M.gguf")?;
//! let norm = floats(&file, file.tensor("output_norm.weight")?, 0..1)?;
//! assert_eq!(norm.len(), 256);
//! assert!(norm.iter().all(|w| w.is_finite()));
//! # Ok(())
//! # }
//! ```
//!
//! For other programs, [`io::npy::write`](crate::io::npy::write) writes a tensor of plain numbers as NumPy's `.npy`, BF16
//! widened to `f32` with [`Bf16::Widen`](crate::io::npy::Bf16::Widen).
//!
//! # Go over all data in parallel, in little memory
//!
//! Each thread has one buffer. The chunks of one tensor come in order and from one thread.
//!
//! ```
//! use std::num::NonZeroUsize;
//! use std::sync::atomic::{AtomicU64, Ordering};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let file = ggufkit::open("../../samples/Tiny-Llama-591K-v1.0-Q4_K_M.gguf")?;
//! let reader = file.reader();
//! let tensors: Vec<_> = file.tensors().iter().collect();
//! let zeros: Vec<AtomicU64> = tensors.iter().map(|_| AtomicU64::new(0)).collect();
//! let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
//! reader.visit_many(&tensors, threads, 1 << 20, &|at, chunk| {
//!     let n = chunk.bytes.iter().filter(|b| **b == 0).count() as u64;
//!     zeros[at].fetch_add(n, Ordering::Relaxed);
//! })?;
//! # let expected: Vec<u64> = tensors.iter().map(|t| file.read(t).unwrap().iter().filter(|b| **b == 0).count() as u64).collect();
//! # assert_eq!(zeros.into_iter().map(AtomicU64::into_inner).collect::<Vec<_>>(), expected);
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
//! let label = ggufkit::ByteStr(b"model.gguf");
//! let input = Input { source: &source, label, file_name: None, read: ggufkit::Options::new() };
//! match repair(&input, &Policy::default()) {
//!     Ok(outcome) => outcome.steps.iter().for_each(|step| println!("{}: {}", step.path, step.what)),
//!     Err(RepairError::Refused(refusal)) => println!("{refusal}"),
//!     Err(error) => return Err(error.into()),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Write a new file
//!
//! The plan tells the exact bytes before any is written. Data is given as bytes, or as a place in a source that is copied from
//! when the plan is carried out: files, memory and streams, laid end to end ([`io::Parts`](crate::io::Parts)).
//!
//! ```
//! use ggufkit::edit::Builder;
//! use ggufkit::format::spec::TensorType;
//! use ggufkit::io::{FileSource, Parts, sink};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let target = std::env::temp_dir().join(format!("ggufkit-cookbook-new-{}.gguf", std::process::id()));
//! # let weights = std::env::temp_dir().join(format!("ggufkit-cookbook-new-{}.raw", std::process::id()));
//! # std::fs::write(&weights, [0; 32])?;
//! let raw = FileSource::open(&weights)?; // 8 numbers of 4 bytes
//! let mut parts = Parts::new();
//! let span = parts.file(&raw)?;
//! let mut file = Builder::new();
//! file.set("general.architecture", "toy").set("toy.block_count", 1_u32).set("general.tags", ["a", "b"]);
//! file.tensor("output.weight", &[4, 2], TensorType::F32, span); // the row length first
//! file.tensor("output.bias", &[2], TensorType::F16, vec![0, 0x3c, 0, 0xc0]);
//! sink::save(&file.plan()?, &parts, &target, false, &mut sink::unwatched)?;
//!
//! let made = ggufkit::open(&target)?;
//! assert_eq!(made.get("toy.block_count").and_then(|v| v.as_u64()), Some(1));
//! assert_eq!(made.read(made.tensor("output.bias")?)?, [0, 0x3c, 0, 0xc0]);
//! # drop(made);
//! # std::fs::remove_file(target)?;
//! # std::fs::remove_file(weights)?;
//! # Ok(())
//! # }
//! ```
