//! Choosing names of keys and tensors: patterns, and the layer that a name tells.

use alloc::vec::Vec;
use core::fmt;

/// The layer that a tensor belongs to: the number after the first `blk` between dots, as in `blk.12.attn_q.weight`,
/// `v.blk.3.ln1.weight` or `enc.blk.0.ffn_up.weight`.
#[must_use]
pub fn layer_of(name: &[u8]) -> Option<u64> {
    let mut pieces = name.split(|&b| b == b'.').skip_while(|piece| *piece != b"blk").skip(1);
    let number = pieces.next().filter(|number| number.iter().all(u8::is_ascii_digit))?;
    // The number is followed by what it is the layer of.
    pieces.next()?;
    core::str::from_utf8(number).ok()?.parse().ok()
}

/// A pattern over names: `*` stands for any number of bytes (dots too), `?` for one character, `[a-c4]` and `[!a]` for one
/// character of a set or none of it, `\` takes the next character as it is. Upper and lower case differ.
///
/// ```
/// use ggufkit_format::glob::Glob;
///
/// let glob = Glob::new("blk.[0-3].attn_*.weight")?;
/// assert!(glob.matches(b"blk.2.attn_q.weight"));
/// assert!(!glob.matches(b"blk.12.attn_q.weight"));
/// assert!(!glob.is_name() && Glob::new("output.weight")?.is_name());
/// # Ok::<(), ggufkit_format::glob::GlobError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Glob(Vec<Token>);

#[derive(Clone, PartialEq, Eq, Debug)]
enum Token {
    /// This byte.
    Byte(u8),
    /// One character.
    One,
    /// One character within one of the ranges (or in none of them).
    Set { ranges: Vec<(char, char)>, not: bool },
    /// Anything.
    Many,
}

/// What is wrong with a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GlobError {
    /// A `[` without its `]`; the position of the `[` in bytes.
    OpenSet(usize),
    /// A range in a set that ends before it begins; the position of the `[` in bytes.
    BackwardRange(usize),
    /// A `\` at the end.
    OpenEscape,
}

impl fmt::Display for GlobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OpenSet(at) => {
                write!(f, "the [ at position {at} has no ] (write \\[ for the character itself)")
            }
            Self::BackwardRange(at) => {
                write!(f, "the set at position {at} has a range that ends before it begins")
            }
            Self::OpenEscape => f.write_str("the pattern ends with \\"),
        }
    }
}

impl core::error::Error for GlobError {}

impl Glob {
    /// Reads a pattern.
    ///
    /// # Errors
    /// A set or an escape that is not closed.
    pub fn new(pattern: &str) -> Result<Self, GlobError> {
        let mut tokens = Vec::new();
        let mut rest = pattern.chars();
        loop {
            let at = pattern.len().saturating_sub(rest.as_str().len());
            match rest.next() {
                None => break,
                Some('*') if tokens.last() == Some(&Token::Many) => {}
                Some('*') => tokens.push(Token::Many),
                Some('?') => tokens.push(Token::One),
                Some('[') => {
                    let (set, after) = set(rest.as_str(), at)?;
                    tokens.push(set);
                    rest = after.chars();
                }
                Some('\\') => push_literal(&mut tokens, rest.next().ok_or(GlobError::OpenEscape)?),
                Some(c) => push_literal(&mut tokens, c),
            }
        }
        Ok(Self(tokens))
    }

    /// Whether it stands for one name and no other.
    #[must_use]
    pub fn is_name(&self) -> bool {
        self.0.iter().all(|token| matches!(token, Token::Byte(_)))
    }

    /// Whether a whole name matches.
    #[must_use]
    pub fn matches(&self, name: &[u8]) -> bool {
        let mut tokens = self.0.as_slice();
        let mut rest = name;
        // Where to go back to: only the last star matters, so the work is at most pattern times name.
        let mut star: Option<(&[Token], &[u8])> = None;
        loop {
            let matched = match tokens.split_first() {
                None if rest.is_empty() => return true,
                None => None,
                Some((Token::Many, after)) => {
                    star = Some((after, rest));
                    tokens = after;
                    continue;
                }
                Some((Token::Byte(byte), after)) => match rest.split_first() {
                    Some((first, tail)) if first == byte => Some((after, tail)),
                    _ => None,
                },
                Some((token, after)) => {
                    first_char(rest).and_then(|(c, tail)| token.takes(c).then_some((after, tail)))
                }
            };
            match (matched, star) {
                (Some((after, tail)), _) => (tokens, rest) = (after, tail),
                (None, Some((after, from))) if !from.is_empty() => {
                    let from = from.get(1..).unwrap_or_default();
                    star = Some((after, from));
                    (tokens, rest) = (after, from);
                }
                (None, _) => return false,
            }
        }
    }
}

impl Token {
    /// Whether a single character, `None` for a byte that is none, is taken.
    fn takes(&self, c: Option<char>) -> bool {
        match self {
            Self::One => true,
            Self::Set { ranges, not } => {
                let inside = c.is_some_and(|c| ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)));
                inside != *not
            }
            Self::Byte(_) | Self::Many => false,
        }
    }
}

