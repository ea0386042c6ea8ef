//! `gguf compare`: how far the values of two models are apart.

mod json;
mod rename;
mod table;

use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::num::NonZeroUsize;

use ggufkit::format::spec::TensorType;
use ggufkit::format::{ByteStr, shorten};
use ggufkit::inspect::tensors::{Row, Table};
use ggufkit::io::{DynSource, TensorReader, expand};
use ggufkit::values::compare::{Difference, Pair, compare};
use ggufkit::values::{NoValues, Weights};

use self::rename::Rename;
use super::progress::Bar;
use super::tensors::SelectArgs;
use crate::args::{HowArgs, InputArgs, ReadArgs};
use crate::failure::{Failed, Failure};
use crate::frame::Document;
use crate::out::{self, Out};
use crate::{FAILED, NO, OK, frame};

/// How far the weights of two models are apart: error, cosine and signal to noise of every tensor
///
/// Tensors are matched by name, and their values compared one by one, whatever their types. A is what B is measured by: B may be
/// a quantization of it, or of something else. The relative error is the root mean square of the distances over that of
/// A's values; two unrelated tensors come to 100 % and more, a Q8_0 of the same weights to some 0.5 %, a Q4_K to some 7 %.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  gguf compare model-f16.gguf model-q4.gguf\n  gguf compare a.gguf b.gguf --name '*attn_v*' --worst\n  \
    gguf compare a.gguf b.gguf --max-error 0.1 -q        # exit status 1 where a tensor is further off\n  \
    gguf compare a.gguf b.gguf --rename 'model.*=*'      # names of B as those of A\n  \
    gguf compare a.gguf b.gguf --json | jq '.tensors[] | [.name, .relative]'\n\n\
    Exit status: 0 compared, 1 something could not be matched or is further off than --max-error, 2 a file or some data could \
    not be read, or usage."
)]
pub(crate) struct Args {
    /// What is measured by: a file, or any member of a shard set
    #[arg(value_name = "A")]
    a: OsString,
    /// What is measured
    #[arg(value_name = "B")]
    b: OsString,
    #[command(flatten)]
    select: SelectArgs,
    /// Read names of B that match FROM as TO, `*` standing for the same text in both; may be given again
    #[arg(long, value_name = "FROM=TO", value_parser = Rename::parse)]
    rename: Vec<Rename>,
    /// Order of the table
    #[arg(long, value_enum, value_name = "ORDER", default_value_t = Sort::Error)]
    sort: Sort,
    /// Show only so many rows
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Show the worst blocks of each tensor, too
    #[arg(long)]
    worst: bool,
    /// The largest relative error that is right: 0.05 is 5 %; pairs of which one is not finite are never right
    #[arg(long, value_name = "ERROR", value_parser = error)]
    max_error: Option<f64>,
    /// Compare these files alone, and not the shard sets that they are members of
    #[arg(long, help_heading = "Input")]
    alone: bool,
    /// Threads that read and decode (default: as many as there are processors)
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Print nothing: the exit status tells
    #[arg(long, short, conflicts_with = "json")]
    quiet: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    read: ReadArgs,
}

/// What the table is sorted by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Sort {
    /// The largest relative error first
    Error,
    /// As in the table of A
    Index,
}

fn error(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value >= 0.0 => Ok(value),
        _ => Err("a number that is not negative is needed, as in 0.05".to_owned()),
    }
}

/// A tensor that both have.
pub(super) struct Compared {
    name: Vec<u8>,
    /// Its name in B, where that is another.
    renamed: Option<Vec<u8>>,
    types: [TensorType; 2],
    difference: Difference,
}

/// What came of it.
#[derive(Default)]
pub(super) struct Answer {
    tensors: Vec<Compared>,
    /// Over all of them.
    all: Difference,
    /// Names that only one of them has.
    only: [Vec<Vec<u8>>; 2],
    /// Tensors of one name and two shapes.
    reshaped: Vec<(Vec<u8>, [Vec<u64>; 2])>,
    failures: Vec<Failed>,
}

