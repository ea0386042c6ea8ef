//! From arguments to documents: what every command that looks at files does around its own question.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use ggufkit::format::{ByteStr, Index, Outcome, View};
use ggufkit::inspect::summary::MAX_LISTED;
use ggufkit::inspect::{Model, Part};
use ggufkit::io::{
    Diagnosis, Expand, Expansion, FileSource, HeadBuffer, Input, InputError, ShardProblem, ShardSet,
    diagnose, expand_with_skipped,
    inplace::{self, InPlaceError},
};

use crate::args::{HowArgs, InputArgs, ReadArgs};
use crate::failure::{Failed, Failure};
use crate::out::{self, Ink, Out};
use crate::{input, json, stdout};

/// One file that was opened and whose head was read as far as it goes.
pub(crate) struct PartDoc<'a> {
    /// The name as given, escaped.
    pub(crate) label: String,
    /// The path, for a file.
    pub(crate) path: Option<PathBuf>,
    /// The file's name, where it is text.
    pub(crate) file_name: Option<String>,
    /// Length of the file in bytes.
    pub(crate) size: Option<u64>,
    /// What the reading found.
    pub(crate) outcome: Outcome,
    /// The head's bytes, from the magic on.
    pub(crate) head: &'a [u8],
    /// What else there is to say about the file.
    pub(crate) diagnosis: Diagnosis,
    /// The file, for reading tensor data.
    pub(crate) source: Option<FileSource>,
}

impl PartDoc<'_> {
    /// The view, where at least the header was read.
    pub(crate) fn view(&self) -> Option<View<'_>> {
        self.outcome.index.as_ref().map(|index| View::new(index, self.head))
    }

    /// The name as given, byte for byte.
    pub(crate) fn name(&self) -> ByteStr<'_> {
        json::bytes_of(self.path.as_deref().unwrap_or(Path::new("-")))
    }

    /// The index, where at least the header was read.
    pub(crate) fn index(&self) -> Option<&Index> {
        self.outcome.index.as_ref()
    }
}

/// What a command answers about: a file, or a shard set.
pub(crate) struct Document<'a> {
    /// The name as given, escaped: for people.
    pub(crate) label: &'a str,
    /// The name as given, byte for byte: for programs.
    pub(crate) path: ByteStr<'a>,
    /// The same as a path.
    pub(crate) given: &'a Path,
    /// Its files; only those that could be opened.
    pub(crate) parts: &'a [PartDoc<'a>],
    /// The heads as a model; `None` when no header could be read.
    pub(crate) model: Option<Model<'a>>,
    /// The shard set, where it is one.
    pub(crate) set: Option<&'a ShardSet>,
    /// The set's files that are missing, as many of them as are ever listed.
    pub(crate) missing: &'a [PathBuf],
    /// What is wrong with the set.
    pub(crate) problems: &'a [ShardProblem],
    /// What went wrong, with the file it is about.
    pub(crate) failures: &'a [Failed],
}

impl<'a> Document<'a> {
    /// What ended the reading of a file that was opened.
    pub(crate) fn failure_of(&self, part: &PartDoc<'_>) -> Option<&'a Failure> {
        part.outcome.error.as_ref()?;
        self.failures.iter().find(|failed| failed.name() == part.name()).map(|failed| &failed.failure)
    }

    /// The files that could not be opened.
    pub(crate) fn unopened(&self) -> impl Iterator<Item = &'a Failed> {
        let opened = |failed: &Failed| self.parts.iter().any(|part| part.name() == failed.name());
        self.failures.iter().filter(move |failed| !opened(failed))
    }

    /// What is wrong with the shard set, as JSON, for the field `problems`.
    pub(crate) fn problems_json(&self) -> Vec<serde_json::Value> {
        let one = |problem: &ShardProblem| serde_json::json!({ "code": problem.code(), "message": problem.to_string(), "fatal": problem.is_fatal() });
        self.problems.iter().map(one).collect()
    }

