//! A file that is planned, looked at before it is written.

use std::io;
use std::path::Path;

use ggufkit_check::{File, Finding, Options as Rules, Report, Severity, Subject, check};
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

    /// What the rules say of the file by its head; `label` and `file_name` are what it is called.
    #[must_use]
    pub fn judge(&self, label: &[u8], file_name: Option<&str>, rules: &Rules) -> Report {
        check(&Subject::single(&self.file(label, file_name)), rules, None)
    }

    fn view(&self) -> Option<View<'_>> {
        self.outcome.index.as_ref().map(|index| View::new(index, self.bytes))
    }

    pub(crate) fn file<'b>(&'b self, label: &'b [u8], file_name: Option<&'b str>) -> File<'b> {
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

/// A file of a set, by what it is called there.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// Its path: what it is called, and where the set has it.
    pub path: &'a Path,
    /// Its head, as it is or as it is planned.
    pub head: &'a Head<'a>,
}

/// What the rules say of the files of a set, and of the set that they are, by their heads.
#[must_use]
pub fn judge_set(files: &[Candidate<'_>], set: &ShardSet, rules: &Rules) -> Report {
    let parts: Vec<ShardPart<'_>> = files
        .iter()
        .filter_map(|file| Some(ShardPart { path: file.path, view: file.head.view()? }))
        .collect();
    let problems = set.check(&parts);
    let judged: Vec<File<'_>> = files
        .iter()
        .map(|Candidate { path, head }| {
            let name = path.file_name().and_then(|name| name.to_str());
            head.file(path.as_os_str().as_encoded_bytes(), name)
        })
        .collect();
    check(&Subject { files: &judged, set: Some(set), problems: &problems }, rules, None)
}

/// What a rule says of a file that it did not say of another: more findings of a severity than there were.
#[derive(Clone, Debug)]
pub struct Worse {
    /// One of the findings of the new file.
    pub finding: Finding,
    /// How many more there are of its rule.
    pub more: u64,
}

/// What is wrong with a new file and was not with the old one, rule by rule; notes are not looked at.
#[must_use]
pub fn worse(before: &Report, after: &Report) -> Vec<Worse> {
    let count = |report: &Report, like: &Finding| {
        let alike =
            |finding: &&Finding| finding.rule.code == like.rule.code && finding.severity == like.severity;
        let kept = report.findings.iter().filter(alike).count() as u64;
        let more = report
            .left_out
            .iter()
            .filter(|out| out.rule.code == like.rule.code && out.severity == like.severity);
        more.fold(kept, |sum, out| sum.saturating_add(out.more))
    };
    let mut seen = Vec::new();
    let mut out = Vec::new();
    for finding in after.findings.iter().filter(|finding| finding.severity >= Severity::Warning) {
        let kind = (finding.rule.code, finding.severity);
        if seen.contains(&kind) {
            continue;
        }
        seen.push(kind);
        let more = count(after, finding).saturating_sub(count(before, finding));
        // Of those that are new the last one is shown as likely as any; which one it is cannot be told by its place.
        let known = |one: &Finding| {
            before.findings.iter().any(|old| old.rule.code == one.rule.code && old.message == one.message)
        };
        let mut alike = after.findings.iter().filter(|one| (one.rule.code, one.severity) == kind);
        if more > 0 {
            let new = alike.find(|one| !known(one)).unwrap_or(finding);
            out.push(Worse { finding: new.clone(), more: more.saturating_sub(1) });
        }
    }
    out
}
