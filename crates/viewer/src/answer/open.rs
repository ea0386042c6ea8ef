//! What is handed to a session: files that somebody has opened, with the heads that were read.

use std::io;
use std::path::Path;
use std::sync::Arc;

use ggufkit_format::{ByteStr, Fault, Options, Outcome, ParseError, ReadAt, Reason, dialect};
use ggufkit_io::{Diagnosis, HeadBuffer, ShardProblem, ShardSet, diagnose};

/// Where the bytes of a file are asked for.
pub type Source = dyn ReadAt<Error = io::Error> + Send + Sync;

/// Tells whether a file has been written to since it was opened.
pub type Watch = dyn Fn() -> io::Result<bool> + Send + Sync;

/// Something that is wrong with a file or a set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// Who must act: `io`, `not-gguf`, `malformed`, `unsupported`, `limit`, `usage`, `notice`.
    pub kind: &'static str,
    /// What is wrong, harmless to show.
    pub message: String,
    /// Position in the file.
    pub offset: Option<u64>,
    /// Logical path.
    pub path: Option<String>,
    /// What to do.
    pub help: Option<String>,
}

/// A sentence without the folder that a file of it lies in: answers and reports name files, and no places of the machine.
#[must_use]
pub fn without_folder(message: &str, file: &Path) -> String {
    let folder = file.parent().map(|folder| folder.as_os_str().as_encoded_bytes()).unwrap_or_default();
    match folder {
        [] => message.to_owned(),
        [.., b'/'] => message.replace(&ByteStr(folder).display().to_string(), ""),
        _ => message.replace(&format!("{}{}", ByteStr(folder).display(), std::path::MAIN_SEPARATOR), ""),
    }
}

impl Problem {
    /// A problem in words alone.
    #[must_use]
    pub fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), offset: None, path: None, help: None }
    }

    fn of_parse(error: &ParseError, has_index: bool, diagnosis: &Diagnosis) -> Self {
        if let (Reason::BadMagic { .. } | Reason::UnexpectedEnd { .. }, false, Some(identity)) =
            (error.reason(), has_index, &diagnosis.identity)
        {
            let mut problem = Self::new("not-gguf", identity.describe());
            problem.offset = Some(error.offset());
            problem.help = identity.help();
            return problem;
        }
        let kind = match error.fault() {
            Fault::Malformed => "malformed",
            Fault::Unsupported => "unsupported",
            Fault::Limit => "limit",
        };
        let mut problem = Self::new(kind, error.to_string());
        problem.offset = Some(error.offset());
        problem.path = Some(error.path().to_string());
        problem.help = match &diagnosis.dialect {
            Some(guess) => Some(format!(
                "the file follows a mis-written layout, {}: read it with --dialect {guess}; `gguf repair` writes it anew",
                dialect::describe(guess)
            )),
            None => error.help(),
        };
        problem
    }
}

/// A file that was opened.
#[derive(Clone)]
pub struct FileInput {
    /// What it is called, byte for byte: its path as given, or `-`.
    pub label: Vec<u8>,
    /// Its name without folders, where that is text.
    pub file_name: Option<String>,
    /// Its length in bytes, where that is known.
    pub size: Option<u64>,
    /// The bytes of the head, from the magic on.
    pub head: Vec<u8>,
    /// What was read of them.
    pub outcome: Outcome,
    /// What else was noticed.
    pub diagnosis: Diagnosis,
    /// The file, where it can be read by position.
    pub source: Option<Arc<Source>>,
    /// Whether it has changed since, where that can be told.
    pub watch: Option<Arc<Watch>>,
}

impl std::fmt::Debug for FileInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileInput").field("file_name", &self.file_name).finish_non_exhaustive()
    }
}

impl FileInput {
    /// Reads the head of a source.
    ///
    /// # Errors
    /// The source's own. What is wrong with the bytes is kept and shown.
    pub fn read(label: &[u8], source: Arc<Source>, options: Options) -> io::Result<Self> {
        let mut buffer = HeadBuffer::new();
        let outcome = buffer.read(&*source, options)?;
        let diagnosis = diagnose(&*source, options, &outcome, buffer.bytes())?;
        let name = label.rsplit(|byte| *byte == b'/' || (cfg!(windows) && *byte == b'\\')).next();
        Ok(Self {
            label: label.to_vec(),
            file_name: name.and_then(|name| std::str::from_utf8(name).ok()).map(str::to_owned),
            size: source.size(),
            head: buffer.into_bytes(),
            outcome,
            diagnosis,
            source: Some(source),
            watch: None,
        })
    }

    /// What is wrong with the file: what ended the reading, and what was noticed around it.
    pub(super) fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let has_index = self.outcome.index.is_some();
        if let Some(error) = &self.outcome.error {
            problems.push(Problem::of_parse(error, has_index, &self.diagnosis));
        }
        if has_index {
            let noticed = self.diagnosis.messages().into_iter().filter(|message| {
                // Said with the error already.
                self.outcome.error.is_none() || !message.text.starts_with("the file follows")
            });
            problems.extend(
                noticed.map(|message| Problem { help: message.help, ..Problem::new("notice", message.text) }),
            );
        }
        problems
    }
}

/// A model: a file, or the files of a shard set.
#[derive(Clone, Debug, Default)]
pub struct ModelInput {
    /// Its files, in order; only those that could be opened.
    pub files: Vec<FileInput>,
    /// The set that they belong to.
    pub set: Option<ShardSet>,
    /// What keeps them from being a set.
    pub set_problems: Vec<ShardProblem>,
    /// Files that could not be opened, and whatever else is to be said.
    pub problems: Vec<Problem>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_name_files_and_no_folders() {
        for (file, said, is) in [
            (
                "/home/a b/m-1.gguf",
                "shard 2 of 3 is missing: /home/a b/m-2.gguf",
                "shard 2 of 3 is missing: m-2.gguf",
            ),
            ("d/m.gguf", "d/m.gguf: permission denied, as d/n.gguf", "m.gguf: permission denied, as n.gguf"),
            ("/m.gguf", "/m.gguf: gone", "m.gguf: gone"),
            ("m.gguf", "m.gguf: a/b", "m.gguf: a/b"),
        ] {
            assert_eq!(without_folder(said, Path::new(file)), is);
        }
    }
}
