use ggufkit_format::{Tensor, TensorPart};

use super::fate::{laid, offer};
use crate::facts::{self, Facts, counted};
use crate::finding::{Change, Finding};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// The tensors' data does not lie in the order of the tensor table.
    ///
    /// The format gives every tensor an offset of its own, so any order is legal, and gguf-py, candle and the JavaScript
    /// readers load such a file. llama.cpp computes the offset that each tensor must have from those before it in the
    /// table and refuses any other ("has offset X, expected Y"). Writers that sort the table by name and leave the data
    /// where it was make such files.
    ///
    /// `gguf repair` lays the data out in the table's order; no value changes.
    GG207 "tensor-order" Layout Warning: "tensor data does not lie in the order of the tensor table"
        "张量数据的顺序与张量表不同"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for laid in laid(facts) {
        let index = laid.view.index();
        let tensors = index.tensors();
        let mut order: Vec<usize> = (laid.sane())
            // Tensors without bytes may share their place with a neighbour.
            .filter(|extent| extent.len() != Some(0))
            .map(|extent| extent.tensor)
            .collect();
        order.sort_unstable();
        let back = |pair: &&[usize; 2]| {
            let offset = |at: usize| tensors.get(at).map(|tensor| tensor.offset);
            offset(pair[1]) < offset(pair[0])
        };
        let count = order.array_windows().filter(back).count() as u64;
        let Some([before, at]) = order.array_windows().find(back).copied() else { continue };
        let record = |at: usize| -> Option<&Tensor> { tensors.get(at) };
        let (Some(earlier), Some(tensor)) = (record(before), record(at)) else { continue };
        sink.add(&RULE, || {
            let label = |at: usize, tensor: &Tensor| {
                facts::tensor_label(laid.at, &laid.view, at, tensor, TensorPart::Offset)
            };
            let primary = label(at, tensor).text(format!("{} lies before it", tensor.offset));
            let finding = Finding::new(&RULE, RULE.summary, primary)
                .because(label(before, earlier).text(format!("the tensor listed before is at {}", earlier.offset)))
                .note("llama.cpp refuses the file; readers that follow the offsets load it");
            let help = "`gguf repair FILE -o OUT` lays the data out in the table's order";
            let title = "lay the data section out anew";
            let finding = offer(finding, laid.unsettled(), Some(help), title, Change::Relayout);
            match count {
                1 => finding,
                n => finding.note(format!("{} in all go backwards", counted(n, "offset"))),
            }
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    let file = Builder::new().tensor(Tensor::f32("a.weight", &[8]).offset(32));
    file.tensor(Tensor::f32("b.weight", &[8]).offset(0)).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("a.weight", &[8])).tensor(Tensor::f32("b.weight", &[8])).into()
}
