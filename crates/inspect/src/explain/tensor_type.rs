//! Topics about tensor types: the block drawn byte by byte and bit by bit, and one element worked out.

use ggufkit_format::spaced_hex;
use ggufkit_format::spec::{Lang, Part, TensorType, TensorTypeInfo, TypeStatus};

use super::{BitCell, BitRow, Block, StripCell, Topic, say};
use crate::blocks::{Cell, Sym, Term, cells, count, example, number, rows, work};

/// The topic of one tensor type.
pub(super) fn topic(ty: TensorType, lang: Lang) -> Option<Topic> {
    let info = ty.info()?;
    let name = info.name;
    let mut body = Vec::new();
    if let TypeStatus::Removed { note } = info.status {
        let note = note.get(lang);
        body.push(Block::Text { text: say!(lang, "Removed: {note}.", "已移除：{note}。") });
    } else {
        body.push(facts(info, lang));
        body.push(Block::Heading { text: say!(lang, "The bytes of a block", "一个块的字节") });
        body.push(strip(info));
        body.push(parts(info, lang));
        body.push(Block::Heading { text: say!(lang, "The bits", "各个位") });
        body.push(Block::Text { text: legend(info, lang) });
        body.push(Block::Bits { rows: bits(info) });
        body.push(Block::Heading { text: say!(lang, "The value of an element", "元素的值") });
        body.push(Block::Verbatim { lines: vec![info.formula.to_owned()] });
        body.extend(worked(info, lang).into_iter().flatten());
    }
    let mut see: Vec<String> = relatives(info).iter().map(|name| format!("types/{name}")).collect();
    see.push(if info.is_plain() { "types".to_owned() } else { "quantization".to_owned() });
    Some(Topic {
        id: format!("types/{name}"),
        title: say!(lang, "{name}, a type of tensors", "{name}：张量类型"),
        summary: info.what.get(lang).to_owned(),
        body,
        see,
    })
}

fn facts(info: &TensorTypeInfo, lang: Lang) -> Block {
    let (id, elems, bytes, bits) = (info.ty.0, info.block_elems, info.block_bytes, info.bits_per_weight());
    let mut rows = vec![vec![say!(lang, "id", "编号"), id.to_string()]];
    if info.is_quantized() {
        let block = say!(lang, "{elems} elements in {bytes} bytes", "{elems} 个元素，{bytes} 字节");
        rows.push(vec![say!(lang, "block", "块"), block]);
        let sum = say!(lang, "{bits} ({bytes} * 8 / {elems})", "{bits}（{bytes} * 8 / {elems}）");
        rows.push(vec![say!(lang, "bits per weight", "每权重位数"), sum]);
    } else {
        let size = match (bytes, lang) {
            (1, Lang::En) => "1 byte for an element".to_owned(),
            _ => say!(lang, "{bytes} bytes for an element", "每个元素 {bytes} 字节"),
        };
        rows.push(vec![say!(lang, "size", "大小"), size]);
    }
    if info.status == TypeStatus::ComputeOnly {
        let text = say!(
            lang,
            "not stored in files: an intermediate of matrix multiplication",
            "不存入文件：矩阵乘法的中间形式"
        );
        rows.push(vec![say!(lang, "use", "用途"), text]);
    }
    Block::Table { head: vec![String::new(), String::new()], rows }
}

/// `f16`, `12 × u8`.
fn unit(part: &Part) -> String {
    let name = part.unit.name();
    match part.bytes / part.unit.width() {
        1 => name.to_owned(),
        n => format!("{n} × {name}"),
    }
}

fn strip(info: &TensorTypeInfo) -> Block {
    let cell = |part: &Part| StripCell {
        label: part.name.to_owned(),
        note: unit(part),
        start: part.offset.into(),
        size: part.bytes.into(),
    };
    Block::Strip { unit: "byte".to_owned(), cells: info.parts.iter().map(cell).collect() }
}

fn parts(info: &TensorTypeInfo, lang: Lang) -> Block {
    let head = match lang {
        Lang::En => ["Member", "Bytes", "What it holds"],
        Lang::Zh => ["成员", "字节", "内容"],
    };
    let rows = info.parts.iter().map(|part| {
        let last = part.offset + part.bytes - 1;
        let span = if part.bytes == 1 { last.to_string() } else { format!("{}..{last}", part.offset) };
        vec![format!("`{}`", part.name), span, part.bits.get(lang).to_owned()]
    });
    Block::Table { head: head.map(str::to_owned).to_vec(), rows: rows.collect() }
}

