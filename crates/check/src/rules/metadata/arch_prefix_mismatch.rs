use std::collections::BTreeMap;

use ggufkit_format::spec::arch;
use ggufkit_format::{Element, KvPart, shorten};

use crate::facts::{Facts, Record};
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Keys begin with the name of another architecture than the file's.
    ///
    /// An engine puts `general.architecture` in front of the names of its keys: in a `qwen2` file it asks for
    /// `qwen2.context_length` and never looks at `llama.context_length`. Required keys are missing then, and llama.cpp refuses
    /// the file ("key not found in model"); optional ones fall back to their defaults. The usual cause is an architecture that
    /// was renamed by an editor without its keys, or metadata copied from another model.
    ///
    /// Decide which of the two is right and rename the other. Keys of a model within the model belong under its own prefix.
    GG126 "arch-prefix-mismatch" Metadata Warning: "keys belong to another architecture than the file's"
        "键属于另一种架构，而不是文件所写的架构"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let Some(place) = facts.key("general.architecture") else { return };
    let Some(own) = facts.architecture().filter(|own| !own.is_empty()) else { return };
    let mut others: BTreeMap<&str, (Record<'_>, u64)> = BTreeMap::new();
    for (record, info) in facts.known() {
        if !info.pattern.starts_with("{arch}.") {
            continue;
        }
        let first = record.key().0.split(|&byte| byte == b'.').next().unwrap_or_default();
        let Ok(first) = core::str::from_utf8(first) else { continue };
        if first != own && arch::is_known(first) {
            others.entry(first).or_insert((*record, 0)).1 += 1;
        }
    }
    for (first, (record, count)) in others {
        sink.add(&RULE, || {
            let keys = if count == 1 { "1 key begins".to_owned() } else { format!("{count} keys begin") };
            let message = format!(
                "{keys} with \"{}.\", but the architecture is \"{}\"",
                shorten(first.as_bytes(), 40),
                shorten(own.as_bytes(), 40)
            );
            let text = if count == 1 { "nothing reads this key" } else { "nothing reads this key and the others" };
            let primary = record.label(KvPart::Key).text(text);
            let cause = facts.kv_label(&place, KvPart::Value(Element::Whole)).text("the file's architecture");
            Finding::new(&RULE, message, primary)
                .because(cause)
                .note("an engine asks only for keys that begin with the file's own architecture")
                .help("correct general.architecture, or rename the keys")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new()
        .kv("general.architecture", "qwen2")
        .kv("llama.context_length", 4096_u32)
        .kv("llama.block_count", 2_u32)
        .into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new()
        .kv("general.architecture", "qwen2")
        .kv("qwen2.context_length", 4096_u32)
        .kv("ours.block_count", 2_u32)
        .into()
}
