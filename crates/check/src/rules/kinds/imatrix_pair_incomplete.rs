use ggufkit_format::{TensorPart, shorten};
use ggufkit_inspect::summary::Kind;

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// An importance matrix has the sums of a tensor without its counts, or the other way round.
    ///
    /// `X.in_sum2` adds up the squares of what went into the matrix X, `X.counts` says of how many tokens; only the quotient
    /// means anything. llama.cpp's quantizer refuses the whole file when one of the two is absent ("mismatched sums and
    /// counts").
    ///
    /// It comes from a program that filtered or renamed tensors of the file. Measure the matrix anew, or leave both tensors
    /// out: a tensor without importance is quantized as without a matrix.
    GG810 "imatrix-pair-incomplete" Kinds Error: "sums and counts of an importance matrix do not pair"
        "重要性矩阵的和与计数不成对"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if facts.kind() != Kind::Imatrix || !facts.is_complete() {
        return;
    }
    for at in facts.rows() {
        let name = at.name();
        let half = name.strip_suffix(b".in_sum2").map(|base| (base, "counts"));
        let Some((base, other)) = half.or_else(|| name.strip_suffix(b".counts").map(|base| (base, "in_sum2"))) else {
            continue;
        };
        if facts.tensor([base, b".", other.as_bytes()].concat()).is_some() {
            continue;
        }
        sink.add(&RULE, || {
            let label = at.label(TensorPart::Name).text(format!("the {other} that go with it are absent"));
            Finding::new(&RULE, format!("{} has no {other}", shorten(base, 80)), label)
                .note("llama.cpp's quantizer refuses the whole importance matrix")
                .help("measure the matrix anew, or leave both tensors out")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    crate::testing::Tiny::imatrix().tensor("blk.0.ffn_up.weight.in_sum2", &[8, 1]).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    crate::testing::Tiny::imatrix()
        .tensor("blk.0.ffn_up.weight.in_sum2", &[8, 1])
        .tensor("blk.0.ffn_up.weight.counts", &[1, 1])
        .into()
}
