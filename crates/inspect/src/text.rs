//! Text of the file in answers that stay small.

use core::fmt;

use ggufkit_format::{ByteStr, Escaped, Value, is_safe, shorten};
use serde::ser::{Serialize, SerializeMap as _, Serializer};

use crate::json::JsonText;
use crate::units;

/// Bytes of a text that an answer keeps.
const MAX: usize = 4096;

/// Text of the file. In JSON it is a string, `{"bytes": base64}` where it is not UTF-8, and
/// `{"start": ..., "length": bytes}` where it is longer than 4096 bytes, which no name is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Text<'a>(pub ByteStr<'a>);

impl<'a> Text<'a> {
    /// The bytes as they stand in the file, all of them.
    #[must_use]
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.0.0
    }

    /// The text for a person's eyes, harmless, all of it.
    #[must_use]
    pub const fn display(&self) -> Escaped<'a> {
        Escaped(self.0.0)
    }

    /// At most `max` characters for a person's eyes.
    #[must_use]
    pub fn short(&self, max: usize) -> String {
        shorten(self.0.0, max)
    }
}

/// A sentence of ours that may hold text of the file: whatever was put into it, no character of it acts on a terminal.
///
/// Where a name stands in a sentence it is shortened there ([`shorten`]); this is the wall behind that.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Words(String);

impl Words {
    /// The sentence.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for Words {
    fn from(text: String) -> Self {
        if text.chars().all(is_safe) {
            return Self(text);
        }
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            match is_safe(c) {
                true => out.push(c),
                false => out.push_str(&shorten(c.encode_utf8(&mut [0; 4]).as_bytes(), usize::MAX)),
            }
        }
        Self(out)
    }
}

impl From<&str> for Words {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl Serialize for Words {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes = self.as_bytes();
        if bytes.len() <= MAX {
            return JsonText(self.0).serialize(serializer);
        }
        // No character of UTF-8 is cut.
        let end =
            (MAX - 3..=MAX).rev().find(|&at| bytes.get(at).is_none_or(|b| b & 0xc0 != 0x80)).unwrap_or(MAX);
        let start = bytes.get(..end).unwrap_or_default();
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("start", &JsonText(ByteStr(start)))?;
        map.serialize_entry("length", &bytes.len())?;
        map.end()
    }
}

/// A value as one line of text, in about so many characters, harmless; and whether some of it was left out. A string stands
/// without quotation marks, as what it says.
#[must_use]
pub fn one_line(value: &Value<'_>, most: usize) -> (String, bool) {
    match value {
        Value::Scalar(scalar) => (units::scalar_text(*scalar), false),
        Value::String(text) => {
            let shown = shorten(text.0, most);
            let cut = shown.ends_with('…') && !text.to_str().is_some_and(|text| text.ends_with('…'));
            (shown, cut || text.0.len() > most.saturating_mul(16))
        }
        Value::Array(array) => {
            const FIRST: usize = 8;
            let each = (most / FIRST).clamp(8, 60);
            let (mut parts, mut cut) = (Vec::new(), array.len() > FIRST as u64);
            for element in array.iter().take(FIRST) {
                let (text, short) = match &element {
                    // Arrays in arrays are opened one by one.
                    Value::Array(inner) => (format!("[{}; {}]", inner.element_type(), inner.len()), true),
                    Value::String(text) => (format!("\"{}\"", shorten(text.0, each)), text.0.len() > each),
                    other => one_line(other, each),
                };
                cut |= short;
                parts.push(text);
            }
            if array.len() > parts.len() as u64 {
                parts.push("…".to_owned());
            }
            (format!("[{}]", parts.join(", ")), cut)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(bytes: &[u8]) -> String {
        let mut out = Vec::new();
        crate::json::write(&mut out, &Text(ByteStr(bytes)), false).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn nothing_in_a_sentence_acts() {
        let hostile = Words::from(format!("{} is {}", "a\u{1b}[2J\u{202e}b\n\u{9b}", shorten(b"\x1b\\", 9)));
        assert_eq!(hostile.to_string(), "a\\x1b[2J\\u{202e}b\\n\\u{9b} is \\x1b\\\\");
        assert_eq!(Words::from("中文 \\n").as_str(), "中文 \\n");
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(json(b"abc"), "\"abc\"");
        // 4095 = 1 + 3 * 1365 - 1: with one letter in front, the 1365th character ends at byte 4096.
        let long = format!("a{}", "中".repeat(2000));
        let expected = format!("{{\"start\":\"a{}\",\"length\":6001}}", "中".repeat(1365));
        assert_eq!(json(long.as_bytes()), expected);
        let long = "中".repeat(2000);
        assert_eq!(json(long.as_bytes()), format!("{{\"start\":\"{}\",\"length\":6000}}", "中".repeat(1365)));
    }
}
