use ggufkit_format::{TensorPart, shorten};
use ggufkit_inspect::summary::Kind;

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// The two halves of a LoRA pair are of different rank, so they cannot be multiplied.
    ///
    /// A is [inputs, rank] and B is [rank, outputs]. Where the second dimension of A is not the first of B, llama.cpp
    /// refuses the adapter ("lora_a tensor is not transposed"); for token embeddings, which are looked up and not
    /// multiplied, both ranks are the first dimension. Different pairs may well be of different ranks.
    ///
    /// The old `finetune` program wrote A the other way round, and so do conversions that forget that GGUF writes the row
    /// length first. Convert the original adapter anew.
    GG804 "lora-rank-mismatch" Kinds Error: "the halves of a LoRA pair are of different rank"
        "LoRA 张量对两半的秩不同"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if facts.kind() != Kind::Lora {
        return;
    }
    for at in facts.rows() {
        let Some(base) = at.name().strip_suffix(b".lora_a") else { continue };
        let Some(b) = facts.tensor([base, b".lora_b"].concat()) else { continue };
        let rank = |dims: &[u64], axis: usize| dims.get(axis).copied().unwrap_or(1);
        let axis = usize::from(!base.starts_with(b"token_embd"));
        let (rank_a, rank_b) = (rank(at.dims(), axis), rank(b.part.view.index().dims(b.record), 0));
        if rank_a == rank_b {
            continue;
        }
        sink.add(&RULE, || {
            let message = format!("{}: lora_a is of rank {rank_a}, lora_b of rank {rank_b}", shorten(base, 80));
            let other = facts.tensor_label(&b, TensorPart::Dim(0));
            Finding::new(&RULE, message, at.shape_label().text(format!("rank {rank_a}")))
                .because(other.text(format!("rank {rank_b}")))
                .note("llama.cpp refuses the whole adapter")
                .help("convert the original adapter anew")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    crate::testing::Tiny::lora()
        .tensor("blk.0.attn_k.weight.lora_a", &[2, 8])
        .tensor("blk.0.attn_k.weight.lora_b", &[2, 8])
        .into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    crate::testing::Tiny::lora()
        .tensor("blk.0.ffn_up_exps.weight.lora_a", &[8, 3, 2])
        .tensor("blk.0.ffn_up_exps.weight.lora_b", &[3, 16, 2])
        .tensor("token_embd.weight.lora_a", &[2, 5])
        .tensor("token_embd.weight.lora_b", &[2, 8])
        .into()
}
