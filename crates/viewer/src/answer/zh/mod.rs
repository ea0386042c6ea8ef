//! Sentences of the rooms below in Chinese, where those have them in English alone.
//!
//! A pattern is text with holes, `{}`, which take what stands in the sentence to their places in the translation.

mod identities;
mod sentences;

use ggufkit_format::spec::Lang;
use serde::Serialize;

const PATTERNS: &[(&str, &str)] = &[
    ("required: the model does not load without it", "必需：缺少它模型无法加载"),
    ("absent: as many as heads", "缺省：与注意力头数相同"),
    ("absent: embedding length / heads = {} / {}", "缺省：嵌入长度 / 头数 = {} / {}"),
    ("absent, and embedding length or heads are not known", "缺失，且嵌入长度或头数未知"),
    ("absent: gemma2 uses 4096", "缺省：gemma2 使用 4096"),
    ("absent: every layer attends to the whole context", "缺省：每一层都关注整个上下文"),
    ("absent: the architecture needs one of the two", "缺失：该架构需要两者之一"),
    ("absent: the key head size", "缺省：K 头大小"),
    ("absent: linear, which a factor of 1 makes a no-op", "缺省：linear，系数为 1 时不起作用"),
    ("absent: the context length", "缺省：上下文长度"),
    ("absent: 0, a dense model", "缺省：0，即稠密模型"),
    ("absent: {} for tokenizer \"{}\"", "缺省：{}（分词器 \"{}\"）"),
    ("absent: {}", "缺省：{}"),
    ("the number of tokenizer.ggml.tokens", "tokenizer.ggml.tokens 的个数"),
    ("the rows of token_embd.weight", "token_embd.weight 的行数"),
    ("no vocab_size, no tokens, no token_embd.weight", "没有 vocab_size、词元表和 token_embd.weight"),
    (
        "without general.architecture no key of the architecture can be resolved",
        "缺少 general.architecture，无法解析该架构的任何键",
    ),
    ("architecture \"{}\" is not one that llama.cpp knows", "llama.cpp 不认识架构 \"{}\""),
    (
        "{} is a {}; llama.cpp reads a {} there and refuses others",
        "{} 的类型是 {}；llama.cpp 在此只接受 {}，拒绝其他类型",
    ),
    ("{} has {} values, fewer than the {} layers", "{} 有 {} 个值，少于 {} 层"),
    ("block_count is 0: there is no layer to load", "block_count 为 0：没有可加载的层"),
    ("block_count is {}; llama.cpp stops at 512 layers", "block_count 为 {}；llama.cpp 最多支持 512 层"),
    ("block_count is not a whole number", "block_count 不是整数"),
    (
        "block_count is {}, and the tensor table has layers up to blk.{} ({} layers)",
        "block_count 为 {}，而张量表中的层到 blk.{} 为止（{} 层）",
    ),
    ("expert_used_count is {}, more than the {} experts", "expert_used_count 为 {}，多于 {} 个专家"),
    (
        "the tokenizer has {} tokens, and token_embd.weight has {} rows",
        "分词器有 {} 个词元，而 token_embd.weight 有 {} 行",
    ),
    ("embedding length / heads", "嵌入长度 / 头数"),
    ("a rule of {}", "{} 的规则"),
    ("a batch more, up to a multiple of {}", "再加一个批次，向上取整到 {} 的倍数"),
    ("token shifts * embedding length", "移位个数 * 嵌入长度"),
    ("embedding length * head size", "嵌入长度 * 头长度"),
    ("embedding length * (kernel - 1)", "嵌入长度 * (卷积核 - 1)"),
    ("none", "无"),
    ("3 * (kernel - 1) * heads * head size", "3 * (卷积核 - 1) * 头数 * 头长度"),
    ("heads * head size * head size", "头数 * 头长度 * 头长度"),
    (
        "(kernel - 1) * (inner size + 2 * groups * state size)",
        "(卷积核 - 1) * (内部长度 + 2 * 组数 * 状态长度)",
    ),
    ("inner size * state size", "内部长度 * 状态长度"),
    ("{} x {} bytes", "{} x {} 字节"),
];

/// A sentence in a language; as it is where there is no translation.
pub(super) fn say(text: &str, lang: Lang) -> String {
    let translated = match lang {
        Lang::En => None,
        Lang::Zh => PATTERNS.iter().find_map(|(from, to)| Some(filled(to, &holes(from, text)?))),
    };
    translated.unwrap_or_else(|| text.to_owned())
}

