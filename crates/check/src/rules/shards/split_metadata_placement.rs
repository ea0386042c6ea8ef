use std::collections::HashMap;

use ggufkit_format::{Element, Kv, KvPart, View, shorten};

use crate::facts::{self, Facts};
use crate::finding::{Finding, Label};
use crate::rule::{Severity, rule};
use crate::sink::Sink;

rule! {
    /// A later file of a split model holds metadata that the first file does not have, or has with another value.
    ///
    /// The metadata belongs into the first file. llama.cpp and merging tools read it from there and ignore every key of the
    /// later files but the split ones, while programs that look at a single file, or that put the heads together, see the
    /// other value. A conflict mostly means that a key was edited in one file and not in the others, or that the files come
    /// from two builds of the model.
    ///
    /// Decide which value is right and set it in the first file; a repetition of the same value does no harm.
    GG712 "split-metadata-placement" Shards Warning: "a later shard's metadata is not the first one's"
        "后面分片的元数据与第一个分片不同"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if !sink.wants(&RULE) {
        return;
    }
    let mut views = facts.views();
    let Some((first_at, _, first)) = views.next() else { return };
    // Only where the first file is the first: a set may lack it.
    if first.get(super::NO).and_then(|value| value.as_u64()) != Some(0) {
        return;
    }
    let mut keys: HashMap<&[u8], (usize, &Kv)> = HashMap::new();
    for (at, view) in views.map(|(at, _, view)| (at, view)) {
        if keys.is_empty() {
            for (number, (key, kv)) in first.kvs().enumerate() {
                keys.entry(key.0).or_insert((number, kv));
            }
        }
        if view.index().header().endian != first.index().header().endian {
            continue;
        }
        for (number, (key, kv)) in view.kvs().enumerate() {
            // These have rules of their own.
            let own = key.0.starts_with(b"split.") || key.0 == b"general.alignment";
            let before = keys.get(key.0).copied();
            if own || before.is_some_and(|(_, before)| same(&first, before, &view, kv)) {
                continue;
            }
            // An architecture that differs has a rule of its own too.
            if before.is_some() && key.0 == b"general.architecture" {
                continue;
            }
            if before.is_none() && !first.index().is_complete() {
                continue;
            }
            let severity = if before.is_some() { RULE.severity } else { Severity::Note };
            sink.add_as(&RULE, severity, || {
                let label = |file: usize, view: &View<'_>, number: usize, kv: &Kv| -> Label {
                    facts::kv_label(file, view, number, kv, KvPart::Value(Element::Whole))
                };
                let name = shorten(key.0, 80);
                let primary = label(at, &view, number, kv);
                match before {
                    Some((before, other)) => {
                        let message = format!("\"{name}\" has another value than in the first file");
                        Finding::new(&RULE, message, primary.text("this value here"))
                            .because(label(first_at, &first, before, other).text("that one in the first file"))
                            .note("llama.cpp and merging tools use the first file's value and drop this one")
                            .help("set the right value in the first file and remove the key here")
                    }
                    None => {
                        let message = format!("\"{name}\" is not in the first file");
                        Finding::new(&RULE, message, primary.text("only here"))
                            .note("llama.cpp reads metadata from the first file only; merging tools drop this key")
                    }
                }
            });
        }
    }
}

fn same(first: &View<'_>, before: &Kv, view: &View<'_>, kv: &Kv) -> bool {
    before.value_type == kv.value_type && first.bytes(before.value_span) == view.bytes(kv.value_span)
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use super::recipes::shard;
    let first = shard(0, 2, 2).kv("llama.context_length", 4096_u32);
    super::recipes::pair(&first, &shard(1, 2, 2).kv("llama.context_length", 8192_u32))
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use super::recipes::shard;
    let first = shard(0, 2, 2).kv("llama.context_length", 4096_u32);
    super::recipes::pair(&first, &shard(1, 2, 2).kv("llama.context_length", 4096_u32))
}
