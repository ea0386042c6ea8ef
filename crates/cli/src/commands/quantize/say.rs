//! What each tensor becomes, for a person and for a program.

use std::collections::HashMap;
use std::io::{self, Write as _};

use ggufkit::edit::quantize::{Importance, Measured, Quantization, Target};
use ggufkit::format::{ByteStr, layout, shorten};
use ggufkit::inspect::json::JsonText;
use ggufkit::inspect::units;
use ggufkit::values::compare::Difference;
use ggufkit::values::mixture::Why;
use serde_json::{Value, json};

use super::super::shards::{Answer, say};
use super::Done;
use super::given::Given;
use crate::json::{self, Files};
use crate::out::{self, Ink, Out, pad, pad_left};

/// Names that are listed in a note.
const NAMED: usize = 5;

/// What is worth a word about the whole.
pub(super) fn notes(made: &Quantization<'_>, given: &Given) -> Vec<String> {
    let mut notes = Vec::new();
    let some = |names: &[&[u8]]| {
        let shown: Vec<String> = names.iter().take(NAMED).map(|name| shorten(name, 60).to_string()).collect();
        let more = names.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{more}", shown.join(", "))
    };
    let left: Vec<&[u8]> = made.importance_left().iter().map(Vec::as_slice).collect();
    if !left.is_empty() {
        notes.push(format!("the importance matrix names tensors that are not here: {}", some(&left)));
    }
    let missing: Vec<&[u8]> = made
        .tensors()
        .iter()
        .filter(|target| target.importance == Importance::Missing && given.importance.is_some())
        .map(|target| target.name.as_slice())
        .collect();
    if !missing.is_empty() {
        notes.push(format!("no importance for {}", some(&missing)));
    }
    let used: Vec<Why> = made.tensors().iter().map(|target| target.why).collect();
    let shapes = made.tensors().iter();
    let names: Vec<&[u8]> = shapes.map(|target| target.name.as_slice()).collect();
    let plain = !given.mixture.is_some_and(|mixture| mixture.is_quantized());
    if plain && !given.wishes.rules.is_empty() {
        let name = given.mixture.map_or("COPY", |mixture| mixture.name);
        notes.push(format!("{name} passes over --tensor-type, as in llama-quantize"));
    }
    for rule in &given.wishes.rules {
        if !names.iter().any(|name| rule.pattern.is_in(name)) {
            notes.push(format!("no tensor has {:?} in its name", rule.pattern.as_str()));
        }
    }
    if let Some(recipe) = &given.wishes.recipe {
        let idle: Vec<&[u8]> = recipe
            .rules
            .iter()
            .filter(|rule| !names.iter().any(|name| rule.pattern.is_in(name)))
            .map(|rule| rule.pattern.as_str().as_bytes())
            .collect();
        if !idle.is_empty() {
            notes.push(format!("rules of the recipe that no tensor fits: {}", some(&idle)));
        }
        let free: Vec<&[u8]> = names.iter().copied().filter(|name| recipe.rule_of(name).is_none()).collect();
        if !free.is_empty() {
            notes.push(format!("the recipe says nothing of {}, which stay as they are", some(&free)));
        }
    }
    let shaped = used.iter().filter(|why| matches!(why, Why::Shape(_))).count();
    if shaped > 0 {
        let word = if shaped == 1 { "tensor has" } else { "tensors have" };
        notes.push(format!(
            "{shaped} {word} another type than was meant: no whole number of its blocks makes a row"
        ));
    }
    if made.forgets_file_type() {
        notes.push("general.file_type is left out: nothing says what the whole is called now".to_owned());
    }
    notes
}

pub(super) fn text(
    out: &mut Out,
    answer: &Answer,
    made: Option<&Quantization<'_>>,
    done: &Done,
) -> io::Result<()> {
    if let Some(made) = made {
        table(out, made, &done.measured)?;
        total(out, answer, made, done)?;
        for note in &done.notes {
            out.message(Ink::Warn, "note", note)?;
        }
        for (note, path) in &answer.notes {
            out.message(Ink::Warn, "note", &format!("{}: {note}", out::path(path)))?;
        }
    }
    say::reasons(out, answer)?;
    crate::frame::report(out, &answer.failed)
}

