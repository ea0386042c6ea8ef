//! Tensors that differ: in the table, or in their data.

use ggufkit::format::Tensor;
use ggufkit::inspect::diff::{Data, DataDifference, Diff, Record, TensorChange};
use ggufkit::inspect::units;

use super::{Below, Item, Mark, Much, Section, Taker, Values, moved, name, section};
use crate::commands::diff::value;

fn shape(dims: &[u64]) -> String {
    let mut text: Vec<String> = dims.iter().take(8).map(u64::to_string).collect();
    if dims.len() > 8 {
        text.push("…".to_owned());
    }
    format!("[{}]", text.join(", "))
}

pub(super) fn tensor_name(tensor: &Record<'_, Tensor>) -> String {
    match tensor.occurrence {
        0 => name(tensor.name.0),
        again => format!("{} (occurrence {})", name(tensor.name.0), u64::from(again) + 1),
    }
}

pub(super) fn tensors(diff: &Diff<'_>, much: Much) -> Section {
    let found = &diff.tensors;
    let mut taker = Taker::new(much);
    for (mark, side, list) in [(Mark::Removed, &diff.a, &found.removed), (Mark::Added, &diff.b, &found.added)]
    {
        taker.kind();
        for tensor in list.iter().filter_map(|at| side.tensors.get(*at)) {
            taker.take(|| {
                let what = format!("{} {}", tensor.record.tensor_type, shape(side.dims(tensor)));
                Some(Item { mark, name: tensor_name(tensor), what, values: Values::None, below: Vec::new() })
            });
        }
    }
    taker.kind();
    for (a, b) in &found.renamed {
        taker.take(|| {
            let (a, b) = (diff.a.tensors.get(*a)?, diff.b.tensors.get(*b)?);
            let what = format!("{} {}", a.record.tensor_type, shape(diff.a.dims(a)));
            let values = Values::One(format!("is called {}", tensor_name(b)));
            Some(Item { mark: Mark::Renamed, name: tensor_name(a), what, values, below: Vec::new() })
        });
    }
    taker.kind();
    for pair in found.pairs.iter().filter(|pair| pair.differs()) {
        taker.take(|| change(diff, pair));
    }
    taker.kind();
    for (at_a, at_b) in &found.moved {
        taker.take(|| {
            let (a, b) = (diff.a.tensors.get(*at_a)?, diff.b.tensors.get(*at_b)?);
            Some(moved(tensor_name(a), a.index, b.index))
        });
    }
    let count = |test: &dyn Fn(&TensorChange) -> bool| found.pairs.iter().filter(|pair| test(pair)).count();
    let counts = [
        (found.removed.len(), "removed"),
        (found.added.len(), "added"),
        (found.renamed.len(), "renamed"),
        (count(&|pair| pair.retyped), "of another type"),
        (count(&|pair| pair.reshaped), "of another shape"),
        (count(&|pair| matches!(pair.data, Data::Differs(_))), "with other data"),
        (found.moved.len(), "moved"),
    ];
    section("tensors", &counts, taker.items, taker.more)
}

fn change(diff: &Diff<'_>, pair: &TensorChange) -> Option<Item> {
    let (a, b) = (diff.a.tensors.get(pair.a)?, diff.b.tensors.get(pair.b)?);
    let (of_a, of_b) = (a.record.tensor_type.to_string(), b.record.tensor_type.to_string());
    let (shape_a, shape_b) = (shape(diff.a.dims(a)), shape(diff.b.dims(b)));
    let what = match (pair.retyped, pair.reshaped) {
        (false, false) => format!("{of_a} {shape_a}"),
        (true, false) => shape_a.clone(),
        (false, true) => of_a.clone(),
        (true, true) => String::new(),
    };
    let one = |ty: &str, shape: &str| match (pair.retyped, pair.reshaped) {
        (true, true) => format!("{ty} {shape}"),
        (true, false) => ty.to_owned(),
        _ => shape.to_owned(),
    };
    let (mut below, mut values) = (Vec::new(), Values::None);
    if pair.retyped || pair.reshaped {
        values = Values::Both(one(&of_a, &shape_a), one(&of_b, &shape_b));
    }
    match &pair.data {
        Data::Differs(difference) => {
            let plain = value::plain(a.record.tensor_type).is_some();
            below.extend(data(difference, plain).into_iter().map(|text| Below { sign: ' ', text }));
        }
        Data::Same if pair.reshaped => {
            below.push(Below { sign: ' ', text: "the data is the same".to_owned() })
        }
        _ => {}
    }
    Some(Item { mark: Mark::Changed, name: tensor_name(a), what, values, below })
}

fn data(found: &DataDifference, plain: bool) -> Vec<String> {
    let mut out = Vec::new();
    if found.bytes > 0 {
        let word = if plain { "values" } else { "blocks" };
        let share = found.blocks as f64 * 100.0 / found.of_blocks.max(1) as f64;
        let share = if share >= 0.1 { format!(" ({share:.1} %)") } else { String::new() };
        out.push(format!(
            "{} of {} {word} {}{share}, in {} {}",
            units::count(found.blocks),
            units::count(found.of_blocks),
            if found.blocks == 1 { "differs" } else { "differ" },
            units::count(found.bytes),
            if found.bytes == 1 { "byte" } else { "bytes" },
        ));
        let place = if plain { "value" } else { "block" };
        let at = match found.at_a == found.at_b {
            true => format!("{:#x}", found.at_a),
            false => format!("{:#x} and {:#x}", found.at_a, found.at_b),
        };
        out.push(format!("first in {place} {}, at {at}", units::count(found.first_block)));
        out.push(format!("{} → {}", found.a, found.b));
    }
    for (missing, which) in [(found.missing_a, "first"), (found.missing_b, "second")] {
        if missing > 0 {
            out.push(format!("{} bytes of it are not in the {which} file", units::count(missing)));
        }
    }
    out
}
