//! Values as text, in one line and whole, and texts in texts.

use ggufkit::Value;
use ggufkit::format::{ArrayRef, Span, shorten};
use ggufkit::inspect::{one_line, units};
use ratatui::style::Style;
use ratatui::text::{Line, Span as Piece};
use unicode_width::UnicodeWidthChar as _;

/// A value in at most about `most` characters, escaped; a string in quotation marks.
pub(crate) fn value(value: &Value<'_>, most: usize) -> String {
    match value {
        Value::String(text) => format!("\"{}\"", shorten(text.0, most)),
        value => one_line(value, most).0,
    }
}

/// A value whole, in lines that end where the value's own do; and how many bytes, or elements, are left out of one that is longer
/// than `most` bytes. The ends of lines are seen as what they are in the file, `\n`.
pub(crate) fn whole(value: &Value<'_>, most: usize) -> (Vec<String>, u64) {
    match value {
        Value::Scalar(scalar) => (vec![units::scalar_text(*scalar)], 0),
        Value::Array(array) => {
            let (text, left) = elements(array, most);
            (vec![text], left)
        }
        Value::String(text) => {
            // No character is cut in two.
            let begins = |at: &usize| text.0.get(*at).is_none_or(|byte| byte & 0xc0 != 0x80);
            let end = (most.saturating_sub(3)..=most).rev().find(begins).unwrap_or(most);
            let kept = text.0.get(..end).unwrap_or(text.0);
            let mut lines: Vec<String> =
                kept.split_inclusive(|byte| *byte == b'\n').map(|line| shorten(line, usize::MAX)).collect();
            match lines.first_mut() {
                Some(first) => first.insert(0, '"'),
                None => lines.push("\"".to_owned()),
            }
            let left = text.0.len().saturating_sub(kept.len());
            if let Some(last) = lines.last_mut() {
                last.push(if left > 0 { '…' } else { '"' });
            }
            (lines, left as u64)
        }
    }
}

/// The elements of an array, and of those within it; and how many of its own are left out.
fn elements(array: &ArrayRef<'_>, most: usize) -> (String, u64) {
    let (mut out, mut done) = ("[".to_owned(), 0_u64);
    let mut open = vec![array.iter()];
    while let Some(inner) = open.last_mut() {
        let Some(value) = inner.next() else {
            out.push(']');
            open.pop();
            continue;
        };
        if out.len() > most {
            out.push_str(", …");
            return (out, array.len().saturating_sub(done));
        }
        if !out.ends_with('[') {
            out.push_str(", ");
        }
        match &value {
            Value::Array(within) => {
                out.push('[');
                let elements = within.iter();
                open.push(elements);
            }
            Value::String(text) => {
                let room = most.saturating_sub(out.len());
                out.push('"');
                out.push_str(&shorten(text.0, room.max(1)));
                out.push('"');
            }
            scalar => out.push_str(&one_line(scalar, most).0),
        }
        if open.len() == 1 {
            done = done.saturating_add(1);
        }
    }
    (out, 0)
}

/// What begins no row of Chinese.
const CLOSING: &str = "，。：；、？！）》”’…,.:;?!)";
/// What ends none.
const OPENING: &str = "（《“‘(";

