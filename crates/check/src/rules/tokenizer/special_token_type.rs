use ggufkit_format::spec::ValueType;
use ggufkit_format::{ByteStr, KvPart, Scalar};

use super::special_tokens;
use crate::facts::Facts;
use crate::finding::{Change, Finding, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// The id of a special token is not stored as a UINT32.
    ///
    /// llama.cpp asks for `tokenizer.ggml.bos_token_id` and its kin as UINT32 and refuses the file when the type is
    /// another one ("key tokenizer.ggml.bos_token_id has wrong type i32 but expected type u32"), whatever the value.
    /// gguf-py and JavaScript readers accept any integer, so the writer does not notice.
    ///
    /// Write the same number as a UINT32; in gguf-py that is `add_uint32`, or the special-vocabulary helpers, which do
    /// it by themselves.
    GG509 "special-token-type" Tokenizer Warning: "the id of a special token is not a UINT32"
        "特殊词元的编号不是 UINT32"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (place, key, value) in special_tokens(facts) {
        if place.record.value_type == ValueType::UINT32 {
            continue;
        }
        sink.add(&RULE, || {
            let found = ggufkit_inspect::type_label(place.record);
            let message = format!("{} is of type {found}, not u32", ByteStr(key).display());
            let label = facts.kv_label(&place, KvPart::Type).text(found);
            let finding = Finding::new(&RULE, message, label)
                .note("llama.cpp refuses the file: the key \"has wrong type\"; other readers accept any integer");
            match value.as_u64().and_then(|id| u32::try_from(id).ok()) {
                Some(id) => finding.help("store the same number as a UINT32").fix(
                    Safety::Safe,
                    format!("store {id} as a UINT32"),
                    Change::SetScalar { index: place.index as u64, value: Scalar::U32(id) },
                ),
                None => finding.help("store the index of the token in the vocabulary, as a UINT32"),
            }
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipe::tokens("llama", &["<unk>", "a"]).kv("tokenizer.ggml.bos_token_id", 1_i32).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipe::tokens("llama", &["<unk>", "a"]).kv("tokenizer.ggml.bos_token_id", 1_u32).into()
}
