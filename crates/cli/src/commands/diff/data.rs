//! The data of both models: read side by side, and what came of it told to the diff.

use std::collections::HashMap;
use std::num::NonZeroUsize;

use ggufkit::format::exchange::Exchange;
use ggufkit::format::{Endian, Span, Tensor};
use ggufkit::inspect::diff::{Data, DataDifference, Diff, Record, Side};
use ggufkit::inspect::tensors::Table;
use ggufkit::io::{
    ByteDifference, ByteJob, FileId, FileSource, HashJob, all_zero, compare_bytes, hash_bytes, read_full,
};

use super::super::data::{Budget, Files};
use super::super::progress::Bar;
use super::value;
use crate::frame::{Document, PartDoc};

/// What was looked at.
#[derive(Default)]
pub(super) struct Looked {
    /// Bytes of tensors that were compared, or are of one and the same file.
    pub(super) bytes: u64,
    /// Tensors of which it is not known whether they are the same, with the reasons.
    pub(super) unknown: Vec<(Vec<u8>, String)>,
    /// What could not be read.
    pub(super) failures: Vec<String>,
}

/// Where the data of a tensor is.
#[derive(Clone, Copy)]
struct Place {
    /// The bytes that are in the file.
    span: Span,
    /// Bytes of the tensor that the file does not have.
    missing: u64,
}

/// The files of one model, and its tensors.
struct Model<'d, 'a> {
    files: Files<'d, 'a>,
    table: Option<Table<'a>>,
}

impl<'d, 'a> Model<'d, 'a> {
    fn of(document: &'d Document<'a>) -> Self {
        Self { files: Files::of(document), table: document.model.as_ref().map(Table::new) }
    }

    fn source(&self, file: usize) -> Option<&'d FileSource> {
        self.files.source(file)
    }

    fn place(&self, tensor: &Record<'_, Tensor>) -> Result<Place, &'static str> {
        let part = self.files.parts.get(tensor.file).filter(|part| part.source.is_some());
        let size = part.and_then(|part| part.size).ok_or("there is no file to read it from")?;
        let row = self.table.as_ref().and_then(|table| table.row(tensor.file, tensor.index));
        let span = row.and_then(|row| row.span()).ok_or("its size is not known")?;
        let end = span.end().min(size);
        let there = Span::between(span.start.min(end), end);
        Ok(Place { span: there, missing: span.len.saturating_sub(there.len) })
    }
}

/// How the second's bytes become comparable with the first's: by the rule that `gguf endian` and the identity have, too.
fn exchange(from: Endian, to: Endian, tensor: &Tensor) -> Result<Option<Exchange>, String> {
    if from == to {
        return Ok(None);
    }
    let ty = tensor.tensor_type;
    Exchange::of(ty).map(Some).ok_or_else(|| {
        format!("the byte orders differ, and no rule brings data of type {ty} into the other byte order")
    })
}

/// Reads and compares all data that both have, and the bytes between.
pub(super) fn look(
    diff: &mut Diff<'_>,
    a: &Document<'_>,
    b: &Document<'_>,
    threads: NonZeroUsize,
    with_tensors: bool,
) -> Looked {
    let documents = [a, b];
    let (a, b) = (Model::of(a), Model::of(b));
    let mut looked = Looked::default();
    if with_tensors {
        tensors(diff, &a, &b, threads, &mut looked);
        renamed(diff, &a, &b, threads, &mut looked);
    }
    gaps(diff, &a, &b, threads, &mut looked);
    for pair in &diff.tensors.pairs {
        if let (Data::NotCompared(why), Some(tensor)) = (&pair.data, diff.a.tensors.get(pair.a)) {
            looked.unknown.push((tensor.name.0.to_vec(), why.clone()));
        }
    }
    looked
        .failures
        .extend(documents.iter().filter_map(|document| document.changed()).map(|failed| failed.to_string()));
    looked
}

/// Whether two files are one.
fn is_one(a: &FileSource, b: &FileSource) -> bool {
    matches!((FileId::of(a), FileId::of(b)), (Ok(a), Ok(b)) if a == b)
}

