use std::cell::LazyCell;
use std::collections::HashSet;

use ggufkit_format::extents::{Extent, reaches};
use ggufkit_format::{Path, Span, TensorPart, layout};

use super::fate::{Laid, laid, offer};
use crate::facts::{self, Facts, counted};
use crate::finding::{Change, Finding};
use crate::place;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Unused bytes lie between two tensors, or before the first, that are more than padding.
    ///
    /// llama.cpp demands exact packing: each tensor begins where the one before it ends, rounded up to the alignment. It
    /// refuses the file with "has offset X, expected Y". gguf-py and readers that follow the offsets load it. A gap comes
    /// from a writer that pads to something other than `general.alignment`, from a tensor that was taken out of the table,
    /// or from one whose type got another size; in the last case the bytes in the gap are weights.
    ///
    /// If nothing is missing from the table, `gguf repair` closes the gaps; no value changes.
    GG208 "tensor-gap" Layout Warning: "unused bytes lie between tensors"
        "张量之间有未使用的字节"
}

/// A tensor that begins later than it could.
struct Gap<'f> {
    extent: &'f Extent,
    /// The tensor that ends before the gap.
    before: Option<&'f Extent>,
    /// Where the tensor could begin, as an offset.
    from: u64,
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for laid in laid(facts) {
        let gaps = gaps(&laid);
        let Some(first) = gaps.first() else { continue };
        let unsettled = LazyCell::new(|| laid.unsettled());
        if gaps.len() > 1
            && let Some(other) = laid.packed_to((0..=20).map(|n| 1 << n).filter(|other| *other > laid.alignment))
        {
            sink.add(&RULE, || {
                let message = format!("the tensors are laid out to {other} bytes, the file says {}", laid.alignment);
                let finding = finding(&laid, first, message, *unsettled);
                finding.note(format!("{} of the same kind follow from it", counted(gaps.len() as u64, "gap")))
            });
            continue;
        }
        for gap in &gaps {
            sink.add(&RULE, || {
                let unused = counted(gap.extent.offset.saturating_sub(gap.from), "unused byte");
                let message = match gap.before {
                    Some(_) => format!("a gap of {unused} lies between two tensors"),
                    None => format!("a gap of {unused} lies before the first tensor"),
                };
                finding(&laid, gap, message, *unsettled)
            });
        }
    }
}

fn finding(laid: &Laid<'_, '_>, gap: &Gap<'_>, message: String, unsettled: Option<&str>) -> Finding {
    let index = laid.view.index();
    let absolute = |offset: u64| laid.data_start.saturating_add(offset);
    let span = Span::between(absolute(gap.from), absolute(gap.extent.offset));
    let primary = match index.tensors().get(gap.extent.tensor) {
        Some(tensor) => {
            facts::tensor_label(laid.at, &laid.view, gap.extent.tensor, tensor, TensorPart::Offset)
                .text(format!("{}, where {} is expected", gap.extent.offset, gap.from))
        }
        None => place::bytes_label(laid.at, span, &Path::Data),
    };
    let mut finding = Finding::new(&RULE, message, primary);
    if let Some((before, tensor)) = gap.before.and_then(|b| Some((b, index.tensors().get(b.tensor)?))) {
        let end = before.offset.saturating_add(before.len().unwrap_or(0));
        let label = facts::tensor_label(laid.at, &laid.view, before.tensor, tensor, TensorPart::Offset);
        finding = finding.because(label.text(format!("the tensor before it ends at {end}")));
    }
    let unused = counted(span.len, "unused byte");
    let finding = finding
        .because(place::bytes_label(laid.at, span, &Path::Data).text(unused))
        .note("llama.cpp refuses the file; readers that follow the offsets load it");
    let help = "`gguf repair FILE -o OUT` lays the data section out without gaps";
    offer(finding, unsettled, Some(help), "lay the data section out anew", Change::Relayout)
}

