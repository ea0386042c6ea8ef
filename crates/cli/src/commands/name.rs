//! `gguf name`: what a file's name says, by the convention and in the wild.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::ops::Range;
use std::path::Path;

use ggufkit::format::ByteStr;
use ggufkit::format::naming::{NameParts, parse_lenient};
use ggufkit::inspect::Model;
use ggufkit::inspect::json::JsonText;
use ggufkit::inspect::names::{Disagreement, disagreements, suggestion};
use ggufkit::io::Input;
use serde_json::json;

use crate::args::{HowArgs, InputArgs, ReadArgs};
use crate::failure::{Failed, Failure};
use crate::json::Files;
use crate::out::{self, Ink, Out};
use crate::{FAILED, NO, OK, frame};

/// Take a file's name to pieces, hold it against the metadata, suggest the conventional one
///
/// The name need not be that of a file that exists; where one does, its metadata is read too. Exit status 1 when a
/// name is not the convention's or disagrees with its file, 2 when a file is there and cannot be read.
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
    /// The name, byte for byte.
    name: &'a [u8],
    path: &'a Path,
    parts: NameParts<'a>,
    from_metadata: Option<FromMetadata>,
    /// Why there is nothing from the metadata of a file that exists.
    errors: Vec<serde_json::Value>,
}

/// The disagreements with the metadata, and the name that it suggests.
type FromMetadata = (Vec<Disagreement>, Option<String>);

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        // The verdict is the exit status, whether or not anybody reads to the end.
        out.hold();
        let named = self.names.iter().map(|name| Input::File(name.into())).collect::<Vec<_>>();
        if !frame::prepare(out, &named)? {
            return Ok(FAILED);
        }
        let mut files = if self.json { Some(Files::begin(out, "name", true)?) } else { None };
        let mut status = OK;
        for (i, given) in self.names.iter().enumerate() {
            let path = Path::new(given);
            let name = path.file_name().unwrap_or(given).as_encoded_bytes();
            let text = text_of(name);
            let parts = parse_lenient(&text);
            let (from_metadata, errors) = match path.metadata() {
                Ok(there) if there.is_file() => read(out, given, &parts, self.json)?,
                Err(error) if !is_absence(error.kind()) => {
                    let failed = [Failed { path: path.to_owned(), failure: Failure::Io(error) }];
                    if !self.json {
                        frame::report(out, &failed)?;
                    }
                    (None, failed.iter().map(Failed::json).collect())
                }
                _ => Default::default(),
            };
            let answer = Answer { name, path, parts, from_metadata, errors };
            if !answer.errors.is_empty() {
                status = FAILED;
            } else if status == OK && !answer.is_conventional() {
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

/// Whether an error says that a name is only a name.
fn is_absence(kind: io::ErrorKind) -> bool {
    use io::ErrorKind as Kind;
    matches!(kind, Kind::NotFound | Kind::NotADirectory | Kind::InvalidFilename)
}

/// The name as text of the same length, so that a position in one is the same position in the other: bytes that are no
/// text are `?`, which is in no conventional name.
fn text_of(name: &[u8]) -> String {
    let mut text = String::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    text
}

/// What the file's metadata says; `None` with the errors when it is not readable, which are reported unless `quiet`.
fn read(
    out: &mut Out,
    path: &OsString,
    parts: &NameParts<'_>,
    quiet: bool,
) -> io::Result<(Option<FromMetadata>, Vec<serde_json::Value>)> {
    let how = HowArgs { alone: true, ..HowArgs::default() };
    let inputs = InputArgs { files: vec![path.clone()], how };
    let mut found = (None, Vec::new());
    frame::each(out, &inputs, &ReadArgs::standard(), quiet, |_, document| {
        let said = document
            .model
            .as_ref()
            .filter(|_| document.failures.is_empty())
            .map(|model: &Model<'_>| (disagreements(parts, model), suggestion(Some(parts), model)));
        found = (said, document.errors_json());
        Ok(())
    })?;
    Ok(found)
}

impl Answer<'_> {
    /// Whether the name keeps to the convention and to the metadata.
    fn is_conventional(&self) -> bool {
        self.parts.strict && self.from_metadata.as_ref().is_none_or(|(found, _)| found.is_empty())
    }

    /// A part of the name, byte for byte.
    fn bytes(&self, range: Range<usize>) -> &[u8] {
        self.name.get(range).unwrap_or_default()
    }

    /// The same for a document.
    fn text(&self, range: Range<usize>) -> JsonText<'_> {
        JsonText(ByteStr(self.bytes(range)))
    }

    fn json(&self) -> serde_json::Value {
        let parts: Vec<_> = self
            .parts
            .parts()
            .iter()
            .map(|(kind, part)| json!({ "part": kind.id(), "text": self.text(part.start..part.end()), "start": part.start, "end": part.end() }))
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
            "path": crate::json::path(self.path), "name": self.text(0..self.name.len()), "conventional": self.parts.strict,
            "kind": self.parts.kind.word().unwrap_or("model"),
            "parts": parts,
            "encoding": self.parts.canonical_encoding(),
            "shard": self.parts.shard.map(|s| json!({ "no": s.no, "count": s.count })),
            "deviations": deviations, "disagreements": disagreements, "suggested": suggested,
            "errors": self.errors,
        })
    }

    fn print(&self, out: &mut Out) -> io::Result<()> {
        let head = out.paint(Ink::Head, out::plain(self.name));
        let verdict = if self.parts.strict {
            out.paint(Ink::Good, "follows the naming convention")
        } else {
            out.paint(Ink::Warn, "not by the naming convention; read leniently")
        };
        writeln!(out, "{head}: {verdict}")?;
        for (kind, part) in self.parts.parts() {
            let (id, text) =
                (format!("{:<12}", kind.id()), out::plain(self.bytes(part.start..part.end())).to_string());
            let (id, text) = (out.paint(Ink::Key, id), out.paint(Ink::Text, text));
            writeln!(out, "  {id} {text}")?;
        }
        for deviation in &self.parts.deviations {
            let place = self.bytes(deviation.range());
            let place =
                if place.is_empty() { String::new() } else { format!(" (\"{}\")", out::plain(place)) };
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
            if let Some(suggested) =
                suggested.as_deref().filter(|suggested| suggested.as_bytes() != self.name)
            {
                let word = out.paint(Ink::Good, "suggested");
                writeln!(out, "  {word}: {suggested}")?;
            }
        }
        Ok(())
    }
}
