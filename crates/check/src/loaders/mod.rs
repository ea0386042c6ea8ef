//! Which readers accept a file, and the rule that decides.
//!
//! What a reader does about each rule is data ([`table`]), kept with the version that was looked at and where it was seen.
//! What llama.cpp does with hyperparameters and a vocabulary is told by themselves ([`hparams`], [`vocabulary`]).
//! An answer is only as good as that: what is not known is said to be unknown.

mod hparams;
mod table;
mod vocabulary;

pub(crate) use hparams::passes_over;
pub use vocabulary::is_of_vocabulary;

use ggufkit_format::layout;
use ggufkit_format::spec::TensorType;
use serde::Serialize;

use crate::Options;
use crate::facts::Facts;
use crate::finding::Finding;
use crate::report::Report;
use crate::rule::{Family, Rule};
use crate::rules::layout::MAPPED;
use crate::select::Selection;
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
            Self::Ollama => "as llama.cpp's loader, not run",
        }
    }

    /// Its column in the table. Ollama goes by that of the loader that it uses.
    const fn column(self) -> usize {
        match self {
            Self::Ollama => Self::LlamaCpp as usize,
            other => other as usize,
        }
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

/// Findings of a rule that are looked at; about more of them, where each may decide otherwise, nothing is claimed.
const PER_RULE: u64 = 64;

/// Answers for every reader. Every rule is asked for that, whatever a user has selected or ignores.
#[must_use]
pub fn loaders(subject: &Subject<'_>) -> Vec<Answer> {
    let parts = subject.parts();
    let facts = Facts::new(subject, &parts, None);
    answers(&facts, &crate::judge(&facts, &asked(true)), true)
}

/// A subject judged by its head, and the answers for every reader, from one look at it. Without `vocabulary` the answers are
/// as if the tokens and chat templates were right: a quarter of a million tokens are not looked at for a change of a key that
/// is none [of the vocabulary](is_of_vocabulary).
#[must_use]
pub fn check_and_loaders(
    subject: &Subject<'_>,
    options: &Options,
    vocabulary: bool,
) -> (Report, Vec<Answer>) {
    let parts = subject.parts();
    let facts = Facts::new(subject, &parts, None);
    let report = crate::judge(&facts, options);
    let asked = asked(vocabulary);
    let answers = if covers(options, &asked) {
        answers(&facts, &report, vocabulary)
    } else {
        answers(&facts, &crate::judge(&facts, &asked), vocabulary)
    };
    (report, answers)
}

impl Options {
    /// The same, with as many findings kept as the answers for readers look at: [`check_and_loaders`] then judges once.
    #[must_use]
    pub fn answering(self) -> Self {
        Self { per_rule: self.per_rule.max(PER_RULE), ..self }
    }
}

/// What the answers are made from.
fn asked(vocabulary: bool) -> Options {
    let selection = if vocabulary { Selection::default() } else { Selection::but_vocabulary(false) };
    Options { per_rule: PER_RULE, selection, baseline: None }
}

/// Whether a report by some options has all that one by others has.
fn covers(options: &Options, asked: &Options) -> bool {
    let speaks = |rule: &&'static Rule| {
        options.selection.selects(rule) && options.selection.reason_to_ignore(rule).is_none()
    };
    options.baseline.is_none()
        && options.per_rule >= asked.per_rule
        && crate::rules::all().filter(|rule| asked.selection.selects(rule)).all(|rule| speaks(&rule))
}

fn answers(facts: &Facts<'_>, report: &Report, vocabulary: bool) -> Vec<Answer> {
    let arch = crate::rules::model_architecture(facts);
    let hparams = arch.map_or(Ok(()), |arch| hparams::load(facts, arch));
    let file = table::Told { followed: arch, packed: is_packed(facts) };
    let known = Known {
        facts,
        report,
        file,
        loads: hparams.and_then(|()| match vocabulary {
            true => vocabulary::load(facts),
            false => vocabulary::load_but_tokens(facts),
        }),
    };
    Loader::ALL.into_iter().map(|loader| known.answer(loader)).collect()
}