    /// The first of its files that somebody has written to since it was opened: what was read of its data by then is of no
    /// one state of it.
    pub(crate) fn changed(&self) -> Option<Failed> {
        let sources = self.parts.iter().filter_map(|part| part.source.as_ref());
        sources.into_iter().find_map(|source| {
            let failure = unchanged(source).err()?;
            Some(Failed { path: source.path().to_owned(), failure })
        })
    }

    /// All failures as JSON, each with its file, for the field `errors`.
    pub(crate) fn errors_json(&self) -> Vec<serde_json::Value> {
        self.failures.iter().map(Failed::json).collect()
    }
}

/// Buffers that are used again for every file.
#[derive(Default)]
struct Pool(Vec<HeadBuffer>);

impl Pool {
    fn take(&mut self, n: usize) -> &mut [HeadBuffer] {
        // A set's many buffers are let go when a single file follows.
        self.0.truncate(n.max(1));
        self.0.resize_with(n.max(1), HeadBuffer::new);
        &mut self.0
    }
}

/// Reads every input and hands each to `answer`; then reports the failures. Returns whether there were none.
///
/// `quiet` leaves the reporting to `answer` (JSON output carries failures itself).
///
/// # Errors
/// Only the output's; what goes wrong with an input is reported, and the next one is read.
pub(crate) fn each(
    out: &mut Out,
    inputs: &InputArgs,
    read: &ReadArgs,
    quiet: bool,
    mut answer: impl FnMut(&mut Out, &Document<'_>) -> io::Result<()>,
) -> io::Result<bool> {
    let expansion = match expand(&inputs.files, &inputs.how.expand()) {
        Ok(expansion) => expansion,
        Err(error) => {
            let failures = [no_input(error, &inputs.files, &inputs.how)];
            if quiet {
                // A document of no file, so that the answer for a program says why there is none.
                answer(out, &nothing(&failures))?;
            } else {
                report(out, &failures)?;
            }
            return Ok(false);
        }
    };
    if !prepare(out, &expansion.inputs)? {
        return Ok(false);
    }
    for skipped in &expansion.skipped {
        out.message(Ink::Warn, "skipped", &skipped.to_string())?;
    }
    let mut pool = Pool::default();
    let mut good = true;
    for input in &expansion.inputs {
        let (paths, set): (Vec<Option<&Path>>, _) = match input {
            Input::Stdin => (vec![None], None),
            Input::File(path) => (vec![Some(path.as_path())], None),
            Input::Set(set) => (set.present().map(Some).collect(), Some(set)),
        };
        let given = match input {
            Input::Stdin => Path::new("-"),
            Input::File(path) => path,
            Input::Set(set) => set.given(),
        };
        let label = out::path(given);
        let mut failures = Vec::new();
        let mut parts = Vec::new();
        for (path, buffer) in paths.iter().zip(pool.take(paths.len())) {
            match open(*path, read, buffer) {
                Ok(part) => parts.push(part),
                Err(error) => {
                    let path = path.unwrap_or(Path::new("-")).to_owned();
                    failures.push(Failed { path, failure: Failure::Io(error) });
                }
            }
        }
        for part in &parts {
            if let Some(error) = &part.outcome.error {
                let failure = Failure::of_parse(error.clone(), part.outcome.index.as_ref(), &part.diagnosis);
                let path = part.path.clone().unwrap_or_else(|| "-".into());
                failures.push(Failed { path, failure });
            }
        }
        let views: Vec<Part<'_>> = parts
            .iter()
            .filter_map(|part| {
                Some(Part {
                    label: part.name(),
                    file_name: part.file_name.as_deref(),
                    size: part.size,
                    view: part.view()?,
                })
            })
            .collect();
        let problems = set.map(|set| set.check(&parts_of(&parts))).unwrap_or_default();
        let missing: Vec<_> = set.map(|set| set.missing().take(MAX_LISTED).collect()).unwrap_or_default();
        let document = Document {
            label: &label,
            path: json::bytes_of(given),
            given,
            parts: &parts,
            model: Model::of_shards(&views),
            set,
            missing: &missing,
            problems: &problems,
            failures: &failures,
        };
        answer(out, &document)?;
        good &= failures.is_empty();
        if !quiet {
            report(out, &failures)?;
        }
    }
    Ok(good)
}

/// Begins the answer of the next document: a line apart from the one before, under its name where there are `several`.
///
/// # Errors
/// Only the output's.
pub(crate) fn next(out: &mut Out, first: &mut bool, label: &str, several: bool) -> io::Result<()> {
    if !std::mem::replace(first, false) {
        writeln!(out)?;
    }
    if several { out.heading(label) } else { Ok(()) }
}

/// Opens a file to read it, once no change of it is under way.
///
/// # Errors
/// The system's, and [`io::ErrorKind::ResourceBusy`].
pub(crate) fn source(path: &Path) -> io::Result<FileSource> {
    stdout::spare(path)?;
    match inplace::is_pending(path) {
        Ok(true) => Err(io::Error::new(io::ErrorKind::ResourceBusy, why_pending(path))),
        _ => FileSource::open(path),
    }
}

/// Refuses a file that somebody has written to since it was opened.
///
/// # Errors
/// That it was, or the system's.
pub(crate) fn unchanged(source: &FileSource) -> Result<(), Failure> {
    match source.is_changed() {
        Ok(false) => Ok(()),
        Ok(true) => Err(Failure::Usage {
            code: "changed",
            message: format!("{}: was changed while it was read", out::path(source.path())),
            help: Some("run the command again".to_owned()),
        }),
        Err(error) => Err(Failure::Io(error)),
    }
}

/// Why a file is not read, and what helps.
fn why_pending(path: &Path) -> String {
    let error = match inplace::pending(path) {
        Ok(_) => {
            return "a change of it is under way or was interrupted; `gguf recover` takes it back".to_owned();
        }
        Err(error) => error,
    };
    // The file is named before.
    let why = match &error {
        InPlaceError::Unfit { .. } => {
            "a change of it was interrupted, and something else has changed it since".to_owned()
        }
        InPlaceError::OtherFile { .. } => {
            "a change was interrupted, and the record of it is of another file than this".to_owned()
        }
        InPlaceError::Elsewhere { record, .. } => {
            format!("a change of it was interrupted, and the record {} is not there", out::path(record))
        }
        other => format!("a change of it was interrupted, and {other}"),
    };
    match advice(&error) {
        Some(advice) => format!("{why}: {advice}"),
        None => why,
    }
}

/// What helps where a record is of no use as it stands.
pub(crate) fn advice(error: &InPlaceError) -> Option<&'static str> {
    Some(match error {
        InPlaceError::Damaged(record) | InPlaceError::Foreign(record) if is_kept(record) => {
            "`gguf undo --forget` deletes it, and the file stays as it is"
        }
        InPlaceError::Damaged(_) | InPlaceError::Unfit { .. } => {
            "`gguf recover --discard` takes the file as it stands, and sets the record aside"
        }
        InPlaceError::OtherFile { alike: true, .. } => {
            "it may be a copy that was made in the middle of a change; `gguf recover --discard` takes it as it stands"
        }
        InPlaceError::OtherFile { .. } => "`gguf recover` sets the record aside",
        InPlaceError::Elsewhere { .. } => {
            "move the record into the folder of the file, then `gguf recover`; `gguf recover --discard` takes the file as it \
             stands"
        }
        InPlaceError::Foreign(_) => {
            "its owner can `gguf recover` the file; `gguf recover --discard` takes it as it stands"
        }
        InPlaceError::Unmarkable { .. } => "-o writes another file",
        _ => return None,
    })
}

