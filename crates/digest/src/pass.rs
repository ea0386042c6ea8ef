//! One pass over the data, for all digests at once.
//!
//! Data is cut into pieces, which threads take in order, each into a buffer that stays in the processor's cache. A digest
//! that is made byte after byte is a lane: it takes the pieces in order, and a thread waits for its turn at it. So two
//! such digests keep two threads busy, and no byte is read twice. BLAKE3 needs no lane: its pieces are hashed apart.

use std::cell::RefCell;
use std::io;
use std::num::NonZeroUsize;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use ggufkit_format::Endian;
use ggufkit_io::{map_many, read_exact_at};

use crate::identity;
use crate::order::{Cut, Piece, Segment, pieces};
use crate::plan::{Hashes, NotHashed, Plan};
use crate::tree::{self, Node, PIECE, Tree};
use crate::{Algorithm, Digest, Hasher};
use ggufkit_format::exchange::Exchange;

/// Pieces that are handed out together; between them the threads wait for each other.
const BATCH: usize = 4096;

thread_local! {
    static MEMORY: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// A digest that takes pieces in order.
struct Lane {
    next: Mutex<u64>,
    turn: Condvar,
    hasher: Mutex<Hasher>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives the turn to the next piece, whatever became of this one.
struct Turn<'l>(&'l Lane);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut next = lock(&self.0.next);
        *next = next.saturating_add(1);
        drop(next);
        self.0.turn.notify_all();
    }
}

impl Lane {
    fn new(algorithm: Algorithm) -> Option<Self> {
        let hasher = Mutex::new(Hasher::new(algorithm)?);
        Some(Self { next: Mutex::new(0), turn: Condvar::new(), hasher })
    }

    /// Waits until all pieces before `number` have passed.
    fn take(&self, number: u64, work: impl FnOnce(&mut Hasher)) {
        let mut next = lock(&self.next);
        while *next != number {
            next = self.turn.wait(next).unwrap_or_else(PoisonError::into_inner);
        }
        drop(next);
        let _turn = Turn(self);
        work(&mut lock(&self.hasher));
    }

    fn finish(self) -> Digest {
        self.hasher.into_inner().unwrap_or_else(PoisonError::into_inner).finish()
    }
}

/// How a pass goes about it.
struct Pass<'p, 'a> {
    plan: &'p Plan<'a>,
    cut: Cut,
    /// Whether the BLAKE3 of each tensor is made, as it stands and in canonical byte order.
    raw: bool,
    canonical: bool,
    /// Whether the BLAKE3 of the whole is made of pieces; its length then.
    stream: Option<u64>,
    /// Digests of tensors that are made byte after byte: where among the tensor's digests, and its lane, which there is
    /// none of where each tensor is read by one thread.
    layers: Vec<(usize, Algorithm, Option<Lane>)>,
    whole: Vec<Lane>,
}

/// What was found in a piece.
#[derive(Default)]
struct Found {
    /// Pieces of tensors, in order: the tensor, both forms, whether it is the last one.
    nodes: Vec<(usize, Option<Node>, Option<Node>, bool)>,
    /// Digests of tensors that ended: the tensor, the place among its digests.
    layers: Vec<(usize, usize, Digest)>,
    stream: Option<Node>,
    errors: Vec<(usize, io::Error)>,
}

pub(crate) fn run(plan: Plan<'_>, threads: NonZeroUsize, progress: &(dyn Fn(u64) + Sync)) -> Hashes {
    let pass = Pass::new(&plan);
    let algorithms = plan.request.layers.to_vec();
    let mut layers = vec![None; plan.entries.len().saturating_mul(algorithms.len())];
    let blake3 = algorithms.iter().position(|algorithm| *algorithm == Algorithm::Blake3);
    let mut put = |item: usize, slot: usize, digest: Option<Digest>| {
        let entry = plan.items.get(item).copied().unwrap_or(usize::MAX);
        let at = entry.checked_mul(algorithms.len()).and_then(|at| at.checked_add(slot));
        if let Some(place) = at.and_then(|at| layers.get_mut(at)) {
            *place = digest;
        }
    };
    let (mut raw, mut canonical, mut stream) = (Tree::default(), Tree::default(), Tree::default());
    let mut identities = Vec::new();
    let mut errors = Vec::new();
    let mut all = pieces(&plan.lengths, pass.cut);
    let mut number = 0_u64;
    loop {
        let batch: Vec<Piece> = all.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            break;
        }
        let found = map_many(batch.len(), threads, &|at| match batch.get(at) {
            Some(piece) => pass.work(*piece, number.saturating_add(at as u64), progress),
            None => Found::default(),
        });
        number = number.saturating_add(batch.len() as u64);
        for found in found {
            for (item, slot, digest) in found.layers {
                put(item, slot, Some(digest));
            }
            for (item, as_is, turned, last) in found.nodes {
                as_is.into_iter().for_each(|node| raw.add(node));
                turned.into_iter().for_each(|node| canonical.add(node));
                if last {
                    if let Some(slot) = blake3 {
                        put(item, slot, raw.finish());
                    }
                    if let Some(data) = canonical.finish() {
                        identities.extend(plan.identity(item, &data));
                    }
                }
            }
            found.stream.into_iter().for_each(|node| stream.add(node));
            errors.extend(found.errors);
        }
    }
    let whole_blake3 = match pass.stream {
        Some(0) => Hasher::new(Algorithm::Blake3).map(Hasher::finish),
        Some(_) => stream.finish(),
        None => None,
    };
    let identifies = pass.canonical;
    let mut whole: Vec<Digest> = pass.whole.into_iter().map(Lane::finish).chain(whole_blake3).collect();
    if identifies {
        whole.push(identity::of_model(identities));
    }
    let Plan { mut entries, items, complete, without_rule, .. } = plan;
    let broken = !errors.is_empty();
    for (item, error) in errors {
        if let Some(entry) = items.get(item).and_then(|at| entries.get_mut(*at)) {
            entry.problem.get_or_insert(NotHashed::Unreadable(error));
        }
    }
    if broken || !complete {
        whole.clear();
    }
    Hashes { entries, without_rule, layers, algorithms, whole }
}

