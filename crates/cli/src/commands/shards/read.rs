//! From arguments to one model: its files in their order, each opened and its head read, and all of them one set.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use ggufkit::format::naming::{ShardStyle, parse_lenient};
use ggufkit::format::{Index, Options, ReadAt as _, View};
use ggufkit::io::{
    Diagnosis, Expand, FileSource, HeadBuffer, Input, Joined, ShardPart, ShardProblem, ShardSet,
    check_shards, diagnose, inplace,
};

use ggufkit::edit::shards::Member;

use super::Reason;
use crate::args::HowArgs;
use crate::failure::{Failed, Failure};
use crate::frame;
use crate::input::refuse_pipe;
use crate::out::{self, Out};

/// A file of the model.
pub(crate) struct File {
    pub(crate) path: PathBuf,
    pub(crate) source: FileSource,
    index: Index,
    head: Vec<u8>,
    size: u64,
    diagnosis: Diagnosis,
}

impl File {
    pub(crate) fn view(&self) -> View<'_> {
        View::new(&self.index, &self.head)
    }

    /// A split key as a number.
    fn number(&self, key: &str) -> Option<u64> {
        self.view().get(key).and_then(|value| value.as_u64())
    }
}

/// A model, and the files that hold it.
pub(crate) struct Model {
    /// The path as it was given: the first one, of several.
    pub(crate) given: PathBuf,
    pub(crate) files: Vec<File>,
}

/// Why there is none.
pub(crate) enum Stop {
    /// Files could not be read, or the arguments make no sense.
    Failed(Vec<Failed>),
    /// The files are no model that can be taken whole.
    Refused(Vec<Reason>),
    /// Standard output leads into one of them; that was said.
    Said,
}

/// What the files have to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// A set of shards.
    Set,
    /// A set, or a file that is whole by itself.
    Any,
}

impl Model {
    /// The model that these arguments name.
    pub(crate) fn read(
        out: &mut Out,
        args: &[OsString],
        options: Options,
        wanted: Wanted,
    ) -> io::Result<Result<Self, Stop>> {
        let given = args.first().map(PathBuf::from).unwrap_or_default();
        let expansion = match frame::expand(args, &Expand::default()) {
            Ok(expansion) => expansion,
            Err(error) => {
                let failed = frame::no_input(error, args, &HowArgs::default());
                return Ok(Err(Stop::Failed(vec![failed])));
            }
        };
        if !frame::prepare(out, &expansion.inputs)? {
            return Ok(Err(Stop::Said));
        }
        Ok(Self::of(given, expansion.inputs, options, wanted))
    }

    fn of(given: PathBuf, inputs: Vec<Input>, options: Options, wanted: Wanted) -> Result<Self, Stop> {
        if inputs.contains(&Input::Stdin) {
            let message =
                "a file is needed, which can be read at any position: standard input gives its bytes once";
            let failure = Failure::usage("standard-input", message);
            return Err(Stop::Failed(vec![Failed { path: "-".into(), failure }]));
        }
        let mut sets: Vec<ShardSet> = Vec::new();
        let mut paths: Vec<PathBuf> = Vec::new();
        for input in inputs {
            match input {
                Input::Set(set) => {
                    paths.extend(set.present().map(Path::to_owned));
                    sets.push(set);
                }
                Input::File(path) => paths.push(path),
                Input::Stdin => {}
            }
        }
        // Members of one set that are in several folders are a list of files like any other.
        let alike = |a: &ShardSet, b: &ShardSet| a.prefix() == b.prefix() && a.count() == b.count();
        let whole = match sets.as_slice() {
            [set] if set.present().len() == paths.len() => Some(set),
            [first, rest @ ..] => {
                let listed: usize = sets.iter().map(|set| set.present().len()).sum();
                if listed != paths.len() || !rest.iter().all(|set| alike(first, set) && !set.is_complete()) {
                    return Err(Stop::Refused(vec![several(&paths)]));
                }
                None
            }
            [] => None,
        };
        if let Some(reason) =
            Some(&paths).filter(|_| wanted == Wanted::Set).and_then(|paths| cut_by_bytes(paths))
        {
            return Err(Stop::Refused(vec![reason]));
        }
        crate::platform::allow_open_files(paths.len());
        let mut files = open_all(paths, options)?;
        let joined: Vec<_> = files.iter().filter_map(joined).collect();
        if !joined.is_empty() {
            return Err(Stop::Refused(joined));
        }
        if whole.is_none() {
            files.sort_by_key(|file| file.number("split.no").unwrap_or(u64::MAX));
        }
        let problems = problems(&files, whole, wanted);
        let fatal = problems.iter().filter(|problem| problem.is_fatal());
        let reasons: Vec<_> = fatal.map(|problem| Reason::of_problem(problem, &files)).collect();
        if reasons.is_empty() { Ok(Self { given, files }) } else { Err(Stop::Refused(reasons)) }
    }

