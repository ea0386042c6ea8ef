//! Groups of tensors, and what they come to.

use std::io::{self, Write as _};

use ggufkit::inspect::tensors::{Group, GroupKey, Share, Sizing, Totals};
use ggufkit::inspect::units;

use super::{Answer, By};
use crate::out::{self, Ink, Out, pad, pad_left};

/// Types that a group names.
const MAX_TYPES: usize = 3;

/// Columns in which a type and its share can be told: `Q4_K 91%`.
const MIN_TYPES: usize = 8;

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
    // What is left of a line; where that is next to nothing, types are no column at all.
    let taken = wide.iter().map(|wide| wide + 2).sum::<usize>();
    let room = if out.is_terminal() { out.width().saturating_sub(taken) } else { usize::MAX };
    let types = by != By::Type && !only_totals && room >= MIN_TYPES;
    let text = join(&title, &wide, if types { "types" } else { "" });
    let text = out.paint(Ink::Faint, text);
    writeln!(out, "{text}")?;
    for group in listed {
        let mix = if types { mix(&group.mix, group.totals.bytes, room) } else { String::new() };
        let text = join(&cells(group), &wide, &mix);
        writeln!(out, "{text}")?;
    }
    let text = join(&sum, &wide, "");
    let text = out.paint(Ink::Head, text);
    writeln!(out, "{text}")
}

/// A line of cells, and the types behind them.
fn join(cells: &[String; 6], wide: &[usize; 6], types: &str) -> String {
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
    if !types.is_empty() {
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

/// The types of a group in at most `room` columns: as many as fit, and the number of the others.
fn mix(mix: &[Share], all: u64, room: usize) -> String {
    let one = |share: &Share| {
        let part = share.totals.bytes as f64 * 100.0 / all.max(1) as f64;
        format!("{} {part:.0}%", share.tensor_type)
    };
    let first = |shown: usize| {
        let mut words: Vec<String> = mix.iter().take(shown).map(one).collect();
        if mix.len() > words.len() {
            words.push(format!("{} more", mix.len() - words.len()));
        }
        words.join(", ")
    };
    let fits = |text: &String| out::columns(text) <= room;
    (1..=MAX_TYPES).rev().map(first).find(fits).unwrap_or_else(|| match mix.first() {
        // One type, and no room for the number of the others.
        Some(share) => out::fit(format!("{}, …", one(share)).as_bytes(), room),
        None => String::new(),
    })
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

#[cfg(test)]
mod tests {
    use ggufkit::format::spec::TensorType;

    use super::*;

    #[test]
    fn types_are_shortened_and_never_left_out() {
        let share = |tensor_type, bytes| {
            let totals = Totals { tensors: 1, elements: 1, bytes, sizing: Sizing::Exact };
            Share { tensor_type, totals }
        };
        let shares = [
            share(TensorType::IQ4_XS, 540),
            share(TensorType::Q6_K, 370),
            share(TensorType::Q5_0, 70),
            share(TensorType::F32, 20),
        ];
        for (room, expected) in [
            (usize::MAX, "IQ4_XS 54%, Q6_K 37%, Q5_0 7%, 1 more"),
            (37, "IQ4_XS 54%, Q6_K 37%, Q5_0 7%, 1 more"),
            (36, "IQ4_XS 54%, Q6_K 37%, 2 more"),
            (27, "IQ4_XS 54%, 3 more"),
            (17, "IQ4_XS 54%, …"),
            (12, "IQ4_XS 54%,…"),
            (8, "IQ4_XS …"),
        ] {
            assert_eq!(mix(&shares, 1000, room), expected, "{room}");
        }
        assert_eq!(mix(&shares[3..], 20, 8), "F32 100%");
        assert_eq!(mix(&[share(TensorType::IQ4_XS, 1)], 1, 11), "IQ4_XS 100%");
    }
}
