//! `gguf template`: the chat templates of a model, and the prompt that one makes of a conversation.

mod date;
mod engine;
mod limits;
mod python;
mod render;
mod sandbox;
mod set;
mod unset;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Write as _};

use ggufkit::check::template::{DEFAULT_KEY, Template};
use ggufkit::format::{ByteStr, Payload, Value as Stored, is_safe};
use ggufkit::inspect::Model;
use ggufkit::inspect::json::JsonText;
use minijinja::Value;
use minijinja::value::ValueKind;
use serde_json::json;

use crate::args::{InputArgs, ReadArgs};
use crate::failure::{Failed, Failure};
use crate::frame::Document;
use crate::input::read_limited;
use crate::json::Files;
use crate::out::{self, Ink, Out};
use crate::{FAILED, NO, OK, frame};
use date::Date;
pub(crate) use sandbox::{WORD, serve};

/// Work of a template, unless it is said otherwise.
const FUEL: u64 = 250_000;

/// The prompt that a template makes of messages today, with nothing else given; an error says why there is none, in words.
#[cfg(feature = "view")]
pub(crate) fn prompt(
    template: &Template<'_>,
    messages: &str,
    generate: bool,
    model: &Model<'_>,
) -> Result<String, String> {
    let mut variables = Variables::new();
    variables.insert("messages".to_owned(), messages.to_owned());
    variables.insert("add_generation_prompt".to_owned(), generate.to_string());
    render::render(template, &variables, Date::today().as_ref(), FUEL, Some(model))
        .map_err(|error| error.to_string())
        .flatten()
        // The page has no such option.
        .map_err(|why| why.replace(engine::RAISE, ""))
}

/// Longest conversation.
const LONGEST: u64 = 256 << 20;

/// Show the chat templates, their SHA-256, and the prompt that one makes of a conversation
///
/// Prints every template with its size and hash; characters that could act on a terminal, or are not seen, are written
/// as escapes. `gguf template set` gives a file other ones, `gguf template unset` takes them out. With --messages one of
/// them (the default one, or --name) is rendered, in a process of its own: it can load nothing, and its work, time and
/// memory are limited. Nothing is rendered otherwise.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  gguf template model.gguf\n  gguf template --list models/\n  \
    gguf template model.gguf --name tool_use --raw > tool_use.jinja\n  \
    gguf template model.gguf --messages chat.json --add-generation-prompt\n  \
    echo '[{\"role\": \"user\", \"content\": \"Hi\"}]' | gguf template model.gguf --messages -\n\n\
    MESSAGES is a JSON list of messages, or an object of variables such as {\"messages\": [...], \"tools\": [...]}.\n\
    Exit status: 0 done, 1 there is no such template, or it refuses the messages, 2 a file could not be read, or usage.")]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    subcommand_help_heading = "Changing"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    change: Option<Change>,
    #[command(flatten)]
    inputs: InputArgs,
    #[command(flatten)]
    read: ReadArgs,
    /// The template of this name (`default`: the one without a name)
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Only names, sizes and hashes
    #[arg(long, conflicts_with_all = ["raw", "messages"])]
    list: bool,
    /// Print the exact bytes of one template, or of the prompt, and nothing else
    #[arg(long, conflicts_with = "json")]
    raw: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Render the template with these messages: a JSON file, or `-` for standard input
    #[arg(long, value_name = "MESSAGES", help_heading = "Rendering")]
    messages: Option<OsString>,
    /// Let the prompt end where the model is to answer
    #[arg(long, requires = "messages", help_heading = "Rendering")]
    add_generation_prompt: bool,
    /// Give the template a variable; a value that is JSON is taken as such (may be given again)
    #[arg(long, value_name = "KEY=VALUE", requires = "messages", value_parser = variable, help_heading = "Rendering")]
    var: Vec<(String, Value)>,
    /// What the template is told when it asks for the date: 2026-01-31, or 2026-01-31T18:00:00
    #[arg(long, requires = "messages", help_heading = "Rendering")]
    date: Option<Date>,
    /// Limit on the work of a template: about one step, or 64 bytes of text, each
    #[arg(
        long,
        value_name = "N",
        default_value_t = FUEL,
        requires = "messages",
        help_heading = "Rendering"
    )]
    fuel: u64,
}

/// Variables of a template, as JSON.
type Variables = BTreeMap<String, String>;

fn variable(text: &str) -> Result<(String, Value), String> {
    let (key, value) = text.split_once('=').ok_or("a variable is KEY=VALUE")?;
    let value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
    Ok((key.to_owned(), value))
}