/// What the labels of the picture mean.
fn legend(info: &TensorTypeInfo, lang: Lang) -> String {
    let cells = cells(info);
    let mut out = match lang {
        Lang::En => "One row for a byte, its most significant bit on the left.".to_owned(),
        Lang::Zh => "每行一个字节，最高位在左。".to_owned(),
    };
    let span = |sym| match info.block_elems / count(&cells, sym).max(1) {
        1 => say!(lang, "element i", "第 i 个元素"),
        n => {
            let last = n - 1;
            say!(lang, "elements {n}*i to {n}*i+{last}", "第 {n}*i 至 {n}*i+{last} 个元素")
        }
    };
    let mut seen = Vec::new();
    for cell in &cells {
        if seen.contains(&cell.sym) {
            continue;
        }
        seen.push(cell.sym);
        let name = cell.sym.name();
        let of = span(cell.sym);
        let text = match cell.sym {
            Sym::Number(_) => continue,
            Sym::Quant => {
                say!(lang, "`{name}[i]` is the quantized value of {of}", "`{name}[i]` 是{of}的量化值")
            }
            Sym::Index => {
                say!(lang, "`{name}[i]` is the codebook index of {of}", "`{name}[i]` 是{of}的码本索引")
            }
            Sym::Pattern => {
                say!(
                    lang,
                    "`{name}[i]` holds seven of the eight signs of {of}",
                    "`{name}[i]` 存{of}八个符号中的七个"
                )
            }
            Sym::Sign => say!(lang, "`{name}[i]` set makes {of} negative", "`{name}[i]` 为 1 表示{of}取负"),
            Sym::Scale => say!(lang, "`{name}[i]` is the scale of {of}", "`{name}[i]` 是{of}的缩放"),
            Sym::Min => say!(lang, "`{name}[i]` is the minimum of {of}", "`{name}[i]` 是{of}的最小值"),
            Sym::Delta => say!(
                lang,
                "`{name}[i]` set shifts {of} down instead of up",
                "`{name}[i]` 为 1 表示{of}向下而非向上偏移"
            ),
            Sym::Sum => say!(lang, "`{name}[i]` is the sum over {of}", "`{name}[i]` 是{of}之和"),
            Sym::Digits => say!(
                lang,
                "`{name}[i]` is byte i with its base-3 digits, one for each of up to five elements",
                "`{name}[i]` 是第 i 字节，内含至多 5 个元素的三进制位"
            ),
        };
        match lang {
            Lang::En => out.push_str(&format!(" {text}.")),
            Lang::Zh => out.push_str(&format!("{text}。")),
        }
    }
    // Only where a number is parted: what a suffix means.
    if let Some(label) = bits(info).iter().find_map(parted) {
        out.push_str(&say!(
            lang,
            " The part after a colon says which bits of the number: `{label}`.",
            "冒号后面是该数的哪几位：`{label}`。"
        ));
    }
    out
}

/// A label of the row that names bits of a number.
fn parted(row: &BitRow) -> Option<String> {
    let BitRow::Byte { cells, .. } = row else { return None };
    cells.iter().find(|cell| cell.label.contains(':')).map(|cell| cell.label.clone())
}

/// Every byte of the block; runs of bytes that only count up are folded.
fn bits(info: &TensorTypeInfo) -> Vec<BitRow> {
    let cells = cells(info);
    let bytes = rows(&cells);
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(row) = bytes.get(at) {
        let (period, cycles) = pattern(&bytes, at, info);
        let run = period * cycles;
        // The first two rows and the last show how it goes on; of several rows that repeat, the first time and the last.
        let head = if period == 1 { 2 } else { period };
        let folded = run.saturating_sub(head + period);
        let folded = if folded > 1 { folded } else { 0 };
        for i in (0..run).filter(|i| folded == 0 || *i < head || *i >= head + folded) {
            if folded > 0 && i == head + folded {
                out.push(BitRow::Fold { bytes: folded as u32 });
            }
            let row = bytes.get(at + i).unwrap_or(row);
            let part = part_of(info, row).map_or("", |part| part.name);
            let byte = row.first().map_or(0, |cell| cell.byte);
            out.push(BitRow::Byte {
                byte,
                part,
                cells: row.iter().map(|cell| label(cell, &cells)).collect(),
            });
        }
        at += run;
    }
    out
}

fn part_of<'a>(info: &'a TensorTypeInfo, row: &[Cell]) -> Option<&'a Part> {
    let byte = row.first()?.byte;
    info.parts.iter().find(|part| byte >= part.offset && byte < part.offset + part.bytes)
}

