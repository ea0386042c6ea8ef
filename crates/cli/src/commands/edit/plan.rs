//! The files of one model, from their heads to plans and the ways that these are carried out.

use std::io;
use std::path::{Path, PathBuf};

use ggufkit::check::Severity;
use ggufkit::edit::loads::Lost;
use ggufkit::edit::preview::Worse;
use ggufkit::edit::{Document, Done, Operation, OperationError, Shown, ValueError, endian, members};
use ggufkit::format::exchange::Exchange;
use ggufkit::format::spec::keys;
use ggufkit::format::{Endian, Index, Options, Plan, Span, View};
use ggufkit::io::inplace::InPlaceError;
use ggufkit::io::sink::SinkError;
use ggufkit::io::{FileSource, HeadBuffer, Input, Route, RouteError, Way, diagnose};

use super::super::shards::{incomplete, names_folder};
use super::{Job, gaps, path_of};
use crate::failure::{Failed, Failure};
use crate::frame;
use crate::out;

/// What keeps a file from being planned.
pub(super) enum Refused {
    /// It cannot be read, or not be written.
    Failure(Failure),
    /// What is asked for cannot be done with it; and what may have been meant.
    Asked(String, Option<String>),
}

impl Refused {
    pub(super) fn is_failure(&self) -> bool {
        matches!(self, Self::Failure(_))
    }
}

/// A file that is planned, or why not, and what became of it.
pub(super) struct Planned {
    /// The file as it was named.
    pub(super) path: PathBuf,
    /// Where it is written, if not over itself.
    pub(super) output: Option<PathBuf>,
    /// Number of the model that it belongs to: files of a set have the same.
    pub(super) model: usize,
    /// Files of the model for which it speaks: itself, or all of a set that stays as it is.
    pub(super) files: usize,
    /// What is to be done.
    pub(super) result: Result<Ready, Refused>,
    /// The way that was gone.
    pub(super) done: Option<Way>,
    /// It was written, and is what it was before again, since another file of its set could not be.
    pub(super) taken_back: bool,
    /// What of the old file a new one in its place has not.
    pub(super) note: Option<String>,
    /// What stopped the writing, or would stop it.
    pub(super) failure: Option<Failed>,
}

impl Planned {
    /// Whether the file would have errors that it has not now.
    pub(super) fn breaks(&self) -> bool {
        let errors = |ready: &Ready| ready.worse.iter().any(|one| one.finding.severity == Severity::Error);
        self.result.as_ref().is_ok_and(|ready| errors(ready) || ready.lost.is_some())
    }

    /// The file that is written.
    pub(super) fn target(&self) -> &Path {
        self.output.as_deref().unwrap_or(&self.path)
    }
}

/// What is to be done with a file.
pub(super) struct Ready {
    /// The file, until all of its model is written: what it held is not free before.
    pub(super) source: Option<FileSource>,
    pub(super) plan: Plan,
    /// How it is carried out over the file itself.
    pub(super) route: Route,
    /// What of the file is turned into the other byte order on the way.
    pub(super) turned: Vec<(Span, Exchange)>,
    /// What changes.
    pub(super) done: Vec<Done>,
    /// What the rules will say that they do not say now, of the file and of the set that it is in.
    pub(super) worse: Vec<Worse>,
    /// What makes the model useless: llama.cpp will refuse it, which it is not known to do now.
    pub(super) lost: Option<Lost>,
    /// What is left out of the bytes that are no tensor's, and is not zeros.
    pub(super) gaps: Vec<Span>,
    /// Bytes of padding that the head had.
    pub(super) had: u64,
    /// Bytes of padding in the head.
    pub(super) padding: u64,
}

impl Ready {
    /// Whether the file stays what it is.
    pub(super) fn is_nothing(&self) -> bool {
        self.done.is_empty() && self.route.way == Way::Nothing
    }
}

