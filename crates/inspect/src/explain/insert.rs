//! The tables, pictures and worked examples that texts ask for by name.

mod errors;
mod worked;

use ggufkit_format::dialect::{ArrayHeader, Dialect, HeaderTrait, TypeIds};
use ggufkit_format::naming::{PartKind, parse_strict};
use ggufkit_format::spec::{FILE_TYPES, Lang, ValueType, arch};
use ggufkit_format::{HeaderPart, Limits, Path};

use super::{Block, StripCell, example, key, say, tensor_type};

pub(super) use errors::topic as error_topic;

/// Names of all inserts.
#[cfg(test)]
pub(super) const NAMES: &[&str] = &[
    "file-strip",
    "small-fields",
    "header-fields",
    "header-table",
    "kv-fields",
    "value-types",
    "string-fields",
    "array-fields",
    "nested-fields",
    "tensor-fields",
    "alignment-table",
    "alignment-worked",
    "offsets-worked",
    "quantization-worked",
    "tensor-types",
    "sizes",
    "file-types",
    "namespaces",
    "architectures",
    "name-strip",
    "shard-names",
    "endian-bytes",
    "versions",
    "dialects",
    "limits",
    "errors",
    "oddities",
    "float-table",
];

/// What stands for `{{name}}`.
pub(super) fn insert(name: &str, lang: Lang) -> Option<Vec<Block>> {
    let fields = |bytes: &[u8], prefix: &str| Block::Fields { rows: example::fields(bytes, prefix, lang) };
    Some(match name {
        "file-strip" => vec![file_strip(lang)],
        "small-fields" => vec![fields(&example::small(), "")],
        "header-fields" => vec![fields(&example::small(), "header")],
        "header-table" => vec![header_table(lang)],
        "kv-fields" => vec![fields(&example::small(), "kv[1]")],
        "string-fields" => vec![fields(&example::small(), "kv[0]")],
        "array-fields" => vec![fields(&example::arrays(), "kv[0].value")],
        "nested-fields" => vec![fields(&example::arrays(), "kv[2].value")],
        "tensor-fields" => vec![fields(&example::small(), "tensors[0]")],
        "value-types" => vec![value_types(lang)],
        "alignment-table" => vec![worked::alignment_table(lang)],
        "alignment-worked" => worked::alignment(lang),
        "offsets-worked" => worked::offsets(lang),
        "quantization-worked" => worked::quantization(lang),
        "sizes" => worked::sizes(lang),
        "float-table" => vec![worked::floats(lang)],
        "tensor-types" => vec![tensor_type::table(lang)],
        "file-types" => vec![file_types(lang)],
        "namespaces" => vec![namespaces(lang)],
        "architectures" => vec![architectures()],
        "name-strip" => name_strips(lang),
        "shard-names" => vec![worked::shard_names()],
        "endian-bytes" => vec![worked::endian(lang)],
        "versions" => vec![worked::versions(lang)],
        "dialects" => vec![dialects(lang)],
        "limits" => vec![limits(lang)],
        "errors" => vec![errors::table(lang)],
        "oddities" => vec![errors::oddities(lang)],
        _ => return None,
    })
}

pub(super) fn head<const N: usize>(lang: Lang, en: [&str; N], zh: [&str; N]) -> Vec<String> {
    match lang {
        Lang::En => en.map(str::to_owned).to_vec(),
        Lang::Zh => zh.map(str::to_owned).to_vec(),
    }
}

/// The sections of the small example file, with its own numbers.
fn file_strip(lang: Lang) -> Block {
    let bytes = example::small();
    let mut cells: Vec<StripCell> = Vec::new();
    for row in example::fields(&bytes, "", lang) {
        let label = match row.path.split(['.', '[']).next() {
            Some("header") => say!(lang, "header", "文件头"),
            Some("kv") => say!(lang, "key-values", "键值对"),
            Some("tensors") => say!(lang, "tensor table", "张量表"),
            _ => say!(lang, "padding", "填充"),
        };
        let size = row.bytes.len() as u64;
        match cells.last_mut() {
            Some(last) if last.label == label => last.size += size,
            _ => cells.push(StripCell { label, note: String::new(), start: row.offset, size }),
        }
    }
    let start = cells.last().map_or(0, |cell| cell.start + cell.size);
    let size = (bytes.len() as u64).saturating_sub(start);
    cells.push(StripCell {
        label: say!(lang, "tensor data", "张量数据"), note: String::new(), start, size
    });
    for cell in &mut cells {
        let n = cell.size;
        cell.note = say!(lang, "{n} bytes", "{n} 字节");
    }
    Block::Strip { unit: "byte".to_owned(), cells }
}

