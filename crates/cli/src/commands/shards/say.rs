//! What was made, noted and refused, for a person and for a program.

use std::io::{self, Write as _};

use ggufkit::format::ByteStr;
use ggufkit::inspect::json::JsonText;
use ggufkit::inspect::units;
use serde_json::{Value, json};

use super::{Answer, Made, Reason};
use crate::failure::Failed;
use crate::json::{self, Files};
use crate::out::{self, Ink, Out, pad_left};

/// Files, reasons and notes that are printed; the rest is counted. JSON has all.
const SHOWN: usize = 100;

/// Reasons of one kind that are printed.
const ALIKE: usize = 5;

/// Columns of a tensor's name.
const NAME: usize = 48;

pub(super) fn text(out: &mut Out, answer: &Answer) -> io::Result<()> {
    for (note, path) in answer.notes.iter().take(SHOWN) {
        out.message(Ink::Warn, "note", &format!("{}: {note}", out::path(path)))?;
    }
    more(out, answer.notes.len(), "notes")?;
    if answer.is_good() || answer.made.iter().any(|made| made.done) {
        made(out, answer)?;
    }
    reasons(out, answer)?;
    crate::frame::report(out, &answer.failed)
}

/// Why not, and what helps.
pub(in crate::commands) fn reasons(out: &mut Out, answer: &Answer) -> io::Result<()> {
    // Of many that are alike a few are told, those of one kind together.
    let mut kinds: Vec<&str> = Vec::new();
    for reason in &answer.refused {
        if !kinds.contains(&reason.code) {
            kinds.push(reason.code);
        }
    }
    for kind in kinds {
        let alike: Vec<&Reason> = answer.refused.iter().filter(|reason| reason.code == kind).collect();
        for reason in alike.iter().take(ALIKE) {
            let path =
                reason.path.as_deref().map(|path| format!("{}: ", out::path(path))).unwrap_or_default();
            out.message(Ink::Bad, "refused", &format!("{path}{}", reason.message))?;
        }
        if let Some(more) = alike.len().checked_sub(ALIKE).filter(|more| *more > 0) {
            out.message(Ink::Faint, "  and", &format!("{more} more of the kind"))?;
        }
    }
    // Many reasons of one kind have one answer.
    let mut told: Vec<&str> = Vec::new();
    for help in answer.refused.iter().filter_map(|reason| reason.help.as_deref()) {
        if !told.contains(&help) {
            told.push(help);
            out.message(Ink::Faint, "  help", help)?;
        }
    }
    Ok(())
}

fn more(out: &mut Out, all: usize, what: &str) -> io::Result<()> {
    match all.checked_sub(SHOWN).filter(|more| *more > 0) {
        Some(more) => out.message(Ink::Faint, "  and", &format!("{more} more {what}")),
        None => Ok(()),
    }
}

fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{} {}", units::count(n as u64), if n == 1 { one } else { many })
}

/// The files, each with its exact length and its first and last tensor.
fn made(out: &mut Out, answer: &Answer) -> io::Result<()> {
    let sum =
        |of: &dyn Fn(&Made) -> u64| answer.made.iter().fold(0_u64, |sum, made| sum.saturating_add(of(made)));
    let bytes = sum(&|made| made.plan.len());
    let tensors = answer.made.iter().map(|made| made.tensors.len()).sum();
    let done = answer.made.iter().all(|made| made.done);
    let from = match answer.members.len() {
        0 | 1 => String::new(),
        n => format!(" from {}", counted(n, "file", "files")),
    };
    let verb = if done { "written" } else { "would be written" };
    let head = out.paint(Ink::Head, out::path(&answer.given));
    writeln!(
        out,
        "{head}: {} {verb}{from}, {} in all, {}",
        counted(answer.made.len(), "file", "files"),
        units::bytes(bytes),
        counted(tensors, "tensor", "tensors"),
    )?;
    let width = answer.made.iter().map(|made| units::count(made.plan.len()).len()).max().unwrap_or(0);
    let count =
        answer.made.iter().map(|made| units::count(made.tensors.len() as u64).len()).max().unwrap_or(0);
    for made in &answer.made {
        let path = out.paint(Ink::Key, out::path(&made.path));
        writeln!(out, "  {path}")?;
        let bytes = out.paint(Ink::Number, pad_left(&units::count(made.plan.len()), width));
        let tensors = pad_left(&units::count(made.tensors.len() as u64), count);
        let word = if made.tensors.len() == 1 { "tensor" } else { "tensors" };
        write!(out, "    {bytes} bytes, {tensors} {word}")?;
        let room = out.edge().map_or(NAME, |edge| edge.saturating_sub(9) / 2).min(NAME);
        let names = match made.tensors.as_slice() {
            [] => "the metadata alone".to_owned(),
            [one] => out::fit(one, room),
            [first, .., last] => format!("{} … {}", out::fit(first, room), out::fit(last, room)),
        };
        // "    ", " bytes, ", " tensors: " and the numbers.
        let before = width.saturating_add(count).saturating_add(22);
        let fits = |edge: usize| before.saturating_add(out::columns(&names)) <= edge;
        if out.edge().is_none_or(fits) {
            writeln!(out, ": {names}")?;
        } else {
            writeln!(out, ":\n      {names}")?;
        }
    }
    if let Some(deleted) = answer.deleted.as_ref().filter(|deleted| !deleted.is_empty()) {
        let word = if done { "compared byte for byte" } else { "kept" };
        writeln!(out, "{word}, then {} deleted", counted(deleted.len(), "input", "inputs"))?;
    }
    out.flush()
}

pub(in crate::commands) fn reason_json(reason: &Reason) -> Value {
    json!({
        "reason": reason.code,
        "message": reason.message,
        "path": reason.path.as_deref().map(json::path),
        "name": reason.name.as_ref().map(|name| json!(JsonText(ByteStr(name)))),
        "help": reason.help,
    })
}

pub(super) fn json(out: &mut Out, answer: &Answer, command: &'static str) -> io::Result<()> {
    let made = |made: &Made| {
        let names = made.tensors.iter().map(|name| json!(JsonText(ByteStr(name)))).collect::<Vec<_>>();
        json!({
            "path": json::path(&made.path),
            "bytes": made.plan.len(),
            "copied": made.plan.copied(),
            "tensors": names,
            "written": made.done,
        })
    };
    let notes = answer.notes.iter().map(
        |(note, path)| json!({ "note": note.code(), "message": note.to_string(), "path": json::path(path) }),
    );
    let mut file = json!({
        "path": json::path(&answer.given),
        "members": answer.members.iter().map(|path| json!(json::path(path))).collect::<Vec<_>>(),
        "outputs": answer.made.iter().map(made).collect::<Vec<_>>(),
        "notes": notes.collect::<Vec<_>>(),
        "refused": answer.refused.iter().map(reason_json).collect::<Vec<_>>(),
        "errors": answer.failed.iter().map(Failed::json).collect::<Vec<_>>(),
    });
    if let (Some(deleted), Some(fields)) = (&answer.deleted, file.as_object_mut()) {
        let paths = deleted.iter().map(|path| json!(json::path(path))).collect();
        fields.insert("deleted".to_owned(), Value::Array(paths));
    }
    let mut files = Files::begin(out, command, true)?;
    files.add(out, &file)?;
    files.end(out)
}
