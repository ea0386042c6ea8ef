//! The format taught: topics in English and Chinese, their tables and pictures made from the tables that the code reads
//! files by.
//!
//! Running text lives in `text/`, one small Markdown file for each topic and language. A line `{{name}}` in it stands for
//! a table, a picture or a worked example, which `insert` makes from `ggufkit_format::spec` and from files built here.
//! So a text can be wrong in its words but not in its numbers.

mod example;
mod file_type;
mod insert;
mod key;
mod markup;
mod tensor_type;
mod topics;
mod value_type;

use ggufkit_format::spec::{FILE_TYPES, FileType, Lang, TENSOR_TYPES, TensorType, ValueType, arch, keys};
use serde::Serialize;

pub use topics::PROSE;

/// A topic: what `gguf explain TOPIC` says.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Topic {
    /// The name by which it is found: `alignment`, `types/Q4_K`, `keys/general.alignment`.
    pub id: String,
    /// The heading.
    pub title: String,
    /// One sentence.
    pub summary: String,
    /// The text.
    pub body: Vec<Block>,
    /// Topics that belong to it.
    pub see: Vec<String>,
}

/// A piece of a topic. Texts hold `code` in backquotes and **strong words** in double asterisks.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "block", rename_all = "kebab-case")]
pub enum Block {
    /// A heading within the topic.
    Heading {
        /// The heading.
        text: String,
    },
    /// A paragraph.
    Text {
        /// The paragraph, on one line.
        text: String,
    },
    /// A list.
    List {
        /// Whether the order matters.
        numbered: bool,
        /// The items.
        items: Vec<String>,
    },
    /// Lines to be shown as they are.
    Verbatim {
        /// The lines.
        lines: Vec<String>,
    },
    /// A table.
    Table {
        /// Headings of the columns.
        head: Vec<String>,
        /// Rows of as many cells.
        rows: Vec<Vec<String>>,
    },
    /// A row of neighbouring cells, such as the members of a block.
    Strip {
        /// What the numbers count: `byte`, or empty where they count nothing.
        unit: String,
        /// The cells in order.
        cells: Vec<StripCell>,
    },
    /// Bytes of a block with the purpose of each bit, most significant bit first.
    Bits {
        /// The bytes; some are left out where they go on in the same manner.
        rows: Vec<BitRow>,
    },
    /// Bytes of a file with the fields that they are.
    Fields {
        /// The fields in order.
        rows: Vec<FieldRow>,
    },
}

/// A cell of a [`Block::Strip`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct StripCell {
    /// Its name.
    pub label: String,
    /// What is in it.
    pub note: String,
    /// Where it begins.
    pub start: u64,
    /// How many bytes it takes.
    pub size: u64,
}

/// A row of a [`Block::Bits`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BitRow {
    /// A byte.
    Byte {
        /// Position in the block.
        byte: u32,
        /// Name of the member that it belongs to.
        part: &'static str,
        /// Its bits in runs, the most significant first.
        cells: Vec<BitCell>,
    },
    /// Bytes that go on as the ones before, counting up.
    Fold {
        /// How many.
        bytes: u32,
    },
}

/// A run of bits of a [`BitRow`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BitCell {
    /// Number of bits.
    pub bits: u8,
    /// What they are: `q[5]`, `q[5]:4` (its bit 4), `scale[2]:5..4`.
    pub label: String,
}

/// A row of a [`Block::Fields`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FieldRow {
    /// Position in the file.
    pub offset: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// What they are, for a palette.
    pub kind: crate::hex::Kind,
    /// The field's logical path.
    pub path: String,
    /// Its value and meaning.
    pub text: String,
}

/// One text in two languages, either of which may hold values in braces.
macro_rules! say {
    ($lang:expr, $en:literal, $zh:literal $(,)?) => {
        match $lang {
            ggufkit_format::spec::Lang::En => format!($en),
            ggufkit_format::spec::Lang::Zh => format!($zh),
        }
    };
}
use say;

/// The topics that a word names, best first; several where the word is the name of several things (`f32` is a type of
/// values, of tensors and of files). Upper and lower case are the same. None for unknown words.
#[must_use]
pub fn find(word: &str, lang: Lang) -> Vec<Topic> {
    let word = word.trim();
    if let Some(prose) = topics::find(word) {
        return vec![topics::topic(prose, lang)];
    }
    if let Some((space, name)) = word.split_once('/') {
        let one = match space {
            "value-types" => ValueType::from_name(name).and_then(|ty| value_type::topic(ty, lang)),
            "types" => TensorType::from_name(name).and_then(|ty| tensor_type::topic(ty, lang)),
            "file-types" => file_type_of(name).and_then(|ty| file_type::topic(ty, lang)),
            "keys" => key::topic(name, lang).or_else(|| key::namespace(name, lang)),
            "architectures" => key::architecture(name, lang),
            "errors" => insert::error_topic(name, lang),
            _ => None,
        };
        return one.into_iter().collect();
    }
    if let Ok(number) = word.parse::<u32>() {
        return number_topic(number, lang).into_iter().collect();
    }
    let mut found = Vec::new();
    let value = ValueType::from_name(word).map(|ty| (ty.is_known(), value_type::topic(ty, lang)));
    // What is no type of the format comes last.
    let (value, pseudo) = match value {
        Some((true, topic)) => (topic, None),
        Some((false, topic)) => (None, topic),
        None => (None, None),
    };
    found.extend(value);
    found.extend(TensorType::from_name(word).and_then(|ty| tensor_type::topic(ty, lang)));
    found.extend(FileType::from_name(word).and_then(|ty| file_type::topic(ty, lang)));
    found.extend(pseudo);
    if found.is_empty() {
        found.extend(key::topic(word, lang));
    }
    if found.is_empty() {
        found.extend(key::architecture(word, lang));
        found.extend(key::namespace(word, lang));
    }
    if found.is_empty() {
        found.extend(insert::error_topic(word, lang));
    }
    if found.is_empty() {
        found.extend(family_topic(word, lang));
    }
    found
}

