//! Pieces that many answers are made of.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ggufkit_format::{Payload, Span, is_safe};
use ggufkit_inspect::json::non_finite;
use serde::{Serialize, Serializer};

/// A number that may be none of JSON's.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Num(pub(super) f64);

impl Num {
    /// A float by the digits that tell it apart, so that 0.1 is not 0.10000000149011612.
    pub(super) fn single(value: f32) -> Self {
        Self(value.to_string().parse().unwrap_or(f64::from(value)))
    }

    /// The same of a double that is a float's; another one as it is.
    pub(super) fn shortest(value: f64) -> Self {
        let float = value as f32;
        if f64::from(float) == value { Self::single(float) } else { Self(value) }
    }

    /// A number that may be absent, which is told as NaN.
    pub(super) fn or_nan(value: Option<f64>) -> Self {
        Self(value.unwrap_or(f64::NAN))
    }
}

impl Serialize for Num {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            value if value.is_finite() => serializer.serialize_f64(value),
            value => serializer.serialize_str(non_finite(value)),
        }
    }
}

/// Bytes of a file of the session.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub(super) struct Place {
    pub(super) file: usize,
    pub(super) start: u64,
    pub(super) end: u64,
}

impl Place {
    pub(super) fn new(file: usize, span: Span) -> Self {
        Self { file, start: span.start, end: span.end() }
    }
}

/// Bytes in base64.
pub(super) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Text of a file with its lines: what would act or hide is escaped, line ends and tabs stay.
pub(super) fn readable(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\n' | '\t' => out.push(c),
                '\r' => out.push_str("\\r"),
                c if is_safe(c) => out.push(c),
                c if c.is_ascii() => out.push_str(&format!("\\x{:02x}", u32::from(c))),
                c => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            }
        }
        for byte in chunk.invalid() {
            out.push_str(&format!("\\x{byte:02x}"));
        }
    }
    out
}

/// The type of a value as the page writes it: `u32`, `string`, `array[string]`.
pub(super) fn type_of(payload: &Payload, name: String) -> String {
    match payload {
        Payload::Array(array) => format!("array[{}]", array.element_type),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_none_of_json_are_text() {
        assert_eq!(serde_json::to_string(&Num(f64::NAN)).unwrap(), "\"NaN\"");
        assert_eq!(serde_json::to_string(&Num::single(0.1)).unwrap(), "0.1");
    }

    #[test]
    fn text_keeps_its_lines_and_nothing_that_acts() {
        assert_eq!(readable(b"a\n\tb\x1b[0m\r\xff"), "a\n\tb\\x1b[0m\\r\\xff");
        assert_eq!(readable("{{ x }}\u{202e}".as_bytes()), "{{ x }}\\u{202e}");
    }
}
