//! `gguf name`: what a file's name says, by the convention and in the wild.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::Path;

use ggufkit::format::naming::{NameParts, parse_lenient};
use ggufkit::inspect::Model;
use ggufkit::inspect::names::{Disagreement, disagreements, suggestion};
use serde_json::json;

use crate::args::{HowArgs, InputArgs, ReadArgs};
use crate::json::Files;
use crate::out::{self, Ink, Out};
use crate::{NO, OK, frame};

/// Take a file's name to pieces, hold it against the metadata, suggest the conventional one
///
/// The name need not be that of a file that exists; where one does, its metadata is read too. Exit status 1 when a
/// name is not the convention's or disagrees with its file.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  gguf name Mixtral-8x7B-v0.1-Q4_0.gguf\n  gguf name models/*.gguf\n  gguf name --json model.gguf"
)]
pub(crate) struct Args {
    /// Names or paths of files
    #[arg(required = true, value_name = "NAME")]
    names: Vec<OsString>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What is to be said about one name.
struct Answer<'a> {
    name: &'a str,
    path: String,
    parts: NameParts<'a>,
    from_metadata: Option<(Vec<Disagreement>, Option<String>)>,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        let mut files = if self.json { Some(Files::begin(out, "name", true)?) } else { None };
        let mut status = OK;
        for (i, given) in self.names.iter().enumerate() {
            let path = Path::new(given);
            let lossy = path.file_name().unwrap_or(given).to_string_lossy();
            let name = &*lossy;
            let parts = parse_lenient(name);
            let label = out::path(path);
            let from_metadata = if path.is_file() { read(out, given, &parts)? } else { None };
            let answer = Answer { name, path: label, parts, from_metadata };
            if !answer.parts.strict || answer.from_metadata.as_ref().is_some_and(|(d, _)| !d.is_empty()) {
                status = NO;
            }
            match &mut files {
                Some(files) => files.add(out, &answer.json())?,
                None => {
                    if i > 0 {
                        writeln!(out)?;
                    }
                    answer.print(out)?;
                }
            }
        }
        if let Some(files) = files {
            files.end(out)?;
        }
        Ok(status)
    }
}

/// The disagreements with the file's metadata, and the name that it suggests; `None` when it is not readable.
fn read(
    out: &mut Out,
    path: &OsString,
    parts: &NameParts<'_>,
) -> io::Result<Option<(Vec<Disagreement>, Option<String>)>> {
    let how = HowArgs { alone: true, ..HowArgs::default() };
    let inputs = InputArgs { files: vec![path.clone()], how };
    let mut found = None;
    frame::each(out, &inputs, &ReadArgs::standard(), true, |_, document| {
        found = document
            .model
            .as_ref()
            .filter(|_| document.failures.is_empty())
            .map(|model: &Model<'_>| (disagreements(parts, model), suggestion(Some(parts), model)));
        Ok(())
    })?;
    Ok(found)
}

impl Answer<'_> {
    fn json(&self) -> serde_json::Value {
        let parts: Vec<_> = self
            .parts
            .parts()
            .iter()
            .map(|(kind, part)| json!({ "part": kind.id(), "text": part.text, "start": part.start, "end": part.end() }))
            .collect();
        let deviations: Vec<_> = self
            .parts
            .deviations
            .iter()
            .map(|d| {
                json!({
                    "code": d.kind.id(), "message": d.kind.describe(), "start": d.start, "end": d.end,
                    "breaks_pattern": d.kind.breaks_pattern(),
                })
            })
            .collect();
        let (disagreements, suggested) = match &self.from_metadata {
            Some((disagreements, suggested)) => (json!(disagreements), json!(suggested)),
            None => (json!(null), json!(null)),
        };
        json!({
            "path": self.path, "name": self.name, "conventional": self.parts.strict,
            "kind": self.parts.kind.word().unwrap_or("model"),
            "parts": parts,
            "encoding": self.parts.canonical_encoding(),
            "shard": self.parts.shard.map(|s| json!({ "no": s.no, "count": s.count })),
            "deviations": deviations, "disagreements": disagreements, "suggested": suggested,
        })
    }

    fn print(&self, out: &mut Out) -> io::Result<()> {
        let head = out.paint(Ink::Head, out::plain(self.name.as_bytes()));
        let verdict = if self.parts.strict {
            out.paint(Ink::Good, "follows the naming convention")
        } else {
            out.paint(Ink::Warn, "not by the naming convention; read leniently")
        };
        writeln!(out, "{head}: {verdict}")?;
        for (kind, part) in self.parts.parts() {
            let (id, text) = (format!("{:<12}", kind.id()), out::plain(part.text.as_bytes()).to_string());
            let (id, text) = (out.paint(Ink::Key, id), out.paint(Ink::Text, text));
            writeln!(out, "  {id} {text}")?;
        }
        for deviation in &self.parts.deviations {
            let place = self.name.get(deviation.range()).unwrap_or_default();
            let place = if place.is_empty() {
                String::new()
            } else {
                format!(" (\"{}\")", out::plain(place.as_bytes()))
            };
            let word = if deviation.kind.breaks_pattern() { "deviates" } else { "style" };
            let word = out.paint(Ink::Faint, word);
            writeln!(out, "  {word}: {}{place}", deviation.kind.describe())?;
        }
        if let Some((disagreements, suggested)) = &self.from_metadata {
            for d in disagreements {
                let word = out.paint(Ink::Warn, "disagrees");
                let file = out::plain(d.file.as_bytes());
                let name = d.name.as_deref().unwrap_or("nothing");
                writeln!(
                    out,
                    "  {word}: the name says {} {}, {} says {file}",
                    d.part,
                    out::plain(name.as_bytes()),
                    d.key
                )?;
            }
            if let Some(suggested) = suggested.as_deref().filter(|suggested| *suggested != self.name) {
                let word = out.paint(Ink::Good, "suggested");
                writeln!(out, "  {word}: {suggested}")?;
            }
        }
        Ok(())
    }
}
