//! Pictures: strips of neighbouring cells, bits of bytes, fields of a file.

use std::io::{self, Write as _};

use ggufkit::format::spaced_hex;
use ggufkit::format::spec::Lang;
use ggufkit::inspect::explain::{BitCell, BitRow, FieldRow, StripCell};
use ggufkit::inspect::units;

use super::render::{BOLD, CODE, FAINT, inline, measure, print, print_line};
use super::wrap::{Run, fill, width_of};
use crate::commands::hex::style_of;
use crate::out::{Out, columns, pad};

/// A row of boxes. Boxes of bytes are drawn in proportion, as far as their labels allow.
pub(super) fn strip(out: &mut Out, unit: &str, cells: &[StripCell]) -> io::Result<()> {
    let numbered = !unit.is_empty();
    let end = cells.last().map_or(0, |cell| cell.start.saturating_add(cell.size)).to_string();
    // The number of the end stands under the last bar and goes on to the right.
    let room = measure(out).saturating_sub(2 + if numbered { end.len() } else { 1 });
    let least = |cell: &StripCell| {
        let text = columns(&cell.label).max(columns(&cell.note)) + 2;
        if numbered { text.max(cell.start.to_string().len() + 1) } else { text }
    };
    let mut widths: Vec<usize> = cells.iter().map(least).collect();
    let taken: usize = widths.iter().map(|w| w + 1).sum();
    if taken > room {
        return strip_list(out, cells, numbered);
    }
    if numbered {
        let spare = room.min(76).saturating_sub(taken);
        let total: u64 = cells.iter().map(|cell| cell.size).sum();
        for (width, cell) in widths.iter_mut().zip(cells) {
            let share = (spare as u64).saturating_mul(cell.size).checked_div(total).unwrap_or(0);
            *width += usize::try_from(share).unwrap_or(0);
        }
    }
    if numbered {
        let mut line = String::from("  ");
        for (width, cell) in widths.iter().zip(cells) {
            line.push_str(&pad(&cell.start.to_string(), width + 1));
        }
        line.push_str(&end);
        print_line(out, &[Run::new(FAINT, line)])?;
    }
    let rule = |left: &str, joint: &str, right: &str| {
        let bars: Vec<String> = widths.iter().map(|w| "─".repeat(*w)).collect();
        format!("  {left}{}{right}", bars.join(joint))
    };
    print_line(out, &[Run::new(FAINT, rule("┌", "┬", "┐"))])?;
    for (style, text) in [(CODE, 0), (anstyle::Style::new(), 1)] {
        let mut line = vec![Run::plain("  ")];
        for (width, cell) in widths.iter().zip(cells) {
            let text = if text == 0 { &cell.label } else { &cell.note };
            line.push(Run::new(FAINT, "│"));
            line.push(Run::new(style, pad(&format!(" {text}"), *width)));
        }
        line.push(Run::new(FAINT, "│"));
        print_line(out, &line)?;
    }
    print_line(out, &[Run::new(FAINT, rule("└", "┴", "┘"))])
}

/// A strip that is too long for the line, from top to bottom.
fn strip_list(out: &mut Out, cells: &[StripCell], numbered: bool) -> io::Result<()> {
    let widest = cells.iter().map(|cell| columns(&cell.label)).max().unwrap_or(0);
    for cell in cells {
        let start = if numbered { format!("{:>6}  ", cell.start) } else { "  ".to_owned() };
        let label = pad(&cell.label, widest + 2);
        print_line(out, &[Run::new(FAINT, start), Run::new(CODE, label), Run::plain(cell.note.clone())])?;
    }
    Ok(())
}

/// Columns before the bits: the byte's number.
const BEFORE: usize = 7;

/// Bytes with their bits, member by member.
pub(super) fn bits(out: &mut Out, rows: &[BitRow], lang: Lang) -> io::Result<()> {
    let mut rest = rows;
    let mut first = true;
    while let Some(part) = rest.iter().find_map(part_of) {
        let end = rest.iter().position(|row| part_of(row).is_some_and(|p| p != part)).unwrap_or(rest.len());
        let (own, after) = rest.split_at(end);
        if !first {
            writeln!(out)?;
        }
        first = false;
        member(out, part, own, lang)?;
        rest = after;
    }
    Ok(())
}

const fn part_of(row: &BitRow) -> Option<&'static str> {
    match row {
        BitRow::Byte { part, .. } => Some(part),
        BitRow::Fold { .. } => None,
    }
}