/// Why a file was not changed, or replaced, as all commands say it.
pub(in crate::commands) fn route_failure(error: RouteError) -> Failure {
    let (code, help) = match &error {
        RouteError::Sink(SinkError::Changed(_) | SinkError::SourceChanged(_))
        | RouteError::InPlace(InPlaceError::Changed(_)) => ("changed", "run the command again"),
        RouteError::InPlace(InPlaceError::Busy(_)) => ("busy", "wait until it is done"),
        RouteError::InPlace(InPlaceError::Pending(_) | InPlaceError::Interrupted { .. }) => {
            ("interrupted", "`gguf recover FILE` takes it back")
        }
        RouteError::InPlace(InPlaceError::Linked { .. }) => {
            ("hard-links", "--all-names changes them all, in place; -o writes another file")
        }
        RouteError::Sink(SinkError::NoRoom { .. }) => ("storage_full", "-o writes to another disk"),
        // The file is named before.
        RouteError::InPlace(InPlaceError::Io { doing, source, .. })
        | RouteError::Sink(SinkError::Write { doing, source, .. }) => {
            return Failure::Io(io::Error::new(source.kind(), format!("cannot {doing} it: {source}")));
        }
        RouteError::Sink(SinkError::Read { source, .. }) => {
            return Failure::Io(io::Error::new(source.kind(), error.to_string()));
        }
        _ => return Failure::Io(io::Error::other(error.to_string())),
    };
    Failure::Usage { code, message: error.to_string(), help: Some(help.to_owned()) }
}

/// The same of a file whose place a new one takes: its other names would lead to the old one.
pub(in crate::commands) fn replace_failure(error: RouteError) -> Failure {
    match &error {
        RouteError::InPlace(InPlaceError::Linked { path, names }) => Failure::Usage {
            code: "hard-links",
            message: format!(
                "{} has {names} names (hard links), and a new file would have this one alone",
                out::path(path)
            ),
            help: Some("-o writes another file".to_owned()),
        },
        _ => route_failure(error),
    }
}

