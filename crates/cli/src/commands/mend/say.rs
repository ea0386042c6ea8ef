//! What was planned, done and refused, for a person and for a program.

use std::io::{self, Write as _};

use ggufkit::edit::repair::{Reason, RepairError, Step};
use ggufkit::format::ByteStr;
use ggufkit::inspect::json::JsonText;
use ggufkit::inspect::units;
use serde_json::{Value, json};

use super::{Answer, Written};
use crate::failure::{Failed, Failure};
use crate::out::{self, Ink, Out};

/// Steps that are printed; the others are counted. JSON has all.
const SHOWN: usize = 100;

/// Columns of a key or name beside its path.
const NAME: usize = 60;

/// Says what will be done, before it is done.
pub(super) fn plan(out: &mut Out, answer: &Answer<'_>) -> io::Result<()> {
    let Ok(outcome) = &answer.result else { return Ok(()) };
    let head = out.paint(Ink::Head, &answer.label);
    match outcome.steps.len() {
        0 => writeln!(out, "{head}: nothing to repair, nothing is written")?,
        1 => writeln!(out, "{head}: 1 repair")?,
        n => writeln!(out, "{head}: {n} repairs")?,
    }
    for step in outcome.steps.iter().take(SHOWN) {
        one(out, step)?;
    }
    if let Some(more) = outcome.steps.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        writeln!(out, "  and {more} more")?;
    }
    for left in &outcome.left {
        let word = out.paint(Ink::Warn, "kept");
        let place = left.span.map(|span| format!(" @ {span}")).unwrap_or_default();
        let place = out.paint(Ink::Faint, place);
        let path = left.path.as_ref().map(|path| format!("{path}: ")).unwrap_or_default();
        let line = format!("  {word}: {path}{}{place}", left.message);
        out.line(&line, 2)?;
        if let Some(help) = help(left) {
            out.line(&format!("    {help}"), 0)?;
        }
    }
    out.flush()
}

/// What can be done about it, with the options of ours that permit it.
fn help(reason: &Reason) -> Option<String> {
    let option = match reason.word {
        "duplicate-key" => "say which value is right: `gguf repair --duplicates keep-first` or `keep-last`",
        "joined-files" => "`gguf repair --separate` cuts the file apart there, into files of a folder",
        "trailing-bytes" => "`gguf repair --cut-trailing` cuts them off",
        "tensor-gap" => "look at them with `gguf hex`; `gguf repair --drop-gaps` leaves them out",
        "gguf-after" => {
            let at = reason.span.map(|span| span.start)?;
            return Some(format!(
                "look at it with `gguf show --offset {at}`; if it is whole, `gguf repair --offset {at}` leaves out what \
                 precedes it"
            ));
        }
        _ => return reason.help.clone(),
    };
    Some(option.to_owned())
}

fn one(out: &mut Out, step: &Step) -> io::Result<()> {
    let path = out.paint(Ink::Key, &step.path);
    let place = out.paint(Ink::Faint, format!("@ {}", step.span));
    let name = step.name.as_ref().map(|name| format!(" (\"{}\")", out::fit(name, NAME))).unwrap_or_default();
    let code = out.paint(Ink::Faint, format!("[{}]", step.word)).to_string();
    let line = format!("  {path}{name} {place}");
    out.line(&line, 2)?;
    out.line(&format!("    {} {code}", step.what), 2)?;
    if let (Some(before), Some(after)) = (&step.before, &step.after) {
        let (before, after) = (out.paint(Ink::Bad, before), out.paint(Ink::Good, after));
        let line = format!("    {before} → {after}");
        out.line(&line, 2)?;
    }
    Ok(())
}

