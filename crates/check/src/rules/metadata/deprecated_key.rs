use ggufkit_format::spec::keys;
use ggufkit_format::{KvPart, shorten};

use super::kinds;
use crate::facts::Facts;
use crate::finding::{Change, Finding, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A key has a newer name, or never took hold.
    ///
    /// Old files keep working for as long as loaders know the old names, and some names were never read by any: the
    /// specification's `tokenizer.ggml.separator_token_id` is one, since llama.cpp reads the misspelt `seperator_token_id`.
    /// Newer programs drop old names without notice, and then the value is as good as absent: a fill-in-the-middle token
    /// is not found, a context is stretched by the wrong factor.
    ///
    /// Write the newer key, which the finding names. Where a program of that time still has to read the file, keep both.
    GG123 "deprecated-key" Metadata Note: "a key has been replaced by another"
        "键已被另一个键取代"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (record, info) in facts.known() {
        let Some(pattern) = info.deprecated else { continue };
        sink.add(&RULE, || {
            let key = record.key();
            let arch = key.0.split(|&byte| byte == b'.').next().unwrap_or_default();
            let newer = match pattern.strip_prefix("{arch}") {
                Some(rest) => [arch, rest.as_bytes()].concat(),
                None => pattern.as_bytes().to_vec(),
            };
            let shown = shorten(&newer, 80);
            let message = format!("\"{}\" has been replaced by \"{shown}\"", shorten(key.0, 80));
            let finding = Finding::new(&RULE, message, record.label(KvPart::Key).text("replaced"));
            if facts.key(&newer).is_some() {
                return finding.note("the newer key is there too, and counts for programs that know it");
            }
            let finding = finding.note("programs that only know the newer key do not see the value");
            // The value may go under the newer key only where it means the same there.
            let same = keys::lookup(&newer).is_some_and(|newer| newer.accepts(kinds::found(record)));
            match same && !info.pattern.ends_with("scale_linear") {
                true => finding.fix(
                    Safety::Unsafe,
                    format!("rename the key to \"{shown}\""),
                    Change::SetKey { index: record.index as u64, key: newer },
                ),
                false => finding.help(format!("say it with \"{shown}\", whose value is written in another way")),
            }
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("tokenizer.ggml.separator_token_id", 3_u32).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("tokenizer.ggml.seperator_token_id", 3_u32).into()
}
