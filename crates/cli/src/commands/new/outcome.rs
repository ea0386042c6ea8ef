//! What became of a file that was to be made, for a person and for a program: what `gguf new` and `gguf add` have in common.

use std::io::{self, Write as _};
use std::path::PathBuf;

use ggufkit::check::Severity;
use ggufkit::edit::loads::Lost;
use ggufkit::edit::preview::{Candidate, Head, Model, Planned, Worse, worse};
use ggufkit::format::layout::tensor_bytes;
use ggufkit::format::spec::TensorType;
use ggufkit::format::{ByteStr, Plan, ReadAt};
use ggufkit::inspect::json::JsonText;
use ggufkit::inspect::units;
use ggufkit::io::HeadBuffer;
use serde_json::{Value, json};

use super::super::edit::breaks;
use super::sources::NoData;
use crate::failure::{Failed, Failure};
use crate::json::{self, Files};
use crate::out::{self, Ink, Out};
use crate::{FAILED, NO, OK, frame};

/// Tensors that are printed; the others are counted. JSON has all.
const SHOWN: usize = 20;

/// How a file is made.
#[derive(clap::Args, Debug, Clone)]
pub(in crate::commands) struct MakeArgs {
    /// Say what would be written, with its exact bytes, and write nothing
    #[arg(long, help_heading = "Writing")]
    pub(in crate::commands) dry_run: bool,
    /// Replace a file that exists
    #[arg(long, help_heading = "Writing")]
    pub(in crate::commands) force: bool,
    /// Write although `gguf check` would find errors in the file
    #[arg(long, help_heading = "Writing")]
    pub(in crate::commands) allow_errors: bool,
    /// Print JSON
    #[arg(long)]
    pub(in crate::commands) json: bool,
}

/// A tensor that was put into the file.
pub(in crate::commands) struct Put {
    pub(in crate::commands) name: Vec<u8>,
    pub(in crate::commands) tensor_type: TensorType,
    pub(in crate::commands) dims: Vec<u64>,
    pub(in crate::commands) bytes: u64,
    pub(in crate::commands) replaced: bool,
}

/// What stopped the work.
pub(in crate::commands) enum Stop {
    /// What is asked for cannot be done.
    Refused(String, Option<String>),
    /// A file cannot be read or written.
    Failed(Failed),
}

impl Stop {
    /// A failure of a file.
    pub(in crate::commands) fn failed(path: impl Into<PathBuf>, failure: Failure) -> Self {
        Self::Failed(Failed { path: path.into(), failure })
    }

    /// A refusal without advice.
    pub(in crate::commands) fn refused(message: impl ToString) -> Self {
        Self::Refused(message.to_string(), None)
    }
}

impl From<NoData> for Stop {
    fn from(error: NoData) -> Self {
        match error {
            NoData::File(path, failure) => Self::failed(path, failure),
            NoData::Refused(message) => Self::Refused(message, None),
        }
    }
}

/// What is made, and what became of it.
pub(in crate::commands) struct Outcome {
    /// What it is made of: the description, or the file that is changed.
    pub(in crate::commands) path: PathBuf,
    /// The file that is written.
    pub(in crate::commands) output: PathBuf,
    /// What it is, in words: "version 3, little-endian, 4 key-values".
    pub(in crate::commands) what: String,
    /// Bytes of the file.
    pub(in crate::commands) size: Option<u64>,
    /// The tensors that are put into it.
    pub(in crate::commands) tensors: Vec<Put>,
    /// Whether a person is told them one by one.
    pub(in crate::commands) listed: bool,
    /// What `gguf check` would say.
    pub(in crate::commands) worse: Vec<Worse>,
    /// What makes it useless, where what it is made of is not.
    pub(in crate::commands) lost: Option<Lost>,
    /// What else there is to say.
    pub(in crate::commands) notes: Vec<String>,
    /// Whether it was written.
    pub(in crate::commands) written: bool,
}

impl Outcome {
    pub(in crate::commands) fn new(path: PathBuf, output: PathBuf) -> Self {
        let (what, notes) = (String::new(), Vec::new());
        let (tensors, worse) = (Vec::new(), Vec::new());
        Self {
            path,
            output,
            what,
            size: None,
            tensors,
            listed: false,
            worse,
            lost: None,
            notes,
            written: false,
        }
    }

    /// Whether the new file takes the place of the one that it is made of.
    fn replaces(&self) -> bool {
        self.path == self.output
    }

    /// Takes note of a tensor that is put into the file.
    pub(in crate::commands) fn put(&mut self, name: &[u8], ty: TensorType, dims: &[u64], replaced: bool) {
        let bytes = tensor_bytes(ty, dims).unwrap_or(0);
        let (name, dims) = (name.to_vec(), dims.to_vec());
        self.tensors.push(Put { name, tensor_type: ty, dims, bytes, replaced });
    }

