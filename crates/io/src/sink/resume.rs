//! Writing that can be continued: what was written stays beside its place, with a list of the sections that are whole.
//!
//! Beside `NAME` there are `.NAME.resume`, the file as far as it is, and `.NAME.resume.log`, a line for each section. Neither is
//! believed. The list has to be of the same settings; a section has to have the bytes that its line tells, and what it was made
//! of has to be in the source still. From the first section on of which that is not so, everything is written anew. So nothing
//! has to reach the disk in any order: what a loss of power took is found missing.
//! What stands there and is no such pair is somebody else's: it is refused, and never written to.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::Hasher as _;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use ggufkit_format::{Plan, ReadAt, Span};
use twox_hash::XxHash64;

use super::part::PartFile;
use super::work::{Direct, Work};
use super::{Output, Place, SinkError, Stage, failed, write_range};
use crate::file::{FileSource, read_full};
use crate::identity::FileId;
use crate::joined::Files;
use crate::platform;

/// What the first line of a list begins with.
const MAGIC: &str = "ggufkit resume 1";

/// Bytes that are read at once.
const BUFFER: usize = 1 << 20;

/// Bytes of a list at most: what is longer is none of ours.
const LONGEST: u64 = 64 << 20;

/// A stretch of a file that is taken over as a whole or not at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Section {
    /// Where it ends; it begins where the one before it ends.
    pub end: u64,
    /// The bytes of the source that it is made of, beside the settings.
    pub from: Span,
}

/// What has to be the same for something to be taken over.
#[derive(Clone, Copy, Debug)]
pub struct Resume<'a> {
    /// All that decides about the bytes beside the source.
    pub settings: &'a [u8],
    /// Files that decide, too, and are no part of the source.
    pub beside: &'a [&'a FileSource],
    /// The sections of each output, in their order.
    pub sections: &'a [&'a [Section]],
}

impl Resume<'_> {
    /// What stands in the first line.
    fn mark(&self, plan: &Plan) -> io::Result<u64> {
        let mut hasher = XxHash64::with_seed(plan.len());
        hasher.write(self.settings);
        let mut buffer = vec![0; BUFFER];
        for file in self.beside {
            let size = file.size().ok_or(io::ErrorKind::NotSeekable)?;
            hasher.write_u64(size);
            hash(*file, Span::new(0, size), &mut buffer, &mut hasher)?;
        }
        Ok(hasher.finish())
    }
}

/// The list beside a file.
#[derive(Debug)]
pub(super) struct Log {
    file: File,
    path: PathBuf,
}

impl Log {
    /// It is of no use any more.
    pub(super) fn forget(self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// A file that is kept beside its place until it is whole.
#[derive(Debug)]
pub(super) struct Kept {
    part: PartFile,
    log: Log,
    /// Bytes that are taken over, and the sections that they are.
    begin: u64,
    sections: usize,
}

fn name(target: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(end);
    target.with_file_name(name)
}

/// Opens a file of ours, or makes it.
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

fn not_ours(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("it is there, and {why}: move it away"))
}

/// Whether what stands at a path is what an earlier run left there: a file of one name, that is none of those which are read.
/// What is somebody else's is never written to.
fn look<S: Files + ?Sized>(path: &Path, source: &S, resume: &Resume<'_>) -> io::Result<bool> {
    let there = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        other => other?,
    };
    if !there.is_file() {
        return Err(not_ours("is no regular file"));
    }
    let id = FileId::at(path)?;
    let read = (0..source.file_count()).filter_map(|number| source.file_at(number));
    for file in read.chain(resume.beside.iter().copied()) {
        if Some(FileId::of(file)?) == id {
            return Err(not_ours("is one of the files that are read"));
        }
    }
    if platform::names(&there) > 1 {
        return Err(not_ours("has other names"));
    }
    Ok(true)
}

