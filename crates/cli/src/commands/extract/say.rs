//! What became of the tensors, for people.

use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;

use ggufkit::inspect::tensors::Sizing;
use ggufkit::inspect::units;
use ggufkit::values::export::written_type;

use super::job::Job;
use super::{Args, Done};
use crate::out::{self, Ink, Out, pad, pad_left};

/// Columns that a name or a shape may take before it moves what stands behind it.
const WIDE: usize = 64;

pub(super) fn say(args: &Args, out: &mut Out, jobs: &[Job<'_>], done: &Done) -> io::Result<()> {
    if jobs.is_empty() {
        return out.message(Ink::Warn, "note", "no tensor was chosen: `gguf tensors` lists their names");
    }
    let to_stdout = args.to_stdout();
    let (mut total, mut said) = (0_u64, None);
    let mut wide = [0; 4];
    for (job, result) in jobs.iter().zip(&done.verdicts) {
        let cells = result.as_ref().map_or_else(|_| Default::default(), |bytes| cells(args, job, *bytes));
        for (wide, cell) in wide.iter_mut().zip(&cells) {
            *wide = (*wide).max(out::columns(cell).min(WIDE));
        }
    }
    for (job, result) in jobs.iter().zip(&done.verdicts) {
        match result {
            Ok(bytes) if !to_stdout => {
                total = total.saturating_add(*bytes);
                let file = match args.output.as_deref() {
                    // A dry run: the bytes themselves come without a word.
                    Some(_) if args.names_stdout() => "  standard output".to_owned(),
                    // Said once, at the end.
                    Some(_) if args.is_of_all() => String::new(),
                    Some(file) if args.names_file() => format!("  {}", out::path(file)),
                    folder => format!("  {}", out::path(&folder.unwrap_or(Path::new("")).join(&job.file))),
                };
                let ([name, kind, shape, size], [a, b, c, d]) = (cells(args, job, *bytes), wide);
                let name = out.paint(Ink::Key, pad(&name, a));
                let kind = out.paint(Ink::Type, pad(&kind, b));
                let shape = out.paint(Ink::Text, pad(&shape, c));
                let size = out.paint(Ink::Number, pad_left(&size, d));
                let note = if job.row.sizing == Sizing::Inferred {
                    " (size inferred from the next tensor's offset)"
                } else {
                    ""
                };
                writeln!(out, "{name}  {kind}  {shape}  {size}{file}{note}")?;
            }
            Ok(_) => {}
            // The messages name their tensor or file; one that is about the whole call is said once.
            Err(message) if said.as_ref() != Some(message) => {
                out.message(Ink::Bad, "error", message)?;
                said = Some(Arc::clone(message));
            }
            Err(_) => {}
        }
    }
    if to_stdout {
        return Ok(());
    }
    let verb = if args.dry_run { "would be written" } else { "written" };
    let good = done.verdicts.iter().filter(|r| r.is_ok()).count();
    let mut last = format!("{good} of {} tensors {verb}, {}", jobs.len(), units::bytes(total));
    if let (Some(size), Some(file)) = (done.size, args.output.as_deref().filter(|_| args.is_of_all())) {
        let file = out::path(file);
        last = format!("{good} of {} tensors {verb} to {file}, {} bytes", jobs.len(), units::count(size));
    }
    writeln!(out, "{last}")
}

/// What is said about a tensor: its name, type and shape, and the bytes of its data in the file.
fn cells(args: &Args, job: &Job<'_>, bytes: u64) -> [String; 4] {
    let row = &job.row;
    let name = out::plain(row.name.as_bytes()).to_string();
    let own = row.tensor_type().to_string();
    let kind = match written_type(row.tensor_type(), args.float()) {
        written if written == row.tensor_type() => own,
        written => format!("{own} as {written}"),
    };
    [name, kind, format!("{:?}", row.dims), units::bytes(bytes)]
}
