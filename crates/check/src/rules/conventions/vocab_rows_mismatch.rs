use ggufkit_format::{Element, KvPart, shorten};

use super::layers::{model_architecture};
use super::schema::{Dim, Found, Schema};
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// The embedding, or the output matrix, has another number of rows than the vocabulary has tokens.
    ///
    /// llama.cpp takes the number of tokens for the number of rows and refuses the file ("tensor 'token_embd.weight' has
    /// wrong shape"). Readers that go by the tensor run; with more tokens than rows they read beyond it as soon as one of
    /// the last tokens occurs.
    ///
    /// It happens when tokens are added in a `tokenizer.json` or a `config.json` without resizing the model, or when a
    /// tokenizer of another model is put in. Add placeholder tokens (converters call them `[PAD42]`) up to the number of
    /// rows, or take the tokenizer that belongs to the weights.
    GG415 "vocab-rows-mismatch" Conventions Warning: "the vocabulary and the embedding are not of the same size"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let Some(arch) = model_architecture(facts) else { return };
    // The embedding has the same name in all architectures; the output matrix of some has a vocabulary of its own.
    let table = Schema::find(arch);
    let Some(schema) = table.or_else(|| Schema::find("llama")) else { return };
    let tokens = facts.key("tokenizer.ggml.tokens");
    let counted = tokens.and_then(|place| place.part.view.value(place.record).as_array()).map(|array| array.len());
    let (place, count, part) = match (tokens, counted) {
        (Some(place), Some(count)) => (place, count, KvPart::Count(Element::Whole)),
        (None, _) if facts.is_complete() => {
            let sizes = (facts.arch_key("vocab_size"), facts.arch_u64("vocab_size"));
            let (Some(place), Some(count)) = sizes else { return };
            (place, count, KvPart::Value(Element::Whole))
        }
        _ => return,
    };
    for at in facts.rows() {
        let Some(Found { row: Some(row), .. }) = schema.place(at.name()) else { continue };
        let Some(axis) = row.shape.iter().position(|dim| *dim == Dim::Vocab) else { continue };
        let rows = at.dims().get(axis).copied().unwrap_or(1);
        // A single dimension is no matrix of tokens; whatever it is, it says nothing about their number.
        let is_known = table.is_some() || row.name == "token_embd.weight";
        if rows == count || at.dims().len() <= axis || !is_known {
            continue;
        }
        sink.add(&RULE, || {
            let name = shorten(at.name(), 80);
            let message = format!("{name} has {rows} rows for {count} tokens");
            let dim = ggufkit_format::TensorPart::Dim(u32::try_from(axis).unwrap_or(0));
            let note = if count > rows {
                "readers that go by the tensor read beyond it when one of the last tokens occurs"
            } else {
                "rows without a token cannot be chosen by name"
            };
            Finding::new(&RULE, message, at.label(dim).text(format!("{rows} rows")))
                .because(facts.kv_label(&place, part.clone()).text(format!("{count} tokens")))
                .note("llama.cpp refuses the file: tensor has wrong shape")
                .note(note)
                .help("take the tokenizer that belongs to the weights, or add placeholder tokens")
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
