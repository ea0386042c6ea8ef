//! The topics that are written out, and where their texts are.

use ggufkit_format::spec::Lang;

use super::{Block, Topic, markup, say};

/// A topic with running text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prose {
    /// Its name.
    pub id: &'static str,
    /// Other words that lead to it.
    pub aliases: &'static [&'static str],
    en: &'static str,
    zh: &'static str,
}

macro_rules! prose {
    ($($id:literal [$($alias:literal),*])*) => {
        &[$(Prose {
            id: $id,
            aliases: &[$($alias),*],
            en: include_str!(concat!("text/en/", $id, ".md")),
            zh: include_str!(concat!("text/zh/", $id, ".md")),
        }),*]
    };
}

/// Every written topic, in the order in which one would read them.
pub static PROSE: &[Prose] = prose! {
    "format" ["overview", "gguf", "file", "layout"]
    "header" ["magic"]
    "metadata" ["kv", "key-value", "key-values"]
    "value-types" ["value-type", "values"]
    "strings" ["text", "utf-8"]
    "arrays" []
    "keys" ["key", "namespaces"]
    "tensors" ["tensor", "tensor-info", "shape", "dims"]
    "alignment" ["padding"]
    "offsets" ["offset", "data", "data-section"]
    "quantization" ["quant", "blocks", "block", "bits", "bit", "bpw", "bits-per-weight"]
    "types" ["tensor-types", "tensor-type", "type", "ggml-type"]
    "file-types" ["file-type", "ftype"]
    "architectures" ["architecture", "arch"]
    "naming" ["name", "names", "file-name"]
    "shards" ["shard", "split", "splits"]
    "endianness" ["endian", "byte-order", "big-endian", "little-endian"]
    "versions" ["version"]
    "dialects" ["dialect", "padded-header", "padded-header-40", "short-ids", "nul-strings", "offset-before-type",
        "array-count-first", "array-count32-first", "array-count32"]
    "limits" ["limit"]
    "errors" ["error", "oddities", "anomalies"]
};

/// The topic of this name or alias; upper and lower case are the same.
pub(super) fn find(word: &str) -> Option<&'static Prose> {
    let is = |name: &str| name.eq_ignore_ascii_case(word);
    PROSE.iter().find(|prose| is(prose.id) || prose.aliases.iter().any(|alias| is(alias)))
}

pub(super) fn topic(prose: &Prose, lang: Lang) -> Topic {
    let source = match lang {
        Lang::En => prose.en,
        Lang::Zh => prose.zh,
    };
    markup::topic(prose.id, source, lang)
}

/// The table of contents.
pub(super) fn index(lang: Lang) -> Topic {
    let rows = PROSE.iter().map(|prose| {
        let topic = topic(prose, lang);
        vec![prose.id.to_owned(), topic.summary]
    });
    let head = match lang {
        Lang::En => ["Topic", "What it tells"],
        Lang::Zh => ["主题", "内容"],
    };
    let text = |text: String| Block::Text { text };
    Topic {
        id: "index".to_owned(),
        title: say!(lang, "The GGUF format", "GGUF 格式"),
        summary: say!(
            lang,
            "What is in a GGUF file, from the first byte to the last bit of a quantized weight.",
            "GGUF 文件里有什么：从第一个字节讲到量化权重的最后一位。"
        ),
        body: vec![
            text(say!(
                lang,
                "`gguf explain TOPIC` tells about one of these:",
                "用 `gguf explain 主题` 阅读："
            )),
            Block::Table { head: head.map(str::to_owned).to_vec(), rows: rows.collect() },
            text(say!(
                lang,
                "Names are topics too: a type of values (`bool`) or tensors (`Q4_K`), a file type (`Q4_K_M`), a key \
                 (`general.alignment`, `llama.attention.head_count`), an architecture (`qwen3`), the code of an error \
                 (`bad-magic`), or a number (`12`).",
                "名称也是主题：值类型（`bool`）、张量类型（`Q4_K`）、文件类型（`Q4_K_M`）、键（`general.alignment`、\
                 `llama.attention.head_count`）、架构（`qwen3`）、错误代码（`bad-magic`）或编号（`12`）。"
            )),
            text(say!(
                lang,
                "New to the format? Read `format`, then watch a reader at work on a file of your own: \
                 `gguf hex --steps model.gguf`.",
                "初次接触？先读 `format`，再看读取程序怎样一步步读你自己的文件：`gguf hex --steps model.gguf`。"
            )),
        ],
        see: Vec::new(),
    }
}
