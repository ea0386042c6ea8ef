//! Chat templates: text that a program will run.

use ggufkit_format::{Element, KvPart, Span, shorten};

use crate::facts::Facts;
use crate::few::Few;
use crate::finding::Label;
use crate::rule::family;
use crate::template::{Spot, Template};

family![
    template_type,
    template_empty,
    template_syntax,
    template_not_analysed,
    template_unknown_filter,
    template_unknown_function,
    template_loads_another,
    template_attribute_walk,
    template_content_gated,
    template_url,
    template_hidden_text,
    template_control_character,
    template_token_unknown,
    named_template_missing,
    named_template_unlisted,
];

/// A template as a message calls it.
fn title(template: &Template<'_>) -> String {
    match template.name {
        None => "the chat template".to_owned(),
        Some(name) => format!("the chat template \"{}\"", shorten(name, 40)),
    }
}

/// A label at a stretch of a template's text.
fn label<'a>(facts: &Facts<'a>, template: &Template<'a>, at: usize, len: usize) -> Label {
    let label = facts.kv_label(&template.place, KvPart::Value(Element::Whole));
    let start = label.span.start.saturating_add(at as u64);
    Label { span: Span::new(start, len as u64), ..label }
}

/// A label at a spot of a template, with its line in the text.
fn spot_label<'a>(facts: &Facts<'a>, template: &Template<'a>, spot: &Spot<'a>) -> Label {
    label(facts, template, spot.at, spot.len).text(position(template, spot.at))
}

/// Line and column of a byte of a template, from 1; the column in bytes.
fn position(template: &Template<'_>, at: usize) -> String {
    let before = template.text.get(..at).unwrap_or(template.text);
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
    format!("line {line}, column {column}")
}

/// The spots' texts in words, each with its line: `"x" (line 3, column 7)`.
fn list<T>(template: &Template<'_>, few: &Few<T>, spot: impl Fn(&T) -> Spot<'_>) -> String {
    few.list(|one| {
        let spot = spot(one);
        format!("\"{}\" ({})", shorten(spot.text, 40), position(template, spot.at))
    })
}

/// A file with a chat template, for the recipes.
#[cfg(test)]
fn recipe(template: &str) -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv(crate::template::DEFAULT_KEY, template).into()
}