impl Plan<'_> {
    fn identity(&self, item: usize, data: &Digest) -> Option<[u8; 32]> {
        let entry = self.entries.get(*self.items.get(item)?)?;
        let view = self.parts.get(entry.part)?.view;
        let tensor = view.index().tensors().get(entry.tensor)?;
        let dims = view.index().dims(tensor);
        Some(identity::of_tensor(view.name(tensor).0, tensor.tensor_type.0, dims, data))
    }
}

impl<'p, 'a> Pass<'p, 'a> {
    fn new(plan: &'p Plan<'a>) -> Self {
        let whole = if plan.complete { plan.request.whole } else { &[] };
        let identifies = plan.identifies();
        let raw = plan.request.layers.contains(&Algorithm::Blake3);
        let in_order: Vec<(usize, Algorithm)> = plan
            .request
            .layers
            .iter()
            .copied()
            .enumerate()
            .filter(|(_, algorithm)| !matches!(algorithm, Algorithm::Blake3 | Algorithm::Identity))
            .collect();
        let bytes_of_whole = whole.iter().any(|algorithm| *algorithm != Algorithm::Identity);
        let cut = match (bytes_of_whole, raw || identifies) {
            (true, false) => Cut::Stream,
            (true, true) => Cut::Tensors,
            (false, _) if in_order.is_empty() => Cut::Tensors,
            (false, _) => Cut::Whole,
        };
        let stream = cut == Cut::Stream && whole.contains(&Algorithm::Blake3);
        let lanes = whole.iter().filter(|algorithm| !(stream && **algorithm == Algorithm::Blake3));
        let lanes = lanes.filter_map(|algorithm| Lane::new(*algorithm)).collect();
        let shared = |algorithm| if cut == Cut::Whole { None } else { Lane::new(algorithm) };
        Self {
            plan,
            cut,
            raw,
            canonical: identifies,
            stream: stream.then(|| plan.size()),
            layers: in_order.into_iter().map(|(slot, a)| (slot, a, shared(a))).collect(),
            whole: lanes,
        }
    }

    fn work(&self, piece: Piece, number: u64, progress: &(dyn Fn(u64) + Sync)) -> Found {
        let mut found = Found::default();
        let segments: Vec<Segment> = piece.segments(&self.plan.lengths).collect();
        MEMORY.with_borrow_mut(|memory| {
            memory.resize(usize::try_from(PIECE).unwrap_or_default(), 0);
            if self.cut == Cut::Whole {
                let mut own: Vec<Option<Hasher>> =
                    self.layers.iter().map(|(_, algorithm, _)| Hasher::new(*algorithm)).collect();
                for segment in segments.iter().flat_map(|segment| cut(*segment)) {
                    let bytes = self.read(&[segment], memory, &mut found);
                    self.trees(&[segment], bytes, &mut found);
                    for ((slot, algorithm, _), hasher) in self.layers.iter().zip(&mut own) {
                        feed(&[segment], bytes, hasher.as_mut(), *algorithm, *slot, &mut found);
                    }
                    progress(segment.len);
                }
                return;
            }
            let bytes = self.read(&segments, memory, &mut found);
            self.trees(&segments, bytes, &mut found);
            if let Some(total) = self.stream
                && piece.bytes > 0
            {
                found.stream = Some(tree::piece(bytes, piece.position, total));
            }
            for (slot, algorithm, lane) in &self.layers {
                let Some(lane) = lane else { continue };
                lane.take(number, |hasher| {
                    feed(&segments, bytes, Some(hasher), *algorithm, *slot, &mut found);
                });
            }
            for lane in &self.whole {
                lane.take(number, |hasher| hasher.update(bytes));
            }
            progress(piece.bytes);
        });
        found
    }

