//! Where a file holds the bytes of each tensor, and what keeps that from being told.

use std::fmt;

use ggufkit_format::extents::{Extents, Reaching};
use ggufkit_format::layout::SizeError;
use ggufkit_format::{Index, Span};

/// Where the data of every tensor lies in a source, all of it or with the reasons why not.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Placement {
    /// The data of each tensor, in the order of the table. Of one with a problem: nothing.
    pub spans: Vec<Span>,
    /// Tensors whose size is not known: their data is taken to reach to the next tensor's offset, or to the file's end.
    pub inferred: Vec<usize>,
    /// What cannot be told, or makes no sense.
    pub problems: Vec<DataProblem>,
    /// The data in its order.
    pub order: Extents,
    /// Where the last tensor's data ends; where the data section begins when there is none.
    pub end: u64,
}

/// Why a tensor's data cannot be told from other bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DataProblem {
    /// Position in the tensor table, from 0.
    pub tensor: usize,
    /// What is wrong.
    pub reason: DataProblemReason,
}

/// What is wrong with a tensor's place or size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DataProblemReason {
    /// Type and shape give no size.
    Size(SizeError),
    /// The data is not, or not all, in the file.
    OutOfFile {
        /// Where it would end; saturating.
        end: u64,
        /// Where the file ends.
        size: u64,
    },
    /// The data begins before that of another tensor ends.
    Overlaps {
        /// The other's position in the tensor table.
        other: usize,
    },
}

impl fmt::Display for DataProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tensors[{}]: {}", self.tensor, self.reason)
    }
}

impl fmt::Display for DataProblemReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size(error) => error.fmt(f),
            Self::OutOfFile { end, size } => {
                write!(f, "the data would end at {end:#x}, the file ends at {size:#x}")
            }
            Self::Overlaps { other } => {
                write!(f, "the data begins before that of tensors[{other}] ends")
            }
        }
    }
}

impl Placement {
    /// The data of an index's tensors, in a source of this length.
    #[must_use]
    pub fn of(index: &Index, size: u64) -> Self {
        let tensors = index.tensors();
        let start = index.data_start().unwrap_or(size);
        let mut out =
            Self { spans: vec![Span::default(); tensors.len()], end: start.min(size), ..Self::default() };
        let order = Extents::of(index);
        let mut reaching = Reaching::default();
        for (place, extent) in order.as_slice().iter().enumerate() {
            let at = extent.tensor;
            let mut problem = |reason| out.problems.push(DataProblem { tensor: at, reason });
            let Some(begin) = start.checked_add(extent.offset).filter(|begin| *begin <= size) else {
                let end = start.saturating_add(extent.offset);
                problem(DataProblemReason::OutOfFile { end, size });
                continue;
            };
            let end = match extent.size {
                Ok(len) => begin.saturating_add(len),
                Err(SizeError::UnknownType(_) | SizeError::RemovedType(_)) => {
                    out.inferred.push(at);
                    let next = order.as_slice().get(place.saturating_add(1));
                    if let Some(next) = next.filter(|next| next.offset == extent.offset) {
                        problem(DataProblemReason::Overlaps { other: next.tensor });
                    }
                    let next = order.next_offset(extent.offset);
                    next.and_then(|offset| start.checked_add(offset)).unwrap_or(size).min(size)
                }
                Err(error) => {
                    problem(DataProblemReason::Size(error));
                    continue;
                }
            };
            if end > size {
                problem(DataProblemReason::OutOfFile { end, size });
                continue;
            }
            if let Some(other) = reaching.before(extent).overlaps() {
                problem(DataProblemReason::Overlaps { other: other.tensor });
            }
            reaching.pass(extent);
            if let Some(span) = out.spans.get_mut(at) {
                *span = Span::between(begin, end);
            }
            out.end = out.end.max(end);
        }
        out.order = order;
        out
    }

    /// The bytes between and behind the tensors' data, up to `end`: what a new layout writes as zeros or leaves out.
    pub fn gaps(&self, data_start: u64, end: u64) -> impl Iterator<Item = Span> {
        let mut reached = data_start;
        let ends = self.order.as_slice().iter().filter_map(|extent| self.spans.get(extent.tensor).copied());
        ends.chain([Span::new(end, 0)]).filter_map(move |span| {
            let gap = Span::between(reached, span.start);
            reached = reached.max(span.end());
            (!gap.is_empty()).then_some(gap)
        })
    }
}
