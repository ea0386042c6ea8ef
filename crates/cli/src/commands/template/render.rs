//! Rendering a chat template as transformers does, in a sandbox.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::Builder;
use std::time::Duration;

use ggufkit::check::template::{Template, prepare};
use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, Error, ErrorKind};

use super::date::Date;
use super::{Variables, key, python, special_token};
use crate::frame::Document;
use crate::out;

/// Special tokens that templates know as variables, and the keys of their ids.
const TOKENS: &[(&str, &str)] = &[
    ("bos_token", "tokenizer.ggml.bos_token_id"),
    ("eos_token", "tokenizer.ggml.eos_token_id"),
    ("unk_token", "tokenizer.ggml.unknown_token_id"),
    ("sep_token", "tokenizer.ggml.seperator_token_id"),
    ("pad_token", "tokenizer.ggml.padding_token_id"),
    ("cls_token", "tokenizer.ggml.cls_token_id"),
    ("mask_token", "tokenizer.ggml.mask_token_id"),
];

/// The prompt that a template makes of the variables, or why there is none, in words.
///
/// The template has no loader, and `fuel` bounds its steps and the text that it makes; one that nests too deeply to be
/// parsed is refused before.
pub(super) fn render(
    template: &Template<'_>,
    variables: &Variables,
    date: Option<&Date>,
    fuel: u64,
    document: &Document<'_>,
) -> Result<String, String> {
    let key = key(template);
    let source = prepare(template.text).map_err(|why| format!("{key} is not rendered: {why}"))?;
    let mut all = Variables::new();
    for (name, key) in TOKENS {
        if let Some(token) = special_token(document, key) {
            all.insert((*name).to_owned(), token.into());
        }
    }
    all.extend(variables.iter().map(|(name, value)| (name.clone(), value.clone())));
    let (date, name) = (date.copied(), key.clone());
    // What the engine says of a failure of its own is about our program, not about the template.
    std::panic::set_hook(Box::new(|_| ()));
    let (send, receive) = mpsc::channel();
    // Values can nest as deeply as the fuel lets a loop run, and are written and dropped by recursion. Fuel does not count
    // all work either, so the thread is left behind when its time is over; it ends with the process.
    let worker = Builder::new().stack_size(STACK).spawn(move || {
        let _ = send.send(work(&name, &source, all, date, fuel));
    });
    worker.map_err(|error| format!("{key} is not rendered: {error}"))?;
    receive.recv_timeout(TIME).unwrap_or_else(|why| {
        Err(match why {
            RecvTimeoutError::Timeout => {
                format!("{key} is not rendered: it was not done after {} seconds", TIME.as_secs())
            }
            // A template that makes the engine fail is refused like any other.
            RecvTimeoutError::Disconnected => {
                format!("{key} is not rendered: the template engine fails on it")
            }
        })
    })
}

/// Stack of the thread that renders: reserved, not used, unless a template nests its values very deeply.
const STACK: usize = 256 << 20;
/// How long a template may take.
const TIME: Duration = Duration::from_secs(1);

fn work(
    key: &str,
    source: &str,
    variables: Variables,
    date: Option<Date>,
    fuel: u64,
) -> Result<String, String> {
    let mut environment = Environment::new();
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
    environment.set_syntax(syntax.map_err(|error| error.to_string())?);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_unknown_method_callback(|state, value, method, args| {
        python::is_modest(value, method, args)?;
        minijinja_contrib::pycompat::unknown_method_callback(state, value, method, args)
    });
    environment.set_fuel(Some(fuel));
    environment.add_filter("tojson", python::to_json);
    environment.add_filter("from_json", python::from_json);
    environment.add_function("raise_exception", |message: String| -> Result<(), Error> {
        Err(Error::new(ErrorKind::InvalidOperation, REFUSAL).with_source(Refusal(message)))
    });
    environment.add_function("strftime_now", move |format: String| match date {
        Some(date) => Ok(date.format(&format)),
        None => Err(Error::new(
            ErrorKind::InvalidOperation,
            "it asks for the date: give one with --date, so that the prompt is the same tomorrow",
        )),
    });
    let compiled =
        environment.template_from_str(source).map_err(|error| said(key, "does not parse", &error))?;
    compiled
        .render(minijinja::Value::from(variables))
        .map_err(|error| said(key, "cannot be rendered", &error))
}

/// What [`raise_exception`] is known by.
const REFUSAL: &str = "the template refuses the messages";

/// What a template says when it refuses messages.
#[derive(Debug)]
struct Refusal(String);

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}

/// An error in one line, harmless for a terminal.
fn said(key: &str, what: &str, error: &Error) -> String {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(Refusal(message)) = error.downcast_ref() {
            return format!("{key} refuses the messages: {}", out::fit(message.as_bytes(), 400));
        }
        cause = error.source();
    }
    let line = error.line().map_or(String::new(), |line| format!(" at line {line}"));
    let detail = match (error.kind(), error.detail()) {
        (ErrorKind::OutOfFuel, _) => "its work is beyond the limit; --fuel raises it".to_owned(),
        (kind, None) => kind.to_string(),
        (_, Some(detail)) => out::fit(detail.as_bytes(), 400),
    };
    format!("{key} {what}{line}: {detail}")
}