/// The header's fields with their sizes in every version, taken from files.
fn header_table(lang: Lang) -> Block {
    let meaning = |part| match part {
        HeaderPart::Magic => {
            say!(lang, "the four letters `GGUF`, in every byte order", "四个字母 `GGUF`，与字节序无关")
        }
        HeaderPart::Version => {
            say!(lang, "1, 2 or 3; also tells the byte order", "1、2 或 3；也用来判断字节序")
        }
        HeaderPart::TensorCount => say!(lang, "number of records in the tensor table", "张量表的记录数"),
        HeaderPart::KvCount => say!(lang, "number of key-values", "键值对个数"),
        HeaderPart::Alignment | HeaderPart::Padding => String::new(),
    };
    let parts = [HeaderPart::Magic, HeaderPart::Version, HeaderPart::TensorCount, HeaderPart::KvCount];
    // The width of counts is the only difference.
    let width = |part, version| match part {
        HeaderPart::Magic | HeaderPart::Version => 4,
        _ => worked::length_bytes(version),
    };
    let mut at = (0, 0);
    let rows = parts.into_iter().map(|part| {
        let (old, new) = (width(part, 1), width(part, 3));
        let path = Path::Header(part).to_string();
        let row = vec![
            format!("`{}`", path.trim_start_matches("header.")),
            format!("{} ({new})", at.1),
            format!("{} ({old})", at.0),
            meaning(part),
        ];
        at = (at.0 + old, at.1 + new);
        row
    });
    Block::Table {
        head: head(
            lang,
            ["Field", "Offset (bytes)", "in version 1", "What it holds"],
            ["字段", "偏移（字节数）", "版本 1 中", "内容"],
        ),
        rows: rows.collect(),
    }
}

fn value_types(lang: Lang) -> Block {
    let rows = ValueType::ALL.into_iter().map(|ty| {
        let size = match ty.fixed_size() {
            Some(n) => n.to_string(),
            None if ty == ValueType::STRING => say!(lang, "8 + length", "8 + 长度"),
            None => say!(lang, "12 + elements", "12 + 元素"),
        };
        let (name, spec) = (ty.name().unwrap_or_default(), ty.spec_name().unwrap_or_default());
        vec![ty.0.to_string(), spec.to_owned(), name.to_owned(), size, ty.meaning(lang).to_owned()]
    });
    let head = head(
        lang,
        ["Id", "In the specification", "Here", "Bytes", "What it is"],
        ["编号", "规范中的名称", "本工具", "字节", "说明"],
    );
    Block::Table { head, rows: rows.collect() }
}

fn file_types(lang: Lang) -> Block {
    let rows = FILE_TYPES.iter().map(|info| {
        let gone = if info.removed { say!(lang, " (removed)", "（已移除）") } else { String::new() };
        vec![info.ty.0.to_string(), format!("{}{gone}", info.short_name()), info.meaning.get(lang).to_owned()]
    });
    let head = head(lang, ["Id", "Name", "What a file of it holds"], ["编号", "名称", "文件内容"]);
    Block::Table { head, rows: rows.collect() }
}

fn namespaces(lang: Lang) -> Block {
    let rows = key::namespaces().into_iter().map(|(name, keys)| {
        let first: Vec<String> = keys
            .iter()
            .take(3)
            .map(|info| format!("`{}`", info.pattern.get(name.len() + 1..).unwrap_or(info.pattern)))
            .collect();
        vec![format!("`{name}`"), keys.len().to_string(), first.join(", ")]
    });
    let head = head(lang, ["Namespace", "Keys", "Such as"], ["命名空间", "键数", "例如"]);
    Block::Table { head, rows: rows.collect() }
}

fn architectures() -> Block {
    Block::Text {
        text: arch::ARCHITECTURES.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
    }
}

