//! What was given beside the model: mixture, rules, recipe, importance, each read and understood.

use std::io;
use std::path::{Path, PathBuf};

use ggufkit::edit::quantize::Refusal;
use ggufkit::format::ReadAt as _;
use ggufkit::inspect::units;
use ggufkit::io::{FileSource, read_exact_at};
use ggufkit::values::importance::{ImportanceError, ImportanceMatrix};
use ggufkit::values::mixture::recipe::Recipe;
use ggufkit::values::mixture::{Mixture, Rule, Wishes};

use super::super::shards::Reason;
use super::Args;
use crate::failure::Failure;
use crate::frame;
use crate::input::{is_stream, read_limited, refuse_pipe};

/// Bytes of a text at most.
const LONGEST: u64 = 4 << 20;

/// All of it.
pub(super) struct Given {
    pub(super) mixture: Option<Mixture>,
    pub(super) wishes: Wishes,
    pub(super) importance: Option<ImportanceMatrix>,
    /// What is worth a word about it.
    pub(super) notes: Vec<String>,
    /// Files that were read for it, which are no output either.
    texts: Vec<FileSource>,
}

/// What went wrong, and with which file.
type Wrong = (Option<PathBuf>, Failure);

impl Given {
    pub(super) fn read(args: &Args) -> Result<Self, Wrong> {
        let copy = args.mixture.as_deref().is_some_and(|name| name.eq_ignore_ascii_case("COPY"));
        let mixture = match args.mixture.as_deref().filter(|_| !copy) {
            Some(name) => Some(Mixture::of_name(name).ok_or_else(|| (None, unknown(name)))?),
            None => None,
        };
        let mut texts = Vec::new();
        let mut rules = args.tensor_type.clone();
        for path in &args.tensor_type_file {
            let text = text(path, &mut texts)?;
            let found = Rule::parse_all(&text)
                .map_err(|(line, error)| bad(path, "bad-rule", format!("line {line}: {error}")))?;
            rules.extend(found);
        }
        let recipe = match &args.recipe {
            Some(path) => {
                let text = text(path, &mut texts)?;
                Some(Recipe::parse(&text).map_err(|error| bad(path, "bad-recipe", error.to_string()))?)
            }
            None => None,
        };
        let mut notes = Vec::new();
        let importance = match &args.imatrix {
            Some(path) => Some(importance(path, args, &mut notes)?),
            None => None,
        };
        let wishes = Wishes {
            rules,
            output: args.output_tensor_type,
            embedding: args.token_embedding_type,
            leave_output: args.leave_output_tensor,
            pure: args.pure,
            copy,
            recipe,
        };
        Ok(Self { mixture, wishes, importance, notes, texts })
    }

    /// What the new file says the importance was read from.
    pub(super) fn importance_name(&self) -> Vec<u8> {
        let path = self.importance.as_ref().map(|importance| importance.source().path());
        path.map(|path| path.as_os_str().as_encoded_bytes().to_vec()).unwrap_or_default()
    }

    /// Files of rules.
    pub(super) fn texts(&self) -> impl Iterator<Item = &FileSource> {
        self.texts.iter()
    }

    /// The files that were read.
    pub(super) fn sources(&self) -> impl Iterator<Item = &FileSource> {
        self.texts.iter().chain(self.importance.as_ref().map(ImportanceMatrix::source))
    }

    /// Why a tensor stands in the way, and what helps.
    pub(super) fn reason(&self, refusal: &Refusal) -> Reason {
        let mut reason = Reason::new(refusal.code(), refusal.to_string());
        reason.name = Some(refusal.name().to_vec());
        let help = match refusal {
            Refusal::Again { .. } => {
                "quantize from a file of F16, BF16 or F32 where there is one; --allow-requantize does it all the same"
            }
            Refusal::NoImportance { .. } if self.importance.is_none() => {
                "--imatrix FILE gives the importance that llama-imatrix has measured"
            }
            Refusal::NoImportance { .. } => {
                "--tensor-type gives these tensors a type that needs none, as in 'NAME=Q4_K'"
            }
            Refusal::ImportanceLength { .. } => "the importance was measured on another model",
            Refusal::ImportanceMatrices { .. } => "the importance was measured on another model",
            Refusal::ImportanceFaint { .. } | Refusal::ImportanceHuge { .. } => {
                "--exclude-weights NAME leaves this tensor's importance out"
            }
            Refusal::Shape(_) => "--tensor-type gives the tensor another type",
            Refusal::NameTwice { .. } => "`gguf repair FILE -o OUT` says which one may go",
            _ => return reason,
        };
        reason.with_help(help)
    }
}

