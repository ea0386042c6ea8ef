//! A file in words: what `gguf dump --format json` prints, or a person writes, as something that a file can be made of.
//!
//! A description is the object of one file as the dump has it, or the dump's whole document. What the dump computes
//! (positions, sizes, counts) need not be there; where a count is there it has to be right, so that half a dump is not taken
//! for a whole one. A field that is not known is an error: a slip of the pen is none of the file's contents.

mod entry;

use std::fmt;

use ggufkit_format::spec::TensorType;
use ggufkit_format::{Endian, shorten};
use serde_json::{Map, Value as Json};

use crate::builder::Builder;
use crate::value::NewValue;

/// Why something is no description.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DescriptionError {
    /// Where in the description: `metadata[3].value`; empty for the whole.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl DescriptionError {
    fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into(), help: None }
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for DescriptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => f.write_str(&self.message),
            path => write!(f, "{path}: {}", self.message),
        }
    }
}

impl std::error::Error for DescriptionError {}

/// A file that is described.
#[derive(Clone, PartialEq, Debug)]
pub struct Description {
    /// The version to write.
    pub version: u32,
    /// The byte order.
    pub endian: Endian,
    /// The key-values in order.
    pub kvs: Vec<(Vec<u8>, NewValue)>,
    /// The tensors in order.
    pub tensors: Vec<Described>,
}

/// A tensor that is described.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Described {
    /// The name.
    pub name: Vec<u8>,
    /// The type; `None` for that of the source.
    pub tensor_type: Option<TensorType>,
    /// Dimensions, the row length first; `None` for those of the source.
    pub dims: Option<Vec<u64>>,
    /// Where the data is to be taken from.
    pub source: Option<DataSource>,
    /// The offset that the description tells, where it does. A new file is laid out anew whatever it says.
    pub offset: Option<u64>,
}

/// A file that has a tensor's data.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DataSource {
    /// The file.
    pub file: Vec<u8>,
    /// The tensor in it, of files that have several; `None` for the one of the same name.
    pub tensor: Option<Vec<u8>>,
    /// Where the data begins, of files that have nothing but bytes.
    pub offset: Option<u64>,
}

const DOCUMENT: [&str; 4] = ["schema", "command", "files", "errors"];
const FILE: [&str; 8] =
    ["header", "metadata", "tensors", "path", "size", "errors", "anomalies", "anomalies_left_out"];
const HEADER: [&str; 11] = [
    "version",
    "endian",
    "kv_count",
    "tensor_count",
    "alignment",
    "dialect",
    "magic",
    "alignment_source",
    "base",
    "head_end",
    "data_start",
];

impl Description {
    /// Reads a description.
    ///
    /// # Errors
    /// It is none; see [`DescriptionError`].
    ///
    /// ```
    /// use ggufkit_edit::Description;
    ///
    /// let description = Description::from_json(&serde_json::json!({
    ///     "metadata": [
    ///         {"key": "general.architecture", "value": "llama"},
    ///         {"key": "my.list", "type": "array[u32]", "value": [1, 2]},
    ///     ],
    ///     "tensors": [{"name": "output.weight", "type": "F32", "shape": [4, 2], "source": "output.raw"}],
    /// }))?;
    /// assert_eq!((description.version, description.kvs.len()), (3, 2));
    /// # Ok::<(), ggufkit_edit::DescriptionError>(())
    /// ```
    pub fn from_json(json: &Json) -> Result<Self, DescriptionError> {
        let mut file = object(json, "")?;
        if let Some(files) = file.get("files") {
            only(file, "", &DOCUMENT)?;
            let list = files.as_array().map(Vec::as_slice);
            let Some([one]) = list else {
                let count = list.map_or(0, <[Json]>::len);
                let message = format!("one file is to be described, and there are {count}");
                return Err(DescriptionError::new("files", message));
            };
            file = object(one, "files[0]")?;
        }
        only(file, "", &FILE)?;
        if file.get("errors").and_then(Json::as_array).is_some_and(|errors| !errors.is_empty()) {
            let message = "the head that is described was not read to its end";
            return Err(DescriptionError::new("errors", message));
        }
        let empty = Map::new();
        let header = match file.get("header") {
            None => &empty,
            Some(Json::Null) => return Err(DescriptionError::new("header", "there was none to read")),
            Some(header) => object(header, "header")?,
        };
        only(header, "header", &HEADER)?;
        let mut out = Self {
            version: number(header, "header", "version")?.map_or(Ok(3), |version| {
                u32::try_from(version).map_err(|_| DescriptionError::new("header.version", "is no version"))
            })?,
            endian: match header.get("endian").map(Json::as_str) {
                None | Some(Some("little")) => Endian::Little,
                Some(Some("big")) => Endian::Big,
                _ => return Err(DescriptionError::new("header.endian", "is neither little nor big")),
            },
            kvs: Vec::new(),
            tensors: Vec::new(),
        };
        for (at, kv) in list(file, "metadata")?.iter().enumerate() {
            let path = format!("metadata[{at}]");
            out.kvs.push(entry::kv(object(kv, &path)?, &path)?);
        }
        for (at, tensor) in list(file, "tensors")?.iter().enumerate() {
            let path = format!("tensors[{at}]");
            out.tensors.push(entry::tensor(object(tensor, &path)?, &path)?);
        }
        for (field, what, there) in [
            ("kv_count", "key-values", out.kvs.len() as u64),
            ("tensor_count", "tensors", out.tensors.len() as u64),
        ] {
            if let Some(count) = number(header, "header", field)?.filter(|count| *count != there) {
                let message = format!("{count} {what} are counted, and {there} are described");
                let path = format!("header.{field}");
                return Err(DescriptionError::new(path, message).help(
                    "a dump without --keys, --tensors, --no-tensors and --no-metadata is whole; \
                     counts may be left out",
                ));
            }
        }
        out.align(header)?;
        Ok(out)
    }