/// Says what was done, or why nothing was.
pub(super) fn end(out: &mut Out, answer: &Answer<'_>) -> io::Result<()> {
    for written in &answer.written {
        file(out, written)?;
    }
    if let Some(failure) = &answer.failure {
        out.message(Ink::Bad, "error", &failure.to_string())?;
    }
    match &answer.result {
        Err(RepairError::Io(error)) => out.message(Ink::Bad, "error", &format!("{}: {error}", answer.label)),
        Err(RepairError::Refused(refusal)) => {
            for reason in &refusal.reasons {
                let at =
                    reason.span.map(|span| format!(" (at offset {:#x})", span.start)).unwrap_or_default();
                // An error of the reader names its place itself.
                let at = if reason.message.contains("(at offset") { String::new() } else { at };
                out.message(Ink::Bad, "refused", &format!("{}: {}{at}", answer.label, reason.message))?;
                if let Some(help) = help(reason) {
                    out.message(Ink::Faint, "  help", &help)?;
                }
            }
            Ok(())
        }
        Ok(_) => match answer.errors_left() {
            None | Some(0) => Ok(()),
            Some(left) => {
                let said = if left == 1 {
                    "1 error remains that repair cannot mend: see `gguf check`".to_owned()
                } else {
                    format!("{left} errors remain that repair cannot mend: see `gguf check`")
                };
                out.message(Ink::Warn, "warning", &said)
            }
        },
    }
}

fn file(out: &mut Out, written: &Written) -> io::Result<()> {
    let size = out.paint(Ink::Number, units::bytes(written.bytes));
    let copied = units::bytes(written.copied);
    let path = written.path.as_deref().map_or_else(|| "a file".to_owned(), out::path);
    let verb = if written.done { "written" } else { "would be written" };
    let line = format!("{path} {verb}: {size}, of which {copied} are copied as they are");
    out.line(&line, 2)
}

fn step_json(step: &Step) -> Value {
    json!({
        "step": step.word,
        "rule": step.rule().map(|rule| rule.name),
        "code": step.rule().map(|rule| rule.code),
        "what": step.what,
        "path": step.path,
        "name": step.name.as_ref().map(|name| json!(JsonText(ByteStr(name)))),
        "start": step.span.start,
        "end": step.span.end(),
        "before": step.before,
        "after": step.after,
    })
}

fn reason_json(reason: &Reason) -> Value {
    json!({
        "reason": reason.word,
        "rule": reason.rule().map(|rule| rule.name),
        "code": reason.rule().map(|rule| rule.code),
        "message": reason.message,
        "path": reason.path,
        "start": reason.span.map(|span| span.start),
        "end": reason.span.map(|span| span.end()),
        "help": help(reason),
    })
}

/// Everything, as JSON.
pub(super) fn json(answer: &Answer<'_>) -> Value {
    let written: Vec<Value> = (answer.written.iter())
        .map(|one| {
            json!({
                "path": one.path.as_deref().map(crate::json::path),
                "bytes": one.bytes,
                "copied": one.copied,
                "written": one.done,
                "errors": one.done.then_some(one.errors),
                "warnings": one.done.then_some(one.warnings),
            })
        })
        .collect();
    let mut out = json!({
        "path": crate::json::path(answer.path),
        "nothing_to_do": null,
        "errors_left": answer.errors_left(),
        "repairs": [],
        "kept": [],
        "refused": [],
        "outputs": written,
        "errors": answer.failure.iter().map(Failed::json).collect::<Vec<_>>(),
    });
    let mut put = |key: &str, value: Value| {
        if let Some(slot) = out.get_mut(key) {
            *slot = value;
        }
    };
    match &answer.result {
        Ok(outcome) => {
            put("nothing_to_do", json!(outcome.is_empty()));
            put("repairs", outcome.steps.iter().map(step_json).collect());
            put("kept", outcome.left.iter().map(reason_json).collect());
        }
        Err(RepairError::Io(error)) => {
            // The kind and the message are all that a failure is made of.
            let failure = Failure::Io(io::Error::new(error.kind(), error.to_string()));
            put("errors", json!([Failed { path: answer.path.to_owned(), failure }.json()]));
        }
        Err(RepairError::Refused(refusal)) => {
            put("refused", refusal.reasons.iter().map(reason_json).collect());
        }
    }
    out
}
