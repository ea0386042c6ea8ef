//! The JSON of `gguf compare`.

use std::collections::BTreeMap;
use std::io::{self, Write as _};

use ggufkit::format::ByteStr;
use ggufkit::inspect::json::{JsonText, SCHEMA, write};
use ggufkit::values::compare::{BLOCK, Difference};
use serde::Serialize;
use serde_json::Value;

use super::super::stats::Real;
use super::{Answer, Compared, File, table};
use crate::out::Out;

/// Writes the document:
///
/// * `files`: A and B, each with its `path`, `problems` and `errors`, as in `gguf show`; with --source the first is the source;
/// * `max_error`: the bound that was given, or `null`;
/// * `tensors`: each that both have, in the order asked for: `name`, `name_b` where it is another, `type_a`, `type_b`, and
///   `over` (whether it is further off than that; `null` without a bound), its measures `elements`, `equal`, `not_finite`, `rmse`, `relative`, `max` and `max_at`, `cosine`, `snr_db`, `worst` (blocks of
///   256 elements: `element`, the number of the first, and `rmse`);
/// * `more`: how many of these are left out by `--top`; `all`: the measures over all of them; `only_a`, `only_b`: names without a counterpart; `reshaped`: names of two shapes.
///
/// With --source there is `source`, with `verdict` (`same`, `related`, `mixed`, `unrelated`, `unknown`), the
/// `sentence` that says so, `made` (tensors that conversion makes) and `changes` (what was taken into account: in how many
/// tensors), and of each tensor `made_of`, the names in the source, and `changes`: `rows-by-heads`, `stacked`, `turned`,
/// `plus-one`.
///
/// Measures are `null` where there is none, and strings where JSON has no number ("Infinity").
pub(super) fn print(
    out: &mut Out,
    files: &[File; 2],
    answer: &Answer,
    top: Option<usize>,
    max_error: Option<f64>,
) -> io::Result<()> {
    let shown = top.unwrap_or(usize::MAX).min(answer.tensors.len());
    let [only_a, only_b] = &answer.only;
    let document = Document {
        schema: SCHEMA,
        command: "compare",
        files: files.each_ref().map(|file| FileOf {
            path: text(&file.path),
            problems: &file.problems,
            errors: &file.errors,
        }),
        max_error: Real(max_error),
        source: answer.verdict.map(|verdict| Source {
            verdict: verdict.name(),
            sentence: table::sentence(answer),
            made: answer.made.iter().map(|name| text(name)).collect(),
            changes: answer.changes(),
        }),
        tensors: answer.tensors.iter().take(shown).map(Tensor::of).collect(),
        more: answer.tensors.len().saturating_sub(shown),
        all: Measures::of(&answer.all),
        only_a: only_a.iter().map(|name| text(name)).collect(),
        only_b: only_b.iter().map(|name| text(name)).collect(),
        reshaped: answer.reshaped.iter().map(|(name, [a, b])| Reshaped { name: text(name), a, b }).collect(),
    };
    write(&mut *out, &document, true)?;
    out.write_all(b"\n")
}

fn text(bytes: &[u8]) -> JsonText<'_> {
    JsonText(ByteStr(bytes))
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    command: &'static str,
    files: [FileOf<'a>; 2],
    max_error: Real,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<Source<'a>>,
    tensors: Vec<Tensor<'a>>,
    more: usize,
    all: Measures,
    only_a: Vec<JsonText<'a>>,
    only_b: Vec<JsonText<'a>>,
    reshaped: Vec<Reshaped<'a>>,
}

#[derive(Serialize)]
struct FileOf<'a> {
    path: JsonText<'a>,
    problems: &'a [Value],
    errors: &'a [Value],
}

#[derive(Serialize)]
struct Source<'a> {
    verdict: &'static str,
    sentence: Option<String>,
    made: Vec<JsonText<'a>>,
    changes: BTreeMap<&'static str, u64>,
}

#[derive(Serialize)]
struct Reshaped<'a> {
    name: JsonText<'a>,
    a: &'a [u64],
    b: &'a [u64],
}

#[derive(Serialize)]
struct Tensor<'a> {
    name: JsonText<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name_b: Option<JsonText<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    made_of: Vec<JsonText<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changes: Vec<&'static str>,
    type_a: String,
    type_b: String,
    over: Option<bool>,
    #[serde(flatten)]
    measures: Measures,
}

impl<'a> Tensor<'a> {
    fn of(compared: &'a Compared) -> Self {
        let [type_a, type_b] = compared.types.map(|ty| ty.to_string());
        Self {
            name: text(&compared.name),
            name_b: compared.renamed.as_deref().map(text),
            made_of: compared.made_of.iter().map(|name| text(name.as_bytes())).collect(),
            changes: compared.changes.iter().map(|change| change.name()).collect(),
            type_a,
            type_b,
            over: compared.over,
            measures: Measures::of(&compared.difference),
        }
    }
}

#[derive(Serialize)]
struct Measures {
    elements: u64,
    equal: u64,
    not_finite: u64,
    rmse: Real,
    relative: Real,
    max: Real,
    max_at: Option<u64>,
    cosine: Real,
    snr_db: Real,
    worst: Vec<Block>,
}

#[derive(Serialize)]
struct Block {
    element: u64,
    elements: u64,
    rmse: Real,
}

impl Measures {
    fn of(difference: &Difference) -> Self {
        let block = |(error, at): &(f64, u64)| Block {
            element: *at,
            elements: BLOCK.min(difference.count.saturating_sub(*at)),
            rmse: Real(Some(*error)),
        };
        Self {
            elements: difference.count,
            equal: difference.equal,
            not_finite: difference.not_finite,
            rmse: Real(difference.rmse()),
            relative: Real(difference.relative()),
            max: Real(difference.max.map(|(max, _)| max)),
            max_at: difference.max.map(|(_, at)| at),
            cosine: Real(difference.cosine()),
            snr_db: Real(difference.snr()),
            worst: difference.worst.iter().map(block).collect(),
        }
    }
}
