use ggufkit_format::{Element, KvPart};

use super::title;
use crate::facts::Facts;
use crate::finding::{Change, Finding, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A chat template holds nothing.
    ///
    /// An engine that finds the key takes what it holds: the conversation becomes an empty prompt, and the model answers
    /// to nothing. Where the key is absent, llama.cpp takes ChatML and others a template by the model's name, so an
    /// empty template is worse than none. It is what a failed export leaves, or a tool that "cleared" the field.
    ///
    /// Restore the template from the original model, or remove the key.
    GG602 "template-empty" Templates Warning: "a chat template is empty"
        "对话模板为空"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if !sink.wants(&RULE) {
        return;
    }
    for (template, _) in facts.templates().judged.iter().filter(|(_, issues)| issues.empty) {
        sink.add(&RULE, || {
            let label = facts.kv_label(&template.place, KvPart::Value(Element::Whole));
            Finding::new(&RULE, format!("{} is empty", title(template)), label.text("no text"))
                .note("engines make an empty prompt of every conversation; without the key they take a default")
                .help("restore the template from the original model, or remove the key")
                .fix(
                    Safety::Unsafe,
                    "remove the key",
                    Change::RemoveKv { index: template.place.index as u64 },
                )
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipe("\n")
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipe("{{ messages }}")
}
