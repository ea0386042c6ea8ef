use ggufkit_format::{KvPart, Span, shorten};

use crate::facts::Facts;
use crate::finding::{Change, Finding, Label, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A key holds a NUL byte.
    ///
    /// Strings in GGUF have a length and no terminator. A key with a NUL at its end is another key than the one without:
    /// `general.architecture\0` is not found by any look-up, and llama.cpp says that the key is missing although it
    /// prints it. Its C interface cuts the key at the NUL, so copies (gguf-split, quantize) lose what follows. An early
    /// quantizer wrote every string with its terminator.
    ///
    /// Cut the key at the NUL. Where text follows it, look at the record first: two keys may become one.
    GG107 "nul-in-key" Metadata Warning: "a key holds a NUL byte"
        "键含有 NUL 字节"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for record in facts.records() {
        let key = record.key();
        let Some(at) = key.0.iter().position(|&byte| byte == 0) else { continue };
        sink.add(&RULE, || {
            let (cut, tail) = key.0.split_at_checked(at).unwrap_or((key.0, &[]));
            let ends = tail.iter().all(|&byte| byte == 0);
            let whole = record.label(KvPart::Key);
            let span = Span::between(whole.span.start.saturating_add(at as u64), whole.span.end());
            let text = if ends { "counted as part of the key" } else { "cut off by readers that keep C strings" };
            let message = format!(
                "the key \"{}\" {} NUL byte",
                shorten(key.0, 80),
                if ends { "ends with a" } else { "holds a" }
            );
            let finding = Finding::new(&RULE, message, Label { span, ..whole }.text(text))
                .note(format!("look-ups of \"{}\" do not find it; C programs print the two alike", shorten(cut, 80)));
            let taken = facts.key(cut).is_some();
            match (cut.is_empty(), taken) {
                (true, _) => finding.help("remove the key-value, or give it a key"),
                (false, true) => finding.help("the key without the NUL is there too: remove one of them"),
                (false, false) => {
                    let safety = if ends { Safety::Safe } else { Safety::Unsafe };
                    let change = Change::SetKey { index: record.index as u64, key: cut.to_vec() };
                    finding
                        .help("`gguf repair FILE -o OUT` takes the NUL from keys, names and texts")
                        .fix(safety, format!("cut the key to \"{}\"", shorten(cut, 80)), change)
                }
            }
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("general.architecture\0", "llama").into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("general.architecture", "llama").into()
}
