//! Values as text for one line, and texts in texts.

use ggufkit::Value;
use ggufkit::format::{Span, shorten};
use ggufkit::inspect::{one_line, units};
use unicode_width::UnicodeWidthChar as _;

/// A value in at most about `most` characters, escaped; a string in quotation marks.
pub(crate) fn value(value: &Value<'_>, most: usize) -> String {
    match value {
        Value::String(text) => format!("\"{}\"", shorten(text.0, most)),
        value => one_line(value, most).0,
    }
}

/// Bytes of a file in words: where, and how many.
pub(crate) fn span(span: Span) -> String {
    format!("{:#x}..{:#x}  {} B", span.start, span.end(), units::count(span.len))
}

/// Whether a text holds another one, small and capital letters of ASCII being the same.
pub(crate) fn holds(text: &[u8], part: &[u8]) -> bool {
    let Some((first, rest)) = part.split_first() else { return true };
    let (small, capital) = (first.to_ascii_lowercase(), first.to_ascii_uppercase());
    memchr::memchr2_iter(small, capital, text).any(|at| {
        let end = at.saturating_add(part.len());
        text.get(at.saturating_add(1)..end).is_some_and(|text| text.eq_ignore_ascii_case(rest))
    })
}

/// As much of a text as fits into so many columns, with a mark where something is left out.
pub(crate) fn fit(text: &str, columns: usize) -> String {
    let wide = |c: char| c.width().unwrap_or(0);
    if text.chars().map(wide).sum::<usize>() <= columns {
        return text.to_owned();
    }
    let (mut out, mut used) = (String::new(), 1);
    for c in text.chars() {
        used += wide(c);
        if used > columns {
            break;
        }
        out.push(c);
    }
    if columns > 0 {
        out.push('…');
    }
    out
}

/// A text in exactly so many columns.
pub(crate) fn column(text: &str, columns: usize) -> String {
    let mut out = fit(text, columns);
    let used: usize = out.chars().map(|c| c.width().unwrap_or(0)).sum();
    out.extend(std::iter::repeat_n(' ', columns.saturating_sub(used)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_found_whatever_their_size() {
        for (text, part, is) in [
            ("Llama", "lLAMA", true),
            ("xxLla", "llama", false),
            ("", "", true),
            ("ab", "b", true),
            ("ba", "ab", false),
        ] {
            assert_eq!(holds(text.as_bytes(), part.as_bytes()), is, "{text} {part}");
        }
    }

    #[test]
    fn texts_are_cut_by_columns_and_not_by_characters() {
        assert_eq!(fit("abc", 3), "abc");
        assert_eq!(fit("abcd", 3), "ab…");
        assert_eq!(fit("模型模型", 5), "模型…");
        assert_eq!(fit("模型模型", 4), "模…");
        assert_eq!(column("模", 4), "模  ");
        assert_eq!(fit("abc", 0), "");
    }
}