    /// Holds the alignment that the header tells against that of the metadata.
    fn align(&mut self, header: &Map<String, Json>) -> Result<(), DescriptionError> {
        let Some(told) = number(header, "header", "alignment")? else { return Ok(()) };
        let there = self.builder().alignment();
        if told == there {
            return Ok(());
        }
        // A header of a mis-written layout had room for it; a new one leaves it to the key.
        let from_header = header.get("alignment_source").and_then(Json::as_str) == Some("header");
        match u32::try_from(told) {
            Ok(alignment) if from_header => {
                self.kvs.retain(|(key, _)| key != crate::document::ALIGNMENT);
                self.kvs.push((crate::document::ALIGNMENT.to_vec(), alignment.into()));
                Ok(())
            }
            _ => {
                let message = format!("is {told}, and the metadata says {there}");
                Err(DescriptionError::new("header.alignment", message)
                    .help("the key general.alignment says how the data is aligned"))
            }
        }
    }

    /// A builder with the version, the byte order and the key-values, and without tensors.
    #[must_use]
    pub fn builder<'a>(&self) -> Builder<'a> {
        let mut builder = Builder::new();
        builder.version(self.version).endian(self.endian);
        for (key, value) in &self.kvs {
            builder.set(key, value.clone());
        }
        builder
    }
}

fn object<'j>(json: &'j Json, path: &str) -> Result<&'j Map<String, Json>, DescriptionError> {
    json.as_object().ok_or_else(|| DescriptionError::new(path, "is no object"))
}

fn list<'j>(file: &'j Map<String, Json>, field: &str) -> Result<&'j [Json], DescriptionError> {
    match file.get(field) {
        None => Ok(&[]),
        Some(Json::Array(items)) => Ok(items),
        Some(_) => Err(DescriptionError::new(field, "is no list")),
    }
}

fn number(object: &Map<String, Json>, path: &str, field: &str) -> Result<Option<u64>, DescriptionError> {
    match object.get(field) {
        None | Some(Json::Null) => Ok(None),
        Some(json) => json
            .as_u64()
            .map(Some)
            .ok_or_else(|| DescriptionError::new(format!("{path}.{field}"), "is no whole number")),
    }
}

/// Whether an object has no fields but these.
fn only(object: &Map<String, Json>, path: &str, known: &[&str]) -> Result<(), DescriptionError> {
    match object.keys().find(|name| !known.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) => {
            // Those that a person writes stand first.
            let most = 6;
            let message = format!("there is no field \"{}\" here", shorten(name.as_bytes(), 60));
            Err(DescriptionError::new(path, message).help(format!(
                "fields are {}, and what else a dump has",
                known.get(..most).unwrap_or(known).join(", ")
            )))
        }
    }
}
