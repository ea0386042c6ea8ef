//! A line that a person types.

use ggufkit::format::spec::Text;

use crate::words;

/// What is typed is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    Search,
    Filter,
    Goto,
}

/// A line being typed.
#[derive(Clone, Debug)]
pub(crate) struct Prompt {
    pub(crate) purpose: Purpose,
    pub(crate) text: String,
}

/// Characters that a line may have.
const LONGEST: usize = 200;

impl Prompt {
    pub(crate) const fn new(purpose: Purpose, text: String) -> Self {
        Self { purpose, text }
    }

    pub(crate) const fn label(&self) -> Text {
        match self.purpose {
            Purpose::Search => words::SEARCH,
            Purpose::Filter => words::FILTER,
            Purpose::Goto => words::GOTO,
        }
    }

    pub(crate) fn push(&mut self, typed: char) {
        if !typed.is_control() && self.text.chars().count() < LONGEST {
            self.text.push(typed);
        }
    }
}

/// A position: `500`, `0x1f4`. One that no file has room for is the last there is.
pub(crate) fn position(text: &str) -> Option<u64> {
    let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    match u64::from_str_radix(digits, radix) {
        Ok(at) => Some(at),
        Err(error) => (*error.kind() == std::num::IntErrorKind::PosOverflow).then_some(u64::MAX),
    }
}

/// The bytes that are looked for: those of the text, or after `0x` those of its digits.
pub(crate) fn pattern(text: &str) -> Vec<u8> {
    let digits: Option<String> =
        text.strip_prefix("0x").map(|digits| digits.chars().filter(|c| *c != ' ').collect());
    let even =
        digits.filter(|digits| digits.len() >= 2 && digits.len().is_multiple_of(2) && digits.is_ascii());
    let bytes = even.and_then(|digits| {
        let pairs = (0..digits.len()).step_by(2);
        pairs.map(|at| u8::from_str_radix(digits.get(at..at.saturating_add(2))?, 16).ok()).collect()
    });
    bytes.unwrap_or_else(|| text.as_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_bytes_and_everything_else_is_text() {
        assert_eq!(pattern("0x47475546"), b"GGUF");
        assert_eq!(pattern("0x47 47"), b"GG");
        assert_eq!(pattern("0x4"), b"0x4");
        assert_eq!(pattern("0xzz"), b"0xzz");
        assert_eq!(pattern("模"), "模".as_bytes());
        assert_eq!(position("0x1f4"), Some(500));
        assert_eq!(position("500"), Some(500));
        assert_eq!(position("99999999999999999999999"), Some(u64::MAX));
        assert_eq!(position("0x"), None);
        assert_eq!(position("llama"), None);
    }
}