/// What an answer is made of.
struct Known<'k, 'a> {
    facts: &'k Facts<'a>,
    report: &'k Report,
    file: table::Told<'k>,
    /// What llama.cpp does with the hyperparameters and the vocabulary.
    loads: Result<(), vocabulary::Stop>,
}

impl Known<'_, '_> {
    fn answer(&self, loader: Loader) -> Answer {
        let Self { facts, report, file, loads: model } = self;
        let loads = matches!(loader, Loader::LlamaCpp | Loader::Ollama);
        if let Some(why) = of_tensors(facts, loader) {
            return Answer { loader, verdict: Verdict::Rejects, rule: None, why };
        }
        let of = |verdict, finding: &Finding| Answer {
            loader,
            verdict,
            rule: Some(finding.rule),
            why: finding.message.clone(),
        };
        // In the order of the file: a reader stops at the first thing it cannot bear.
        let first = |verdict| {
            report.findings.iter().find(|finding| table::effect(finding, loader.column(), file) == verdict)
        };
        let rejecting = first(Verdict::Rejects);
        // Hyperparameters and vocabulary are read behind the head, and before anything is asked of the tensors.
        if let Some(finding) = rejecting.filter(|finding| finding.rule.family < Family::Conventions) {
            return of(Verdict::Rejects, finding);
        }
        if let (true, Err(vocabulary::Stop::Refused { why, rule, key })) = (loads, model) {
            let tells = |finding: &&Finding| match rule {
                Some(name) => finding.rule.name == *name,
                None => finding.primary.name.as_deref() == Some(key.as_bytes()),
            };
            return match report.findings.iter().find(tells) {
                Some(finding) => of(Verdict::Rejects, finding),
                None => Answer { loader, verdict: Verdict::Rejects, rule: None, why: why.clone() },
            };
        }
        if let Some(finding) = rejecting {
            return of(Verdict::Rejects, finding);
        }
        let mapping = Mapping::of(facts);
        if loads && mapping == Mapping::Fails {
            return Answer {
                loader,
                verdict: Verdict::Rejects,
                rule: Rule::find("alignment-small"),
                why: format!("the first tensor lies at no multiple of {MAPPED}, where the file is mapped"),
            };
        }
        if let Some(finding) = first(Verdict::Unknown) {
            return of(Verdict::Unknown, finding);
        }
        let answer = |verdict, why: &str| Answer { loader, verdict, rule: None, why: why.to_owned() };
        let unknown = |why| answer(Verdict::Unknown, why);
        if report.left_out.iter().any(|count| table::hangs_on_the_key(count.rule, loader.column())) {
            return unknown("there are too many findings to look at them all");
        }
        match loader {
            Loader::Ollama => unknown("no reason to refuse it is known; it was not run"),
            Loader::LlamaCpp if mapping == Mapping::Unsure => {
                unknown("where the file is mapped, tensors have to lie at multiples of 32")
            }
            Loader::LlamaCpp => match crate::rules::is_described(facts) {
                None => unknown("the file is no model of its own"),
                Some(true) if model.is_ok() => {
                    answer(Verdict::Accepts, "keys, tensors and shapes are what the architecture needs")
                }
                Some(_) => {
                    unknown("what the architecture or the tokenizer needs is not fully described here")
                }
            },
            _ => answer(Verdict::Accepts, "no reason to refuse it was found"),
        }
    }
}

/// Whether the tensors follow each other in the order of the table, padded to the alignment, as llama.cpp demands.
fn is_packed(facts: &Facts<'_>) -> bool {
    facts.views().all(|(_, _, view)| {
        let index = view.index();
        let mut packer = layout::Packer::new(index.alignment());
        index.tensors().iter().all(|tensor| {
            let len = layout::tensor_bytes(tensor.tensor_type, index.dims(tensor)).ok();
            len.and_then(|len| packer.put(len)) == Some(tensor.offset)
        })
    })
}

