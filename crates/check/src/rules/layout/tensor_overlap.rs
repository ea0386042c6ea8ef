use ggufkit_format::TensorPart;
use ggufkit_format::extents::Extent;

use super::fate::laid;
use crate::facts::{self, Facts, counted};
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Two tensors claim the same bytes of the file.
    ///
    /// At most one of them can be what it should be. llama.cpp refuses the file ("has offset X, expected Y"); gguf-py and
    /// other readers that follow the offsets load both and compute with wrong weights, without a word. A rewriter whose
    /// size table lacks a type, or counts its blocks too small, makes such files; so does a damaged offset.
    ///
    /// The bytes that were overwritten are lost: convert or quantize the model again, or fetch the file again. Where two
    /// names stand for one tensor on purpose (tied weights), one of the names has to go: the format has no sharing, and
    /// loaders know which tensor to use in its place.
    GG209 "tensor-overlap" Layout Error: "two tensors claim the same bytes"
        "两个张量占用相同的字节"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for laid in laid(facts) {
        let index = laid.view.index();
        // An offset that is no multiple of the alignment is damaged, and another rule says so.
        let whole = |(a, b): &(&Extent, &Extent)| !laid.is_misaligned(a) && !laid.is_misaligned(b);
        for (owner, extent) in laid.overlaps().filter(whole) {
            if let (Some(reached), Some(end)) = (owner.end(), extent.end())
                && let (Some(first), Some(second)) =
                    (index.tensors().get(owner.tensor), index.tensors().get(extent.tensor))
            {
                sink.add(&RULE, || {
                    let absolute = |offset: u64| laid.data_start.saturating_add(offset);
                    let (from, to) = (extent.offset, end.min(reached));
                    let shared = to.saturating_sub(from);
                    let quoted = |tensor| laid.view.name(tensor).0;
                    let message = format!(
                        "the tensors \"{}\" and \"{}\" overlap at {:#06x}..{:#06x}",
                        ggufkit_format::shorten(quoted(first), 64),
                        ggufkit_format::shorten(quoted(second), 64),
                        absolute(from),
                        absolute(to)
                    );
                    let place = |extent: &Extent| {
                        let start = absolute(extent.offset);
                        let end = start.saturating_add(extent.len().unwrap_or(0));
                        format!("its data is at {start:#06x}..{end:#06x}")
                    };
                    let label = |extent: &Extent, tensor| {
                        facts::tensor_label(laid.at, &laid.view, extent.tensor, tensor, TensorPart::Offset)
                    };
                    Finding::new(&RULE, message, label(extent, second).text(place(extent)))
                        .because(label(owner, first).text(place(owner)))
                        .note(format!("{} belong to both; at most one of them is right", counted(shared, "byte")))
                        .note("llama.cpp refuses the file; readers that follow the offsets compute with wrong weights")
                        .help("what was overwritten is lost: convert the model or fetch the file again")
                });
            }
        }
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    let file = Builder::new().tensor(Tensor::f32("a.weight", &[16]));
    file.tensor(Tensor::f32("b.weight", &[16]).offset(32)).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    // A tensor without bytes takes no room, wherever it is.
    let file = Builder::new().tensor(Tensor::f32("a.weight", &[16])).tensor(Tensor::f32("e", &[0]).offset(32));
    file.tensor(Tensor::f32("b.weight", &[16]).offset(64)).into()
}
