//! A file that is planned, looked at before it is written.

use std::io;
use std::path::Path;

use ggufkit_check::{File, Finding, Options as Rules, Report, Severity, Subject, check};
use ggufkit_format::{ByteStr, Options, Outcome, ParseError, Piece, Plan, ReadAt, View};
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

/// What the rules say of a file by its head; `label` and `file_name` are what it is called.
///
/// # Errors
/// The source's.
pub fn judge(
    source: &(dyn ReadAt<Error = io::Error> + Send + Sync + '_),
    label: &[u8],
    file_name: Option<&str>,
    rules: &Rules,
) -> io::Result<(Report, Option<ParseError>)> {
    let mut buffer = HeadBuffer::new();
    let read = Read::new(source, &mut buffer)?;
    let report = check(&Subject::single(&read.file(label, file_name)), rules, None);
    Ok((report, read.outcome.error))
}

/// A file of a set, by what it is called there.
#[derive(Clone, Copy)]
pub struct Candidate<'a> {
    /// Its path: what it is called, and where the set has it.
    pub path: &'a Path,
    /// Its bytes, as they are or as they are planned.
    pub source: &'a (dyn ReadAt<Error = io::Error> + Send + Sync + 'a),
}

/// What the rules say of the files of a set, and of the set that they are, by their heads.
///
/// # Errors
/// That of a source.
pub fn judge_set(files: &[Candidate<'_>], set: &ShardSet, rules: &Rules) -> io::Result<Report> {
    let mut buffers: Vec<HeadBuffer> = files.iter().map(|_| HeadBuffer::new()).collect();
    let mut read = Vec::with_capacity(files.len());
    for (file, buffer) in files.iter().zip(&mut buffers) {
        read.push(Read::new(file.source, buffer)?);
    }
    let parts: Vec<ShardPart<'_>> = files
        .iter()
        .zip(&read)
        .filter_map(|(file, read)| Some(ShardPart { path: file.path, view: read.view()? }))
        .collect();
    let problems = set.check(&parts);
    let name = |path: &Path| path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
    let names: Vec<Option<String>> = files.iter().map(|file| name(file.path)).collect();
    let judged: Vec<File<'_>> = files
        .iter()
        .zip(&read)
        .zip(&names)
        .map(|((file, read), name)| read.file(file.path.as_os_str().as_encoded_bytes(), name.as_deref()))
        .collect();
    Ok(check(&Subject { files: &judged, set: Some(set), problems: &problems }, rules, None))
}

/// A head that was read, and what else was noticed.
struct Read<'a> {
    outcome: Outcome,
    diagnosis: Diagnosis,
    head: &'a [u8],
    size: Option<u64>,
}

impl<'a> Read<'a> {
    fn new(
        source: &(dyn ReadAt<Error = io::Error> + Send + Sync + '_),
        buffer: &'a mut HeadBuffer,
    ) -> io::Result<Self> {
        let size = source.size();
        let options = Options::new().with_size(size);
        let outcome = buffer.read(source, options)?;
        let diagnosis = diagnose(source, options, &outcome, buffer.bytes())?;
        Ok(Self { outcome, diagnosis, head: buffer.bytes(), size })
    }

    fn view(&self) -> Option<View<'_>> {
        self.outcome.index.as_ref().map(|index| View::new(index, self.head))
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
