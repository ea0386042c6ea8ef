use ggufkit_format::spec::ValueType;
use ggufkit_format::{Element, KvPart, Payload};

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// `tokenizer.ggml.token_type` is not an array of INT32.
    ///
    /// llama.cpp takes the array for 4-byte integers and refuses any other type ("invalid gguf type for
    /// tokenizer.ggml.token_type"); versions that did not look read a UINT8 array four times past its end. UINT32, which
    /// some writers produce, is refused too. gguf-py, Ollama and JavaScript readers take each element by its own type,
    /// so the file seems to work until llama.cpp meets it.
    ///
    /// Write the same numbers as INT32.
    GG511 "token-type-type" Tokenizer Warning: "the token types are not INT32"
        "词元类型不是 INT32"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let Some(place) = facts.key("tokenizer.ggml.token_type") else { return };
    let part = match &place.record.payload {
        Payload::Array(array) if array.element_type == ValueType::INT32 => return,
        Payload::Array(_) => KvPart::ElementType(Element::Whole),
        _ => KvPart::Type,
    };
    sink.add(&RULE, || {
        let found = ggufkit_inspect::type_label(place.record);
        let label = facts.kv_label(&place, part).text(format!("the type is {found}"));
        Finding::new(&RULE, "tokenizer.ggml.token_type is not an array of INT32", label)
            .note("llama.cpp refuses this type; older versions read past the end of a narrower array")
            .help("write the same numbers as INT32")
    });
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipe::tokens("llama", &["<unk>", "a"]).kv("tokenizer.ggml.token_type", vec![2_u8, 1]).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipe::tokens("llama", &["<unk>", "a"]).kv("tokenizer.ggml.token_type", vec![2_i32, 1]).into()
}
