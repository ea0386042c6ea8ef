//! A file that is planned, looked at before it is written.

use std::io;
use std::path::Path;

pub use crate::worse::{Worse, worse};
use ggufkit_check::{File, Options as Rules, Report, Subject, check};
use ggufkit_format::{ByteStr, Options, Outcome, Piece, Plan, ReadAt, View};
use ggufkit_io::{Diagnosis, HeadBuffer, ShardPart, ShardSet, diagnose};

/// What a plan copies from.
type Bytes<'a> = dyn ReadAt<Error = io::Error> + Sync + 'a;

/// The bytes that a plan makes of a source, without making them.
#[derive(Clone)]
pub struct Planned<'a> {
    plan: &'a Plan,
    source: &'a Bytes<'a>,
    /// Where each piece begins.
    starts: Vec<u64>,
}

impl<'a> Planned<'a> {
    /// The file that `plan` makes of `source`.
    #[must_use]
    pub fn new(plan: &'a Plan, source: &'a Bytes<'a>) -> Self {
        let mut at = 0_u64;
        let begin = |piece: &Piece| {
            let start = at;
            at = at.saturating_add(piece.len());
            start
        };
        Self { plan, source, starts: plan.pieces().iter().map(begin).collect() }
    }
}

impl std::fmt::Debug for Planned<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Planned").field("plan", self.plan).finish_non_exhaustive()
    }
}

impl ReadAt for Planned<'_> {
    type Error = io::Error;

    fn size(&self) -> Option<u64> {
        Some(self.plan.len())
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let Some(at) = self.starts.partition_point(|&start| start <= offset).checked_sub(1) else {
            return Ok(0);
        };
        let (Some(&start), Some(piece)) = (self.starts.get(at), self.plan.pieces().get(at)) else {
            return Ok(0);
        };
        let into = offset.saturating_sub(start);
        let left = usize::try_from(piece.len().saturating_sub(into)).unwrap_or(usize::MAX);
        let most = left.min(buffer.len());
        let Some(buffer) = buffer.get_mut(..most) else { return Ok(0) };
        match piece {
            Piece::Literal(bytes) => {
                let from = usize::try_from(into).unwrap_or(usize::MAX);
                let bytes = bytes.get(from..).and_then(|rest| rest.get(..most)).unwrap_or_default();
                buffer.copy_from_slice(bytes);
            }
            Piece::Copy(span) if most > 0 => {
                return self.source.read_at(buffer, span.start.saturating_add(into));
            }
            Piece::Copy(_) => {}
            Piece::Zeros(_) => buffer.fill(0),
        }
        Ok(most)
    }
}

/// The head of a file, as it is or as it is planned: read once, for all that is asked about it.
#[derive(Debug)]
pub struct Head<'a> {
    outcome: Outcome,
    diagnosis: Diagnosis,
    bytes: &'a [u8],
    size: Option<u64>,
}

impl<'a> Head<'a> {
    /// Reads the head of a source into a buffer.
    ///
    /// # Errors
    /// The source's.
    pub fn read(
        source: &(dyn ReadAt<Error = io::Error> + Send + Sync + '_),
        buffer: &'a mut HeadBuffer,
    ) -> io::Result<Self> {
        let outcome = buffer.read(source, Options::new().with_size(source.size()))?;
        Self::of(source, outcome, buffer.bytes())
    }

    /// A head that was read from a source already: what that came to, and its bytes.
    ///
    /// # Errors
    /// The source's.
    pub fn of(
        source: &(dyn ReadAt<Error = io::Error> + Send + Sync + '_),
        outcome: Outcome,
        bytes: &'a [u8],
    ) -> io::Result<Self> {
        let size = source.size();
        let diagnosis = diagnose(source, Options::new().with_size(size), &outcome, bytes)?;
        Ok(Self { outcome, diagnosis, bytes, size })
    }

    fn view(&self) -> Option<View<'_>> {
        self.outcome.index.as_ref().map(|index| View::new(index, self.bytes))
    }

    fn file<'b>(&'b self, label: &'b [u8], file_name: Option<&'b str>) -> File<'b> {
        File {
            label: ByteStr(label),
            file_name,
            size: self.size,
            view: self.view(),
            error: self.outcome.error.as_ref(),
            diagnosis: &self.diagnosis,
            source: None,
        }
    }
}

/// A file, by what it is called.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// Its path: what it is called, and where its set has it.
    pub path: &'a Path,
    /// Its head, as it is or as it is planned.
    pub head: &'a Head<'a>,
}

/// A model by the heads of its files, as they are or as they are planned.
#[derive(Clone, Debug)]
pub struct Model<'a> {
    /// Its files, in the order of their numbers.
    pub files: Vec<Candidate<'a>>,
    /// The set that they are; `None` of a file that is taken alone.
    pub set: Option<&'a ShardSet>,
}

impl Model<'_> {
    /// What the rules say of the files, and of the set that they are.
    #[must_use]
    pub fn judge(&self, rules: &Rules) -> Report {
        self.subject(|subject| check(subject, rules, None))
    }

    /// Hands the model over as what is judged.
    pub(crate) fn subject<T>(&self, then: impl FnOnce(&Subject<'_>) -> T) -> T {
        let judged: Vec<File<'_>> = self
            .files
            .iter()
            .map(|Candidate { path, head }| {
                let name = path.file_name().and_then(|name| name.to_str());
                head.file(path.as_os_str().as_encoded_bytes(), name)
            })
            .collect();
        let Some(set) = self.set else {
            return then(&Subject { files: &judged, set: None, problems: &[] });
        };
        let parts = self.files.iter();
        let parts = parts.filter_map(|file| Some(ShardPart { path: file.path, view: file.head.view()? }));
        let problems = set.check(&parts.collect::<Vec<_>>());
        then(&Subject { files: &judged, set: Some(set), problems: &problems })
    }

    /// Whether a file has a tensor.
    pub(crate) fn has_tensors(&self) -> bool {
        self.files.iter().any(|file| file.head.view().is_some_and(|view| !view.index().tensors().is_empty()))
    }
}
