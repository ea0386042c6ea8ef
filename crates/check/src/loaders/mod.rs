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
    let effect = |finding: &&Finding| table::effect(finding.rule, loader.column());
    if loader == Loader::Candle
        && let Some(ty) = facts.rows().map(|row| row.tensor.tensor_type).find(|ty| !table::candle_knows(*ty))
        && ty.info().is_some_and(|info| !info.is_removed())
    {
        let why = format!("tensor type {ty} is not known to it");
        return Answer { loader, verdict: Verdict::Rejects, rule: None, why };
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
        Loader::Ollama => unknown("nothing that it is known to refuse; it was not run"),
        Loader::LlamaCpp => match crate::rules::is_described(facts) {
            Some(true) => Answer {
                loader,
                verdict: Verdict::Accepts,
                rule: None,
                why: "keys, tensors and shapes are what the architecture needs".to_owned(),
            },
            Some(false) => unknown("what the architecture needs is not fully described here"),
            None => unknown("the file is no model of its own"),
        },
        _ => Answer {
            loader,
            verdict: Verdict::Accepts,
            rule: None,
            why: "nothing that it refuses".to_owned(),
        },
    }
}
