use std::cell::LazyCell;

use ggufkit_format::extents::Extent;
use ggufkit_format::{Path, TensorPart};

use super::fate::{Laid, laid, offer};
use crate::facts::{self, Facts, counted};
use crate::finding::{Change, Finding};
use crate::place;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A tensor's offset is not a multiple of the file's alignment.
    ///
    /// The format asks for every tensor to begin on a boundary, so that a mapped file can be computed on in place.
    /// llama.cpp refuses such a file ("has offset X, expected Y"). Readers that cast mapped bytes to an array of floats
    /// panic or have undefined behaviour; those that copy the data first, as gguf-py does, accept it.
    ///
    /// The weights themselves are whole. `gguf repair` lays the data section out anew; the values do not change. Where
    /// every offset fits a smaller alignment, the writer used that one and recorded another, or none.
    GG203 "tensor-offset-misaligned" Layout Error: "tensor data does not start on an alignment boundary"
        "张量数据没有从对齐边界开始"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for laid in laid(facts) {
        let over = |extent: &Extent| laid.is_misaligned(extent);
        let count = laid.sane().filter(|extent| over(extent)).count() as u64;
        let unsettled = LazyCell::new(|| laid.unsettled());
        // One wrong alignment moves every tensor: that is one fault.
        let smaller = (0..=20).rev().map(|n| 1 << n).filter(|other| *other < laid.alignment);
        if count > 1
            && let Some(other) = laid.packed_to(smaller)
            && let Some(first) = laid.sane().find(|extent| over(extent))
        {
            sink.add(&RULE, || {
                let bytes = counted(other, "byte");
                let message = format!("the tensors are laid out to {bytes}, the file says {}", laid.alignment);
                let all = counted(count, "tensor");
                offered(finding(&laid, first, message), *unsettled)
                    .note(format!("{all} do not start on a boundary for that reason"))
            });
            continue;
        }
        for extent in laid.sane().filter(|extent| over(extent)) {
            sink.add(&RULE, || match laid.overlaps().any(|(a, b)| [a.tensor, b.tensor].contains(&extent.tensor)) {
                false => offered(finding(&laid, extent, RULE.summary.to_owned()), *unsettled),
                // Where its data is, the offset does not say.
                true => finding(&laid, extent, RULE.summary.to_owned())
                    .note("at this offset it shares bytes with another tensor: the offset is damaged")
                    .help("convert the model or fetch the file again"),
            });
        }
    }
}

/// With what lays the data section out anew, where that can be.
fn offered(finding: Finding, unsettled: Option<&str>) -> Finding {
    let help = "`gguf repair FILE -o OUT` lays the data section out with correct padding";
    offer(finding, unsettled, Some(help), "lay the data section out anew", Change::Relayout)
}

fn finding(laid: &Laid<'_, '_>, extent: &Extent, message: String) -> Finding {
    let alignment = laid.alignment;
    let text = format!("{} is not a multiple of {alignment}", extent.offset);
    let primary = match laid.view.index().tensors().get(extent.tensor) {
        Some(tensor) => facts::tensor_label(laid.at, &laid.view, extent.tensor, tensor, TensorPart::Offset),
        None => place::bytes_label(laid.at, laid.view.index().head(), &Path::Data),
    };
    let finding = Finding::new(&RULE, message, primary.text(text))
        .note("loaders that map tensors in place refuse or misread this file");
    match super::alignment_label(laid.at, &laid.view) {
        Some(label) => finding.because(label.text(format!("general.alignment is {alignment}"))),
        None => finding.note(format!("without general.alignment it is {alignment}")),
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().alignment(32).tensor(Tensor::f32("blk.0.attn_q.weight", &[4]).offset(17)).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().alignment(16).tensor(Tensor::f32("a", &[4])).tensor(Tensor::f32("b", &[4])).into()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

    use ggufkit_testkit::{Builder, Tensor};

    use crate::Options;
    use crate::testing::Recipe;

    #[test]
    fn another_alignment_than_the_recorded_one_is_said_once() {
        let mut file = Builder::new().kv("general.alignment", 64_u32).layout_alignment(64);
        for (at, name) in (0..).zip(["a", "b", "c", "d"]) {
            file = file.tensor(Tensor::f32(name, &[8]).offset(at * 32));
        }
        let mut options = Options::default();
        options.selection.select("tensor-offset-misaligned").unwrap();
        Recipe::from(file).judge(&options, |report, _| {
            let said: Vec<&str> = report.findings.iter().map(|f| f.message.as_str()).collect();
            assert_eq!(said, ["the tensors are laid out to 32 bytes, the file says 64"]);
        });
    }
}