/// The types whose names begin with this word: `Q4` is none, and stands for `Q4_0`, `Q4_1`, `Q4_K` and others.
fn family_topic(word: &str, lang: Lang) -> Option<Topic> {
    let word = word.trim_end_matches('_');
    let belongs = |name: &str| {
        let rest = name.get(word.len()..).filter(|rest| rest.starts_with('_'));
        !word.is_empty()
            && rest.is_some()
            && name.get(..word.len()).is_some_and(|w| w.eq_ignore_ascii_case(word))
    };
    let (mut rows, mut see) = (Vec::new(), Vec::new());
    let mut add = |space: &str, what: String, name: &str| {
        let id = format!("{space}/{name}");
        rows.push(vec![format!("`{name}`"), what, format!("gguf explain {id}")]);
        see.push(id);
    };
    for info in TENSOR_TYPES.iter().filter(|info| belongs(info.name) && !info.is_removed()) {
        add("types", say!(lang, "type of a tensor", "张量的类型"), info.name);
    }
    for info in FILE_TYPES.iter().filter(|info| belongs(info.short_name()) && !info.removed) {
        add("file-types", say!(lang, "mix of types in a file", "文件中类型的组合"), info.short_name());
    }
    if rows.is_empty() {
        return None;
    }
    let word = word.to_ascii_uppercase();
    let head = match lang {
        Lang::En => ["Name", "it is", "more"],
        Lang::Zh => ["名称", "含义", "详见"],
    };
    Some(Topic {
        id: word.clone(),
        title: say!(lang, "{word}, a family of types", "{word}：一族类型"),
        summary: say!(
            lang,
            "No type is called {word}; these begin with it.",
            "没有名为 {word} 的类型；下列名称以它开头。"
        ),
        body: vec![Block::Table { head: head.map(str::to_owned).to_vec(), rows }],
        see,
    })
}

fn file_type_of(name: &str) -> Option<FileType> {
    FileType::from_name(name).or_else(|| name.parse().ok().map(FileType))
}

/// What a bare number means in each of the three tables of ids.
fn number_topic(number: u32, lang: Lang) -> Option<Topic> {
    let mut rows = Vec::new();
    let mut see = Vec::new();
    let mut add = |space: &str, what: String, name: &str| {
        let id = format!("{space}/{name}");
        rows.push(vec![what, name.to_owned(), format!("gguf explain {id}")]);
        see.push(id);
    };
    if let Some(name) = ValueType(number).name() {
        add("value-types", say!(lang, "type of a metadata value", "元数据值的类型"), name);
    }
    if let Some(name) = TensorType(number).name() {
        add("types", say!(lang, "type of a tensor", "张量的类型"), name);
    }
    if let Some(name) = FileType(number).short_name() {
        add("file-types", say!(lang, "`general.file_type`", "`general.file_type`"), name);
    }
    if rows.is_empty() {
        return None;
    }
    let head = match lang {
        Lang::En => ["As", "it is", "more"],
        Lang::Zh => ["作为", "含义", "详见"],
    };
    Some(Topic {
        id: number.to_string(),
        title: say!(lang, "The number {number}", "数字 {number}"),
        summary: say!(
            lang,
            "An id means different things in the three tables of the format.",
            "同一个编号在格式的三张表里含义不同。"
        ),
        body: vec![Block::Table { head: head.map(str::to_owned).to_vec(), rows }],
        see,
    })
}

/// The table of contents.
#[must_use]
pub fn index(lang: Lang) -> Topic {
    topics::index(lang)
}

/// Names of topics that a mistyped word may have meant, the closest first, at most `max`.
#[must_use]
pub fn near(word: &str, max: usize) -> Vec<String> {
    let word = word.rsplit_once('/').map_or(word, |(_, name)| name);
    let prose = PROSE.iter().flat_map(|prose| std::iter::once(prose.id).chain(prose.aliases.iter().copied()));
    let values = ValueType::ALL.into_iter().filter_map(ValueType::name);
    let tensors = TENSOR_TYPES.iter().map(|info| info.name);
    let files = FILE_TYPES.iter().map(|info| info.short_name());
    let names = prose.chain(values).chain(tensors).chain(files).chain(arch::ARCHITECTURES.iter().copied());
    let mut found: Vec<String> = Vec::new();
    let close = crate::query::near(word.as_bytes(), names.clone().map(str::as_bytes), max);
    let close = close.into_iter().filter_map(|name| std::str::from_utf8(name).ok());
    // After the mistyped ones those that the word is a part of.
    let lower = word.to_ascii_lowercase();
    let holding = names.filter(|name| lower.len() >= 3 && name.to_ascii_lowercase().contains(&lower));
    for name in close.chain(holding) {
        // An alias leads to its topic.
        let name = topics::find(name).map_or(name, |prose| prose.id);
        if !found.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            found.push(name.to_owned());
        }
    }
    found.extend(keys::near(word.as_bytes(), max).into_iter().map(str::to_owned));
    found.truncate(max);
    found
}

#[cfg(test)]
mod tests;
