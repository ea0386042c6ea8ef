//! Chat templates: where a file keeps them, and what is to be said about one without running it.
//!
//! A chat template is a Jinja program that engines run over every conversation. Here it is only read: split into pieces
//! by a scanner that does not recurse, and, where it is small and flat enough, handed to a parser of the language for its
//! syntax. Nothing is rendered.

mod content;
mod depth;
mod lex;
mod names;
mod prepare;
mod scan;

use std::fmt::Write as _;

use ggufkit_format::{Kv, Value};
use ggufkit_inspect::{Model, Place};
use sha2::{Digest as _, Sha256};

use crate::few::Few;
use crate::vocabulary::Vocabulary;
pub(crate) use content::Trigger;
pub use prepare::prepare;
pub(crate) use scan::{Issues, Spot};

/// The key of the template that engines use unless they are told otherwise.
pub const DEFAULT_KEY: &str = "tokenizer.chat_template";

/// A key that holds a template: its name among the file's templates, `None` for the default one.
#[must_use]
pub fn name_of(key: &[u8]) -> Option<Option<&[u8]>> {
    match key.strip_prefix(DEFAULT_KEY.as_bytes())? {
        [] => Some(None),
        rest => rest.strip_prefix(b".").map(Some),
    }
}

/// A template of a model.
#[derive(Clone, Copy, Debug)]
pub struct Template<'a> {
    /// Its name; `None` for the default one.
    pub name: Option<&'a [u8]>,
    /// The key-value that holds it.
    pub place: Place<'a, Kv>,
    /// Its text.
    pub text: &'a [u8],
}

impl<'a> Template<'a> {
    /// The templates of a model, in the order of the files. Values that are no strings are passed over.
    pub fn all(model: &Model<'a>) -> impl Iterator<Item = Self> + use<'a> {
        model.parts().enumerate().flat_map(|(file, part)| {
            part.view.kvs().enumerate().filter_map(move |(index, (key, record))| {
                let name = name_of(key.0)?;
                let Value::String(text) = part.view.value(record) else { return None };
                Some(Self { name, place: Place { file, part, index, record }, text: text.0 })
            })
        })
    }

    /// The SHA-256 of its bytes, in hexadecimal.
    #[must_use]
    pub fn sha256(&self) -> String {
        let mut out = String::with_capacity(64);
        for byte in Sha256::digest(self.text) {
            let _ = write!(out, "{byte:02x}");
        }
        out
    }
}

/// What is to be said about the templates of a model.
#[derive(Default)]
pub(crate) struct Templates<'a> {
    /// Those about which there is something to say, at most [`KEPT`](Self::KEPT).
    pub(crate) judged: Vec<(Template<'a>, Issues<'a>)>,
    /// Those that were not looked at, because there are too many.
    pub(crate) passed_over: Few<Template<'a>>,
}

impl<'a> Templates<'a> {
    /// Templates with something to say about that are kept.
    const KEPT: usize = 64;
    /// Bytes of all templates together that are handed to the parser.
    const PARSED: usize = 4 << 20;

    pub(crate) fn new(model: &Model<'a>, vocabulary: Option<&Vocabulary<'a>>) -> Self {
        let mut all = Self::default();
        let mut room = Self::PARSED;
        for template in Template::all(model) {
            if all.judged.len() >= Self::KEPT {
                all.passed_over.push(template);
                continue;
            }
            let issues = Issues::new(template.text, vocabulary, &mut room);
            if issues.any() {
                all.judged.push((template, issues));
            }
        }
        all
    }
}
