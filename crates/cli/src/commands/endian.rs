//! `gguf endian`: a file in the other byte order.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use ggufkit::edit::Document;
use ggufkit::format::exchange::Exchange;
use ggufkit::format::{ByteStr, Endian, Options, ReadAt as _, View};
use ggufkit::inspect::json::JsonText;
use ggufkit::inspect::units;
use ggufkit::io::{FileSource, HeadBuffer, Turned, diagnose, replace, sink};
use serde_json::json;

use super::progress::Bar;
use super::{edit, mend};
use crate::failure::Failure;
use crate::json::{self, Files};
use crate::out::{self, Ink, Out};
use crate::{FAILED, NO, OK, frame};

/// A byte order by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum To {
    /// The least significant byte first: what nearly all machines read
    Little,
    /// The most significant byte first: s390x and the like
    Big,
}

/// Write a file in the other byte order: head and data, with every number inside of blocks
///
/// Types whose blocks have no rule are refused before anything is written. A file of shards is turned by itself: all of a
/// set have to be of one byte order.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  gguf endian big model.gguf -o model-be.gguf\n  gguf endian little *.gguf\n\n\
    Without -o each file is replaced by the new one when that is whole.\n\n\
    Exit status: 0 done or nothing to do, 1 refused, 2 a file could not be read or written, or usage."
)]
pub(crate) struct Args {
    /// The byte order
    #[arg(value_enum, value_name = "ORDER")]
    to: To,
    /// The files
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Write the new file here, and leave the input as it is
    #[arg(long, short, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Say what would be done, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Replace OUT where it exists
    #[arg(long, requires = "output")]
    force: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What became of a file.
enum Answer {
    /// It is in this order.
    Nothing,
    /// So many bytes were written, or would be.
    Written(u64),
    /// Why not.
    Refused(String),
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        out.hold();
        if self.output.is_some() && self.files.len() > 1 {
            let message = format!("-o names one file, and {} are to be turned", self.files.len());
            frame::refuse(out, "endian", self.json, &Failure::usage("one-output", message))?;
            return Ok(FAILED);
        }
        frame::recover(out, self.files.iter().map(PathBuf::as_path))?;
        let mut document = self.json.then(|| Files::begin(out, "endian", true)).transpose()?;
        let mut status = OK;
        for path in &self.files {
            let result = self.turn(path);
            status = status.max(match &result {
                Ok(Answer::Refused(_)) => NO,
                Ok(_) => OK,
                Err(_) => FAILED,
            });
            match &mut document {
                Some(document) => document.add(out, &self.json(path, &result))?,
                None => self.say(out, path, &result)?,
            }
        }
        if let Some(document) = document {
            document.end(out)?;
        }
        Ok(status)
    }

    fn turn(&self, path: &Path) -> Result<Answer, Failure> {
        if self.output.is_none() && path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
            let message =
                format!("{} is a link: name the file, or write another one with -o", out::path(path));
            return Err(Failure::usage("symbolic-link", message));
        }
        let source = frame::source(path).map_err(Failure::Io)?;
        let mut buffer = HeadBuffer::new();
        let read = buffer.read(&source, Options::new()).map_err(Failure::Io)?;
        if let Some(error) = &read.error {
            let diagnosis = diagnose(&source, Options::new(), &read, buffer.bytes()).map_err(Failure::Io)?;
            return Err(Failure::of_parse(error.clone(), read.index.as_ref(), &diagnosis));
        }
        let (Some(index), Some(size)) = (&read.index, source.size()) else {
            return Err(Failure::usage("no-length", "a file whose length is known is needed"));
        };
        let refused = |error: ggufkit::edit::EditError| Ok(Answer::Refused(error.to_string()));
        let view = View::new(index, buffer.bytes());
        let mut document = match Document::of(view, size) {
            Ok(document) => document,
            Err(error) => return refused(error),
        };
        let to = if self.to == To::Big { Endian::Big } else { Endian::Little };
        match document.set_endian(to) {
            Ok(false) => return Ok(Answer::Nothing),
            Ok(true) => {}
            Err(error) => return refused(error),
        }
        let spans = match document.data_spans() {
            Ok(spans) => spans,
            Err(error) => return refused(error),
        };
        let mut regions = Vec::new();
        for ((name, _), (ty, span)) in view.tensors().zip(spans) {
            match Exchange::of(ty) {
                Some(exchange) => regions.push((span, exchange)),
                None if span.is_empty() => {}
                None => {
                    let name = out::fit(name.0, 100);
                    return Ok(Answer::Refused(format!(
                        "tensor {name} is of type {ty}, and how its blocks are turned is not known"
                    )));
                }
            }
        }
        let plan = match document.plan() {
            Ok(plan) => plan,
            Err(error) => return refused(error),
        };
        let turned = match Turned::new(&source, regions) {
            Ok(turned) => turned,
            Err(error) => return Ok(Answer::Refused(error.to_string())),
        };
        if !self.dry_run {
            self.write(&plan, &turned, &source)?;
        }
        Ok(Answer::Written(plan.len()))
    }

    fn write(
        &self,
        plan: &ggufkit::format::Plan,
        turned: &Turned<'_, FileSource>,
        source: &FileSource,
    ) -> Result<(), Failure> {
        let target = self.output.as_deref().unwrap_or(source.path());
        let bar = Bar::begin(&out::path(target), plan.len());
        let mut watch = |now: sink::Progress| {
            bar.at(now.done);
            Ok(())
        };
        let done = match &self.output {
            Some(target) => sink::save(plan, turned, target, self.force, &mut watch).map_err(mend::failure),
            None => replace(plan, turned, source, &mut watch).map_err(edit::route_failure),
        };
        bar.end();
        done
    }

    fn say(&self, out: &mut Out, path: &Path, result: &Result<Answer, Failure>) -> io::Result<()> {
        let label = out::path(path);
        let order = if self.to == To::Big { "big-endian" } else { "little-endian" };
        match result {
            Ok(Answer::Nothing) => writeln!(out, "{label}: is {order}, nothing is written"),
            Ok(Answer::Written(bytes)) => {
                let target = out::path(self.output.as_deref().unwrap_or(path));
                let verb = if self.dry_run { "would be written" } else { "written" };
                let undo = if self.output.is_none() { " (cannot be undone)" } else { "" };
                writeln!(out, "{target} {verb}: {order}, {}{undo}", units::bytes(*bytes))
            }
            Ok(Answer::Refused(why)) => out.message(Ink::Bad, "refused", &format!("{label}: {why}")),
            Err(failure) => frame::report_of(out, path, failure),
        }
    }

    fn json(&self, path: &Path, result: &Result<Answer, Failure>) -> serde_json::Value {
        let (bytes, refused, errors) = match result {
            Ok(Answer::Nothing) => (None, None, vec![]),
            Ok(Answer::Written(bytes)) => (Some(*bytes), None, vec![]),
            Ok(Answer::Refused(why)) => (None, Some(why), vec![]),
            Err(failure) => (None, None, vec![json!({ "path": json::path(path), "error": failure.json() })]),
        };
        let name = json::bytes_of(self.output.as_deref().unwrap_or(path));
        json!({
            "path": json::path(path),
            "output": JsonText(ByteStr(name.0)),
            "written": bytes.is_some() && !self.dry_run,
            "bytes_written": bytes,
            "can_be_undone": bytes.map(|_| false),
            "refused": refused,
            "errors": errors,
        })
    }
}
