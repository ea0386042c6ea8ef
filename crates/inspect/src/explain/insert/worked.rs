//! Arithmetic worked through with numbers.

use ggufkit_format::layout::{align_up, padding, tensor_bytes};
use ggufkit_format::naming::shard_name;
use ggufkit_format::spec::{Lang, TensorType};
use ggufkit_format::{Endian, Options, parse, spaced_hex};

use super::super::{Block, example, say};
use super::head;
use crate::units;

/// Bytes of lengths and counts in a version, asked of a reader.
pub(super) fn length_bytes(version: u32) -> u64 {
    let mut bytes = b"GGUF".to_vec();
    bytes.extend(version.to_le_bytes());
    bytes.extend([0; 16]);
    parse(&bytes, Options::new()).index.map_or(0, |index| index.header().length_bytes())
}

/// Padding after some positions.
pub(super) fn alignment_table(lang: Lang) -> Block {
    let rows = [(0, 32), (1, 32), (31, 32), (32, 32), (1000, 32), (1000, 64), (1000, 1)].map(
        |(position, alignment)| {
            let pad = padding(position, alignment);
            vec![
                position.to_string(),
                alignment.to_string(),
                format!("{position} mod {alignment} = {}", position % alignment),
                pad.to_string(),
                (position + pad).to_string(),
            ]
        },
    );
    let head = head(
        lang,
        ["Position", "Alignment", "Remainder", "Padding", "Aligned position"],
        ["位置", "对齐值", "余数", "填充", "对齐后的位置"],
    );
    Block::Table { head, rows: rows.to_vec() }
}

/// The data section of the small example file.
pub(super) fn alignment(lang: Lang) -> Vec<Block> {
    let bytes = example::small();
    let Some(index) = example::index(&bytes) else { return Vec::new() };
    let (end, alignment) = (index.head_end(), index.alignment());
    let (over, pad, start) =
        (end % alignment, padding(end, alignment), align_up(end, alignment).unwrap_or(end));
    let lines = vec![
        say!(lang, "end of the tensor table    {end}", "张量表结束于   {end}"),
        say!(
            lang,
            "remainder                  {end} mod {alignment} = {over}",
            "余数           {end} mod {alignment} = {over}"
        ),
        say!(
            lang,
            "padding                    {alignment} - {over} = {pad} bytes of zero",
            "填充           {alignment} - {over} = {pad} 个零字节"
        ),
        say!(
            lang,
            "start of the data section  {end} + {pad} = {start}",
            "数据区开始于   {end} + {pad} = {start}"
        ),
    ];
    vec![Block::Verbatim { lines }]
}

/// Offsets of three tensors.
pub(super) fn offsets(lang: Lang) -> Vec<Block> {
    let (alignment, start) = (32, 11_520);
    let tensors = [
        ("output_norm.weight", TensorType::F32, vec![250]),
        ("blk.0.attn_q.weight", TensorType::Q4_K, vec![256, 3]),
        ("token_embd.weight", TensorType::Q6_K, vec![256, 10]),
    ];
    let mut offset = 0;
    let mut rows = Vec::new();
    let mut lines = vec![say!(lang, "offset[0] = 0", "offset[0] = 0")];
    for (i, (name, ty, dims)) in tensors.iter().enumerate() {
        let size = tensor_bytes(*ty, dims).unwrap_or(0);
        let shape: Vec<String> = dims.iter().map(ToString::to_string).collect();
        rows.push(vec![
            format!("`{name}`"),
            format!("{ty} [{}]", shape.join(", ")),
            units::count(size),
            units::count(offset),
            format!("{} + {} = {}", units::count(start), units::count(offset), units::count(start + offset)),
        ]);
        let (end, pad) = (offset + size, padding(offset + size, alignment));
        if i + 1 < tensors.len() {
            lines.push(format!("offset[{}] = {offset} + {size} + {pad} = {}", i + 1, end + pad));
        }
        offset = end + pad;
    }
    let head = head(
        lang,
        ["Tensor", "Type and shape", "Bytes", "Offset", "Position in the file"],
        ["张量", "类型与形状", "字节数", "偏移", "文件中的位置"],
    );
    vec![Block::Verbatim { lines }, Block::Table { head, rows }]
}

