//! A question for one value of the metadata: a key, and perhaps an element or a range of its array.
//!
//! ```text
//! general.name                 the value
//! tokenizer.ggml.tokens[3]     one element, counted from 0
//! tokenizer.ggml.tokens[-1]    the last one
//! tokenizer.ggml.tokens[10:20] a range, the end not included; either end may be left out
//! some.matrix[1][2]            an element of a nested array
//! ```
//!
//! Keys may hold any byte, brackets too, so the whole text is tried as a key before brackets are read as positions.
//! This module parses the question and finds the value in a value; where keys come from is the caller's matter.

mod near;
mod select;

use std::cell::OnceCell;
use std::fmt;

use ggufkit_format::{Escaped, is_safe};

pub use near::near;
pub use select::{SelectError, Selected, select};

/// Brackets that are read as positions at most; nesting deeper than any reader accepts needs no more.
const MOST_STEPS: usize = 64;

/// Bytes that one byte becomes at most when it is escaped: `\x1b`.
const LONGEST_ESCAPE: usize = 4;

/// A position in an array, from its start or from its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Position {
    /// Counted from 0.
    FromStart(u64),
    /// Counted back from the end: 1 is the last element.
    FromEnd(u64),
}

/// One pair of brackets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// `[3]`, `[-1]`.
    At(Position),
    /// `[10:20]`, `[:5]`, `[-5:]`, `[:]`; clipped to the array, as Python does.
    Range(Option<Position>, Option<Position>),
}

/// A parsed question.
///
/// ```
/// use ggufkit_inspect::query::Query;
/// let query = Query::new(b"tokenizer.ggml.tokens[3]");
/// assert_eq!(query.matches(b"tokenizer.ggml.tokens").map(<[_]>::len), Some(1));
/// assert_eq!(query.matches(b"tokenizer.ggml.tokens[3]").map(<[_]>::len), Some(0));
/// assert!(query.matches(b"tokenizer.ggml").is_none());
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Query {
    text: Vec<u8>,
    /// The steps at the end of the text, in reading order, each with the position of its opening bracket.
    steps: Vec<Step>,
    starts: Vec<usize>,
    /// The first backslash: without one before its end, no key is written escaped.
    escape: Option<usize>,
}

impl Query {
    /// Parses a question. Any text is one: brackets that name no position belong to the key.
    #[must_use]
    pub fn new(text: &[u8]) -> Self {
        let (mut steps, mut starts) = (Vec::new(), Vec::new());
        let mut rest = text;
        while let Some(inside) = rest.strip_suffix(b"]")
            && let Some(open) = inside.iter().rposition(|&b| b == b'[')
            && let Some(step) = inside.get(open + 1..).and_then(parse_step)
            && steps.len() < MOST_STEPS
        {
            steps.push(step);
            starts.push(open);
            rest = inside.get(..open).unwrap_or_default();
        }
        steps.reverse();
        starts.reverse();
        Self { text: text.to_owned(), steps, starts, escape: first_escape(text) }
    }

    /// A question for exactly this key, brackets and all.
    #[must_use]
    pub fn exact(key: &[u8]) -> Self {
        Self { text: key.to_owned(), steps: Vec::new(), starts: Vec::new(), escape: first_escape(key) }
    }

    /// The question as it was asked.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The key, if every pair of brackets at the end names a position.
    #[must_use]
    pub fn key(&self) -> &[u8] {
        self.starts.first().and_then(|&at| self.text.get(..at)).unwrap_or(&self.text)
    }

    /// If the question is about this key: the steps that lead into its value.
    ///
    /// A key also matches as it is shown, with its control characters escaped: some cannot be typed, and a NUL cannot
    /// even be passed on a command line.
    #[must_use]
    pub fn matches(&self, key: &[u8]) -> Option<&[Step]> {
        // Lengths first: a question may be long, and it is held against every key of a file. No way of escaping makes
        // a byte longer than four.
        let lengths = key.len()..=key.len().saturating_mul(LONGEST_ESCAPE);
        let escaped = OnceCell::new();
        let same = |asked: &[u8]| {
            asked == key
                || (self.escape.is_some_and(|at| at < asked.len())
                    && lengths.contains(&asked.len())
                    && asked == escaped.get_or_init(|| Escaped(key).to_string()).as_bytes())
        };
        if same(&self.text) {
            return Some(&[]);
        }
        // The longest key first: the fewest brackets taken as positions.
        let cut = self.starts.iter().rposition(|&at| self.text.get(..at).is_some_and(same))?;
        self.steps.get(cut..)
    }
}

impl fmt::Display for Query {
    /// As it was asked; escaped only where that could act on a terminal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match std::str::from_utf8(&self.text) {
            Ok(text) if text.chars().all(is_safe) => f.write_str(text),
            _ => Escaped(&self.text).fmt(f),
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FromStart(n) => write!(f, "{n}"),
            Self::FromEnd(n) => write!(f, "-{n}"),
        }
    }
}

fn first_escape(text: &[u8]) -> Option<usize> {
    text.iter().position(|&b| b == b'\\')
}