/// Rows that are looked at together, at most; the longest pattern of a known type has eight.
const LONGEST_PATTERN: usize = 16;

/// How the bytes from `at` on repeat: how many rows make up the pattern, and how many times it is there, with numbers that
/// go up evenly. Of several readings the one that saves most rows.
fn pattern(bytes: &[Vec<Cell>], at: usize, info: &TensorTypeInfo) -> (usize, usize) {
    let saved = |&(period, cycles): &(usize, usize)| {
        let shown = if period == 1 { 3 } else { 2 * period };
        (period * cycles).saturating_sub(shown)
    };
    let candidates = (1..=LONGEST_PATTERN).map(|period| (period, cycles(bytes, at, period, info)));
    // The shortest of equals, and nothing is saved by fewer than three times.
    let longer = candidates.filter(|&(period, cycles)| period == 1 || cycles > 2);
    longer.rev().max_by_key(saved).unwrap_or((1, 1))
}

/// How many times the `period` rows from `at` on are there.
fn cycles(bytes: &[Vec<Cell>], at: usize, period: usize, info: &TensorTypeInfo) -> usize {
    let row = |i: usize| bytes.get(at + i).map(Vec::as_slice);
    let same = |a: &[Cell], b: &[Cell]| {
        a.len() == b.len()
            && part_of(info, a) == part_of(info, b)
            && a.iter()
                .zip(b)
                .all(|(a, b)| (a.sym, a.low, a.width, a.shift) == (b.sym, b.low, b.width, b.shift))
    };
    let step = |a: &[Cell], b: &[Cell]| -> Vec<i64> {
        a.iter().zip(b).map(|(a, b)| i64::from(b.index) - i64::from(a.index)).collect()
    };
    let goes_on = |i: usize| {
        let (Some(now), Some(before)) = (row(i), i.checked_sub(period).and_then(row)) else { return false };
        let stride = step(before, now);
        same(before, now)
            && i.checked_sub(2 * period).and_then(row).is_none_or(|earlier| step(earlier, before) == stride)
    };
    let rows = (period..).take_while(|&i| goes_on(i)).count();
    1 + rows / period
}

fn label(cell: &Cell, all: &[Cell]) -> BitCell {
    let name = match cell.sym {
        Sym::Number(name) => name.to_owned(),
        _ => format!("{}[{}]", cell.sym.name(), cell.index),
    };
    let bits = number(all, &[], cell.sym, cell.index).map_or(cell.width, |(_, bits)| bits);
    let high = cell.shift + cell.width - 1;
    let suffix = match (bits == cell.width, cell.width) {
        (true, _) => String::new(),
        (false, 1) => format!(":{high}"),
        (false, _) => format!(":{high}..{}", cell.shift),
    };
    BitCell { bits: cell.width, label: format!("{name}{suffix}") }
}

/// One element of the example block, worked out step by step.
fn worked(info: &TensorTypeInfo, lang: Lang) -> Option<[Block; 3]> {
    let example = example(info)?;
    let worked = work(info, &example.block, example.element)?;
    let e = example.element;
    let intro = match info.is_plain() {
        true => say!(lang, "An example, worked out:", "算一个例子："),
        false => say!(
            lang,
            "Element {e} of a made-up block, worked out:",
            "以一个虚构的块为例，算出第 {e} 个元素："
        ),
    };
    let items = worked.terms.iter().map(|term| self::term(term, &example.block, lang)).collect();
    Some([
        Block::Text { text: intro },
        Block::List { numbered: true, items },
        Block::Verbatim { lines: vec![format!("w = {}", worked.expression)] },
    ])
}