/// How eight numbers become a scale and eight small integers, in the manner of Q4_0.
pub(super) fn quantization(lang: Lang) -> Vec<Block> {
    let weights = [0.30_f32, -0.12, 0.70, -0.80, 0.05, 0.42, -0.33, 0.18];
    // Q4_0: the value of largest size becomes -8 times the scale.
    let largest = weights.iter().copied().fold(0.0_f32, |m, w| if w.abs() > m.abs() { w } else { m });
    let d = largest / -8.0;
    let codes: Vec<u8> = weights.iter().map(|w| ((w / d + 8.5) as u8).min(15)).collect();
    let back: Vec<f32> = codes.iter().map(|q| d * (f32::from(*q) - 8.0)).collect();
    let cells =
        |name: String, values: Vec<String>| std::iter::once(name).chain(values).collect::<Vec<String>>();
    let rows = vec![
        cells(say!(lang, "weight", "权重"), weights.iter().map(|w| format!("{w:.2}")).collect()),
        cells(say!(lang, "code q", "编码 q"), codes.iter().map(u8::to_string).collect()),
        cells("d * (q - 8)".to_owned(), back.iter().map(|w| format!("{w:.2}")).collect()),
        cells(
            say!(lang, "error", "误差"),
            weights.iter().zip(&back).map(|(w, b)| format!("{:.2}", (w - b).abs())).collect(),
        ),
    ];
    let line = say!(lang, "d = {largest:.2} / -8 = {d:.2}", "d = {largest:.2} / -8 = {d:.2}");
    vec![Block::Verbatim { lines: vec![line] }, Block::Table { head: vec![String::new(); 9], rows }]
}

/// Bytes of one tensor in several types.
pub(super) fn sizes(lang: Lang) -> Vec<Block> {
    let dims = [4096, 11_008];
    let types = [
        TensorType::F32,
        TensorType::F16,
        TensorType::Q8_0,
        TensorType::Q6_K,
        TensorType::Q4_K,
        TensorType::Q2_K,
    ];
    let rows = types.into_iter().filter_map(|ty| {
        let info = ty.info()?;
        let bytes = tensor_bytes(ty, &dims).ok()?;
        let (elems, size) = (info.block_elems, info.block_bytes);
        let formula = format!("4096 / {elems} * {size} * 11008");
        Some(vec![info.name.to_owned(), formula, units::count(bytes), units::bytes(bytes)])
    });
    let head =
        head(lang, ["Type", "Bytes of [4096, 11008]", "", ""], ["类型", "[4096, 11008] 的字节数", "", ""]);
    vec![Block::Table { head, rows: rows.collect() }]
}

/// The three floats that one meets most.
pub(super) fn floats(lang: Lang) -> Block {
    let rows = [
        ["F32", "1 + 8 + 23", "3.4e38", "7"],
        ["F16", "1 + 5 + 10", "65504", "3"],
        ["BF16", "1 + 8 + 7", "3.4e38", "2"],
    ];
    let head = head(
        lang,
        ["Type", "Sign + exponent + mantissa bits", "Largest value", "Decimal digits"],
        ["类型", "符号 + 指数 + 尾数位", "最大值", "十进制有效位"],
    );
    Block::Table { head, rows: rows.map(|row| row.map(str::to_owned).to_vec()).to_vec() }
}

pub(super) fn shard_names() -> Block {
    Block::Verbatim { lines: (1..=3).map(|no| shard_name("Grok-100B-v1.0-Q4_0", no, 3)).collect() }
}

/// The version field in either byte order, read by the reader.
pub(super) fn endian(lang: Lang) -> Block {
    let row = |endian: Endian| {
        let bytes = match endian {
            Endian::Little => 3_u32.to_le_bytes(),
            Endian::Big => 3_u32.to_be_bytes(),
        };
        let hex = spaced_hex(&bytes);
        let number = u32::from_le_bytes(bytes);
        let name = match (endian, lang) {
            (Endian::Little, Lang::Zh) => "小端序".to_owned(),
            (Endian::Big, Lang::Zh) => "大端序".to_owned(),
            (_, Lang::En) => endian.name().to_owned(),
        };
        vec![name, format!("`{hex}`"), format!("{number:#010x}"), format!("{:#06x}", number & 0xffff)]
    };
    let head = head(
        lang,
        ["Byte order", "Bytes of version 3", "Read as little-endian", "Its low 16 bits"],
        ["字节序", "版本 3 的字节", "按小端序读出", "其低 16 位"],
    );
    Block::Table { head, rows: vec![row(Endian::Little), row(Endian::Big)] }
}

pub(super) fn versions(lang: Lang) -> Block {
    let what = [
        say!(lang, "the first GGUF; hardly any file of it is left", "最早的 GGUF；现存文件极少"),
        say!(lang, "counts and lengths grew to 64 bits", "计数和长度扩为 64 位"),
        say!(lang, "big-endian files are permitted; nothing else changed", "允许大端序文件；其余不变"),
    ];
    let rows = what.into_iter().zip(1..).map(|(what, version)| {
        let bytes = length_bytes(version);
        let header = 8 + 2 * bytes;
        vec![version.to_string(), format!("u{}", bytes * 8), header.to_string(), what]
    });
    let head = head(
        lang,
        ["Version", "Lengths and counts", "Header (bytes)", "What is new"],
        ["版本", "长度和计数", "文件头（字节）", "变化"],
    );
    Block::Table { head, rows: rows.collect() }
}
