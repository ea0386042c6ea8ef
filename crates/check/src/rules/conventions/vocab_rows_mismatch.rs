use ggufkit_format::{Element, KvPart, TensorPart, shorten};

use super::layers::{model_architecture};
use super::schema::{Dim, Found, Schema};
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rules::tokenizer::known::has_no_vocabulary;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// The embedding, or the output matrix, has another number of rows than the vocabulary has tokens.
    ///
    /// llama.cpp takes the number of tokens for the number of rows and refuses the file ("tensor 'token_embd.weight' has
    /// wrong shape"). Readers that go by the tensor run; with more tokens than rows they read beyond it as soon as one of
    /// the last tokens occurs.
    ///
    /// A tokenizer of the model `none` or `no_vocab` has as many tokens as `{arch}.vocab_size` says, and none where that key is
    /// absent: tokens that are listed all the same do not count.
    ///
    /// It happens when tokens are added in a `tokenizer.json` or a `config.json` without resizing the model, or when a
    /// tokenizer of another model is put in. Add placeholder tokens (converters call them `[PAD42]`) up to the number of
    /// rows, or take the tokenizer that belongs to the weights.
    GG415 "vocab-rows-mismatch" Conventions Warning: "the vocabulary and the embedding are not of the same size"
        "词表与嵌入的大小不同"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let Some(arch) = model_architecture(facts) else { return };
    // The embedding has the same name in all architectures; the output matrix of some has a vocabulary of its own.
    let table = Schema::find(arch);
    let Some(schema) = table.or_else(|| Schema::find("llama")) else { return };
    let tokens = facts.key("tokenizer.ggml.tokens");
    // A tokenizer without a vocabulary has as many tokens as the key says, whatever is listed.
    let none = facts.key("tokenizer.ggml.model").filter(|place| {
        matches!(place.part.view.value(place.record).as_str(), Some(name) if has_no_vocabulary(name))
    });
    let tokens = tokens.filter(|_| none.is_none());
    let counted = tokens.and_then(|place| place.part.view.value(place.record).as_array()).map(|array| array.len());
    let (place, count, part) = match (tokens, counted) {
        (Some(place), Some(count)) => (place, count, KvPart::Count(Element::Whole)),
        (None, _) if facts.is_complete() => {
            let sizes = (facts.arch_key("vocab_size"), facts.arch_u64("vocab_size"));
            match (sizes, none) {
                ((Some(place), Some(count)), _) => (place, count, KvPart::Value(Element::Whole)),
                ((None, _), Some(place)) => (place, 0, KvPart::Value(Element::Whole)),
                _ => return,
            }
        }
        _ => return,
    };
    for at in facts.rows() {
        let Some(Found { row: Some(row), .. }) = schema.place(at.name()) else { continue };
        let Some(axis) = row.shape.iter().position(|dim| *dim == Dim::Vocab) else { continue };
        let rows = at.dims().get(axis).copied().unwrap_or(1);
        let is_known = table.is_some() || row.name == "token_embd.weight";
        if rows == count || !is_known {
            continue;
        }
        sink.add(&RULE, || {
            let name = shorten(at.name(), 80);
            let many = if rows == 1 { "row" } else { "rows" };
            let message = format!("{name} has {rows} {many} for {count} tokens");
            // Dimensions that are not written are 1.
            let dim = match at.dims().len() > axis {
                true => TensorPart::Dim(u32::try_from(axis).unwrap_or(0)),
                false => TensorPart::DimCount,
            };
            let note = if count > rows {
                "readers that go by the tensor read beyond it when one of the last tokens occurs"
            } else {
                "rows without a token cannot be chosen by name"
            };
            let help = match none {
                Some(_) => "write the number of rows as vocab_size",
                None => "take the tokenizer that belongs to the weights, or add placeholder tokens",
            };
            Finding::new(&RULE, message, at.label(dim).text(format!("{rows} {many}")))
                .because(facts.kv_label(&place, part.clone()).text(format!("{count} tokens")))
                .note("llama.cpp refuses the file: tensor has wrong shape")
                .note(note)
                .help(help)
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    crate::testing::Tiny::llama().key("tokenizer.ggml.tokens", vec!["<unk>", "a"]).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    crate::testing::Tiny::llama().key("llama.vocab_size", 2_u32).into()
}

#[cfg(test)]
#[test]
fn without_a_vocabulary_the_size_decides() {
    let spoken = |size: Option<u32>| {
        let tiny = crate::testing::Tiny::llama().key("tokenizer.ggml.model", "none");
        let tiny = size.into_iter().fold(tiny, |tiny, size| tiny.key("llama.vocab_size", size));
        let recipe: crate::testing::Recipe = tiny.into();
        recipe.spoken().contains(RULE.name)
    };
    assert_eq!([None, Some(5), Some(3)].map(spoken), [true, true, false]);
}

/// Two dimensions of which one is 1 are one dimension, and the same tensor to who loads it.
#[cfg(test)]
#[test]
fn a_single_dimension_is_one_row() {
    let spoken = |dims: &'static [u64]| {
        let tiny = crate::testing::Tiny::llama().without("token_embd.weight").tensor("token_embd.weight", dims);
        let recipe: crate::testing::Recipe = tiny.into();
        recipe.spoken().contains(RULE.name)
    };
    assert_eq!([&[8, 3][..], &[8, 1], &[8]].map(spoken), [false, true, true]);
}