fn gaps<'f>(laid: &Laid<'_, 'f>) -> Vec<Gap<'f>> {
    let mut gaps = Vec::new();
    // Where a tensor is missing whose offset leads out of the file, its room is left; and where one was moved over another,
    // as much is left behind it. The offset is the fault.
    let padded = |extent: &Extent| extent.len().and_then(|len| layout::align_up(len, laid.alignment));
    let lost: Vec<u64> = (laid.extents.iter().zip(laid.fates))
        .filter(|(_, fate)| !fate.is_sane())
        .filter_map(|(extent, _)| padded(extent))
        .collect();
    let moved: HashSet<usize> = laid.overlaps().flat_map(|(a, b)| [a.tensor, b.tensor]).collect();
    for reach in reaches(laid.sane()) {
        let extent = reach.extent;
        if let Some((from, _)) = reach.gap(laid.alignment) {
            // An offset that is off by less than the alignment is another rule's.
            let misaligned = extent.offset.checked_rem(laid.alignment).is_some_and(|over| over != 0)
                && extent.offset.saturating_sub(from) < laid.alignment;
            let second = |at: u64| {
                at.checked_sub(laid.data_start).is_some_and(|at| (from..extent.offset).contains(&at))
            };
            let follows = lost.contains(&extent.offset.saturating_sub(from))
                || moved.contains(&extent.tensor)
                || reach.farthest.is_some_and(|before| moved.contains(&before.tensor));
            if !misaligned && !follows && !laid.file.diagnosis.joined.is_some_and(second) {
                gaps.push(Gap { extent, before: reach.farthest, from });
            }
        }
    }
    gaps
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    let file = Builder::new().tensor(Tensor::f32("a.weight", &[8]));
    file.tensor(Tensor::f32("b.weight", &[8]).offset(128)).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("a.weight", &[7])).tensor(Tensor::f32("b.weight", &[8])).into()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

    use ggufkit_testkit::{Builder, Tensor};

    use crate::Options;
    use crate::testing::Recipe;

    fn messages(file: Builder) -> Vec<String> {
        let mut options = Options::default();
        options.selection.select("tensor-gap").unwrap();
        let said = |report: &crate::Report| report.findings.iter().map(|f| f.message.clone()).collect();
        Recipe::from(file).judge(&options, |report, _| said(report))
    }

    #[test]
    fn another_alignment_than_the_recorded_one_is_said_once() {
        let mut file = Builder::new().layout_alignment(64);
        for name in ["a", "b", "c", "d"] {
            file = file.tensor(Tensor::f32(name, &[4]));
        }
        assert_eq!(messages(file), ["the tensors are laid out to 64 bytes, the file says 32"]);
    }

    #[test]
    fn one_damaged_offset_is_said_once() {
        let spoken = |offset: u64| {
            let mut file = Builder::new();
            for (name, at) in [("a", 0), ("b", offset), ("c", 128), ("d", 192)] {
                file = file.tensor(Tensor::f32(name, &[16]).offset(at));
            }
            Recipe::from(file).spoken().into_iter().filter(|rule| rule.starts_with("tensor-")).collect::<Vec<_>>()
        };
        assert_eq!(spoken(1 << 40), ["tensor-out-of-range"]);
        assert_eq!(spoken(96), ["tensor-overlap"]);
        assert_eq!(spoken(32), ["tensor-overlap"]);
        assert_eq!(spoken(81), ["tensor-offset-misaligned"]);
        assert_eq!(spoken(64), [""; 0]);
    }

    #[test]
    fn the_first_tensor_begins_at_0() {
        let file = Builder::new().tensor(Tensor::f32("a", &[8]).offset(64));
        assert_eq!(messages(file), ["a gap of 64 unused bytes lies before the first tensor"]);
    }

    #[test]
    fn an_unknown_size_is_no_gap() {
        let file = Builder::new().tensor(Tensor::new("a", 156, &[8]).data([1; 64]));
        assert_eq!(messages(file.tensor(Tensor::f32("b", &[8]).offset(64))), [""; 0]);
    }
}
