//! The JSON of `gguf extract`.

use ggufkit::inspect::json::JsonText;
use ggufkit::inspect::tensors::Sizing;
use serde::Serialize;
use serde::ser::Serializer;
use serde_json::Value;

use super::Verdict;
use super::job::Job;
use crate::frame::Document;
use crate::json;

/// What became of the tensors of one input:
///
/// * `path` and `errors`: as in `gguf show`; `problems`: as in `gguf tensors`;
/// * `tensors`: those that were chosen, each with `name`, `type`, `shape`, `offset`, the `file` in the folder that was
///   named, the `rows` that were asked for (`null` for all), the `bytes` that were written (or would be), `sizing`, and the
///   `error` that stopped it; one of `bytes` and `error` is `null`.
#[derive(Serialize)]
pub(super) struct File<'d, 'a> {
    path: JsonText<'d>,
    errors: Vec<Value>,
    problems: Vec<Value>,
    tensors: Tensors<'d, 'a>,
}

impl<'d, 'a> File<'d, 'a> {
    pub(super) fn of(
        document: &'d Document<'_>,
        rows: Option<(u64, u64)>,
        jobs: &'d [Job<'a>],
        verdicts: &'d [Verdict],
    ) -> Self {
        Self {
            path: JsonText(document.path),
            errors: document.errors_json(),
            problems: document.problems_json(),
            tensors: Tensors { rows, jobs, verdicts },
        }
    }
}

/// The list, written tensor by tensor.
struct Tensors<'d, 'a> {
    rows: Option<(u64, u64)>,
    jobs: &'d [Job<'a>],
    verdicts: &'d [Verdict],
}

impl Serialize for Tensors<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.jobs.iter().zip(self.verdicts).map(|(job, verdict)| Tensor {
            name: JsonText(job.row.name),
            tensor_type: job.row.tensor_type().to_string(),
            shape: job.row.dims,
            offset: job.row.data,
            file: json::path(&job.file),
            rows: self.rows,
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
    file: JsonText<'a>,
    rows: Option<(u64, u64)>,
    bytes: Option<u64>,
    sizing: Sizing,
    error: Option<&'a str>,
}