    /// What the rules say of a file that is made of nothing.
    pub(in crate::commands) fn judge(
        &mut self,
        plan: &Plan,
        source: &(dyn ReadAt<Error = io::Error> + Send + Sync + '_),
    ) -> io::Result<()> {
        let rules = ggufkit::check::Options::default();
        let mut buffer = HeadBuffer::new();
        let head = Head::read(&Planned::new(plan, source), &mut buffer)?;
        let file = Candidate { path: &self.output, head: &head };
        let after = Model { files: vec![file], set: None }.judge(&rules);
        let mut nothing = after.clone();
        nothing.findings.clear();
        nothing.left_out.clear();
        self.worse = worse(&nothing, &after, &[]);
        Ok(())
    }

    /// Whether the file would have errors.
    pub(in crate::commands) fn breaks(&self) -> bool {
        self.lost.is_some() || self.worse.iter().any(|one| one.finding.severity == Severity::Error)
    }

    /// Says it all; the value is the exit status.
    pub(in crate::commands) fn end(
        &self,
        out: &mut Out,
        command: &'static str,
        how: &MakeArgs,
        stop: Option<&Stop>,
    ) -> io::Result<u8> {
        if how.json {
            let mut files = Files::begin(out, command, true)?;
            files.add(out, &self.json(stop))?;
            files.end(out)?;
        } else {
            self.say(out, how, stop)?;
        }
        Ok(match stop {
            None => OK,
            Some(Stop::Refused(..)) => NO,
            Some(Stop::Failed(_)) => FAILED,
        })
    }

    fn say(&self, out: &mut Out, how: &MakeArgs, stop: Option<&Stop>) -> io::Result<()> {
        let label = out.paint(Ink::Head, out::path(&self.output));
        if let Some(size) = self.size.filter(|_| stop.is_none()) {
            let verb = if how.dry_run { "would be written" } else { "written" };
            let undo = if self.replaces() { " (cannot be undone)" } else { "" };
            writeln!(out, "{label} {verb}: {}{undo}\n  {}", units::bytes(size), self.what)?;
            for put in self.tensors.iter().take(SHOWN).filter(|_| self.listed) {
                let name = out.paint(Ink::Key, out::fit(&put.name, 60));
                let dims: Vec<String> = put.dims.iter().map(u64::to_string).collect();
                let (ty, bytes) = (put.tensor_type, units::bytes(put.bytes));
                let replaced = if put.replaced { ", in the place of the one there was" } else { "" };
                writeln!(out, "  {name}: {ty} [{}], {bytes}{replaced}", dims.join(", "))?;
            }
            if let Some(more) = self.tensors.len().checked_sub(SHOWN).filter(|more| self.listed && *more > 0)
            {
                writeln!(out, "  and {more} more")?;
            }
        }
        out.flush()?;
        for worse in &self.worse {
            let finding = &worse.finding;
            let (word, ink) = match finding.severity {
                Severity::Error => ("error", Ink::Bad),
                _ => ("warning", Ink::Warn),
            };
            let more = if worse.more > 0 { format!(" (and {} more)", worse.more) } else { String::new() };
            let text = format!("{}{more}", finding.message);
            out.message(ink, &format!("{word}[{}]", finding.rule.name), &text)?;
        }
        if let Some(lost) = &self.lost {
            out.message(Ink::Bad, "error", &lost.to_string())?;
        }
        for note in &self.notes {
            out.message(Ink::Faint, "note", note)?;
        }
        match stop {
            None => Ok(()),
            Some(Stop::Refused(message, help)) => {
                out.message(Ink::Bad, "refused", message)?;
                help.iter().try_for_each(|help| out.message(Ink::Faint, "  help", help))
            }
            Some(Stop::Failed(failed)) => frame::report(out, [failed]),
        }
    }

    fn json(&self, stop: Option<&Stop>) -> Value {
        let put = |put: &Put| {
            json!({
                "name": JsonText(ByteStr(&put.name)),
                "type": put.tensor_type.to_string(),
                "type_id": put.tensor_type.0,
                "shape": put.dims,
                "bytes": put.bytes,
                "replaced": put.replaced,
            })
        };
        let (refused, errors) = match stop {
            None => (Value::Null, json!([])),
            Some(Stop::Refused(message, help)) => (json!({ "message": message, "help": help }), json!([])),
            Some(Stop::Failed(failed)) => (Value::Null, json!([failed.json()])),
        };
        json!({
            "path": json::path(&self.path),
            "output": json::path(&self.output),
            "written": self.written,
            "can_be_undone": self.replaces().then_some(false),
            "size": self.size,
            "tensors": self.tensors.iter().map(put).collect::<Vec<_>>(),
            "breaks": breaks(&self.worse, self.lost.as_ref()),
            "notes": self.notes,
            "refused": refused,
            "errors": errors,
        })
    }
}