    /// Reads segments one after the other; what cannot be read is noted, and stands for nothing.
    fn read<'m>(&self, segments: &[Segment], memory: &'m mut [u8], found: &mut Found) -> &'m [u8] {
        let mut filled = 0_usize;
        for segment in segments {
            let end = filled.saturating_add(usize::try_from(segment.len).unwrap_or(usize::MAX));
            let Some(room) = memory.get_mut(filled..end) else { break };
            if let Err(error) = self.fill(segment.item, segment.offset, room) {
                found.errors.push((segment.item, error));
            }
            filled = end;
        }
        memory.get(..filled).unwrap_or_default()
    }

    /// Fills the buffer with bytes of a tensor's data.
    fn fill(&self, item: usize, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let entry = self.plan.items.get(item).and_then(|at| self.plan.entries.get(*at));
        let Some((entry, span)) = entry.and_then(|entry| Some((entry, entry.span?))) else { return Ok(()) };
        let Some(part) = self.plan.parts.get(entry.part) else { return Ok(()) };
        read_exact_at(part.source, buffer, span.start.saturating_add(offset))
    }

    /// The pieces of trees that segments are.
    fn trees(&self, segments: &[Segment], bytes: &[u8], found: &mut Found) {
        if !self.raw && !self.canonical {
            return;
        }
        let mut rest = bytes;
        for segment in segments {
            let Some((own, after)) =
                rest.split_at_checked(usize::try_from(segment.len).unwrap_or(usize::MAX))
            else {
                break;
            };
            rest = after;
            let total = self.plan.lengths.get(segment.item).copied().unwrap_or_default();
            let exchange = if self.canonical { self.exchange(segment.item) } else { None };
            let as_is = (self.raw || exchange.is_none()).then(|| tree::piece(own, segment.offset, total));
            let turned = match exchange {
                _ if !self.canonical => None,
                None => as_is,
                Some(exchange) => match self.turned(segment, total, &exchange) {
                    Ok(bytes) => Some(tree::piece(&bytes, segment.offset, total)),
                    Err(error) => {
                        found.errors.push((segment.item, error));
                        None
                    }
                },
            };
            found.nodes.push((segment.item, as_is.filter(|_| self.raw), turned, segment.last));
        }
    }

    /// The exchange of bytes that brings a tensor into canonical order; `None` where it is in it.
    fn exchange(&self, item: usize) -> Option<Exchange> {
        let entry = self.plan.entries.get(*self.plan.items.get(item)?)?;
        let index = self.plan.parts.get(entry.part)?.view.index();
        match index.header().endian {
            Endian::Little => None,
            Endian::Big => Exchange::of(index.tensors().get(entry.tensor)?.tensor_type),
        }
    }

    /// A segment in canonical order. Blocks that it has in part are read whole.
    fn turned(&self, segment: &Segment, total: u64, exchange: &Exchange) -> io::Result<Vec<u8>> {
        let block = exchange.block() as u64;
        let before = segment.offset.checked_rem(block).unwrap_or_default();
        let end = segment.offset.saturating_add(segment.len).next_multiple_of(block.max(1)).min(total);
        let from = segment.offset.saturating_sub(before);
        let size = |n: u64| usize::try_from(n).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory));
        let mut bytes = vec![0; size(end.saturating_sub(from))?];
        self.fill(segment.item, from, &mut bytes)?;
        exchange.apply(&mut bytes);
        bytes.drain(..size(before)?.min(bytes.len()));
        bytes.truncate(size(segment.len)?);
        Ok(bytes)
    }
}

/// A segment in steps of a piece's length.
fn cut(segment: Segment) -> impl Iterator<Item = Segment> {
    let end = segment.offset.saturating_add(segment.len);
    let mut at = Some(segment.offset);
    core::iter::from_fn(move || {
        let offset = at?;
        let len = end.saturating_sub(offset).min(PIECE);
        let last = offset.saturating_add(len) >= end;
        at = (!last).then(|| offset.saturating_add(len));
        Some(Segment { offset, len, last: last && segment.last, ..segment })
    })
}

/// Gives segments to the digest of tensors, which begins anew after each.
fn feed(
    segments: &[Segment],
    bytes: &[u8],
    hasher: Option<&mut Hasher>,
    algorithm: Algorithm,
    slot: usize,
    found: &mut Found,
) {
    let Some(hasher) = hasher else { return };
    let mut rest = bytes;
    for segment in segments {
        let Some((own, after)) = rest.split_at_checked(usize::try_from(segment.len).unwrap_or(usize::MAX))
        else {
            break;
        };
        rest = after;
        hasher.update(own);
        if segment.last
            && let Some(fresh) = Hasher::new(algorithm)
        {
            found.layers.push((segment.item, slot, std::mem::replace(hasher, fresh).finish()));
        }
    }
}