/// Names that keep to the convention, taken to pieces by the code that reads names.
fn name_strips(lang: Lang) -> Vec<Block> {
    let names = [
        "Mixtral-8x7B-v0.1-Q4_0.gguf",
        "Hermes-2-Pro-Llama-3-8B-Instruct-v1.0-Q4_K_M-00001-of-00003.gguf",
        "mmproj-Gemma-3-4B-v1.0-F16.gguf",
    ];
    let mut out = Vec::new();
    for name in names {
        let Some(parts) = parse_strict(name) else { continue };
        let cells = parts.parts().into_iter().map(|(kind, part)| StripCell {
            label: part.text.to_owned(),
            note: kind_name(kind, lang),
            start: part.start as u64,
            size: part.text.len() as u64,
        });
        out.push(Block::Strip { unit: String::new(), cells: cells.collect() });
    }
    out
}

fn kind_name(kind: PartKind, lang: Lang) -> String {
    match kind {
        PartKind::Sidecar => say!(lang, "Sidecar", "附属"),
        PartKind::BaseName => say!(lang, "BaseName", "基础名"),
        PartKind::SizeLabel => say!(lang, "SizeLabel", "规模"),
        PartKind::FineTune => say!(lang, "FineTune", "微调"),
        PartKind::Version => say!(lang, "Version", "版本"),
        PartKind::Encoding => say!(lang, "Encoding", "编码"),
        PartKind::Type => say!(lang, "Type", "类型"),
        PartKind::Shard => say!(lang, "Shard", "分片"),
        PartKind::Extension => say!(lang, "suffix", "后缀"),
        _ => String::new(),
    }
}

fn dialects(lang: Lang) -> Block {
    let rows = Dialect::CANDIDATES.iter().map(|(name, dialect)| {
        let joined = if lang == Lang::En { "; " } else { "；" };
        vec![format!("`{name}`"), traits(dialect, lang).join(joined)]
    });
    let head = head(lang, ["Name", "What differs from the format"], ["名称", "与格式的差异"]);
    Block::Table { head, rows: rows.collect() }
}

/// The traits of a dialect in words.
fn traits(dialect: &Dialect, lang: Lang) -> Vec<String> {
    if lang == Lang::En {
        return dialect.traits().into_iter().map(str::to_owned).collect();
    }
    let mut out = Vec::new();
    match dialect.header {
        HeaderTrait::Standard => {}
        HeaderTrait::Alignment { padding: 4 } => out.push("文件头 32 字节，内含对齐值"),
        HeaderTrait::Alignment { .. } => out.push("文件头 40 字节，内含对齐值"),
    }
    if dialect.nul_strings {
        out.push("每个字符串后多一个 NUL");
    }
    if dialect.type_ids == TypeIds::Short {
        out.push("值类型编号为 5 u64、7 f16、8 字符串、9 布尔、10 数组");
    }
    match dialect.array_header {
        ArrayHeader::Standard => {}
        ArrayHeader::CountFirst => out.push("数组的 u64 元素个数写在元素类型之前"),
        ArrayHeader::ShortCountFirst => out.push("数组的 u32 元素个数写在元素类型之前"),
        ArrayHeader::ShortCount => out.push("数组的元素个数为 u32"),
    }
    if dialect.offset_before_type {
        out.push("张量的偏移写在类型之前");
    }
    out.into_iter().map(str::to_owned).collect()
}

fn limits(lang: Lang) -> Block {
    let limits = Limits::DEFAULT;
    let n = crate::units::count;
    let rows = [
        (
            "--max-head",
            crate::units::bytes(limits.max_head),
            say!(lang, "bytes of the whole head", "整个头部的字节数"),
        ),
        ("--max-kv", n(limits.max_kv), say!(lang, "key-values", "键值对个数")),
        ("--max-tensors", n(limits.max_tensors), say!(lang, "records of the tensor table", "张量表记录数")),
        (
            "--max-string",
            crate::units::bytes(limits.max_string),
            say!(lang, "bytes of one key, name or string", "单个键、名称或字符串的字节数"),
        ),
        ("--max-array", n(limits.max_array), say!(lang, "elements of one array", "单个数组的元素个数")),
        ("--max-depth", limits.max_depth.to_string(), say!(lang, "arrays inside arrays", "数组嵌套层数")),
    ];
    let rows = rows.into_iter().map(|(option, value, what)| vec![format!("`{option}`"), value, what]);
    let head = head(lang, ["Option", "Default", "What it limits"], ["选项", "默认值", "限制的内容"]);
    Block::Table { head, rows: rows.collect() }
}
