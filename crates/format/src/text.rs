//! Text that came from a file: bytes first, shown without harm.

use alloc::string::String;
use core::fmt::{self, Write as _};

/// A string of the file: its bytes, which need not be UTF-8.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ByteStr<'a>(pub &'a [u8]);

impl<'a> ByteStr<'a> {
    /// The bytes as they stand in the file.
    #[must_use]
    pub const fn as_bytes(self) -> &'a [u8] {
        self.0
    }

    /// The text, when the bytes are UTF-8.
    #[must_use]
    pub fn to_str(self) -> Option<&'a str> {
        simdutf8::basic::from_utf8(self.0).ok()
    }

    /// The text for a person's eyes: control characters, bidirectional controls and bytes that are not UTF-8 are
    /// escaped, so that no file can drive a terminal. See [`Escaped`].
    #[must_use]
    pub const fn display(self) -> Escaped<'a> {
        Escaped(self.0)
    }
}

impl fmt::Debug for ByteStr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.display())
    }
}

/// Writes bytes so that nothing in them can act on a terminal or hide from a reader.
///
/// `\n`, `\t`, `\r`, `\0` and `\\` are written as such; other C0 controls, DEL and bytes that are not UTF-8 as `\x1b`;
/// C1 controls, bidirectional and zero-width characters, line separators and tags as `\u{202e}`.
/// The escaped form is lossless: it names every byte.
#[derive(Clone, Copy)]
pub struct Escaped<'a>(pub &'a [u8]);

impl Escaped<'_> {
    /// Whether escaping changes anything.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        core::str::from_utf8(self.0).is_ok_and(|s| s.chars().all(|c| c != '\\' && is_safe(c)))
    }
}

/// Whether a character may be printed as it is: no control, no change of direction, nothing invisible.
#[must_use]
pub const fn is_safe(c: char) -> bool {
    !matches!(c,
        '\u{00}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a character is drawn upon the one before it: the marks of the blocks that hold nothing else, and selectors of variants.
const fn is_mark(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5bd}' | '\u{610}'..='\u{61a}'
        | '\u{64b}'..='\u{65f}' | '\u{93c}' | '\u{94d}' | '\u{e31}' | '\u{e34}'..='\u{e3a}'
        | '\u{e47}'..='\u{e4e}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}' | '\u{302a}'..='\u{302f}' | '\u{3099}' | '\u{309a}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}')
}

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // At its begin a mark would be drawn upon what stands before the text.
        let mut first = true;
        for chunk in self.0.utf8_chunks() {
            let mut plain = 0;
            let text = chunk.valid();
            for (at, c) in text.char_indices() {
                if c != '\\' && is_safe(c) && !(first && is_mark(c)) {
                    first = false;
                    continue;
                }
                f.write_str(text.get(plain..at).unwrap_or_default())?;
                plain = at.saturating_add(c.len_utf8());
                match c {
                    '\n' => f.write_str("\\n")?,
                    '\t' => f.write_str("\\t")?,
                    '\r' => f.write_str("\\r")?,
                    '\0' => f.write_str("\\0")?,
                    '\\' => f.write_str("\\\\")?,
                    c if c.is_ascii() => write!(f, "\\x{:02x}", u32::from(c))?,
                    c => write!(f, "\\u{{{:x}}}", u32::from(c))?,
                }
            }
            f.write_str(text.get(plain..).unwrap_or_default())?;
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        Ok(())
    }
}

/// At most `max` characters of the escaped form, with `…` where text was left out.
#[must_use]
pub fn shorten(bytes: &[u8], max: usize) -> String {
    // An escaped character comes from at least one byte, so this prefix holds enough for `max` characters.
    let prefix = bytes.get(..max.saturating_mul(4).saturating_add(4)).unwrap_or(bytes);
    let mut out = String::new();
    let _ = write!(out, "{}", Escaped(prefix));
    match out.char_indices().nth(max) {
        Some((cut, _)) => {
            let keep = out.char_indices().nth(max.saturating_sub(1)).map_or(cut, |(at, _)| at);
            out.truncate(keep);
            out.push('…');
        }
        None if prefix.len() < bytes.len() => out.push('…'),
        None => {}
    }
    out
}

/// Bytes as two hexadecimal digits each, with a space between them: `47 47 55 46`.
#[must_use]
pub fn spaced_hex(bytes: &[u8]) -> String {
    const DIGITS: [u8; 16] = *b"0123456789abcdef";
    let digit = |n: u8| DIGITS.get(usize::from(n & 15)).map_or('?', |&d| char::from(d));
    let mut out = String::with_capacity(bytes.len().saturating_mul(3));
    for byte in bytes {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push(digit(byte >> 4));
        out.push(digit(*byte));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn escapes_everything_that_acts_on_a_terminal() {
        for (bytes, shown) in [
            (&b"plain"[..], "plain"),
            (b"a\x1b[31mb", "a\\x1b[31mb"),
            (b"nul\0", "nul\\0"),
            // A mark belongs to the letter before it, and where there is none to nothing.
            ("e\u{301}".as_bytes(), "e\u{301}"),
            ("\u{301}\u{301}x\u{301}".as_bytes(), "\\u{301}\\u{301}x\u{301}"),
            (b"\xff\xcc\x81", "\\xff\\u{301}"),
            (b"back\\slash\n\t\r", "back\\\\slash\\n\\t\\r"),
            (b"\xff\xfe\xc3(", "\\xff\\xfe\\xc3("),
            ("\u{9b}31m".as_bytes(), "\\u{9b}31m"),
            ("\u{202e}gnp.exe".as_bytes(), "\\u{202e}gnp.exe"),
            ("\u{200b}\u{feff}\u{e0041}".as_bytes(), "\\u{200b}\\u{feff}\\u{e0041}"),
            ("\u{7f}".as_bytes(), "\\x7f"),
            ("中文 🙂 é".as_bytes(), "中文 🙂 é"),
        ] {
            assert_eq!(format!("{}", Escaped(bytes)), shown);
        }
    }

    #[test]
    fn a_character_cut_at_the_end_is_shown_by_its_bytes() {
        assert_eq!(format!("{}", Escaped(&"中".as_bytes()[..2])), "\\xe4\\xb8");
    }

    #[test]
    fn bytes_are_written_as_hexadecimal_digits() {
        assert_eq!(spaced_hex(b""), "");
        assert_eq!(spaced_hex(b"GGUF"), "47 47 55 46");
        assert_eq!(spaced_hex(&[0, 0x0f, 0xf0, 0xff]), "00 0f f0 ff");
    }

    #[test]
    fn shortening_counts_characters_and_marks_the_cut() {
        assert_eq!(shorten(b"abcdef", 6), "abcdef");
        assert_eq!(shorten(b"abcdefg", 6), "abcde…");
        assert_eq!(shorten("中文字符".as_bytes(), 3), "中文…");
    }
}
