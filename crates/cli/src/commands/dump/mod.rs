//! `gguf dump`: everything that a head holds, with every place.

mod csv;
mod fold;
mod markdown;
mod records;
mod table;
mod text;

use std::io::{self, Write as _};

use ggufkit::format::glob::Glob;
use ggufkit::inspect::dump::{FileDump, Select};
use ggufkit::inspect::json::SCHEMA;
use ggufkit::inspect::yaml;

use crate::args::{Amount, InputArgs, ReadArgs, amount};
use crate::failure::Failure;
use crate::frame;
use crate::json::Files;
use crate::out::{self, Out};
use crate::{FAILED, OK};
use text::Limits;

/// Print everything in a file's head: metadata, tensor table, every position and size
///
/// Positions are absolute, in bytes. An array is shown by its first 3 elements unless --arrays says otherwise; whatever
/// is left out is marked, with its length. JSON, NDJSON, YAML and CSV hold the same facts; text is whole in them.
/// A shard is dumped as the file that it is, not as its set.
#[derive(clap::Args, Debug)]
// Shards are taken alone in any case.
#[command(mut_arg("alone", |arg| arg.hide(true)))]
#[command(after_help = "Examples:
  gguf dump model.gguf
  gguf dump model.gguf --keys 'tokenizer.*' --text all
  gguf dump model.gguf --tensors 'blk.0.*'
  gguf dump model.gguf --json --arrays all > head.json
  gguf dump models/ --format ndjson --no-tensors | jq -r 'select(.key == \"general.name\") | .value'
  gguf dump model.gguf --format markdown > model.md")]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: InputArgs,
    #[command(flatten)]
    read: ReadArgs,
    /// Form of the output
    #[arg(long, short, value_enum, default_value_t)]
    format: Format,
    /// Print JSON; the same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Elements of an array to show: a number, or `all`
    #[arg(long, value_name = "N", default_value = "3", value_parser = amount)]
    arrays: Amount,
    /// Characters of a text to show in the table and in Markdown: a number, or `all`
    #[arg(long, value_name = "N", default_value = "120", value_parser = amount)]
    text: Amount,
    /// Only keys that match (`general.*`), and no tensors unless --tensors; may be given again
    #[arg(long, value_name = "GLOB", value_parser = Glob::new)]
    keys: Vec<Glob>,
    /// Only tensors whose names match (`blk.0.*`), and no metadata unless --keys; may be given again
    #[arg(long, value_name = "GLOB", value_parser = Glob::new)]
    tensors: Vec<Glob>,
    /// Leave the tensors out
    #[arg(long, conflicts_with = "tensors")]
    no_tensors: bool,
    /// Leave the metadata out
    #[arg(long, conflicts_with = "keys")]
    no_metadata: bool,
}

/// The form of the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
enum Format {
    /// Columns for a person, as wide as the terminal
    #[default]
    Table,
    /// One JSON document
    Json,
    /// One JSON object a line: header, each key-value, each tensor
    Ndjson,
    /// The document as YAML 1.2
    Yaml,
    /// RFC 4180, a line for each key-value and tensor; cells that a spreadsheet would run get a leading '
    Csv,
    /// Tables of GitHub's Markdown, tensors by block, the mix of types
    Markdown,
}

/// A document in one of the forms, being written.
enum Writer {
    Table { first: bool },
    Json(Files),
    Ndjson,
    Yaml { first: bool },
    Csv,
    Markdown { first: bool },
}

impl Writer {
    fn begin(out: &mut Out, format: Format) -> io::Result<Self> {
        Ok(match format {
            Format::Table => Self::Table { first: true },
            Format::Json => Self::Json(Files::begin(out, "dump", true)?),
            Format::Ndjson => Self::Ndjson,
            Format::Yaml => {
                write!(out, "schema: {SCHEMA}\ncommand: dump\nfiles:")?;
                Self::Yaml { first: true }
            }
            Format::Csv => {
                csv::begin(out)?;
                Self::Csv
            }
            Format::Markdown => Self::Markdown { first: true },
        })
    }

    fn file(&mut self, out: &mut Out, label: &str, dump: &FileDump<'_>, limits: Limits) -> io::Result<()> {
        match self {
            Self::Json(files) => files.add(out, dump),
            Self::Ndjson => records::file(out, dump),
            Self::Csv => csv::file(out, dump),
            Self::Yaml { first } => {
                if std::mem::take(first) {
                    writeln!(out)?;
                }
                yaml::write_item(out, dump, 2)
            }
            Self::Table { first } | Self::Markdown { first } if dump.view().is_some() => {
                if !std::mem::take(first) {
                    writeln!(out)?;
                }
                match self {
                    Self::Markdown { .. } => markdown::file(out, label, dump, limits),
                    _ => table::file(out, label, dump, limits),
                }
            }
            // Nothing was read; the error is reported.
            Self::Table { .. } | Self::Markdown { .. } => Ok(()),
        }
    }

    fn end(self, out: &mut Out) -> io::Result<()> {
        match self {
            Self::Json(files) => files.end(out),
            Self::Yaml { first: true } => out.write_all(b" []\n"),
            _ => Ok(()),
        }
    }
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        let format = if self.json { Format::Json } else { self.format };
        // The error is part of the output where that is for a program.
        let quiet = !matches!(format, Format::Table | Format::Markdown);
        let any = |globs: &[Glob], name: &[u8]| globs.iter().any(|glob| glob.matches(name));
        let (keys, names) = (|key: &[u8]| any(&self.keys, key), |name: &[u8]| any(&self.tensors, name));
        let select = Select {
            arrays: self.arrays.0,
            metadata: !self.no_metadata && (self.tensors.is_empty() || !self.keys.is_empty()),
            tensors: !self.no_tensors && (self.keys.is_empty() || !self.tensors.is_empty()),
            keys: if self.keys.is_empty() { None } else { Some(&keys) },
            names: if self.tensors.is_empty() { None } else { Some(&names) },
        };
        let mut inputs = self.inputs.clone();
        inputs.how.alone = true;
        let limits = Limits { elements: self.arrays.0, characters: self.text.0 };
        let mut writer = Writer::begin(out, format)?;
        let good = frame::each(out, &inputs, &self.read, quiet, |out, document| {
            for part in document.parts {
                let error = document.failure_of(part).map(Failure::json);
                let dump = FileDump::new(part.name(), part.size, part.view(), error, select);
                writer.file(out, &part.label, &dump, limits)?;
            }
            for failed in document.unopened() {
                let error = Some(failed.failure.json());
                let dump = FileDump::new(failed.name(), None, None, error, select);
                writer.file(out, &out::path(&failed.path), &dump, limits)?;
            }
            Ok(())
        })?;
        writer.end(out)?;
        Ok(if good { OK } else { FAILED })
    }
}