fn tensors(
    diff: &mut Diff<'_>,
    a: &Model<'_, '_>,
    b: &Model<'_, '_>,
    threads: NonZeroUsize,
    looked: &mut Looked,
) {
    let mut budget = Budget::new(a.files.size().saturating_add(b.files.size()));
    let mut one_file: HashMap<(usize, usize), bool> = HashMap::new();
    let mut known: HashMap<(usize, u64, usize, u64, u64, u32), usize> = HashMap::new();
    let mut jobs: Vec<ByteJob<'_, FileSource>> = Vec::new();
    let mut of_pairs: Vec<(usize, usize, Place, Place)> = Vec::new();
    for (number, pair) in diff.tensors.pairs.iter_mut().enumerate() {
        let (Some(one), Some(other)) = (diff.a.tensors.get(pair.a), diff.b.tensors.get(pair.b)) else {
            continue;
        };
        if pair.retyped {
            continue;
        }
        let turned = exchange(diff.a.endian(one.file), diff.b.endian(other.file), other.record);
        let (at_a, at_b, turned) = match (a.place(one), b.place(other), turned) {
            (Ok(at_a), Ok(at_b), Ok(turned)) => (at_a, at_b, turned),
            (Err(why), ..) | (_, Err(why), _) => {
                pair.data = Data::NotCompared(why.to_owned());
                continue;
            }
            (.., Err(why)) => {
                pair.data = Data::NotCompared(why);
                continue;
            }
        };
        let whole = |place: &Place| place.span.len.saturating_add(place.missing);
        if pair.reshaped && whole(&at_a) != whole(&at_b) {
            continue;
        }
        let (Some(source_a), Some(source_b)) = (a.source(one.file), b.source(other.file)) else { continue };
        let same_file = *one_file.entry((one.file, other.file)).or_insert_with(|| is_one(source_a, source_b));
        let len = at_a.span.len.min(at_b.span.len);
        if same_file && at_a.span == at_b.span && at_a.missing == at_b.missing {
            pair.data = Data::Same;
            looked.bytes = looked.bytes.saturating_add(len);
            continue;
        }
        let block = one.record.tensor_type.info().map_or(1, |info| u64::from(info.block_bytes).max(1));
        let key = (one.file, at_a.span.start, other.file, at_b.span.start, len, one.record.tensor_type.0);
        let job = match known.get(&key) {
            Some(job) => *job,
            None if !budget.take(len) => {
                pair.data = Data::NotCompared("its bytes are other tensors' too".to_owned());
                continue;
            }
            None => {
                known.insert(key, jobs.len());
                jobs.push(ByteJob {
                    a: source_a,
                    at_a: at_a.span.start,
                    b: source_b,
                    at_b: at_b.span.start,
                    // A block that is cut cannot be turned.
                    len: if turned.is_some() { len - len % block } else { len },
                    block,
                    turn: turned,
                });
                jobs.len() - 1
            }
        };
        of_pairs.push((number, job, at_a, at_b));
    }
    let results = {
        let total = jobs.iter().fold(0_u64, |sum, job| sum.saturating_add(job.len));
        let bar = Bar::begin("comparing", total);
        let results = compare_bytes(&jobs, threads, &|bytes| bar.more(bytes));
        bar.end();
        looked.bytes = looked.bytes.saturating_add(total);
        results
    };
    for (number, job, at_a, at_b) in of_pairs {
        let (Some(pair), Some(result), Some(job)) =
            (diff.tensors.pairs.get_mut(number), results.get(job), jobs.get(job))
        else {
            continue;
        };
        pair.data = match result {
            Ok(found)
                if found.first.is_none()
                    && at_a.missing == at_b.missing
                    && at_a.span.len == at_b.span.len =>
            {
                Data::Same
            }
            Ok(found) => {
                let tensor = diff.a.tensors.get(pair.a);
                Data::Differs(Box::new(difference(found, job, tensor, &diff.a, at_a, at_b)))
            }
            Err(error) => {
                let name = diff.a.tensors.get(pair.a).map(|tensor| tensor.name.display().to_string());
                looked.failures.push(format!("tensor \"{}\": {error}", name.unwrap_or_default()));
                Data::NotCompared(error.to_string())
            }
        };
    }
    settle(diff, a, b, threads);
}

