//! From a template's bytes to text that a parser which recurses can be trusted with.

use core::ops::Range;

use super::depth::Depth;
use super::lex::{self, Placed, Tag, Visit};

/// Bytes of a template that is handed to a parser.
const MAX_PARSED: usize = 1 << 20;
/// Lines, and columns of one, that a parser is given: counters of 16 bits overflow behind them, some by ending the program.
const MAX_COUNTED: usize = u16::MAX as usize - 1;
/// Statements of transformers that are looked for.
const MAX_MARKS: usize = 4096;

/// The text of a template for a parser of Jinja: every byte stands where it stood.
///
/// `{% generation %}`, by which transformers marks the assistant's part for training, becomes a comment: it says nothing
/// about the text, and parsers of Jinja do not know it.
///
/// # Errors
/// Why the template is not to be parsed, in words: its size, lines or nesting, or bytes that are not UTF-8.
pub fn prepare(source: &[u8]) -> Result<String, String> {
    if source.len() > MAX_PARSED {
        return Err(format!("it has {} bytes, the limit is {MAX_PARSED}", source.len()));
    }
    beyond_count(source).map_or(Ok(()), Err)?;
    let mut outline = Outline::default();
    lex::walk(source, &mut outline);
    if let Some(excess) = outline.depth.excess() {
        return Err(excess);
    }
    if outline.cut {
        return Err(format!("a tag has more than {} tokens", lex::MAX_TOKENS));
    }
    let mut bytes = source.to_vec();
    for tag in outline.marks {
        for at in [tag.start + 1, tag.end.saturating_sub(2)] {
            if let Some(percent) = bytes.get_mut(at).filter(|byte| **byte == b'%') {
                *percent = b'#';
            }
        }
    }
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
}

/// What of its lines goes beyond what a parser counts, in words.
fn beyond_count(source: &[u8]) -> Option<String> {
    let mut lines = 0_usize;
    for line in source.split(|byte| *byte == b'\n') {
        lines += 1;
        // A character is counted by its first byte; a carriage return is a column too.
        let columns = line.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
        if columns > MAX_COUNTED {
            return Some(format!("line {lines} has {columns} columns, the limit is {MAX_COUNTED}"));
        }
    }
    (lines > MAX_COUNTED).then(|| format!("it has {lines} lines, the limit is {MAX_COUNTED}"))
}

#[derive(Default)]
struct Outline {
    depth: Depth,
    marks: Vec<Range<usize>>,
    cut: bool,
}

impl<'t> Visit<'t> for Outline {
    fn text(&mut self, _: &'t [u8], _: usize) {}

    fn tag(&mut self, tag: Tag, tokens: &[Placed<'t>], span: Range<usize>, whole: bool) {
        self.cut |= !whole;
        self.depth.tag(tag, tokens);
        let first = tokens.first().and_then(Placed::word).filter(|_| tag == Tag::Statement);
        if matches!(first, Some(b"generation" | b"endgeneration")) && self.marks.len() < MAX_MARKS {
            self.marks.push(span);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::prepare;

    #[test]
    fn marks_of_training_become_comments() {
        assert_eq!(
            prepare(b"a{%- generation -%}b{% endgeneration %}{{ c }}").unwrap(),
            "a{#- generation -#}b{# endgeneration #}{{ c }}"
        );
        assert!(prepare("(".repeat(100).as_bytes()).is_ok());
        assert!(prepare(format!("{{{{ {}", "(".repeat(100)).as_bytes()).is_err());
    }

    #[test]
    fn lines_and_columns_are_counted_as_a_parser_counts_them() {
        let columns = |unit: &str, columns: usize| prepare(unit.repeat(columns).as_bytes());
        for unit in ["x", "\r", "\u{e9}", "\u{1f600}"] {
            assert!(columns(unit, 65_534).is_ok(), "{unit:?}");
            for more in [65_535, 65_536] {
                let why = columns(unit, more).unwrap_err();
                assert_eq!(why, format!("line 1 has {more} columns, the limit is 65534"));
            }
        }
        let two = prepare(format!("short\r\n{}\r\nshort", "x".repeat(65_534)).as_bytes());
        assert_eq!(two.unwrap_err(), "line 2 has 65535 columns, the limit is 65534");
        assert!(prepare("\n".repeat(65_533).as_bytes()).is_ok());
        assert!(prepare("\n".repeat(65_534).as_bytes()).unwrap_err().contains("65535 lines"));
    }
}
