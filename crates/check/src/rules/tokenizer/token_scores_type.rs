use ggufkit_format::spec::ValueType;
use ggufkit_format::{Element, KvPart, Payload};

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// `tokenizer.ggml.scores` is not an array of FLOAT32.
    ///
    /// Loaders take the array's bytes for 4-byte floats. llama.cpp accepts INT32 beside FLOAT32 since popular files have
    /// it, and refuses every other type; older versions did not look and read a narrower array four times past its end.
    /// gguf-py and Ollama read each element by its own type. With INT32, versions of llama.cpp between the two refuse
    /// the file or read denormal scores.
    ///
    /// Write the scores as FLOAT32; the values stay the same.
    GG510 "token-scores-type" Tokenizer Warning: "the scores are not FLOAT32"
        "分数不是 FLOAT32"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let Some(place) = facts.key("tokenizer.ggml.scores") else { return };
    let element = match &place.record.payload {
        Payload::Array(array) if array.element_type == ValueType::FLOAT32 => return,
        Payload::Array(array) => Some(array.element_type),
        _ => None,
    };
    sink.add(&RULE, || {
        let found = ggufkit_inspect::type_label(place.record);
        let part = match element {
            Some(_) => KvPart::ElementType(Element::Whole),
            None => KvPart::Type,
        };
        let label = facts.kv_label(&place, part).text(format!("the type is {found}"));
        let finding = Finding::new(&RULE, "tokenizer.ggml.scores is not an array of FLOAT32", label);
        let finding = match element {
            Some(ValueType::INT32) => finding.note("llama.cpp reads INT32 scores in recent versions only"),
            _ => finding.note("llama.cpp refuses this type; older versions read past the end of the array"),
        };
        finding.help("write the same scores as FLOAT32")
    });
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipe::tokens("llama", &["<unk>", "a"]).kv("tokenizer.ggml.scores", vec![0_i8, -1]).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipe::tokens("llama", &["<unk>", "a"]).kv("tokenizer.ggml.scores", vec![0.0_f32, -1.0]).into()
}
