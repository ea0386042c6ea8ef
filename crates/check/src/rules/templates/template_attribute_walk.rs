use super::{list, spot_label, title};
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;
use ggufkit_format::shorten;

rule! {
    /// A chat template reaches for the interpreter's own objects.
    ///
    /// In Python every value leads to its class, from there to all classes, and on to modules that run programs:
    /// `__class__`, `__mro__`, `__globals__`, `__builtins__`. A template that walks this way runs commands of its author
    /// on every machine that renders it without a sandbox. llama-cpp-python before 0.2.72 (CVE-2024-34359), LiteLLM and
    /// SGLang did so. transformers' sandbox refuses it; engines that are not in Python have no such attributes. Nothing
    /// that lays out a conversation needs them.
    ///
    /// Treat the file as hostile: do not load it, report it where you got it, and look at what else came from there.
    GG608 "template-attribute-walk" Templates Error: "a chat template reaches for the interpreter's own objects"
        "对话模板试图访问解释器自身的对象"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if !sink.wants(&RULE) {
        return;
    }
    for (template, issues) in &facts.templates().judged {
        let Some(spot) = issues.internals.first() else { continue };
        sink.add(&RULE, || {
            let message = format!("{} reaches for \"{}\"", title(template), shorten(spot.text, 40));
            let finding = Finding::new(&RULE, message, spot_label(facts, template, spot));
            let finding = match issues.internals.count() {
                1 => finding,
                _ => finding.note(format!("it names {}", list(template, &issues.internals, |spot| *spot))),
            };
            finding
                .note("rendered in Python without a sandbox, such a template runs its author's commands (CVE-2024-34359)")
                .help("treat the file as hostile; read the template with `gguf template FILE`")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipe("{% for c in ().__class__.__base__.__subclasses__() %}{{ c['__init__'] }}{% endfor %}")
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipe("__class__ {{ '_' ~ a_b.c__d ~ '____' }}")
}

#[cfg(test)]
#[test]
fn names_in_strings_count_too() {
    for text in ["{{ x|attr('__class__') }}", "{{ x['\\x5f\\x5fclass'] }}", "{{ x.gi_frame }}", "{{ x|attr('__cla' ~ 'ss') }}"] {
        assert!(super::recipe(text).spoken().contains(RULE.name), "{text}");
    }
}
