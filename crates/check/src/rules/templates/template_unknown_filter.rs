use super::{list, spot_label, title};
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;
use ggufkit_format::shorten;

rule! {
    /// A chat template uses a filter or test that Jinja does not have.
    ///
    /// transformers compiles templates with Jinja 3 and its own `tojson`; a name beyond those fails there before the first
    /// conversation ("No filter named …"). llama.cpp and engines with a Jinja of their own know fewer names, and fail
    /// when they reach the place, which may be long after a release. Filters of other environments (Ansible's
    /// `to_nice_json`, Django's `date`) are the usual cause, or a typing error.
    ///
    /// Write it with Jinja's own filters: the list is in Jinja's documentation under "List of Builtin Filters".
    GG605 "template-unknown-filter" Templates Warning: "a chat template uses a filter or test that Jinja does not have"
        "对话模板使用了 Jinja 没有的过滤器或测试"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if !sink.wants(&RULE) {
        return;
    }
    for (template, issues) in &facts.templates().judged {
        let Some((spot, test)) = issues.filters.first() else { continue };
        sink.add(&RULE, || {
            let what = if *test { "test" } else { "filter" };
            let message = format!("{} uses the {what} \"{}\", which Jinja does not have", title(template), shorten(spot.text, 40));
            let finding = Finding::new(&RULE, message, spot_label(facts, template, spot));
            let finding = match issues.filters.count() {
                1 => finding,
                _ => finding.note(format!("not known: {}", list(template, &issues.filters, |(spot, _)| *spot))),
            };
            finding
                .note("transformers refuses the template; other engines fail when they reach the place")
                .help("write it with filters and tests of Jinja itself")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipe("{% for m in messages %}{{ m.content | markdown }}{% if m is even_odd %}x{% endif %}{% endfor %}")
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipe("{% if x is not none and y is divisibleby(2) %}{{ x | trim | tojson(indent=2) }}{% filter upper %}a{% endfilter %}{% endif %}")
}
