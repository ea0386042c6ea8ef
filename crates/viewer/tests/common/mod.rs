//! Files in memory as sessions.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use std::convert::Infallible;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ggufkit_format::{Options, ReadAt};
use ggufkit_testkit::corpus;
use ggufkit_viewer::answer::{FileInput, ModelInput, Question, Refusal, Session};
use serde_json::Value;

/// Bytes that are read by position.
pub struct Held(pub Vec<u8>);

impl ReadAt for Held {
    type Error = io::Error;

    fn size(&self) -> Option<u64> {
        Some(self.0.len() as u64)
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let read: Result<usize, Infallible> = self.0.as_slice().read_at(buf, offset);
        Ok(read.unwrap_or_default())
    }
}

/// A session about files, each a model of its own.
pub fn session(files: &[(&str, Vec<u8>)]) -> Session {
    let models = files.iter().map(|(name, bytes)| {
        let source = Arc::new(Held(bytes.clone()));
        let file = FileInput::read(name.as_bytes(), source, Options::new()).unwrap();
        ModelInput { files: vec![file], ..ModelInput::default() }
    });
    Session::new(models.collect())
}

/// The committed sample.
pub fn sample() -> Vec<u8> {
    std::fs::read(root().join("samples/Tiny-Llama-591K-v1.0-Q4_K_M.gguf")).unwrap()
}

/// The root of the working copy.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every file that is at hand: committed ones, and those that are handed beside the working copy.
pub fn files() -> Vec<(String, Vec<u8>)> {
    let mut folders = vec![root().join("samples"), root().join("crates/format/tests/data")];
    folders
        .extend(corpus::shared().map(|shared| shared.join("cases/files")).filter(|folder| folder.is_dir()));
    let mut found = Vec::new();
    for folder in folders {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths.into_iter().filter(|path| path.is_file()) {
            let bytes = std::fs::read(&path).unwrap();
            // What is larger takes a debug build too long.
            if bytes.len() <= 4 << 20 && !path.extension().is_some_and(|name| name == "py" || name == "md") {
                found.push((path.file_name().unwrap().to_string_lossy().into_owned(), bytes));
            }
        }
    }
    found
}

/// The answer to a question, as JSON.
pub fn ask(session: &Session, question: &Question) -> Result<Value, Refusal> {
    let answer = session.ask(question)?;
    Ok(serde_json::from_slice(&answer).unwrap_or_else(|error| panic!("{question:?}: {error}")))
}

/// A question from `name?key=value&…`.
pub fn question(text: &str) -> Question {
    let (name, query) = text.split_once('?').unwrap_or((text, ""));
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.fold(Question::new(name), |question, (name, value)| question.with(name, value))
}
