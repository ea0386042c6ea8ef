//! One file, from its head to a plan and the way that it is carried out.

use std::io;
use std::path::{Path, PathBuf};

use ggufkit::check::{self, Answer, Selection, Severity};
use ggufkit::edit::loads;
use ggufkit::edit::preview::{self, Worse};
use ggufkit::edit::{Document, Done, Operation, OperationError};
use ggufkit::format::spec::keys;
use ggufkit::format::{Options, Plan, Span, View};
use ggufkit::io::sink::{self, SinkError};
use ggufkit::io::{FileSource, HeadBuffer, Route, RouteError, Way, diagnose, inplace};

use super::{Job, gaps};
use crate::failure::Failure;
use crate::frame;
use crate::json;
use crate::out;

/// What keeps a file from being planned.
pub(super) enum Refused {
    /// It cannot be read, or not be written.
    Failure(Failure),
    /// What is asked for cannot be done with it.
    Operation(OperationError, Option<String>),
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
    /// What is to be done.
    pub(super) result: Result<Ready, Refused>,
    /// The way that was gone.
    pub(super) done: Option<Way>,
    /// What stopped the writing.
    pub(super) failure: Option<crate::failure::Failed>,
}

impl Planned {
    /// Whether the file would have errors that it has not now.
    pub(super) fn breaks(&self) -> bool {
        let errors = |ready: &Ready| ready.worse.iter().any(|one| one.finding.severity == Severity::Error);
        self.result.as_ref().is_ok_and(|ready| errors(ready) || ready.lost.is_some())
    }
}

/// What is to be done with a file.
pub(super) struct Ready {
    pub(super) source: FileSource,
    pub(super) plan: Plan,
    /// How it is carried out over the file itself.
    pub(super) route: Route,
    /// What changes.
    pub(super) done: Vec<Done>,
    /// What the rules will say that they do not say now.
    pub(super) worse: Vec<Worse>,
    /// Why llama.cpp will refuse the file, which it is not known to refuse now.
    pub(super) lost: Option<Answer>,
    /// What is left out of the bytes that are no tensor's, and is not zeros.
    pub(super) gaps: Vec<Span>,
    /// Bytes of padding that the head had.
    pub(super) had: u64,
    /// Bytes of padding in the head.
    pub(super) padding: u64,
}

impl Ready {
    /// Writes the file, or changes it.
    pub(super) fn write(
        &self,
        output: Option<&Path>,
        force: bool,
        all_names: bool,
        watch: &mut sink::Watch<'_>,
    ) -> Result<Way, Failure> {
        match output {
            Some(path) => sink::save(&self.plan, &self.source, path, force, watch)
                .map(|()| Way::Copy)
                .map_err(super::super::mend::failure),
            None => self.route.go(&self.plan, &self.source, all_names, watch).map_err(route_failure),
        }
    }
}

/// Why a file was not changed, or replaced, as all commands say it.
pub(in crate::commands) fn route_failure(error: RouteError) -> Failure {
    use inplace::InPlaceError;
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
        RouteError::InPlace(InPlaceError::Io { source, .. }) => {
            return Failure::Io(io::Error::new(source.kind(), error.to_string()));
        }
        RouteError::Sink(SinkError::Write { source, .. } | SinkError::Read { source, .. }) => {
            return Failure::Io(io::Error::new(source.kind(), error.to_string()));
        }
        _ => return Failure::Io(io::Error::other(error.to_string())),
    };
    Failure::Usage { code, message: error.to_string(), help: Some(help.to_owned()) }
}