/// What could not be compared tensor by tensor is the same where all bytes of both files are.
fn settle(diff: &mut Diff<'_>, a: &Model<'_, '_>, b: &Model<'_, '_>, threads: NonZeroUsize) {
    let mut same: HashMap<usize, bool> = HashMap::new();
    for pair in &mut diff.tensors.pairs {
        let (Some(one), Some(other)) = (diff.a.tensors.get(pair.a), diff.b.tensors.get(pair.b)) else {
            continue;
        };
        let alike = one.file == other.file && one.record.offset == other.record.offset && !pair.reshaped;
        if !alike || !matches!(pair.data, Data::NotCompared(_)) {
            continue;
        }
        let (Some(part_a), Some(part_b)) = (a.files.parts.get(one.file), b.files.parts.get(other.file))
        else {
            continue;
        };
        let (Some(source_a), Some(source_b)) = (&part_a.source, &part_b.source) else { continue };
        let start = |part: &PartDoc<'_>| part.index().and_then(|index| index.data_start());
        if part_a.size != part_b.size
            || start(part_a) != start(part_b)
            || diff.a.endian(one.file) != diff.b.endian(other.file)
        {
            continue;
        }
        let equal = *same.entry(one.file).or_insert_with(|| {
            let from = start(part_a).unwrap_or(0);
            let len = part_a.size.unwrap_or(0).saturating_sub(from);
            let job = ByteJob { a: source_a, at_a: from, b: source_b, at_b: from, len, block: 1, turn: None };
            let found = compare_bytes(&[job], threads, &|_| {}).pop();
            matches!(found, Some(Ok(ByteDifference { first: None, .. })))
        });
        if equal {
            pair.data = Data::Same;
        }
    }
}

fn difference(
    found: &ByteDifference,
    job: &ByteJob<'_, FileSource>,
    tensor: Option<&Record<'_, Tensor>>,
    side: &Side<'_>,
    at_a: Place,
    at_b: Place,
) -> DataDifference {
    let block = job.block.max(1);
    let first = found.first.unwrap_or(job.len);
    let first_block = first / block;
    // Single values are shown as such; of a block the bytes from the first that differs on.
    let plain = tensor.and_then(|tensor| value::plain(tensor.record.tensor_type));
    let from = if plain.is_some() { first_block.saturating_mul(block) } else { first };
    let width = if plain.is_some() { block } else { 8.min(block - first % block) };
    let endian = tensor.map_or(Endian::Little, |tensor| side.endian(tensor.file));
    let shown = |source: &FileSource, start: u64, turned: bool| {
        // The whole block, since no part of it can be turned.
        let begin = first_block.saturating_mul(block);
        let size = |len: u64| usize::try_from(len).unwrap_or(0);
        let mut bytes = vec![0; size(block.min(job.len.saturating_sub(begin)))];
        let read = read_full(source, &mut bytes, start.saturating_add(begin)).unwrap_or(0);
        bytes.truncate(read);
        if let (true, Some(exchange)) = (turned, &job.turn) {
            exchange.apply(&mut bytes);
        }
        let bytes = bytes.get(size(from.saturating_sub(begin))..).unwrap_or_default();
        let bytes = bytes.get(..size(width)).unwrap_or(bytes);
        match plain {
            Some(ty) => value::element(ty, endian, bytes),
            None => ggufkit::format::spaced_hex(bytes),
        }
    };
    let any = found.first.is_some();
    DataDifference {
        bytes: found.bytes,
        of_bytes: job.len,
        blocks: found.blocks,
        of_blocks: job.len.div_ceil(block),
        first,
        first_block,
        at_a: job.at_a.saturating_add(first),
        at_b: job.at_b.saturating_add(first),
        a: if any { shown(job.a, job.at_a, false) } else { String::new() },
        b: if any { shown(job.b, job.at_b, true) } else { String::new() },
        missing_a: at_a.missing,
        missing_b: at_b.missing,
    }
}

