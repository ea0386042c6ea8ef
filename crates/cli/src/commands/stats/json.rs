//! The JSON of `gguf stats`.

use ggufkit::format::ByteStr;
use ggufkit::inspect::json::JsonText;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::Answer;
use super::line::{Line, Numbers};
use crate::failure::Failed;
use crate::frame::Document;

/// The tensors of one input:
///
/// * `path` and `errors`: as in `gguf show`; `problems`: as in `gguf tensors`. A tensor that was not decoded has an entry in
///   `errors`;
/// * `tensors`: each with `name`, `type` and its numbers; with `--by`, `groups`, each with `group` and its `tensors`;
/// * `more`: how many of these are left out by `--top`; `all`: the same of all of them.
///
/// Numbers are `null` where there is none (the mean of no values), and strings where JSON has none ("Infinity").
#[derive(Serialize)]
pub(super) struct File<'d> {
    path: JsonText<'d>,
    problems: Vec<Value>,
    errors: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tensors: Option<Vec<Tensor<'d>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<Group<'d>>>,
    more: usize,
    all: Option<Numbers>,
}

#[derive(Serialize)]
struct Tensor<'d> {
    name: JsonText<'d>,
    #[serde(rename = "type")]
    ty: String,
    #[serde(flatten)]
    numbers: Lazy<'d>,
}

#[derive(Serialize)]
struct Group<'d> {
    group: JsonText<'d>,
    tensors: u64,
    #[serde(flatten)]
    numbers: Lazy<'d>,
}

/// The numbers of a line, which are worked out when they are written.
struct Lazy<'d>(&'d Line);

impl Serialize for Lazy<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.numbers().serialize(serializer)
    }
}

impl<'d> File<'d> {
    pub(super) fn of(document: &'d Document<'_>, answer: &'d Answer, top: Option<usize>) -> Self {
        let mut errors = document.errors_json();
        errors.extend(answer.failures.iter().map(Failed::json));
        let tensor = |line: &'d Line| {
            let ty = line.ty?.to_string();
            Some(Tensor { name: JsonText(ByteStr(&line.name)), ty, numbers: Lazy(line) })
        };
        let group = |line: &'d Line| Group {
            group: JsonText(ByteStr(&line.name)),
            tensors: line.tensors,
            numbers: Lazy(line),
        };
        let lines = || answer.lines.iter().take(top.unwrap_or(usize::MAX));
        let grouped = answer.lines.iter().any(|line| line.ty.is_none());
        Self {
            path: JsonText(document.path),
            problems: document.problems_json(),
            errors,
            tensors: (!grouped).then(|| lines().filter_map(tensor).collect()),
            groups: grouped.then(|| lines().map(group).collect()),
            more: answer.lines.len().saturating_sub(lines().count()),
            all: answer.sum(false).map(|line| line.numbers()),
        }
    }
}
