use super::{label, position, title};
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A chat template does not parse as Jinja.
    ///
    /// Engines compile the template before the first conversation. llama.cpp and transformers report the error and refuse
    /// to chat, or go on with ChatML or a template of their own; the prompt is then not the one the model was trained
    /// on. The bytes that the finding points at are where the parser gave up; the mistake can stand before them, for
    /// example at an `if` that is never closed.
    ///
    /// Take the template from the original model (`tokenizer_config.json` or `chat_template.jinja`). A template in
    /// another language, such as Go's, belongs to the engine's own configuration, not into this key.
    GG603 "template-syntax" Templates Warning: "a chat template does not parse"
        "对话模板无法解析"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if !sink.wants(&RULE) {
        return;
    }
    for (template, issues) in &facts.templates().judged {
        let Some(syntax) = &issues.syntax else { continue };
        sink.add(&RULE, || {
            let place = position(template, syntax.at);
            let message = format!("{} does not parse at {place}", title(template));
            let finding =
                Finding::new(&RULE, message, label(facts, template, syntax.at, syntax.len).text(syntax.message.as_str()));
            let finding = match template.text.windows(3).any(|window| window == b"{{." || window == b"{{ ") {
                true if template.text.windows(2).any(|window| window == b" .") && is_go(template.text) => {
                    finding.note("it looks like a template in Go's language, which Ollama keeps outside of the file")
                }
                _ => finding,
            };
            finding
                .note("engines refuse to chat with it, or take a template of their own")
                .help("take the template from the original model, and see `gguf template FILE`")
        });
    }
}

/// Whether a template is written in Go's language: its variables begin with a point.
fn is_go(text: &[u8]) -> bool {
    [&b"{{ ."[..], b"{{.", b"{{- ."].iter().any(|open| text.windows(open.len()).any(|window| window == *open))
        || [&b"{{ if ."[..], b"{{ range ", b"{{- range ", b"{{ end }}", b"{{- end }}"]
            .iter()
            .any(|open| text.windows(open.len()).any(|window| window == *open))
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipe("{% for m in messages %}\n{{ m.content }}\n{% if m.role == 'user' %}x{% endfor %}")
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipe("{% generation %}{% for m in messages %}{{ m['content'] }}{% break %}{% endfor %}{% endgeneration %}")
}

#[cfg(test)]
#[test]
fn what_templates_of_published_models_use_parses() {
    for text in [
        "{%- set ns = namespace(a=0, b='') -%}{%- set ns.a = ns.a + 1 %}{{ ns.a }}",
        "{{ messages[::-1] }}{{ messages[-1]['content'][1:] }}",
        "{% macro f(a, b=none) %}{{ a ~ b }}{% endmacro %}{{ f(1, b=2) }}",
        "{% for k, v in d.items() if v is not none %}{{ loop.index0 }}{% else %}x{% endfor %}",
        "{{ x if y else z }}{{ x if y }}",
        "{% set x %}text{% endset %}{% filter trim %}a{% endfilter %}",
        "{{ tools | map(attribute='name') | list | tojson(indent=4) }}",
        "{{ {'a': 1, 'b': [1, 2,]} }}{{ (1, 2) }}{{ true and none }}",
        "{% call(x) f(1) %}{{ x }}{% endcall %}",
        "{{- 'a' -}}{#- c -#}{%+ if x is defined and x is not string %}{% endif %}",
        "{{ 'it\\'s' + \"a\\n\" }}{{ 2 ** 3 // 2 }}{{ a not in b }}",
        "{% do x.append(1) %}{% continue %}",
    ] {
        let text = if text.contains("continue") { format!("{{% for x in y %}}{text}{{% endfor %}}") } else { text.into() };
        assert!(!super::recipe(&text).spoken().contains(RULE.name), "{text}");
    }
}
