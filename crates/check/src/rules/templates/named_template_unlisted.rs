use std::collections::HashSet;

use ggufkit_format::{ByteStr, KvPart, shorten};

use crate::facts::{self, Facts};
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;
use crate::template;
use crate::vocabulary::strings;

rule! {
    /// A named chat template is not on the list of names.
    ///
    /// `tokenizer.chat_templates` lists the templates beside the default one. Programs that offer a choice read the list
    /// and never see a template that is not on it; llama.cpp looks a template up by its key and finds it all the same. So
    /// what one program uses another does not show, and a person who checks the listed templates has not read them all.
    ///
    /// Add the name to the list, or remove the key if nobody uses it.
    GG615 "named-template-unlisted" Templates Note: "a named chat template is not on the list"
        "具名的对话模板没有列出"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if !facts.is_complete() || !sink.wants(&RULE) {
        return;
    }
    let list = facts.key("tokenizer.chat_templates");
    let names = list.as_ref().and_then(strings);
    let listed: HashSet<&[u8]> =
        names.into_iter().flatten().filter_map(|name| name.as_bytes()).collect();
    for (at, _, view) in facts.views() {
        for (index, (key, kv)) in view.kvs().enumerate() {
            let Some(Some(name)) = template::name_of(key.0) else { continue };
            if listed.contains(name) {
                continue;
            }
            sink.add(&RULE, || {
                let label = facts::kv_label(at, &view, index, kv, KvPart::Key);
                let message = format!("the chat template \"{}\" is not on the list of names", shorten(name, 40));
                let finding = Finding::new(&RULE, message, label.text("a template of this name"))
                    .note("programs that offer a choice of templates do not show it")
                    .help(format!("add \"{}\" to tokenizer.chat_templates", ByteStr(name).display()));
                match &list {
                    Some(list) => {
                        let label = facts.kv_label(list, KvPart::Key);
                        finding.because(label.text("the list"))
                    }
                    None => finding.note("there is no tokenizer.chat_templates"),
                }
            });
        }
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new()
        .kv("tokenizer.chat_templates", vec!["rag"])
        .kv("tokenizer.chat_template.rag", "{{ documents }}")
        .kv("tokenizer.chat_template.tool_use", "{{ tools }}")
        .into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new()
        .kv("tokenizer.chat_templates", vec!["tool_use"])
        .kv("tokenizer.chat_template.tool_use", "{{ tools }}")
        .into()
}
