//! A Jinja template in pieces: literal text, and the tokens inside its tags.
//!
//! Linear in the template, without recursion and without a copy. It does not know the grammar: a template that does not
//! parse has pieces all the same, up to its end.

use core::ops::Range;

/// Which sort of tag tokens stand in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tag {
    /// `{{ … }}`.
    Expression,
    /// `{% … %}`.
    Statement,
}

/// A token inside a tag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token<'t> {
    /// A name or keyword.
    Word(&'t [u8]),
    /// What stands between the quotes, escapes not undone.
    String(&'t [u8]),
    /// A number.
    Number,
    /// An operator or bracket; those of two bytes are one.
    Op(&'t [u8]),
}

/// A token with its place in the template.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Placed<'t> {
    pub(super) token: Token<'t>,
    /// Of its text; a string's without the quotes.
    pub(super) at: usize,
}

impl<'t> Placed<'t> {
    pub(super) fn is_op(&self, op: &[u8]) -> bool {
        matches!(self.token, Token::Op(this) if this == op)
    }

    pub(super) fn is_word(&self, word: &[u8]) -> bool {
        matches!(self.token, Token::Word(this) if this == word)
    }

    pub(super) fn word(&self) -> Option<&'t [u8]> {
        match self.token {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }
}

/// Tokens of one tag that are kept; a longer tag is cut there.
pub(super) const MAX_TOKENS: usize = 1 << 16;

/// What a walk over a template hands out.
pub(super) trait Visit<'t> {
    /// Literal text.
    fn text(&mut self, text: &'t [u8], at: usize);
    /// A tag with its tokens; `whole` is false when it was cut.
    fn tag(&mut self, tag: Tag, tokens: &[Placed<'t>], span: Range<usize>, whole: bool);
}

/// Walks a template.
pub(super) fn walk<'t>(source: &'t [u8], visitor: &mut impl Visit<'t>) {
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < source.len() {
        let Some((open, kind)) = next_open(source, at) else {
            visitor.text(source.get(at..).unwrap_or_default(), at);
            return;
        };
        if open > at {
            visitor.text(source.get(at..open).unwrap_or_default(), at);
        }
        let mut inside = open + 2;
        let tag = match kind {
            b'#' => {
                at = find(source, inside, b"#}").map_or(source.len(), |end| end + 2);
                continue;
            }
            b'{' => Tag::Expression,
            _ => Tag::Statement,
        };
        if matches!(source.get(inside), Some(b'-' | b'+')) {
            inside += 1;
        }
        tokens.clear();
        let (end, whole) = tokenize(source, inside, tag, &mut tokens);
        visitor.tag(tag, &tokens, open..end, whole);
        at = end;
        if tag == Tag::Statement && matches!(tokens.as_slice(), [only] if only.is_word(b"raw")) {
            // What follows is text, whatever it looks like.
            let close = end_of_raw(source, at);
            visitor.text(source.get(at..close).unwrap_or_default(), at);
            at = close;
        }
    }
}

/// The next `{{`, `{%` or `{#`, with its second byte.
fn next_open(source: &[u8], from: usize) -> Option<(usize, u8)> {
    let mut at = from;
    loop {
        at += source.get(at..)?.iter().position(|byte| *byte == b'{')?;
        match source.get(at + 1) {
            Some(kind @ (b'{' | b'%' | b'#')) => return Some((at, *kind)),
            Some(_) => at += 1,
            None => return None,
        }
    }
}

fn find(source: &[u8], from: usize, wanted: &[u8]) -> Option<usize> {
    source.get(from..)?.windows(wanted.len()).position(|window| window == wanted).map(|at| from + at)
}

/// Where the tag `endraw` begins.
fn end_of_raw(source: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(open) = find(source, at, b"{%") {
        let word = source.get(open + 2..).unwrap_or_default();
        let word = word.strip_prefix(b"-").or(word.strip_prefix(b"+")).unwrap_or(word);
        if word.trim_ascii_start().starts_with(b"endraw") {
            return open;
        }
        at = open + 2;
    }
    source.len()
}

/// Puts the tokens of a tag into `tokens`; the position behind the tag, and whether all were kept.
fn tokenize<'t>(source: &'t [u8], from: usize, tag: Tag, tokens: &mut Vec<Placed<'t>>) -> (usize, bool) {
    let mut at = from;
    let mut whole = true;
    // Brackets that are open: `}}` closes the tag only outside of them.
    let mut open = 0_usize;
    while let Some(byte) = source.get(at) {
        let rest = source.get(at..).unwrap_or_default();
        if open == 0 {
            let close: &[u8] = if tag == Tag::Expression { b"}}" } else { b"%}" };
            if rest.starts_with(close) {
                return (at + 2, whole);
            }
            if matches!(byte, b'-' | b'+') && rest.get(1..).is_some_and(|rest| rest.starts_with(close)) {
                return (at + 3, whole);
            }
        }
        let (token, len, inset) = match byte {
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'"' | b'\'' => {
                let len = string_len(rest, *byte);
                let inside = rest.get(1..len.saturating_sub(1).max(1)).unwrap_or_default();
                (Token::String(inside), len, 1)
            }
            byte if is_word(*byte) && !byte.is_ascii_digit() => {
                let len = rest.iter().take_while(|byte| is_word(**byte)).count();
                (Token::Word(rest.get(..len).unwrap_or_default()), len, 0)
            }
            byte if byte.is_ascii_digit() => {
                (Token::Number, rest.iter().take_while(|byte| is_word(**byte)).count(), 0)
            }
            _ => {
                let two: &[&[u8]] = &[b"==", b"!=", b"<=", b">=", b"//", b"**"];
                let len = if two.iter().any(|op| rest.starts_with(op)) { 2 } else { 1 };
                match byte {
                    b'(' | b'[' | b'{' => open += 1,
                    b')' | b']' | b'}' => open = open.saturating_sub(1),
                    _ => {}
                }
                (Token::Op(rest.get(..len).unwrap_or_default()), len, 0)
            }
        };
        if tokens.len() < MAX_TOKENS {
            tokens.push(Placed { token, at: at + inset });
        } else {
            whole = false;
        }
        at += len;
    }
    (source.len(), whole)
}

/// Letters beyond ASCII belong to words too: what they are is for the grammar to say.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Bytes of a string with its quotes; to the end where it is not closed.
fn string_len(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while let Some(byte) = rest.get(at) {
        match byte {
            b'\\' => at += 2,
            byte if *byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Written(String);

    impl<'t> Visit<'t> for Written {
        fn text(&mut self, text: &'t [u8], at: usize) {
            self.0 += &format!("{at}:text({}) ", String::from_utf8_lossy(text));
        }

        fn tag(&mut self, tag: Tag, tokens: &[Placed<'t>], span: Range<usize>, whole: bool) {
            self.0 += &format!("{}..{}:{tag:?}[", span.start, span.end);
            for token in tokens {
                let (sort, text) = match token.token {
                    Token::Word(text) => ("w", text),
                    Token::String(text) => ("s", text),
                    Token::Number => ("n", &b""[..]),
                    Token::Op(text) => ("", text),
                };
                self.0 += &format!("{sort}{} ", String::from_utf8_lossy(text));
            }
            self.0 += if whole { "] " } else { "…] " };
        }
    }

    fn written(source: &str) -> String {
        let mut written = Written::default();
        walk(source.as_bytes(), &mut written);
        written.0.trim_end().to_owned()
    }

    #[test]
    fn a_template_comes_in_pieces() {
        assert_eq!(written("a{b {{ x.y }}c"), "0:text(a{b ) 4..13:Expression[wx . wy ] 13:text(c)");
        assert_eq!(
            written("{#{{a}}#}b{%- if a != 'q\\'' -%}"),
            "9:text(b) 10..31:Statement[wif wa != sq\\' ]"
        );
        // A dictionary's braces do not end the tag.
        assert_eq!(written("{{ {'a': {}} }}x"), "0..15:Expression[{ sa : { } } ] 15:text(x)");
        assert_eq!(
            written("{% raw %}{{ a }}{% endraw %}"),
            "0..9:Statement[wraw ] 9:text({{ a }}) 16..28:Statement[wendraw ]"
        );
    }

    #[test]
    fn what_is_not_closed_ends_with_the_template() {
        assert_eq!(written("{{ 'ab"), "0..6:Expression[sa ]");
        assert_eq!(written("{# x"), "");
        assert_eq!(written("{{{{"), "0..4:Expression[{ { ]");
        assert_eq!(written("{{ \"\\"), "0..5:Expression[s ]");
        assert_eq!(written("{"), "0:text({)");
    }
}
