//! What each tensor becomes, for a person and for a program.

use std::collections::HashMap;
use std::io::{self, Write as _};

use ggufkit::edit::quantize::{Measured, Quantization, Supply, Target};
use ggufkit::format::{ByteStr, layout};
use ggufkit::inspect::json::JsonText;
use ggufkit::inspect::units;
use ggufkit::values::compare::Difference;
use ggufkit::values::mixture::{Rule, Why};
use serde_json::{Value, json};

use super::super::shards::{Answer, say};
use super::given::Given;
use super::notes::quoted;
use super::{Done, Reading};
use crate::json::{self, Files};
use crate::out::{self, Ink, Out, pad, pad_left};

/// Columns that a tensor's name has at least, where there is a choice, and a pattern at most.
const NAME: usize = 24;

pub(super) fn text(
    out: &mut Out,
    answer: &Answer,
    given: Option<&Given>,
    made: Option<&Quantization<'_>>,
    done: &Done,
) -> io::Result<()> {
    if let Some(made) = made {
        let rules = given.map(|given| given.wishes.rules.as_slice()).unwrap_or_default();
        table(out, made, rules, &done.measured)?;
        total(out, answer, made, done)?;
    }
    for note in &done.notes {
        out.message(Ink::Warn, "note", note)?;
    }
    for (note, path) in &answer.notes {
        out.message(Ink::Warn, "note", &format!("{}: {note}", out::path(path)))?;
    }
    say::reasons(out, answer)?;
    crate::frame::report(out, &answer.failed)
}

/// The tensors, one by one.
fn table(out: &mut Out, made: &Quantization<'_>, rules: &[Rule], measured: &[Measured]) -> io::Result<()> {
    if made.tensors().is_empty() {
        return Ok(());
    }
    let errors: HashMap<usize, &Measured> = measured.iter().map(|one| (one.tensor, one)).collect();
    let mut rows = vec![["from", "to", "bytes", "will be", "error", "weighted"].map(str::to_owned)];
    for (at, target) in made.tensors().iter().enumerate() {
        let error = match errors.get(&at) {
            Some(Measured { difference: Some(difference), .. }) => percent(difference),
            Some(_) => "0".to_owned(),
            None => String::new(),
        };
        let weighted = errors.get(&at).and_then(|one| one.weighted.as_ref()).map(percent);
        let same = !target.is_converted();
        rows.push([
            target.from.0.to_string(),
            if same { String::new() } else { target.to.0.to_string() },
            units::count(target.from.1),
            if same { String::new() } else { units::count(target.to.1) },
            error,
            weighted.unwrap_or_default(),
        ]);
    }
    let mut widths = [0_usize; 6];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(out::columns(cell));
        }
    }
    // A column that says nothing takes no room; on a narrow terminal the old size goes first, then the new one.
    let is_weighted = measured.iter().any(|one| one.weighted.is_some());
    let mut kept = [true, true, true, true, !measured.is_empty(), is_weighted];
    let taken = |kept: [bool; 6]| -> usize {
        widths.iter().zip(kept).filter(|(_, kept)| *kept).map(|(width, _)| width.saturating_add(2)).sum()
    };
    for column in [2, 3] {
        let is_narrow = out.edge().is_some_and(|edge| taken(kept).saturating_add(NAME) > edge);
        if let Some(kept) = kept.get_mut(column).filter(|_| is_narrow) {
            *kept = false;
        }
    }
    let room = out.edge().map(|edge| edge.saturating_sub(taken(kept)));
    let line = |row: &[String; 6]| {
        let mut text = String::new();
        for (at, ((cell, width), _)) in
            row.iter().zip(widths).zip(kept).enumerate().filter(|(_, (_, kept))| *kept)
        {
            text.push_str(&if at < 2 { pad(cell, width) } else { pad_left(cell, width) });
            text.push_str("  ");
        }
        text
    };
    let mut rows = rows.iter();
    if let Some(head) = rows.next() {
        let head = out.paint(Ink::Faint, line(head) + "name");
        writeln!(out, "{head}")?;
    }
    for (row, target) in rows.zip(made.tensors()) {
        let whole = out::fit(&target.name, room.unwrap_or(80));
        // What a tensor is called is worth more than why it has its type.
        let fits = |why: &String| {
            room.is_none_or(|room| out::columns(&whole).min(NAME).saturating_add(out::columns(why)) <= room)
        };
        let why = Some(why(target, rules)).filter(fits).unwrap_or_default();
        let most = room.map_or(80, |room| room.saturating_sub(out::columns(&why)));
        let name = out.paint(Ink::Key, out::fit(&target.name, most));
        let why = out.paint(Ink::Faint, why);
        writeln!(out, "{}{name}{why}", line(row))?;
    }
    Ok(())
}

