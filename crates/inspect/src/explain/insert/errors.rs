//! What a reader's errors and remarks mean. Each is shown by its own message.

use ggufkit_format::spec::{Lang, TensorType, ValueType};
use ggufkit_format::{AnomalyKind, Element, Fault, HeaderPart, KvPart, ParseError, Path, Reason, TensorPart};

use super::super::{Block, Topic, say};
use super::head;

/// One error of every kind, as a file might cause it.
fn samples() -> Vec<ParseError> {
    let value = || Path::kv(17, KvPart::Value(Element::Whole));
    let error = |offset, path, reason| ParseError::new(offset, path, reason);
    vec![
        error(0, Path::Header(HeaderPart::Magic), Reason::BadMagic { found: *b"ggjt" }),
        error(4, Path::Header(HeaderPart::Version), Reason::BadVersion { found: 4 }),
        error(0x1f4, value(), Reason::UnexpectedEnd { needed: 8, remaining: 3 }),
        error(
            0x2c,
            Path::kv(0, KvPart::Count(Element::Whole)),
            Reason::TooLarge { what: "count", declared: 1 << 40, needed: 8 << 40, remaining: 512 },
        ),
        error(0x38, Path::kv(1, KvPart::Type), Reason::UnknownValueType { id: 13, element: false }),
        error(0x60, value(), Reason::BadAlignment { value_type: ValueType::UINT32, value: Some(0) }),
        error(0x90, Path::tensor(3, TensorPart::Offset), Reason::Overflow { what: "the data's position" }),
        error(0x44, Path::kv(0, KvPart::KeyNul), Reason::MissingNul { found: 0x08 }),
        error(
            0x18,
            Path::Header(HeaderPart::KvCount),
            Reason::Limit {
                what: "the number of key-values",
                value: 2_000_000,
                limit: 1 << 20,
                option: "max_kv",
            },
        ),
    ]
}

/// What an error's kind means; empty for kinds that only appear while a layout is being guessed.
fn meaning(code: &str, lang: Lang) -> String {
    match code {
        "bad-magic" => say!(
            lang,
            "The file does not begin with `GGUF`: it is something else (a safetensors file, an older ggml model, a web page \
             saved in its place), or the GGUF begins further on (`--offset`).",
            "文件开头不是 `GGUF`：它是别的东西（safetensors、旧的 ggml 模型、误存的网页），或者 GGUF 在文件中靠后的位置（`--offset`）。"
        ),
        "bad-version" => say!(
            lang,
            "The version is none that exists. In a file that is right up to here it means a writer newer than this reader.",
            "版本号不存在。若文件此前都正常，说明写入程序比本工具新。"
        ),
        "unexpected-end" => say!(
            lang,
            "The file ends inside a field. Nearly always a download that broke off.",
            "文件在字段中间结束。几乎总是下载中断所致。"
        ),
        "declared-too-large" => say!(
            lang,
            "A length or count promises more than the rest of the file can hold. Nothing is allocated for it. Either the file \
             was cut, or an earlier field was misread because the writer used another layout.",
            "长度或个数超过文件剩余部分所能容纳的量；不会为它分配内存。要么文件被截断，要么写入程序用了别的布局，前面的字段被读错。"
        ),
        "unknown-value-type" => say!(
            lang,
            "The type id is not in the table, so the size of the value is unknown and nothing after it can be found. Seen at \
             the first key, it suggests a mis-written layout.",
            "类型编号不在表中，值的大小无从得知，其后的内容都无法定位。若出现在第一个键，多半是布局被写错。"
        ),
        "bad-alignment" => say!(
            lang,
            "`general.alignment` is 0 or not an integer, so the start of the data section cannot be computed.",
            "`general.alignment` 为 0 或不是整数，无法算出数据区的起点。"
        ),
        "overflow" => say!(
            lang,
            "A sum of positions and sizes does not fit in 64 bits. No honest file has it.",
            "位置与大小之和超出 64 位。正常文件不会如此。"
        ),
        "missing-nul" => say!(
            lang,
            "The layout that was asked for puts a NUL after every string, and this file does not.",
            "所指定的布局要求每个字符串后有 NUL，而该文件没有。"
        ),
        "limit" => say!(
            lang,
            "A budget was met. The file may be right; the option that the message names raises the limit.",
            "达到了限额。文件可能没有问题；用消息里的选项可以提高限额。"
        ),
        _ => String::new(),
    }
}

fn fault(fault: Fault, lang: Lang) -> String {
    match fault {
        Fault::Malformed => say!(lang, "the file is wrong", "文件有误"),
        Fault::Unsupported => say!(lang, "too new for this reader", "超出本工具支持"),
        Fault::Limit => say!(lang, "a budget of the reader", "读取限额"),
    }
}

/// The errors that end a reading.
pub(super) fn table(lang: Lang) -> Block {
    let rows = samples().into_iter().map(|error| {
        let code = error.code();
        vec![format!("`{code}`"), fault(error.fault(), lang), meaning(code, lang)]
    });
    Block::Table {
        head: head(lang, ["Code", "Who", "What it means"], ["代码", "归属", "含义"]),
        rows: rows.collect(),
    }
}