/// `d: bytes 0..1 = 00 38, that is 0.5`.
fn term(term: &Term, block: &[u8], lang: Lang) -> String {
    let (name, value) = (&term.name, &term.value);
    let colon = if lang == Lang::En { ": " } else { "：" };
    if let Some(how) = &term.how {
        return format!("`{name}` = {value}{colon}`{how}`");
    }
    let byte = |at: u32| block.get(at as usize).copied().unwrap_or(0);
    let pieces: Vec<String> = match term.bits.as_slice() {
        // Whole bytes in a row are read as one number.
        [(first, 7, 0), .., (last, 7, 0)]
            if term.bits.iter().all(|(_, high, low)| (*high, *low) == (7, 0)) =>
        {
            let hex = spaced_hex(&(*first..=*last).map(byte).collect::<Vec<u8>>());
            vec![say!(lang, "bytes {first}..{last} are `{hex}`", "第 {first}..{last} 字节为 `{hex}`")]
        }
        bits => bits
            .iter()
            .map(|&(at, high, low)| {
                let b = byte(at);
                let value = (u32::from(b) >> low) & ((1 << (high - low + 1)) - 1);
                match (high, low) {
                    (7, 0) => say!(lang, "byte {at} is `{b:02x}`", "第 {at} 字节为 `{b:02x}`"),
                    (3, 0) => say!(
                        lang,
                        "the low nibble of byte {at} (`{b:02x}`) is {value}",
                        "第 {at} 字节（`{b:02x}`）的低 4 位为 {value}"
                    ),
                    (7, 4) => say!(
                        lang,
                        "the high nibble of byte {at} (`{b:02x}`) is {value}",
                        "第 {at} 字节（`{b:02x}`）的高 4 位为 {value}"
                    ),
                    _ if high == low => {
                        say!(
                            lang,
                            "bit {high} of byte {at} (`{b:02x}`) is {value}",
                            "第 {at} 字节（`{b:02x}`）的第 {high} 位为 {value}"
                        )
                    }
                    _ => say!(
                        lang,
                        "bits {low}..{high} of byte {at} (`{b:02x}`) are {value}",
                        "第 {at} 字节（`{b:02x}`）的第 {low}..{high} 位为 {value}"
                    ),
                }
            })
            .collect(),
    };
    let and = if lang == Lang::En { ", " } else { "，" };
    format!("`{name}` = {value}{colon}{}", pieces.join(and))
}

/// Types that one compares with this one.
fn relatives(info: &TensorTypeInfo) -> &'static [&'static str] {
    match info.name {
        "Q4_0" => &["Q4_1", "Q4_K"],
        "Q4_1" => &["Q4_0", "Q5_1"],
        "Q5_0" => &["Q4_0", "Q5_1"],
        "Q5_1" => &["Q4_1", "Q5_0"],
        "Q8_0" => &["Q8_K", "F16"],
        "Q8_1" => &["Q8_0"],
        "Q4_K" => &["Q5_K", "Q4_0"],
        "Q5_K" => &["Q4_K", "Q6_K"],
        "Q2_K" => &["Q3_K", "Q4_K"],
        "Q3_K" => &["Q2_K", "Q4_K"],
        "Q6_K" => &["Q5_K", "Q8_0"],
        "Q8_K" => &["Q8_0"],
        "IQ4_NL" => &["IQ4_XS", "Q4_0"],
        "IQ4_XS" => &["IQ4_NL", "Q4_K"],
        "IQ2_XXS" | "IQ2_S" => &["IQ2_XS"],
        "IQ2_XS" => &["IQ2_XXS", "IQ2_S"],
        "IQ3_XXS" => &["IQ3_S"],
        "IQ3_S" => &["IQ3_XXS"],
        "IQ1_S" => &["IQ1_M"],
        "IQ1_M" => &["IQ1_S"],
        "TQ1_0" => &["TQ2_0"],
        "TQ2_0" => &["TQ1_0"],
        "MXFP4" => &["NVFP4"],
        "NVFP4" => &["MXFP4"],
        "F16" => &["BF16", "F32"],
        "BF16" => &["F16", "F32"],
        _ => &[],
    }
}

/// The table of all types.
pub(super) fn table(lang: Lang) -> Block {
    let head = match lang {
        Lang::En => ["Id", "Type", "Elements", "Bytes", "Bits/weight", "Members of a block"],
        Lang::Zh => ["编号", "类型", "元素数", "字节数", "位/权重", "块的成员"],
    };
    let rows = ggufkit_format::spec::TENSOR_TYPES.iter().map(|info| {
        let id = info.ty.0.to_string();
        if info.is_removed() {
            let gone = say!(lang, "removed", "已移除");
            return vec![id, info.name.to_owned(), String::new(), String::new(), String::new(), gone];
        }
        let parts: Vec<String> =
            info.parts.iter().map(|part| format!("{} {}", part.name, unit(part))).collect();
        let parts = if info.is_plain() { String::new() } else { parts.join(", ") };
        vec![
            id,
            info.name.to_owned(),
            info.block_elems.to_string(),
            info.block_bytes.to_string(),
            info.bits_per_weight().to_string(),
            parts,
        ]
    });
    Block::Table { head: head.map(str::to_owned).to_vec(), rows: rows.collect() }
}
