//! Patterns for names: `blk.*.attn_?.weight`.
//!
//! Names are bytes, so patterns are matched over bytes; where they are UTF-8, `?` and classes take one character.
//! Matching never takes more steps than the lengths of pattern and name multiplied, whatever the pattern.

use std::fmt;

/// A pattern that a whole name must match.
///
/// `*` stands for any text (none too, dots too), `?` for one character, `[a-z]` for one of a class, `[!a-z]` or
/// `[^a-z]` for one that is not in it. `\` takes the next character as it is. Upper and lower case differ.
///
/// ```
/// use ggufkit_inspect::glob::Glob;
///
/// let glob = Glob::new("blk.[0-3].attn_*.weight")?;
/// assert!(glob.matches(b"blk.2.attn_q.weight"));
/// assert!(!glob.matches(b"blk.12.attn_q.weight"));
/// # Ok::<(), ggufkit_inspect::glob::GlobError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Glob {
    tokens: Vec<Token>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Token {
    /// This byte.
    Byte(u8),
    /// Any one character.
    One,
    /// Any text.
    Many,
    /// One character that is in the ranges, or in none of them.
    Class { inverted: bool, ranges: Vec<(char, char)> },
}

/// Why a pattern is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GlobError {
    /// A `[` without its `]`.
    OpenClass {
        /// Position of the `[` in the pattern, in bytes.
        at: usize,
    },
    /// A range whose end comes before its start.
    BackwardRange {
        /// Position of the range in the pattern, in bytes.
        at: usize,
        /// Its start.
        from: char,
        /// Its end.
        to: char,
    },
    /// A `\` with nothing after it.
    LoneEscape {
        /// Position of the `\` in the pattern, in bytes.
        at: usize,
    },
}

impl fmt::Display for GlobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OpenClass { at } => {
                write!(f, "the [ at position {at} has no ] (write \\[ for the character itself)")
            }
            Self::BackwardRange { at, from, to } => write!(
                f,
                "the range {}-{} at position {at} runs backwards",
                from.escape_default(),
                to.escape_default()
            ),
            Self::LoneEscape { at } => write!(f, "the \\ at position {at} has nothing after it"),
        }
    }
}

impl std::error::Error for GlobError {}

impl Glob {
    /// Reads a pattern.
    ///
    /// # Errors
    /// A class without its end, a backward range, a lone `\`.
    pub fn new(pattern: &str) -> Result<Self, GlobError> {
        let mut tokens = Vec::new();
        let mut chars = pattern.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                // Several stars say no more than one.
                '*' if tokens.last() == Some(&Token::Many) => {}
                '*' => tokens.push(Token::Many),
                '?' => tokens.push(Token::One),
                '[' => tokens.push(class(&mut chars, at)?),
                '\\' => literal(chars.next().ok_or(GlobError::LoneEscape { at })?.1, &mut tokens),
                c => literal(c, &mut tokens),
            }
        }
        Ok(Self { tokens })
    }

    /// Whether the pattern matches the whole of a name.
    #[must_use]
    pub fn matches(&self, name: &[u8]) -> bool {
        let tokens = self.tokens.as_slice();
        let (mut token, mut at) = (0, 0);
        // Where to go on when a match fails: after the last star, which then takes one character more. Earlier stars
        // need no second look, since the last one can take over whatever they would.
        let mut retry: Option<(usize, usize)> = None;
        loop {
            let rest = name.get(at..).unwrap_or_default();
            let step = match tokens.get(token) {
                Some(Token::Many) => {
                    token += 1;
                    retry = Some((token, at));
                    continue;
                }
                Some(one) => one.takes(rest),
                None if rest.is_empty() => return true,
                None => None,
            };
            if let Some(bytes) = step {
                token += 1;
                at += bytes;
                continue;
            }
            match retry {
                Some((after, from)) if from < name.len() => {
                    let from = from + first(name.get(from..).unwrap_or_default()).1;
                    retry = Some((after, from));
                    (token, at) = (after, from);
                }
                _ => return false,
            }
        }
    }
}

impl std::str::FromStr for Glob {
    type Err = GlobError;

    fn from_str(pattern: &str) -> Result<Self, GlobError> {
        Self::new(pattern)
    }
}

impl Token {
    /// The number of bytes that this token takes from the start of `rest`; `None` when it does not match.
    fn takes(&self, rest: &[u8]) -> Option<usize> {
        let (c, len) = match self {
            Self::Byte(byte) => return (rest.first() == Some(byte)).then_some(1),
            _ if rest.is_empty() => return None,
            _ => first(rest),
        };
        match self {
            Self::Class { inverted, ranges } => {
                let within = c.is_some_and(|c| ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)));
                (within != *inverted).then_some(len)
            }
            _ => Some(len),
        }
    }
}

