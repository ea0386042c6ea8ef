//! Writing that can be continued: what was written stays beside its place, with a list of the sections that are whole.
//!
//! Beside `NAME` there are `.NAME.resume`, the file as far as it is, and `.NAME.resume.log`, a line for each section. Neither is
//! believed. The list has to be of the same settings; a section has to have the bytes that its line tells, and what it was made
//! of has to be in the source still. From the first section on of which that is not so, everything is written anew. So nothing
//! has to reach the disk in any order: what a loss of power took is found missing.
//! What stands there and is no such pair is somebody else's: it is refused, and never written to. So is a pair of which a section
//! was finished by other settings: it may be hours of work, and who has it decides about it.
//!
//! Lists stay until all files of a run have their names. So a file that has its name, and is proved by the list beside it, is one
//! that the run before had finished: it is taken as it stands.

mod left;

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::Hasher as _;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use ggufkit_format::{Piece, Plan, ReadAt, Span};
use twox_hash::XxHash64;

pub use self::left::{Kept, Left, LeftByOther, OtherRun, left_of, look};

use super::part::PartFile;
use super::work::{Direct, Work};
use super::{Output, Place, SinkError, Stage, failed, write_range};
use crate::file::{FileSource, read_full};
use crate::identity::FileId;
use crate::joined::Files;
use crate::platform;

/// What the first line of a list begins with.
const MAGIC: &str = "ggufkit resume";

/// What a list of this program begins with; earlier ones wrote less.
const VERSION: &str = "ggufkit resume 2";

/// Characters of a name of settings.
const NAME: usize = 40;

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
    /// What these are called: a run that is called otherwise can tell whose work it has found.
    pub name: &'a str,
    /// Files that decide, too, and are no part of the source.
    pub beside: &'a [&'a FileSource],
    /// The sections of each output, in their order.
    pub sections: &'a [&'a [Section]],
}

/// What a first line tells, in numbers: all that decides about the bytes but what sections are made of, which their own lines
/// tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Mark {
    settings: u64,
    beside: u64,
    plan: u64,
}

/// What went wrong: with what is read, or with what is kept.
#[derive(Debug)]
pub(super) enum Fault {
    Source(SinkError),
    Kept(io::Error),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Kept(error)
    }
}

impl Fault {
    /// The error of a file that was to be written at this target.
    pub(super) fn at(self, target: &Path, doing: &'static str) -> SinkError {
        match self {
            Self::Source(error) => error,
            Self::Kept(error) => failed(target, doing, error),
        }
    }
}

impl Resume<'_> {
    pub(super) fn mark<S: Files + Sync + ?Sized>(
        &self,
        plan: &Plan,
        source: &S,
        sections: &[Section],
    ) -> Result<Mark, Fault> {
        let mut settings = XxHash64::with_seed(0);
        settings.write(self.settings);
        let mut beside = XxHash64::with_seed(self.beside.len() as u64);
        let mut buffer = vec![0; BUFFER];
        for file in self.beside {
            let size = file.size().ok_or_else(|| io::Error::from(io::ErrorKind::NotSeekable))?;
            beside.write_u64(size);
            let read = hash(*file, Span::new(0, size), &mut buffer, &mut beside)
                .map_err(|error| Fault::Source(failed(file.path(), "read", error)))?;
            if read < size {
                return Err(Fault::Source(SinkError::SourceChanged(file.path().to_owned())));
            }
        }
        let mut hasher = XxHash64::with_seed(plan.len());
        let ends: HashSet<u64> = sections.iter().map(|section| section.end).collect();
        let mut end = 0_u64;
        for piece in plan.pieces() {
            end = end.saturating_add(piece.len());
            match piece {
                Piece::Literal(bytes) => hasher.write(bytes),
                Piece::Zeros(zeros) => hasher.write_u64(*zeros),
                // What a section is made of.
                Piece::Copy(span) if ends.contains(&end) => hasher.write_u64(span.len),
                Piece::Copy(span) => hash_source(source, *span, &mut buffer, &mut hasher)?,
            }
        }
        Ok(Mark { settings: settings.finish(), beside: beside.finish(), plan: hasher.finish() })
    }

    /// The first line of a list.
    fn first_line(&self, mark: &Mark) -> String {
        let name: String = self.name.chars().filter(char::is_ascii_graphic).take(NAME).collect();
        format!("{} {name}\n", numbers(mark))
    }
}