impl Job<'_> {
    /// Plans the files of one model.
    pub(super) fn plan(&self, model: usize, input: &Input) -> Vec<Planned> {
        let paths = super::paths(input);
        let set = match input {
            Input::Set(set) => Some(set),
            _ => None,
        };
        if let Some((set, (message, help))) = set.and_then(|set| Some((set, incomplete(set)?))) {
            return vec![self.planned(model, set.given(), Err(Refused::Asked(message, Some(help))))];
        }
        let mut buffers: Vec<HeadBuffer> = paths.iter().map(|_| HeadBuffer::new()).collect();
        let mut opened = Vec::new();
        for (path, buffer) in paths.iter().zip(&mut buffers) {
            opened.push(self.open(path, buffer));
        }
        let planned = |path: &PathBuf, result| self.planned(model, path, result);
        // The indices stand for themselves; the documents look at them.
        let (mut sources, mut indices, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        for (path, one) in paths.iter().zip(opened) {
            match one {
                Ok((source, index)) => {
                    sources.push(source);
                    indices.push(index);
                }
                Err(failure) => refused.push(planned(path, Err(Refused::Failure(failure)))),
            }
        }
        if !refused.is_empty() {
            return refused;
        }
        let mut documents = Vec::new();
        for ((index, buffer), source) in indices.iter().zip(&buffers).zip(&sources) {
            let size = ggufkit::format::ReadAt::size(source).unwrap_or(u64::MAX);
            match Document::of(View::new(index, buffer.bytes()), size) {
                Ok(document) => documents.push(document),
                Err(error) => {
                    let path = paths.get(documents.len()).into_iter();
                    let refused = || Err(Refused::Asked(error.to_string(), None));
                    return path.map(|path| planned(path, refused())).collect();
                }
            }
        }
        let refuse = |at: usize, message: String, help: Option<String>| -> Vec<Planned> {
            let path = paths.get(at).into_iter();
            path.map(|path| planned(path, Err(Refused::Asked(message.clone(), help.clone())))).collect()
        };
        let about = |operation: &&Operation| {
            !self.if_present || documents.iter().any(|document| operation.concerns(document))
        };
        let operations: Vec<Operation> = self.operations.iter().filter(about).cloned().collect();
        let done = match self.together {
            true => members::apply_together(&operations, &mut documents),
            false => members::apply(&operations, &mut documents),
        };
        let done = match done {
            Ok(done) => done,
            Err((at, error)) => {
                let help = documents.get(at).and_then(|document| self.help(&error, document));
                return refuse(at, error.to_string(), help);
            }
        };
        let mut out = Vec::new();
        for (((path, source), document), done) in paths.iter().zip(sources).zip(documents).zip(done) {
            out.push(planned(path, self.ready(source, document, done)));
        }
        let heads = indices.iter().zip(&buffers);
        if let Err(failure) = self.judge(&mut out, heads.map(|(index, buffer)| (index, buffer.bytes())), set)
            && let Some(first) = out.first_mut()
        {
            first.result = Err(Refused::Failure(Failure::Io(failure)));
        }
        self.touched(out)
    }

    /// A file of a model, of which nothing was made yet.
    fn planned(&self, model: usize, path: &Path, result: Result<Ready, Refused>) -> Planned {
        Planned {
            path: path.to_owned(),
            output: self.how.output.as_deref().map(|output| match names_folder(output) {
                true => output.join(path.file_name().unwrap_or_default()),
                false => output.to_owned(),
            }),
            model,
            files: 1,
            result,
            done: None,
            taken_back: false,
            note: None,
            failure: None,
        }
    }

    /// The files of a model of which something is to be said: without an output those that are changed, or the first one for
    /// all of them.
    fn touched(&self, all: Vec<Planned>) -> Vec<Planned> {
        let stays = |one: &Planned| one.result.as_ref().is_ok_and(Ready::is_nothing);
        let count = all.len();
        if self.how.output.is_some() || count < 2 {
            return all;
        }
        if all.iter().all(stays) {
            let mut first: Vec<_> = all.into_iter().take(1).collect();
            first.iter_mut().for_each(|one| one.files = count);
            return first;
        }
        all.into_iter().filter(|one| !stays(one)).collect()
    }

    fn open(&self, path: &Path, buffer: &mut HeadBuffer) -> Result<(FileSource, Index), Failure> {
        let link = std::fs::symlink_metadata(path).map_err(Failure::Io)?.is_symlink();
        let real = match link && self.how.output.is_none() {
            false => path.to_owned(),
            true if self.how.follow => std::fs::canonicalize(path).map_err(Failure::Io)?,
            true => {
                let to = std::fs::read_link(path).map_err(Failure::Io)?;
                return Err(Failure::Usage {
                    code: "symbolic-link",
                    message: format!("{} is a link to {}", out::path(path), out::path(&to)),
                    help: Some(
                        "--follow changes the file that it leads to; -o writes another one".to_owned(),
                    ),
                });
            }
        };
        let source = frame::source(&real).map_err(Failure::Io)?;
        if !source.file().metadata().map_err(Failure::Io)?.is_file() {
            let message = format!("{} is no regular file", out::path(path));
            return Err(Failure::usage("no-file", message));
        }
        let read = buffer.read(&source, Options::new()).map_err(Failure::Io)?;
        if let Some(error) = &read.error {
            let diagnosis = diagnose(&source, Options::new(), &read, buffer.bytes()).map_err(Failure::Io)?;
            return Err(Failure::of_parse(error.clone(), read.index.as_ref(), &diagnosis));
        }
        match read.index {
            Some(index) if index.is_complete() => Ok((source, index)),
            _ => {
                let message = "the head was not read to its end, so nothing can be changed in it";
                Err(Failure::usage("incomplete", format!("{}: {message}", out::path(path))))
            }
        }
    }

    fn ready(
        &self,
        source: FileSource,
        mut document: Document<'_>,
        mut done: Vec<Done>,
    ) -> Result<Ready, Refused> {
        let edit = |error: ggufkit::edit::EditError| Refused::Asked(error.to_string(), None);
        let mut turned = None;
        if let Some(to) = self.endian {
            let from = document.endian();
            let regions = endian::turn(&mut document, to);
            turned = regions.map_err(|error| Refused::Asked(error.to_string(), None))?;
            let shown = |endian: Endian| Some(Shown::Text(format!("{}-endian", endian.name()).into_bytes()));
            if turned.is_some() {
                let (name, before, after) = (b"byte order".to_vec(), shown(from), shown(to));
                done.push(Done { what: "endian", name, element: None, before, after });
                done.extend(Done::of_version(&document));
            }
        }
        let in_place = self.how.output.is_none() && !self.how.copy;
        let reserve = self.how.reserve.unwrap_or(0);
        let view = document.view();
        let had = view.kvs().find_map(|(key, kv)| keys::room(key.0, view.value(kv).as_bytes()?)).unwrap_or(0);
        // Who takes the room out does not want it back.
        let taken =
            |done: &Done| done.what == "unset" && keys::PADDING.iter().any(|key| key.as_bytes() == done.name);
        // In a new file data goes where it goes.
        let fits = !self.how.exact && self.how.output.is_none() && !done.iter().any(taken);
        if (!done.is_empty() && fits) || reserve > 0 {
            // Blocks that can be moved, or shared.
            let block = Route::block(&source).filter(|_| self.how.output.is_none());
            document.fit(block, reserve).map_err(edit)?;
        }
        let padding = document.padding().map_or(0, |(_, len)| len);
        let plan = document.plan().map_err(edit)?;
        let gaps =
            gaps::lost(&document, &plan, &source).map_err(|error| Refused::Failure(Failure::Io(error)))?;
        let mut route =
            Route::choose(&plan, &source, in_place).map_err(|error| Refused::Failure(Failure::Io(error)))?;
        if turned.is_some() {
            // What is turned is no byte of the old file.
            (route.way, route.written, route.moved) = (Way::Copy, plan.len(), 0);
        }
        let turned = turned.unwrap_or_default();
        let (worse, lost) = (Vec::new(), None);
        Ok(Ready { source: Some(source), plan, route, turned, done, worse, lost, gaps, had, padding })
    }
}