fn parse_step(inside: &[u8]) -> Option<Step> {
    let bound = |text: &[u8]| if text.is_empty() { Some(None) } else { parse_position(text).map(Some) };
    match inside.iter().position(|&b| b == b':') {
        None => parse_position(inside).map(Step::At),
        Some(colon) => {
            let (from, to) = inside.split_at(colon);
            Some(Step::Range(bound(from)?, bound(to.get(1..)?)?))
        }
    }
}

fn parse_position(text: &[u8]) -> Option<Position> {
    let (negative, digits) = match text.strip_prefix(b"-") {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let n: u64 = std::str::from_utf8(digits).ok()?.parse().ok()?;
    // "-0" is 0, as in Python.
    Some(if negative && n > 0 { Position::FromEnd(n) } else { Position::FromStart(n) })
}

#[cfg(test)]
mod tests {
    use super::Position::{FromEnd, FromStart};
    use super::*;

    #[test]
    fn brackets_at_the_end_are_positions_where_they_can_be() {
        for (text, key, steps) in [
            ("general.name", "general.name", &[][..]),
            ("a[3]", "a", &[Step::At(FromStart(3))]),
            ("a[-1]", "a", &[Step::At(FromEnd(1))]),
            ("a[-0]", "a", &[Step::At(FromStart(0))]),
            ("a[10:20]", "a", &[Step::Range(Some(FromStart(10)), Some(FromStart(20)))]),
            ("a[:5]", "a", &[Step::Range(None, Some(FromStart(5)))]),
            ("a[-5:]", "a", &[Step::Range(Some(FromEnd(5)), None)]),
            ("a[:]", "a", &[Step::Range(None, None)]),
            ("a[1][2]", "a", &[Step::At(FromStart(1)), Step::At(FromStart(2))]),
            ("[0]", "", &[Step::At(FromStart(0))]),
            // No positions: the brackets are part of the key.
            ("a[]", "a[]", &[]),
            ("a[x]", "a[x]", &[]),
            ("a[+1]", "a[+1]", &[]),
            ("a[ 1]", "a[ 1]", &[]),
            ("a[1:2:3]", "a[1:2:3]", &[]),
            ("a[--1]", "a[--1]", &[]),
            ("a[0x1]", "a[0x1]", &[]),
            ("a[1] ", "a[1] ", &[]),
            ("a]", "a]", &[]),
            ("a[18446744073709551616]", "a[18446744073709551616]", &[]),
            ("a[x][1]", "a[x]", &[Step::At(FromStart(1))]),
            ("", "", &[]),
        ] {
            let query = Query::new(text.as_bytes());
            assert_eq!((query.key(), &query.steps[..]), (key.as_bytes(), steps), "{text}");
        }
    }

    #[test]
    fn the_longest_key_is_tried_first() {
        let query = Query::new(b"a[1][2]");
        assert_eq!(query.matches(b"a[1][2]"), Some(&[][..]));
        assert_eq!(query.matches(b"a[1]"), Some(&[Step::At(FromStart(2))][..]));
        assert_eq!(query.matches(b"a").map(<[_]>::len), Some(2));
        assert_eq!(query.matches(b"b"), None);
        assert_eq!(Query::exact(b"a[1]").matches(b"a"), None);
        assert_eq!(Query::exact(b"a[1]").matches(b"a[1]"), Some(&[][..]));
    }

    #[test]
    fn keys_can_be_asked_for_as_they_are_shown() {
        let query = Query::new(br"general.name\0");
        assert_eq!(query.matches(b"general.name\0"), Some(&[][..]));
        assert_eq!(query.matches(b"general.name"), None, "a NUL is never dropped silently");
        assert_eq!(Query::new(br"k\xff[0]").matches(b"k\xff").map(<[_]>::len), Some(1));
        // A backslash in the key itself: both ways of writing it.
        assert!(Query::new(br"a\b").matches(br"a\b").is_some());
        assert!(Query::new(br"a\\b").matches(br"a\b").is_some());
        assert_eq!(query.to_string(), r"general.name\0");
        assert_eq!(Query::new(b"\x1b[1m").to_string(), r"\x1b[1m");
    }

    #[test]
    fn many_brackets_are_bounded() {
        let text = b"[0]".repeat(10_000);
        let query = Query::new(&text);
        assert_eq!(query.steps.len(), MOST_STEPS);
        // The longest form of a byte, and one byte more, which is another key.
        let key = b"\x1b\xff\x7f";
        assert!(Query::new(br"\x1b\xff\x7f[0]").matches(key).is_some());
        assert!(Query::new(br"\x1b\xff\x7f\").matches(key).is_none());
    }

    #[test]
    fn a_long_question_costs_a_key_no_more_than_a_short_one() {
        for text in [b"[0]".repeat(10_000), [&br"\n"[..], &b"[0]".repeat(10_000)].concat()] {
            let query = Query::new(&text);
            let start = std::time::Instant::now();
            assert!((0..100_000).all(|_| query.matches(b"general.architecture").is_none()));
            assert!(start.elapsed().as_secs() < 5);
        }
    }
}