/// The first line without the name.
fn numbers(mark: &Mark) -> String {
    format!("{VERSION} {:016x} {:016x} {:016x}", mark.settings, mark.beside, mark.plan)
}

/// The list beside a file.
#[derive(Debug)]
pub(super) struct Log {
    file: File,
    path: PathBuf,
    /// The file that it is of, which stays locked as long as there is the list.
    _of: Option<File>,
    /// A name that the finished file still has beside its own.
    also: Option<PathBuf>,
}

impl Log {
    /// It is of no use any more.
    pub(super) fn forget(self) {
        let _ = fs::remove_file(&self.path);
        self.also.iter().for_each(|path| _ = fs::remove_file(path));
    }
}

/// A file that was begun, and is kept beside its place until it is whole.
#[derive(Debug)]
pub(super) struct Begun {
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

/// The file as far as it is, and its list.
fn names(target: &Path) -> (PathBuf, PathBuf) {
    (name(target, ".resume"), name(target, ".resume.log"))
}

fn not_ours(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("it is there, and {why}: move it away"))
}

/// Opens what stands at a path, where it may be what an earlier run left there: a file of one name, that is none of those which
/// are read. What is somebody else's is never written to.
fn find<S: Files + Sync + ?Sized>(path: &Path, source: &S, resume: &Resume<'_>) -> io::Result<Option<File>> {
    let file = match platform::open_record(path, true) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other?.ok_or_else(|| not_ours("is no regular file"))?,
    };
    let id = FileId::of_file(&file, path)?;
    let read = (0..source.file_count()).filter_map(|number| source.file_at(number));
    for file in read.chain(resume.beside.iter().copied()) {
        if FileId::of(file)? == id {
            return Err(not_ours("is one of the files that are read"));
        }
    }
    if platform::names(&file.metadata()?) > 1 {
        return Err(not_ours("has other names"));
    }
    Ok(Some(file))
}

/// The error of one of the two names beside a target.
fn unusable(path: &Path) -> impl FnOnce(io::Error) -> SinkError + use<> {
    let path = path.to_owned();
    move |source| SinkError::Write { path, doing: "use", source }
}

/// What stands beside a target.
pub(super) struct Found {
    kept: Option<File>,
    listed: Option<File>,
}

/// Looks at both names beside a target before anything is made or written to: what is kept has a list, and a list says what it
/// is. Neither may be somebody else's.
pub(super) fn found<S: Files + Sync + ?Sized>(
    target: &Path,
    source: &S,
    resume: &Resume<'_>,
) -> Result<Found, SinkError> {
    let (beside, path) = names(target);
    let kept = find(&beside, source, resume).map_err(unusable(&beside))?;
    let listed = find(&path, source, resume).map_err(unusable(&path))?;
    let list = listed.as_ref().map(begins).transpose().map_err(unusable(&path))?.flatten();
    if list == Some(false) {
        return Err(unusable(&path)(not_ours("is no list of an interrupted run")));
    }
    let bytes = kept.as_ref().map(File::metadata).transpose().map_err(unusable(&beside))?;
    if bytes.is_some_and(|there| there.len() > 0) && list.is_none() {
        return Err(unusable(&beside)(not_ours("no list beside it says that an interrupted run left it")));
    }
    Ok(Found { kept, listed })
}

fn make(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).open(path)
}

/// Whether a name still is that of an open file, and of nothing else.
fn is_still(file: &File, path: &Path) -> io::Result<bool> {
    let there = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        other => other?,
    };
    let open = file.metadata()?;
    let same = platform::identity(&there, path)? == platform::identity(&open, path)?;
    Ok(there.is_file() && same && platform::names(&open) == 1)
}

/// Whether a list begins as ours do; `None` where there is nothing in it.
fn begins(list: &File) -> io::Result<Option<bool>> {
    let mut first = [0; MAGIC.len()];
    let read = read_full(&Handle(list), &mut first, 0)?;
    Ok((read > 0).then(|| first.get(..read) == Some(MAGIC.as_bytes())))
}

