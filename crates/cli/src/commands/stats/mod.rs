//! `gguf stats`: what the values of tensors are like.

mod csv;
mod json;
mod line;
mod table;

use std::cmp::Reverse;
use std::io;
use std::path::Path;

use ggufkit::inspect::tensors::{Order, Row, Table, ordered};
use ggufkit::io::DynSource;
use ggufkit::values::{NoValues, Weights, stats};

use self::line::Line;
pub(super) use self::line::Real;
use super::data::{self, Budget};
use super::progress::Bar;
use super::tensors::SelectArgs;
use crate::args::{InputArgs, ReadArgs, ThreadArgs};
use crate::failure::{Failed, Failure};
use crate::frame::Document;
use crate::json::Files;
use crate::out::Out;
use crate::{FAILED, OK, frame};

/// What the weights are like: range, mean, spread, zeros, outliers, block scales, histogram
///
/// Every value of the selected tensors is decoded once, whatever their type, in bounded memory. Mean, deviation (std), root mean
/// square (rms) and kurtosis (3 for a normal distribution) are of the finite values. Outliers lie at or beyond six times the rms
/// of their tensor; they, the quantiles and the histogram are counted in bins that are at most 1/32 of the value wide. The small
/// picture of a large tensor's distribution is drawn of a part of its values, but for the far ones, that of --histogram of all. "scale" is the range of
/// the blocks' own scales, of types that have one.
#[derive(clap::Args, Debug)]
#[command(
    override_usage = "gguf stats [OPTIONS] FILE... [PATTERN...]",
    after_help = "An argument behind the first FILE that has *, ? or [ in it and is no file is a PATTERN: only tensors whose whole names \
    match one are measured.

Exit status: 0 done, 1 no tensor passes the filters, 2 a file could not be read, or a tensor not decoded.

Examples:
  gguf stats model.gguf
  gguf stats model.gguf '*attn_v*' --histogram
  gguf stats model.gguf --by layer
  gguf stats model.gguf --sort kurtosis --top 10
  gguf stats model.gguf --json | jq '.files[0].tensors[] | select(.nan > 0)'
  gguf stats model.gguf --csv > model.csv"
)]
pub(crate) struct Args {
    #[command(flatten)]
    select: SelectArgs,
    #[command(flatten)]
    inputs: InputArgs,
    #[command(flatten)]
    read: ReadArgs,
    /// Of groups of tensors in place of each
    #[arg(long, value_enum, value_name = "WHAT")]
    by: Option<By>,
    /// Order of the tensors or groups
    #[arg(long, value_enum, value_name = "ORDER", default_value_t = Sort::Index, hide_default_value = true)]
    sort: Sort,
    /// Show only so many rows
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Draw how the values are distributed
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    histogram: bool,
    #[command(flatten)]
    threads: ThreadArgs,
    /// Print comma-separated values
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What tensors are grouped by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum By {
    /// The layer in names like blk.12.attn_q.weight
    Layer,
    /// The type
    Type,
}

/// What lines are sorted by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Sort {
    /// As in the file's table (the default); groups by what they are
    Index,
    /// The most elements first
    Elements,
    /// The smallest minimum first
    Min,
    /// The largest maximum first
    Max,
    /// The largest deviation first
    Std,
    /// The largest kurtosis first
    Kurtosis,
    /// The largest part of zeros first
    Zeros,
    /// The largest part of outliers first
    Outliers,
    /// The most values that are infinite or not a number first
    Bad,
}

impl Sort {
    /// What the first line has most of; lines without it come last.
    fn key(self, line: &Line) -> f64 {
        let n = line.numbers();
        let part = |count: u64| count as f64 / n.elements.max(1) as f64;
        let key = match self {
            Self::Index => None,
            Self::Elements => Some(n.elements as f64),
            Self::Min => n.min.0.map(|min| -min),
            Self::Max => n.max.0,
            Self::Std => n.std.0,
            Self::Kurtosis => n.kurtosis.0,
            Self::Zeros => Some(part(n.zeros)),
            Self::Outliers => n.outliers.map(part),
            Self::Bad => Some(n.nan.saturating_add(n.infinite) as f64),
        };
        key.unwrap_or(f64::NEG_INFINITY)
    }
}