/// Whether a record is one of a change that was done, which keeps nobody from reading the file.
fn is_kept(record: &Path) -> bool {
    record.as_os_str().as_encoded_bytes().ends_with(b".ggufkit-undo")
}

/// Whether what was read from a file since a stamp is of one file: no change of it has begun or ended meanwhile.
///
/// # Errors
/// [`io::ErrorKind::ResourceBusy`] where it is not.
pub(crate) fn settled(path: &Path, before: Option<inplace::Stamp>) -> io::Result<()> {
    match inplace::Stamp::of(path).ok() == before {
        true => Ok(()),
        false => {
            let text = "it was changed while it was read; run the command again";
            Err(io::Error::new(io::ErrorKind::ResourceBusy, text))
        }
    }
}

/// What there is to say where the new file that has taken the place of `source` is somebody else's: not everybody may give
/// files away.
pub(crate) fn owner_note(source: &FileSource) -> Option<String> {
    let alike = ggufkit::io::is_owned_alike(source).unwrap_or(true);
    (!alike).then(|| "the new file has another owner or group than the old one".to_owned())
}

/// Takes back changes of these files that were interrupted, and says so. Where that cannot be, [`source`] refuses the file.
///
/// # Errors
/// The output's.
pub(crate) fn recover<'a>(out: &mut Out, paths: impl Iterator<Item = &'a Path>) -> io::Result<()> {
    let paths: Vec<_> = paths.collect();
    // Of several files none is touched where one of them cannot be read for this: opening them tells so.
    if paths.iter().any(|path| stdout::spare(path).is_err()) {
        return Ok(());
    }
    for path in paths {
        if matches!(inplace::is_pending(path), Ok(true))
            && matches!(inplace::recover(path, &mut inplace::unwatched), Ok(true))
        {
            let text = "a change of it had been interrupted and was taken back";
            out.message(Ink::Warn, "warning", &format!("{}: {text}", out::path(path)))?;
        }
    }
    Ok(())
}

