//! `gguf verify`: files against a list of their digests.

mod compare;
mod names;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use ggufkit::digest::manifest::{self, BadLine, Line, Subject};
use ggufkit::digest::pointer::{self, Pointer};
use ggufkit::digest::{Algorithm, Digest};
use ggufkit::format::ByteStr;
use ggufkit::inspect::json::JsonText;
use ggufkit::inspect::units;
use ggufkit::io::{FileSource, Input};
use serde_json::{Value, json};

use self::names::Names;
use crate::args::{ReadArgs, ThreadArgs};
use crate::failure::{Failed, Failure};
use crate::json::Files;
use crate::out::{self, Ink, Out};
use crate::{FAILED, NO, OK, frame};

/// Compare files with a list of their digests, as `gguf hash`, llama-gguf-hash or sha256sum print it
///
/// A name in the list is looked for from the current folder, then from the list's own. With FILE, that file is what the list
/// is about, whatever it calls it; of a list about several files the lines that have its name are taken. In the place of a
/// list a Git LFS pointer, a file with a digest and nothing else, or the digest itself (sha256:HEX) may stand. A list of `gguf
/// hash` is about the weights: metadata that was changed is no difference to it; digests of whole files are. Exit status 0
/// when all is as listed, 1 when a digest differs or what is listed is not there, 2 when something cannot be read.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  gguf hash -a sha256 model.gguf > model.manifest\n  gguf verify model.manifest\n  \
    gguf verify model.manifest elsewhere/renamed.gguf\n  gguf verify SHA256SUMS --quiet\n  \
    gguf verify pointer.txt model.gguf\n  gguf verify sha256:HEX model.gguf"
)]
pub(crate) struct Args {
    /// The list, or `-` for standard input; or a digest
    #[arg(value_name = "MANIFEST")]
    manifest: OsString,
    /// The file that it is about
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Show only what is not as listed, and nothing where all is
    #[arg(long, short)]
    quiet: bool,
    /// Take each shard as a file of its own
    #[arg(long)]
    alone: bool,
    #[command(flatten)]
    threads: ThreadArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    read: ReadArgs,
}

/// Lines of no use that are told one by one.
const NAMED: usize = 20;

/// Bytes of a list at most.
const MOST: u64 = 1 << 30;

/// Why a line's subject is not found: its file is not there, or the file has no such tensor.
const NO_FILE: &str = "there is no such file";
const NO_TENSOR: &str = "there is no such tensor";

/// What became of a line.
#[derive(Debug, Default)]
enum Outcome {
    /// Its digest is the file's.
    Ok(Digest),
    /// The digest is another one.
    Mismatch(Digest),
    /// The file has another length than is told beside the digest, which therefore is another one.
    Length(u64, u64),
    /// There is no such file or tensor.
    NotFound(&'static str),
    /// It cannot be told.
    Unreadable(String),
    /// It is about another file than the one that was named.
    #[default]
    Other,
}

impl Outcome {
    const fn word(&self) -> &'static str {
        match self {
            Self::Ok(_) => "ok",
            Self::Mismatch(_) | Self::Length(..) => "mismatch",
            Self::NotFound(_) => "not found",
            Self::Unreadable(_) => "unreadable",
            Self::Other => "other",
        }
    }
}

/// A line, what it is about, and what became of it.
struct Entry {
    line: Line,
    /// The file's name as the list has it, and the tensor's.
    file: Vec<u8>,
    tensor: Option<Vec<u8>>,
    outcome: Outcome,
}

