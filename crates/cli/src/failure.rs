//! Why a file gave no answer, for a person and for a program.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use ggufkit::format::identify::Identity;
use ggufkit::format::{ByteStr, Fault, Index, ParseError, Reason, dialect};
use ggufkit::inspect::json::JsonText;
use ggufkit::io::{Diagnosis, InputError, Outside};
use serde_json::{Value, json};

use crate::json;
use crate::out;

/// What stands between a file and its answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The system refused.
    Io(io::Error),
    /// What was named is no list of files.
    Input(InputError),
    /// The question has no answer, whatever the files are.
    Usage { code: &'static str, message: String, help: Option<String> },
    /// What was asked for is not in the file.
    Absent { code: &'static str, message: String, help: Option<String> },
    /// The file is something else, or what stands at this position of it, where the reading began.
    NotGguf(Identity, u64),
    /// The offset that was given is none of a GGUF: the file ends there.
    Outside(Outside),
    /// The data of a tensor, or what stands in a list, is of no use here.
    Data { kind: &'static str, code: &'static str, message: String },
    /// One of the others, and what helps.
    Helped { failure: Box<Failure>, help: String },
    /// The head is wrong, unsupported or over a limit.
    Parse { error: ParseError, guess: Option<dialect::Dialect>, read: Option<String> },
}

impl Failure {
    /// A question that has no answer.
    pub(crate) fn usage(code: &'static str, message: impl Into<String>) -> Self {
        Self::Usage { code, message: message.into(), help: None }
    }

    /// The same with what helps.
    pub(crate) fn with_help(self, help: impl Into<String>) -> Self {
        Self::Helped { failure: Box::new(self), help: help.into() }
    }

    /// The failure behind a reading that ended early.
    pub(crate) fn of_parse(error: ParseError, index: Option<&Index>, diagnosis: &Diagnosis) -> Self {
        if let (Reason::BadMagic { .. } | Reason::UnexpectedEnd { .. }, None, Some(identity)) =
            (error.reason(), index, &diagnosis.identity)
        {
            return Self::NotGguf(identity.clone(), error.offset());
        }
        if let Some(outside) = diagnosis.outside {
            return Self::Outside(outside);
        }
        Self::Parse { error, guess: diagnosis.dialect, read: index.map(progress) }
    }

    /// Who must act, in one word.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Io(_) | Self::Input(InputError::List { .. } | InputError::Directory { .. }) => "io",
            Self::Input(_) | Self::Usage { .. } | Self::Absent { .. } => "usage",
            Self::NotGguf(..) => "not-gguf",
            Self::Outside(_) => "usage",
            Self::Helped { failure, .. } => failure.kind(),
            Self::Data { kind, .. } => kind,
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
            Self::Io(_) | Self::Input(_) | Self::Data { .. } => {}
            Self::Usage { help, .. } | Self::Absent { help, .. } => {
                notes.extend(help.clone().map(|help| ("help", help)))
            }
            Self::NotGguf(identity, _) => notes.extend(identity.help().map(|help| ("help", help))),
            Self::Outside(outside) => notes.extend(outside.message().help.map(|help| ("help", help))),
            Self::Helped { failure, help } => {
                notes = failure.notes();
                notes.push(("help", help.clone()));
            }
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
        if let Self::Helped { failure, .. } = self {
            let mut out = failure.json();
            if let Value::Object(fields) = &mut out {
                let help = notes.iter().filter(|(word, _)| *word == "help").map(|(_, text)| json!(text));
                fields.insert("help".to_owned(), help.collect());
            }
            return out;
        }
        let pick = |word| {
            notes.iter().filter(|(w, _)| *w == word).map(|(_, text)| text.as_str()).collect::<Vec<_>>()
        };
        let mut out = json!({ "kind": self.kind(), "message": self.to_string(), "notes": pick("note"), "help": pick("help") });
        let extra = match self {
            Self::Io(error) => json!({ "code": io_code(error.kind()) }),
            Self::Input(error) => json!({ "code": input_code(error) }),
            Self::Usage { code, .. } | Self::Absent { code, .. } | Self::Data { code, .. } => {
                json!({ "code": code })
            }
            Self::NotGguf(identity, _) => json!({ "code": identity.name() }),
            Self::Outside(outside) => json!({ "code": "offset-outside", "offset": outside.offset }),
            // Was told above.
            Self::Helped { .. } => Value::Null,
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
                    "name": error.name().map(|name| json!(JsonText(ByteStr(name)))),
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

/// A failure with the file it is about, for being said.
pub(crate) struct Told<'f> {
    path: &'f Path,
    failure: &'f Failure,
}

impl Failure {
    /// The failure, said of a file.
    pub(crate) fn of<'f>(&'f self, path: &'f Path) -> Told<'f> {
        Told { path, failure: self }
    }
}

impl fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.failure {
            // Names its file itself, or is about none.
            Failure::Input(error) => error.fmt(f),
            Failure::Usage { message, .. } => f.write_str(message),
            Failure::Helped { failure, .. } => failure.of(self.path).fmt(f),
            failure => write!(f, "{}: {failure}", out::path(self.path)),
        }
    }
}