impl Job<'_> {
    /// What may have been meant.
    fn help(&self, error: &OperationError, document: &Document<'_>) -> Option<String> {
        match error {
            OperationError::NoKey(key) => {
                if self.command == "unset" && path_of(key).is_some_and(|path| path.is_file()) {
                    return Some(
                        "with -k KEY all other words are files: `gguf unset FILE FILE -k KEY`".to_owned(),
                    );
                }
                let keys = document.kv_order().filter_map(|at| {
                    let there = document.key(at);
                    Some((ggufkit::format::edits(key, there)?, out::fit(there, 100)))
                });
                keys.min().map(|(_, near)| format!("did you mean {near}?"))
            }
            OperationError::NoTensor(_) => Some("`gguf tensors` lists them".to_owned()),
            OperationError::NoType(key) => Some(untyped(key)),
            OperationError::Value { key, error: ValueError::Form { ty, .. } } if !ty.is_array() => {
                let values = ggufkit::format::spec::keys::lookup(key)?.values;
                let names: Vec<&str> = values.iter().map(|choice| choice.name).take(CHOICES).collect();
                let more = if values.len() > CHOICES { ", …" } else { "" };
                (!names.is_empty()).then(|| format!("its values are {}{more}", names.join(", ")))
            }
            OperationError::SeveralTokens { .. } => Some(
                "give the number of the one that is meant: `gguf get FILE tokenizer.ggml.tokens` shows them"
                    .to_owned(),
            ),
            OperationError::Several { .. } => {
                Some("`gguf repair --duplicates keep-first` or `keep-last` leaves one of them".to_owned())
            }
            _ => None,
        }
    }
}

/// Values with names that are told.
const CHOICES: usize = 16;

/// What to write for a key of which no type is known.
fn untyped(key: &[u8]) -> String {
    let shown = out::fit(key, 60);
    if key.ends_with(b"]") {
        return "an element is named by its number, from 0, or -1 for the last one: key[3]".to_owned();
    }
    let suffix = key.iter().rposition(|&byte| byte == b':').and_then(|at| key.split_at_checked(at));
    if let Some((name, suffix)) = suffix {
        let (name, suffix) = (out::fit(name, 60), out::fit(suffix.get(1..).unwrap_or_default(), 20));
        return format!(
            "there is no type {suffix}: write {name}:u32=…, or :i32, :u64, :i64, :f32, :bool, :string, :array[string]"
        );
    }
    let near = ggufkit::format::spec::keys::near(key, 1).first().map(|near| format!("did you mean {near}? "));
    format!("{}write {shown}:u32=…, or :string, :f32, :bool, :array[string]", near.unwrap_or_default())
}