/// What is worth a word about a tensor.
fn why(target: &Target, rules: &[Rule]) -> String {
    let mut words = Vec::new();
    match target.why {
        Why::Rule(at) => words.extend(rules.get(at).map(|rule| quoted(&rule.pattern, NAME))),
        Why::Wish if target.is_converted() => words.push("as asked".to_owned()),
        Why::Shape(ty) => words.push(format!("rows do not fit {ty}")),
        _ => {}
    }
    if target.importance == Supply::There {
        words.push("importance".to_owned());
    }
    if words.is_empty() { String::new() } else { format!("  ({})", words.join(", ")) }
}

fn percent(difference: &Difference) -> String {
    match difference.relative() {
        None => "-".to_owned(),
        Some(0.0) => "0".to_owned(),
        Some(relative) if relative < 1e-5 => format!("{:.0e}%", relative * 100.0),
        Some(relative) => format!("{:.3}%", relative * 100.0),
    }
}

/// All of them together.
fn sums(made: &Quantization<'_>) -> (u64, u64, u64) {
    made.tensors().iter().fold((0, 0, 0), |(before, after, weights), target| {
        let own = layout::element_count(&target.dims).unwrap_or(0);
        (
            before.saturating_add(target.from.1),
            after.saturating_add(target.to.1),
            u64::saturating_add(weights, own),
        )
    })
}

fn bits(bytes: u64, weights: u64) -> f64 {
    if weights == 0 { 0.0 } else { bytes as f64 * 8.0 / weights as f64 }
}