/// An error with what caused it, as one sentence; a cause that the error tells itself is not told twice.
pub(crate) fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let told = cause.to_string();
        if !text.ends_with(&told) {
            text.push_str(": ");
            text.push_str(&told);
        }
        next = cause.source();
    }
    text
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Input(error) => error.fmt(f),
            Self::Usage { message, .. } | Self::Absent { message, .. } | Self::Data { message, .. } => {
                f.write_str(message)
            }
            Self::NotGguf(identity, 0) => f.write_str(&identity.describe()),
            Self::NotGguf(identity, at) => write!(f, "at offset {at}: {}", identity.describe()),
            Self::Outside(outside) => f.write_str(&outside.message().text),
            Self::Helped { failure, .. } => failure.fmt(f),
            Self::Parse { error, .. } => error.fmt(f),
        }
    }
}

/// What went wrong, with the file it is about.
#[derive(Debug)]
pub(crate) struct Failed {
    /// The file, `-` for standard input.
    pub(crate) path: PathBuf,
    /// Why.
    pub(crate) failure: Failure,
}

impl Failed {
    /// The file's name, byte for byte.
    pub(crate) fn name(&self) -> ByteStr<'_> {
        json::bytes_of(&self.path)
    }

    /// An entry of the list `errors`.
    pub(crate) fn json(&self) -> Value {
        json!({ "path": json::path(&self.path), "error": self.failure.json() })
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.failure.of(&self.path).fmt(f)
    }
}

/// Our words for the system's refusals. Programs match on them, so they are a list of ours and do not follow the names
/// of a library; what is not in the list is `other`, and its message says more.
fn io_code(kind: io::ErrorKind) -> &'static str {
    use io::ErrorKind as Kind;
    match kind {
        Kind::NotFound => "not_found",
        Kind::PermissionDenied => "permission_denied",
        Kind::IsADirectory => "is_a_directory",
        Kind::NotADirectory => "not_a_directory",
        Kind::AlreadyExists => "already_exists",
        Kind::InvalidInput => "invalid_input",
        Kind::InvalidData => "invalid_data",
        Kind::InvalidFilename => "invalid_file_name",
        Kind::UnexpectedEof => "unexpected_eof",
        Kind::NotSeekable => "not_seekable",
        Kind::StorageFull => "storage_full",
        Kind::QuotaExceeded => "quota_exceeded",
        Kind::FileTooLarge => "file_too_large",
        Kind::ReadOnlyFilesystem => "read_only_file_system",
        Kind::OutOfMemory => "out_of_memory",
        Kind::ResourceBusy => "busy",
        Kind::TimedOut => "timed_out",
        Kind::Interrupted => "interrupted",
        Kind::BrokenPipe => "broken_pipe",
        Kind::WouldBlock => "would_block",
        Kind::Unsupported => "unsupported",
        _ => "other",
    }
}

/// The same for lists and directories.
fn input_code(error: &InputError) -> &'static str {
    match error {
        InputError::List { source, .. } | InputError::Directory { source, .. } => io_code(source.kind()),
        InputError::ListNotText { .. } => "list-not-text",
        InputError::StdinTwice => "stdin-twice",
        InputError::NoFiles { .. } => "no-files",
        _ => "other",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_of_the_system_have_words_of_ours() {
        for (kind, code) in [
            (io::ErrorKind::NotFound, "not_found"),
            (io::ErrorKind::PermissionDenied, "permission_denied"),
            (io::ErrorKind::StorageFull, "storage_full"),
            (io::ErrorKind::ConnectionReset, "other"),
        ] {
            assert_eq!(Failure::Io(kind.into()).json()["code"], code);
        }
        let source = io::Error::from(io::ErrorKind::NotFound);
        let list = Failure::Input(InputError::List { path: "l".into(), source });
        assert_eq!((list.kind(), &list.json()["code"]), ("io", &json!("not_found")));
        // Help is added to any of them, and nothing else of it changes.
        let helped = Failure::Usage { code: "c", message: "m".to_owned(), help: Some("one".to_owned()) };
        let helped = helped.with_help("two");
        assert_eq!((helped.kind(), helped.of(Path::new("f")).to_string()), ("usage", "m".to_owned()));
        let json = helped.json();
        assert_eq!((&json["code"], &json["help"]), (&json!("c"), &json!(["one", "two"])));
    }
}
