//! Tensors on their way into files: how much each is, what a file of them is made of, what can stop it.

use std::io;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Path, PathBuf};

use ggufkit::edit::EditError;
use ggufkit::edit::subset::{Kept, Metadata, subset};
use ggufkit::format::exchange::Exchange;
use ggufkit::format::{Plan, Span};
use ggufkit::inspect::tensors::Row;
use ggufkit::io::sink::{self, Output, SinkError, Terms};
use ggufkit::io::{DataError, FileSource, Parts, TensorReader, Turned};
use ggufkit::values::export::{Chosen, Export, ExportError, plan};
use ggufkit::values::{Float, NoValues};

use super::form::Kind;
use crate::failure::{Failed, with_causes};
use crate::frame::{Document, PartDoc};
use crate::out;
use crate::taken::Taken;

/// What is done with every tensor that was chosen.
pub(super) struct Task<'a> {
    pub(super) rows: Option<(u64, u64)>,
    pub(super) kind: Kind,
    /// What floats become.
    pub(super) to: Option<Float>,
    /// Of a model's key-values.
    pub(super) metadata: Metadata,
    pub(super) terms: Terms,
    pub(super) threads: NonZeroUsize,
    /// The files of the model, none of which may be written to.
    pub(super) model: Taken,
    /// What is read.
    pub(super) document: &'a Document<'a>,
    /// Its files, and where each begins when they are laid end to end; those that come in order only begin nowhere.
    pub(super) files: Vec<(&'a PartDoc<'a>, &'a FileSource, Option<u64>)>,
}

/// A tensor that was chosen.
pub(super) struct Job<'a> {
    pub(super) row: Row<'a>,
    pub(super) reader: &'a TensorReader<'a, FileSource>,
    pub(super) file: PathBuf,
}

/// What can stop a tensor from being written.
#[derive(Debug)]
pub(super) enum Trouble {
    Data(DataError),
    /// The form has no such tensor, and what would help.
    Form(ExportError, &'static str),
    /// The file cannot be written, or there is one already.
    File(PathBuf, io::Error),
    /// The output file's name is that of a file that is being read.
    Input(PathBuf),
    /// Somebody has written to a file while it was read.
    Changed(Failed),
    /// What was to be read was not.
    Read(String),
    /// No model is made of them.
    Model(String),
    Output(io::Error),
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Data(error) => f.write_str(&with_causes(error)),
            Self::Form(error, help) if error.is_type() => write!(f, "{error}: {help}"),
            Self::Form(error, _) => f.write_str(&with_causes(error)),
            Self::File(path, error) if error.kind() == io::ErrorKind::AlreadyExists => {
                write!(f, "{} exists; --force overwrites it", out::path(path))
            }
            Self::File(path, error) => write!(f, "{}: {error}", out::path(path)),
            Self::Input(path) => {
                write!(f, "{} is the model itself: write to another folder", out::path(path))
            }
            Self::Changed(failed) => failed.fmt(f),
            Self::Read(message) | Self::Model(message) => f.write_str(message),
            Self::Output(error) => error.fmt(f),
        }
    }
}

impl From<EditError> for Trouble {
    fn from(error: EditError) -> Self {
        Self::Model(format!("no model is made of them: {error}"))
    }
}

/// The files that a call reads: those that were named and all that belong to their set, whether they can be opened or not.
pub(super) fn files_of(given: &Path, document: &Document<'_>) -> Taken {
    let mut taken = Taken::default();
    document.set.iter().for_each(|set| taken.add_set(set));
    let failed = document.failures.iter().map(|failed| failed.path.as_path());
    let paths = document.parts.iter().filter_map(|part| part.path.as_deref());
    paths.chain(failed).chain([given]).for_each(|path| taken.add(path));
    document.parts.iter().filter_map(|part| part.source.as_ref()).for_each(|source| taken.add_open(source));
    taken
}

