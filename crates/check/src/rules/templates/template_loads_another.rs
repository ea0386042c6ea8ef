use super::{spot_label, title};
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;
use ggufkit_format::ByteStr;

rule! {
    /// A chat template asks for another template.
    ///
    /// `include`, `import`, `from` and `extends` load a template by its name from where the engine keeps them. A chat
    /// template stands alone: transformers and llama.cpp give it no loader, so the statement fails. An application that
    /// does have one would read a file of its own machine into the prompt, which is why this is also worth a look at who
    /// wrote it.
    ///
    /// Put what is needed into the template itself, as a macro.
    GG607 "template-loads-another" Templates Warning: "a chat template asks for another template"
        "对话模板要载入另一个模板"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if !sink.wants(&RULE) {
        return;
    }
    for (template, issues) in &facts.templates().judged {
        let Some(spot) = issues.loads.first() else { continue };
        sink.add(&RULE, || {
            let message = format!("{} has the statement \"{}\"", title(template), ByteStr(spot.text).display());
            Finding::new(&RULE, message, spot_label(facts, template, spot))
                .note("engines give a chat template nothing to load from: the statement fails")
                .note("an application that has a loader would read its own files into the prompt")
                .help("put what is needed into the template itself, as a macro")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipe("{% include '/etc/passwd' %}")
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipe("{% set include = 1 %}{{ include }}")
}