impl Args {
    pub(crate) fn run(mut self, out: &mut Out) -> io::Result<u8> {
        // The exit status is a verdict, whoever reads the report.
        out.hold();
        let how = HowArgs { alone: self.alone, ..HowArgs::default() };
        let input = |name: &OsString| InputArgs { files: vec![name.clone()], how: how.clone() };
        let (input_a, input_b) = (input(&self.a), input(&self.b));
        for one in [&input_a, &input_b] {
            // What cannot be expanded is reported where it is read.
            let found = expand(&one.files, &how.expand()).map_or(1, |found| found.len());
            let given = one.files.first().map(|name| out::plain(name.as_encoded_bytes()).to_string());
            let failure = if found != 1 {
                let text = format!("{}: {found} models, and one is compared", given.unwrap_or_default());
                Failure::usage("several-models", text)
            } else if one.files.first().is_some_and(|name| name == "-") {
                Failure::usage("standard-input", "data is not read as it passes by: name a file")
            } else {
                continue;
            };
            frame::refuse(out, "compare", self.json, &failure)?;
            return Ok(FAILED);
        }
        let renames = std::mem::take(&mut self.rename);
        let mut answer = None;
        let mut good_b = true;
        let mut paths = [Vec::new(), Vec::new()];
        let mut errors = Vec::new();
        let json = self.json;
        let good_a = frame::each(out, &input_a, &self.read, json, |out, a| {
            good_b &= frame::each(out, &input_b, &self.read, json, |out, b| {
                if !json {
                    frame::report_problems(out, a)?;
                    frame::report_problems(out, b)?;
                }
                errors.extend(a.errors_json().into_iter().chain(b.errors_json()));
                paths = [a.path.0.to_vec(), b.path.0.to_vec()];
                answer = Some(self.measure(a, b, &renames));
                Ok(())
            })?;
            Ok(())
        })?;
        let mut answer = answer.unwrap_or_default();
        if self.sort == Sort::Error {
            // Of equal ones the order of the table stays; what has no relative error is told first.
            answer.tensors.sort_by(|one, two| {
                let key = |of: &Compared| of.difference.relative().unwrap_or(f64::INFINITY);
                key(two).total_cmp(&key(one))
            });
        }
        if json {
            json::print(out, &paths, &answer, errors)?;
        } else {
            if !self.quiet {
                table::print(out, &answer, self.top, self.worst)?;
            }
            frame::report(out, &answer.failures)?;
        }
        let over = |compared: &Compared| match (self.max_error, compared.difference.relative()) {
            // What is left out of the measures cannot be within any bound.
            (Some(max), Some(error)) => error > max || compared.difference.not_finite > 0,
            (Some(_), None) => true,
            (None, _) => false,
        };
        let unmatched = !answer.only.iter().all(Vec::is_empty) || !answer.reshaped.is_empty();
        Ok(if !good_a || !good_b || !answer.failures.is_empty() {
            FAILED
        } else if unmatched || answer.tensors.is_empty() || answer.tensors.iter().any(over) {
            NO
        } else {
            OK
        })
    }