/// The list of a file that has its name already and is what is planned, to its last byte: a run was ended before it had given
/// all of its files their names, or before it had cleared up.
pub(super) fn placed<S: Files + Sync + ?Sized>(
    output: &Output<'_>,
    source: &S,
    resume: &Resume<'_>,
    number: usize,
    mark: &Mark,
) -> Result<Option<Log>, Fault> {
    let Output { plan, target } = *output;
    if !left_of(target).is_placed {
        return Ok(None);
    }
    let (beside, path) = names(target);
    let Some(mut file) = find(&path, source, resume)? else { return Ok(None) };
    let Some(there) = platform::open_record(target, false)? else { return Ok(None) };
    let sections = resume.sections.get(number).copied().unwrap_or_default();
    if there.metadata()?.len() != plan.len() {
        return Ok(None);
    }
    let taken = taken(&mut file, &there, source, mark, sections)?;
    if taken.whole < sections.len() || !ends_in_zeros(plan, &there, taken.end)? {
        return Ok(None);
    }
    let own = FileId::of_file(&there, target)?;
    let also = (FileId::at(&beside)? == Some(own)).then_some(beside);
    Ok(Some(Log { file, path, _of: None, also }))
}

/// Whether nothing but zeros is planned behind a place, and nothing else is there.
fn ends_in_zeros(plan: &Plan, file: &File, from: u64) -> io::Result<bool> {
    let mut end = 0_u64;
    for piece in plan.pieces() {
        end = end.saturating_add(piece.len());
        if end > from && !matches!(piece, Piece::Zeros(_)) {
            return Ok(false);
        }
    }
    let mut buffer = vec![0; BUFFER];
    let mut at = from;
    while at < plan.len() {
        let read = read_full(&Handle(file), &mut buffer, at)?;
        let bytes = buffer.get(..read).unwrap_or_default();
        if bytes.is_empty() || bytes.iter().any(|byte| *byte != 0) {
            return Ok(false);
        }
        at = at.saturating_add(read as u64);
    }
    Ok(true)
}

impl Begun {
    /// Opens what is beside the target, and looks how much of it is to be taken over.
    pub(super) fn open<S: Files + Sync + ?Sized>(
        output: &Output<'_>,
        source: &S,
        resume: &Resume<'_>,
        number: usize,
        mark: &Mark,
        work: &mut Work<'_, '_>,
    ) -> Result<Self, SinkError> {
        let target = output.target;
        work.begin(target);
        work.tell(Stage::Create)?;
        let failed = |error| failed(target, "create", error);
        if target.file_name().is_none() {
            return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, "the path names no file")));
        }
        let Found { kept, listed } = found(target, source, resume)?;
        let (beside, path) = names(target);
        let busy = || {
            unusable(&beside)(io::Error::new(io::ErrorKind::ResourceBusy, "another process is writing it"))
        };
        let new = |there: Option<File>, path: &Path| match there.map_or_else(|| make(path), Ok) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(busy()),
            other => other.map_err(unusable(path)),
        };
        let file = new(kept, &beside)?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(busy());
        }
        // Who had the lock may have given the file its name, and cleared the list away: then they are no longer those beside it.
        if !is_still(&file, &beside).map_err(unusable(&beside))? {
            return Err(busy());
        }
        let mut list = new(listed, &path)?;
        if !is_still(&list, &path).map_err(unusable(&path))? {
            return Err(busy());
        }
        let sections = resume.sections.get(number).copied().unwrap_or_default();
        let Taken { whole, end: begin, len, is_of_others } =
            taken(&mut list, &file, source, mark, sections).map_err(|fault| fault.at(target, "continue"))?;
        if is_of_others {
            let (bytes, name) = (file.metadata().map_err(unusable(&beside))?.len(), resume.name.to_owned());
            let other = OtherRun::Source;
            return Err(SinkError::LeftByOther(Box::new(LeftByOther {
                paths: [beside, path],
                bytes,
                name,
                other,
            })));
        }
        file.set_len(begin).map_err(failed)?;
        list.set_len(len).map_err(failed)?;
        list.seek(SeekFrom::Start(len)).map_err(failed)?;
        if len == 0 {
            list.write_all(resume.first_line(mark).as_bytes()).map_err(failed)?;
        }
        (&file).seek(SeekFrom::Start(begin)).map_err(failed)?;
        work.skip_to(begin);
        let log = Log { file: list, path, _of: file.try_clone().ok(), also: None };
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
    pub(super) fn write<S: Files + Sync + ?Sized>(
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
            let line = made_of(source, section, &mut buffer)
                .and_then(|of| line(self.part.file(), &of, range, &mut buffer))
                .map_err(|fault| fault.at(target, "write"))?;
            self.log.file.write_all(line.as_bytes()).map_err(failed)?;
            at = range.end();
        }
        write_range((plan, &mut place), plan.len(), source, self.part.file(), work, direct)
    }

    pub(super) fn done(self) -> (PartFile, Log) {
        (self.part, self.log)
    }
}