/// Looks at both files before either is opened for writing: what is kept has a list, and a list says what it is.
fn look_at_both<S: Files + ?Sized>(
    beside: &Path,
    log: &Path,
    source: &S,
    resume: &Resume<'_>,
) -> Result<(), SinkError> {
    let failed_at =
        |path: &Path, error| SinkError::Write { path: path.to_owned(), doing: "use", source: error };
    let kept = look(beside, source, resume).map_err(|error| failed_at(beside, error))?;
    let listed = look(log, source, resume).map_err(|error| failed_at(log, error))?;
    let mut first = Vec::new();
    if listed {
        let read = File::open(log).and_then(|log| log.take(MAGIC.len() as u64).read_to_end(&mut first));
        read.map_err(|error| failed_at(log, error))?;
    }
    if !first.is_empty() && first != MAGIC.as_bytes() {
        return Err(failed_at(log, not_ours("is no list of an interrupted run")));
    }
    let bytes = if kept { fs::metadata(beside).map_or(0, |there| there.len()) } else { 0 };
    if bytes > 0 && !listed {
        return Err(failed_at(beside, not_ours("no list beside it says that an interrupted run left it")));
    }
    Ok(())
}

impl Kept {
    /// Opens what is beside the target, and looks how much of it is to be taken over.
    pub(super) fn open<S: Files + ?Sized>(
        output: &Output<'_>,
        source: &S,
        resume: &Resume<'_>,
        number: usize,
        work: &mut Work<'_, '_>,
    ) -> Result<Self, SinkError> {
        let Output { plan, target } = *output;
        work.begin(target);
        work.tell(Stage::Create)?;
        let failed = |error| failed(target, "create", error);
        if target.file_name().is_none() {
            return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, "the path names no file")));
        }
        let (beside, path) = (name(target, ".resume"), name(target, ".resume.log"));
        look_at_both(&beside, &path, source, resume)?;
        let file = open(&beside).map_err(failed)?;
        let busy = || failed(io::Error::new(io::ErrorKind::ResourceBusy, "another process is writing it"));
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(busy());
        }
        // Who had the lock may have given the file its name: then it is no longer the one beside it.
        let own = FileId::of_file(&file, &beside).map_err(failed)?;
        if FileId::at(&beside).map_err(failed)? != Some(own) {
            return Err(busy());
        }
        let one = file.metadata().map_err(failed)?;
        if platform::names(&one) > 1 {
            return Err(busy());
        }
        let mut log = Log { file: open(&path).map_err(failed)?, path };
        let mark = resume.mark(plan).map_err(failed)?;
        let sections = resume.sections.get(number).copied().unwrap_or_default();
        let (whole, begin, len) = taken(&mut log.file, &file, source, mark, sections).map_err(failed)?;
        file.set_len(begin).map_err(failed)?;
        log.file.set_len(len).map_err(failed)?;
        log.file.seek(SeekFrom::Start(len)).map_err(failed)?;
        if len == 0 {
            log.file.write_all(format!("{MAGIC} {mark:016x}\n").as_bytes()).map_err(failed)?;
        }
        (&file).seek(SeekFrom::Start(begin)).map_err(failed)?;
        work.skip_to(begin);
        Ok(Self { part: PartFile::kept(file, beside, target), log, begin, sections: whole })
    }

    /// Bytes that are taken over.
    pub(super) fn begin(&self) -> u64 {
        self.begin
    }

    pub(super) fn part(&self) -> &PartFile {
        &self.part
    }

    /// Writes the rest, section by section.
    pub(super) fn write<S: Files + ?Sized>(
        &mut self,
        output: &Output<'_>,
        source: &S,
        resume: &Resume<'_>,
        number: usize,
        work: &mut Work<'_, '_>,
        direct: &mut Direct,
    ) -> Result<(), SinkError> {
        let Output { plan, target } = *output;
        let failed = |error| failed(target, "write", error);
        let sections = resume.sections.get(number).copied().unwrap_or_default();
        let mut buffer = vec![0; BUFFER];
        let mut at = self.begin;
        let mut place = Place { done: at, ..Place::default() };
        for section in sections.iter().skip(self.sections) {
            let range = Span::between(at, section.end.min(plan.len()));
            write_range((plan, &mut place), range.end(), source, self.part.file(), work, direct)?;
            let line = line(self.part.file(), source, range, section, &mut buffer).map_err(failed)?;
            self.log.file.write_all(line.as_bytes()).map_err(failed)?;
            at = range.end();
        }
        write_range((plan, &mut place), plan.len(), source, self.part.file(), work, direct)
    }

    pub(super) fn done(self) -> (PartFile, Log) {
        (self.part, self.log)
    }
}

/// What stands in the list for a section that is whole.
fn line<S: Files + ?Sized>(
    file: &File,
    source: &S,
    range: Span,
    section: &Section,
    buffer: &mut [u8],
) -> io::Result<String> {
    let mut of = XxHash64::with_seed(section.end);
    hash(source, section.from, buffer, &mut of)?;
    let mut is = XxHash64::with_seed(section.end);
    hash(&Written(file), range, buffer, &mut is)?;
    Ok(format!("{:016x} {:016x}\n", of.finish(), is.finish()))
}