    /// The files end to end.
    pub(crate) fn joined(&self) -> io::Result<Joined<'_>> {
        Joined::new(self.files.iter().map(|file| &file.source))
    }

    /// The files as the planner takes them.
    pub(crate) fn members(&self) -> Vec<Member<'_>> {
        let mut start = 0_u64;
        let mut members = Vec::new();
        for file in &self.files {
            members.push(Member { view: file.view(), size: file.size, start });
            start = start.saturating_add(file.size);
        }
        members
    }
}

/// What keeps the files from being a model.
fn problems(files: &[File], set: Option<&ShardSet>, wanted: Wanted) -> Vec<ShardProblem> {
    let parts: Vec<_> = files.iter().map(|file| ShardPart { path: &file.path, view: file.view() }).collect();
    if let Some(set) = set {
        return set.check(&parts);
    }
    if let [file] = files {
        // A file that is all of its set, or that was merged by a program that leaves the keys there, is whole.
        let whole = matches!(file.number("split.count"), Some(0 | 1));
        let plain = wanted == Wanted::Any && file.view().find("split.count").is_none();
        if whole || plain {
            return Vec::new();
        }
    }
    check_shards(&parts)
}

fn several(paths: &[PathBuf]) -> Reason {
    let named: Vec<_> = paths.iter().take(4).map(|path| out::path(path)).collect();
    let more = if paths.len() > named.len() { ", …" } else { "" };
    Reason::new("several-models", format!("these are files of several models: {}{more}", named.join(", ")))
        .with_help("name any one member of the set that is meant")
}

/// Pieces that are no files by themselves, by their names: `model.gguf.part1of2`.
fn cut_by_bytes(paths: &[PathBuf]) -> Option<Reason> {
    let is_piece = |path: &&PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).map(parse_lenient);
        name.and_then(|name| name.shard).is_some_and(|shard| shard.style == ShardStyle::Bytes)
    };
    let piece = paths.iter().find(is_piece)?;
    let text = "is named like a piece of a file that was cut by bytes: no shard, and no GGUF by itself";
    Some(
        Reason::new("cut-by-bytes", text)
            .about(piece)
            .with_help("such pieces are joined in their order: `cat model.gguf.part* > model.gguf`"),
    )
}

/// A file in which another one begins.
fn joined(file: &File) -> Option<Reason> {
    let at = file.diagnosis.joined?;
    let text = format!("a second GGUF begins at offset {at:#x}: files were joined with cat");
    let reason = Reason::new("joined-files", text).about(&file.path);
    Some(reason.with_help(
        "`gguf repair FILE --separate -o FOLDER` cuts the file apart there; merge what comes of it",
    ))
}

/// Opens all, or tells of all that cannot be.
fn open_all(paths: Vec<PathBuf>, options: Options) -> Result<Vec<File>, Stop> {
    let mut files = Vec::new();
    let mut failed = Vec::new();
    for path in paths {
        match open(&path, options) {
            Ok(file) => files.push(file),
            Err(failure) => failed.push(Failed { path, failure }),
        }
    }
    if failed.is_empty() { Ok(files) } else { Err(Stop::Failed(failed)) }
}

fn open(path: &Path, options: Options) -> Result<File, Failure> {
    refuse_pipe(path).map_err(Failure::Io)?;
    let stamp = inplace::Stamp::of(path).ok();
    let source = frame::source(path).map_err(Failure::Io)?;
    let Some(size) = source.size() else {
        return Err(Failure::Io(io::Error::new(
            io::ErrorKind::NotSeekable,
            "is no file that can be read at any position",
        )));
    };
    let mut buffer = HeadBuffer::new();
    let read = buffer.read(&source, options).map_err(Failure::Io)?;
    frame::settled(path, stamp).map_err(Failure::Io)?;
    let diagnosis = diagnose(&source, options, &read, buffer.bytes()).map_err(Failure::Io)?;
    match (read.index, read.error) {
        (Some(index), None) => {
            let file =
                File { path: path.to_owned(), source, index, head: buffer.into_bytes(), size, diagnosis };
            Ok(file)
        }
        (index, Some(error)) => Err(Failure::of_parse(error, index.as_ref(), &diagnosis)),
        (None, None) => Err(Failure::Io(io::ErrorKind::InvalidData.into())),
    }
}