/// Bytes of a section's line.
const LINE: usize = 34;

/// What a section is made of.
fn made_of<S: Files + Sync + ?Sized>(
    source: &S,
    section: &Section,
    buffer: &mut [u8],
) -> Result<String, Fault> {
    let mut hasher = XxHash64::with_seed(section.end);
    hash_source(source, section.from, buffer, &mut hasher)?;
    Ok(format!("{:016x}", hasher.finish()))
}

/// What stands in the list for a section that is whole, and lies here in the file.
fn line(file: &File, made_of: &str, range: Span, buffer: &mut [u8]) -> Result<String, Fault> {
    let mut is = XxHash64::with_seed(range.end());
    if hash(&Handle(file), range, buffer, &mut is)? < range.len {
        return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
    }
    Ok(format!("{made_of} {:016x}\n", is.finish()))
}

/// The sections that are whole.
#[derive(Default)]
struct Taken {
    /// How many.
    whole: usize,
    /// Where the last of them ends.
    end: u64,
    /// How long the list is up to there.
    len: u64,
    /// Whether the next one was made of other bytes than it would be made of now.
    is_of_others: bool,
}

/// What can be taken over: the sections that are made of what they would be made of, and are what they were when they were
/// finished.
fn taken<S: Files + Sync + ?Sized>(
    log: &mut File,
    file: &File,
    source: &S,
    mark: &Mark,
    sections: &[Section],
) -> Result<Taken, Fault> {
    let mut text = Vec::new();
    log.take(LONGEST).read_to_end(&mut text)?;
    let mut lines = text.split_inclusive(|byte| *byte == b'\n');
    let first = lines.next().unwrap_or_default();
    if !first.ends_with(b"\n") || !first.starts_with(numbers(mark).as_bytes()) {
        return Ok(Taken::default());
    }
    let size = file.metadata()?.len();
    let mut buffer = vec![0; BUFFER];
    let mut taken = Taken { len: first.len() as u64, ..Taken::default() };
    for (section, said) in sections.iter().zip(lines) {
        let said_of = said.split(|byte| *byte == b' ').next();
        let of = made_of(source, section, &mut buffer)?;
        if said_of != Some(of.as_bytes()) {
            // A line that was cut off says nothing.
            taken.is_of_others = said.len() == LINE && said.ends_with(b"\n");
            break;
        }
        let range = Span::between(taken.end, section.end);
        if range.end() > size || line(file, &of, range, &mut buffer)?.as_bytes() != said {
            break;
        }
        taken.whole = taken.whole.saturating_add(1);
        taken.end = section.end;
        taken.len = taken.len.saturating_add(said.len() as u64);
    }
    Ok(taken)
}

/// An open file, read by position.
struct Handle<'a>(&'a File);

impl ReadAt for Handle<'_> {
    type Error = io::Error;

    fn size(&self) -> Option<u64> {
        None
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        platform::read_at(self.0, buffer, offset)
    }
}

/// Bytes of the source, all of which have to be there.
fn hash_source<S: Files + Sync + ?Sized>(
    source: &S,
    span: Span,
    buffer: &mut [u8],
    hasher: &mut XxHash64,
) -> Result<(), Fault> {
    match hash(source, span, buffer, hasher) {
        Ok(read) if read < span.len => Err(Fault::Source(SinkError::Ended { span, read })),
        Ok(_) => Ok(()),
        Err(source) => Err(Fault::Source(SinkError::Read { span, source })),
    }
}

/// The number of bytes that were there.
fn hash<S: ReadAt<Error = io::Error> + ?Sized>(
    source: &S,
    span: Span,
    buffer: &mut [u8],
    hasher: &mut XxHash64,
) -> io::Result<u64> {
    let mut at = span.start;
    while at < span.end() {
        let want = usize::try_from(span.end().saturating_sub(at)).unwrap_or(usize::MAX).min(buffer.len());
        let part = buffer.get_mut(..want).unwrap_or_default();
        let read = read_full(source, part, at)?;
        hasher.write(part.get(..read).unwrap_or_default());
        at = at.saturating_add(read as u64);
        if read < want {
            break;
        }
    }
    Ok(at.saturating_sub(span.start))
}

#[cfg(test)]
mod tests;
