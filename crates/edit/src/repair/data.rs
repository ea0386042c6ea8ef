//! Repairs of the data section, and what keeps it from being laid out anew.

use std::io;

use ggufkit_format::layout::{self, PLAUSIBLE_SIZE, SizeError};
use ggufkit_format::start::{Doubt, Lengths, doubt};
use ggufkit_format::{Span, shorten};

use super::{Reason, RepairError, Step, Work};
use crate::placement::{DataProblem, DataProblemReason, Placement};

/// Bytes that are read at once: gaps may be as long as the file.
const BUFFER: u64 = 256 << 10;

/// How tensors lie, compared with the canonical form.
#[derive(Default)]
struct Order {
    misaligned: Vec<usize>,
    gaps: Vec<(usize, u64)>,
    unordered: Option<usize>,
    /// The first tensor whose offset is not the sum of the sizes before it.
    unlike: Option<usize>,
}

/// What is behind the last tensor, or behind the head of a file without tensors.
struct Tail {
    /// Where that ends.
    start: u64,
    /// Where the padding behind it ends, or would end.
    padded: u64,
    /// Whether other bytes than zeros stand where padding is expected, and may be something else: padding is told by the
    /// file's ending with it, and a file without tensors has no need of any.
    unclear: bool,
}

impl Work<'_> {
    pub(super) fn data(&mut self) -> Result<(), RepairError> {
        let index = self.index();
        let placement = Placement::of(index, self.size);
        let realigned = self.document.alignment() != index.alignment();
        // A head of another length, or another alignment, moves the data; padding is told by where the data lies.
        if self.policy.own || self.relayout || realigned || self.document.touches_data()? {
            let before = self.reasons.len();
            self.refuse_uncertain_start(&placement, self.policy.own || realigned);
            if self.reasons.len() > before {
                // What lies between and behind the tensors, and whether all is there, hangs on where they begin.
                return Ok(());
            }
        }
        if self.policy.own || self.relayout {
            self.refuse_problems(&placement);
            if !placement.problems.is_empty() {
                return Ok(());
            }
        }
        let start = index.data_start().unwrap_or(self.size);
        let tail = self.tail(&placement)?;
        if self.policy.own {
            self.gap_after_head(start)?;
            let order = self.order(&placement);
            self.refuse_gaps(&order)?;
            self.say_order(&order)?;
            let moved = !index.tensors().is_empty() && self.document.alignment() != index.alignment();
            let end = if tail.unclear { placement.end } else { tail.padded.min(self.size) };
            let dirty = self.dirty(&placement, start, end)?;
            self.relayout = order.unlike.is_some() || moved || dirty;
        }
        if self.relayout && !self.policy.own {
            let order = self.order(&placement);
            self.refuse_gaps(&order)?;
        }
        if tail.unclear && index.tensors().is_empty() {
            self.document.keep_behind_head();
        } else if tail.unclear && self.relayout && !(self.policy.own && self.policy.cut_trailing) {
            let message = "bytes follow the last tensor at once, where padding is expected; what they are cannot be told";
            let padding = Span::between(tail.start, tail.padded.min(self.size));
            self.refuse(Reason::new("trailing-bytes", message).in_path("unparsed").at(padding));
        }
        if self.relayout {
            self.document.relayout()?;
            for at in placement.inferred.iter().take(20) {
                let span = placement.spans.get(*at).copied().unwrap_or_default();
                let message = format!(
                    "tensors[{at}] is of a type whose size is not known here: its {} bytes up to what follows are copied as they are",
                    span.len
                );
                let path = format!("tensors[{at}].data");
                self.left.push(Reason::new("size-not-known", message).in_path(path).at(span));
            }
        }
        if self.policy.own {
            self.behind(&placement, &tail)?;
        }
        Ok(())
    }

    /// Refuses a file that leaves open where its data begins.
    fn refuse_uncertain_start(&mut self, placement: &Placement, mends_keys: bool) {
        let start = self.index().data_start().unwrap_or(self.size);
        // What is not all there would end behind the file.
        let data = match placement.inferred.as_slice() {
            [] => placement.order.known_end(),
            _ => placement.end.saturating_sub(start),
        };
        let lengths = Lengths { data, source: self.size };
        let reason = match doubt(&self.view, placement.order.as_slice(), lengths, mends_keys) {
            None => return,
            Some(Doubt::Key(span)) => {
                let message = "general.alignment is written as loaders do not read it, and where the data begins hangs on it: which place was meant cannot be told";
                Reason::new("alignment-type", message).in_path("kv").at(span)
            }
            Some(Doubt::Packed(other)) => {
                let declared = self.index().alignment();
                let message = format!(
                    "the alignment is {declared} and the tensors are laid out to {other}, by which the data would begin elsewhere: which place was meant cannot be told"
                );
                Reason::new("alignment-uncertain", message).in_path("data").at(Span::new(start, 0))
            }
        };
        self.refuse(reason);
    }

    fn refuse_problems(&mut self, placement: &Placement) {
        for code in ["data-cut-short", "tensor-overlap", "block-misfit", "bytes-overflow"] {
            let mut all = placement.problems.iter().filter(|problem| code_of(problem) == code);
            let Some(first) = all.next() else { continue };
            let more = all.count();
            let tensor = self.index().tensors().get(first.tensor);
            let name = shorten(self.document.name(first.tensor as u64), 60);
            let mut message = format!("tensors[{}] \"{name}\": {}", first.tensor, first.reason);
            if more > 0 {
                message.push_str(&format!("; {more} more tensors like it"));
            }
            let reason = Reason::new(code, message).in_path(format!("tensors[{}]", first.tensor));
            let reason = reason.at(tensor.map(|tensor| tensor.span).unwrap_or_default());
            self.refuse(match (code, first.reason) {
                ("data-cut-short", DataProblemReason::OutOfFile { end, .. }) if end > PLAUSIBLE_SIZE => {
                    reason.help("no file is so long: the tensor table is damaged")
                }
                ("data-cut-short", _) => reason.help(
                    "the download is not complete: compare the size with the publisher's, and resume it or fetch it again",
                ),
                ("tensor-overlap", _) => reason.help("which of them the bytes belong to cannot be told from the file"),
                _ => reason,
            });
        }
    }

    fn tail(&self, placement: &Placement) -> Result<Tail, RepairError> {
        let index = self.index();
        let (base, bare) = (index.header().base, index.tensors().is_empty());
        let start = if bare { index.head_end() } else { placement.end };
        let padded = layout::align_up(start.saturating_sub(base), index.alignment());
        let padded = padded.and_then(|end| end.checked_add(base)).unwrap_or(u64::MAX);
        let padding = Span::between(start, padded.min(self.size));
        let unclear = (bare || self.size != padded) && self.is_dirty(padding)?;
        Ok(Tail { start, padded, unclear })
    }

    /// Bytes between the head and the data that are not zero.
    fn gap_after_head(&mut self, start: u64) -> Result<(), RepairError> {
        if self.index().tensors().is_empty() {
            return Ok(());
        }
        let gap = Span::between(self.index().head_end(), start.min(self.size));
        if self.is_dirty(gap)? {
            self.document.clean_gap();
            let what = "make zeros of the padding between the head and the data";
            self.step(Step::new("head-padding-nonzero", what, "padding", gap));
        }
        Ok(())
    }

    /// Whether bytes are other than zero; all of them are looked at.
    fn is_dirty(&self, gap: Span) -> Result<bool, RepairError> {
        let (mut at, end) = (gap.start, gap.end().min(self.size));
        let size = end.saturating_sub(at).min(BUFFER);
        let mut buffer = vec![0; usize::try_from(size).unwrap_or_default()];
        while at < end {
            let want = usize::try_from(end.saturating_sub(at)).unwrap_or(usize::MAX).min(buffer.len());
            let chunk = buffer.get_mut(..want).unwrap_or_default();
            let read = match self.source.read_at(chunk, at) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read?.min(want),
            };
            if read == 0 {
                break;
            }
            if chunk.iter().take(read).any(|&byte| byte != 0) {
                return Ok(true);
            }
            at = at.saturating_add(read as u64);
        }
        Ok(false)
    }

    /// Padding between the tensors, and behind the last one up to `end`, that is not zero.
    fn dirty(&mut self, placement: &Placement, start: u64, end: u64) -> Result<bool, RepairError> {
        let (mut first, mut count) = (None, 0_u64);
        let (base, alignment) = (self.index().header().base, self.index().alignment());
        for gap in placement.gaps(start, end) {
            // What is more than padding is left out, and said there.
            let padding = layout::padding(gap.start.saturating_sub(base), alignment);
            let gap = Span::new(gap.start, gap.len.min(padding));
            if self.is_dirty(gap)? {
                first = first.or(Some(gap));
                count = count.saturating_add(1);
            }
        }
        let Some(first) = first else { return Ok(false) };
        let what = match count {
            1 => "make zeros of the padding behind a tensor".to_owned(),
            n => format!("make zeros of the padding behind {n} tensors"),
        };
        self.step(Step::new("tensor-padding-nonzero", what, "data", first));
        Ok(true)
    }

    fn order(&self, placement: &Placement) -> Order {
        let index = self.index();
        let alignment = index.alignment();
        let mut order = Order::default();
        let mut expected = Some(0_u64);
        for (at, (tensor, span)) in index.tensors().iter().zip(&placement.spans).enumerate() {
            if expected != Some(tensor.offset) {
                order.unlike = order.unlike.or(Some(at));
            }
            expected = expected.and_then(|at| layout::align_up(at.checked_add(span.len)?, alignment));
        }
        let sorted = placement.order.as_slice();
        let back = sorted.array_windows().find(|[one, next]| next.tensor < one.tensor);
        order.unordered = back.map(|[_, next]| next.tensor);
        for reach in placement.order.reaches() {
            let (at, offset) = (reach.extent.tensor, reach.extent.offset);
            if offset.checked_rem(alignment).is_some_and(|over| over > 0) {
                order.misaligned.push(at);
            }
            if let Some((from, to)) = reach.gap(alignment) {
                order.gaps.push((at, to.saturating_sub(from)));
            }
        }
        order
    }

    fn say_order(&mut self, order: &Order) -> Result<(), RepairError> {
        let tensors = |n: usize| if n == 1 { "1 tensor".to_owned() } else { format!("{n} tensors") };
        let mut said = Vec::new();
        if let Some(first) = order.misaligned.first() {
            let what = format!("move {} to where the alignment asks for", tensors(order.misaligned.len()));
            said.push(("tensor-offset-misaligned", what, *first));
        }
        if let Some(first) = order.unordered {
            said.push(("tensor-order", "put the data in the order of the tensor table".to_owned(), first));
        }
        if let Some((first, _)) = order.gaps.first() {
            let bytes = order.gaps.iter().fold(0_u64, |sum, (_, gap)| sum.saturating_add(*gap));
            let before = tensors(order.gaps.len());
            let mut odd = "";
            for gap in &order.gaps {
                if self.odd_gap(*gap)?.is_some() {
                    odd = ", not all of them zero";
                    break;
                }
            }
            let what = format!("leave out {bytes} bytes before {before} that belong to none{odd}");
            said.push(("tensor-gap", what, *first));
        }
        if let (Some(first), true) = (order.unlike, said.is_empty()) {
            said.push((
                "tensor-gap",
                "write the offset that follows from the sizes before it".to_owned(),
                first,
            ));
        }
        for (code, what, at) in said {
            // The offset is what a record ends with; a mis-written one ends with the type.
            let span = self.index().tensors().get(at).map(|tensor| tensor.span).unwrap_or_default();
            let step = Step::new(code, what, format!("tensors[{at}].offset"), span);
            let step = step.named(self.document.name(at as u64));
            self.step(step);
        }
        Ok(())
    }

    /// Whether the gap before a tensor holds more than zeros: where, if so.
    fn odd_gap(&self, (at, len): (usize, u64)) -> Result<Option<Span>, RepairError> {
        let tensor = self.index().tensors().get(at);
        let Some(end) = tensor.and_then(|tensor| self.index().data_position(tensor)) else { return Ok(None) };
        let gap = Span::between(end.saturating_sub(len), end);
        Ok(self.is_dirty(gap)?.then_some(gap))
    }

    /// Refuses gaps that hold more than zeros: they may be weights that the tensor table lost.
    fn refuse_gaps(&mut self, order: &Order) -> Result<(), RepairError> {
        if self.policy.drop_gaps {
            return Ok(());
        }
        for gap in &order.gaps {
            if let Some(span) = self.odd_gap(*gap)? {
                let at = gap.0;
                let name = shorten(self.document.name(at as u64), 60);
                let message = format!(
                    "the {} bytes before tensors[{at}] \"{name}\" belong to no tensor and are not all zero: a new layout of the data has no room for them",
                    span.len
                );
                self.refuse(
                    Reason::new("tensor-gap", message).in_path(format!("tensors[{at}].offset")).at(span),
                );
            }
        }
        Ok(())
    }

    /// What follows the data: padding that is missing, bytes that belong to nothing.
    fn behind(&mut self, placement: &Placement, tail: &Tail) -> Result<(), RepairError> {
        let padded = tail.padded;
        // Without tensors nothing is missing, and behind a type of unknown size nobody knows what padding is.
        let last_known = placement.order.as_slice().last().is_some_and(|last| last.len().is_some());
        if self.size < padded && last_known && !tail.unclear {
            let missing = padded.saturating_sub(self.size);
            let what = format!("add {missing} zeros, the padding behind the last tensor");
            self.step(Step::new("final-padding-missing", what, "data", Span::new(self.size, 0)));
            if !self.relayout {
                self.document.extend(padded);
            }
        }
        let behind = if tail.unclear { tail.start } else { padded };
        let trailing = self.size.saturating_sub(behind);
        if trailing == 0 {
            return Ok(());
        }
        if self.policy.cut_trailing {
            let padding = if tail.unclear && last_known { ", and write padding in their place" } else { "" };
            let what = format!("cut off the {trailing} bytes behind the data{padding}");
            self.step(Step::new("trailing-bytes", what, "unparsed", Span::new(behind, trailing)));
            self.document.cut(behind)?;
            if last_known {
                self.document.extend(padded);
            }
        } else {
            let message = format!("{trailing} bytes behind the data belong to nothing");
            let reason = Reason::new("trailing-bytes", message).in_path("unparsed");
            self.left.push(reason.at(Span::new(behind, trailing)));
        }
        Ok(())
    }
}

fn code_of(problem: &DataProblem) -> &'static str {
    match problem.reason {
        DataProblemReason::OutOfFile { .. } => "data-cut-short",
        DataProblemReason::Overlaps { .. } => "tensor-overlap",
        DataProblemReason::Size(SizeError::Overflow) => "bytes-overflow",
        DataProblemReason::Size(_) => "block-misfit",
    }
}