impl By {
    /// The group of a tensor, as it is written.
    fn key(self, row: &Row<'_>) -> Vec<u8> {
        match self {
            Self::Layer => row.layer.map_or_else(|| b"none".to_vec(), |layer| layer.to_string().into_bytes()),
            Self::Type => row.tensor_type().to_string().into_bytes(),
        }
    }

    const fn order(self) -> Order {
        match self {
            Self::Layer => Order::Layer,
            Self::Type => Order::Type,
        }
    }
}

impl Args {
    pub(crate) fn run(mut self, out: &mut Out) -> io::Result<u8> {
        if !self.select.take_patterns(out, "stats", self.json, &mut self.inputs)? {
            return Ok(FAILED);
        }
        let mut files = if self.json { Some(Files::begin(out, "stats", true)?) } else { None };
        let (mut first, mut found, mut complete) = (true, false, true);
        let several = self.inputs.are_several();
        let good = frame::each(out, &self.inputs, &self.read.anywhere(true), self.json, |out, document| {
            let mut answer = self.measure(document);
            if self.sort != Sort::Index {
                // Of equal ones the order of the table stays.
                answer.lines.sort_by_cached_key(|line| Reverse(in_order(self.sort.key(line))));
            }
            complete &= answer.failures.is_empty();
            found |= !answer.lines.is_empty();
            if let Some(files) = &mut files {
                return files.add(out, &json::File::of(document, &answer, self.top));
            }
            frame::report_problems(out, document)?;
            if self.csv {
                csv::print(out, document.path, &answer, self.by.is_some(), self.top, first)?;
            } else if !answer.lines.is_empty() {
                frame::next(out, &mut first, document.label, several)?;
                table::print(out, &answer, self.by, self.top, self.histogram)?;
            }
            first = false;
            frame::report(out, &answer.failures)
        })?;
        if let Some(files) = files {
            files.end(out)?;
        }
        if !good || !complete {
            return Ok(FAILED);
        }
        if !found {
            return self.select.nothing(out);
        }
        Ok(OK)
    }

    fn measure(&self, document: &Document<'_>) -> Answer {
        let mut answer = Answer::default();
        let Some(model) = &document.model else { return answer };
        let table = Table::new(model);
        let order = self.by.map_or(Order::Index, By::order);
        let rows = ordered(&table, order, |row| self.select.takes(row));
        let rows = || rows.iter().filter_map(|(part, at)| table.row(*part, *at));
        let files = data::Files::of(document);
        let path = |row: &Row<'_>| files.path(row.part_index);
        if let Some(row) = rows().next().filter(|_| !files.are_seekable()) {
            let text = "data is not read as it passes by: name a file";
            answer.fail(&path(&row), "usage", "standard-input", text);
            return answer;
        }
        let bytes = rows().fold(0_u64, |sum, row| sum.saturating_add(row.size.unwrap_or(0)));
        let mut budget = Budget::new(files.size());
        let bar = Bar::begin(document.label, bytes.min(files.size()));
        let progress = |bytes| bar.more(bytes);
        // Nobody sees in a small picture of the distribution whether all were counted.
        let every = self.json || self.csv || self.histogram;
        let detail = if every { stats::Detail::Full } else { stats::Detail::Brief };
        let mut rows = rows().filter(|row| files.source(row.part_index).is_some()).peekable();
        while rows.peek().is_some() {
            let mut weights: Vec<Weights<'_, DynSource>> = Vec::new();
            let mut of: Vec<Row<'_>> = Vec::new();
            for row in rows.by_ref().take(AT_ONCE) {
                match files.weights(&row) {
                    Ok(one) if budget.take(one.span().len) => {
                        weights.push(one);
                        of.push(row);
                    }
                    Ok(_) => {
                        let text = format!(
                            "tensor \"{}\": all bytes of the file are told of already; tensors share bytes",
                            ggufkit::format::shorten(row.name.0, 80)
                        );
                        answer.fail(&path(&row), "malformed", "overlap", &text);
                    }
                    Err(error) => answer.fail_with(&path(&row), &error),
                }
            }
            stats::stats(&weights, detail, self.threads.count(), &progress, &mut |at, result| {
                let Some(row) = of.get(at) else { return };
                match result {
                    Ok(stats) => answer.take(self, row, stats),
                    Err(error) => {
                        let text =
                            format!("tensor \"{}\": {error}", ggufkit::format::shorten(row.name.0, 80));
                        answer.fail(&path(row), "io", "io", &text);
                    }
                }
            });
        }
        bar.end();
        answer.end_group(self);
        // Of a file that was written to meanwhile no number is right.
        if let Some(failed) = document.changed() {
            answer = Answer::default();
            answer.failures.push(failed);
        }
        answer
    }
}