/// The tensors, one by one.
fn table(out: &mut Out, made: &Quantization<'_>, measured: &[Measured]) -> io::Result<()> {
    let errors: HashMap<usize, &Measured> = measured.iter().map(|one| (one.tensor, one)).collect();
    let mut rows = vec![["from", "to", "bytes", "will be", "error"].map(str::to_owned)];
    for (at, target) in made.tensors().iter().enumerate() {
        let error = match errors.get(&at) {
            Some(Measured { difference: Some(difference), .. }) => percent(difference),
            Some(_) => "0".to_owned(),
            None => String::new(),
        };
        let same = !target.is_converted();
        rows.push([
            target.from.0.to_string(),
            if same { String::new() } else { target.to.0.to_string() },
            units::count(target.from.1),
            if same { String::new() } else { units::count(target.to.1) },
            error,
        ]);
    }
    let mut widths = [0_usize; 5];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(out::columns(cell));
        }
    }
    // A column that says nothing takes no room; on a narrow terminal the old size goes first.
    let mut kept = [true, true, true, true, !measured.is_empty()];
    let taken: usize = widths.iter().map(|width| width.saturating_add(2)).sum();
    if out.edge().is_some_and(|edge| taken.saturating_add(24) > edge)
        && let Some(kept) = kept.get_mut(2)
    {
        *kept = false;
    }
    let room: usize =
        widths.iter().zip(kept).filter(|(_, kept)| *kept).map(|(width, _)| width.saturating_add(2)).sum();
    let line = |row: &[String; 5]| {
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
        let why = why(target);
        let most = out
            .edge()
            .map_or(80, |edge| edge.saturating_sub(room).saturating_sub(out::columns(&why)))
            .max(16);
        let name = out.paint(Ink::Key, out::fit(&target.name, most));
        if why.is_empty() {
            writeln!(out, "{}{name}", line(row))?;
        } else {
            let why = out.paint(Ink::Faint, why);
            writeln!(out, "{}{name}{why}", line(row))?;
        }
    }
    Ok(())
}

/// What is worth a word about a tensor.
fn why(target: &Target) -> String {
    let mut words = Vec::new();
    match target.why {
        Why::Rule(at) => words.push(format!("rule {}", at.saturating_add(1))),
        Why::Wish if target.is_converted() => words.push("as asked".to_owned()),
        Why::Shape(ty) => words.push(format!("rows do not fit {ty}")),
        _ => {}
    }
    if target.importance == Importance::There {
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
    if let Some(error) = whole(&done.measured) {
        let same = done.measured.iter().filter(|one| one.difference.is_none()).count();
        let text = format!(
            "error over all that changed: {}; {same} of {all} tensors are as they were",
            percent(&error)
        );
        out.line(&text, 2)?;
    }
    if !answer.is_good() && !answer.made.iter().any(|made| made.done) {
        return out.flush();
    }
    for made in &answer.made {
        let verb = if made.done { "written" } else { "would be written" };
        let path = out.paint(Ink::Head, out::path(&made.path));
        writeln!(out, "{path} {verb}: {}", units::bytes(made.plan.len()))?;
    }
    if done.taken > 0 {
        writeln!(out, "taken over from the run before: {}", units::bytes(done.taken))?;
    }
    out.flush()
}

fn whole(measured: &[Measured]) -> Option<Difference> {
    let mut all: Option<Difference> = None;
    for difference in measured.iter().filter_map(|one| one.difference.as_ref()) {
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
        })
    };
    let outputs = answer.made.iter().map(|made| {
        json!({
            "path": json::path(&made.path),
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
        "error": whole(&done.measured).as_ref().map(measure),
        "importance": importance,
        "taken_over": done.taken,
        "notes": words.chain(notes).collect::<Vec<_>>(),
        "refused": answer.refused.iter().map(say::reason_json).collect::<Vec<_>>(),
        "errors": answer.failed.iter().map(crate::failure::Failed::json).collect::<Vec<_>>(),
    });
    let mut files = Files::begin(out, "quantize", true)?;
    files.add(out, &file)?;
    files.end(out)
}
