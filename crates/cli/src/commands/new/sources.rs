//! Files that have the data of new tensors: GGUF, safetensors, NumPy's, and files of nothing but bytes. What a file is, its
//! name tells.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use ggufkit::edit::{DataSource, Described, Placement};
use ggufkit::format::exchange::Exchange;
use ggufkit::format::layout::{self, tensor_bytes};
use ggufkit::format::spec::TensorType;
use ggufkit::format::{Endian, Options, ReadAt as _, Span, View};
use ggufkit::inspect::units;
use ggufkit::io::npy::{self, ArrayError};
use ggufkit::io::safetensors::{self, Safetensors, SafetensorsError};
use ggufkit::io::{FileSource, HeadBuffer, Parts, diagnose, inplace};

use crate::failure::Failure;
use crate::{frame, out};

/// Why a tensor has no data.
pub(in crate::commands) enum NoData {
    /// A file cannot be read, or is not what its name says.
    File(PathBuf, Failure),
    /// What is asked for is not there, or does not fit.
    Refused(String),
}

/// A tensor whose data was found.
#[derive(Clone, Debug)]
pub(in crate::commands) struct Found {
    pub(in crate::commands) tensor_type: TensorType,
    pub(in crate::commands) dims: Vec<u64>,
    /// Number of the file; once found, of its place in the source that the files make.
    file: usize,
    /// Where in it.
    span: Span,
    /// Its byte order; `None` for bytes that are as they are to stand.
    endian: Option<Endian>,
}

impl Found {
    /// Where the data is, in the source that the files make end to end; and how it is turned where its byte order is
    /// another one than that of the file which is to be.
    pub(in crate::commands) fn place(
        &self,
        starts: &[u64],
        endian: Endian,
    ) -> Result<(Span, Option<Exchange>), NoData> {
        let start = starts.get(self.file).copied().unwrap_or(0);
        let span = Span::new(start.saturating_add(self.span.start), self.span.len);
        if self.endian.is_none_or(|own| own == endian) {
            return Ok((span, None));
        }
        let refused = || {
            let message = format!("there is no rule by which {} changes its byte order", self.tensor_type);
            NoData::Refused(message)
        };
        Exchange::of(self.tensor_type).map(|exchange| (span, Some(exchange))).ok_or_else(refused)
    }
}

/// Files by their names, each opened once.
#[derive(Default)]
pub(in crate::commands) struct Sources {
    /// The places of files: data that several tensors have in common is taken from the file as often, each time from another
    /// place, since a plan copies no byte twice.
    places: Vec<(usize, usize)>,
    /// The number of each place.
    numbers: HashMap<(usize, usize), usize>,
    /// How often data was taken from where it begins in a file.
    taken: HashMap<(usize, u64), usize>,
    files: Vec<(PathBuf, FileSource, Content)>,
    /// The number of each file.
    known: HashMap<PathBuf, usize>,
    /// What is in the files and is not taken from them.
    notes: Vec<String>,
}

enum Content {
    Gguf {
        tensors: Vec<Held>,
        /// Tensors by their names: a model may have very many, and each of them is looked for.
        by_name: HashMap<Vec<u8>, Named>,
        endian: Endian,
    },
    Safetensors(Safetensors),
    Npy(npy::Array),
    Raw,
}

/// What a name stands for.
#[derive(Clone, Copy)]
enum Named {
    One(usize),
    Several,
}

struct Held {
    tensor_type: TensorType,
    dims: Vec<u64>,
    span: Span,
}

