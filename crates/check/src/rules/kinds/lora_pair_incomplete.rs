use ggufkit_format::{TensorPart, shorten};
use ggufkit_inspect::summary::Kind;

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// One half of a pair `.lora_a`, `.lora_b` is absent.
    ///
    /// An adapter changes a matrix by the product of two small ones, so one of them alone means nothing. llama.cpp refuses
    /// the whole adapter ("tensor pair … is missing one component"); programs that skip the half apply an adapter that is
    /// not the one that was trained.
    ///
    /// It comes from a conversion that was given a damaged or a partial checkpoint, or that dropped a name it did not know.
    /// Convert the original adapter anew. A tensor that the training did not touch has neither half.
    GG803 "lora-pair-incomplete" Kinds Error: "one half of a LoRA pair is absent"
        "LoRA 张量对缺少一半"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if facts.kind() != Kind::Lora || !facts.is_complete() {
        return;
    }
    for at in facts.rows() {
        let name = at.name();
        let half = name.strip_suffix(b".lora_a").map(|base| (base, "lora_b"));
        let Some((base, other)) = half.or_else(|| name.strip_suffix(b".lora_b").map(|base| (base, "lora_a"))) else {
            continue;
        };
        if facts.tensor([base, b".", other.as_bytes()].concat()).is_some() {
            continue;
        }
        sink.add(&RULE, || {
            let message = format!("{} has no {other}", shorten(base, 80));
            Finding::new(&RULE, message, at.label(TensorPart::Name).text(format!("the {other} that goes with it is absent")))
                .note("llama.cpp refuses the whole adapter")
                .help("convert the original adapter anew")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    crate::testing::Tiny::lora().tensor("blk.0.attn_k.weight.lora_a", &[8, 2]).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    crate::testing::Tiny::lora()
        .tensor("blk.0.attn_k.weight.lora_a", &[8, 2])
        .tensor("blk.0.attn_k.weight.lora_b", &[2, 8])
        .into()
}
