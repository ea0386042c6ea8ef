use ggufkit_format::{KvPart, shorten};

use crate::facts::Facts;
use crate::finding::{Change, Finding, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A key occurs twice in the metadata.
    ///
    /// Readers disagree on which value counts: llama.cpp and gguf-py refuse the file, JavaScript and Go readers keep the
    /// last value, this one the first. So what a person is shown need not be what an engine uses.
    ///
    /// Decide which value is right and remove the others. `gguf get --all FILE KEY` shows them, and
    /// `gguf repair --duplicates keep-first` or `keep-last` leaves one.
    GG103 "duplicate-key" Metadata Error: "a key occurs more than once"
        "同一个键出现多次"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for [first, place] in facts.duplicate_keys() {
        sink.add(&RULE, || {
            let view = place.part.view;
            let key = view.key(place.record);
            let message = format!("the key \"{}\" occurs more than once", shorten(key.0, 80));
            let primary = facts.kv_label(&place, KvPart::Key).text("it occurs here again");
            let finding = Finding::new(&RULE, message, primary)
                .note("llama.cpp and gguf-py refuse the file; other readers keep the first or the last value")
                .help("`gguf get --all FILE KEY` shows the values; `gguf repair FILE -o OUT --duplicates keep-first` (or keep-last) leaves one")
                .because(facts.kv_label(&first, KvPart::Key).text("first here"));
            let equal = first.record.value_type == place.record.value_type
                && view.bytes(first.record.value_span) == view.bytes(place.record.value_span);
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

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::time::{Duration, Instant};

    use crate::testing::Recipe;
    use crate::{Baseline, Options};

    #[test]
    fn very_many_keys_that_occur_twice_are_judged_at_once() {
        let count = 50_000_u32;
        let keys = |file: ggufkit_testkit::Builder| {
            (0..count).fold(file, |file, n| file.kv(format!("general.{n}"), n))
        };
        let file: Recipe = keys(keys(ggufkit_testkit::Builder::new())).into();
        let mut options = Options::default();
        options.selection.select(super::RULE.name).unwrap();
        for _ in 0..2 {
            let start = Instant::now();
            let baseline = file.judge(&options, |report, subject| {
                let found = report.findings.iter().filter(|finding| finding.rule.code == super::RULE.code);
                for finding in found.clone() {
                    let (first, again) = (&finding.secondary[0], &finding.primary);
                    assert_eq!(first.name, again.name);
                    assert!(first.span.start < again.span.start);
                }
                let more = report.left_out.iter().filter(|more| more.rule.code == super::RULE.code);
                let said = found.count() as u64 + more.map(|more| more.more).sum::<u64>() + report.known;
                assert_eq!(said, u64::from(count));
                let mut baseline = Baseline::default();
                baseline.extend(report, subject);
                baseline
            });
            // A search for each of them takes minutes.
            assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
            options.baseline = Some(baseline);
        }
    }
}