/// Gets ready to read these files: none is written to by standard output, and none is half changed. False where nothing
/// can be read.
///
/// # Errors
/// The output's.
pub(crate) fn prepare(out: &mut Out, inputs: &[Input]) -> io::Result<bool> {
    if is_written_to(out, inputs)? {
        return Ok(false);
    }
    for input in inputs {
        match input {
            Input::Stdin => {}
            Input::File(path) => recover(out, [path.as_path()].into_iter())?,
            Input::Set(set) => recover(out, set.present())?,
        }
    }
    Ok(true)
}

/// Whether standard output leads into one of the files that are to be read. Then it is closed before anything reaches it,
/// and the file is named on standard error.
///
/// # Errors
/// The output's.
pub(crate) fn is_written_to(out: &mut Out, inputs: &[Input]) -> io::Result<bool> {
    let found = inputs.iter().find_map(|input| match input {
        Input::Stdin => Some(Path::new("-")).filter(|path| stdout::leads_to(path)),
        Input::File(path) => Some(path.as_path()).filter(|path| stdout::leads_to(path)),
        Input::Set(set) => set.present().chain([set.given()]).find(|path| stdout::leads_to(path)),
    });
    let Some(Err(error)) = found.map(stdout::spare) else { return Ok(false) };
    out.close();
    let path = found.unwrap_or(Path::new("-"));
    out.message(Ink::Bad, "error", &format!("{}: {error}", out::path(path)))?;
    Ok(true)
}

/// From arguments to inputs; the list of files, where there is one, is a file that is read.
///
/// # Errors
/// See [`InputError`].
pub(crate) fn expand(files: &[OsString], how: &Expand) -> Result<Expansion, InputError> {
    if let Some(list) = &how.files_from {
        let path = Path::new(list);
        stdout::spare(path).map_err(|source| InputError::List { path: path.to_owned(), source })?;
    }
    expand_with_skipped(files, how)
}

/// An expansion that failed, with the file it failed at: the first argument, where it is about none.
pub(crate) fn no_input(error: InputError, files: &[OsString], how: &HowArgs) -> Failed {
    let path = match &error {
        InputError::List { path, .. }
        | InputError::ListNotText { path, .. }
        | InputError::Directory { path, .. }
        | InputError::NoFiles { path, .. } => path.clone(),
        _ => files.first().or(how.files_from.as_ref()).map(PathBuf::from).unwrap_or_default(),
    };
    Failed { path, failure: Failure::Input(error) }
}