/// The lines about one file.
struct Group {
    path: PathBuf,
    /// Places in the list of entries.
    entries: Vec<usize>,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        // The verdict is the exit status, whether or not anybody reads to the end.
        out.hold();
        let given = Path::new(&self.manifest);
        // A digest that was typed; files that are called by their digest are named as FILE.
        let typed = Pointer::of_word(self.manifest.as_encoded_bytes());
        if let Some(pointer) = typed.filter(|_| self.file.is_some() || !given.exists()) {
            return self.pointed(out, pointer);
        }
        if let Some(why) = manifest::no_digest(self.manifest.as_encoded_bytes()).filter(|_| !given.exists()) {
            let message = format!("{} is no file and no digest: {why}", out::path(given));
            frame::refuse(out, "verify", self.json, &Failure::usage("no-list", message))?;
            return Ok(FAILED);
        }
        let input = if self.manifest == "-" { Input::Stdin } else { Input::File(given.to_owned()) };
        if !frame::prepare(out, &[input])? {
            return Ok(FAILED);
        }
        let text = match self.text() {
            Ok(text) => text,
            Err(error) => {
                let failed = Failed { path: given.to_owned(), failure: Failure::Io(error) };
                if self.json {
                    let mut files = Files::begin(out, "verify", true)?;
                    files.add(out, &self.document(&[], &[failed]))?;
                    files.end(out)?;
                } else {
                    frame::report(out, &[failed])?;
                }
                return Ok(FAILED);
            }
        };
        if let Some(pointer) = Pointer::of(&text) {
            return self.pointed(out, pointer);
        }
        let (mut lines, mut failures, mut more) = (Vec::new(), Vec::new(), 0_usize);
        for line in manifest::lines(&text) {
            match line {
                Ok(line) => lines.push(line),
                Err(bad) if failures.len() < NAMED => failures.push(self.bad(&bad)),
                Err(_) => more = more.saturating_add(1),
            }
        }
        if lines.is_empty() {
            let first = manifest::lines(&text).find_map(Result::err);
            let why = match first {
                Some(bad) => format!(" (line {}: {})", bad.number, bad.reason),
                None => String::new(),
            };
            let message = match pointer::is_lfs(&text) {
                true => "this is a Git LFS pointer without a digest that is known here".to_owned(),
                false => format!("no line of it is a digest with a name{why}"),
            };
            failures = vec![self.failure("no-list", message)];
        } else if more > 0 {
            failures.push(self.failure("bad-line", format!("{more} more lines are none of a list")));
        }
        let names = Names::of(&lines, self.folder(), self.file.as_deref());
        let entries = names.entries(lines);
        let groups = match self.groups(&names, &entries) {
            Ok(groups) => groups,
            Err(failed) => {
                failures.push(failed);
                Vec::new()
            }
        };
        self.judge(out, groups, entries, failures)
    }

    /// Settles what is to be looked at, and says it.
    fn judge(
        &self,
        out: &mut Out,
        groups: Vec<Group>,
        mut entries: Vec<Entry>,
        failures: Vec<Failed>,
    ) -> io::Result<u8> {
        if !self.json {
            frame::report(out, &failures)?;
        }
        for group in &groups {
            compare::group(self, out, group, &mut entries)?;
            if !self.json {
                let of_group: Vec<&Entry> = group.entries.iter().filter_map(|at| entries.get(*at)).collect();
                let absent = |entry: &&Entry| matches!(entry.outcome, Outcome::NotFound(NO_FILE));
                if of_group.len() > 1 && of_group.iter().all(absent) {
                    // One file that is not there, and not as many as it has tensors.
                    self.print_absent(out, group, of_group.len())?;
                    continue;
                }
                of_group
                    .into_iter()
                    .filter(|e| !(self.quiet && matches!(e.outcome, Outcome::Ok(_))))
                    .try_for_each(|entry| print(out, entry))?;
            }
        }
        if self.json {
            let mut files = Files::begin(out, "verify", true)?;
            files.add(out, &self.document(&entries, &failures))?;
            files.end(out)?;
        } else if !self.quiet
            || entries.iter().any(|entry| !matches!(entry.outcome, Outcome::Ok(_) | Outcome::Other))
        {
            self.sum_up(out, &entries)?;
            let absent = |entry: &Entry| matches!(entry.outcome, Outcome::NotFound(NO_FILE));
            if self.file.is_none() && entries.iter().any(absent) {
                let list = out::path(Path::new(&self.manifest));
                out.message(
                    Ink::Faint,
                    "help",
                    &format!("`gguf verify {list} FILE` takes FILE for what is listed"),
                )?;
            }
        }
        let any = |is: fn(&Outcome) -> bool| entries.iter().any(|entry| is(&entry.outcome));
        Ok(if !failures.is_empty() || any(|outcome| matches!(outcome, Outcome::Unreadable(_))) {
            FAILED
        } else if any(|outcome| {
            matches!(outcome, Outcome::Mismatch(_) | Outcome::Length(..) | Outcome::NotFound(_))
        }) {
            NO
        } else {
            OK
        })
    }

    /// One digest, without a name: of the file that was named, or of the one beside that is called as the list is, without its
    /// ending.
    fn pointed(&self, out: &mut Out, pointer: Pointer) -> io::Result<u8> {
        let given = Path::new(&self.manifest);
        let beside = || {
            let ending = given.extension()?.to_str()?;
            let digest =
                Algorithm::from_name(ending.as_bytes()).is_some() || ending.eq_ignore_ascii_case("b3");
            Some(given.with_extension("")).filter(|path| digest && path.is_file())
        };
        let Some(path) = self.file.clone().or_else(beside) else {
            let message = format!("{} names no file", out::path(given));
            let help = Some(format!("`gguf verify {} FILE` says which one it is about", out::path(given)));
            frame::refuse(out, "verify", self.json, &Failure::Usage { code: "no-file", message, help })?;
            return Ok(FAILED);
        };
        let file = path.as_os_str().as_encoded_bytes().to_vec();
        let of_model = |digest: &Digest| matches!(digest.algorithm(), Algorithm::Uuid | Algorithm::Identity);
        let subject = match pointer.expected.iter().any(of_model) {
            true => Subject::Model(file.clone()),
            false => Subject::File(file.clone()),
        };
        let line = Line { number: pointer.line, expected: pointer.expected, subject };
        let mut entry = Entry { line, file, tensor: None, outcome: Outcome::default() };
        let there = path.metadata().ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len());
        let groups = match (pointer.size, there) {
            // Not every byte has to be read to know that some are missing.
            (Some(listed), Some(found)) if listed != found => {
                entry.outcome = Outcome::Length(listed, found);
                vec![Group { path, entries: Vec::new() }]
            }
            _ => vec![Group { path, entries: vec![0] }],
        };
        if !self.json && matches!(entry.outcome, Outcome::Length(..)) {
            print(out, &entry)?;
        }
        self.judge(out, groups, vec![entry], Vec::new())
    }

    fn print_absent(&self, out: &mut Out, group: &Group, lines: usize) -> io::Result<()> {
        let word = out.paint(Ink::Bad, out::pad("no file", 10));
        let path = out::path(&group.path);
        writeln!(out, "{word}  {:<8}  {path} ({} lines)", "", units::count(lines as u64))
    }

    /// The list; a model in its place is not read to its end.
    fn text(&self) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        let read = |from: &mut dyn io::Read, text: &mut Vec<u8>| {
            (&mut *from).take(4).read_to_end(text)?;
            if text == b"GGUF" {
                let why = "this is a model and no list of digests: the list comes first, then the model";
                return Err(io::Error::new(io::ErrorKind::InvalidData, why));
            }
            (&mut *from).take(MOST).read_to_end(text)?;
            match text.len() as u64 > MOST {
                true => Err(io::Error::new(io::ErrorKind::FileTooLarge, "too large for a list of digests")),
                false => Ok(()),
            }
        };
        crate::stdout::spare(Path::new(&self.manifest))?;
        if self.manifest == "-" {
            read(&mut io::stdin().lock(), &mut text)?;
        } else {
            read(&mut FileSource::open(&self.manifest)?.file(), &mut text)?;
        }
        Ok(text)
    }

    /// The folder of the list.
    fn folder(&self) -> Option<&Path> {
        Path::new(&self.manifest).parent().filter(|folder| !folder.as_os_str().is_empty())
    }

    fn failure(&self, code: &'static str, message: String) -> Failed {
        Failed { path: (&self.manifest).into(), failure: Failure::Data { kind: "malformed", code, message } }
    }

    fn bad(&self, line: &BadLine) -> Failed {
        self.failure("bad-line", format!("line {}: {}", line.number, line.reason))
    }

    /// The files that are looked at, in the order in which the list names them.
    fn groups(&self, names: &Names<'_>, entries: &[Entry]) -> Result<Vec<Group>, Failed> {
        let mut groups: Vec<Group> = Vec::new();
        let mut known: BTreeMap<&[u8], usize> = BTreeMap::new();
        if let Some(file) = &self.file {
            let mut files: Vec<&[u8]> = entries.iter().map(|entry| &*entry.file).collect();
            files.sort_unstable();
            files.dedup();
            let own: Vec<&[u8]> = match files.as_slice() {
                [only] => vec![only],
                several => several.iter().copied().filter(|name| names::is_named(name, file)).collect(),
            };
            if own.is_empty() && !files.is_empty() {
                let text = format!(
                    "it is about {} files, and none of them has the name of {}",
                    files.len(),
                    out::path(file)
                );
                return Err(self.failure("other-files", text));
            }
            let about = entries.iter().enumerate().filter(|(_, entry)| own.contains(&&*entry.file));
            let entries = about.map(|(at, _)| at).collect();
            return Ok(vec![Group { path: file.clone(), entries }]);
        }
        for (at, entry) in entries.iter().enumerate() {
            let group = *known.entry(&entry.file).or_insert_with(|| {
                groups.push(Group { path: names.path(&entry.file), entries: Vec::new() });
                groups.len().saturating_sub(1)
            });
            if let Some(group) = groups.get_mut(group) {
                group.entries.push(at);
            }
        }
        Ok(groups)
    }

    /// What was found, as JSON: `path` of the list; how many lines are `ok`, `mismatch`, `not_found`, `unreadable`, and `other`
    /// (about other files than the one named); `entries`, the lines with `line`, `algorithm`, `expected`, `name` as listed,
    /// `file` and `tensor` as the name was understood (`tensor` null for a model, and for a file as it is, which `of` tells
    /// apart), `result`, `found` and `message`; `errors` of the list itself.
    fn document(&self, entries: &[Entry], failures: &[Failed]) -> Value {
        let count = |word: &str| entries.iter().filter(|entry| entry.outcome.word() == word).count();
        let text = |bytes: &[u8]| json!(JsonText(ByteStr(bytes)));
        let one = |entry: &Entry| {
            let (digest, found, message) = match &entry.outcome {
                Outcome::Ok(found) | Outcome::Mismatch(found) => {
                    let same = entry.line.expected.iter().find(|d| d.algorithm() == found.algorithm());
                    (same, Some(found.to_string()), None)
                }
                Outcome::Length(listed, found) => (None, None, Some(length(*listed, *found))),
                Outcome::NotFound(what) => (None, None, Some((*what).to_owned())),
                Outcome::Unreadable(why) => (None, None, Some(why.clone())),
                Outcome::Other => (None, None, None),
            };
            let digest = digest.or(entry.line.expected.first());
            let of = match (&entry.line.subject, &entry.tensor) {
                (Subject::File(_), _) => "file",
                (_, Some(_)) => "tensor",
                (_, None) => "model",
            };
            json!({
                "line": entry.line.number, "of": of, "name": text(entry.line.subject.name()),
                "file": text(&entry.file), "tensor": entry.tensor.as_deref().map(text),
                "algorithm": digest.map(|digest| digest.algorithm().name()),
                "expected": digest.map(Digest::to_string),
                "result": entry.outcome.word().replace(' ', "-"), "found": found, "message": message,
            })
        };
        json!({
            "path": crate::json::path(Path::new(&self.manifest)),
            "ok": count("ok"), "mismatch": count("mismatch"), "not_found": count("not found"),
            "unreadable": count("unreadable"), "other": count("other"),
            "entries": entries.iter().map(one).collect::<Vec<_>>(),
            "errors": failures.iter().map(Failed::json).collect::<Vec<_>>(),
        })
    }

    fn sum_up(&self, out: &mut Out, entries: &[Entry]) -> io::Result<()> {
        if entries.is_empty() {
            return Ok(());
        }
        let mut parts = Vec::new();
        for (word, ink) in [
            ("ok", Ink::Good),
            ("mismatch", Ink::Bad),
            ("not found", Ink::Bad),
            ("unreadable", Ink::Bad),
            ("other", Ink::Faint),
        ] {
            let count = entries.iter().filter(|entry| entry.outcome.word() == word).count();
            let word = if word == "other" { "about other files" } else { word };
            if count > 0 {
                parts.push(out.paint(ink, format!("{count} {word}")).to_string());
            }
        }
        let head = out.paint(Ink::Head, out::path(Path::new(&self.manifest)));
        out.line(&format!("{head}: {}", parts.join(", ")), 2)
    }
}

