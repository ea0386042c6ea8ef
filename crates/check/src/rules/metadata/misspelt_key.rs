use ggufkit_format::spec::{arch, keys};
use ggufkit_format::{KvPart, is_safe, shorten};

use crate::facts::{Facts, Record};
use crate::finding::{Change, Finding, Safety};
use crate::rule::{Severity, rule};
use crate::sink::Sink;

/// Unknown keys that are compared with the known ones. Honest files have few.
const COMPARED: usize = 200;

rule! {
    /// An unknown key differs from a known one by a typing error.
    ///
    /// Readers take no notice of keys that they do not know, so a misspelt key is as good as absent: an optional one falls
    /// back to its default (a rope base of 10000, no sliding window) and the model answers worse without a word; a required one
    /// makes llama.cpp say that a key is missing which is plain to see in a dump. A missing or wrong namespace
    /// (`block_count`, `general.block_count`) has the same effect. Keys in namespaces that nobody here knows are left alone.
    ///
    /// Rename the key if it was meant to be the known one. It is a note where more than one character differs.
    GG124 "misspelt-key" Metadata Warning: "an unknown key looks like a known one"
        "未知的键与某个已知的键很像"
}

/// Whether one is the other with a character too many, too few or wrong, or with two neighbours swapped.
fn one_edit(a: &[u8], b: &[u8]) -> bool {
    let start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (a.get(start..).unwrap_or_default(), b.get(start..).unwrap_or_default());
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let a = a.get(..a.len().saturating_sub(end)).unwrap_or_default();
    let b = b.get(..b.len().saturating_sub(end)).unwrap_or_default();
    match (a, b) {
        ([x, y], [z, w]) => x == w && y == z,
        _ => a.len() <= 1 && b.len() <= 1,
    }
}

/// The known key that was meant, with the file's architecture and the key's own numbers in the pattern.
fn meant(facts: &Facts<'_>, key: &[u8], pattern: &str) -> Option<Vec<u8>> {
    let dot = key.iter().position(|&byte| byte == b'.');
    let first = dot.and_then(|dot| key.get(..dot)).unwrap_or_default();
    let own = facts.architecture().unwrap_or_default().as_bytes();
    let prefix = if arch::is_known(core::str::from_utf8(first).ok()?) || own.is_empty() { first } else { own };
    let mut numbers = key.split(|&byte| byte == b'.').filter(|part| part.iter().all(u8::is_ascii_digit));
    let mut out = Vec::new();
    for (at, part) in pattern.split('.').enumerate() {
        if at > 0 {
            out.push(b'.');
        }
        out.extend_from_slice(match part {
            "{arch}" if prefix.is_empty() => part.as_bytes(),
            "{arch}" => prefix,
            "{i}" => numbers.next()?,
            "{name}" => return None,
            part => part.as_bytes(),
        });
    }
    Some(out)
}

/// Whether the namespace is one that is known here: the key is not some project's own.
fn is_ours(facts: &Facts<'_>, key: &[u8]) -> bool {
    let Some(dot) = key.iter().position(|&byte| byte == b'.') else { return true };
    let Some(first) = key.get(..dot).and_then(|first| core::str::from_utf8(first).ok()) else { return false };
    let namespaces = ["general", "tokenizer", "split", "quantize", "imatrix", "adapter", "controlvector", "clip"];
    let own = facts.architecture().is_some_and(|own| own == first);
    own || arch::is_known(first)
        || namespaces.iter().any(|name| name.eq_ignore_ascii_case(first) || one_edit(first.as_bytes(), name.as_bytes()))
}

/// Whether it can hardly be anything but an error: one character, the case, or the namespace left out.
fn is_close(key: &[u8], meant: &[u8]) -> bool {
    let bare = !key.contains(&b'.') && meant.strip_suffix(key).is_some_and(|first| first.ends_with(b"."));
    bare || one_edit(key, meant) || key.eq_ignore_ascii_case(meant)
}

fn suggestion(facts: &Facts<'_>, record: &Record<'_>) -> Option<Vec<u8>> {
    let key = record.key().0;
    let meant = meant(facts, key, keys::near(key, 1).first()?)?;
    // Where the known key is there as well, the other one is somebody's own.
    let digits = |key: &[u8]| key.iter().map(|byte| if byte.is_ascii_digit() { b'0' } else { *byte }).collect::<Vec<_>>();
    let other = facts.key(&meant).is_none() && digits(&meant) != digits(key);
    // Two edits make `date` of `name`.
    let word = meant.rsplit(|&byte| byte == b'.').next().unwrap_or_default();
    (other && (word.len() >= 8 || is_close(key, &meant))).then_some(meant)
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if !sink.wants(&RULE) {
        return;
    }
    // A required key that is misspelt is absent, and the rule that says so names the key that was meant for it.
    let missing = crate::rules::missing_keys(facts);
    for (record, meant) in misspelt(facts).filter(|(_, meant)| !missing.iter().any(|key| key.as_bytes() == meant)) {
        say(sink, &record, meant);
    }
}

/// Keys that are not known, each with the known one that was meant.
pub(in crate::rules) fn misspelt<'f, 'a>(
    facts: &'f Facts<'a>,
) -> impl Iterator<Item = (Record<'a>, Vec<u8>)> + use<'f, 'a> {
    let unknown = move |record: &Record<'_>| {
        let key = record.key().0;
        // NULs, controls and what is not UTF-8 have rules of their own.
        let plain = record.key().to_str().is_some_and(|text| text.chars().all(is_safe));
        !key.is_empty() && key.len() < 96 && plain && is_ours(facts, key) && keys::lookup(key).is_none()
    };
    let records = facts.records().filter(unknown).take(COMPARED);
    records.filter_map(|record| Some((record, suggestion(facts, &record)?)))
}

fn say(sink: &mut Sink<'_>, record: &Record<'_>, meant: Vec<u8>) {
    {
        let key = record.key().0;
        let severity = if is_close(key, &meant) { Severity::Warning } else { Severity::Note };
        sink.add_as(&RULE, severity, || {
            let shown = shorten(&meant, 80);
            let whole = meant.starts_with(b"{");
            let message = format!("\"{}\" is not a known key; was \"{shown}\" meant?", shorten(key, 80));
            let finding = Finding::new(&RULE, message, record.label(KvPart::Key).text("no reader asks for this key"))
                .note("readers take no notice of unknown keys: the value is as good as absent");
            match whole {
                true => finding.help("put the architecture's name and a dot in front of it"),
                false => finding.fix(
                    Safety::Unsafe,
                    format!("rename the key to \"{shown}\""),
                    Change::SetKey { index: record.index as u64, key: meant },
                ),
            }
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new()
        .kv("general.architecture", "llama")
        .kv("llama.contxt_length", 4096_u32)
        .into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new()
        .kv("general.architecture", "llama")
        .kv("llama.context_length", 4096_u32)
        .kv("llama.context_lengths", 4096_u32)
        .kv("ours.contxt_length", 1_u32)
        .kv("llama.my_setting", 1_u32)
        .into()
}

#[cfg(test)]
mod tests {
    use super::one_edit;

    #[test]
    fn one_edit_is_one_character_or_one_swap() {
        for (a, b, is) in [
            ("length", "lenght", true),
            ("length", "lengths", true),
            ("length", "ength", true),
            ("length", "lemgth", true),
            ("aab", "ab", true),
            ("length", "lengthes", false),
            ("length", "elnght", false),
        ] {
            assert_eq!(one_edit(a.as_bytes(), b.as_bytes()), is, "{a} {b}");
        }
    }
}
