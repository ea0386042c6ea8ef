//! Key-values that differ.

use ggufkit::format::spec::keys;
use ggufkit::format::{Kv, Value};
use ggufkit::inspect::diff::{Diff, Record};
use ggufkit::inspect::{type_label, units};

use super::array::elements;
use super::text::lines_of;
use super::{Item, Mark, Much, Section, Taker, Values, moved, name, section};
use crate::commands::diff::value;

/// Comparisons of lines that all text diffs may cost together.
const WORK: u64 = 100_000_000;

fn key(kv: &Record<'_, Kv>) -> String {
    match kv.occurrence {
        0 => name(kv.name.0),
        again => format!("{} (occurrence {})", name(kv.name.0), u64::from(again) + 1),
    }
}

pub(super) fn metadata(diff: &Diff<'_>, much: Much) -> Section {
    let found = &diff.metadata;
    let mut taker = Taker::new(much);
    let mut work = WORK;
    let wide = if much.all { usize::MAX / 8 } else { much.wide };
    for (mark, side, list) in [(Mark::Removed, &diff.a, &found.removed), (Mark::Added, &diff.b, &found.added)]
    {
        taker.kind();
        for kv in list.iter().filter_map(|at| side.kvs.get(*at)) {
            taker.take(|| {
                let value = side.value(kv).map(|value| match value {
                    Value::String(text) => keys::room(kv.name.0, text.0)
                        .map(|bytes| format!("{} bytes of room", units::count(bytes)))
                        .unwrap_or_else(|| value::text(value, much.wide)),
                    _ => value::text(value, much.wide),
                });
                Some(Item {
                    mark,
                    name: key(kv),
                    what: type_label(kv.record),
                    values: value.map_or(Values::None, Values::One),
                    below: Vec::new(),
                })
            });
        }
    }
    taker.kind();
    for change in &found.changed {
        taker.take(|| {
            let (a, b) = (diff.a.kvs.get(change.a)?, diff.b.kvs.get(change.b)?);
            let (old, new) = (diff.a.value(a)?, diff.b.value(b)?);
            let (of_a, of_b) = (type_label(a.record), type_label(b.record));
            let what = if of_a == of_b { of_a } else { format!("{of_a} → {of_b}") };
            let (values, below) = match (old, new) {
                (Value::String(old), Value::String(new)) => {
                    if let (Some(old), Some(new)) = (keys::room(a.name.0, old.0), keys::room(b.name.0, new.0))
                    {
                        let room = |bytes| format!("{} bytes of room", units::count(bytes));
                        let values = Values::Both(room(old), room(new));
                        return Some(Item {
                            mark: Mark::Changed,
                            name: key(a),
                            what,
                            values,
                            below: Vec::new(),
                        });
                    }
                    let lines = [old.0, new.0].iter().any(|text| text.contains(&b'\n'));
                    match (old.to_str(), new.to_str()) {
                        (Some(old), Some(new)) if lines => lines_of(old, new, &mut work, much, wide),
                        _ => (both(Value::String(old), Value::String(new), wide), Vec::new()),
                    }
                }
                (Value::Array(old), Value::Array(new)) if !change.retyped => elements(old, new, much),
                (old, new) => (both(old, new, wide), Vec::new()),
            };
            Some(Item { mark: Mark::Changed, name: key(a), what, values, below })
        });
    }
    taker.kind();
    for one in &found.duplicated {
        taker.take(|| {
            let kv = one.a.and_then(|at| diff.a.kvs.get(at)).or_else(|| diff.b.kvs.get(one.b?))?;
            let text = format!("is there {} → {} times", one.count_a, one.count_b);
            Some(Item {
                mark: Mark::Changed,
                name: name(kv.name.0),
                what: String::new(),
                values: Values::One(text),
                below: Vec::new(),
            })
        });
    }
    taker.kind();
    for (at_a, at_b) in &found.moved {
        taker.take(|| {
            let (a, b) = (diff.a.kvs.get(*at_a)?, diff.b.kvs.get(*at_b)?);
            Some(moved(key(a), a.index, b.index))
        });
    }
    let counts = [
        (found.removed.len(), "removed"),
        (found.added.len(), "added"),
        (found.changed.len(), "changed"),
        (found.moved.len(), "moved"),
    ];
    section("metadata", &counts, taker.items, taker.more)
}

fn both(a: Value<'_>, b: Value<'_>, wide: usize) -> Values {
    let (a, b) = value::both(a, b, wide);
    Values::Both(a, b)
}
