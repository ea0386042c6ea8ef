//! What will be changed, how, and what became of it: for a person and for a program.

use std::io::{self, Write as _};

use ggufkit::check::Severity;
use ggufkit::edit::{Done, Shown};
use ggufkit::format::ByteStr;
use ggufkit::inspect::json::JsonText;
use ggufkit::inspect::units;
use ggufkit::io::Way;
use serde_json::{Value, json};

use super::EditArgs;
use super::plan::{Planned, Ready, Refused};
use crate::failure::{Failed, Failure};
use crate::out::{self, Ink, Out};

/// Changes that are printed; the others are counted. JSON has all.
const SHOWN: usize = 50;

/// Files that are named; the others are counted.
const NAMED: usize = 10;

/// Columns of a value.
const VALUE: usize = 60;

/// Says what will be done.
pub(super) fn plan(out: &mut Out, one: &Planned, how: &EditArgs) -> io::Result<()> {
    let Ok(ready) = &one.result else { return Ok(()) };
    let head = out.paint(Ink::Head, out::path(&one.path));
    if ready.is_nothing() {
        match one.files {
            1 => writeln!(out, "{head}: nothing to change")?,
            files => writeln!(
                out,
                "{head}: nothing to change, nor in the other files of its set ({files} in all)"
            )?,
        }
        if one.output.is_none() {
            return Ok(());
        }
    } else {
        writeln!(out, "{head}")?;
    }
    for done in ready.done.iter().take(SHOWN) {
        change(out, done)?;
    }
    if let Some(more) = ready.done.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        writeln!(out, "  and {more} more")?;
    }
    if how.reserves() {
        let room = out.paint(Ink::Number, units::bytes(ready.padding));
        writeln!(out, "  {room} of room in the head")?;
    }
    for worse in &ready.worse {
        let finding = &worse.finding;
        let (word, ink) = match finding.severity {
            Severity::Error => ("error", Ink::Bad),
            _ => ("warning", Ink::Warn),
        };
        let word = out.paint(ink, format!("{word}[{}]", finding.rule.name));
        let more = if worse.more > 0 { format!(" (and {} more)", worse.more) } else { String::new() };
        writeln!(out, "  {word}: {}{more}", finding.message)?;
    }
    let text = match &one.output {
        Some(path) if ready.is_nothing() => {
            format!("a copy of it, {}, {}", out::path(path), units::bytes(ready.plan.len()))
        }
        Some(path) => format!("a new file {}, {}", out::path(path), units::bytes(ready.plan.len())),
        None => way(ready),
    };
    let word = out.paint(Ink::Faint, "by");
    writeln!(out, "  {word} {text}")?;
    out.flush()
}

/// The way, in words.
fn way(ready: &Ready) -> String {
    let route = &ready.route;
    let bytes = units::bytes;
    match route.way {
        Way::Nothing => "nothing: no byte differs".to_owned(),
        Way::Patch => format!("writing {} in place", bytes(route.written)),
        Way::Move => format!(
            "writing {} in place; the file system moves {} without copying them",
            bytes(route.written),
            bytes(route.moved)
        ),
        Way::Share => format!(
            "a new file in its place: {} are written, {} are shared with the old one (cannot be undone)",
            bytes(route.written),
            bytes(route.moved)
        ),
        _ => format!("a new file in its place: {} are copied (cannot be undone)", bytes(route.written)),
    }
}

fn change(out: &mut Out, done: &Done) -> io::Result<()> {
    let mut name = out::fit(&done.name, 100);
    if let Some(element) = done.element {
        name.push_str(&format!("[{element}]"));
    }
    let name = out.paint(Ink::Key, name);
    let before = done.before.as_ref().map(|value| out.paint(Ink::Bad, shown(value)));
    let after = done.after.as_ref().map(|value| out.paint(Ink::Good, shown(value)));
    match (done.what, before, after) {
        ("set", None, Some(after)) => writeln!(out, "  {name}: new, {after}"),
        ("insert", _, Some(after)) => writeln!(out, "  {name}: put in, {after}"),
        ("set" | "upgrade" | "endian", Some(before), Some(after)) => {
            writeln!(out, "  {name}: {before} → {after}")
        }
        ("rename", _, Some(after)) => writeln!(out, "  {name}: called {after}"),
        ("rename-tensor", _, Some(after)) => writeln!(out, "  tensor {name}: called {after}"),
        ("move-tensor", _, Some(after)) => writeln!(out, "  tensor {name}: moved before {after}"),
        ("move-tensor", _, None) => writeln!(out, "  tensor {name}: moved behind all others"),
        ("move", _, Some(after)) => writeln!(out, "  {name}: moved before {after}"),
        ("move", _, None) => writeln!(out, "  {name}: moved behind all others"),
        ("drop-tensor", ..) => writeln!(out, "  tensor {name}: taken out"),
        (_, Some(before), _) => writeln!(out, "  {name}: taken out, was {before}"),
        _ => writeln!(out, "  {name}: taken out"),
    }
}

fn shown(value: &Shown) -> String {
    match value {
        Shown::Scalar(scalar) => units::scalar_text(*scalar),
        Shown::Text(bytes) => format!("\"{}\"", out::fit(bytes, VALUE)),
        Shown::Array(ty, len) => format!("{ty} of {len}"),
    }
}

