//! `gguf template set`: a file gets other chat templates.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use ggufkit::check::template::DEFAULT_KEY;
use ggufkit::edit::{Given, Operation};
use serde_json::{Value, json};

use super::super::edit::{EditArgs, Job, value_of};
use crate::failure::Failure;
use crate::input::read_limited;
use crate::out::{self, Out};
use crate::{FAILED, frame};

/// The list of the names of templates, beside the default one.
const NAMES: &str = "tokenizer.chat_templates";

/// Longest configuration.
const LONGEST: u64 = 256 << 20;

/// Give a file a chat template, in place where that can be
///
/// The default template, or with --name one of another name, which is then listed in tokenizer.chat_templates. A
/// tokenizer_config.json brings all that it has, named ones too.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  gguf template set model.gguf @chat_template.jinja\n  \
    gguf template set model.gguf --name tool_use @tools.jinja\n  \
    gguf template set model.gguf --config tokenizer_config.json --dry-run\n\n\
    Exit status: 0 done or nothing to do, 1 refused, 2 a file could not be read or written, or usage.")]
pub(super) struct Args {
    /// The file
    #[arg(value_name = "FILE")]
    file: OsString,
    /// The template: its text, or after `@` the file that holds it (`@-`: standard input)
    #[arg(value_name = "TEMPLATE", required_unless_present = "config")]
    template: Option<OsString>,
    /// The template of this name (`default`: the one without a name)
    #[arg(long, value_name = "NAME", requires = "template")]
    name: Option<String>,
    /// Take the templates of a tokenizer_config.json
    #[arg(long, value_name = "JSON", conflicts_with_all = ["template", "name"])]
    config: Option<PathBuf>,
    #[command(flatten)]
    how: EditArgs,
}

impl Args {
    pub(super) fn run(self, out: &mut Out) -> io::Result<u8> {
        match self.operations() {
            Ok(operations) => {
                let job = Job {
                    command: "template set",
                    files: &[self.file],
                    operations: &operations,
                    how: &self.how,
                };
                job.run(out)
            }
            Err(failure) => {
                frame::refuse(out, "template set", self.how.json(), &failure)?;
                Ok(FAILED)
            }
        }
    }

    fn operations(&self) -> Result<Vec<Operation>, Failure> {
        let templates = match (&self.config, &self.template) {
            (Some(path), _) => configured(path)?,
            (None, Some(text)) => {
                let name = self.name.clone().filter(|name| name != "default");
                vec![(name, value_of(text.as_encoded_bytes())?)]
            }
            (None, None) => Vec::new(),
        };
        let mut operations = Vec::new();
        for (name, value) in templates {
            let key = match &name {
                None => DEFAULT_KEY.into(),
                Some(name) => format!("{DEFAULT_KEY}.{name}").into_bytes(),
            };
            if let Some(name) = name {
                operations.push(Operation::List { key: NAMES.into(), item: name.into_bytes() });
            }
            operations.push(Operation::Set { key, element: None, ty: None, value });
        }
        Ok(operations)
    }
}

/// The templates of a tokenizer_config.json: one text, or a list of them by name.
fn configured(path: &std::path::Path) -> Result<Vec<(Option<String>, Given)>, Failure> {
    let bad = |why: &str| Failure::usage("bad-config", format!("{}: {why}", out::path(path)));
    let bytes = read_limited(path, LONGEST).map_err(|error| bad(&format!("cannot be read: {error}")))?;
    let config: Value =
        serde_json::from_slice(&bytes).map_err(|error| bad(&format!("is no JSON: {error}")))?;
    match config.get("chat_template") {
        Some(text @ Value::String(_)) => Ok(vec![(None, Given::Json(text.clone()))]),
        Some(Value::Array(list)) => list
            .iter()
            .map(|one| {
                let name = one.get("name").and_then(Value::as_str).map(str::to_owned);
                match (name, one.get("template")) {
                    (Some(name), Some(text @ Value::String(_))) => {
                        Ok((Some(name).filter(|name| name != "default"), Given::Json(json!(text))))
                    }
                    _ => Err(bad("one of its templates has no name or no text")),
                }
            })
            .collect(),
        _ => Err(bad("it has no \"chat_template\"")),
    }
}
