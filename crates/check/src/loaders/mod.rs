//! Which readers accept a file, and the rule that decides.
//!
//! What a reader does about each rule is data ([`table`]), kept with the version that was looked at and where it was seen.
//! An answer is only as good as that: what is not known is said to be unknown.

mod table;

use serde::Serialize;

use crate::facts::Facts;
use crate::finding::Finding;
use crate::report::Report;
use crate::rule::Rule;
use crate::subject::Subject;

/// A reader of GGUF files.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loader {
    /// llama.cpp reading a head: `gguf_init_from_file` without tensor data.
    LlamaCppMetadata,
    /// llama.cpp loading a model: `llama_model_load_from_file`.
    LlamaCpp,
    /// The Python package `gguf`: `GGUFReader`.
    GgufPy,
    /// candle: `gguf_file::Content::read`.
    Candle,
    /// The npm package `@huggingface/gguf`: `gguf()`, which the Hugging Face pages show files with.
    HuggingFaceJs,
    /// Ollama: `ollama create` and `ollama run`.
    Ollama,
}

impl Loader {
    /// Every reader, in the order of the table's columns.
    pub const ALL: [Self; 6] = [
        Self::LlamaCppMetadata,
        Self::LlamaCpp,
        Self::GgufPy,
        Self::Candle,
        Self::HuggingFaceJs,
        Self::Ollama,
    ];

    /// Its name, as documents write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::LlamaCppMetadata => "llama.cpp (metadata)",
            Self::LlamaCpp => "llama.cpp (model)",
            Self::GgufPy => "gguf-py",
            Self::Candle => "candle",
            Self::HuggingFaceJs => "@huggingface/gguf",
            Self::Ollama => "Ollama",
        }
    }

    /// The version that the table speaks of.
    #[must_use]
    pub const fn version(self) -> &'static str {
        match self {
            Self::LlamaCppMetadata | Self::LlamaCpp => "as in llama-cpp-python 0.3.36",
            Self::GgufPy => "0.19.0",
            Self::Candle => "candle-core 0.11.1",
            Self::HuggingFaceJs => "0.4.6",
            Self::Ollama => "not run; where it uses llama.cpp's loader",
        }
    }

    const fn column(self) -> usize {
        self as usize
    }
}

/// What a reader does with a file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It reads the file.
    Accepts,
    /// It refuses the file, or is ended by it.
    Rejects,
    /// The table does not tell.
    Unknown,
}

impl Verdict {
    /// The word that is printed.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Accepts => "accepts",
            Self::Rejects => "rejects",
            Self::Unknown => "unknown",
        }
    }
}

/// What a reader does with a file, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The reader.
    pub loader: Loader,
    /// What it does.
    pub verdict: Verdict,
    /// The rule that decides, where one does.
    pub rule: Option<&'static Rule>,
    /// Why, in a few words.
    pub why: String,
}

/// Answers for every reader. `report` must be one in which every rule spoke: a rule that was not asked decides nothing.
#[must_use]
pub fn loaders(subject: &Subject<'_>, report: &Report) -> Vec<Answer> {
    let parts = subject.parts();
    let facts = Facts::new(subject, &parts, None);
    Loader::ALL.into_iter().map(|loader| answer(&facts, report, loader)).collect()
}

