use ggufkit_format::KvPart;
use ggufkit_format::spec::ValueType;

use crate::facts::{self, Facts};
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;
use crate::template;

rule! {
    /// A chat template is not stored as a string.
    ///
    /// `tokenizer.chat_template` and `tokenizer.chat_template.{name}` are strings. llama.cpp reads the key as one and
    /// refuses or ignores another type; Ollama and LM Studio fall back to a template of their own, so that the prompt
    /// is not the one the model was trained on, without a word to the user. Writers that store the list of
    /// `tokenizer_config.json` as it is make an array of it.
    ///
    /// Store the default template as a string, and each further one under a key of its own, with the names in
    /// `tokenizer.chat_templates`.
    GG601 "template-type" Templates Warning: "a chat template is not a string"
        "对话模板不是字符串"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (at, _, view) in facts.views() {
        for (index, (key, kv)) in view.kvs().enumerate() {
            if kv.value_type == ValueType::STRING || template::name_of(key.0).is_none() {
                continue;
            }
            sink.add(&RULE, || {
                let found = ggufkit_inspect::type_label(kv);
                let label = facts::kv_label(at, &view, index, kv, KvPart::Type);
                let message = format!("{} is of type {found}, not a string", key.display());
                Finding::new(&RULE, message, label.text(found))
                    .note("engines take a template of their own instead, or refuse the file")
                    .help("store each template as a string under its own key")
            });
        }
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("tokenizer.chat_template", vec!["{{ x }}"]).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("tokenizer.chat_templates_note", 1_u32).into()
}
