//! Groups of tensors, and what they come to.

use std::io::{self, Write as _};

use ggufkit::inspect::tensors::{Group, GroupKey, Share, Sizing, Totals};
use ggufkit::inspect::units;

use super::{Answer, By};
use crate::out::{self, Ink, Out, pad, pad_left};

/// Types that a group names.
const MAX_TYPES: usize = 3;

/// Prints a row for each group, unless only totals are asked for, and their sum.
pub(super) fn print(
    out: &mut Out,
    answer: &Answer<'_, '_>,
    by: By,
    groups: &[Group],
    only_totals: bool,
) -> io::Result<()> {
    let mut all = Totals::default();
    groups.iter().for_each(|group| all.join(&group.totals));
    let listed = groups.get(..if only_totals { 0 } else { groups.len() }).unwrap_or_default();
    let title = [by_title(by), "tensors", "elements", "size", "share", "bits"].map(str::to_owned);
    let sum = line("all".to_owned(), &all, all.bytes);
    let cells = |group: &Group| line(key(answer, group.key), &group.totals, all.bytes);
    let mut wide = [0; 6];
    // Lines are made twice and held once, since there may be very many.
    for line in listed.iter().map(cells).chain([title.clone(), sum.clone()]) {
        for (wide, cell) in wide.iter_mut().zip(&line) {
            *wide = (*wide).max(out::columns(cell));
        }
    }
    let types = by != By::Type && !only_totals;
    let text = join(&title, &wide, if types { "types" } else { "" }, out);
    let text = out.paint(Ink::Faint, text);
    writeln!(out, "{text}")?;
    for group in listed {
        let mix = if types { mix(&group.mix, group.totals.bytes) } else { String::new() };
        let text = join(&cells(group), &wide, &mix, out);
        writeln!(out, "{text}")?;
    }
    let text = join(&sum, &wide, "", out);
    let text = out.paint(Ink::Head, text);
    writeln!(out, "{text}")
}

/// A line of cells, and the types behind them, which are the first to go in a terminal that is too narrow.
fn join(cells: &[String; 6], wide: &[usize; 6], types: &str, out: &Out) -> String {
    let mut text = String::new();
    for (at, (cell, wide)) in cells.iter().zip(wide).enumerate() {
        match at {
            0 => text.push_str(&pad(cell, *wide)),
            _ => {
                text.push_str("  ");
                text.push_str(&pad_left(cell, *wide));
            }
        }
    }
    let room = if out.is_terminal() { out.width() } else { usize::MAX };
    if !types.is_empty() && out::columns(&text) + 2 + out::columns(types) <= room {
        text.push_str("  ");
        text.push_str(types);
    }
    text
}

const fn by_title(by: By) -> &'static str {
    match by {
        By::Layer => "layer",
        By::Type => "type",
        By::Shard => "file",
    }
}

fn key(answer: &Answer<'_, '_>, key: GroupKey) -> String {
    match key {
        GroupKey::Layer(n) => n.to_string(),
        GroupKey::NoLayer => "none".to_owned(),
        GroupKey::Type(ty) => ty.to_string(),
        GroupKey::Shard(part) => answer.label(part).to_owned(),
    }
}

fn line(name: String, totals: &Totals, all: u64) -> [String; 6] {
    let share = if all == 0 { 0.0 } else { totals.bytes as f64 * 100.0 / all as f64 };
    let mark = match totals.sizing {
        Sizing::Exact => "",
        Sizing::Inferred => "≤",
        // Some sizes are not in the sum at all.
        Sizing::Unknown => "≥",
    };
    [
        name,
        units::count(totals.tensors),
        units::count(totals.elements),
        format!("{mark}{}", units::bytes(totals.bytes)),
        format!("{share:.1}%"),
        totals.bits_per_weight().map_or_else(|| "-".to_owned(), |bits| format!("{mark}{bits:.2}")),
    ]
}

fn mix(mix: &[Share], all: u64) -> String {
    let mut words: Vec<String> = mix
        .iter()
        .take(MAX_TYPES)
        .map(|share| {
            let part = share.totals.bytes as f64 * 100.0 / all.max(1) as f64;
            format!("{} {part:.0}%", share.tensor_type)
        })
        .collect();
    if mix.len() > MAX_TYPES {
        words.push(format!("{} more", mix.len() - MAX_TYPES));
    }
    words.join(", ")
}

/// Prints what the tensors come to.
pub(super) fn total(out: &mut Out, answer: &Answer<'_, '_>) -> io::Result<()> {
    let mut all = Totals::default();
    answer.rows().for_each(|row| all.add(&row));
    let [_, _, _, size, _, bits] = line(String::new(), &all, all.bytes);
    let plural =
        |n: u64, one: &str, many: &str| format!("{} {}", units::count(n), if n == 1 { one } else { many });
    let tensors = plural(all.tensors, "tensor", "tensors");
    let elements = plural(all.elements, "element", "elements");
    writeln!(
        out,
        "{tensors}, {elements}, {size} ({}), {bits} bits per weight",
        plural(all.bytes, "byte", "bytes")
    )
}