/// What a reader does not take of the tensor table, beyond what the rules tell.
fn of_tensors(facts: &Facts<'_>, loader: Loader) -> Option<String> {
    let foreign = |knows: fn(TensorType) -> bool| {
        let ty = facts.rows().map(|row| row.tensor.tensor_type).find(|ty| !knows(*ty))?;
        ty.info().filter(|info| !info.is_removed())?;
        Some(format!("tensor type {ty} is not known to it"))
    };
    match loader {
        Loader::Candle => foreign(table::candle_knows),
        Loader::GgufPy => foreign(table::gguf_py_knows),
        Loader::HuggingFaceJs => {
            let dim = facts.rows().find_map(|row| row.dims().iter().copied().find(|&n| n > 1 << 32))?;
            Some(format!("a dimension of {dim} is more than it allows"))
        }
        Loader::LlamaCppMetadata | Loader::LlamaCpp | Loader::Ollama => None,
    }
}

/// Whether llama.cpp can make its buffers of a mapped file: each begins with its first tensor, at a multiple of 32.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mapping {
    Fits,
    Fails,
    /// It hangs on which tensors the machine keeps in which buffer.
    Unsure,
}

impl Mapping {
    fn of(facts: &Facts<'_>) -> Self {
        let mut all = Self::Fits;
        for (file, _, view) in facts.views() {
            let index = view.index();
            let begins = |offset: u64| index.data_start().and_then(|start| start.checked_add(offset));
            let fits = |offset: u64| begins(offset).is_some_and(|at| at.is_multiple_of(u64::from(MAPPED)));
            let extents = facts.extents(file);
            if extents.iter().all(|extent| fits(extent.offset)) {
                continue;
            }
            // Matrices may be laid out anew for the processor, and then lie in no mapped buffer.
            let first =
                extents.first().and_then(|extent| Some((extent, index.tensors().get(extent.tensor)?)));
            let fails = first.is_some_and(|(extent, tensor)| {
                let stays = index.dims(tensor).len() == 1 || view.name(tensor).0 == b"token_embd.weight";
                stays && !fits(extent.offset)
            });
            if fails {
                return Self::Fails;
            }
            all = Self::Unsure;
        }
        all
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::testing::Recipe;
    use crate::testing::{Tiny, asked};

    fn answer(recipe: impl Into<Recipe>) -> (Verdict, Option<&'static str>) {
        let answers = recipe.into().judge(&Options::default(), |_, subject| loaders(subject));
        let answer = answers.into_iter().find(|answer| answer.loader == Loader::LlamaCpp).unwrap();
        (answer.verdict, answer.rule.map(|rule| rule.name))
    }

    #[test]
    fn a_small_model_is_taken_and_one_with_a_vocabulary_that_is_refused_is_not() {
        let rejects = |rule| (Verdict::Rejects, rule);
        assert_eq!(answer(Tiny::llama()), (Verdict::Accepts, None));
        for (changed, rule) in [
            (Tiny::llama().key("tokenizer.ggml.model", "llama3"), Some("tokenizer-model-unknown")),
            (Tiny::llama().key("tokenizer.ggml.model", "gpt2"), Some("merges-missing")),
            (Tiny::llama().without_key("tokenizer.ggml.tokens"), Some("tokens-missing")),
            (Tiny::llama().key("tokenizer.ggml.tokens", vec!["a", "b", "a"]), Some("token-duplicate")),
            (Tiny::llama().key("tokenizer.ggml.scores", vec![0.5_f32]), Some("token-scores-length")),
            (Tiny::llama().key("tokenizer.ggml.token_type", vec![1_u32; 3]), Some("token-type-type")),
            (
                Tiny::llama().key("tokenizer.ggml.token_type", vec![1, 1, 6_i32]),
                Some("byte-tokens-incomplete"),
            ),
            (Tiny::llama().key("general.name", "Phi-3 mini"), None),
            (Tiny::llama().key("tokenizer.ggml.model", "none"), Some("vocab-rows-mismatch")),
            (
                Tiny::llama().key("tokenizer.ggml.model", "no_vocab").key("llama.vocab_size", 5_u32),
                Some("vocab-rows-mismatch"),
            ),
            (Tiny::llama().key("llama.expert_used_count", vec![1_u32, 0]), Some("per-layer-array-length")),
            (Tiny::llama().key("llama.expert_used_count", vec![3_u32]), Some("expert-count-range")),
            (
                Tiny::llama().key("llama.feed_forward_length", vec![16_u32, 16]),
                Some("per-layer-array-length"),
            ),
            (Tiny::llama().key("llama.rope.freq_base", 10_000_u32), Some("value-type")),
            (Tiny::llama().key("llama.attention.layer_norm_rms_epsilon", 1e-5_f64), Some("float-width")),
            (Tiny::llama().key("llama.nextn_predict_layers", 2_u32), Some("nextn-layers-mismatch")),
            (Tiny::llama().key("tokenizer.ggml.model", "t5").key("tokenizer.ggml.tokens", vec!["a"]), None),
        ] {
            assert_eq!(answer(changed), rejects(rule), "{rule:?}");
        }
        for taken in [
            Tiny::llama().key("tokenizer.ggml.scores", vec![0_i32; 3]),
            Tiny::llama().key("tokenizer.ggml.scores", vec![0.5_f32; 4]),
            Tiny::llama().key("tokenizer.ggml.eos_token_id", 99_u32),
            // The size counts, and not the tokens that are listed.
            Tiny::llama()
                .key("tokenizer.ggml.model", "none")
                .key("llama.vocab_size", 3_u32)
                .key("tokenizer.ggml.scores", 7_u32),
            // Nobody asks for what another architecture reads.
            Tiny::llama().key("llama.attention.layer_norm_epsilon", "x"),
            Tiny::llama().key("qwen2.context_length", "x"),
            Tiny::llama().key("general.nmae", "x"),
            Tiny::llama().key("llama.expert_used_count", vec![0_u32]),
            Tiny::llama().key("llama.feed_forward_length", vec![16_i32]),
        ] {
            assert_eq!(answer(taken), (Verdict::Accepts, None));
        }
    }

    #[test]
    fn one_look_gives_the_report_and_the_answers_that_two_looks_give() {
        let broken = Tiny::llama().key("llama.context_length", "32").key("tokenizer.ggml.model", "gpt2");
        let mut ignoring = Options::default();
        ignoring.selection.ignore("all", "").unwrap();
        for options in [Options::default(), Options::default().answering(), ignoring.answering()] {
            let (report, answers, apart) = Recipe::from(broken.clone()).judge(&options, |report, subject| {
                let (one, answers) = check_and_loaders(subject, &options, true);
                assert_eq!(&one, report);
                (one, answers, loaders(subject))
            });
            assert_eq!(answers, apart);
            assert_eq!(
                report.findings.is_empty(),
                options.selection.reason_to_ignore(report_rule()).is_some()
            );
        }
        let (_, answers) = Recipe::from(Tiny::llama().key("tokenizer.ggml.model", "gpt2"))
            .judge(&Options::default(), |_, subject| {
                check_and_loaders(subject, &Options::default().answering(), false)
            });
        assert!(answers.iter().all(|answer| answer.verdict != Verdict::Rejects), "{answers:?}");
    }

    fn report_rule() -> &'static Rule {
        Rule::find("value-type").unwrap()
    }

