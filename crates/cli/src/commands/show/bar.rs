//! The bar: what takes how much of a file, to scale.
//!
//! Every sort of content has a sign of its own, so that the bar reads without colour, in any font and any locale; colour
//! comes on top.

use std::io::{self, Write as _};

use anstyle::{AnsiColor, Style};
use ggufkit::inspect::map::{Area, Content};
use ggufkit::inspect::units;

use crate::out::{self, Out};

/// Columns of the bar at most; a longer one says no more.
const MAX_WIDTH: usize = 96;

/// Part of the file from which on an array of the metadata has a sign of its own.
const BIG_ARRAY: f64 = 0.02;

/// Signs and colours of tensor types, the type of most bytes first.
const TYPES: [(char, AnsiColor); 10] = [
    ('#', AnsiColor::Cyan),
    ('=', AnsiColor::Yellow),
    ('+', AnsiColor::Magenta),
    ('-', AnsiColor::Green),
    ('o', AnsiColor::Blue),
    ('x', AnsiColor::Red),
    ('*', AnsiColor::BrightCyan),
    ('~', AnsiColor::BrightYellow),
    ('"', AnsiColor::BrightMagenta),
    ('\'', AnsiColor::BrightGreen),
];

/// Signs and colours of big arrays.
const ARRAYS: [(char, AnsiColor); 4] = [
    ('a', AnsiColor::BrightBlue),
    ('b', AnsiColor::BrightGreen),
    ('c', AnsiColor::BrightMagenta),
    ('d', AnsiColor::BrightCyan),
];

/// A stretch of the bar.
struct Segment {
    sign: char,
    color: AnsiColor,
    label: String,
    bytes: u64,
}