/// A sentence in both languages. Where there is no translation both are the same, and the page says in which it is.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct Said {
    /// In English.
    pub en: String,
    /// In Chinese.
    pub zh: String,
}

impl From<(&str, &str)> for Said {
    fn from((en, zh): (&str, &str)) -> Self {
        Self { en: en.to_owned(), zh: zh.to_owned() }
    }
}

impl From<(String, String)> for Said {
    fn from((en, zh): (String, String)) -> Self {
        Self { en, zh }
    }
}

impl Said {
    /// In a language.
    #[must_use]
    pub fn get(&self, lang: Lang) -> &str {
        match lang {
            Lang::En => &self.en,
            Lang::Zh => &self.zh,
        }
    }

    /// A sentence of the rooms below that is in English.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let (head, tail) = sentences::tail(text);
        let identity = identities::PATTERNS.iter().find_map(|(from, to)| {
            let holes: Vec<String> = holes(from, text)?.into_iter().map(identities::word).collect();
            Some(filled(to, &holes))
        });
        let sentence = || {
            sentences::PATTERNS.iter().find_map(|(from, to)| {
                let holes: Vec<String> = holes(from, head)?.into_iter().map(sentences::word).collect();
                Some(filled(to, &holes) + &tail)
            })
        };
        Self { en: text.to_owned(), zh: identity.or_else(sentence).unwrap_or_else(|| text.to_owned()) }
    }
}

/// What stands in a text where a pattern has holes; `None` where the pattern is another.
fn holes<'t>(pattern: &str, text: &'t str) -> Option<Vec<&'t str>> {
    let mut pieces = pattern.split("{}");
    let mut rest = text.strip_prefix(pieces.next()?)?;
    let mut found = Vec::new();
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        // The last hole ends where the text after it does.
        let at = match (pieces.peek(), piece) {
            (None, _) => rest.strip_suffix(piece)?.len(),
            (Some(_), piece) => rest.find(piece)?,
        };
        found.push(rest.get(..at)?);
        rest = rest.get(at + piece.len()..)?;
    }
    rest.is_empty().then_some(found)
}

