//! Texts of several lines, as the lines that differ.

use ggufkit::inspect::diff::{Line, TextDiff};
use ggufkit::inspect::units;

use super::{Below, Much, Values};
use crate::out;

/// Lines of a text diff that are shown of each without `--all`.
const FEW_LINES: usize = 40;

/// A text of lines.
pub(super) fn lines_of(a: &str, b: &str, work: &mut u64, much: Much, wide: usize) -> (Values, Vec<Below>) {
    let diff = TextDiff::of(a, b, work);
    let count = |n: usize| format!("{} {}", units::count(n as u64), if n == 1 { "line" } else { "lines" });
    let values = Values::Both(count(diff.lines_a), count(diff.lines_b));
    let most = if much.all { usize::MAX } else { FEW_LINES };
    let mut below = Vec::new();
    let total: usize = diff.hunks.iter().map(|hunk| hunk.lines.len()).sum();
    let mut shown = 0_usize;
    for hunk in &diff.hunks {
        if shown >= most {
            break;
        }
        let span = |(from, len): (usize, usize)| format!("{from},{len}");
        below.push(Below { sign: '@', text: format!("@@ -{} +{} @@", span(hunk.a), span(hunk.b)) });
        let room = wide.saturating_sub(1);
        let mut at = 0;
        while let Some(line) = hunk.lines.get(at) {
            if shown >= most {
                break;
            }
            // Lines in the place of others are shown where they part from them.
            let old = hunk.lines.iter().skip(at).take_while(|line| matches!(line, Line::Old(_))).count();
            if old == 0 {
                let (sign, text) = match line {
                    Line::New(text) => ('+', text),
                    Line::Both(text) | Line::Old(text) => (' ', text),
                };
                below.push(Below { sign, text: harmless(text.as_bytes(), room) });
                (at, shown) = (at + 1, shown + 1);
                continue;
            }
            let news = hunk.lines.iter().skip(at + old);
            let new = news.take_while(|line| matches!(line, Line::New(_))).count();
            let text = |place: usize| match hunk.lines.get(place) {
                Some(Line::Old(text) | Line::New(text) | Line::Both(text)) => text.as_bytes(),
                None => &[],
            };
            let (mut olds, mut new_lines) = (Vec::new(), Vec::new());
            for place in 0..old.max(new).min(most) {
                let (one, other) = match (place < old, place < new) {
                    (true, true) => parted(text(at + place), text(at + old + place), room),
                    (true, false) => (harmless(text(at + place), room), String::new()),
                    _ => (String::new(), harmless(text(at + old + place), room)),
                };
                if place < old {
                    olds.push(Below { sign: '-', text: one });
                }
                if place < new {
                    new_lines.push(Below { sign: '+', text: other });
                }
            }
            let room_left = most.saturating_sub(shown);
            let both: Vec<Below> = olds.into_iter().chain(new_lines).collect();
            shown = shown.saturating_add(both.len().min(room_left));
            below.extend(both.into_iter().take(room_left));
            at += old + new;
        }
    }
    if total > shown {
        let rest = format!("… {} more lines (--all)", units::count((total - shown) as u64));
        below.push(Below { sign: ' ', text: rest });
    }
    (values, below)
}

/// A line of a text; backslashes are as they are, since templates are full of them.
fn harmless(text: &[u8], wide: usize) -> String {
    let line = match std::str::from_utf8(text) {
        Ok(text) => out::one_line(text).into_owned(),
        Err(_) => out::plain(text).to_string(),
    };
    cut(&line, wide)
}

pub(super) fn cut(line: &str, wide: usize) -> String {
    if line.len() <= wide || out::columns(line) <= wide {
        return line.to_owned();
    }
    let mut text: String = line.chars().take(wide).collect();
    while out::columns(&text) >= wide && text.pop().is_some() {}
    text.push('…');
    text
}

/// Two lines, cut so that the place where they part is seen.
fn parted(a: &[u8], b: &[u8], wide: usize) -> (String, String) {
    let (old, new) = (harmless(a, usize::MAX), harmless(b, usize::MAX));
    let common = old.chars().zip(new.chars()).take_while(|(a, b)| a == b).count();
    let before = wide / 3;
    if (out::columns(&old) <= wide && out::columns(&new) <= wide) || common <= before {
        return (cut(&old, wide), cut(&new, wide));
    }
    let rest = |text: &str| {
        let rest: String = text.chars().skip(common - before).collect();
        cut(&format!("…{rest}"), wide)
    };
    (rest(&old), rest(&new))
}
