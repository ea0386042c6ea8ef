//! Where tensors lie in their file, and what is odd about it.

use ggufkit_format::{Path, Span, TensorPart, layout};

use super::notices::Notice;
use crate::tensors::{Row, Sizing, Table};
use crate::units::{bytes, count};

/// Longest tensor name that ggml keeps; it takes no name of 64 bytes and more.
const MAX_NAME: u64 = 63;

/// One sort of oddity: how often, and the first of them in the order that it is looked for in.
#[derive(Default)]
struct Sort<'a> {
    count: u64,
    first: Option<(Row<'a>, String)>,
}

impl<'a> Sort<'a> {
    fn add(&mut self, row: &Row<'a>, message: impl FnOnce() -> String) {
        self.count += 1;
        if self.first.is_none() {
            self.first = Some((*row, message()));
        }
    }

    fn finish(self, code: &'static str, part: TensorPart, notices: &mut Vec<Notice<'a>>) {
        let Some((row, message)) = self.first else { return };
        let path = Path::tensor(row.index as u64, part);
        // A place in the data is told by its position there, any other by that of the record.
        let span = match part {
            TensorPart::Data => Span::new(row.data.unwrap_or(u64::MAX), row.size.unwrap_or(0)),
            TensorPart::Name => row.tensor.name.span,
            _ => row.tensor.span,
        };
        notices.push(Notice::new(code, message).times(self.count).at(&row.part, &path, span));
    }
}

/// What is odd about the tensors of one file of a model.
pub(super) fn of_part<'a>(table: &Table<'a>, part: usize, notices: &mut Vec<Notice<'a>>) {
    let [mut overflow, mut misfit, mut outside, mut misaligned, mut long] = [(); 5].map(|()| Sort::default());
    let mut placed = Vec::new();
    let mut index = 0;
    while let Some(row) = table.row(part, index) {
        index += 1;
        match row.size_error {
            Some(layout::SizeError::Overflow) => {
                overflow.add(&row, || "the size overflows 64 bits".to_owned())
            }
            Some(error @ layout::SizeError::BlockMisfit { .. }) => {
                misfit.add(&row, || format!("{error} of {}", row.tensor_type()));
            }
            _ => {}
        }
        if row.tensor.name.span.len > MAX_NAME {
            long.add(&row, || {
                format!("the name has {} bytes; llama.cpp takes at most {MAX_NAME}", row.tensor.name.span.len)
            });
        }
        let alignment = row.part.view.index().alignment();
        if layout::padding(row.tensor.offset, alignment) != 0 {
            misaligned.add(&row, || {
                format!("offset {} is no multiple of the alignment {alignment}", row.tensor.offset)
            });
        }
        let no_size = row.size_error == Some(layout::SizeError::Overflow);
        if row.data.is_none() && row.part.view.index().data_start().is_some() && !no_size {
            overflow.add(&row, || "the position of the data overflows 64 bits".to_owned());
        } else if row.in_file() == Some(false) && !no_size {
            outside.add(&row, || outside_message(&row));
        }
        if let Some(start) = row.data
            && row.size != Some(0)
        {
            placed.push((start, row.index));
        }
    }
    overflow.finish("tensor-size-overflow", TensorPart::Record, notices);
    misfit.finish("tensor-block-misfit", TensorPart::Record, notices);
    outside.finish("tensor-outside-file", TensorPart::Data, notices);
    misaligned.finish("tensor-misaligned", TensorPart::Offset, notices);
    long.finish("tensor-name-long", TensorPart::Name, notices);
    of_order(table, part, placed, notices);
}

fn outside_message(row: &Row<'_>) -> String {
    let size = row.part.size.unwrap_or(0);
    let end = row.data.zip(row.size).and_then(|(data, size)| data.checked_add(size));
    match end {
        Some(end) => format!("the data ends at {end:#x}, but the file at {size:#x}"),
        None => {
            format!("the data begins at {:#x}, but the file ends at {size:#x}", row.data.unwrap_or(u64::MAX))
        }
    }
}

/// Overlaps, gaps, and tensors that do not lie in the order of the table. `placed` holds position and index of every tensor
/// that has data, in the order of the table.
fn of_order<'a>(
    table: &Table<'a>,
    part: usize,
    mut placed: Vec<(u64, usize)>,
    notices: &mut Vec<Notice<'a>>,
) {
    let [mut overlap, mut gap, mut order] = [(); 3].map(|()| Sort::default());
    if let Some([_, late]) = placed.array_windows().find(|[a, b]| b.0 < a.0).copied() {
        let steps = placed.array_windows().filter(|[a, b]| b.0 < a.0).count() as u64;
        if let Some(row) = table.row(part, late.1) {
            order.count = steps;
            let message =
                "the data lies before that of the tensor listed before it; llama.cpp wants them in order";
            order.first = Some((row, message.to_owned()));
        }
        placed.sort_unstable();
    }
    let Some(first) = table.row(part, 0) else { return };
    let head = first.part.view.index();
    let (base, alignment) = (head.header().base, head.alignment());
    let padded = |end: u64| {
        let end = layout::align_up(end.checked_sub(base)?, alignment)?;
        end.checked_add(base)
    };
    // How far the data reaches, and the tensor that reaches so far; no end is known behind a size that is not.
    let mut reached: Option<(u64, Option<usize>)> = head.data_start().map(|start| (start, None));
    let mut unused = 0_u64;
    for (start, index) in placed {
        let Some(row) = table.row(part, index) else { continue };
        if let Some((end, owner)) = reached {
            if start < end {
                overlap.add(&row, || match owner.and_then(|owner| table.row(part, owner)) {
                    Some(other) => format!(
                        "the data overlaps that of \"{}\" at {start:#x}..{:#x}",
                        ggufkit_format::shorten(other.name.0, 60),
                        row.size.and_then(|size| start.checked_add(size)).map_or(end, |own| own.min(end))
                    ),
                    None => "the data begins before the data section".to_owned(),
                });
            } else if padded(end).is_some_and(|padded| padded < start) {
                let from = padded(end).unwrap_or(end);
                unused = unused.saturating_add(start - from);
                gap.add(&row, || {
                    format!("a gap of unused bytes lies before the data, from {from:#x} to {start:#x}")
                });
            }
        }
        let end = match row.sizing {
            Sizing::Exact => row.span().map(Span::end),
            Sizing::Inferred | Sizing::Unknown => None,
        };
        reached = match (reached, end) {
            (Some((so_far, owner)), Some(end)) if end <= so_far => Some((so_far, owner)),
            (_, Some(end)) => Some((end, Some(index))),
            // An upper bound may be all that there is until the next tensor: neither gap nor overlap follows from it.
            (_, None) => None,
        };
    }
    if gap.count > 1
        && let Some((_, message)) = &mut gap.first
    {
        message.push_str(&format!(
            "; {} gaps hold {} unused bytes ({})",
            gap.count,
            count(unused),
            bytes(unused)
        ));
    }
    overlap.finish("tensor-overlap", TensorPart::Data, notices);
    gap.finish("tensor-gap", TensorPart::Data, notices);
    order.finish("tensor-order", TensorPart::Data, notices);
}
