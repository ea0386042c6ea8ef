//! The JSON of `gguf tensors`.

use ggufkit::inspect::dump::TensorEntry;
use ggufkit::inspect::json::JsonText;
use ggufkit::inspect::tensors::{Group, GroupKey, OriginalShape, Row, Share, Sizing, Totals};
use serde::Serialize;
use serde::ser::{SerializeSeq as _, Serializer};
use serde_json::{Value, json};

use super::Answer;
use crate::frame::Document;

/// The tensors of one input:
///
/// * `path` and `errors`: as in `gguf show`; `problems`: what is wrong with the shard set, each with its `code`, `message`
///   and whether it is `fatal`; an answer without the missing shards is not about all of the model;
/// * `tensors`: the selected tensors in the order asked for, each with the fields of `gguf dump` and `bits_per_weight`,
///   `layer`, `in_file` (whether all its data lies in the file; `null` where that is not known), `original_shape` (of
///   `comfy.gguf.orig_shape.*`; absent without) and, for a split model, `file`; absent with `--by` and `--totals`;
/// * `groups`: with `--by`, each with `group` (a layer's number, `null` for the tensors of none; a type; a file), `tensors`,
///   `elements`, `bytes`, `size_known`, `bits_per_weight`, and `mix`, its types by bytes with the same fields;
/// * `totals`: of all selected tensors.
#[derive(Serialize)]
pub(super) struct File<'d, 'a> {
    path: JsonText<'d>,
    errors: Vec<Value>,
    problems: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tensors: Option<Tensors<'d, 'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<GroupSum>>,
    totals: Option<Sum>,
}

impl<'d, 'a> File<'d, 'a> {
    /// Of a file of which nothing could be read.
    pub(super) fn failed(document: &'d Document<'a>) -> Self {
        Self {
            path: JsonText(document.path),
            errors: document.errors_json(),
            problems: document.problems_json(),
            tensors: None,
            groups: None,
            totals: None,
        }
    }

    pub(super) fn of(answer: &'d Answer<'d, 'a>, groups: Option<Vec<Group>>, only_totals: bool) -> Self {
        let mut totals = Totals::default();
        answer.rows().for_each(|row| totals.add(&row));
        let list = groups.is_none() && !only_totals;
        Self {
            tensors: list.then_some(Tensors(answer)),
            groups: groups.map(|groups| groups.iter().map(|group| GroupSum::of(answer, group)).collect()),
            totals: Some(Sum::of(&totals)),
            ..Self::failed(answer.document)
        }
    }
}

/// The list, written row by row.
struct Tensors<'d, 'a>(&'d Answer<'d, 'a>);

impl Serialize for Tensors<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(None)?;
        for row in self.0.rows() {
            seq.serialize_element(&Tensor {
                entry: TensorEntry(row),
                bits_per_weight: row.bits_per_weight(),
                layer: row.layer,
                in_file: row.in_file(),
                original_shape: original(self.0, &row),
                file: self.0.shards.then(|| JsonText(self.0.path(row.part_index))),
            })?;
        }
        seq.end()
    }
}

fn original<'a>(answer: &Answer<'_, 'a>, row: &Row<'_>) -> Option<OriginalShape<'a>> {
    answer.shapes.of(row.name)
}

#[derive(Serialize)]
struct Tensor<'s, 'a> {
    #[serde(flatten)]
    entry: TensorEntry<'a>,
    bits_per_weight: Option<f64>,
    layer: Option<u64>,
    in_file: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    original_shape: Option<OriginalShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<JsonText<'s>>,
}

/// Totals as JSON writes them.
#[derive(Serialize)]
pub(super) struct Sum {
    tensors: u64,
    elements: u64,
    bytes: u64,
    size_known: Sizing,
    bits_per_weight: Option<f64>,
}

impl Sum {
    fn of(totals: &Totals) -> Self {
        Self {
            tensors: totals.tensors,
            elements: totals.elements,
            bytes: totals.bytes,
            size_known: totals.sizing,
            bits_per_weight: totals.bits_per_weight(),
        }
    }
}

/// A group as JSON writes it.
#[derive(Serialize)]
pub(super) struct GroupSum {
    group: Value,
    #[serde(flatten)]
    sum: Sum,
    mix: Vec<TypeSum>,
}

/// The tensors of one type in a group.
#[derive(Serialize)]
struct TypeSum {
    #[serde(rename = "type")]
    name: String,
    #[serde(flatten)]
    sum: Sum,
}

impl GroupSum {
    fn of(answer: &Answer<'_, '_>, group: &Group) -> Self {
        let key = match group.key {
            GroupKey::Layer(n) => json!(n),
            GroupKey::NoLayer => Value::Null,
            GroupKey::Type(ty) => json!(ty.to_string()),
            GroupKey::Shard(part) => json!(JsonText(answer.path(part))),
        };
        let of_type =
            |share: &Share| TypeSum { name: share.tensor_type.to_string(), sum: Sum::of(&share.totals) };
        Self { group: key, sum: Sum::of(&group.totals), mix: group.mix.iter().map(of_type).collect() }
    }
}