impl Job<'_> {
    /// Plans the files of one model.
    pub(super) fn plan(&self, paths: &[PathBuf]) -> Vec<Planned> {
        let mut buffers: Vec<HeadBuffer> = paths.iter().map(|_| HeadBuffer::new()).collect();
        let mut opened = Vec::new();
        for (path, buffer) in paths.iter().zip(&mut buffers) {
            opened.push(self.open(path, buffer));
        }
        // The indices stand for themselves; the documents look at them.
        let indices: Vec<_> =
            opened.iter().map(|one| one.as_ref().ok().and_then(|(_, read)| read.index.clone())).collect();
        let mut documents = Vec::new();
        for ((one, index), buffer) in opened.iter().zip(&indices).zip(&buffers) {
            let Ok((source, _)) = one else {
                documents.push(None);
                continue;
            };
            let view = index.as_ref().map(|index| View::new(index, buffer.bytes()));
            let size = ggufkit::format::ReadAt::size(source).unwrap_or(u64::MAX);
            documents.push(view.and_then(|view| Document::of(view, size).ok()));
        }
        let opened: Vec<Result<FileSource, Failure>> =
            opened.into_iter().map(|one| one.map(|(source, _)| source)).collect();
        let whole = documents.iter().all(Option::is_some);
        let result = if whole { self.change(&mut documents) } else { Ok(Vec::new()) };
        let mut done = match result {
            Ok(done) => done.into_iter(),
            Err((at, error, help)) => {
                let refuse = |(place, path): (usize, &PathBuf)| Planned {
                    path: path.clone(),
                    result: Err(Refused::Operation(error.clone(), help.clone().filter(|_| place == at))),
                    done: None,
                    failure: None,
                };
                return paths.iter().enumerate().filter(|(place, _)| *place == at).map(refuse).collect();
            }
        };
        let mut out = Vec::new();
        for ((path, one), document) in paths.iter().zip(opened).zip(documents) {
            let done = done.next().unwrap_or_default();
            let result = match (one, document) {
                (Err(failure), _) => Err(Refused::Failure(failure)),
                (Ok(source), Some(document)) => self.ready(path, source, document, done),
                (Ok(_), None) => {
                    let message = "the head was not read to its end, so nothing can be changed in it";
                    Err(Refused::Failure(Failure::usage(
                        "incomplete",
                        format!("{}: {message}", out::path(path)),
                    )))
                }
            };
            // Of the other members of a set nothing is to be said.
            let untouched =
                matches!(&result, Ok(ready) if ready.done.is_empty() && ready.route.way == Way::Nothing);
            if paths.len() > 1 && untouched && whole {
                continue;
            }
            out.push(Planned { path: path.clone(), result, done: None, failure: None });
        }
        out
    }

    fn open(
        &self,
        path: &Path,
        buffer: &mut HeadBuffer,
    ) -> Result<(FileSource, ggufkit::format::Outcome), Failure> {
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
        Ok((source, read))
    }

    /// Carries the operations out: each on the members of the set that it is about, or on the first. The values are what
    /// was done, member by member.
    fn change(
        &self,
        documents: &mut [Option<Document<'_>>],
    ) -> Result<Vec<Vec<Done>>, (usize, OperationError, Option<String>)> {
        let mut done: Vec<Vec<Done>> = documents.iter().map(|_| Vec::new()).collect();
        for operation in self.operations {
            let concerned: Vec<usize> = documents
                .iter()
                .enumerate()
                .filter(|(_, document)| {
                    document.as_ref().is_some_and(|document| operation.concerns(document))
                })
                .map(|(at, _)| at)
                .collect();
            let concerned = if concerned.is_empty() { vec![0] } else { concerned };
            for at in concerned {
                let Some(Some(document)) = documents.get_mut(at) else { continue };
                let made = operation.apply(document).map_err(|error| {
                    let help = help(&error, document);
                    (at, error, help)
                })?;
                if let Some(done) = done.get_mut(at) {
                    done.extend(made);
                }
            }
        }
        Ok(done)
    }

    fn ready(
        &self,
        path: &Path,
        source: FileSource,
        mut document: Document<'_>,
        done: Vec<Done>,
    ) -> Result<Ready, Refused> {
        let edit = |error: ggufkit::edit::EditError| Refused::Operation(error.into(), None);
        let in_place = self.how.output.is_none() && !self.how.copy;
        let reserve = self.how.reserve.unwrap_or(0);
        let view = document.view();
        let had = view.kvs().find_map(|(key, kv)| keys::room(key.0, view.value(kv).as_bytes()?)).unwrap_or(0);
        // Who takes the room out does not want it back.
        let taken =
            |done: &Done| done.what == "unset" && keys::PADDING.iter().any(|key| key.as_bytes() == done.name);
        let fits = !self.how.exact && !done.iter().any(taken);
        if (!done.is_empty() && fits) || reserve > 0 {
            // Blocks that can be moved, or shared.
            let block = Route::block(&source).filter(|_| self.how.output.is_none());
            document.fit(block, reserve).map_err(edit)?;
        }
        let padding = document.padding().map_or(0, |(_, len)| len);
        let plan = document.plan().map_err(edit)?;
        let system = |error| Refused::Failure(Failure::Io(error));
        let gaps = gaps::lost(&document, &plan, &source).map_err(system)?;
        let (worse, lost) = match done.is_empty() && self.how.reserve.is_none() {
            true => (Vec::new(), None),
            false => {
                self.worse(path, &source, &plan).map_err(|error| Refused::Failure(Failure::Io(error)))?
            }
        };
        let route =
            Route::choose(&plan, &source, in_place).map_err(|error| Refused::Failure(Failure::Io(error)))?;
        Ok(Ready { source, plan, route, done, worse, lost, gaps, had, padding })
    }

    /// What the rules say of the planned file that they do not say of the file.
    fn worse(
        &self,
        path: &Path,
        source: &FileSource,
        plan: &Plan,
    ) -> io::Result<(Vec<Worse>, Option<Answer>)> {
        let mut rules = check::Options::default();
        if !self.operations.iter().any(Operation::is_of_tokenizer) {
            // A quarter of a million tokens are not judged twice for a name.
            let quick = ["container", "metadata", "layout", "tensors", "conventions", "shards", "kinds"];
            let mut selection = Selection::default();
            if quick.iter().all(|family| selection.select(family).is_ok()) {
                rules.selection = selection;
            }
        }
        let label = json::bytes_of(path);
        let name = path.file_name().and_then(|name| name.to_str());
        let (before, _) = preview::judge(source, label.0, name, &rules)?;
        let (after, _) = preview::judge(&preview::Planned::new(plan, source), label.0, name, &rules)?;
        let mut worse = preview::worse(&before, &after);
        for one in &mut worse {
            // A file may have had such a template for long, and works without; nobody writes one on purpose.
            if one.finding.rule.name == "template-syntax" {
                one.finding.severity = Severity::Error;
            }
        }
        let asked = self.operations.iter().any(loads::concerns);
        let planned = preview::Planned::new(plan, source);
        let lost = if asked { loads::lost(source, &planned, label.0, name)? } else { None };
        // A finding of the same rule says it better.
        if let Some(answer) = &lost
            && let Some(rule) = answer.rule
            && let Some(one) = worse.iter_mut().find(|one| one.finding.rule.name == rule.name)
        {
            one.finding.severity = Severity::Error;
            return Ok((worse, None));
        }
        Ok((worse, lost))
    }
}

/// What may have been meant.
fn help(error: &OperationError, document: &Document<'_>) -> Option<String> {
    match error {
        OperationError::NoKey(key) => {
            let keys = document.kv_order().filter_map(|at| {
                let there = document.key(at);
                Some((ggufkit::format::edits(key, there)?, out::fit(there, 100)))
            });
            keys.min().map(|(_, near)| format!("did you mean {near}?"))
        }
        OperationError::NoTensor(_) => Some("`gguf tensors` lists them".to_owned()),
        OperationError::NoType(key) => {
            let near = ggufkit::format::spec::keys::near(key, 1)
                .first()
                .map(|near| format!("did you mean {near}? "));
            Some(format!(
                "{}write {}:u32=…, or :string, :f32, :bool, :array[string]",
                near.unwrap_or_default(),
                out::fit(key, 60)
            ))
        }
        OperationError::Several { .. } => {
            Some("`gguf repair --duplicates keep-first` or `keep-last` leaves one of them".to_owned())
        }
        _ => None,
    }
}
