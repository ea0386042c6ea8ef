//! The table of `gguf compare`, and what has no counterpart.

use std::io::{self, Write as _};

use ggufkit::inspect::units;
use ggufkit::values::compare::{BLOCK, Difference};
use ggufkit::values::origin::Verdict;

use super::{Answer, Compared, shown};
use crate::out::{self, Ink, Out, pad_left};

/// Names without a counterpart that are named.
const NAMED: usize = 10;

/// The columns before the name.
const TITLES: [&str; 7] = ["types", "elements", "relative", "rmse", "max", "cosine", "SNR dB"];

/// Columns that a name keeps, where there is a choice, and where there is none.
const NAME: usize = 24;
const LEAST: usize = 8;

/// What stands behind the name of a tensor that is further off than it may be.
const OVER: &str = "  over";

pub(super) fn print(
    out: &mut Out,
    answer: &Answer,
    top: Option<usize>,
    worst: bool,
    max_error: Option<f64>,
) -> io::Result<()> {
    let shown_rows = top.unwrap_or(usize::MAX).min(answer.tensors.len());
    let sum = (answer.tensors.len() > 1).then(|| {
        let mut sum = measures(&answer.all);
        sum[0].clear();
        sum
    });
    let tensors = || answer.tensors.iter().take(shown_rows);
    if !answer.tensors.is_empty() {
        let mut widths = TITLES.map(str::len);
        for cells in tensors().map(cells).chain(sum.clone()) {
            for (width, cell) in widths.iter_mut().zip(&cells) {
                *width = (*width).max(out::columns(cell));
            }
        }
        // The first to go where room is scarce: what can be worked out from the rest.
        let order = [6, 3, 1, 5, 4];
        let mut kept = [true; 7];
        let room = if out.is_terminal() { out.width() } else { usize::MAX };
        for at in order {
            let taken: usize =
                widths.iter().zip(kept).filter(|(_, kept)| *kept).map(|(width, _)| width + 2).sum();
            if taken.saturating_add(NAME) <= room {
                break;
            }
            if let Some(kept) = kept.get_mut(at) {
                *kept = false;
            }
        }
        let head = line(&TITLES.map(str::to_owned), &widths, &kept) + "name";
        let head = out.paint(Ink::Faint, head);
        writeln!(out, "{head}")?;
        for tensor in tensors() {
            let text = line(&cells(tensor), &widths, &kept);
            let over = if tensor.over == Some(true) { OVER } else { "" };
            let left = room.saturating_sub(out::columns(&text)).saturating_sub(over.len());
            let name = name(tensor, left);
            let over = out.paint(Ink::Bad, over);
            writeln!(out, "{text}{name}{over}")?;
            for (error, at) in tensor.difference.worst.iter().filter(|_| worst) {
                let end = at.saturating_add(BLOCK);
                writeln!(out, "    elements {at} to {end}: rmse {}", number(*error))?;
            }
        }
        if let Some(sum) = &sum {
            let text = line(sum, &widths, &kept);
            writeln!(out, "{text}all  ({} tensors)", units::count(answer.tensors.len() as u64))?;
        }
        let more = answer.tensors.len().saturating_sub(shown_rows);
        if more > 0 {
            let text = format!("{} more tensors; --top N shows N", units::count(more as u64));
            let text = out.paint(Ink::Faint, text);
            writeln!(out, "{text}")?;
        }
    }
    if let Some(max) = max_error {
        let over: Vec<&[u8]> =
            answer.tensors.iter().filter(|one| one.over == Some(true)).map(|one| &*one.name).collect();
        if let Some(text) = further_off(&over, max) {
            out.line(&text, 2)?;
        }
    }
    let of_source = answer.verdict.is_some();
    let sides = if of_source { ["the source", "the file"] } else { ["A", "B"] };
    for (names, which) in answer.only.iter().zip(sides).filter(|(names, _)| !names.is_empty()) {
        out.line(&format!("only in {which}: {}", some_of(names)), 2)?;
    }
    for (one, [a, b]) in &answer.reshaped {
        out.line(&format!("{}: the shapes {a:?} and {b:?} are not compared", shown(one)), 2)?;
    }
    if !answer.made.is_empty() {
        out.line(&format!("made by conversion: {}", some_of(&answer.made)), 2)?;
    }
    let counts = answer.changes();
    if !counts.is_empty() {
        let told = counts.into_iter().map(|(change, count)| {
            let tensors = if count == 1 { "tensor" } else { "tensors" };
            format!("{} ({} {tensors})", words(change), units::count(count))
        });
        let told: Vec<String> = told.collect();
        out.line(&format!("taken into account: {}", told.join(", ")), 2)?;
    }
    if let Some(sentence) = sentence(answer) {
        out.line(&sentence, 2)?;
    }
    Ok(())
}