impl Sources {
    /// The files, laid end to end behind those that `parts` has; where each begins.
    pub(in crate::commands) fn join<'a>(&'a self, parts: &mut Parts<'a>) -> Result<Vec<u64>, NoData> {
        let add = |(file, _): &(usize, usize)| {
            let Some((path, source, _)) = self.files.get(*file) else { return Ok(0) };
            let span = parts.file(source).map_err(|error| NoData::File(path.clone(), Failure::Io(error)))?;
            Ok(span.start)
        };
        self.places.iter().map(add).collect()
    }

    /// What the new file does not have of those that its data is from.
    pub(in crate::commands) fn notes(&self) -> impl Iterator<Item = String> {
        self.notes.iter().cloned()
    }

    fn open(&mut self, path: &Path) -> Result<usize, NoData> {
        if let Some(at) = self.known.get(path) {
            return Ok(*at);
        }
        let failed = |failure| NoData::File(path.to_owned(), failure);
        // A pipe is waited for when it is opened, and a device acts.
        if std::fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
            let failure = Failure::usage("no-length", "is no regular file: data is copied from files");
            return Err(failed(failure));
        }
        let stamp = inplace::Stamp::of(path).ok();
        let source = frame::source(path).map_err(|error| failed(Failure::Io(error)))?;
        if source.size().is_none() {
            let failure = Failure::usage("no-length", "its length is not known: data is copied from files");
            return Err(failed(failure));
        }
        let extension =
            path.extension().and_then(|ext| ext.to_str()).unwrap_or_default().to_ascii_lowercase();
        let content = match extension.as_str() {
            "gguf" => {
                let (content, behind) = gguf(&source).map_err(failed)?;
                if behind > 0 {
                    let bytes = units::bytes(behind);
                    self.notes.push(format!("{}: {bytes} behind its tensors are not taken", out::path(path)));
                }
                content
            }
            "npy" => npy::read(&source).map(Content::Npy).map_err(|error| {
                failed(match error {
                    ArrayError::Io(error) => Failure::Io(error),
                    error => malformed("npy", error.to_string()),
                })
            })?,
            "safetensors" => safetensors::read(&source).map(Content::Safetensors).map_err(|error| {
                failed(match error {
                    SafetensorsError::Io(error) => Failure::Io(error),
                    error => malformed("safetensors", error.to_string()),
                })
            })?,
            _ => Content::Raw,
        };
        frame::settled(path, stamp).map_err(|error| failed(Failure::Io(error)))?;
        let number = self.files.len();
        self.files.push((path.to_owned(), source, content));
        self.known.insert(path.to_owned(), number);
        Ok(number)
    }

    /// Finds the data of a tensor.
    pub(in crate::commands) fn find(
        &mut self,
        path: &Path,
        from: &DataSource,
        wanted: &Described,
    ) -> Result<Found, NoData> {
        let mut found = self.look(path, from, wanted)?;
        let taken = self.taken.entry((found.file, found.span.start)).or_default();
        let place = (found.file, *taken);
        if !found.span.is_empty() {
            *taken = taken.saturating_add(1);
        }
        let next = self.places.len();
        found.file = *self.numbers.entry(place).or_insert(next);
        if found.file == next {
            self.places.push(place);
        }
        Ok(found)
    }

    fn look(&mut self, path: &Path, from: &DataSource, wanted: &Described) -> Result<Found, NoData> {
        let file = self.open(path)?;
        let Some((_, source, content)) = self.files.get(file) else {
            return Err(NoData::Refused("the file is gone".to_owned()));
        };
        let label = out::path(path);
        let refused = |message: String| Err(NoData::Refused(format!("{label}: {message}")));
        let name = from.tensor.as_deref().unwrap_or(&wanted.name);
        let shown = out::fit(name, 80);
        if from.offset.is_some() && !matches!(content, Content::Raw) {
            return refused(
                "an offset is for files of nothing but bytes; this one says where its data is".into(),
            );
        }
        let found = match content {
            Content::Gguf { tensors, by_name, endian } => {
                let named = by_name.get(name).copied();
                let one = |named| if let Some(Named::One(at)) = named { tensors.get(at) } else { None };
                match (one(named), named) {
                    (Some(held), _) => Found {
                        tensor_type: held.tensor_type,
                        dims: held.dims.clone(),
                        file,
                        span: held.span,
                        endian: Some(*endian),
                    },
                    (None, Some(Named::Several)) => {
                        return refused(format!("has several tensors \"{shown}\""));
                    }
                    (None, _) => return refused(format!("has no tensor \"{shown}\"")),
                }
            }
            Content::Safetensors(all) => {
                let stored = std::str::from_utf8(name).ok().and_then(|name| all.get(name));
                let Some(stored) = stored else { return refused(format!("has no tensor \"{shown}\"")) };
                let Some(tensor_type) = stored.tensor_type else {
                    let dtype = out::fit(stored.dtype.as_bytes(), 20);
                    return refused(format!("tensor \"{shown}\" is of {dtype}, for which GGUF has no type"));
                };
                Found {
                    tensor_type,
                    dims: stored.dims.clone(),
                    file,
                    span: stored.data,
                    endian: Some(Endian::Little),
                }
            }
            Content::Npy(array) => {
                if from.tensor.is_some() {
                    return refused("an array has no tensors with names".into());
                }
                let (tensor_type, endian) = (array.tensor_type, Some(array.endian));
                Found { tensor_type, dims: array.dims.clone(), file, span: array.data, endian }
            }
            Content::Raw => {
                if from.tensor.is_some() {
                    return refused("a file of nothing but bytes has no tensors with names".into());
                }
                let (Some(tensor_type), Some(dims)) = (wanted.tensor_type, wanted.dims.clone()) else {
                    return refused("type and shape have to be told, the file has nothing but bytes".into());
                };
                let needed = match tensor_bytes(tensor_type, &dims) {
                    Ok(needed) => needed,
                    Err(error) => return refused(error.to_string()),
                };
                let (start, size) = (from.offset.unwrap_or(0), source.size().unwrap_or(0));
                let fits = match from.offset {
                    // Without a word about where, it is the whole file.
                    None => needed == size,
                    Some(start) => start.checked_add(needed).is_some_and(|end| end <= size),
                };
                if !fits {
                    let at = from.offset.map_or(String::new(), |at| format!(" from {at} on"));
                    return refused(format!(
                        "type and shape ask for {needed} bytes{at}, and the file has {size}"
                    ));
                }
                // Bytes are as they are to stand.
                return Ok(Found { tensor_type, dims, file, span: Span::new(start, needed), endian: None });
            }
        };
        let other_type = wanted.tensor_type.filter(|wanted| *wanted != found.tensor_type);
        if let Some(wanted) = other_type {
            return refused(format!("\"{shown}\" is of type {}, not {wanted}", found.tensor_type));
        }
        if wanted.dims.as_ref().is_some_and(|wanted| *wanted != found.dims) {
            let (is, not) = (&found.dims, wanted.dims.as_deref().unwrap_or_default());
            return refused(format!("\"{shown}\" has the shape {is:?} (row length first), not {not:?}"));
        }
        Ok(found)
    }
}

