//! The JSON of `gguf hash`.

use std::collections::BTreeMap;

use ggufkit::digest::{Algorithm, Digest, Hashes};
use ggufkit::inspect::json::JsonText;
use serde::Serialize;
use serde::ser::Serializer;
use serde_json::Value;

use super::Hashed;
use crate::failure::Failed;
use crate::frame::Document;

/// What is known of one input:
///
/// * `path` and `errors`: as in `gguf show`; `problems`: as in `gguf tensors`. A tensor that could not be hashed has an entry
///   in `errors` (of many, the first 20 have);
/// * `model`: the digests of the whole by algorithm, `null` where one cannot be had;
/// * `tensors`: every tensor with `name`, `type`, `shape`, the `file` that holds it, `offset` and `bytes` of its data,
///   its digests `hashes` by algorithm, and `error`, the code of what kept it from being hashed. Empty with `--no-layer`.
#[derive(Serialize)]
pub(super) struct File<'d> {
    path: JsonText<'d>,
    model: BTreeMap<&'static str, Option<String>>,
    tensors: Tensors<'d>,
    problems: Vec<Value>,
    errors: Vec<Value>,
}

impl<'d> File<'d> {
    pub(super) fn of(
        document: &'d Document<'_>,
        layers: &'d [Algorithm],
        whole: &[Algorithm],
        hashed: &'d Hashed,
        failures: &[Failed],
    ) -> Self {
        let hashes = hashed.hashes.as_ref();
        let digest = |algorithm: &Algorithm| hashes?.whole(*algorithm).map(Digest::to_string);
        let mut errors = document.errors_json();
        errors.extend(failures.iter().map(Failed::json));
        Self {
            path: JsonText(document.path),
            model: whole.iter().map(|algorithm| (algorithm.name(), digest(algorithm))).collect(),
            tensors: Tensors { document, layers, hashes },
            problems: document.problems_json(),
            errors,
        }
    }
}

/// The list, written tensor by tensor.
struct Tensors<'d> {
    document: &'d Document<'d>,
    layers: &'d [Algorithm],
    hashes: Option<&'d Hashes>,
}

impl Serialize for Tensors<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let parts = self.document.parts.iter().filter_map(|part| Some((part, part.view()?)));
        let rows = parts
            .flat_map(|(part, view)| view.index().tensors().iter().map(move |tensor| (part, view, tensor)));
        let hashes = self.hashes.filter(|_| !self.layers.is_empty());
        let entries = hashes.map(|hashes| hashes.entries.as_slice()).unwrap_or_default();
        serializer.collect_seq(entries.iter().zip(rows).enumerate().map(
            |(at, (entry, (part, view, tensor)))| {
                let digest = |algorithm: &Algorithm| hashes?.layer(at, *algorithm).map(Digest::to_string);
                Tensor {
                    name: JsonText(view.name(tensor)),
                    tensor_type: tensor.tensor_type.to_string(),
                    shape: view.index().dims(tensor),
                    file: JsonText(part.name()),
                    offset: entry.span.map(|span| span.start),
                    bytes: entry.span.map(|span| span.len),
                    hashes: self
                        .layers
                        .iter()
                        .map(|algorithm| (algorithm.name(), digest(algorithm)))
                        .collect(),
                    error: entry.problem.as_ref().map(|problem| problem.code()),
                }
            },
        ))
    }
}

#[derive(Serialize)]
struct Tensor<'a> {
    name: JsonText<'a>,
    #[serde(rename = "type")]
    tensor_type: String,
    shape: &'a [u64],
    file: JsonText<'a>,
    offset: Option<u64>,
    bytes: Option<u64>,
    hashes: BTreeMap<&'static str, Option<String>>,
    error: Option<&'static str>,
}
