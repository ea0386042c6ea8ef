use ggufkit_format::spec::TensorType;
use ggufkit_format::{TensorPart, shorten};
use ggufkit_inspect::summary::Kind;

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Sums or counts of an importance matrix are of a shape or a type that does not go together.
    ///
    /// `X.in_sum2` is F32 [columns, experts] and `X.counts` is F32 [1, experts]: one count for each expert, one expert where
    /// there are none. llama.cpp's quantizer divides row by row and does not compare the shapes: with fewer counts than
    /// experts it reads beyond them, and it reads the numbers as F32 whatever their type says.
    ///
    /// Convert or measure the matrix anew with `llama-imatrix`. Do not quantize an importance matrix: it is small, and its
    /// numbers span many orders of magnitude.
    GG811 "imatrix-shape-mismatch" Kinds Error: "sums and counts of an importance matrix do not fit each other"
        "重要性矩阵的和与计数形状不符"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if facts.kind() != Kind::Imatrix {
        return;
    }
    for at in facts.rows() {
        let name = at.name();
        let sums = name.strip_suffix(b".in_sum2");
        if sums.is_none() && !name.ends_with(b".counts") {
            continue;
        }
        if at.tensor.tensor_type != TensorType::F32 {
            let ty = at.tensor.tensor_type;
            sink.add(&RULE, || {
                let message = format!("{} is {ty}, expected F32", shorten(name, 80));
                Finding::new(&RULE, message, at.label(TensorPart::Type).text(format!("{ty}")))
                    .note("llama.cpp's quantizer reads the numbers as F32")
                    .help("convert or measure the matrix anew with llama-imatrix")
            });
            continue;
        }
        let Some(counts) = sums.and_then(|base| facts.tensor([base, b".counts"].concat())) else { continue };
        let rows = |dims: &[u64]| dims.iter().skip(1).try_fold(1_u64, |n, &dim| n.checked_mul(dim));
        let counted = counts.part.view.index().dims(counts.record);
        if rows(at.dims()) == rows(counted) && counted.first().is_none_or(|&n| n == 1) {
            continue;
        }
        sink.add(&RULE, || {
            let list = |dims: &[u64]| dims.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
            let (of_sums, of_counts) = (list(at.dims()), list(counted));
            let name = shorten(name, 80);
            let message = format!("{name} is [{of_sums}], its counts are [{of_counts}]");
            let other = facts.tensor_label(&counts, TensorPart::Dim(0));
            Finding::new(&RULE, message, at.shape_label().text("columns, and experts"))
                .because(other.text("one count, for each expert"))
                .note("llama.cpp's quantizer divides row by row by the counts, and does not compare")
                .help("convert or measure the matrix anew with llama-imatrix")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    crate::testing::Tiny::imatrix()
        .tensor("blk.0.ffn_up_exps.weight.in_sum2", &[8, 4])
        .tensor("blk.0.ffn_up_exps.weight.counts", &[1, 1])
        .into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    crate::testing::Tiny::imatrix()
        .tensor("blk.0.ffn_up_exps.weight.in_sum2", &[8, 4])
        .tensor("blk.0.ffn_up_exps.weight.counts", &[1, 4])
        .into()
}
