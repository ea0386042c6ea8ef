use ggufkit_format::{Element, KvPart};

use super::{array_len, tokens_count_label};
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::{Severity, rule};
use crate::sink::Sink;

rule! {
    /// `tokenizer.ggml.scores` has another length than the vocabulary.
    ///
    /// Scores stand parallel to the tokens: the score at an index is that of the token with this id. With fewer scores
    /// llama.cpp refuses the file ("Index out of array bounds for scores"); its older versions, and loaders made after
    /// them, read past the end of the array. Surplus scores are ignored, but they tell that the two lists were not
    /// written from the same vocabulary, so a score may stand at the wrong token.
    ///
    /// Write both arrays anew from the original tokenizer; do not pad one of them by hand.
    GG502 "token-scores-length" Tokenizer Error: "there are not as many scores as tokens"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let (Some(scores), Some(tokens)) = (facts.key("tokenizer.ggml.scores"), facts.key("tokenizer.ggml.tokens")) else {
        return;
    };
    let (Some(have), Some(want)) = (array_len(&scores), array_len(&tokens)) else { return };
    if have == want {
        return;
    }
    sink.add(&RULE, || {
        let label = facts.kv_label(&scores, KvPart::Count(Element::Whole)).text(super::counted(have, "score"));
        let finding = Finding::new(&RULE, format!("the vocabulary has {} for {}", super::counted(have, "score"), super::counted(want, "token")), label)
            .because(tokens_count_label(facts, &tokens, want))
            .help("write both arrays anew from the original tokenizer");
        match have < want {
            true => finding.note("llama.cpp refuses the file; loaders that do not compare the lengths read past the array"),
            false => finding
                .severity(Severity::Warning)
                .note("loaders ignore the surplus; the arrays were not written from the same vocabulary"),
        }
    });
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipe::tokens("llama", &["<unk>", "a"]).kv("tokenizer.ggml.scores", vec![0.0_f32]).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipe::tokens("llama", &["<unk>", "a"]).kv("tokenizer.ggml.scores", vec![0.0_f32, -1.0]).into()
}
