//! Why a file gave no answer, for a person and for a program.

use std::fmt;
use std::io;

use ggufkit::format::identify::Identity;
use ggufkit::format::{Fault, Index, ParseError, Reason, dialect};
use ggufkit::inspect::json::JsonText;
use ggufkit::io::Diagnosis;
use serde_json::{Value, json};

/// What stands between a file and its answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The system refused.
    Io(io::Error),
    /// The file is something else.
    NotGguf(Identity),
    /// The head is wrong, unsupported or over a limit.
    Parse { error: ParseError, guess: Option<dialect::Dialect>, read: Option<String> },
}

impl Failure {
    /// The failure behind a reading that ended early.
    pub(crate) fn of_parse(error: ParseError, index: Option<&Index>, diagnosis: &Diagnosis) -> Self {
        if let (Reason::BadMagic { .. } | Reason::UnexpectedEnd { .. }, None, Some(identity)) =
            (error.reason(), index, &diagnosis.identity)
        {
            return Self::NotGguf(identity.clone());
        }
        Self::Parse { error, guess: diagnosis.dialect, read: index.map(progress) }
    }

    /// Who must act, in one word.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Io(_) => "io",
            Self::NotGguf(_) => "not-gguf",
            Self::Parse { error, .. } => match error.fault() {
                Fault::Malformed => "malformed",
                Fault::Unsupported => "unsupported",
                Fault::Limit => "limit",
            },
        }
    }

    /// Lines after the message: what was read, what to do.
    pub(crate) fn notes(&self) -> Vec<(&'static str, String)> {
        let mut notes = Vec::new();
        match self {
            Self::Io(_) => {}
            Self::NotGguf(identity) => notes.extend(identity.help().map(|help| ("help", help))),
            Self::Parse { error, guess, read } => {
                if let Some(read) = read {
                    notes.push(("note", format!("read before that: {read}; the rest was not examined")));
                }
                match guess {
                    Some(guess) => {
                        notes.push((
                            "note",
                            format!("the file follows a mis-written layout, {}", dialect::describe(guess)),
                        ));
                        notes.push((
                            "help",
                            format!("read it with --dialect {guess}; `gguf repair` writes it anew"),
                        ));
                    }
                    None => notes.extend(error.help().map(|help| ("help", help))),
                }
            }
        }
        notes
    }

    /// The failure as JSON.
    pub(crate) fn json(&self) -> Value {
        let notes = self.notes();
        let pick = |word| {
            notes.iter().filter(|(w, _)| *w == word).map(|(_, text)| text.as_str()).collect::<Vec<_>>()
        };
        let mut out = json!({ "kind": self.kind(), "message": self.to_string(), "notes": pick("note"), "help": pick("help") });
        let extra = match self {
            Self::Io(error) => json!({ "code": format!("{:?}", error.kind()) }),
            Self::NotGguf(identity) => json!({ "code": identity.name() }),
            Self::Parse { error, guess, .. } => {
                let (needed, found) = match error.reason() {
                    Reason::UnexpectedEnd { needed, remaining }
                    | Reason::TooLarge { needed, remaining, .. } => (Some(*needed), Some(*remaining)),
                    _ => (None, None),
                };
                json!({
                    "code": error.code(),
                    "offset": error.offset(),
                    "path": error.path().to_string(),
                    "name": error.name().map(|name| json!(JsonText(ggufkit::format::ByteStr(name)))),
                    "needed": needed,
                    "remaining": found,
                    "dialect_guess": guess.as_ref().map(ToString::to_string),
                })
            }
        };
        if let (Value::Object(out), Value::Object(extra)) = (&mut out, extra) {
            out.extend(extra);
        }
        out
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::NotGguf(identity) => f.write_str(&identity.describe()),
            Self::Parse { error, .. } => error.fmt(f),
        }
    }
}

/// How far a reading came.
fn progress(index: &Index) -> String {
    let header = index.header();
    format!(
        "version {}, {}-endian, {} of {} key-values, {} of {} tensors",
        header.version,
        header.endian.name(),
        index.kvs().len(),
        header.kv_count,
        index.tensors().len(),
        header.tensor_count,
    )
}