/// Names that publishers give their files, and the mixtures that these begin with.
const PUBLISHED: &[(&str, &str)] = &[
    ("Q2_K_L", "Q2_K"),
    ("Q3_K_XL", "Q3_K_L"),
    ("Q4_K_L", "Q4_K_M"),
    ("Q5_K_L", "Q5_K_M"),
    ("Q6_K_L", "Q6_K"),
];

fn unknown(name: &str) -> Failure {
    let message = format!("'{}' is no mixture", crate::out::fit(name.as_bytes(), 60));
    let published = PUBLISHED.iter().find(|(published, _)| published.eq_ignore_ascii_case(name));
    let help = match published {
        Some((published, mixture)) => format!(
            "files called {published} are as a rule {mixture} with --token-embedding-type Q8_0 --output-tensor-type Q8_0; \
            `gguf recipe FILE` tells what one really is"
        ),
        None => "mixtures are called as for llama-quantize, as in Q4_K_M; `gguf help quantize` lists them"
            .to_owned(),
    };
    Failure::Usage { code: "no-mixture", message, help: Some(help) }
}

fn bad(path: &Path, code: &'static str, message: String) -> Wrong {
    (Some(path.to_owned()), Failure::Data { kind: "usage", code, message })
}

fn text(path: &Path, texts: &mut Vec<FileSource>) -> Result<String, Wrong> {
    let failed = |error| (Some(path.to_owned()), Failure::Io(error));
    let bytes = if is_stream(path) {
        read_limited(path, LONGEST).map_err(failed)?
    } else {
        let source = file(path).map_err(failed)?;
        let bytes = all_of(&source).map_err(failed)?;
        texts.push(source);
        bytes
    };
    if bytes.starts_with(b"GGUF") {
        let message = "is a model, and no text: `gguf recipe FILE > RECIPE` writes down its types".to_owned();
        return Err(bad(path, "bad-rule", message));
    }
    String::from_utf8(bytes).map_err(|_| bad(path, "bad-rule", "is no text in UTF-8".to_owned()))
}

/// A file that is read at any position, and of which no change is under way.
fn file(path: &Path) -> io::Result<FileSource> {
    refuse_pipe(path)?;
    frame::source(path)
}

fn all_of(source: &FileSource) -> io::Result<Vec<u8>> {
    let size = source.size().ok_or(io::ErrorKind::NotSeekable)?;
    if size > LONGEST {
        let text = format!("it is longer than {}", units::bytes(LONGEST));
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
    }
    let mut bytes = vec![0; usize::try_from(size).unwrap_or(0)];
    read_exact_at(source, &mut bytes, 0)?;
    Ok(bytes)
}

fn importance(path: &Path, args: &Args, notes: &mut Vec<String>) -> Result<ImportanceMatrix, Wrong> {
    let failed = |error: ImportanceError| {
        let failure = match error {
            ImportanceError::Io(error) => Failure::Io(error),
            other => Failure::Data { kind: "malformed", code: other.code(), message: other.to_string() },
        };
        (Some(path.to_owned()), failure)
    };
    let source = file(path).map_err(|error| failed(error.into()))?;
    let mut importance = ImportanceMatrix::read(source).map_err(failed)?;
    choose(&mut importance, &args.include_weights, &args.exclude_weights, notes)
        .map_err(|message| (None, Failure::usage("no-importance-left", message)))?;
    Ok(importance)
}

/// Leaves out what was not asked for; the error is that nothing is left.
fn choose(
    importance: &mut ImportanceMatrix,
    include: &[String],
    exclude: &[String],
    notes: &mut Vec<String>,
) -> Result<(), String> {
    let has = |name: &[u8], word: &str| name.windows(word.len().max(1)).any(|part| part == word.as_bytes());
    for word in include.iter().chain(exclude) {
        if !importance.names().any(|name| has(name, word)) {
            let word = crate::out::fit(word.as_bytes(), 60);
            notes.push(format!("no tensor of the importance matrix has '{word}' in its name"));
        }
    }
    importance.retain(|name| {
        (include.is_empty() || include.iter().any(|word| has(name, word)))
            && !exclude.iter().any(|word| has(name, word))
    });
    if importance.is_empty() {
        let option = if include.is_empty() { "--exclude-weights" } else { "--include-weights" };
        return Err(format!("{option} leaves nothing of the importance matrix: look at the names in it"));
    }
    Ok(())
}