/// Finds tensors that have another name: those of one type and shape are hashed, and what has the same hash is compared.
fn renamed(
    diff: &mut Diff<'_>,
    a: &Model<'_, '_>,
    b: &Model<'_, '_>,
    threads: NonZeroUsize,
    looked: &mut Looked,
) {
    let mut budget = Budget::new(a.files.size().saturating_add(b.files.size()));
    let mut jobs = Vec::new();
    // Group, which side, place among its tensors, where the bytes are.
    let mut of_jobs: Vec<(usize, bool, usize, Span)> = Vec::new();
    for (group, (old, new)) in diff.tensors.candidates(&diff.a, &diff.b).into_iter().enumerate() {
        let old = old.into_iter().map(|at| (false, at));
        for (second, at) in old.chain(new.into_iter().map(|at| (true, at))) {
            let (files, side) = if second { (b, &diff.b) } else { (a, &diff.a) };
            let Some(tensor) = side.tensors.get(at) else { continue };
            // In the byte order of the first: both in little-endian where they differ.
            let to = if second { diff.a.endian(0) } else { side.endian(tensor.file) };
            let (Ok(place), Ok(turn), Some(source)) = (
                files.place(tensor),
                exchange(side.endian(tensor.file), to, tensor.record),
                files.source(tensor.file),
            ) else {
                continue;
            };
            if place.missing == 0 && place.span.len > 0 && budget.take(place.span.len) {
                jobs.push(HashJob { source, span: place.span, turn });
                of_jobs.push((group, second, at, place.span));
            }
        }
    }
    if jobs.is_empty() {
        return;
    }
    let total = jobs.iter().fold(0_u64, |sum, job| sum.saturating_add(job.span.len));
    let bar = Bar::begin("looking for tensors of another name", total);
    let hashes = hash_bytes(&jobs, threads, &|bytes| bar.more(bytes));
    let mut waiting: HashMap<(usize, u64), std::collections::VecDeque<usize>> = HashMap::new();
    for (number, (hash, (group, second, ..))) in hashes.iter().zip(&of_jobs).enumerate() {
        if let (Ok(hash), true) = (hash, *second) {
            waiting.entry((*group, *hash)).or_default().push_back(number);
        }
    }
    let mut pairs = Vec::new();
    let mut checks = Vec::new();
    for ((hash, job), (group, second, at, span)) in hashes.iter().zip(&jobs).zip(&of_jobs) {
        let (Ok(hash), false) = (hash, *second) else { continue };
        let Some(other) = waiting.get_mut(&(*group, *hash)).and_then(std::collections::VecDeque::pop_front)
        else {
            continue;
        };
        let (Some(job_b), Some((_, _, at_b, span_b))) = (jobs.get(other), of_jobs.get(other)) else {
            continue;
        };
        pairs.push((*at, *at_b));
        let block = job_b.turn.as_ref().map_or(1, |exchange| exchange.block().max(1) as u64);
        checks.push(ByteJob {
            a: job.source,
            at_a: span.start,
            b: job_b.source,
            at_b: span_b.start,
            len: span.len,
            block,
            turn: job_b.turn.clone(),
        });
    }
    // A hash can be made to fit; bytes cannot.
    let verdicts = compare_bytes(&checks, threads, &|_| {});
    bar.end();
    let same = |(pair, verdict): ((usize, usize), std::io::Result<ByteDifference>)| {
        matches!(verdict, Ok(ByteDifference { first: None, .. })).then_some(pair)
    };
    diff.tensors.rename(pairs.into_iter().zip(verdicts).filter_map(same).collect());
    looked.bytes = looked.bytes.saturating_add(total);
}

fn gaps(
    diff: &mut Diff<'_>,
    a: &Model<'_, '_>,
    b: &Model<'_, '_>,
    threads: NonZeroUsize,
    looked: &mut Looked,
) {
    let (mut compared, mut jobs) = (Vec::new(), Vec::new());
    let (mut zeros, mut stretches) = (Vec::new(), Vec::new());
    for (number, gap) in diff.layout.gaps.iter().enumerate() {
        let (Some(source_a), Some(source_b)) = (a.source(gap.a.file), b.source(gap.b.file)) else { continue };
        if gap.differs {
            continue;
        }
        if gap.a.span.len == gap.b.span.len {
            compared.push(number);
            jobs.push(ByteJob {
                a: source_a,
                at_a: gap.a.span.start,
                b: source_b,
                at_b: gap.b.span.start,
                len: gap.a.span.len,
                block: 1,
                turn: None,
            });
        } else {
            zeros.push(number);
            stretches.push((source_a, gap.a.span));
            stretches.push((source_b, gap.b.span));
        }
    }
    for (number, found) in compared.into_iter().zip(compare_bytes(&jobs, threads, &|_| {})) {
        let Some(gap) = diff.layout.gaps.get_mut(number) else { continue };
        match found {
            Ok(found) => (gap.differs, gap.first) = (found.first.is_some(), found.first),
            Err(error) => looked.failures.push(format!("bytes between the data: {error}")),
        }
    }
    for (number, pair) in zeros.into_iter().zip(all_zero(&stretches, threads).chunks(2)) {
        let Some(gap) = diff.layout.gaps.get_mut(number) else { continue };
        for zero in pair {
            match zero {
                Ok(zero) => gap.differs |= !zero,
                Err(error) => looked.failures.push(format!("bytes between the data: {error}")),
            }
        }
    }
}
