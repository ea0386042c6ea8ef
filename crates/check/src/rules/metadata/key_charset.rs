use std::collections::HashSet;

use ggufkit_format::spec::keys;
use ggufkit_format::{KvPart, is_safe, shorten};

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

/// Prefixes after which any name may follow: names of templates and of tensors.
const OPEN: [&[u8]; 2] = [b"tokenizer.chat_template.", b"comfy.gguf."];

rule! {
    /// A key is not made of `lower_snake_case` segments joined by dots.
    ///
    /// The specification asks for ASCII keys like `general.source.url`. No reader holds files to it, so nothing refuses
    /// to load, and some well-known keys break the rule: named chat templates, and keys that carry a tensor's name. But
    /// upper case, blanks and other characters make keys hard to type, to query and to put into other formats, and two
    /// keys that differ only in case are taken for one by people and by case-insensitive stores.
    ///
    /// New keys are better written in lower case: `my_tool.calibration_set`, not `MyTool/Calibration Set`.
    GG104 "key-charset" Metadata Note: "a key is not lower_snake_case segments joined by dots"
        "键不是以点连接的 lower_snake_case 片段"
}

/// The first byte that does not belong there; where a segment is empty, the dot.
fn odd(key: &[u8]) -> Option<(usize, &'static str)> {
    let mut empty = true;
    for (at, &byte) in key.iter().enumerate() {
        match byte {
            b'.' if empty => return Some((at, "a segment before this dot is empty")),
            b'.' => empty = true,
            b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' => empty = false,
            b'A'..=b'Z' => return Some((at, "upper case")),
            b' ' => return Some((at, "a blank")),
            _ if byte >= 0x80 => return Some((at, "not ASCII")),
            _ => return Some((at, "neither a letter, a digit, an underscore nor a dot")),
        }
    }
    (empty && !key.is_empty()).then_some((key.len().saturating_sub(1), "the key ends with a dot"))
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let mut misspelt: Option<HashSet<(usize, usize)>> = None;
    for record in facts.records() {
        let key = record.key();
        let Some((at, what)) = odd(key.0) else { continue };
        // Known as it stands, or spoken about by the rules on controls, UTF-8 and spelling.
        let open = OPEN.iter().any(|prefix| key.0.starts_with(prefix));
        let other = key.to_str().is_none_or(|text| !text.chars().all(is_safe));
        if open || other || keys::lookup(key.0).is_some() {
            continue;
        }
        // The known key in another case is misspelt.
        if key.0.len() < 96 && keys::lookup(&key.0.to_ascii_lowercase()).is_some() {
            continue;
        }
        // So is one that differs otherwise: whoever rights it writes a key like others.
        let misspelt = misspelt.get_or_insert_with(|| {
            super::misspelt(facts).map(|(record, _)| (record.file, record.index)).collect()
        });
        if misspelt.contains(&(record.file, record.index)) {
            continue;
        }
        sink.add(&RULE, || {
            let whole = record.label(KvPart::Key);
            let start = whole.span.start.saturating_add(at as u64);
            let span = ggufkit_format::Span::new(start, 1);
            let primary = crate::finding::Label { span, ..whole }.text(what);
            let message = format!("the key \"{}\" is not lower_snake_case segments joined by dots", shorten(key.0, 80));
            Finding::new(&RULE, message, primary)
                .note("readers accept it; tools that query or export keys may not")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("my_tool.Calibration Set", "wiki").into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new()
        .kv("my-tool.calibration_set", "wiki")
        .kv("tokenizer.chat_template.RAG v2", "{{ x }}")
        .kv("comfy.gguf.orig_shape.Block.0/w", vec![1_i32])
        .into()
}

#[cfg(test)]
mod tests {
    use super::odd;

    #[test]
    fn segments_are_never_empty() {
        assert_eq!(odd(b"a.b_c.0"), None);
        assert_eq!(odd(b""), None);
        for (key, at) in [(&b".a"[..], 0), (b"a..b", 2), (b"a.", 1), (b".", 0), (b"a/b", 1), (b"\xc3\xa9", 0)] {
            assert_eq!(odd(key).map(|(at, _)| at), Some(at));
        }
    }
}