    /// Who changes a key asks everything or all but the tokens: what is read beyond that has to be known for such.
    #[test]
    fn whatever_is_read_of_a_vocabulary_alone_is_known_to_be_of_it() {
        let models = ["llama", "gpt2", "bert", "t5", "rwkv", "plamo2", "none", "no_vocab", "llama3"];
        let charsmap = vec![4_u8, 0, 0, 0, 1];
        for model in models {
            let tiny = Tiny::llama()
                .key("tokenizer.ggml.model", model)
                .key("tokenizer.ggml.merges", vec!["a b"])
                .key("tokenizer.ggml.precompiled_charsmap", charsmap.clone())
                .key("llama.vocab_size", 3_u32)
                .key("general.name", "Phi-3 mini");
            Recipe::from(tiny).judge(&Options::default(), |_, subject| {
                let asked = |vocabulary| {
                    asked::keys(|| {
                        let options =
                            Options { selection: Selection::but_vocabulary(false), ..Options::default() };
                        let options = if vocabulary { Options::default() } else { options };
                        _ = check_and_loaders(subject, &options.answering(), vocabulary);
                    })
                };
                let (all, always) = (asked(true), asked(false));
                let alone: Vec<&String> = all.difference(&always).collect();
                let unknown: Vec<&&String> = alone
                    .iter()
                    .filter(|key| !is_of_vocabulary(key.as_bytes()) && !key.contains("chat_template"))
                    .collect();
                assert!(unknown.is_empty(), "{model}: {unknown:?}");
                assert!(all.contains("tokenizer.ggml.model") && all.len() > 10, "{model}");
            });
        }
    }