/// What can be done to templates.
#[derive(clap::Subcommand, Debug)]
enum Change {
    Set(set::Args),
    Unset(unset::Args),
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        match self.change {
            Some(Change::Set(set)) => return set.run(out),
            Some(Change::Unset(unset)) => return unset.run(out),
            None => {}
        }
        let variables = match self.messages.as_ref().map(|path| self.variables(path)).transpose() {
            Ok(variables) => variables,
            Err(failure) => {
                frame::refuse(out, "template", self.json, &failure)?;
                return Ok(FAILED);
            }
        };
        let mut files = if self.json { Some(Files::begin(out, "template", true)?) } else { None };
        let (mut absent, mut first, mut faulted) = (false, true, false);
        let good = frame::each(out, &self.inputs, &self.read, self.json, |out, document| {
            let all: Vec<Template<'_>> = document.model.iter().flat_map(Template::all).collect();
            let chosen: Vec<&Template<'_>> = all.iter().filter(|template| self.wants(template)).collect();
            let prompt = match (&variables, chosen.first()) {
                (Some(variables), Some(template)) => Some(render::render(
                    template,
                    variables,
                    self.date.as_ref(),
                    self.fuel,
                    document.model.as_ref(),
                )),
                _ => None,
            };
            let prompt = match prompt.transpose() {
                Ok(prompt) => prompt,
                Err(error) => {
                    // The template is not to blame, and others may not be either.
                    faulted = true;
                    let failed = Failed { path: document.given.to_owned(), failure: Failure::Io(error) };
                    if let Some(files) = &mut files {
                        return files.add(out, &self.one_json(document, &chosen, None, Some(&failed)));
                    }
                    return frame::report(out, std::slice::from_ref(&failed));
                }
            };
            if let Some(files) = &mut files {
                absent |= chosen.is_empty() || matches!(prompt, Some(Err(_)));
                return files.add(out, &self.one_json(document, &chosen, prompt, None));
            }
            if chosen.is_empty() {
                if document.model.is_some() {
                    absent = true;
                    let what = match &self.name {
                        Some(name) => format!("no chat template \"{}\"", out::plain(name.as_bytes())),
                        None if self.messages.is_some() || self.raw => "no default chat template".to_owned(),
                        None => "no chat template".to_owned(),
                    };
                    let names =
                        if all.is_empty() { String::new() } else { format!("; there is {}", names(&all)) };
                    out.message(Ink::Warn, "note", &format!("{}: {what}{names}", document.label))?;
                }
                return Ok(());
            }
            match prompt {
                Some(Ok(prompt)) if self.raw || !out.is_terminal() => {
                    absent |= !out.exact(document.label, prompt.as_bytes())?;
                    return Ok(());
                }
                Some(Ok(prompt)) => return text(out, prompt.as_bytes()),
                Some(Err(error)) => {
                    absent = true;
                    return out.message(Ink::Bad, "error", &format!("{}: {error}", document.label));
                }
                None => {}
            }
            if self.raw {
                if let Some(template) = chosen.first() {
                    absent |= !out.exact(document.label, template.text)?;
                }
                return Ok(());
            }
            if !std::mem::take(&mut first) && !self.list {
                writeln!(out)?;
            }
            self.print(out, document, &chosen)
        })?;
        if let Some(files) = files {
            files.end(out)?;
        }
        Ok(match (good && !faulted, absent) {
            (false, _) => FAILED,
            (true, true) => NO,
            (true, false) => OK,
        })
    }

    /// Whether a template is asked for. Rendering and exact bytes are of one.
    fn wants(&self, template: &Template<'_>) -> bool {
        match (&self.name, template.name) {
            (Some(wanted), Some(name)) => wanted.as_bytes() == name,
            (Some(wanted), None) => wanted == "default",
            (None, None) => true,
            (None, Some(_)) => self.messages.is_none() && !self.raw,
        }
    }

    /// What the template is given.
    fn variables(&self, path: &OsString) -> Result<Variables, Failure> {
        let shown = out::path(path.as_ref());
        let read = read_limited(path.as_ref(), LONGEST).map_err(|error| {
            let kind = error.kind();
            Failure::Io(io::Error::new(kind, format!("{shown}: {error}")))
        });
        let text = read?;
        let wrong = |what: String| Failure::usage("bad-messages", format!("{shown}: {what}"));
        // Read into the engine's own values, which keep the order of an object's keys.
        let given: Value = serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
        let mut variables = BTreeMap::new();
        match given.kind() {
            ValueKind::Seq => {
                variables.insert("messages".to_owned(), given);
            }
            ValueKind::Map => {
                for key in given.try_iter().map_err(|error| wrong(error.to_string()))? {
                    let value = given.get_item(&key).unwrap_or_default();
                    variables.insert(key.to_string(), value);
                }
            }
            _ => return Err(wrong("neither a list of messages nor an object of variables".to_owned())),
        }
        variables.entry("messages".to_owned()).or_insert_with(|| Value::from(Vec::<Value>::new()));
        let prompt = self.add_generation_prompt;
        let generation = variables.entry("add_generation_prompt".to_owned()).or_insert_with(|| prompt.into());
        if prompt {
            *generation = true.into();
        }
        variables.extend(self.var.iter().cloned());
        let json = |(name, value)| Ok((name, serde_json::to_string(&value)?));
        variables
            .into_iter()
            .map(json)
            .collect::<serde_json::Result<_>>()
            .map_err(|error| wrong(error.to_string()))
    }

    fn print(&self, out: &mut Out, document: &Document<'_>, chosen: &[&Template<'_>]) -> io::Result<()> {
        for (at, template) in chosen.iter().enumerate() {
            let name =
                template.name.map_or_else(|| "default".to_owned(), |name| out::plain(name).to_string());
            let (head, hash) = (out.paint(Ink::Head, &name), out.paint(Ink::Faint, template.sha256()));
            let bytes = template.text.len();
            if self.list {
                writeln!(out, "{}: {head}  {bytes} bytes  sha256 {hash}", document.label)?;
                continue;
            }
            if at > 0 {
                writeln!(out)?;
            }
            let label = document.label;
            let start = start(template);
            writeln!(out, "{head}  ({label} @ {start:#x}, {bytes} bytes, sha256 {hash})")?;
            text(out, template.text)?;
        }
        Ok(())
    }

    fn one_json(
        &self,
        document: &Document<'_>,
        chosen: &[&Template<'_>],
        prompt: Option<Result<String, String>>,
        failed: Option<&Failed>,
    ) -> serde_json::Value {
        let templates: Vec<serde_json::Value> = (chosen.iter())
            .map(|template| {
                let name = template.name.map(|name| json!(JsonText(ByteStr(name))));
                let mut one = json!({
                    "name": name,
                    "file": JsonText(template.place.part.label),
                    "start": start(template),
                    "end": start(template).saturating_add(template.text.len() as u64),
                    "bytes": template.text.len(),
                    "sha256": template.sha256(),
                });
                if let (false, Some(object)) = (self.list, one.as_object_mut()) {
                    object.insert("text".to_owned(), json!(JsonText(ByteStr(template.text))));
                }
                one
            })
            .collect();
        let mut one = json!({ "path": JsonText(document.path), "templates": templates });
        if let (Some(prompt), Some(object)) = (prompt, one.as_object_mut()) {
            match prompt {
                Ok(prompt) => object.insert("prompt".to_owned(), prompt.into()),
                Err(error) => object.insert("refused".to_owned(), error.into()),
            };
        }
        if let Some(object) = one.as_object_mut() {
            let mut errors = document.errors_json();
            errors.extend(failed.map(Failed::json));
            object.insert("errors".to_owned(), errors.into());
        }
        one
    }
}