fn filled(pattern: &str, holes: &[impl AsRef<str>]) -> String {
    let mut out = String::new();
    for (at, piece) in pattern.split("{}").enumerate() {
        if let Some(hole) = at.checked_sub(1).and_then(|at| holes.get(at)) {
            out.push_str(hole.as_ref());
        }
        out.push_str(piece);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_keep_what_stands_in_them() {
        let zh = |text| say(text, Lang::Zh);
        assert_eq!(zh("absent: embedding length / heads = 4096 / 32"), "缺省：嵌入长度 / 头数 = 4096 / 32");
        assert_eq!(zh("absent: true for tokenizer \"llama\""), "缺省：true（分词器 \"llama\"）");
        assert_eq!(zh("absent: 10000"), "缺省：10000");
        assert_eq!(
            zh("x is a u64; llama.cpp reads a u32 there and refuses others"),
            "x 的类型是 u64；llama.cpp 在此只接受 u32，拒绝其他类型"
        );
        assert_eq!(zh("llama.block_count"), "llama.block_count");
        assert_eq!(say("absent: 1", Lang::En), "absent: 1");
    }

    /// What a head that cannot be read, a file that is cut short and a set that is none are said to be.
    #[test]
    fn what_is_wrong_with_a_file_is_said_in_chinese() {
        for (en, zh) in [
            (
                "unexpected end of file reading kv[17].value \"a.b\": need 8 bytes, 3 remain (at offset 0x1f4); the header declares 20 key-values",
                "读取 kv[17].value \"a.b\" 时文件意外结束：需要 8 字节，只剩 3 字节（位于偏移 0x1f4）；文件头声明有 20 个键值对",
            ),
            (
                "header.kv_count declares count 9, which takes at least 117 bytes; 3 remain (at offset 0x10)",
                "header.kv_count 声明的计数为 9，至少需要 117 字节；只剩 3 字节（位于偏移 0x10）",
            ),
            (
                "the file ends before its tensors do: they end at 90 bytes, the file has 89; 1 byte is missing",
                "文件在张量结束之前就结束了：张量到 90 字节为止，文件只有 89 字节；缺少 1 字节",
            ),
            (
                "12 bytes follow the last tensor and belong to nothing",
                "最后一个张量之后有 12 字节不属于任何内容",
            ),
            (
                "shard 2 of 3 is missing: m-00002-of-00003.gguf",
                "缺少第 2 个分片（共 3 个）：m-00002-of-00003.gguf",
            ),
            ("the values of the weights", "权重的数值"),
            // What nobody has translated stays, and is told to be English by both being the same.
            ("the moon is full", "the moon is full"),
        ] {
            assert_eq!(Said::of(en), Said { en: en.to_owned(), zh: zh.to_owned() });
        }
    }

    /// Whatever ends a reading, whatever is noticed, and whatever keeps files from being a set: none of it is left in English.
    #[test]
    fn every_problem_has_a_translation() {
        use ggufkit_format::spec::ValueType;
        use ggufkit_format::{Dialect, HeaderPart, ParseError, Path, Reason};
        use ggufkit_io::{Diagnosis, Partial, ShardProblem};

        let reasons = [
            Reason::UnexpectedEnd { needed: 1, remaining: 0 },
            Reason::TooLarge { what: "length", declared: u64::MAX, needed: u64::MAX, remaining: 7 },
            Reason::BadMagic { found: *b"\" (x" },
            Reason::BadVersion { found: 0 },
            Reason::BadVersion { found: 9 },
            Reason::UnknownValueType { id: 77, element: true },
            Reason::UnknownValueType { id: 77, element: false },
            Reason::BadAlignment { value_type: ValueType::UINT32, value: Some(7) },
            Reason::BadAlignment { value_type: ValueType::STRING, value: None },
            Reason::Overflow { what: "position" },
            Reason::MissingNul { found: 7 },
            Reason::Implausible { what: "key" },
            Reason::Limit { what: "dimensions", value: 9, limit: 4, option: "max_dims" },
        ];
        let errors: Vec<ParseError> = reasons
            .into_iter()
            .map(|reason| ParseError::new(16, Path::Header(HeaderPart::KvCount), reason).with_name(b"a name"))
            .collect();
        let mut said: Vec<String> = errors.iter().map(ToString::to_string).collect();
        said.extend(errors.iter().filter_map(ParseError::help));
        for (wanted, joined, trailing) in [(9, None, 1), (1 << 63, Some(7), 0), (9, None, 12)] {
            let mut noticed = Diagnosis::default();
            noticed.partial = Some(Partial { wanted, present: 8 });
            noticed.dialect = Some(Dialect::SHORT_IDS);
            (noticed.joined, noticed.trailing) = (joined, trailing);
            for message in noticed.messages() {
                said.push(message.text);
                said.extend(message.help);
            }
        }
        let (path, first) = (|| "m-2.gguf".into(), || "m-1.gguf".into());
        let sets = [
            ShardProblem::Missing { no: 2, count: 3, path: path() },
            ShardProblem::MoreMissing { more: 7, count: 99 },
            ShardProblem::NotAShard { path: path() },
            ShardProblem::BadKey { path: path(), key: "split.no" },
            ShardProblem::Position { path: path(), found: 1, expected: 2 },
            ShardProblem::Count { path: path(), found: 1, expected: 2 },
            ShardProblem::TensorCounts { path: path(), found: 1, first: first(), expected: 2 },
            ShardProblem::TensorTotal { path: path(), declared: 1, found: 2 },
            ShardProblem::DuplicateTensor { name: b"t".to_vec(), first: first(), path: path() },
            ShardProblem::MoreDuplicates { more: 2 },
            ShardProblem::Alignment { path: path(), found: 1, first: first(), expected: 2 },
            ShardProblem::Architecture {
                path: path(),
                found: b"a".to_vec(),
                first: first(),
                expected: b"b".to_vec(),
            },
            ShardProblem::ByteOrder { path: path(), first: first() },
        ];
        said.extend(sets.iter().map(ToString::to_string));
        for text in said {
            let zh = Said::of(&text).zh;
            assert!(zh != text, "{text}");
            // Names, numbers and options are left; no words between them.
            let words = zh.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| {
                ["the", "is", "of", "in", "file", "bytes", "offset", "which", "length"].contains(word)
            });
            assert_eq!(words.count(), 0, "{zh}");
        }
    }

    /// Whatever a file is that is no GGUF, and whatever is to be done about it.
    #[test]
    fn every_identity_has_a_translation() {
        use ggufkit_format::identify::{Compression, Identity, JsonKind, Leading, LegacyMagic, ZipKind};

        let mut all = vec![
            Identity::Gguf,
            Identity::Empty,
            Identity::TooShort { len: 1 },
            Identity::TooShort { len: 3 },
            Identity::GitAnnexPointer,
            Identity::Html { title: None },
            Identity::Html { title: Some("x: y (z)".into()) },
            Identity::Xml { code: None },
            Identity::Xml { code: Some("x".into()) },
            Identity::HttpResponse { status: None },
            Identity::HttpResponse { status: Some(404) },
            Identity::Safetensors { header_len: 8 },
            Identity::LlamaState { version: Some(9) },
            Identity::LegacyImatrix { entries: 1 },
            Identity::LegacyImatrix { entries: 2 },
            Identity::Tar { gguf_at: None },
            Identity::Tar { gguf_at: Some(512) },
            Identity::Pickle { protocol: 2, pytorch: true },
            Identity::Pickle { protocol: 2, pytorch: false },
            Identity::Onnx,
            Identity::TfLite,
            Identity::Npy,
            Identity::Hdf5,
            Identity::Parquet,
            Identity::Sqlite,
            Identity::Executable { format: "ELF" },
            Identity::Pdf,
            Identity::Image { format: "PNG" },
            Identity::ByteSwappedMagic { unit: 2 },
            Identity::ByteSwappedMagic { unit: 4 },
            Identity::Utf16 { gguf: true },
            Identity::Utf16 { gguf: false },
            Identity::Base64Gguf,
            Identity::Text { first_line: String::new() },
            Identity::Text { first_line: "x".into() },
            Identity::Zeros { seen: 4096 },
            Identity::Unknown { first_bytes: Vec::new() },
            Identity::Unknown { first_bytes: vec![1, 2] },
        ];
        for (oid, size) in [(None, None), (Some("ab"), None), (None, Some(7)), (Some("ab"), Some(7))] {
            all.push(Identity::GitLfsPointer { oid: oid.map(Into::into), size });
        }
        for kind in [
            JsonKind::Error,
            JsonKind::SafetensorsIndex,
            JsonKind::Config,
            JsonKind::Manifest,
            JsonKind::Other,
        ] {
            all.push(Identity::Json { kind, message: None });
        }
        all.push(Identity::Json { kind: JsonKind::Error, message: Some("x".into()) });
        use LegacyMagic::{Ggcc, Ggjt, Ggla, Ggmf, Ggml};
        for (magic, version) in
            [(Ggml, None), (Ggmf, Some(1)), (Ggjt, Some(3)), (Ggla, Some(1)), (Ggla, None), (Ggcc, Some(10))]
        {
            all.push(Identity::LegacyGgml { magic, version });
        }
        for kind in [ZipKind::PyTorch, ZipKind::Npz, ZipKind::Keras, ZipKind::Other] {
            all.extend([None, Some(40)].map(|gguf_at| Identity::Zip { kind, gguf_at }));
        }
        use Compression::{Bzip2, Gzip, Lz4, Rar, SevenZip, Xz, Zstd};
        all.extend([Gzip, Xz, Zstd, Bzip2, Lz4, SevenZip, Rar].map(|by| Identity::Compressed { by }));
        use Leading::{Bytes, FormHeaders, HttpHeaders, Text, Utf8Bom, Zeros};
        for what in [Utf8Bom, HttpHeaders, FormHeaders, Zeros, Text, Bytes] {
            all.extend([1, 7].map(|offset| Identity::GgufAfter { offset, what }));
        }
        for text in all.iter().flat_map(|identity| [Some(identity.describe()), identity.help()]).flatten() {
            let zh = Said::of(&text).zh;
            // What is typed is left.
            let told: String = zh.split('`').step_by(2).collect();
            let words = told.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| {
                ["the", "is", "of", "in", "this", "bytes", "text", "it", "a", "first"].contains(word)
            });
            assert!(zh != text && words.count() == 0, "{text}: {zh}");
        }
        let zh = |text: &str| Said::of(text).zh;
        assert_eq!(
            zh("the GGUF magic stands at offset 7, behind 7 bytes of other data"),
            "GGUF 魔数在偏移 7 处，之前有 7 字节（其他数据）"
        );
    }

    /// Each pattern has as many holes as its translation.
    #[test]
    fn nothing_falls_out_of_a_translation() {
        for (from, to) in PATTERNS.iter().chain(sentences::PATTERNS).chain(identities::PATTERNS) {
            assert_eq!(from.matches("{}").count(), to.matches("{}").count(), "{from}");
        }
    }
}