fn malformed(code: &'static str, message: String) -> Failure {
    Failure::Data { kind: "malformed", code, message }
}

/// The tensors of a model, and the bytes that follow them and their padding.
fn gguf(source: &FileSource) -> Result<(Content, u64), Failure> {
    let mut buffer = HeadBuffer::new();
    let read = buffer.read(source, Options::new()).map_err(Failure::Io)?;
    if let Some(error) = &read.error {
        let diagnosis = diagnose(source, Options::new(), &read, buffer.bytes()).map_err(Failure::Io)?;
        return Err(Failure::of_parse(error.clone(), read.index.as_ref(), &diagnosis));
    }
    let Some(index) = &read.index else {
        let none = Content::Gguf { tensors: Vec::new(), by_name: HashMap::new(), endian: Endian::Little };
        return Ok((none, 0));
    };
    let view = View::new(index, buffer.bytes());
    let placement = Placement::of(index, source.size().unwrap_or(0));
    if let Some(problem) = placement.problems.first() {
        return Err(malformed("tensor-data", problem.to_string()));
    }
    let data = placement.end.saturating_sub(index.header().base);
    let end = placement.end.saturating_add(layout::padding(data, index.alignment()));
    let behind = source.size().unwrap_or(0).saturating_sub(end);
    let tensors = index.tensors().iter().zip(placement.spans).map(|(tensor, span)| Held {
        tensor_type: tensor.tensor_type,
        dims: index.dims(tensor).to_vec(),
        span,
    });
    let mut by_name = HashMap::with_capacity(index.tensors().len());
    for (at, tensor) in index.tensors().iter().enumerate() {
        let one = |named: &mut Named| *named = Named::Several;
        by_name.entry(view.name(tensor).0.to_vec()).and_modify(one).or_insert(Named::One(at));
    }
    Ok((Content::Gguf { tensors: tensors.collect(), by_name, endian: index.header().endian }, behind))
}
