use ggufkit_format::{Element, KvPart, shorten};

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;
use crate::template::DEFAULT_KEY;
use crate::vocabulary::strings;

rule! {
    /// `tokenizer.chat_templates` names a template that the file does not hold.
    ///
    /// The list gives the names of further templates, such as `tool_use` and `rag`; the text of each stands under
    /// `tokenizer.chat_template.{name}`. An engine that is asked for a name on the list finds nothing: llama.cpp falls back to
    /// the default template, so tools are not offered to the model and nobody is told; others fail. It comes from
    /// editing the list or one text without the other.
    ///
    /// Add the text from the original model's `tokenizer_config.json`, or take the name off the list.
    GG614 "named-template-missing" Templates Warning: "a chat template is listed and not there"
        "列出的对话模板不存在"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let Some(place) = facts.key("tokenizer.chat_templates").filter(|_| facts.is_complete()) else { return };
    let Some(names) = strings(&place) else { return };
    let mut key = DEFAULT_KEY.as_bytes().to_vec();
    key.push(b'.');
    let prefix = key.len();
    for (at, name) in (0_u64..).zip(names) {
        let Some(name) = name.as_bytes() else { continue };
        key.truncate(prefix);
        key.extend_from_slice(name);
        // The default one has a key of its own.
        if facts.key(&key).is_some() || name == b"default" && facts.key(DEFAULT_KEY).is_some() {
            continue;
        }
        sink.add(&RULE, || {
            let name = shorten(name, 40);
            let label = facts.kv_label(&place, KvPart::Value(Element::At(at)));
            Finding::new(&RULE, format!("the chat template \"{name}\" is listed and not there"), label.text("listed here"))
                .note(format!("there is no {DEFAULT_KEY}.{name}: engines fall back to the default template, or fail"))
                .help("add the text from the original model, or take the name off the list")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new()
        .kv("tokenizer.chat_template", "{{ messages }}")
        .kv("tokenizer.chat_templates", vec!["tool_use", "rag"])
        .kv("tokenizer.chat_template.tool_use", "{{ tools }}")
        .into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new()
        .kv("tokenizer.chat_template", "{{ messages }}")
        .kv("tokenizer.chat_templates", vec!["default", "tool_use"])
        .kv("tokenizer.chat_template.tool_use", "{{ tools }}")
        .into()
}
