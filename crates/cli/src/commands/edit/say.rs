//! What will be changed, how, and what became of it: for a person and for a program.

use std::io::{self, Write as _};

use ggufkit::check::Severity;
use ggufkit::edit::loads::Lost;
use ggufkit::edit::preview::Worse;
use ggufkit::edit::{Done, Shown};
use ggufkit::format::ByteStr;
use ggufkit::format::spec::keys;
use ggufkit::inspect::json::JsonText;
use ggufkit::inspect::units;
use ggufkit::io::Way;
use serde_json::{Value, json};

use super::plan::{Planned, Ready, Refused};
use super::{EditArgs, gaps};
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
        let text = match one.files {
            1 => format!("{head}: nothing to change"),
            files => format!("{head}: nothing to change, nor in the other files of its set ({files} in all)"),
        };
        out.line(&text, 2)?;
        if one.output.is_none() {
            return Ok(());
        }
    } else {
        out.line(&head.to_string(), 2)?;
    }
    for done in ready.done.iter().take(SHOWN) {
        change(out, done)?;
    }
    if let Some(more) = ready.done.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        out.line(&format!("  and {more} more"), 2)?;
    }
    // A key that nobody asked for is not to be a surprise.
    if how.reserves() || ready.padding != ready.had {
        let room = out.paint(Ink::Number, units::bytes(ready.padding));
        match ready.padding {
            0 => out.line("  no room is left in the head", 2)?,
            _ => out.line(&format!("  {room} of room in the head for later changes (general.padding)"), 2)?,
        }
    }
    for worse in &ready.worse {
        let finding = &worse.finding;
        let (word, ink) = match finding.severity {
            Severity::Error => ("error", Ink::Bad),
            _ => ("warning", Ink::Warn),
        };
        let word = out.paint(ink, format!("{word}[{}]", finding.rule.name));
        let more = if worse.more > 0 { format!(" (and {} more)", worse.more) } else { String::new() };
        out.line(&format!("  {word}: {}{more}", finding.message), 2)?;
    }
    if let Some(lost) = &ready.lost {
        let word = out.paint(Ink::Bad, "error");
        out.line(&format!("  {word}: {lost}"), 2)?;
    }
    if let Some(text) = gaps::told(&ready.gaps) {
        let word = out.paint(Ink::Warn, "warning");
        out.line(&format!("  {word}: {text}"), 2)?;
    }
    let text = match &one.output {
        Some(path) if ready.is_nothing() => {
            format!("a copy of it, {}, {}", out::path(path), units::bytes(ready.plan.len()))
        }
        Some(path) => format!("a new file {}, {}", out::path(path), units::bytes(ready.plan.len())),
        None => way(ready),
    };
    let word = out.paint(Ink::Faint, "by");
    out.line(&format!("  {word} {text}"), 2)?;
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
    let before = done.before.as_ref().map(|value| out.paint(Ink::Bad, shown(&done.name, value)));
    let after = done.after.as_ref().map(|value| out.paint(Ink::Good, shown(&done.name, value)));
    match (done.what, before, after) {
        ("set", None, Some(after)) => out.line(&format!("  {name}: new, {after}"), 2),
        ("insert", _, Some(after)) => out.line(&format!("  {name}: put in, {after}"), 2),
        ("set" | "upgrade" | "endian", Some(before), Some(after)) => {
            out.line(&format!("  {name}: {before} → {after}"), 2)
        }
        ("rename", _, Some(after)) => out.line(&format!("  {name}: renamed to {after}"), 2),
        ("rename-tensor", _, Some(after)) => out.line(&format!("  tensor {name}: renamed to {after}"), 2),
        ("move-tensor", _, Some(after)) => out.line(&format!("  tensor {name}: moved before {after}"), 2),
        ("move-tensor", _, None) => out.line(&format!("  tensor {name}: moved behind all others"), 2),
        ("move", _, Some(after)) => out.line(&format!("  {name}: moved before {after}"), 2),
        ("move", _, None) => out.line(&format!("  {name}: moved behind all others"), 2),
        ("drop-tensor", ..) => out.line(&format!("  tensor {name}: taken out"), 2),
        (_, Some(before), _) => out.line(&format!("  {name}: taken out, was {before}"), 2),
        _ => out.line(&format!("  {name}: taken out"), 2),
    }
}

fn shown(key: &[u8], value: &Shown) -> String {
    match value {
        Shown::Text(text) if keys::room(key, text).is_some() => {
            format!("{} bytes of room", units::count(text.len() as u64))
        }
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
                &format!("{label}: the file would have errors that it does not have now"),
            )?;
            out.message(Ink::Faint, "  help", "--allow-errors writes it nevertheless")
        }
        Ok(ready) => match one.done {
            Some(Way::Nothing) | None => Ok(()),
            Some(way) if one.output.is_none() && way != ready.route.way => {
                let text = "its blocks could not be moved after all, so it was copied (cannot be undone)";
                out.message(Ink::Warn, "note", &format!("{label}: {text}"))
            }
            Some(way) if how.output.is_none() && !way.is_in_place() => one
                .note
                .iter()
                .try_for_each(|note| out.message(Ink::Warn, "note", &format!("{label}: {note}"))),
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

/// What would be wrong that is not wrong now, as JSON.
pub(in crate::commands) fn breaks(worse: &[Worse], lost: Option<&Lost>) -> Value {
    let worse = worse.iter().map(|worse| {
        json!({
            "rule": worse.finding.rule.name,
            "code": worse.finding.rule.code,
            "severity": worse.finding.severity.name(),
            "message": worse.finding.message,
            "more": worse.more,
        })
    });
    let lost = lost.map(|lost| {
        json!({
            "rule": lost.rule().map(|rule| rule.name),
            "code": lost.rule().map(|rule| rule.code),
            "severity": Severity::Error.name(),
            "message": lost.to_string(),
            "more": 0,
        })
    });
    worse.chain(lost).collect()
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
        "can_be_undone": null,
        "size": null,
        "padding": null,
        "left_out": [],
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
            put("can_be_undone", json!(how.output.is_none() && way.can_be_undone()));
            put("size", json!(ready.plan.len()));
            put("padding", json!(ready.padding));
            let gaps = ready.gaps.iter().map(|span| json!({ "start": span.start, "end": span.end() }));
            put("left_out", gaps.collect());
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
            put("breaks", breaks(&ready.worse, ready.lost.as_ref()));
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