/// The document of an input that no file came of.
fn nothing<'a>(failures: &'a [Failed]) -> Document<'a> {
    let path = failures.first().map_or(ByteStr(b"-"), Failed::name);
    let given = failures.first().map_or(Path::new("-"), |failed| &failed.path);
    Document {
        label: "-",
        path,
        given,
        parts: &[],
        model: None,
        set: None,
        missing: &[],
        problems: &[],
        failures,
    }
}

/// Says on standard error what is wrong with a shard set: an answer from some of its files is not about all of them.
///
/// # Errors
/// The output's.
pub(crate) fn report_problems(out: &mut Out, document: &Document<'_>) -> io::Result<()> {
    document
        .problems
        .iter()
        .try_for_each(|problem| out.message(Ink::Warn, "warning", &format!("{}: {problem}", document.label)))
}

/// Says on standard error which files could not be opened.
///
/// # Errors
/// The output's.
pub(crate) fn report_unopened(out: &mut Out, document: &Document<'_>) -> io::Result<()> {
    document.unopened().try_for_each(|failed| out.message(Ink::Bad, "error", &failed.to_string()))
}

/// Says why a call as a whole comes to nothing: as the document, or on standard error.
///
/// # Errors
/// The output's.
pub(crate) fn refuse(out: &mut Out, command: &str, json: bool, failure: &Failure) -> io::Result<()> {
    if json {
        return json::refusal(out, command, failure);
    }
    out.message(Ink::Bad, "error", &failure.to_string())?;
    notes(out, failure)
}

/// Reports failures on standard error; what two of them say alike is said once.
///
/// # Errors
/// The output's.
pub(crate) fn report<'f>(out: &mut Out, failures: impl IntoIterator<Item = &'f Failed>) -> io::Result<()> {
    let mut said = HashSet::new();
    let mut fresh = |failed: &&Failed| said.insert(failed.to_string());
    failures
        .into_iter()
        .filter(&mut fresh)
        .try_for_each(|failed| report_of(out, &failed.path, &failed.failure))
}

/// Reports one failure with the file it is about.
///
/// # Errors
/// The output's.
pub(crate) fn report_of(out: &mut Out, path: &Path, failure: &Failure) -> io::Result<()> {
    out.message(Ink::Bad, "error", &failure.of(path).to_string())?;
    notes(out, failure)
}

fn notes(out: &mut Out, failure: &Failure) -> io::Result<()> {
    failure
        .notes()
        .into_iter()
        .try_for_each(|(word, text)| out.message(Ink::Faint, &format!("  {word}"), &text))
}

fn open<'a>(path: Option<&Path>, read: &ReadArgs, buffer: &'a mut HeadBuffer) -> io::Result<PartDoc<'a>> {
    let options = read.options();
    let Some(path) = path else {
        let outcome = buffer.read_stream(&mut io::stdin().lock(), options)?;
        let diagnosis = ggufkit::io::diagnose_stream(options, &outcome, buffer.bytes());
        return Ok(PartDoc {
            label: "-".to_owned(),
            path: None,
            file_name: None,
            size: None,
            outcome,
            head: buffer.bytes(),
            diagnosis,
            source: None,
        });
    };
    if read.anywhere {
        input::refuse_pipe(path)?;
    }
    let stamp = inplace::Stamp::of(path).ok();
    let source = source(path)?;
    let outcome = buffer.read(&source, options)?;
    settled(path, stamp)?;
    let diagnosis = diagnose(&source, options, &outcome, buffer.bytes())?;
    use ggufkit::format::ReadAt as _;
    Ok(PartDoc {
        label: out::path(path),
        path: Some(path.to_owned()),
        file_name: path.file_name().and_then(|name| name.to_str()).map(str::to_owned),
        size: source.size(),
        outcome,
        head: buffer.bytes(),
        diagnosis,
        source: Some(source),
    })
}

fn parts_of<'a>(parts: &'a [PartDoc<'a>]) -> Vec<ggufkit::io::ShardPart<'a>> {
    parts
        .iter()
        .filter_map(|part| Some(ggufkit::io::ShardPart { path: part.path.as_deref()?, view: part.view()? }))
        .collect()
}