fn total(out: &mut Out, answer: &Answer, made: &Quantization<'_>, done: &Done) -> io::Result<()> {
    let (before, after, weights) = sums(made);
    let converted = made.tensors().iter().filter(|target| target.is_converted()).count();
    let text = format!(
        "{} of {} tensors change their type: {} ({:.2} bits per weight) become {} ({:.2})",
        units::count(converted as u64),
        units::count(made.tensors().len() as u64),
        units::bytes(before),
        bits(before, weights),
        units::bytes(after),
        bits(after, weights),
    );
    out.line(&text, 2)?;
    let all = made.tensors().len();
    let staying = |why: fn(&Why) -> bool| {
        made.tensors().iter().filter(|target| !target.is_converted() && why(&target.why)).count()
    };
    let of = |count: usize, what: &str| (count > 0).then(|| format!("{} {what}", units::count(count as u64)));
    let never = staying(|why| matches!(why, Why::NotEligible));
    let left = staying(|why| matches!(why, Why::Left));
    let already = staying(|why| !matches!(why, Why::NotEligible | Why::Left | Why::Kept));
    let stay: Vec<String> = [
        of(never, "that are not quantized (norms, biases, routers and the like)"),
        of(left, "by --leave-output-tensor"),
        of(already, "of the right type already"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !stay.is_empty() {
        out.line(&format!("left as they are: {}", stay.join(", ")), 2)?;
    }
    if let Some(error) = whole(&done.measured, |one| one.difference.as_ref()) {
        let same = done.measured.iter().filter(|one| one.difference.is_none()).count();
        let text = format!(
            "error over all that changed: {}; {same} of {all} tensors are as they were",
            percent(&error)
        );
        out.line(&text, 2)?;
    }
    if let Some(weighted) = whole(&done.measured, |one| one.weighted.as_ref()) {
        let count = done.measured.iter().filter(|one| one.weighted.is_some()).count();
        let word = if count == 1 { "tensor that was" } else { "tensors that were" };
        let text =
            format!("weighted by importance: {} over {count} {word} encoded by it", percent(&weighted));
        out.line(&text, 2)?;
    }
    if !answer.is_good() && !answer.made.iter().any(|made| made.done) {
        return out.flush();
    }
    for one in &answer.made {
        let verb = if one.done { "written" } else { "would be written" };
        let path = out.paint(Ink::Head, out::path(&one.path));
        let bytes = one.plan.len();
        let exact = if bytes < 1024 { String::new() } else { format!(" ({} bytes)", units::count(bytes)) };
        let again = match (one.done, done.reading) {
            (true, Reading::AsWritten) => ", read again: as written",
            (true, Reading::NotAsked) => ", not read again",
            _ => "",
        };
        out.line(&format!("{path} {verb}: {}{exact}{again}", units::bytes(bytes)), 2)?;
    }
    if done.taken > 0 {
        let left = done.left.max(done.taken);
        let of = if left > done.taken { format!(" of {}", units::bytes(left)) } else { String::new() };
        writeln!(out, "taken over from the run before: {}{of}", units::bytes(done.taken))?;
    }
    out.flush()
}

fn whole(measured: &[Measured], of: fn(&Measured) -> Option<&Difference>) -> Option<Difference> {
    let mut all: Option<Difference> = None;
    for difference in measured.iter().filter_map(of) {
        all.get_or_insert_default().add(&difference.without_places());
    }
    all
}

pub(super) fn json(
    out: &mut Out,
    answer: &Answer,
    given: Option<&Given>,
    made: Option<&Quantization<'_>>,
    done: &Done,
) -> io::Result<()> {
    let errors: HashMap<usize, &Measured> = done.measured.iter().map(|one| (one.tensor, one)).collect();
    let measure = |difference: &Difference| {
        json!({
            "relative": difference.relative(),
            "rmse": difference.rmse(),
            "max": difference.max.map(|(max, _)| max),
            "cosine": difference.cosine(),
        })
    };
    let tensor = |(at, target): (usize, &Target)| {
        let error = match errors.get(&at) {
            Some(Measured { difference: Some(difference), .. }) => measure(difference),
            Some(_) => json!({ "relative": 0.0, "rmse": 0.0, "max": 0.0, "cosine": 1.0 }),
            None => Value::Null,
        };
        json!({
            "name": JsonText(ByteStr(&target.name)),
            "shape": target.dims,
            "type": target.from.0.to_string(),
            "new_type": target.to.0.to_string(),
            "bytes": target.from.1,
            "new_bytes": target.to.1,
            "why": target.why.code(),
            "importance": target.importance.code(),
            "error": error,
            "weighted": errors.get(&at).and_then(|one| one.weighted.as_ref()).map(Difference::relative),
        })
    };
    let outputs = answer.made.iter().map(|made| {
        json!({
            "path": if done.is_unnamed { Value::Null } else { json!(json::path(&made.path)) },
            "bytes": made.plan.len(),
            "copied": made.plan.copied(),
            "tensors": made.tensors.len(),
            "written": made.done,
        })
    });
    let notes = answer.notes.iter().map(
        |(note, path)| json!({ "note": note.code(), "message": note.to_string(), "path": json::path(path) }),
    );
    let words = done.notes.iter().map(|text| json!({ "note": "about", "message": text, "path": null }));
    let sums = made.map(sums);
    let importance = given.and_then(|given| given.importance.as_ref()).map(|importance| {
        json!({
            "path": json::path(importance.source().path()),
            "tensors": importance.len(),
            "chunks": importance.chunks(),
            "without_tensor": made.map_or_else(Vec::new, |made| {
                made.importance_left().iter().map(|name| json!(JsonText(ByteStr(name)))).collect()
            }),
        })
    });
    let file = json!({
        "path": json::path(&answer.given),
        "members": answer.members.iter().map(|path| json!(json::path(path))).collect::<Vec<_>>(),
        "outputs": outputs.collect::<Vec<_>>(),
        "file_type": made.and_then(|made| made.file_type()).map(|ty| ty.to_string()),
        "tensors": made.map_or_else(Vec::new, |made| made.tensors().iter().enumerate().map(tensor).collect()),
        "bytes": sums.map(|(before, ..)| before),
        "new_bytes": sums.map(|(_, after, _)| after),
        "bits_per_weight": sums.map(|(before, _, weights)| bits(before, weights)),
        "new_bits_per_weight": sums.map(|(_, after, weights)| bits(after, weights)),
        "error": whole(&done.measured, |one| one.difference.as_ref()).as_ref().map(measure),
        "weighted": whole(&done.measured, |one| one.weighted.as_ref()).as_ref().map(Difference::relative),
        "importance": importance,
        "left": done.left,
        "taken_over": done.taken,
        "notes": words.chain(notes).collect::<Vec<_>>(),
        "refused": answer.refused.iter().map(say::reason_json).collect::<Vec<_>>(),
        "errors": answer.failed.iter().map(crate::failure::Failed::json).collect::<Vec<_>>(),
    });
    let mut files = Files::begin(out, "quantize", true)?;
    files.add(out, &file)?;
    files.end(out)
}