fn answer(facts: &Facts<'_>, report: &Report, loader: Loader) -> Answer {
    let of = |verdict, finding: &Finding| Answer {
        loader,
        verdict,
        rule: Some(finding.rule),
        why: finding.message.clone(),
    };
    let effect = |finding: &&Finding| table::effect(finding, loader.column());
    let reject = |why: String| Answer { loader, verdict: Verdict::Rejects, rule: None, why };
    if let Loader::Candle | Loader::GgufPy = loader {
        let knows = if loader == Loader::Candle { table::candle_knows } else { table::gguf_py_knows };
        let foreign = facts.rows().map(|row| row.tensor.tensor_type).find(|ty| !knows(*ty));
        if let Some(ty) = foreign.filter(|ty| ty.info().is_some_and(|info| !info.is_removed())) {
            return reject(format!("tensor type {ty} is not known to it"));
        }
    }
    if loader == Loader::HuggingFaceJs
        && let Some(dim) = facts.rows().find_map(|row| row.dims().iter().copied().find(|&n| n > 1 << 32))
    {
        return reject(format!("a dimension of {dim} is more than it allows"));
    }
    // In the order of the file: a reader stops at the first thing it cannot bear.
    if let Some(finding) = report.findings.iter().find(|finding| effect(finding) == Verdict::Rejects) {
        return of(Verdict::Rejects, finding);
    }
    if let Some(finding) = report.findings.iter().find(|finding| effect(finding) == Verdict::Unknown) {
        return of(Verdict::Unknown, finding);
    }
    let unknown = |why: &str| Answer { loader, verdict: Verdict::Unknown, rule: None, why: why.to_owned() };
    match loader {
        Loader::LlamaCpp if facts.views().any(|(_, _, view)| view.index().alignment() % 32 != 0) => {
            unknown("where the file is mapped, tensors have to lie at multiples of 32")
        }
        Loader::Ollama => unknown("no reason to refuse it is known; it was not run"),
        Loader::LlamaCpp => {
            match crate::rules::is_described(facts).map(|known| known && vocabulary_is_plain(facts)) {
                Some(true) => Answer {
                    loader,
                    verdict: Verdict::Accepts,
                    rule: None,
                    why: "keys, tensors and shapes are what the architecture needs".to_owned(),
                },
                Some(false) => {
                    unknown("what the architecture or the tokenizer needs is not fully described here")
                }
                None => unknown("the file is no model of its own"),
            }
        }
        _ => Answer {
            loader,
            verdict: Verdict::Accepts,
            rule: None,
            why: "no reason to refuse it was found".to_owned(),
        },
    }
}

/// Whether the vocabulary is one that llama.cpp's loader surely takes: of a kind whose needs are plain, with what it needs.
fn vocabulary_is_plain(facts: &Facts<'_>) -> bool {
    use ggufkit_format::{Value, spec::ValueType};

    let list = |suffix: &str, element: &[ValueType]| match facts.get(format!("tokenizer.ggml.{suffix}")) {
        Some(Value::Array(array)) if element.contains(&array.element_type()) => Some(array),
        _ => None,
    };
    let absent = |suffix: &str| facts.key(format!("tokenizer.ggml.{suffix}")).is_none();
    match facts.str("tokenizer.ggml.model") {
        Some("none" | "no_vocab") => return true,
        Some("llama") => {}
        Some("gpt2") => {
            let pre = facts.str("tokenizer.ggml.pre");
            let known = pre.is_none_or(|pre| matches!(pre, "default" | "gpt-2" | "llama-bpe" | "qwen2"));
            if !known || list("merges", &[ValueType::STRING]).is_none() {
                return false;
            }
        }
        _ => return false,
    }
    let Some(tokens) = list("tokens", &[ValueType::STRING]) else { return false };
    let long_enough = |suffix: &str, element: &[ValueType]| {
        absent(suffix) || list(suffix, element).is_some_and(|array| array.len() >= tokens.len())
    };
    if !long_enough("scores", &[ValueType::FLOAT32])
        || !long_enough("token_type", &[ValueType::INT32, ValueType::UINT32])
    {
        return false;
    }
    let kinds = list("token_type", &[ValueType::INT32, ValueType::UINT32]);
    let mut seen = std::collections::HashSet::new();
    tokens.iter().enumerate().all(|(at, token)| {
        let Value::String(token) = token else { return false };
        let token = token.as_bytes();
        let is_byte = kinds.and_then(|kinds| kinds.get(at as u64)).and_then(|kind| kind.as_u64()) == Some(6);
        let well = !is_byte || (token.len() == 6 && token.starts_with(b"<0x") && token.ends_with(b">"));
        well && !token.contains(&0) && seen.insert(token)
    })
}