fn length(listed: u64, found: u64) -> String {
    let (listed, found) = (units::count(listed), units::count(found));
    format!("the file is {found} bytes long, and {listed} are listed")
}

fn print(out: &mut Out, entry: &Entry) -> io::Result<()> {
    let ink = if matches!(entry.outcome, Outcome::Ok(_)) { Ink::Good } else { Ink::Bad };
    let word = match &entry.outcome {
        Outcome::NotFound(NO_FILE) => "no file",
        Outcome::NotFound(_) => "no tensor",
        other => other.word(),
    };
    let word = out.paint(ink, out::pad(word, 10));
    let listed = entry.line.expected.first();
    let digest = match &entry.outcome {
        Outcome::Ok(found) => Some(found),
        _ => listed,
    };
    let algorithm = digest.map_or("", |digest| digest.algorithm().name());
    writeln!(out, "{word}  {algorithm:<8}  {}", out::plain(entry.line.subject.name()))?;
    let (listed, faint) =
        (listed.map(Digest::to_string).unwrap_or_default(), |text| out.paint(Ink::Faint, text));
    let lines = match &entry.outcome {
        Outcome::Ok(_) | Outcome::NotFound(_) | Outcome::Other => Vec::new(),
        Outcome::Mismatch(found) => {
            vec![
                faint(format!("listed  {listed}")).to_string(),
                faint(format!("found   {found}")).to_string(),
            ]
        }
        Outcome::Length(listed, found) => vec![length(*listed, *found)],
        Outcome::Unreadable(why) => vec![why.clone()],
    };
    lines.iter().try_for_each(|line| writeln!(out, "  {line}"))
}