/// A line in rows of so many columns. It is broken at spaces, and beside characters that take two columns; a word that is longer
/// than a row, or would leave most of one empty, is broken where the row ends. Rows after the first begin `indent` columns later.
pub(crate) fn wrap(line: &Line<'_>, columns: usize, indent: usize) -> Vec<Line<'static>> {
    if columns == 0 {
        return Vec::new();
    }
    let cells = line.spans.iter().flat_map(|span| {
        let style = line.style.patch(span.style);
        span.content.chars().map(move |c| (c, style))
    });
    let cells: Vec<(char, Style)> = cells.collect();
    let wide = |from: usize, to: usize| -> usize {
        cells.get(from..to).unwrap_or_default().iter().map(|(c, _)| c.width().unwrap_or(0)).sum()
    };
    let indent = if indent.saturating_mul(2) <= columns { indent } else { 0 };
    let (mut rows, mut start, mut used) = (Vec::new(), 0, 0);
    // Where the row may end, and columns up to there.
    let mut end: Option<(usize, usize)> = None;
    for (at, (c, _)) in cells.iter().enumerate() {
        let width = c.width().unwrap_or(0);
        let room = columns.saturating_sub(if rows.is_empty() { 0 } else { indent });
        let before = at.checked_sub(1).and_then(|before| cells.get(before)).map_or(' ', |(c, _)| *c);
        let beside =
            (width == 2 || before.width() == Some(2)) && !CLOSING.contains(*c) && !OPENING.contains(before);
        if *c == ' ' || beside {
            end = Some((at, used));
        }
        if used.saturating_add(width) > room && at > start {
            let to = match end {
                Some((to, before)) if to > start && before.saturating_mul(3) > room => {
                    // What is carried over has room in the next row.
                    if used.saturating_sub(before) <= columns.saturating_sub(indent) { to } else { at }
                }
                _ => at,
            };
            rows.push((start, to));
            // The space at which it is broken is seen by the break.
            start = if cells.get(to).is_some_and(|(c, _)| *c == ' ') { to.saturating_add(1) } else { to };
            used = wide(start, at);
            end = None;
        }
        if at >= start {
            used = used.saturating_add(width);
        }
    }
    if start < cells.len() || rows.is_empty() {
        rows.push((start, cells.len()));
    }
    let row = |(number, (from, to)): (usize, (usize, usize))| {
        let mut pieces: Vec<Piece<'static>> = Vec::new();
        if number > 0 && indent > 0 {
            pieces.push(Piece::raw(" ".repeat(indent)));
        }
        let mut cells = cells.get(from..to).unwrap_or_default();
        while let Some((_, style)) = cells.first() {
            let same = cells.iter().take_while(|(_, other)| other == style).count();
            let text: String = cells.iter().take(same).map(|(c, _)| *c).collect();
            pieces.push(Piece::styled(text, *style));
            cells = cells.get(same..).unwrap_or_default();
        }
        Line::from(pieces)
    };
    rows.into_iter().enumerate().map(row).collect()
}

/// Texts side by side in rows of so many columns, none of them broken.
pub(crate) fn pack(texts: &[String], columns: usize) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    for text in texts {
        let wide = |text: &str| text.chars().map(|c| c.width().unwrap_or(0)).sum::<usize>();
        match rows.last_mut().filter(|row| wide(row) + 2 + wide(text) <= columns) {
            Some(row) => {
                row.push_str("  ");
                row.push_str(text);
            }
            None => rows.push(text.clone()),
        }
    }
    rows
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

    fn wrapped(text: &'static str, columns: usize, indent: usize) -> Vec<String> {
        wrap(&Line::from(text), columns, indent).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn rows_end_at_spaces_where_they_can_and_nothing_is_lost() {
        assert_eq!(wrapped("a word and more", 10, 0), ["a word and", "more"]);
        assert_eq!(wrapped("a word and more", 6, 0), ["a word", "and", "more"]);
        assert_eq!(wrapped("abcdefgh", 3, 0), ["abc", "def", "gh"]);
        assert_eq!(wrapped("value abcdefghijklmno", 18, 0), ["value abcdefghijkl", "mno"]);
        assert_eq!(wrapped("文件可能没有下载完整", 7, 0), ["文件可", "能没有", "下载完", "整"]);
        assert_eq!(wrapped("意外结束：需要", 8, 0), ["意外结", "束：需要"]);
        assert_eq!(wrapped("字节（位于", 6, 0), ["字节", "（位于"]);
        assert_eq!(wrapped("键  a.b 没有读到", 9, 0), ["键  a.b ", "没有读到"]);
        assert_eq!(wrapped("keys  what they do", 12, 6), ["keys  what", "      they", "      do"]);
        assert_eq!(wrapped("", 5, 0), [""]);
        assert_eq!(wrapped("ab", 0, 0), [""; 0]);
        assert_eq!(wrapped("模", 1, 0), ["模"]);
        let styled = Line::from(vec![Piece::styled("one ", Style::new().bold()), Piece::raw("two")]);
        let rows = wrap(&styled, 5, 0);
        assert_eq!(rows, [Line::from(Piece::styled("one", Style::new().bold())), Line::from("two")]);
    }

    #[test]
    fn texts_side_by_side_are_not_broken() {
        let texts = ["u8 1", "u16 22", "u64 333"].map(str::to_owned);
        assert_eq!(pack(&texts, 30), ["u8 1  u16 22  u64 333"]);
        assert_eq!(pack(&texts, 15), ["u8 1  u16 22", "u64 333"]);
        assert_eq!(pack(&texts, 3), texts);
    }

    #[test]
    fn a_value_is_whole_or_says_how_much_is_left_out() {
        let text = |text: &'static str, most| whole(&Value::String(ggufkit::ByteStr(text.as_bytes())), most);
        assert_eq!(text("a\n b\n", 10), (vec!["\"a\\n".to_owned(), " b\\n\"".to_owned()], 0));
        assert_eq!(text("", 10), (vec!["\"\"".to_owned()], 0));
        assert_eq!(text("abc", 2), (vec!["\"ab…".to_owned()], 1));
        assert_eq!(text("a模", 3), (vec!["\"a…".to_owned()], 3));
        assert_eq!(text("a模", 4), (vec!["\"a模\"".to_owned()], 0));
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