/// The first of the names, and how many there are beside.
fn some_of<N: AsRef<[u8]>>(names: &[N]) -> String {
    let some: Vec<String> = names.iter().take(NAMED).map(|one| shown(one.as_ref())).collect();
    match names.len().saturating_sub(NAMED) {
        0 => some.join(", "),
        more => format!("{} and {} more", some.join(", "), units::count(more as u64)),
    }
}

/// Which tensors are further off than they may be, in a sentence.
fn further_off(over: &[&[u8]], max: f64) -> Option<String> {
    let tensors = match over.len() {
        0 => return None,
        1 => "1 tensor is".to_owned(),
        many => format!("{} tensors are", units::count(many as u64)),
    };
    let bound = format!("{}%", (max * 1e8).round() / 1e6);
    Some(format!("{tensors} further off than {bound}: {}", some_of(over)))
}

/// What conversion did, in words.
fn words(change: &str) -> &str {
    match change {
        "rows-by-heads" => "rows in another order by heads",
        "stacked" => "experts in one tensor",
        "turned" => "rows and columns exchanged",
        "plus-one" => "1 added",
        other => other,
    }
}

/// Whether the values come from the source, in a sentence.
pub(super) fn sentence(answer: &Answer) -> Option<String> {
    let verdict = answer.verdict?;
    let text = match verdict {
        Verdict::Same => "The values are those of the source: every matrix is as near as its type allows.",
        Verdict::Related => {
            "The values are near those of the source, and some further off than their types explain: they come from another state of it, or were changed since."
        }
        Verdict::Mixed => "Some matrices come from the source, and some have nothing in common with it.",
        Verdict::Unrelated => "The values have nothing in common with the source.",
        Verdict::Unknown => "No matrix was compared, so nothing is known of where the values come from.",
    };
    let unmatched = answer.only[1].len().saturating_add(answer.reshaped.len());
    Some(match unmatched {
        // Where nothing is known, nothing is known of these either.
        _ if verdict == Verdict::Unknown => text.to_owned(),
        0 => text.to_owned(),
        1 => format!("{text} Of 1 tensor it is not known."),
        many => format!("{text} Of {} tensors it is not known.", units::count(many as u64)),
    })
}

fn line(cells: &[String; 7], widths: &[usize; 7], kept: &[bool; 7]) -> String {
    let mut text = String::new();
    for (at, ((cell, width), _)) in cells.iter().zip(widths).zip(kept).filter(|(_, kept)| **kept).enumerate()
    {
        match at {
            0 => text.push_str(&out::pad(cell, *width)),
            _ => text.push_str(&pad_left(cell, *width)),
        }
        text.push_str("  ");
    }
    text
}

/// The name of a tensor in at most `room` columns, but for what is said behind it.
fn name(tensor: &Compared, room: usize) -> String {
    let odd = tensor.difference.not_finite;
    let odd = if odd > 0 { format!("  {} not finite", units::count(odd)) } else { String::new() };
    let room = room.saturating_sub(odd.len()).max(LEAST);
    match &tensor.renamed {
        Some(renamed) => {
            let text = format!("{}  (in B {})", shown(&tensor.name), shown(renamed));
            if out::columns(&text) <= room { text + &odd } else { out::fit(&tensor.name, room) + &odd }
        }
        None => out::fit(&tensor.name, room) + &odd,
    }
}

fn cells(tensor: &Compared) -> [String; 7] {
    let mut cells = measures(&tensor.difference);
    let [a, b] = tensor.types;
    cells[0] = if a == b { a.to_string() } else { format!("{a} {b}") };
    cells
}

fn measures(difference: &Difference) -> [String; 7] {
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    [
        String::new(),
        units::count(difference.count),
        or_none(difference.relative().map(|relative| match relative {
            0.0 => "0".to_owned(),
            relative if !(1e-5..1e4).contains(&relative) => format!("{:.1e}", relative * 100.0) + "%",
            relative => format!("{:.3}%", relative * 100.0),
        })),
        or_none(difference.rmse().map(number)),
        or_none(difference.max.map(|(max, _)| number(max))),
        or_none(difference.cosine().map(|cosine| format!("{cosine:.6}"))),
        or_none(
            difference.snr().map(|snr| if snr.is_infinite() { "∞".to_owned() } else { format!("{snr:.1}") }),
        ),
    ]
}

fn number(value: f64) -> String {
    if value == 0.0 { "0".to_owned() } else { format!("{value:.3e}") }
}
