//! Values as text for people: pieces, each harmless, each with its colour, what is left out marked by a piece of its
//! own.

use std::ops::ControlFlow;

use ggufkit::format::spec::keys;
use ggufkit::format::{ByteStr, Escaped, Value};
use ggufkit::inspect::dump::KvEntry;
use ggufkit::inspect::units;

use crate::out::Ink;

/// How much is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Elements of an array.
    pub(super) elements: Option<u64>,
    /// Characters of a text.
    pub(super) characters: Option<u64>,
}

/// Takes the pieces one by one, until it has enough.
pub(super) type Sink<'s> = dyn FnMut(Ink, &str) -> ControlFlow<()> + 's;

/// Arrays inside arrays that are followed; no reader accepts more.
const DEEPEST: u32 = 64;

/// A key-value's value, and what is odd about it.
pub(super) fn entry(entry: &KvEntry<'_>, limits: Limits, sink: &mut Sink<'_>) -> ControlFlow<()> {
    // Spaces by the hundred tell less than their number.
    let room = match entry.value {
        Value::String(text) => keys::room(entry.key.0, text.0).filter(|bytes| *bytes > 0),
        _ => None,
    };
    match room {
        Some(bytes) => sink(Ink::Faint, &format!("{} bytes of room", units::count(bytes)))?,
        None => value(entry.value, limits, DEEPEST, sink)?,
    }
    if let Some(byte) = entry.odd_bool() {
        sink(Ink::Warn, &format!(" (the byte is {byte})"))?;
    }
    if entry.duplicate {
        sink(Ink::Warn, " (the key occurs again)")?;
    }
    ControlFlow::Continue(())
}

fn value(value: Value<'_>, limits: Limits, depth: u32, sink: &mut Sink<'_>) -> ControlFlow<()> {
    match value {
        Value::Scalar(one) => sink(Ink::Number, &units::scalar_text(one)),
        Value::String(text) => string(text, limits, sink),
        Value::Array(array) => {
            sink(Ink::Faint, "[")?;
            let shown = limits.elements.unwrap_or(u64::MAX).min(array.len());
            for (i, element) in (0..shown).zip(array.iter()) {
                if i > 0 {
                    sink(Ink::Faint, ", ")?;
                }
                match depth.checked_sub(1) {
                    Some(depth) => self::value(element, limits, depth, sink)?,
                    None => sink(Ink::Faint, "…")?,
                }
            }
            let more = array.len() - shown;
            if more > 0 {
                let comma = if shown > 0 { ", " } else { "" };
                sink(Ink::Faint, &format!("{comma}… {} more", units::count(more)))?;
            }
            sink(Ink::Faint, "]")
        }
    }
}

fn string(text: ByteStr<'_>, limits: Limits, sink: &mut Sink<'_>) -> ControlFlow<()> {
    let bytes = text.as_bytes();
    let shown = first_characters(bytes, limits.characters);
    // In blocks, so that a text of many megabytes is never held a second time; the quotes belong to the pieces beside.
    let (mut rest, mut open) = (shown, "\"");
    loop {
        let block = first_characters(rest, Some(1024));
        rest = rest.get(block.len()..).unwrap_or_default();
        let close = if rest.is_empty() { "\"" } else { "" };
        let escaped = Escaped(block).to_string().replace('"', "\\\"");
        sink(Ink::Text, &format!("{open}{escaped}{close}"))?;
        if rest.is_empty() {
            break;
        }
        open = "";
    }
    let more = bytes.len() - shown.len();
    if more > 0 {
        sink(Ink::Faint, &format!(" … {} more bytes", units::count(more as u64)))?;
    }
    if text.to_str().is_none() {
        sink(Ink::Warn, " (not UTF-8)")?;
    }
    ControlFlow::Continue(())
}

/// The bytes of at most so many characters; a byte that belongs to none counts as one.
fn first_characters(bytes: &[u8], max: Option<u64>) -> &[u8] {
    let Some(max) = max else { return bytes };
    let (mut end, mut left) = (0, max);
    while left > 0 && end < bytes.len() {
        let rest = bytes.get(end..).unwrap_or_default();
        // A character has at most 4 bytes, so it lies in them or these are not UTF-8.
        let window = rest.get(..4).unwrap_or(rest);
        let chunk = window.utf8_chunks().next();
        let valid = chunk.and_then(|chunk| chunk.valid().chars().next());
        end += valid.map_or(1, char::len_utf8);
        left -= 1;
    }
    bytes.get(..end).unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value_: Value<'_>, elements: Option<u64>, characters: Option<u64>) -> String {
        let mut out = String::new();
        let _ = value(value_, Limits { elements, characters }, DEEPEST, &mut |_, piece| {
            out.push_str(piece);
            ControlFlow::Continue(())
        });
        out
    }

    #[test]
    fn text_is_quoted_escaped_and_cut_with_a_mark_outside_the_quotes() {
        for (bytes, max, expected) in [
            (&b"plain"[..], None, r#""plain""#),
            (b"say \"hi\"\\\n", None, r#""say \"hi\"\\\n""#),
            (b"\x1b[31m", None, r#""\x1b[31m""#),
            (b"", Some(0), r#""""#),
            (b"abcdef", Some(6), r#""abcdef""#),
            (b"abcdef", Some(4), r#""abcd" … 2 more bytes"#),
            (b"abcdef", Some(0), r#""" … 6 more bytes"#),
            ("中文字符".as_bytes(), Some(2), r#""中文" … 6 more bytes"#),
            (b"a\xffb", Some(2), r#""a\xff" … 1 more bytes (not UTF-8)"#),
            ("…".as_bytes(), None, r#""…""#),
        ] {
            assert_eq!(text(Value::String(ByteStr(bytes)), None, max), expected);
        }
        // A character that lies over the edge of two blocks stays whole.
        let long = "a".repeat(1023) + "中文";
        assert_eq!(text(Value::String(ByteStr(long.as_bytes())), None, None), format!("\"{long}\""));
    }
}
