//! One walk over a template that finds what the rules speak of.

use core::ops::Range;
use std::collections::{HashMap, HashSet};

use super::content::{Content, Trigger};
use super::lex::{self, Placed, Tag, Token, Visit};
use super::names;
use super::prepare;
use crate::few::Few;
use crate::vocabulary::Vocabulary;

/// A stretch of a template, with the text that matters there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Spot<'t> {
    /// First byte, from the template's beginning.
    pub(crate) at: usize,
    /// Number of bytes.
    pub(crate) len: usize,
    /// The name, literal or token it is about.
    pub(crate) text: &'t [u8],
}

/// Why a template does not parse.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Syntax {
    /// First byte of the place, from the template's beginning.
    pub(crate) at: usize,
    /// Number of bytes.
    pub(crate) len: usize,
    /// What the parser says, harmless for a terminal.
    pub(crate) message: String,
}

/// What is to be said about one template.
#[derive(Debug, Default)]
pub(crate) struct Issues<'t> {
    pub(crate) empty: bool,
    pub(crate) syntax: Option<Syntax>,
    /// Why the syntax was not looked at.
    pub(crate) not_parsed: Option<String>,
    /// Filters and tests that nobody provides; whether it is a test.
    pub(crate) filters: Few<(Spot<'t>, bool)>,
    pub(crate) functions: Few<Spot<'t>>,
    /// Statements that ask for another template.
    pub(crate) loads: Few<Spot<'t>>,
    /// What leads to the interpreter's own objects.
    pub(crate) internals: Few<Spot<'t>>,
    /// Conditions on what a message says.
    pub(crate) triggers: Few<(Spot<'t>, Trigger)>,
    /// Addresses; whether they stand under such a condition.
    pub(crate) urls: Few<(Spot<'t>, bool)>,
    /// Characters that are not seen.
    pub(crate) hidden: Few<(Spot<'t>, char)>,
    /// Control characters.
    pub(crate) controls: Few<(Spot<'t>, char)>,
    /// Special tokens that the vocabulary does not hold.
    pub(crate) tokens: Few<Spot<'t>>,
    /// Those that it holds.
    pub(crate) tokens_known: u64,
}

/// Names that are kept of a template: defined ones, and called ones that are not known.
const MAX_NAMES: usize = 4096;
/// Bytes of a special token's text.
const MAX_TOKEN: usize = 64;

impl<'t> Issues<'t> {
    /// Looks at a template. `room` is what the parser may still be given.
    pub(super) fn new(source: &'t [u8], vocabulary: Option<&Vocabulary<'_>>, room: &mut usize) -> Self {
        let mut issues = Self { empty: source.trim_ascii().is_empty(), ..Self::default() };
        issues.characters(source);
        let mut scan = Scan {
            vocabulary,
            issues,
            content: Content::default(),
            defined: HashSet::new(),
            called: HashMap::new(),
            attributes: HashSet::new(),
            triggers: Vec::new(),
            gates: Vec::new(),
            gated: 0,
        };
        lex::walk(source, &mut scan);
        let Scan { mut issues, defined, called, attributes, triggers, .. } = scan;
        // `'blocks' in content` before `content.blocks` asks for a key, not for a word.
        let words = triggers.into_iter().filter(|(spot, _)| !attributes.contains(spot.text));
        words.for_each(|trigger| issues.triggers.push(trigger));
        let mut called: Vec<Spot<'t>> =
            called.into_values().filter(|spot| !defined.contains(spot.text)).collect();
        called.sort_by_key(|spot| spot.at);
        called.into_iter().for_each(|spot| issues.functions.push(spot));
        // That text is not UTF-8 is said by another rule.
        if core::str::from_utf8(source).is_ok() {
            match prepare(source) {
                Err(excess) => issues.not_parsed = Some(excess),
                Ok(text) if text.len() > *room => {
                    issues.not_parsed = Some("the templates of the file are too many".to_owned());
                }
                Ok(text) => {
                    *room -= text.len();
                    // What the parser cannot bear is kept from it. Should there be more of that, no program ends by it.
                    match std::panic::catch_unwind(|| syntax(&text)) {
                        Ok(said) => issues.syntax = said,
                        Err(_) => issues.not_parsed = Some("the parser came to no end with it".to_owned()),
                    }
                }
            }
        }
        issues
    }

    /// Whether there is anything to say.
    pub(super) fn any(&self) -> bool {
        self.empty
            || self.syntax.is_some()
            || self.not_parsed.is_some()
            || self.filters.count() > 0
            || self.functions.count() > 0
            || self.loads.count() > 0
            || self.internals.count() > 0
            || self.triggers.count() > 0
            || self.urls.count() > 0
            || self.hidden.count() > 0
            || self.controls.count() > 0
            || self.tokens.count() > 0
    }

    /// Looks for characters that a person does not see.
    fn characters(&mut self, source: &'t [u8]) {
        let mut start = 0;
        for chunk in source.utf8_chunks() {
            let text = chunk.valid();
            let mut before = None;
            for (at, c) in text.char_indices() {
                let spot = |len: usize| Spot { at: start + at, len, text: &[] };
                if c.is_control() && !matches!(c, '\n' | '\t' | '\r') {
                    self.controls.push((spot(c.len_utf8()), c));
                } else if !c.is_ascii() && is_hidden(c) && !joins(c, before, text.get(at + c.len_utf8()..)) {
                    self.hidden.push((spot(c.len_utf8()), c));
                }
                before = Some(c);
            }
            start += text.len() + chunk.invalid().len();
        }
    }
}

/// Whether a character takes no place or turns others around.
fn is_hidden(c: char) -> bool {
    !c.is_control()
        && !ggufkit_format::is_safe(c)
        && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{fffc}' | '\u{fffd}')
}

/// Whether a joiner stands where writing needs it: between letters that are not ASCII, or between emoji.
fn joins(c: char, before: Option<char>, after: Option<&str>) -> bool {
    let after = after.and_then(|text| text.chars().next());
    let writes = |c: Option<char>| c.is_some_and(|c| !c.is_ascii() && ggufkit_format::is_safe(c));
    matches!(c, '\u{200c}' | '\u{200d}') && writes(before) && writes(after)
}

/// What the parser has against a template.
fn syntax(text: &str) -> Option<Syntax> {
    let environment = minijinja::Environment::empty();
    let error = environment.template_from_str(text).err()?;
    let whole = 0..text.len();
    let range = error.range().filter(|range| range.end <= text.len()).unwrap_or(whole);
    let message = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
    Some(Syntax {
        at: range.start,
        len: range.end.saturating_sub(range.start),
        message: ggufkit_format::shorten(message.as_bytes(), 120),
    })
}

struct Scan<'t, 'v, 'a> {
    vocabulary: Option<&'v Vocabulary<'a>>,
    issues: Issues<'t>,
    content: Content<'t>,
    defined: HashSet<&'t [u8]>,
    called: HashMap<&'t [u8], Spot<'t>>,
    /// Names of attributes and keys that are taken of something.
    attributes: HashSet<&'t [u8]>,
    /// Conditions on what a message says, as they were met.
    triggers: Vec<(Spot<'t>, Trigger)>,
    /// For each open `if`, whether it is a condition on what a message says.
    gates: Vec<bool>,
    /// How many of them are.
    gated: usize,
}

impl<'t> Visit<'t> for Scan<'t, '_, '_> {
    fn text(&mut self, text: &'t [u8], at: usize) {
        let gated = self.gated > 0;
        self.urls(text, at, gated);
        self.tokens(text, at);
    }

    fn tag(&mut self, tag: Tag, tokens: &[Placed<'t>], span: Range<usize>, _: bool) {
        let first = tokens.first().and_then(Placed::word).filter(|_| tag == Tag::Statement);
        let trigger = self.content.compared(tokens);
        if let Some((literal, text, trigger)) = trigger
            && self.triggers.len() < MAX_NAMES
        {
            self.triggers.push((Spot { at: literal.at, len: text.len(), text }, trigger));
        }
        let words = trigger.is_some_and(|(_, _, trigger)| trigger == Trigger::Words);
        match first {
            Some(b"if") => {
                self.gates.push(words);
                self.gated += usize::from(words);
            }
            Some(b"elif") => {
                if let Some(gate) = self.gates.last_mut().filter(|gate| words && !**gate) {
                    *gate = true;
                    self.gated += 1;
                }
            }
            Some(b"endif") => self.gated -= usize::from(self.gates.pop() == Some(true)),
            Some(word @ (b"include" | b"import" | b"from" | b"extends")) => {
                self.issues.loads.push(Spot { at: span.start, len: span.len(), text: word });
            }
            _ => {}
        }
        self.define(first, tokens);
        self.content.learn(tag, tokens);
        let gated = words || self.gated > 0;
        for (at, placed) in tokens.iter().enumerate() {
            let back = |n: usize| at.checked_sub(n).and_then(|at| tokens.get(at));
            match placed.token {
                Token::String(text) => {
                    self.urls(text, placed.at, gated);
                    let indexed = back(1).is_some_and(|token| token.is_op(b"["))
                        && tokens.get(at + 1).is_some_and(|token| token.is_op(b"]"))
                        && back(2).is_some_and(|token| {
                            token.is_op(b"]")
                                || token.is_op(b")")
                                || token
                                    .word()
                                    .is_some_and(|word| names::KEYWORDS.binary_search(&word).is_err())
                        });
                    if indexed && self.attributes.len() < MAX_NAMES {
                        self.attributes.insert(text);
                    }
                    // What is compared with is looked for, not written.
                    if tag == Tag::Expression {
                        self.tokens(text, placed.at);
                    }
                    if leads_inside(text) || is_escaped_name(text) {
                        self.issues.internals.push(Spot { at: placed.at, len: text.len(), text });
                    }
                }
                Token::Word(word) => {
                    let spot = Spot { at: placed.at, len: word.len(), text: word };
                    let attribute = back(1).is_some_and(|token| token.is_op(b"."));
                    if attribute && self.attributes.len() < MAX_NAMES {
                        self.attributes.insert(word);
                    }
                    if is_dunder(word) || attribute && names::INTERNALS.binary_search(&word).is_ok() {
                        self.issues.internals.push(spot);
                    }
                    self.name(spot, attribute, back(1), back(2), tokens.get(at + 1), first);
                }
                _ => {}
            }
        }
    }
}

impl<'t> Scan<'t, '_, '_> {
    /// Names that a statement brings into being.
    fn define(&mut self, first: Option<&[u8]>, tokens: &[Placed<'t>]) {
        let end = match first {
            Some(b"set") => tokens.iter().position(|token| token.is_op(b"=")).unwrap_or(tokens.len()),
            Some(b"for") => tokens.iter().position(|token| token.is_word(b"in")).unwrap_or(tokens.len()),
            Some(b"macro" | b"call" | b"import" | b"from" | b"with" | b"block") => tokens.len(),
            _ => return,
        };
        for word in tokens.get(1..end).unwrap_or_default().iter().filter_map(Placed::word) {
            if self.defined.len() < MAX_NAMES {
                self.defined.insert(word);
            }
        }
    }

    /// A name inside a tag: is it a filter, a test, or a function that nobody provides?
    fn name(
        &mut self,
        spot: Spot<'t>,
        attribute: bool,
        before: Option<&Placed<'t>>,
        before_that: Option<&Placed<'t>>,
        after: Option<&Placed<'t>>,
        statement: Option<&[u8]>,
    ) {
        let is = |token: Option<&Placed<'t>>, word: &[u8]| token.is_some_and(|token| token.is_word(word));
        let filters = before.is_some_and(|token| token.is_op(b"|"))
            || is(before, b"filter") && before_that.is_none() && statement == Some(b"filter");
        let tests = is(before, b"is") && spot.text != b"not" || is(before, b"not") && is(before_that, b"is");
        if filters {
            if names::FILTERS.binary_search(&spot.text).is_err() {
                self.issues.filters.push((spot, false));
            }
        } else if tests {
            if names::TESTS.binary_search(&spot.text).is_err() {
                self.issues.filters.push((spot, true));
            }
        } else if !attribute
            && after.is_some_and(|token| token.is_op(b"("))
            && names::KEYWORDS.binary_search(&spot.text).is_err()
            && names::FUNCTIONS.binary_search(&spot.text).is_err()
            && self.called.len() < MAX_NAMES
        {
            self.called.entry(spot.text).or_insert(spot);
        }
    }

    /// Addresses in literal text.
    fn urls(&mut self, text: &'t [u8], start: usize, gated: bool) {
        let mut at = 0;
        while let Some(colon) = text.get(at..).and_then(|rest| rest.windows(3).position(|w| w == b"://")) {
            let colon = at + colon;
            let before = text.get(..colon).unwrap_or_default();
            let scheme = before.iter().rev().take(16).take_while(|byte| byte.is_ascii_alphanumeric()).count();
            let after = text.get(colon + 3..).unwrap_or_default();
            let rest = after
                .iter()
                .take_while(|byte| byte.is_ascii_graphic() && !b"\"'<>`\\".contains(byte))
                .count();
            let (from, to) = (colon - scheme, colon + 3 + rest);
            if scheme > 1 && rest > 2 {
                let url = text.get(from..to).unwrap_or_default();
                self.issues.urls.push((Spot { at: start + from, len: url.len(), text: url }, gated));
            }
            at = to;
        }
    }

    /// Special tokens in text that becomes part of a prompt.
    fn tokens(&mut self, text: &'t [u8], start: usize) {
        let Some(vocabulary) = self.vocabulary else { return };
        let mut at = 0;
        while let Some(open) = text.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == b'<')) {
            at += open;
            let rest = text.get(at..).unwrap_or_default();
            let Some(len) = special_len(rest) else {
                at += 1;
                continue;
            };
            let token = rest.get(..len).unwrap_or_default();
            match vocabulary.find(token) {
                Some(_) => self.issues.tokens_known += 1,
                None => self.issues.tokens.push(Spot { at: start + at, len, text: token }),
            }
            at += len;
        }
    }
}

/// Bytes of the special token that a text begins with.
fn special_len(text: &[u8]) -> Option<usize> {
    if let Some(known) = names::SPECIAL.iter().find(|known| text.starts_with(known)) {
        return Some(known.len());
    }
    let inside = text.strip_prefix(b"<|")?;
    let is_part =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':' | b'/');
    let len = inside.iter().take(MAX_TOKEN).take_while(|byte| is_part(byte)).count();
    (len > 0 && inside.get(len..)?.starts_with(b"|>")).then_some(len + 4)
}

/// `__class__`, `__globals__`.
fn is_dunder(word: &[u8]) -> bool {
    word.strip_prefix(b"__").and_then(|word| word.strip_suffix(b"__")).is_some_and(|word| !word.is_empty())
}

/// A string that names, or holds, what leads to the interpreter's own objects.
fn leads_inside(text: &[u8]) -> bool {
    names::INTERNALS.binary_search(&text).is_ok() && text != b"mro" && text != b"subclasses"
        || text.split(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_')).any(is_dunder)
        || text.starts_with(b"__") && text.iter().skip(2).all(u8::is_ascii_alphabetic) && text.len() > 2
}

/// A string that writes underscores as escapes: there is no honest reason to.
fn is_escaped_name(text: &[u8]) -> bool {
    text.contains(&b'\\')
        && [&b"\\x5f"[..], b"\\x5F", b"\\u005f", b"\\u005F", b"\\137"]
            .iter()
            .any(|escape| text.windows(escape.len()).any(|window| window == *escape))
}

#[cfg(test)]
mod tests {
    use super::Issues;

    #[test]
    fn any_soup_of_pieces_is_read() {
        let pieces: Vec<&[u8]> = [
            "{{",
            "}}",
            "{%",
            "%}",
            "{#",
            "#}",
            "-",
            "(",
            ")",
            "[",
            "]",
            "{",
            "}",
            "'",
            "\"",
            "\\",
            ".",
            "|",
            ",",
            ":",
            "if ",
            "elif ",
            "else",
            "endif",
            "for ",
            " in ",
            "set ",
            "=",
            "==",
            "content",
            "m",
            "raw",
            "endraw",
            "not ",
            "is ",
            "://",
            "http",
            "<|",
            "|>",
            "\u{200b}",
            "\u{e9}",
            " ",
            "\n",
            "1",
            "__x__",
            "macro ",
            "startswith",
        ]
        .iter()
        .map(|piece| piece.as_bytes())
        .chain([&b"\xff"[..], b"\xe4\xb8", b"\0"])
        .collect();
        let mut state = 1_u64;
        for _ in 0..3000 {
            let mut text = Vec::new();
            for _ in 0..60 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.extend_from_slice(pieces[(state >> 33) as usize % pieces.len()]);
            }
            let mut room = usize::MAX;
            let issues = Issues::new(&text, None, &mut room);
            for (spot, _) in issues.urls.kept() {
                assert_eq!(&text[spot.at..spot.at + spot.len], spot.text);
            }
        }
    }
}