fn member(out: &mut Out, part: &str, rows: &[BitRow], lang: Lang) -> io::Result<()> {
    // Columns of a bit, so that every label has this much space beside it.
    let bit = |space: usize| {
        let need = |cell: &BitCell| (columns(&cell.label) + space).div_ceil(usize::from(cell.bits).max(1));
        let cells = rows.iter().flat_map(|row| match row {
            BitRow::Byte { cells, .. } => cells.as_slice(),
            BitRow::Fold { .. } => &[],
        });
        cells.map(need).max().unwrap_or(0).max(3)
    };
    let fits = |bit: &usize| BEFORE + bit * 8 < measure(out);
    // A space on either side and a bar, a bar alone, or no boxes at all.
    let (bit, lead) = [(3, " "), (1, "")]
        .into_iter()
        .map(|(space, lead)| (bit(space), lead))
        .find(|(bit, _)| fits(bit))
        .unwrap_or((0, ""));
    let boxed = bit > 0;
    let mut head =
        vec![Run::new(BOLD, if boxed { pad(&format!(" {part}"), BEFORE) } else { format!(" {part}") })];
    if boxed {
        let numbers: String =
            (0..8).rev().map(|i| format!(" {lead}{i:<w$}", w = bit - 1 - lead.len())).collect();
        head.push(Run::new(FAINT, numbers.trim_end()));
    }
    print_line(out, &head)?;
    for row in rows {
        match row {
            BitRow::Fold { bytes } => {
                let text = match (bytes, lang) {
                    (1, Lang::En) => "1 byte goes on like this".to_owned(),
                    (n, Lang::En) => format!("{} bytes go on like this", units::count((*n).into())),
                    (n, Lang::Zh) => format!("以下 {n} 字节依此类推"),
                };
                print_line(out, &[Run::new(FAINT, format!("{:>w$} {text}", "⋮", w = BEFORE - 1))])?;
            }
            BitRow::Byte { byte, cells, .. } if boxed => {
                let mut line = vec![Run::new(FAINT, format!("{byte:>w$} ", w = BEFORE - 1))];
                for cell in cells {
                    let width = usize::from(cell.bits) * bit - 1;
                    line.push(Run::new(FAINT, "│"));
                    line.push(Run::new(CODE, pad(&format!("{lead}{}", cell.label), width)));
                }
                line.push(Run::new(FAINT, "│"));
                print_line(out, &line)?;
            }
            BitRow::Byte { byte, cells, .. } => {
                let labels: Vec<&str> = cells.iter().map(|cell| cell.label.as_str()).collect();
                let lines = fill(&[Run::new(CODE, labels.join(" "))], measure(out).saturating_sub(BEFORE));
                let number = Run::new(FAINT, format!("{byte:>w$} ", w = BEFORE - 1));
                let mut lines = lines.into_iter();
                let first: Vec<Run> =
                    std::iter::once(number).chain(lines.next().unwrap_or_default()).collect();
                print_line(out, &first)?;
                print(out, BEFORE, &lines.collect::<Vec<_>>())?;
            }
        }
    }
    Ok(())
}

/// Bytes of a row of fields.
const BYTES: usize = 8;

/// Fields of a file: position, bytes, path, what they say.
pub(super) fn fields(out: &mut Out, rows: &[FieldRow]) -> io::Result<()> {
    let path_width = rows.iter().map(|row| row.path.len()).max().unwrap_or(0);
    let before = 6 + 2 + BYTES * 3 - 1 + 2;
    let wide = before + path_width + 2 + 24 <= measure(out);
    for row in rows {
        let style = style_of(row.kind);
        let mut words = vec![if wide {
            Run::plain(pad(&row.path, path_width + 2))
        } else {
            Run::plain(format!("{}  ", row.path))
        }];
        // On a wide page the text has a column of its own, else it follows the path.
        let mut text = inline(&row.text, false);
        let mut lines: Vec<Vec<Run>> = if wide {
            let room = measure(out).saturating_sub(before + path_width + 2);
            let filled = fill(&text, room);
            let indent = Run::plain(" ".repeat(path_width + 2));
            let mut lead = words.into_iter();
            filled
                .into_iter()
                .map(|line| {
                    std::iter::once(lead.next().unwrap_or_else(|| indent.clone())).chain(line).collect()
                })
                .collect()
        } else {
            words.append(&mut text);
            fill(&words, measure(out).saturating_sub(before))
        };
        let chunks: Vec<&[u8]> =
            if row.bytes.is_empty() { vec![&[]] } else { row.bytes.chunks(BYTES).collect() };
        let height = chunks.len().max(lines.len());
        lines.resize(height, Vec::new());
        for (i, words) in lines.into_iter().enumerate() {
            let chunk = chunks.get(i).copied().unwrap_or_default();
            let hex = spaced_hex(chunk);
            let position = row.offset.saturating_add((i * BYTES) as u64);
            let position =
                if chunk.is_empty() && i > 0 { String::new() } else { format!("0x{position:04x}") };
            let digits = hex.len();
            let mut line = vec![Run::new(FAINT, format!("{position:8}")), Run::new(style, hex)];
            if width_of(&words) > 0 {
                let fill = before.saturating_sub(8 + digits);
                line.push(Run::plain(" ".repeat(fill)));
                line.extend(words);
            }
            print_line(out, &line)?;
        }
    }
    Ok(())
}