/// The files that a model's tensors are in, and where each begins when those of known length are laid end to end.
pub(super) fn laid<'a>(document: &'a Document<'a>) -> Vec<(&'a PartDoc<'a>, &'a FileSource, Option<u64>)> {
    let mut end = 0_u64;
    let parts = document.parts.iter().filter(|part| part.index().is_some());
    let files = parts.filter_map(|part| Some((part, part.source.as_ref()?)));
    files
        .map(|(part, source)| {
            let start = source.is_seekable().then_some(end);
            end = end.saturating_add(start.and(part.size).unwrap_or(0));
            (part, source, start)
        })
        .collect()
}

impl Task<'_> {
    /// Whether what was read by now is of one state of the model.
    pub(super) fn unchanged(&self) -> Result<(), Trouble> {
        self.document.changed().map_or(Ok(()), |failed| Err(Trouble::Changed(failed)))
    }

    /// Whether a file may be written under this name, whatever else is there.
    fn allow(&self, path: &Path) -> Result<(), Trouble> {
        match self.model.holds(path).map_err(|error| Trouble::File(path.to_owned(), error))? {
            true => Err(Trouble::Input(path.to_owned())),
            false => Ok(()),
        }
    }

    /// What can be known to stand in the way of a file before it is written.
    pub(super) fn may_write(&self, path: &Path) -> Result<(), Trouble> {
        self.allow(path)?;
        let system = |error| Trouble::File(path.to_owned(), error);
        match path.symlink_metadata() {
            Ok(_) if !self.terms.replace => Err(system(io::ErrorKind::AlreadyExists.into())),
            Ok(there) if there.is_dir() => Err(system(io::ErrorKind::IsADirectory.into())),
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(system(error)),
            _ => Ok(()),
        }
    }

    /// Plans a file of these tensors, and hands the plan to `then` with the source that it is carried out with.
    fn planned<T>(
        &self,
        chosen: &[Chosen<'_, FileSource>],
        then: impl FnOnce(&Plan, &Turned<'_, Parts<'_>>) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        let failed = |error| Trouble::Form(ExportError::Io(error), "");
        let mut parts = Parts::new();
        for (_, source, _) in self.files.iter().filter(|(.., start)| start.is_some()) {
            parts.file(source).map_err(failed)?;
        }
        let export = match self.kind.form() {
            Some(form) => plan(form, self.to, chosen, self.threads, &mut parts)
                .map_err(|error| Trouble::Form(error, self.kind.advice()))?,
            None => self.gguf(chosen)?,
        };
        let turned = Turned::new(&parts, export.turned).map_err(failed)?;
        then(&export.plan, &turned)
    }

    /// Exact size of a file of these tensors.
    pub(super) fn size(&self, chosen: &[Chosen<'_, FileSource>]) -> Result<u64, Trouble> {
        self.planned(chosen, |plan, _| Ok(plan.len()))
    }

    fn gguf(&self, chosen: &[Chosen<'_, FileSource>]) -> Result<Export, Trouble> {
        let none = |why: &str| Err(Trouble::Model(why.to_owned()));
        let first = self.files.first().and_then(|(part, ..)| Some((part, part.view()?, part.size?)));
        let Some((part, view, size)) = first else {
            return none("a model is made of files whose length is known");
        };
        let is_first = |path: &Path| self.document.set.is_none_or(|set| set.number_of(path) == Some(1));
        if self.metadata == Metadata::Keep && !part.path.as_deref().is_some_and(is_first) {
            return none(
                "the first file of the set, which has the metadata, is not there; --no-metadata does without",
            );
        }
        let endian = view.index().header().endian;
        let (mut kept, mut turned) = (Vec::with_capacity(chosen.len()), Vec::new());
        for one in chosen {
            let Some(data) = one.place() else {
                return none("a model is made of files whose length is known");
            };
            let (name, tensor_type) = (one.name(), one.tensor_type());
            if one.endian() != endian {
                let ty = tensor_type;
                let error = ExportError::Values(NoValues::NoByteOrder { name: name.into(), ty });
                let exchange: Option<Exchange> = Exchange::of(ty);
                turned.push((data, exchange.ok_or(Trouble::Form(error, ""))?));
            }
            kept.push(Kept { name, dims: one.dims(), tensor_type, data });
        }
        Ok(Export { plan: subset(view, size, &kept, self.metadata)?, turned })
    }

    /// Writes the file of tensors for which nothing was known to stand in the way; `watch` is told bytes that are done.
    pub(super) fn write(
        &self,
        chosen: &[Chosen<'_, FileSource>],
        path: &Path,
        watch: &mut dyn FnMut(u64),
    ) -> Result<(), Trouble> {
        self.planned(chosen, |plan, source| {
            let output = Output { plan, target: path };
            let done = sink::save_all(&[output], source, self.terms, &mut |now| {
                watch(now.done);
                Ok(())
            });
            // A file that appeared meanwhile may be one of the model's.
            done.map_err(|error| self.allow(path).err().unwrap_or_else(|| self.stopped(error, chosen, path)))
        })
    }

    /// Writes the same bytes to a stream.
    pub(super) fn stream(
        &self,
        chosen: &[Chosen<'_, FileSource>],
        to: &mut impl io::Write,
    ) -> Result<(), Trouble> {
        self.planned(chosen, |plan, source| {
            let done = sink::write_plan(plan, source, to, &mut sink::unwatched);
            done.map_err(|error| self.stopped(error, chosen, Path::new("-")))
        })
    }

    fn stopped(&self, error: SinkError, chosen: &[Chosen<'_, FileSource>], path: &Path) -> Trouble {
        let whose = match chosen {
            [one] => format!("tensor \"{}\"", out::fit(one.name(), 80)),
            _ => out::path(path),
        };
        let end = self.files.iter().filter(|(.., start)| start.is_some());
        let end = end.fold(0_u64, |sum, (part, ..)| sum.saturating_add(part.size.unwrap_or(0)));
        let said = match error.path() {
            // It names its file itself.
            Some(_) => error.to_string(),
            None => format!("{whose}: {error}"),
        };
        match error {
            SinkError::Write { source, .. } if path == Path::new("-") => Trouble::Output(source),
            SinkError::Write { path, source, .. } => Trouble::File(path, source),
            SinkError::Exists(path) => Trouble::File(path, io::ErrorKind::AlreadyExists.into()),
            SinkError::IsSource(path) => Trouble::Input(path),
            // A stream says itself where it was.
            SinkError::Read { span: Span { start, .. }, source } if start >= end => {
                Trouble::Read(format!("{whose}: {source}"))
            }
            SinkError::Read { span, source } => {
                Trouble::Read(format!("{whose}: cannot read {span}: {source}"))
            }
            SinkError::SourceChanged(_) => match self.unchanged() {
                Err(changed) => changed,
                Ok(()) => Trouble::Read(said),
            },
            _ => Trouble::Read(said),
        }
    }
}

impl Job<'_> {
    /// The rows that were asked for and exist.
    fn rows(&self, task: &Task<'_>) -> Result<Option<Range<u64>>, DataError> {
        let Some((from, to)) = task.rows else { return Ok(None) };
        let (count, _) = self.reader.row_shape(self.row.tensor)?;
        // An open end means the last row; a start at or past the end asks for a row that does not exist.
        Ok(Some(from..if to == u64::MAX { count.max(from.saturating_add(1)) } else { to }))
    }

    /// The tensor, or its rows, as what is put into a file.
    pub(super) fn choose<'a>(&self, task: &Task<'a>) -> Result<Chosen<'a, FileSource>, Trouble> {
        let file = task.files.get(self.row.part_index);
        let Some((_, source, start)) = file else {
            return Err(Trouble::Read(format!(
                "tensor \"{}\": its file is not there",
                out::fit(self.row.name.0, 80)
            )));
        };
        let chosen =
            self.rows(task).and_then(|rows| Chosen::of(*source, self.reader, self.row.tensor, rows, *start));
        chosen.map_err(Trouble::Data)
    }
}
