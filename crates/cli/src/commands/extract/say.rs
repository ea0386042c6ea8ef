//! What became of the tensors, for people.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ggufkit::inspect::tensors::Sizing;
use ggufkit::inspect::units;
use ggufkit::values::export::written_type;

use super::job::Job;
use super::{Args, Done};
use crate::out::{self, Ink, Out, pad, pad_left};

/// Columns that a name or a shape may take before it moves what stands behind it.
const WIDE: usize = 64;

/// Columns that a name keeps.
const NAME: usize = 8;

/// What is said where a size is what the next tensor leaves.
const INFERRED: &str = " (size inferred from the next tensor's offset)";

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
    // Names give way to the other columns, and those of files, which follow from them, to all.
    let room = if out.is_terminal() { out.width() } else { usize::MAX };
    let [_, rest @ ..] = wide;
    let rest = rest.iter().fold(0_usize, |sum, wide| sum.saturating_add(*wide).saturating_add(2));
    if out.is_terminal() {
        wide[0] = wide[0].min(room.saturating_sub(rest).max(NAME));
    }
    let room = room.saturating_sub(wide[0]).saturating_sub(rest);
    // With their folder, which the last line names; or without it; or not at all.
    let fit = |path: &dyn Fn(&Job<'_>) -> Option<PathBuf>| {
        let mut paths = jobs.iter().filter_map(path);
        paths.all(|path| out::columns(&out::path(&path)).saturating_add(2) <= room)
    };
    let whole = |job: &Job<'_>| file_of(args, job, jobs.len());
    let name = |job: &Job<'_>| whole(job).map(|_| job.file.clone());
    let none = |_: &Job<'_>| None;
    let file: &dyn Fn(&Job<'_>) -> Option<PathBuf> = match (fit(&whole), fit(&name)) {
        (true, _) => &whole,
        (false, true) => &name,
        (false, false) => &none,
    };
    for (job, result) in jobs.iter().zip(&done.verdicts) {
        match result {
            Ok(bytes) if !to_stdout => {
                total = total.saturating_add(*bytes);
                let ([name, kind, shape, size], [a, b, c, d]) = (cells(args, job, *bytes), wide);
                let name = if out.is_terminal() { out::fit(job.row.name.as_bytes(), a) } else { name };
                let name = out.paint(Ink::Key, pad(&name, a));
                let kind = out.paint(Ink::Type, pad(&kind, b));
                let shape = out.paint(Ink::Text, pad(&shape, c));
                let size = out.paint(Ink::Number, pad_left(&size, d));
                let mut behind = file(job).map_or_else(String::new, |file| format!("  {}", out::path(&file)));
                if job.row.sizing == Sizing::Inferred
                    && out::columns(&behind).saturating_add(INFERRED.len()) <= room
                {
                    behind.push_str(INFERRED);
                }
                writeln!(out, "{name}  {kind}  {shape}  {size}{behind}")?;
            }
            Ok(_) => {}
            // What only follows from another tensor's trouble is told by the last line.
            Err(message) if done.others.as_ref().is_some_and(|others| Arc::ptr_eq(others, message)) => {}
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
    let one = args.output.as_deref().filter(|_| args.is_one_file(jobs.len()));
    let folder = args.output.as_deref().filter(|_| !args.names_file() && !args.names_stdout());
    let last = match (done.size, one, folder.filter(|_| good > 0)) {
        (Some(size), Some(file), _) => format!(" to {}, {} bytes", out::path(file), units::count(size)),
        (_, _, Some(folder)) => format!(" into {}, {}", out::path(folder), units::bytes(total)),
        _ => format!(", {}", units::bytes(total)),
    };
    out.line(&format!("{good} of {} tensors {verb}{last}", jobs.len()), 2)
}

/// The file that a tensor has for itself, as far as it is worth a word.
fn file_of(args: &Args, job: &Job<'_>, jobs: usize) -> Option<PathBuf> {
    match args.output.as_deref() {
        // A dry run: the bytes themselves come without a word.
        Some(_) if args.names_stdout() => Some(PathBuf::from("standard output")),
        // Said once, at the end.
        Some(_) if args.is_one_file(jobs) => None,
        folder => Some(folder.unwrap_or(Path::new("")).join(&job.file)),
    }
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
