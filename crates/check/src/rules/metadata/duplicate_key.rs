use ggufkit_format::{KvPart, shorten};

use crate::facts::{self, Facts};
use crate::finding::{Change, Finding, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A key occurs twice in the metadata.
    ///
    /// Readers disagree on which value counts: llama.cpp and gguf-py refuse the file, JavaScript and Go readers keep the
    /// last value, this one the first. So what a person is shown need not be what an engine uses.
    ///
    /// Decide which value is right and remove the others. `gguf get --all FILE KEY` shows each with its place.
    GG103 "duplicate-key" Metadata Error: "a key occurs more than once"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for place in facts.duplicate_keys() {
        sink.add(&RULE, || {
            let view = place.part.view;
            let key = view.key(place.record);
            let message = format!("the key \"{}\" occurs more than once", shorten(key.0, 80));
            let primary = facts.kv_label(&place, KvPart::Key).text("it occurs here again");
            let mut finding = Finding::new(&RULE, message, primary)
                .note("llama.cpp and gguf-py refuse the file; other readers keep the first or the last value")
                .help("remove all but one: `gguf get --all` shows the values");
            let before = view.kvs().enumerate().take(place.index).find(|(_, (other, _))| *other == key);
            let mut equal = false;
            if let Some((at, (_, first))) = before {
                let label = facts::kv_label(facts.file_of(place.file), &view, at, first, KvPart::Key);
                finding = finding.because(label.text("first here"));
                equal = first.value_type == place.record.value_type
                    && view.bytes(first.value_span) == view.bytes(place.record.value_span);
            }
            let (safety, title) = match equal {
                true => (Safety::Safe, "remove the repeated key, whose value is the same"),
                false => (Safety::Unsafe, "keep the first value and remove this one"),
            };
            finding.fix(safety, title, Change::RemoveKv { index: place.index as u64 })
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("llama.context_length", 4096_u32).kv("llama.context_length", 8192_u32).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("llama.context_length", 4096_u32).kv("llama.context_lengths", 8192_u32).into()
}