/// Says what was done, or why nothing was.
pub(super) fn end(out: &mut Out, one: &Planned, how: &EditArgs) -> io::Result<()> {
    let label = out::path(&one.path);
    if let Some(failed) = &one.failure {
        out.message(Ink::Bad, "error", &failed.to_string())?;
        return notes(out, &failed.failure);
    }
    match &one.result {
        Err(Refused::Failure(failure)) => {
            let failed = match failure {
                Failure::Usage { message, .. } => message.clone(),
                other => format!("{label}: {other}"),
            };
            out.message(Ink::Bad, "error", &failed)?;
            notes(out, failure)
        }
        Err(Refused::Asked(error, help)) => {
            out.message(Ink::Bad, "refused", &format!("{label}: {error}"))?;
            help.iter().try_for_each(|help| out.message(Ink::Faint, "  help", help))
        }
        Ok(_) if one.breaks() && !how.allow_errors => {
            out.message(
                Ink::Bad,
                "refused",
                &format!("{label}: the file would have errors that it has not now"),
            )?;
            out.message(Ink::Faint, "  help", "--allow-errors writes it nevertheless")
        }
        Ok(ready) => match one.done {
            Some(Way::Nothing) | None => Ok(()),
            Some(way) if one.output.is_none() && way != ready.route.way => {
                let text = "its blocks could not be moved after all, so it was copied (cannot be undone)";
                out.message(Ink::Warn, "note", &format!("{label}: {text}"))
            }
            Some(_) => Ok(()),
        },
    }
}

/// Says of all files what is to be said of none alone: that none was written, or which were and which were not.
pub(super) fn all(out: &mut Out, planned: &[Planned], how: &EditArgs, stopped: bool) -> io::Result<()> {
    let list = |test: &dyn Fn(&Planned) -> bool| {
        let found = planned.iter().filter(|one| test(one)).map(|one| out::path(one.target()));
        let found: Vec<String> = found.collect();
        match found.len().checked_sub(NAMED).filter(|more| *more > 0) {
            Some(more) => format!("{} and {more} more", found.get(..NAMED).unwrap_or_default().join(", ")),
            None => found.join(", "),
        }
    };
    let written = |one: &Planned| one.done.is_some_and(|way| way != Way::Nothing || one.output.is_some());
    let failed = planned.iter().any(|one| one.failure.is_some());
    if stopped || failed {
        if planned.len() < 2 {
            return Ok(());
        }
        if !planned.iter().any(|one| written(one) || one.taken_back) {
            return out.message(Ink::Warn, "warning", "no file was written");
        }
        let groups = [
            ("written", list(&written)),
            ("taken back", list(&|one| one.taken_back)),
            ("not written", list(&|one| !written(one) && !one.taken_back)),
        ];
        for (word, names) in groups {
            if !names.is_empty() {
                out.message(Ink::Warn, word, &names)?;
            }
        }
        return Ok(());
    }
    let changes =
        |one: &Planned| one.result.as_ref().is_ok_and(|ready| !ready.is_nothing() || one.output.is_some());
    if how.dry_run && planned.iter().any(changes) {
        writeln!(out, "a dry run: nothing is written")?;
    }
    Ok(())
}

fn notes(out: &mut Out, failure: &Failure) -> io::Result<()> {
    failure
        .notes()
        .into_iter()
        .try_for_each(|(word, text)| out.message(Ink::Faint, &format!("  {word}"), &text))
}

fn value_json(value: &Shown) -> Value {
    match value {
        Shown::Scalar(scalar) => {
            json!({ "type": scalar.value_type().name(), "text": units::scalar_text(*scalar) })
        }
        Shown::Text(bytes) => json!({ "type": "string", "value": JsonText(ByteStr(bytes)) }),
        Shown::Array(ty, len) => json!({ "type": ty.to_string(), "length": len }),
    }
}

/// Everything, as JSON.
pub(super) fn json(one: &Planned, how: &EditArgs) -> Value {
    let mut out = json!({
        "path": crate::json::path(&one.path),
        "output": crate::json::path(one.target()),
        "written": one.done.is_some_and(|way| way != Way::Nothing),
        "taken_back": one.taken_back,
        "way": null,
        "bytes_written": null,
        "bytes_moved": null,
        "bytes_kept": null,
        "size": null,
        "padding": null,
        "changes": [],
        "breaks": [],
        "refused": null,
        "errors": one.failure.iter().map(Failed::json).collect::<Vec<_>>(),
    });
    let mut put = |key: &str, value: Value| {
        if let Some(slot) = out.get_mut(key) {
            *slot = value;
        }
    };
    match &one.result {
        Ok(ready) => {
            let (way, written) = match &how.output {
                Some(_) => (Way::Copy, ready.plan.len()),
                None => (one.done.unwrap_or(ready.route.way), ready.route.written),
            };
            put("way", json!(way.name()));
            put("bytes_written", json!(written));
            put("bytes_moved", json!(if how.output.is_some() { 0 } else { ready.route.moved }));
            put("bytes_kept", json!(if how.output.is_some() { 0 } else { ready.route.kept }));
            put("size", json!(ready.plan.len()));
            put("padding", json!(ready.padding));
            let change = |done: &Done| {
                json!({
                    "what": done.what,
                    "name": JsonText(ByteStr(&done.name)),
                    "element": done.element,
                    "before": done.before.as_ref().map(value_json),
                    "after": done.after.as_ref().map(value_json),
                })
            };
            put("changes", ready.done.iter().map(change).collect());
            let worse = ready.worse.iter().map(|worse| {
                json!({
                    "rule": worse.finding.rule.name,
                    "code": worse.finding.rule.code,
                    "severity": worse.finding.severity.name(),
                    "message": worse.finding.message,
                    "more": worse.more,
                })
            });
            put("breaks", worse.collect());
        }
        Err(Refused::Failure(failure)) => {
            put("errors", json!([{ "path": crate::json::path(&one.path), "error": failure.json() }]));
        }
        Err(Refused::Asked(error, help)) => {
            put("refused", json!({ "message": error, "help": help }));
        }
    }
    out
}