/// The sections that are whole: how many, where the last of them ends, and how long the list is up to there.
fn taken<S: Files + ?Sized>(
    log: &mut File,
    file: &File,
    source: &S,
    mark: u64,
    sections: &[Section],
) -> io::Result<(usize, u64, u64)> {
    let mut text = Vec::new();
    log.take(LONGEST).read_to_end(&mut text)?;
    let mut lines = text.split_inclusive(|byte| *byte == b'\n');
    let first = format!("{MAGIC} {mark:016x}\n");
    if lines.next() != Some(first.as_bytes()) {
        return Ok((0, 0, 0));
    }
    let size = file.metadata()?.len();
    let mut buffer = vec![0; BUFFER];
    let (mut whole, mut at, mut len) = (0_usize, 0_u64, first.len() as u64);
    for (section, said) in sections.iter().zip(lines) {
        let range = Span::between(at, section.end);
        if range.end() > size || line(file, source, range, section, &mut buffer)?.as_bytes() != said {
            break;
        }
        whole = whole.saturating_add(1);
        at = section.end;
        len = len.saturating_add(said.len() as u64);
    }
    Ok((whole, at, len))
}

/// A file that is being written, read by position.
struct Written<'a>(&'a File);

impl ReadAt for Written<'_> {
    type Error = io::Error;

    fn size(&self) -> Option<u64> {
        None
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        platform::read_at(self.0, buffer, offset)
    }
}