    /// What can be told without looking at tokens is told: the name, the size of a vocabulary that is none.
    #[test]
    fn without_the_tokens_what_other_keys_tell_is_told() {
        let answer = |recipe: Tiny| {
            Recipe::from(recipe).judge(&Options::default(), |_, subject| {
                let (_, answers) = check_and_loaders(subject, &Options::default().answering(), false);
                answers.into_iter().find(|answer| answer.loader == Loader::LlamaCpp).unwrap().verdict
            })
        };
        let none = || Tiny::llama().key("tokenizer.ggml.model", "none");
        assert_eq!(answer(Tiny::llama()), Verdict::Accepts);
        for recipe in [
            Tiny::llama().key("general.name", "Phi-3 mini"),
            Tiny::llama().key("general.name", 7_u32),
            Tiny::llama().key("general.file_type", "x"),
            none().key("llama.vocab_size", 3_u64),
        ] {
            assert_eq!(answer(recipe), Verdict::Rejects);
        }
    }

    #[test]
    fn a_key_that_decides_is_found_behind_many_that_do_not() {
        let many = (0..PER_RULE + 1)
            .fold(Tiny::llama(), |file, n| file.key(&format!("llama.expert_weights_scale{n}"), 1_u32));
        assert_eq!(answer(many.key("llama.context_length", "32")).0, Verdict::Rejects);
        let typed = ["author", "license", "basename"]
            .iter()
            .fold(Tiny::llama(), |file, key| file.key(&format!("general.{key}"), 7_u32));
        assert_eq!(answer(typed.clone()).0, Verdict::Accepts);
        assert_eq!(answer(typed.key("general.name", 7_u32)), (Verdict::Rejects, Some("value-type")));
    }

    #[test]
    fn ollama_refuses_what_its_loader_refuses_and_is_not_known_to_take_anything() {
        let tiny = Tiny::llama;
        let cut: Recipe = ggufkit_testkit::Builder::new()
            .kv("general.architecture", "llama")
            .tensor(ggufkit_testkit::Tensor::f32("w", &[64]))
            .without_data()
            .into();
        for recipe in [
            tiny().into(),
            tiny().key("llama.context_length", "32").into(),
            tiny().key("tokenizer.ggml.model", "gpt2").into(),
            ggufkit_testkit::Builder::new().kv("a", 1_u8).kv("a", 1_u8).into(),
            cut,
        ] {
            let recipe: Recipe = recipe;
            let answers = recipe.judge(&Options::default(), |_, subject| loaders(subject));
            let of = |loader| {
                let answer = answers.iter().find(|answer| answer.loader == loader).unwrap();
                (answer.verdict == Verdict::Rejects, answer.rule.map(|rule| rule.name))
            };
            let (llama, ollama) = (of(Loader::LlamaCpp), of(Loader::Ollama));
            assert_eq!(ollama.0, llama.0, "{llama:?}");
            assert!(!llama.0 || ollama == llama, "{llama:?} {ollama:?}");
            assert!(
                answers
                    .iter()
                    .all(|answer| answer.loader != Loader::Ollama || answer.verdict != Verdict::Accepts)
            );
        }
    }
}