    fn measure(&self, a: &Document<'_>, b: &Document<'_>, renames: &[Rename]) -> Answer {
        let mut answer = Answer::default();
        let (Some(model_a), Some(model_b)) = (&a.model, &b.model) else { return answer };
        let (table_a, table_b) = (Table::new(model_a), Table::new(model_b));
        let renamed = |name: &[u8]| renames.iter().find_map(|rename| rename.apply(name));
        let mut by_name: HashMap<Vec<u8>, Row<'_>> = HashMap::new();
        for row in table_b.iter() {
            let name = renamed(row.name.0).unwrap_or_else(|| row.name.0.to_vec());
            by_name.entry(name).or_insert(row);
        }
        let mut matched: Vec<(Row<'_>, Row<'_>)> = Vec::new();
        for row in table_a.iter().filter(|row| self.select.takes(row)) {
            match by_name.remove(row.name.0) {
                Some(other) if other.dims == row.dims => matched.push((row, other)),
                Some(other) => {
                    answer.reshaped.push((row.name.0.to_vec(), [row.dims.to_vec(), other.dims.to_vec()]));
                }
                None => answer.only[0].push(row.name.0.to_vec()),
            }
        }
        if !self.select.is_any() {
            answer.only[1] = table_b
                .iter()
                .filter(|row| {
                    let name = renamed(row.name.0).unwrap_or_else(|| row.name.0.to_vec());
                    by_name.contains_key(&name)
                })
                .map(|row| row.name.0.to_vec())
                .collect();
        }
        // Nobody may make us read more than there is: tensors may claim the same bytes over and over.
        let mut budgets = [a, b].map(size_of);
        let mut weights: Vec<(Weights<'_, DynSource>, Weights<'_, DynSource>)> = Vec::new();
        let mut of: Vec<(&Row<'_>, &Row<'_>)> = Vec::new();
        for (one, two) in &matched {
            let (first, second) = (weights_of(a, one), weights_of(b, two));
            match (first, second) {
                (Ok(first), Ok(second)) => {
                    let [left_a, left_b] = &mut budgets;
                    match (left_a.checked_sub(first.span().len), left_b.checked_sub(second.span().len)) {
                        (Some(a), Some(b)) => {
                            (*left_a, *left_b) = (a, b);
                            weights.push((first, second));
                            of.push((one, two));
                        }
                        (left, _) => {
                            let document = if left.is_none() { a } else { b };
                            let text = format!("{}: tensors share bytes", shorten(one.name.0, 80));
                            answer.fail(document, "malformed", "overlap", text);
                        }
                    }
                }
                (first, second) => {
                    for (document, error) in
                        [(a, first.err()), (b, second.err())].into_iter().filter_map(|(d, e)| Some((d, e?)))
                    {
                        answer.fail(document, "unsupported", "no-values", error.to_string());
                    }
                }
            }
        }
        let total = weights
            .iter()
            .fold(0_u64, |sum, (one, two)| sum.saturating_add(one.span().len).saturating_add(two.span().len));
        let pairs: Vec<_> = weights.iter().filter_map(|(one, two)| Pair::of(one, two).ok()).collect();
        let threads = self.threads.or_else(|| std::thread::available_parallelism().ok());
        let bar = Bar::begin(b.label, total);
        let progress = |bytes| bar.more(bytes);
        compare(&pairs, threads.unwrap_or(NonZeroUsize::MIN), &progress, &mut |at, result| {
            let Some((one, two)) = of.get(at) else { return };
            match result {
                Ok(difference) => {
                    answer.all.add(&difference.without_places());
                    answer.tensors.push(Compared {
                        name: one.name.0.to_vec(),
                        renamed: (one.name != two.name).then(|| two.name.0.to_vec()),
                        types: [one.tensor_type(), two.tensor_type()],
                        difference,
                    });
                }
                Err(error) => answer.fail(a, "io", "io", format!("{}: {error}", shorten(one.name.0, 80))),
            }
        });
        bar.end();
        // Of a file that was written to meanwhile no number is right.
        let sources =
            [a, b].into_iter().flat_map(|document| document.parts).filter_map(|part| part.source.as_ref());
        for source in sources {
            if let Err(failure) = frame::unchanged(source) {
                answer = Answer::default();
                answer.failures.push(Failed { path: source.path().to_owned(), failure });
                break;
            }
        }
        answer
    }
}

impl Answer {
    fn fail(&mut self, document: &Document<'_>, kind: &'static str, code: &'static str, message: String) {
        let failure = Failure::Data { kind, code, message };
        self.failures.push(Failed { path: document.given.to_owned(), failure });
    }
}

fn size_of(document: &Document<'_>) -> u64 {
    document.parts.iter().fold(0, |sum: u64, part| sum.saturating_add(part.size.unwrap_or(0)))
}

fn weights_of<'d>(document: &'d Document<'_>, row: &Row<'_>) -> Result<Weights<'d, DynSource>, NoValues> {
    let none = || NoValues::NoDecoding { name: row.name.0.into(), ty: row.tensor_type() };
    let part = document.parts.iter().filter(|part| part.index().is_some()).nth(row.part_index);
    let (source, view) =
        part.and_then(|part| Some((part.source.as_ref()?, part.view()?))).ok_or_else(none)?;
    let source: &DynSource = source;
    Weights::of(source, &TensorReader::new(source, view), row.tensor)
}

/// A name for people.
fn shown(name: &[u8]) -> String {
    ByteStr(name).display().to_string()
}
