//! `gguf template set`: a file gets other chat templates.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use ggufkit::check::template::DEFAULT_KEY;
use ggufkit::edit::{Given, Operation};
use ggufkit::format::spec::{KeyType, ValueType};
use serde_json::{Value, json};

use super::super::edit::{EditArgs, Job, files_and, value_of};
use crate::failure::Failure;
use crate::input::read_limited;
use crate::out::{self, Out};
use crate::{FAILED, frame};

/// The list of the names of templates, beside the default one.
pub(super) const NAMES: &str = "tokenizer.chat_templates";

/// Longest configuration.
const LONGEST: u64 = 256 << 20;

/// Give files a chat template, in place where that can be
///
/// The default template, or with --name one of another name, which is then listed in tokenizer.chat_templates. A
/// tokenizer_config.json brings all that it has, named ones too, and those that the file has beside go, unless
/// --keep-named. A template that does not parse is refused, unless --allow-errors.
#[derive(clap::Args, Debug)]
#[command(
    override_usage = "gguf template set [OPTIONS] FILE... TEMPLATE\n       gguf template set [OPTIONS] FILE... --config JSON",
    after_help = "Examples:\n  gguf template set model.gguf @chat_template.jinja\n  \
    gguf template set model.gguf --name tool_use @tools.jinja\n  \
    gguf template set model.gguf --config tokenizer_config.json --dry-run\n  \
    gguf template set *.gguf --config tokenizer_config.json\n\n\
    Exit status: 0 done or nothing to do, 1 refused, 2 a file could not be read or written, or usage."
)]
pub(super) struct Args {
    /// The files, and the template: its text, or after `@` the file that holds it (`@-`: standard input)
    #[arg(value_name = "FILE... TEMPLATE", required = true)]
    words: Vec<OsString>,
    /// The template of this name (`default`: the one without a name)
    #[arg(long, value_name = "NAME", conflicts_with = "config")]
    name: Option<String>,
    /// Take the templates of a tokenizer_config.json
    #[arg(long, value_name = "JSON")]
    config: Option<PathBuf>,
    /// Leave named templates that the configuration does not have as they are
    #[arg(long, requires = "config")]
    keep_named: bool,
    #[command(flatten)]
    how: EditArgs,
}

impl Args {
    pub(super) fn run(mut self, out: &mut Out) -> io::Result<u8> {
        let words = std::mem::take(&mut self.words);
        let asked = match self.config.is_some() {
            true => Ok((words, None)),
            false => files_and(words, "FILE... TEMPLATE").map(|(files, [text])| (files, Some(text))),
        };
        let asked = asked.and_then(|(files, text)| Ok((files, self.operations(text.as_deref())?)));
        match asked {
            Ok((files, operations)) => Job::new("template set", &files, &operations, &self.how).run(out),
            Err(failure) => {
                frame::refuse(out, "template set", self.how.json(), &failure)?;
                Ok(FAILED)
            }
        }
    }

    fn operations(&self, template: Option<&OsStr>) -> Result<Vec<Operation>, Failure> {
        let templates = match (&self.config, template) {
            (Some(path), _) => configured(path)?,
            (None, Some(text)) => {
                no_file(text)?;
                let name = self.name.clone().filter(|name| name != "default");
                vec![(name, value_of(text.as_encoded_bytes())?)]
            }
            (None, None) => Vec::new(),
        };
        let mut operations = Vec::new();
        if self.config.is_some() && !self.keep_named {
            // What the configuration has not is another model's, or another version's.
            let names: Vec<&String> = templates.iter().filter_map(|(name, _)| name.as_ref()).collect();
            let except = names.iter().map(|name| format!("{DEFAULT_KEY}.{name}").into_bytes()).collect();
            operations.push(Operation::Clear { pattern: format!("{DEFAULT_KEY}.*").into_bytes(), except });
            operations.push(match names.as_slice() {
                [] => Operation::Clear { pattern: NAMES.into(), except: Vec::new() },
                names => Operation::Set {
                    key: NAMES.into(),
                    element: None,
                    ty: Some(KeyType::Array(ValueType::STRING)),
                    value: Given::Json(json!(names)),
                },
            });
        }
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

/// Refuses what is the name of a file and no template: it would be written as it is.
fn no_file(text: &OsStr) -> Result<(), Failure> {
    let bytes = text.as_encoded_bytes();
    if bytes.starts_with(b"@") || bytes.contains(&b'{') {
        return Ok(());
    }
    let path = Path::new(text);
    let looks = path.extension().is_some_and(|ending| {
        ["jinja", "jinja2", "j2", "json", "txt"].iter().any(|known| ending.eq_ignore_ascii_case(known))
    });
    if bytes.is_empty() || !(looks || path.exists()) {
        return Ok(());
    }
    let shown = out::fit(bytes, 200);
    Err(Failure::Usage {
        code: "file-name",
        message: format!("{shown} is the name of a file, and no template"),
        help: Some(match path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json")) {
            true => format!("did you mean --config {shown}?"),
            false => format!("did you mean @{shown}?"),
        }),
    })
}

/// The templates of a tokenizer_config.json: one text, or a list of them by name.
fn configured(path: &Path) -> Result<Vec<(Option<String>, Given)>, Failure> {
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