fn hash<S: ReadAt<Error = io::Error> + ?Sized>(
    source: &S,
    span: Span,
    buffer: &mut [u8],
    hasher: &mut XxHash64,
) -> io::Result<()> {
    let mut at = span.start;
    while at < span.end() {
        let want = usize::try_from(span.end().saturating_sub(at)).unwrap_or(usize::MAX).min(buffer.len());
        let part = buffer.get_mut(..want).unwrap_or_default();
        let read = read_full(source, part, at)?;
        hasher.write(part.get(..read).unwrap_or_default());
        if read < want {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        at = at.saturating_add(read as u64);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sink::{Progress, Terms, save_or_resume, unwatched};
    use std::cell::Cell;

    const TERMS: Terms = Terms { replace: false, sync: true };

    struct Case {
        folder: tempfile::TempDir,
        plan: Plan,
        sections: Vec<Section>,
        whole: Vec<u8>,
    }

    impl Case {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let content: Vec<u8> =
                (0..3_000_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
            fs::write(folder.path().join("in"), &content).unwrap();
            let mut plan = Plan::new();
            plan.literal(b"head").unwrap();
            let mut sections = Vec::new();
            for (start, len) in [(2_000_000, 1_000_000), (10, 70_001), (500_000, 1_400_000), (80_000, 3)] {
                let from = Span::new(start, len);
                plan.copy(from).unwrap();
                sections.push(Section { end: plan.len(), from });
                plan.zeros(5).unwrap();
            }
            let whole = plan.render(&content).unwrap();
            Self { folder, plan, sections, whole }
        }

        fn run(&self, settings: &[u8], watch: &mut super::super::Watch<'_>) -> Result<u64, SinkError> {
            let source = FileSource::open(self.folder.path().join("in")).unwrap();
            let target = self.target();
            let outputs = [Output { plan: &self.plan, target: &target }];
            let resume = Resume { settings, beside: &[], sections: &[&self.sections] };
            save_or_resume(&outputs, &source, TERMS, &resume, watch)
        }

        fn target(&self) -> PathBuf {
            self.folder.path().join("out")
        }

        fn names(&self) -> Vec<String> {
            let entries = fs::read_dir(self.folder.path()).unwrap();
            let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        }
    }

    fn stop_after(steps: usize) -> impl FnMut(Progress) -> io::Result<()> {
        let left = Cell::new(steps);
        move |_| match left.get().checked_sub(1) {
            Some(rest) => {
                left.set(rest);
                Ok(())
            }
            None => Err(io::ErrorKind::Interrupted.into()),
        }
    }

    #[test]
    fn what_an_interrupted_run_did_not_leave_is_not_written_to() {
        let case = Case::new();
        let input = fs::read(case.folder.path().join("in")).unwrap();
        for beside in [".out.resume", ".out.resume.log"] {
            let beside = case.folder.path().join(beside);
            // The input by another name, a text of somebody's.
            fs::hard_link(case.folder.path().join("in"), &beside).unwrap();
            case.run(b"", &mut unwatched).unwrap_err();
            assert_eq!(fs::read(case.folder.path().join("in")).unwrap(), input);
            fs::remove_file(&beside).unwrap();
            fs::write(&beside, "notes").unwrap();
            case.run(b"", &mut unwatched).unwrap_err();
            assert_eq!(fs::read(&beside).unwrap(), b"notes");
            fs::remove_file(&beside).unwrap();
        }
        assert_eq!(case.names(), ["in"]);
        case.run(b"", &mut unwatched).unwrap();
    }

    #[test]
    fn stopped_at_any_step_and_continued_it_is_the_same_file() {
        let mut took_some = false;
        for steps in 0.. {
            let case = Case::new();
            if case.run(b"s", &mut stop_after(steps)).is_ok() {
                assert!(steps > 5);
                assert!(took_some);
                return;
            }
            // After the name is given nothing is left to do but to make it durable.
            if !case.target().exists() {
                let expected: &[&str] =
                    if steps == 0 { &["in"] } else { &[".out.resume", ".out.resume.log", "in"] };
                assert_eq!(case.names(), expected);
                took_some |= case.run(b"s", &mut unwatched).unwrap() > 0;
            }
            assert!(fs::read(case.target()).unwrap() == case.whole, "{steps}");
            assert_eq!(case.names(), ["in", "out"], "{steps}");
        }
    }

    #[test]
    fn what_does_not_prove_itself_is_written_anew() {
        type Harm = fn(&Case);
        let harms: [(&str, &[u8], Harm); 5] = [
            ("other settings", b"t", |_| {}),
            ("a byte that was written", b"s", |case| {
                let path = case.folder.path().join(".out.resume");
                let mut bytes = fs::read(&path).unwrap();
                bytes[1_000_020] ^= 1;
                fs::write(&path, bytes).unwrap();
            }),
            ("the end that was written", b"s", |case| {
                let file =
                    OpenOptions::new().write(true).open(case.folder.path().join(".out.resume")).unwrap();
                file.set_len(1_000_100).unwrap();
            }),
            ("the list", b"s", |case| {
                let path = case.folder.path().join(".out.resume.log");
                let mut bytes = fs::read(&path).unwrap();
                let last = bytes.len() - 1;
                bytes.truncate(last);
                fs::write(&path, bytes).unwrap();
            }),
            ("no file", b"s", |case| fs::remove_file(case.folder.path().join(".out.resume")).unwrap()),
        ];
        for (what, settings, harm) in harms {
            let case = Case::new();
            case.run(b"s", &mut stop_after(2)).unwrap_err();
            harm(&case);
            let taken = case.run(settings, &mut unwatched).unwrap();
            assert!(taken <= 1_000_004, "{what}: {taken}");
            assert!(fs::read(case.target()).unwrap() == case.whole, "{what}");
        }
        // Without its list it may be anybody's.
        let case = Case::new();
        case.run(b"s", &mut stop_after(2)).unwrap_err();
        fs::remove_file(case.folder.path().join(".out.resume.log")).unwrap();
        let kept = fs::read(case.folder.path().join(".out.resume")).unwrap();
        case.run(b"s", &mut unwatched).unwrap_err();
        assert!(fs::read(case.folder.path().join(".out.resume")).unwrap() == kept);
        // A source that has changed since.
        let case = Case::new();
        case.run(b"s", &mut stop_after(2)).unwrap_err();
        let path = case.folder.path().join("in");
        let mut bytes = fs::read(&path).unwrap();
        bytes[2_000_000] ^= 1;
        fs::write(&path, &bytes).unwrap();
        assert_eq!(case.run(b"s", &mut unwatched).unwrap(), 0);
        assert!(fs::read(case.target()).unwrap() == case.plan.render(&bytes).unwrap());
    }

    #[test]
    fn a_file_that_is_there_is_kept_and_so_is_what_was_made() {
        let case = Case::new();
        fs::write(case.target(), b"theirs").unwrap();
        assert!(matches!(case.run(b"s", &mut unwatched), Err(SinkError::Exists(_))));
        assert_eq!(fs::read(case.target()).unwrap(), b"theirs");
    }
}