/// Prints the bar and its legend.
pub(super) fn print(out: &mut Out, areas: &[Area<'_>], missing: u64) -> io::Result<()> {
    let segments = segments(areas, missing);
    let total: u64 = segments.iter().map(|s| s.bytes).fold(0, u64::saturating_add);
    if total == 0 {
        return Ok(());
    }
    let width = out.width().saturating_sub(4).clamp(8, MAX_WIDTH);
    let cells = cells(&segments.iter().map(|s| s.bytes).collect::<Vec<_>>(), width);
    write!(out, "  [")?;
    for (segment, cells) in segments.iter().zip(&cells) {
        let run: String = std::iter::repeat_n(segment.sign, *cells).collect();
        let run = out.styled(style(segment.color), run);
        write!(out, "{run}")?;
    }
    writeln!(out, "]")?;
    let room = out.width().saturating_sub(2);
    let mut column = 0;
    for segment in &segments {
        let share = percent(segment.bytes as f64 / total as f64);
        let text = format!("{} {share}, {}", segment.label, units::bytes(segment.bytes));
        let wide = out::columns(&text) + 2;
        if column == 0 {
            write!(out, "  ")?;
        } else if column + 3 + wide > room {
            write!(out, "\n  ")?;
            column = 0;
        } else {
            write!(out, "   ")?;
            column += 3;
        }
        let sign = out.styled(style(segment.color), segment.sign);
        write!(out, "{sign} {text}")?;
        column += wide;
    }
    writeln!(out)
}

const fn style(color: AnsiColor) -> Style {
    Style::new()
        .bg_color(Some(anstyle::Color::Ansi(color)))
        .fg_color(Some(anstyle::Color::Ansi(AnsiColor::Black)))
}

/// A part of the whole, as a person reads it.
pub(super) fn percent(share: f64) -> String {
    match share * 100.0 {
        p if p <= 0.0 => "0%".to_owned(),
        p if p < 0.1 => "<0.1%".to_owned(),
        // No part is the whole.
        p if p > 99.9 && share < 1.0 => ">99.9%".to_owned(),
        p => format!("{p:.1}%"),
    }
}

fn segments(areas: &[Area<'_>], missing: u64) -> Vec<Segment> {
    let total: u64 = areas.iter().map(|area| area.bytes).fold(missing, u64::saturating_add);
    let mut types = TYPES.iter();
    let mut arrays = ARRAYS.iter();
    let mut out: Vec<Segment> = Vec::new();
    let mut others = 0_u64;
    for area in areas {
        let (sign, color, label) = match area.content {
            Content::Before => ('<', AnsiColor::White, "before the GGUF".to_owned()),
            Content::Header | Content::Metadata => (':', AnsiColor::White, "metadata".to_owned()),
            Content::Array(key) => {
                let big = area.bytes as f64 >= total as f64 * BIG_ARRAY;
                match arrays.next().filter(|_| big) {
                    Some((sign, color)) => (*sign, *color, short_key(key.as_bytes())),
                    None => (':', AnsiColor::White, "metadata".to_owned()),
                }
            }
            Content::TensorTable => (';', AnsiColor::White, "tensor table".to_owned()),
            Content::Tensors(ty) => match types.next() {
                Some((sign, color)) => (*sign, *color, ty.to_string()),
                None => {
                    others = others.saturating_add(area.bytes);
                    continue;
                }
            },
            Content::Mixed => {
                others = others.saturating_add(area.bytes);
                continue;
            }
            Content::Padding => ('.', AnsiColor::White, "padding".to_owned()),
            Content::Gap => ('_', AnsiColor::BrightRed, "gaps".to_owned()),
            Content::Trailing => ('!', AnsiColor::BrightRed, "behind the data".to_owned()),
            Content::Unread => ('?', AnsiColor::BrightRed, "not read".to_owned()),
        };
        match out.iter_mut().find(|there| there.sign == sign) {
            Some(there) => there.bytes = there.bytes.saturating_add(area.bytes),
            None => out.push(Segment { sign, color, label, bytes: area.bytes }),
        }
    }
    if others > 0 {
        let at = out.iter().position(|s| matches!(s.sign, '.' | '_' | '!' | '?')).unwrap_or(out.len());
        let label = "other types".to_owned();
        out.insert(at, Segment { sign: '%', color: AnsiColor::White, label, bytes: others });
    }
    if missing > 0 {
        let label = "missing".to_owned();
        out.push(Segment { sign: '/', color: AnsiColor::BrightRed, label, bytes: missing });
    }
    out
}

/// The end of a key, which is what tells arrays apart.
fn short_key(key: &[u8]) -> String {
    let last = key.rsplit(|&b| b == b'.').next().unwrap_or(key);
    out::fit(if last.is_empty() { key } else { last }, 24)
}

/// How many of `width` cells each of the parts gets: rounded down, and the cells that are left go to the largest
/// remainders, so that they add up.
fn cells(parts: &[u64], width: usize) -> Vec<usize> {
    let total: u128 = parts.iter().map(|&n| u128::from(n)).sum();
    if total == 0 {
        return vec![0; parts.len()];
    }
    let scaled: Vec<u128> = parts.iter().map(|&n| u128::from(n) * width as u128).collect();
    let mut cells: Vec<usize> = scaled.iter().map(|n| usize::try_from(n / total).unwrap_or(0)).collect();
    let left = width.saturating_sub(cells.iter().sum());
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|&i| core::cmp::Reverse(scaled.get(i).map_or(0, |n| n % total)));
    for i in order.into_iter().take(left) {
        if let Some(cell) = cells.get_mut(i) {
            *cell += 1;
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_add_up_and_are_to_scale() {
        for (parts, width, expected) in [
            (&[1, 1][..], 10, &[5, 5][..]),
            (&[1, 1, 1], 10, &[4, 3, 3]),
            (&[999, 1], 10, &[10, 0]),
            (&[94, 6], 10, &[9, 1]),
            (&[0, 0], 10, &[0, 0]),
            (&[u64::MAX, u64::MAX], 4, &[2, 2]),
        ] {
            assert_eq!(cells(parts, width), expected, "{parts:?}");
        }
    }

    #[test]
    fn percentages_never_round_to_nothing_or_all() {
        for (share, expected) in
            [(0.0, "0%"), (0.0001, "<0.1%"), (0.5, "50.0%"), (0.9999, ">99.9%"), (1.0, "100.0%")]
        {
            assert_eq!(percent(share), expected);
        }
    }
}