/// Where a template's text stands in its file.
fn start(template: &Template<'_>) -> u64 {
    match &template.place.record.payload {
        Payload::String(text) => text.span.start,
        _ => template.place.record.value_span.start,
    }
}

fn names(all: &[Template<'_>]) -> String {
    let name =
        |template: &Template<'_>| template.name.map_or("default".to_owned(), |name| out::fit(name, 30));
    all.iter().map(name).take(8).collect::<Vec<_>>().join(", ")
}

/// Prints text in lines, as it is but for what could act on a terminal or is not seen.
fn text(out: &mut Out, bytes: &[u8]) -> io::Result<()> {
    let kept = |c: char| matches!(c, '\n' | '\t') || is_safe(c);
    for chunk in bytes.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(at) = rest.find(|c| !kept(c)) {
            let (before, after) = rest.split_at(at);
            let c = after.chars().next().unwrap_or_default();
            let (odd, after) = after.split_at(c.len_utf8());
            let odd = out.paint(Ink::Warn, out::plain(odd.as_bytes()));
            write!(out, "{before}{odd}")?;
            rest = after;
        }
        write!(out, "{rest}")?;
        if !chunk.invalid().is_empty() {
            let odd = out.paint(Ink::Warn, out::plain(chunk.invalid()));
            write!(out, "{odd}")?;
        }
    }
    if bytes.last() == Some(&b'\n') { Ok(()) } else { writeln!(out) }
}

/// The text of the special token that a key gives the id of.
fn special_token<'a>(model: &Model<'a>, key: &str) -> Option<&'a str> {
    let id = model.get(key)?.as_u64()?;
    let Stored::Array(tokens) = model.get("tokenizer.ggml.tokens")? else { return None };
    tokens.get(id)?.as_str()
}

/// The name of the key that holds a template, for messages.
fn key(template: &Template<'_>) -> String {
    template.name.map_or_else(|| DEFAULT_KEY.to_owned(), |name| format!("{DEFAULT_KEY}.{}", out::plain(name)))
}
