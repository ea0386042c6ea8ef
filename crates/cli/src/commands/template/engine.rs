//! The engine that renders chat templates, set up as transformers and llama.cpp do. It runs in a process of its own: see
//! `sandbox`.

use std::collections::BTreeMap;

use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, Value};

use super::date::Date;
use super::{Variables, python};
use crate::out;

/// The variables of a template, as the engine's values.
///
/// # Errors
/// In words, where one is no JSON.
pub(super) fn values(variables: Variables) -> Result<Value, String> {
    let read = |(name, json): (String, String)| match serde_json::from_str::<Value>(&json) {
        Ok(value) => Ok((name, value)),
        Err(error) => Err(format!("the variable {}: {error}", out::plain(name.as_bytes()))),
    };
    Ok(variables.into_iter().map(read).collect::<Result<BTreeMap<_, _>, _>>()?.into())
}

/// The prompt, or why there is none, in words.
pub(super) fn work(
    key: &str,
    source: &str,
    values: Value,
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
    compiled.render(values).map_err(|error| said(key, "cannot be rendered", &error))
}

/// What raises the limit of the work.
pub(super) const RAISE: &str = "; --fuel raises it";

/// What `raise_exception` is known by.
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
        (ErrorKind::OutOfFuel, _) => format!("its work is beyond the limit{RAISE}"),
        (kind, None) => kind.to_string(),
        (_, Some(detail)) => out::fit(detail.as_bytes(), 400),
    };
    format!("{key} {what}{line}: {detail}")
}
