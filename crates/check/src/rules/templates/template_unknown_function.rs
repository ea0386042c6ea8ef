use super::{list, spot_label, title};
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;
use ggufkit_format::shorten;

rule! {
    /// A chat template calls a function that no engine provides.
    ///
    /// Beside its own macros a template has Jinja's `range`, `dict`, `namespace`, `cycler`, `joiner` and `lipsum`, and
    /// what transformers and llama.cpp add: `raise_exception`, `strftime_now`, `tojson`. Any other name is undefined, and
    /// calling it ends the conversation with an error, in some engines only when the branch is reached.
    ///
    /// Define a macro of this name in the template, or use what is there. A function that only one application provides
    /// keeps the model from being used anywhere else.
    GG606 "template-unknown-function" Templates Warning: "a chat template calls a function that no engine provides"
        "对话模板调用了没有引擎提供的函数"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if !sink.wants(&RULE) {
        return;
    }
    for (template, issues) in &facts.templates().judged {
        let Some(spot) = issues.functions.first() else { continue };
        sink.add(&RULE, || {
            let message = format!("{} calls \"{}\", which no engine provides", title(template), shorten(spot.text, 40));
            let finding = Finding::new(&RULE, message, spot_label(facts, template, spot));
            let finding = match issues.functions.count() {
                1 => finding,
                _ => finding.note(format!("not known: {}", list(template, &issues.functions, |spot| *spot))),
            };
            finding
                .note("the name is undefined: a conversation that reaches the call ends with an error")
                .help("define a macro of this name in the template, or do without")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipe("{{ now('%d') }}{% for m in messages %}{{ render(m) }}{% endfor %}")
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipe("{{ render(1) }}{% macro render(m) %}{{ m.get('x') }}{% endmacro %}{% if (a) and not (b) %}{{ raise_exception('no') }}{% endif %}")
}