/// One oddity of every kind.
fn odd() -> Vec<AnomalyKind> {
    vec![
        AnomalyKind::EmptyKey,
        AnomalyKind::EmptyTensorName,
        AnomalyKind::InvalidUtf8 { strings: 1 },
        AnomalyKind::NulInName,
        AnomalyKind::OddBool { count: 1, first: 2 },
        AnomalyKind::NestedArray,
        AnomalyKind::AlignmentType(ValueType::INT32),
        AnomalyKind::AlignmentNotPowerOfTwo(24),
        AnomalyKind::AlignmentAgain,
        AnomalyKind::AlignmentUnusable,
        AnomalyKind::ManyDimensions(5),
        AnomalyKind::UnknownTensorType(TensorType(156)),
        AnomalyKind::RemovedTensorType(TensorType::Q4_2),
        AnomalyKind::EarlyBigEndian,
        AnomalyKind::HeaderPadding,
    ]
}

fn odd_meaning(kind: &AnomalyKind, lang: Lang) -> String {
    if lang == Lang::En {
        return kind.to_string();
    }
    match kind {
        AnomalyKind::EmptyKey => "键为空".into(),
        AnomalyKind::EmptyTensorName => "张量名为空".into(),
        AnomalyKind::InvalidUtf8 { .. } => "文本不是 UTF-8".into(),
        AnomalyKind::NulInName => "名称里有 NUL 字节（\\0），C 程序会在此处截断".into(),
        AnomalyKind::OddBool { first, .. } => format!("布尔字节为 {first}，既非 0 也非 1；读作真"),
        AnomalyKind::NestedArray => "数组的元素是数组，合法，但 llama.cpp 不加载".into(),
        AnomalyKind::AlignmentType(ty) => format!("general.alignment 的类型是 {ty}，不是 u32"),
        AnomalyKind::AlignmentNotPowerOfTwo(n) => format!("general.alignment 为 {n}，不是 2 的幂"),
        AnomalyKind::AlignmentAgain => "general.alignment 重复出现；以第一个为准".into(),
        AnomalyKind::AlignmentUnusable => "general.alignment 无法使用；好在没有张量需要对齐".into(),
        AnomalyKind::ManyDimensions(n) => format!("有 {n} 个维度，ggml 最多 4 个"),
        AnomalyKind::UnknownTensorType(ty) => format!("未知的张量类型 {}", ty.0),
        AnomalyKind::RemovedTensorType(ty) => format!("张量类型 {} 已从格式中移除", ty.0),
        AnomalyKind::EarlyBigEndian => "大端序，而格式从版本 3 起才允许".into(),
        AnomalyKind::HeaderPadding => "文件头里的填充不为零".into(),
        other => other.to_string(),
    }
}

/// What is odd and does not end a reading.
pub(super) fn oddities(lang: Lang) -> Block {
    let rows = odd().into_iter().map(|kind| vec![format!("`{}`", kind.code()), odd_meaning(&kind, lang)]);
    Block::Table { head: head(lang, ["Code", "What it says"], ["代码", "含义"]), rows: rows.collect() }
}

/// The topic of one error or oddity, by its code.
pub(in super::super) fn topic(code: &str, lang: Lang) -> Option<Topic> {
    let code = code.to_ascii_lowercase();
    let see = || vec!["errors".to_owned()];
    if let Some(error) = samples().into_iter().find(|error| error.code() == code) {
        let mut body = vec![
            Block::Text { text: say!(lang, "It reads like this:", "消息形如：") },
            Block::Verbatim { lines: vec![error.to_string()] },
        ];
        if let Some(help) = error.help().filter(|_| lang == Lang::En) {
            body.push(Block::Text { text: format!("What to do: {help}.") });
        }
        return Some(Topic {
            id: format!("errors/{code}"),
            title: say!(lang, "{code}, an error that ends a reading", "{code}：终止读取的错误"),
            summary: meaning(&code, lang),
            body,
            see: see(),
        });
    }
    let kind = odd().into_iter().find(|kind| kind.code() == code)?;
    let said = odd_meaning(&kind, lang);
    Some(Topic {
        id: format!("errors/{code}"),
        title: say!(lang, "{code}, an oddity", "{code}：异常之处"),
        summary: say!(lang, "Noted, and the reading goes on: {said}.", "记录下来，读取继续：{said}。"),
        body: Vec::new(),
        see: see(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_and_oddity_is_explained() {
        for lang in [Lang::En, Lang::Zh] {
            for error in samples() {
                assert!(!meaning(error.code(), lang).is_empty(), "{}", error.code());
            }
            for kind in odd() {
                let said = odd_meaning(&kind, lang);
                assert_eq!(said.is_ascii(), lang == Lang::En, "{}: {said}", kind.code());
            }
        }
        let mut codes: Vec<_> = samples().iter().map(ParseError::code).collect();
        codes.dedup();
        assert_eq!(codes.len(), 9);
    }
}