fn push_literal(tokens: &mut Vec<Token>, c: char) {
    let mut bytes = [0; 4];
    tokens.extend(c.encode_utf8(&mut bytes).bytes().map(Token::Byte));
}

/// The character at the start of `bytes` and what follows it; a byte that begins none stands for itself.
fn first_char(bytes: &[u8]) -> Option<(Option<char>, &[u8])> {
    let chunk = bytes.get(..4).unwrap_or(bytes).utf8_chunks().next()?;
    match chunk.valid().chars().next() {
        Some(c) => Some((Some(c), bytes.get(c.len_utf8()..)?)),
        None => Some((None, bytes.get(1..)?)),
    }
}

/// Reads a set behind its `[`; returns what follows its `]`.
fn set(text: &str, at: usize) -> Result<(Token, &str), GlobError> {
    let mut rest = text;
    let not = match rest.strip_prefix(['!', '^']) {
        Some(after) => {
            rest = after;
            true
        }
        None => false,
    };
    let mut ranges = Vec::new();
    loop {
        let mut chars = rest.chars();
        let from = chars.next().ok_or(GlobError::OpenSet(at))?;
        // A `]` that comes first is a member.
        if from == ']' && !ranges.is_empty() {
            break;
        }
        rest = chars.as_str();
        let mut to = from;
        let mut ahead = rest.chars();
        if ahead.next() == Some('-')
            && let Some(end) = ahead.next().filter(|end| *end != ']')
        {
            to = end;
            rest = ahead.as_str();
        }
        if to < from {
            return Err(GlobError::BackwardRange(at));
        }
        ranges.push((from, to));
    }
    Ok((Token::Set { ranges, not }, rest.get(1..).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, yes, no) in [
            ("", &[""][..], &["a"][..]),
            ("*", &["", "a", "a.b"], &[]),
            ("blk.0.*", &["blk.0.", "blk.0.a.b"], &["blk.01.a", "xblk.0.a"]),
            ("*.weight", &["a.weight", ".weight", "a.weight.weight"], &["weight", "a.weights"]),
            ("a**b", &["ab", "axxb"], &["a", "b"]),
            ("blk.?.x", &["blk.7.x", "blk.中.x"], &["blk.10.x", "blk..x"]),
            ("[a-c4]", &["a", "b", "4"], &["d", "", "ab"]),
            ("[!a-c]", &["d", "中"], &["a", ""]),
            ("[^a]x", &["bx"], &["ax"]),
            ("[]a]", &["]", "a"], &["b"]),
            ("[a-]", &["a", "-"], &["b"]),
            ("[α-γ]", &["β"], &["δ", "a"]),
            (r"\*\[", &["*["], &["a[", "*"]),
            ("*a*b*c", &["abc", "xaxbxc", "aabbcc"], &["acb", "abcx"]),
        ] {
            let glob = Glob::new(pattern).unwrap();
            for name in yes {
                assert!(glob.matches(name.as_bytes()), "{pattern} and {name}");
            }
            for name in no {
                assert!(!glob.matches(name.as_bytes()), "{pattern} and {name}");
            }
        }
    }

    #[test]
    fn names_that_are_not_utf8_match_byte_by_byte() {
        let glob = Glob::new("a?*").unwrap();
        assert!(glob.matches(b"a\xff"));
        assert!(!Glob::new("a?").unwrap().matches(b"a\xe4\xb8"), "two bytes that are no character");
        assert!(Glob::new("[!b]").unwrap().matches(b"\xff"));
        assert!(!Glob::new("[a-z]").unwrap().matches(b"\xff"));
    }

    #[test]
    fn patterns_that_are_not_closed_are_errors() {
        assert_eq!(Glob::new("ab[c"), Err(GlobError::OpenSet(2)));
        assert_eq!(Glob::new("[]"), Err(GlobError::OpenSet(0)));
        assert_eq!(Glob::new("é[z-a]"), Err(GlobError::BackwardRange(2)));
        assert_eq!(Glob::new("a\\"), Err(GlobError::OpenEscape));
    }

    #[test]
    fn a_pattern_of_many_stars_costs_no_more_than_its_length_times_the_names() {
        let glob = Glob::new(&"*a".repeat(500)).unwrap();
        assert!(!glob.matches("a".repeat(499).as_bytes()));
        let mut name = "a".repeat(20_000);
        name.push('b');
        assert!(!glob.matches(name.as_bytes()));
    }

    #[test]
    fn layers_are_the_numbers_behind_blk() {
        for (name, layer) in [
            ("blk.0.attn_q.weight", Some(0)),
            ("blk.123.ffn", Some(123)),
            ("v.blk.3.ln1.weight", Some(3)),
            ("enc.blk.07.x", Some(7)),
            ("blk.12", None),
            ("blk.x.weight", None),
            ("blk..weight", None),
            ("blks.1.weight", None),
            ("output.weight", None),
            ("blk.99999999999999999999.x", None),
            ("", None),
        ] {
            assert_eq!(layer_of(name.as_bytes()), layer, "{name}");
        }
    }
}