/// Tensors that are taken up together: each has something that is only needed while it is measured.
const AT_ONCE: usize = 512;

/// Integers in the order of [`f64::total_cmp`].
fn in_order(value: f64) -> i64 {
    let bits = value.to_bits().cast_signed();
    bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()
}

/// What came of a document.
#[derive(Default)]
pub(super) struct Answer {
    lines: Vec<Line>,
    /// Of all tensors.
    all: Option<stats::Stats>,
    /// The group that is being summed up.
    open: Option<(Vec<u8>, u64, stats::Stats)>,
    failures: Vec<Failed>,
    tensors: u64,
}

impl Answer {
    fn take(&mut self, args: &Args, row: &Row<'_>, stats: stats::Stats) {
        self.tensors = self.tensors.saturating_add(1);
        self.all.get_or_insert_default().add(&stats);
        let Some(by) = args.by else {
            self.lines.push(Line::of(row.name.0, Some(row.tensor_type()), 1, stats, args.histogram));
            return;
        };
        let key = by.key(row);
        match &mut self.open {
            Some((open, tensors, sum)) if *open == key => {
                *tensors = tensors.saturating_add(1);
                sum.add(&stats);
            }
            _ => {
                self.end_group(args);
                self.open = Some((key, 1, stats));
            }
        }
    }

    fn end_group(&mut self, args: &Args) {
        if let Some((key, tensors, stats)) = self.open.take() {
            self.lines.push(Line::of(&key, None, tensors, stats, args.histogram));
        }
    }

    /// The line of all tensors.
    fn sum(&self, draw: bool) -> Option<Line> {
        self.all.as_ref().map(|all| Line::of(b"all", None, self.tensors, all.clone(), draw))
    }

    fn fail(&mut self, path: &Path, kind: &'static str, code: &'static str, message: &str) {
        let failure = Failure::Data { kind, code, message: message.to_owned() };
        self.failures.push(Failed { path: path.to_owned(), failure });
    }

    fn fail_with(&mut self, path: &Path, error: &NoValues) {
        let (kind, code) = match error {
            NoValues::NoDecoding { .. } => ("unsupported", "no-decoding"),
            NoValues::NoByteOrder { .. } => ("unsupported", "no-byte-order-rule"),
            _ => ("malformed", "no-data"),
        };
        self.fail(path, kind, code, &error.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_in_the_order_of_their_numbers() {
        let numbers = [f64::NEG_INFINITY, -2.5, -1e-300, -0.0, 0.0, 1e-300, 1.0, 1e300, f64::INFINITY];
        assert!(numbers.map(in_order).is_sorted_by(|one, two| one < two));
    }
}
