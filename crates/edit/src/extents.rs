//! Which bytes of the source are which tensor's, and what keeps that from being told.

use std::fmt;

use ggufkit_format::layout::{self, SizeError};
use ggufkit_format::{Index, Span};

/// Where the data of every tensor lies.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Extents {
    /// The data of each tensor, in the order of the table. Of one with a problem: nothing.
    pub spans: Vec<Span>,
    /// Tensors whose size is not known: their data is taken to reach to the next tensor's offset, or to the file's end.
    pub inferred: Vec<usize>,
    /// What cannot be told, or makes no sense.
    pub problems: Vec<DataProblem>,
    /// Positions in the table in the order of the data.
    pub order: Vec<usize>,
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

impl Extents {
    /// The data of an index's tensors, in a source of this length.
    #[must_use]
    pub fn of(index: &Index, size: u64) -> Self {
        let tensors = index.tensors();
        let start = index.data_start().unwrap_or(size);
        let mut out =
            Self { spans: vec![Span::default(); tensors.len()], end: start.min(size), ..Self::default() };
        let len = |at: usize| {
            let tensor = tensors.get(at)?;
            Some(layout::tensor_bytes(tensor.tensor_type, index.dims(tensor)))
        };
        let lens: Vec<Result<u64, SizeError>> = (0..tensors.len()).filter_map(len).collect();
        out.order = (0..tensors.len()).collect();
        // Tensors without bytes may share their offset with the next one, and come before it.
        out.order.sort_by_key(|&at| {
            let empty = matches!(lens.get(at), Some(Ok(0)));
            (tensors.get(at).map(|tensor| tensor.offset), !empty, at)
        });
        let mut reached: Option<(u64, usize)> = None;
        for (place, &at) in out.order.iter().enumerate() {
            let (Some(tensor), Some(len)) = (tensors.get(at), lens.get(at)) else { continue };
            let mut problem = |reason| out.problems.push(DataProblem { tensor: at, reason });
            let Some(begin) = start.checked_add(tensor.offset).filter(|begin| *begin <= size) else {
                let end = start.saturating_add(tensor.offset);
                problem(DataProblemReason::OutOfFile { end, size });
                continue;
            };
            let end = match len {
                Ok(len) => begin.saturating_add(*len),
                Err(SizeError::UnknownType(_) | SizeError::RemovedType(_)) => {
                    out.inferred.push(at);
                    let later = out.order.get(place.saturating_add(1)..).unwrap_or_default();
                    let next = later.first().and_then(|&next| Some((next, tensors.get(next)?.offset)));
                    if let Some((other, _)) = next.filter(|(_, offset)| *offset == tensor.offset) {
                        problem(DataProblemReason::Overlaps { other });
                    }
                    next.and_then(|(_, offset)| start.checked_add(offset)).unwrap_or(size).min(size)
                }
                Err(error) => {
                    problem(DataProblemReason::Size(*error));
                    continue;
                }
            };
            if end > size {
                problem(DataProblemReason::OutOfFile { end, size });
                continue;
            }
            if let Some((_, other)) = reached.filter(|(reached, _)| begin < *reached && end > begin) {
                problem(DataProblemReason::Overlaps { other });
            }
            if reached.is_none_or(|(reached, _)| end > reached) {
                reached = Some((end, at));
            }
            if let Some(span) = out.spans.get_mut(at) {
                *span = Span::between(begin, end);
            }
            out.end = out.end.max(end);
        }
        out
    }

    /// The bytes between and behind the tensors' data, up to `end`: what a new layout writes as zeros or leaves out.
    pub fn gaps(&self, data_start: u64, end: u64) -> impl Iterator<Item = Span> {
        let mut reached = data_start;
        let ends = self.order.iter().filter_map(|&at| self.spans.get(at).copied());
        ends.chain([Span::new(end, 0)]).filter_map(move |span| {
            let gap = Span::between(reached, span.start);
            reached = reached.max(span.end());
            (!gap.is_empty()).then_some(gap)
        })
    }
}
