//! Conditions on what a message says: where a template compares a user's words with words of its own.

use std::collections::HashSet;

use super::lex::{Placed, Tag, Token};
use super::names;

/// How telling a literal is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Trigger {
    /// A command such as `/think`, or words that switch thinking on and off, which a user types on purpose.
    Command,
    /// Words of a language.
    Words,
}

/// Names that stand for message content.
#[derive(Debug, Default)]
pub(super) struct Content<'t> {
    /// Names whose value is text of a message.
    texts: HashSet<&'t [u8]>,
    /// Names of parts of a message, whose text is an attribute.
    parts: HashSet<&'t [u8]>,
}

/// Names that are remembered.
const MAX_NAMES: usize = 4096;

/// A name with its attributes, calls and filters.
struct Access {
    /// Number of tokens it takes.
    len: usize,
    /// Whether its value is text of a message.
    content: bool,
    /// Whether something was called or filtered on the way.
    changed: bool,
    /// The tokens inside the call of a method that compares.
    compared: Option<(usize, usize)>,
}

impl<'t> Content<'t> {
    /// The literal that a tag compares message content with.
    pub(super) fn compared(&self, tokens: &[Placed<'t>]) -> Option<(Placed<'t>, &'t [u8], Trigger)> {
        // `and`, `or` and the parts of `a if b else c` are judged on their own.
        let clauses = tokens.split(|token| {
            [&b"and"[..], b"or", b"if", b"else", b"elif"].iter().any(|word| token.is_word(word))
        });
        let mut found = None;
        for clause in clauses {
            if let Some(hit) = self.clause(clause)
                && found.is_none_or(|(_, _, trigger)| hit.2 > trigger)
            {
                found = Some(hit);
            }
        }
        found
    }

    fn clause(&self, clause: &[Placed<'t>]) -> Option<(Placed<'t>, &'t [u8], Trigger)> {
        let (mut content, mut compares) = (false, false);
        let mut literal: Option<(Placed<'t>, &'t [u8], Trigger)> = None;
        let mut inside: Option<(Placed<'t>, &'t [u8], Trigger)> = None;
        let mut at = 0;
        while let Some(token) = clause.get(at) {
            match token.token {
                Token::Word(b"in") => compares = true,
                Token::Op(b"==" | b"!=") => compares = true,
                Token::String(text) => {
                    if let Some(trigger) = trigger(text) {
                        literal = literal.filter(|hit| hit.2 >= trigger).or(Some((*token, text, trigger)));
                    }
                }
                Token::Word(word) if names::KEYWORDS.binary_search(&word).is_err() => {
                    let access = self.access(clause.get(at..).unwrap_or_default());
                    content |= access.content;
                    if let (true, Some((from, to))) = (access.content, access.compared) {
                        let tokens = clause.get(at + from..at + to).unwrap_or_default();
                        inside = inside.or_else(|| {
                            tokens.iter().find_map(|token| match token.token {
                                Token::String(text) => trigger(text).map(|trigger| (*token, text, trigger)),
                                _ => None,
                            })
                        });
                    }
                    at += access.len;
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        inside.or(literal.filter(|_| content && compares))
    }

    /// Reads the name at the beginning of `tokens` with what hangs on it; what a function is called with is not part of it.
    fn access(&self, tokens: &[Placed<'t>]) -> Access {
        let base = tokens.first().and_then(Placed::word).unwrap_or_default();
        let mut content = base == b"content" || self.texts.contains(base);
        let part = self.parts.contains(base);
        let (mut changed, mut compared, mut called) = (false, None, &b""[..]);
        let mut at = 1;
        while let Some(token) = tokens.get(at) {
            if token.is_op(b".") || token.is_op(b"|") {
                let Some(name) = tokens.get(at + 1).and_then(Placed::word) else { break };
                let calls = tokens.get(at + 2).is_some_and(|token| token.is_op(b"("));
                if token.is_op(b"|") {
                    changed = true;
                    content &= !matches!(name, b"length" | b"count");
                } else if calls {
                    changed = true;
                    called = name;
                } else {
                    content = attribute(content, part, name) || self.is_text_of(base, name, at);
                }
                at += 2;
            } else if token.is_op(b"[") {
                let close = closing(tokens, at);
                if let (Some(Token::String(name)), true) =
                    (tokens.get(at + 1).map(|token| token.token), close == at + 2)
                {
                    content = attribute(content, part, name);
                }
                at = close + 1;
            } else if token.is_op(b"(") && at > 1 {
                let close = closing(tokens, at);
                if matches!(
                    called,
                    b"startswith" | b"endswith" | b"find" | b"rfind" | b"index" | b"rindex" | b"count"
                ) {
                    compared = Some((at + 1, close));
                }
                at = close + 1;
            } else {
                break;
            }
        }
        Access { len: at.min(tokens.len()).max(1), content, changed, compared }
    }

    /// Whether `ns.name` was set to text of a message.
    fn is_text_of(&self, base: &[u8], name: &[u8], at: usize) -> bool {
        at == 1 && base.starts_with(b"ns") && self.texts.contains(name)
    }

    /// Learns names from a statement: what is set from content, and what runs over it.
    pub(super) fn learn(&mut self, tag: Tag, tokens: &[Placed<'t>]) {
        let (Tag::Statement, Some(word)) = (tag, tokens.first().and_then(Placed::word)) else { return };
        let parted = match word {
            b"set" => tokens.iter().position(|token| token.is_op(b"=")),
            b"for" => tokens.iter().position(|token| token.is_word(b"in")),
            _ => None,
        };
        let Some(parted) = parted else { return };
        let (mut content, mut changed) = (false, word == b"set");
        let value = tokens.get(parted + 1..).unwrap_or_default();
        let mut at = 0;
        while let Some(token) = value.get(at) {
            match token.token {
                Token::Word(b"if") if word == b"for" => break,
                Token::Word(name) if names::KEYWORDS.binary_search(&name).is_err() => {
                    let access = self.access(value.get(at..).unwrap_or_default());
                    content |= access.content;
                    changed |= access.changed;
                    at += access.len;
                }
                _ => at += 1,
            }
        }
        if !content || self.texts.len() + self.parts.len() >= MAX_NAMES {
            return;
        }
        let targets = tokens.get(1..parted).unwrap_or_default().iter().filter_map(Placed::word);
        match changed {
            true => self.texts.extend(targets.filter(|name| !name.starts_with(b"ns"))),
            false => self.parts.extend(targets),
        }
    }
}

/// Whether the value is text of a message after an attribute was taken of it.
fn attribute(content: bool, part: bool, name: &[u8]) -> bool {
    match name {
        b"content" => true,
        b"text" => content || part,
        _ => false,
    }
}

/// The bracket that closes the one at `open`, or the end.
fn closing(tokens: &[Placed<'_>], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.token {
            Token::Op(b"(" | b"[" | b"{") => depth += 1,
            Token::Op(b")" | b"]" | b"}") => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    tokens.len()
}

/// Whether a text holds a word in small letters, whatever its own are.
fn holds(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word))
}

/// What a literal is as the trigger of a condition; `None` for marks of a format.
fn trigger(text: &[u8]) -> Option<Trigger> {
    let text = text.trim_ascii();
    let letters = text.iter().filter(|byte| byte.is_ascii_alphabetic() || **byte >= 0x80).count();
    if letters < 2 || names::PARTS.binary_search(&text).is_ok() {
        return None;
    }
    match text.first()? {
        // `</think>`, `[TOOL_CALLS]`, `{"name": …`, "```json", `\n\n`: marks of a format.
        b'<' | b'[' | b'{' | b'`' | b'\\' | b'#' | b'*' => None,
        b'/' if !text.contains(&b' ') => Some(Trigger::Command),
        // Published models switch their thinking by words of the system message.
        _ if [&b"think"[..], b"reason"].iter().any(|word| holds(text, word)) => Some(Trigger::Command),
        _ => Some(Trigger::Words),
    }
}
