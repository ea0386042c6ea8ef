//! What is found of interrupted runs before anything is continued, and whether they were like this one.

use std::fs::{self, Metadata, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::{Fault, Handle, MAGIC, Mark, Resume, VERSION, found, names, placed};
use crate::file::read_full;
use crate::joined::Files;
use crate::platform;
use crate::sink::{Output, SinkError, failed, part};

/// Bytes that a list begins with: the first line, and a little more.
const BEGIN: usize = 256;

/// What interrupted runs have left of a file, as far as names and lengths tell. Nothing of it is believed before it is read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Left {
    /// Bytes that are there already.
    pub bytes: u64,
    /// There is a list beside a file that has its name: it may be whole.
    pub is_placed: bool,
    /// The file that was begun and its list, where something is in both and nobody is writing them.
    pub kept: Option<Kept>,
}

/// What is kept of a file that was begun.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kept {
    /// The file as far as it is, and its list.
    pub paths: [PathBuf; 2],
    /// Bytes of the file.
    pub bytes: u64,
    /// The first line of the list.
    line: String,
}

/// Looks for what was left of the file of this target.
#[must_use]
pub fn left_of(target: &Path) -> Left {
    let (beside, log) = names(target);
    let len =
        |path: &Path| fs::symlink_metadata(path).ok().filter(Metadata::is_file).map(|there| there.len());
    let placed = len(target).filter(|_| len(&log).is_some());
    Left {
        bytes: placed.or_else(|| len(&beside)).unwrap_or(0),
        is_placed: placed.is_some(),
        kept: kept(beside, log).ok().flatten(),
    }
}

/// A file that was begun and its list, with at least one section that was finished.
fn kept(beside: PathBuf, log: PathBuf) -> io::Result<Option<Kept>> {
    let (Some(file), Some(list)) =
        (platform::open_record(&beside, false)?, platform::open_record(&log, false)?)
    else {
        return Ok(None);
    };
    let bytes = file.metadata()?.len();
    if bytes == 0 || matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)) {
        return Ok(None);
    }
    let mut first = vec![0; BEGIN];
    let read = read_full(&Handle(&list), &mut first, 0)?;
    let text = String::from_utf8_lossy(first.get(..read).unwrap_or_default()).into_owned();
    let mut lines = text.lines();
    let line = lines.next().unwrap_or_default().to_owned();
    let is_ours = line.starts_with(MAGIC) && lines.next().is_some();
    Ok(is_ours.then_some(Kept { paths: [beside, log], bytes, line }))
}

/// Looks for what would stand in the way of a run that continues: what was left by another run, what stands beside the targets and
/// was left by none, and, without `replace`, files at the targets that were not made by a run like this one. Whether sections can
/// be taken over is found only when they are read.
///
/// # Errors
/// Those that [`save_or_resume`](crate::sink::save_or_resume) would end with.
pub fn look<S: Files + Sync + ?Sized>(
    outputs: &[Output<'_>],
    source: &S,
    resume: &Resume<'_>,
    replace: bool,
) -> Result<(), SinkError> {
    for (number, output) in outputs.iter().enumerate() {
        let target = output.target;
        let at = |fault: Fault| fault.at(target, "look at");
        let sections = resume.sections.get(number).copied().unwrap_or_default();
        let mark = resume.mark(output.plan, source, sections).map_err(at)?;
        if placed(output, source, resume, number, &mark).map_err(at)?.is_some() {
            continue;
        }
        part::may_stand_at(target, replace).map_err(|error| failed(target, "write", error))?;
        if let Some(kept) = left_of(target).kept {
            kept.is_of(&mark)?;
        }
        found(target, source, resume)?;
    }
    Ok(())
}

impl Kept {
    /// Whether the run that left it was like this one.
    pub(in crate::sink) fn is_of(&self, mark: &Mark) -> Result<(), SinkError> {
        let Some((other, name)) = other_run(&self.line, mark) else { return Ok(()) };
        let (paths, bytes) = (self.paths.clone(), self.bytes);
        Err(SinkError::LeftByOther(Box::new(LeftByOther { paths, bytes, name, other })))
    }
}

/// What was left by a run that was another one: it is neither continued nor thrown away.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftByOther {
    /// The file that was begun, and its list.
    pub paths: [PathBuf; 2],
    /// Bytes of the file.
    pub bytes: u64,
    /// What the settings of that run were called; may be empty, and be anything.
    pub name: String,
    /// In what it was another one.
    pub other: OtherRun,
}

/// In what a run that left something was another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum OtherRun {
    /// Its settings.
    Settings,
    /// A file beside the source.
    Beside,
    /// What is written before and between the sections: metadata, as a rule.
    Between,
    /// What a section is made of: another source with the same metadata. Found only when it is read, not by [`look`].
    Source,
    /// It was made by another version of this program.
    Version,
}

impl OtherRun {
    /// What is not the same.
    #[must_use]
    pub const fn what(self) -> &'static str {
        match self {
            Self::Settings => "its settings are others",
            Self::Beside => "a file that it was made by is another",
            Self::Between => "the metadata are others",
            Self::Source => "it was made of other data",
            Self::Version => "it is of another version of this program",
        }
    }
}

/// In what the run of this first line was another one, and what it was called.
fn other_run(line: &str, mark: &Mark) -> Option<(OtherRun, String)> {
    let Some(rest) = line.strip_prefix(VERSION) else { return Some((OtherRun::Version, String::new())) };
    let mut words = rest.split_whitespace();
    let mut differs = |number: u64| words.next() != Some(format!("{number:016x}").as_str());
    let numbers = [mark.settings, mark.beside, mark.plan];
    let kinds = [OtherRun::Settings, OtherRun::Beside, OtherRun::Between];
    // All three are read, so that the name comes next.
    let found = numbers.map(&mut differs);
    let other = kinds.into_iter().zip(found).find(|(_, differs)| *differs).map(|(kind, _)| kind)?;
    Some((other, words.next().unwrap_or_default().to_owned()))
}
