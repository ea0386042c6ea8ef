use ggufkit_format::{Element, KvPart};

use super::title;
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A chat template is too large or too deeply nested to be parsed.
    ///
    /// Templates of published models have up to some tens of kilobytes and nest a dozen deep. What goes far beyond that
    /// was not written for a model: parsers that recurse overflow their stack on it, those that count columns in 16 bits
    /// end at a line that has more, and engines have been stopped by one file with thousands of opening braces. Its text was scanned, its syntax was not looked at.
    ///
    /// Do not load the file in an engine before you have read the template (`gguf template FILE --raw`). Replace it with
    /// that of the original model.
    GG604 "template-not-analysed" Templates Warning: "a chat template is too large or too deep to be parsed"
        "对话模板过大或嵌套过深，未作解析"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if !sink.wants(&RULE) {
        return;
    }
    let templates = facts.templates();
    for (template, issues) in &templates.judged {
        let Some(why) = &issues.not_parsed else { continue };
        sink.add(&RULE, || {
            let label = facts.kv_label(&template.place, KvPart::Value(Element::Whole));
            let message = format!("{} asks too much of a parser: {why}", title(template));
            Finding::new(&RULE, message, label.text(format!("{} bytes", template.text.len())))
                .note("no model needs that, and parsers have overflowed their stack or their counters on such templates")
                .help("read it with `gguf template` before an engine loads the file")
        });
    }
    if let Some(first) = templates.passed_over.first() {
        sink.add(&RULE, || {
            let label = facts.kv_label(&first.place, KvPart::Value(Element::Whole));
            let message = format!("{} more chat templates were not looked at", templates.passed_over.count());
            Finding::new(&RULE, message, label.text("the first of them"))
                .note("there is something to say about each of many templates before them")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipe(&format!("{{{{ {}x{} }}}}", "(".repeat(200), ")".repeat(200)))
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipe(&format!("{{{{ {}x{} }}}}", "(".repeat(20), ")".repeat(20)))
}

#[cfg(test)]
#[test]
fn what_overflows_a_stack_is_not_parsed() {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(100_000), close.repeat(100_000));
    for text in [
        deep("{% if x %}", "{% endif %}"),
        format!("{{% if x %}}{}{{% endif %}}", "{% elif x %}".repeat(100_000)),
        format!("{{{{ x{} }}}}", ".a".repeat(50_000)),
        format!("{{{{ x{} }}}}", " | trim".repeat(20_000)),
        format!("{{{{ {}x }}}}", "not ".repeat(50_000)),
        format!("{{{{ {}x }}}}", "-".repeat(50_000)),
        format!("{{{{ x{} }}}}", "[0]".repeat(20_000)),
        format!("{{{{ x{} }}}}", "()".repeat(20_000)),
        format!("{{{{ x{} }}}}", " if x else x".repeat(20_000)),
        format!("{{{{ {}", "{".repeat(100_000)),
        format!("{{{{ {}", "[".repeat(100_000)),
        format!("{{{{ x{} }}}}", " + [x".repeat(20_000)),
        deep("{% set x %}", "{% endset %}"),
        deep("{% filter trim %}", "{% endfilter %}"),
    ] {
        assert!(super::recipe(&text).spoken().contains(RULE.name), "{:.40}", text);
    }
}

#[cfg(test)]
#[test]
fn what_overflows_a_count_of_columns_is_not_parsed() {
    // Each is an error behind its last column, where parsers look one column further.
    let open = ["{#", "{{ '", "{{ \"", "{% raw %}", "{% if", "{{ 1"];
    for (open, filler) in open.into_iter().flat_map(|open| ["1", "\u{1f600}"].map(|unit| (open, unit))) {
        for columns in [65_533, 65_534, 65_535, 65_536] {
            let line = |end: &str| format!("{open}{}{end}", filler.repeat(columns - open.len()));
            let spoken = |text: &str| super::recipe(text).spoken().contains(RULE.name);
            assert_eq!(spoken(&line("")), columns > 65_534, "{open} {columns}");
            // In other lines than the first, and with the line's end of another system.
            let later = format!("{{# a #}}\r\n{}", line("\r\n"));
            assert_eq!(spoken(&later), columns + 1 > 65_534, "{open} {columns}");
        }
    }
    assert!(super::recipe(&format!("{{{{ {}", "1".repeat(500_000))).spoken().contains(RULE.name));
}
