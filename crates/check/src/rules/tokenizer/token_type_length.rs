use ggufkit_format::{Element, KvPart};

use super::{array_len, tokens_count_label};
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::{Severity, rule};
use crate::sink::Sink;

rule! {
    /// `tokenizer.ggml.token_type` has another length than the vocabulary.
    ///
    /// The kinds stand parallel to the tokens and tell control tokens from ordinary text. With fewer kinds llama.cpp
    /// refuses the file ("Index out of array bounds for toktypes"); loaders that do not compare the lengths read past the
    /// array, or treat the last tokens, where control tokens usually stand, as text. Surplus kinds are ignored, but they
    /// tell that the lists were not written from the same vocabulary.
    ///
    /// Write both arrays anew from the original tokenizer, added tokens included.
    GG503 "token-type-length" Tokenizer Error: "there are not as many token types as tokens"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let (Some(types), Some(tokens)) = (facts.key("tokenizer.ggml.token_type"), facts.key("tokenizer.ggml.tokens")) else {
        return;
    };
    let (Some(have), Some(want)) = (array_len(&types), array_len(&tokens)) else { return };
    if have == want {
        return;
    }
    sink.add(&RULE, || {
        let label = facts.kv_label(&types, KvPart::Count(Element::Whole)).text(super::counted(have, "type"));
        let finding = Finding::new(&RULE, format!("the vocabulary has {} for {}", super::counted(have, "token type"), super::counted(want, "token")), label)
            .because(tokens_count_label(facts, &tokens, want))
            .help("write both arrays anew from the original tokenizer, added tokens included");
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
    super::recipe::tokens("llama", &["<unk>", "a"]).kv("tokenizer.ggml.token_type", vec![2_i32]).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipe::tokens("llama", &["<unk>", "a"]).kv("tokenizer.ggml.token_type", vec![2_i32, 1]).into()
}
