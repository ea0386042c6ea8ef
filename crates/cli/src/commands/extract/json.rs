//! The JSON of `gguf extract`.

use ggufkit::inspect::json::JsonText;
use ggufkit::inspect::tensors::Sizing;
use ggufkit::values::export::written_type;
use serde::Serialize;
use serde::ser::Serializer;
use serde_json::Value;

use super::job::Job;
use super::{Args, Done};
use crate::frame::Document;
use crate::json;

/// What became of the tensors of one input:
///
/// * `path` and `errors`: as in `gguf show`; `problems`: as in `gguf tensors`;
/// * `output`: the one file that was named, with its `path` and exact size in `bytes` (`null` where it is not written); `null`
///   where each has its own;
/// * `tensors`: those that were chosen, each with `name`, `type`, `shape`, `offset`, `written_type` (the type that it has in the
///   file), the `file` in the folder that was named and its exact size, `file_bytes` (`null` for the one file, whose size is that
///   of `output`), the `rows` that were asked for (`null` for all), the `bytes` of data that were written (or would be), `sizing`,
///   and the `error` that stopped it; one of `bytes` and `error` is `null`.
#[derive(Serialize)]
pub(super) struct File<'d, 'a> {
    path: JsonText<'d>,
    errors: Vec<Value>,
    problems: Vec<Value>,
    output: Option<Output<'d>>,
    tensors: Tensors<'d, 'a>,
}

#[derive(Serialize)]
struct Output<'d> {
    path: JsonText<'d>,
    bytes: Option<u64>,
}

impl<'d, 'a> File<'d, 'a> {
    pub(super) fn of(
        document: &'d Document<'_>,
        args: &'d Args,
        jobs: &'d [Job<'a>],
        done: &'d Done,
    ) -> Self {
        let output = args.output.as_deref().filter(|_| args.is_one_file(jobs.len()));
        Self {
            path: JsonText(document.path),
            errors: document.errors_json(),
            problems: document.problems_json(),
            output: output.map(|path| Output { path: json::path(path), bytes: done.size }),
            tensors: Tensors { args, jobs, done },
        }
    }
}

/// The list, written tensor by tensor.
struct Tensors<'d, 'a> {
    args: &'d Args,
    jobs: &'d [Job<'a>],
    done: &'d Done,
}

impl Serialize for Tensors<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let files = self.done.files.iter().copied().chain(std::iter::repeat(None));
        let all = self.jobs.iter().zip(&self.done.verdicts).zip(files);
        serializer.collect_seq(all.map(|((job, verdict), file_bytes)| Tensor {
            name: JsonText(job.row.name),
            tensor_type: job.row.tensor_type().to_string(),
            shape: job.row.dims,
            offset: job.row.data,
            written_type: written_type(job.row.tensor_type(), self.args.float()).to_string(),
            file: json::path(&job.file),
            file_bytes: file_bytes.filter(|_| verdict.is_ok()),
            rows: self.args.rows,
            bytes: verdict.as_ref().ok().copied(),
            sizing: job.row.sizing,
            error: verdict.as_ref().err().map(|message| &**message),
        }))
    }
}

#[derive(Serialize)]
struct Tensor<'a> {
    name: JsonText<'a>,
    #[serde(rename = "type")]
    tensor_type: String,
    shape: &'a [u64],
    offset: Option<u64>,
    written_type: String,
    file: JsonText<'a>,
    file_bytes: Option<u64>,
    rows: Option<(u64, u64)>,
    bytes: Option<u64>,
    sizing: Sizing,
    error: Option<&'a str>,
}