/// The first character and its length; of bytes that are not UTF-8, one byte that is no character.
fn first(bytes: &[u8]) -> (Option<char>, usize) {
    let start = bytes.get(..4).unwrap_or(bytes);
    let valid = match core::str::from_utf8(start) {
        Ok(text) => text,
        Err(error) => {
            let valid = start.get(..error.valid_up_to()).unwrap_or_default();
            core::str::from_utf8(valid).unwrap_or_default()
        }
    };
    match valid.chars().next() {
        Some(c) => (Some(c), c.len_utf8()),
        None => (None, 1),
    }
}

fn literal(c: char, tokens: &mut Vec<Token>) {
    let mut buffer = [0; 4];
    tokens.extend(c.encode_utf8(&mut buffer).bytes().map(Token::Byte));
}

/// Reads a class from after its `[`.
fn class(chars: &mut std::str::CharIndices<'_>, start: usize) -> Result<Token, GlobError> {
    let open = GlobError::OpenClass { at: start };
    let mut peek = chars.clone();
    let inverted = matches!(peek.next(), Some((_, '!' | '^')));
    if inverted {
        chars.next();
    }
    let mut ranges = Vec::new();
    loop {
        let (at, c) = chars.next().ok_or(open)?;
        let from = match c {
            // A ] that stands first is one of the class.
            ']' if !ranges.is_empty() => return Ok(Token::Class { inverted, ranges }),
            '\\' => chars.next().ok_or(open)?.1,
            c => c,
        };
        let mut ahead = chars.clone();
        let to = match (ahead.next(), ahead.next()) {
            (Some((_, '-')), Some((_, to))) if to != ']' => {
                *chars = ahead;
                if to == '\\' { chars.next().ok_or(open)?.1 } else { to }
            }
            _ => from,
        };
        if to < from {
            return Err(GlobError::BackwardRange { at, from, to });
        }
        ranges.push((from, to));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, name: impl AsRef<[u8]>) -> bool {
        Glob::new(pattern).unwrap().matches(name.as_ref())
    }

    #[test]
    fn wildcards_take_what_they_say() {
        for (pattern, name, expected) in [
            ("", "", true),
            ("", "a", false),
            ("*", "", true),
            ("*", "blk.0.attn_q.weight", true),
            ("blk.*", "blk.", true),
            ("blk.*.weight", "blk.0.attn_q.weight", true),
            ("blk.*.weight", "blk.0.attn_q.bias", false),
            ("*q*k*", "aqbkc", true),
            ("*q*k*", "akbqc", false),
            ("a*b*c", "a1b2b3c", true),
            ("a**b", "ab", true),
            ("?", "", false),
            ("?", "a", true),
            ("?", "ab", false),
            ("??", "中文", true),
            ("???", "中文", false),
            ("*文", "中文", true),
            ("*?文", "中文", true),
            ("A", "a", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} on {name}");
        }
    }

    #[test]
    fn classes_and_escapes() {
        for (pattern, name, expected) in [
            ("blk.[0-9].x", "blk.7.x", true),
            ("blk.[0-9].x", "blk.17.x", false),
            ("[abc]", "b", true),
            ("[!abc]", "b", false),
            ("[^abc]", "d", true),
            ("[!abc]", "", false),
            ("[]]", "]", true),
            ("[!]]", "]", false),
            ("[a-]", "-", true),
            ("[-a]", "-", true),
            ("[\\]x]", "]", true),
            ("[α-ω]", "λ", true),
            ("[*?]", "x", false),
            ("[*?]", "?", true),
            ("\\*", "*", true),
            ("\\*", "x", false),
            ("\\[a]", "[a]", true),
            ("a]", "a]", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} on {name}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_matched_one_by_one() {
        assert!(matches("a?b", b"a\xffb"));
        assert!(matches("*b", b"\xff\xfeb"));
        assert!(!matches("[a-z]", b"\xff"));
        assert!(matches("[!a-z]", b"\xff"));
        // The first half of a character of three bytes.
        assert!(matches("??", b"\xe4\xb8"));
    }

    #[test]
    fn what_is_no_pattern_says_where() {
        for (pattern, error) in [
            ("ab[c", GlobError::OpenClass { at: 2 }),
            ("[", GlobError::OpenClass { at: 0 }),
            ("[]", GlobError::OpenClass { at: 0 }),
            ("[a\\", GlobError::OpenClass { at: 0 }),
            ("x[z-a]", GlobError::BackwardRange { at: 2, from: 'z', to: 'a' }),
            ("ab\\", GlobError::LoneEscape { at: 2 }),
        ] {
            assert_eq!(Glob::new(pattern), Err(error), "{pattern}");
        }
    }

    #[test]
    fn hostile_patterns_take_no_more_than_the_product_of_the_lengths() {
        // 3,000 stars on 30,000 characters that never match: a matcher that goes back to every star does not end.
        let pattern = format!("{}b", "a*".repeat(3000));
        assert!(!matches(&pattern, "a".repeat(30_000)));
        let pattern = format!("{}b", "*?".repeat(1000));
        assert!(!matches(&pattern, "a".repeat(30_000)));
        assert!(matches(&"*".repeat(100_000), "a".repeat(100_000)));
    }
}
