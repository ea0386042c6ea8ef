//! The manuals: what `gguf explain` and `gguf rule` say.

use std::fmt::Write as _;

use ggufkit_check::Rule;
use ggufkit_format::spec::Lang;
use ggufkit_inspect::explain::{self, BitRow, Block, Topic};
use serde::Serialize;

use super::query::Query;
use super::refusal::Refusal;
use super::session::Session;
use super::{Answer, json};

/// Bytes of a word.
const MAX_WORD: usize = 200;

#[derive(Serialize)]
struct Explained {
    title: String,
    /// The language of the text: manuals of rules are in English.
    lang: &'static str,
    /// In Markdown.
    text: String,
}

pub(super) fn explain(_: &Session, query: &Query<'_>) -> Answer {
    let what = query.needed("what")?;
    let lang = query.lang()?;
    if what.len() > MAX_WORD {
        return Err(Refusal::limit(("bytes of a word", "个词的字节"), MAX_WORD as u64));
    }
    if let Some(rule) = Rule::find(what) {
        // Doc comments keep a space before each line.
        let manual: Vec<&str> =
            rule.manual.lines().map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
        let text = format!("{} ({}). {}.\n\n{}", rule.code, rule.severity, rule.summary, manual.join("\n"));
        return json(&Explained { title: rule.name.to_owned(), lang: "en", text });
    }
    let topics = explain::find(what, lang);
    let Some(first) = topics.first() else {
        return Err(Refusal::not_found(("nothing is known of this word", "没有关于这个词的说明")));
    };
    let texts: Vec<String> = topics.iter().map(|topic| markdown(topic, lang)).collect();
    let lang = match lang {
        Lang::En => "en",
        Lang::Zh => "zh",
    };
    json(&Explained { title: first.title.clone(), lang, text: texts.join("\n\n---\n\n") })
}

/// A topic as Markdown, without its title.
fn markdown(topic: &Topic, lang: Lang) -> String {
    let mut out = format!("{}\n", topic.summary);
    for block in &topic.body {
        out.push('\n');
        // Writing to a string does not fail.
        let _ = match block {
            Block::Heading { text } => writeln!(out, "## {text}"),
            Block::Text { text } => writeln!(out, "{text}"),
            Block::List { numbered, items } => {
                items.iter().enumerate().try_for_each(|(at, item)| match numbered {
                    true => writeln!(out, "{}. {item}", at + 1),
                    false => writeln!(out, "- {item}"),
                })
            }
            Block::Verbatim { lines } => fenced(&mut out, lines.iter().cloned()),
            Block::Table { head, rows } => {
                let line = |cells: &[String]| format!("| {} |", cells.join(" | "));
                let rule = format!("|{}", " --- |".repeat(head.len()));
                let all = std::iter::once(line(head)).chain([rule]).chain(rows.iter().map(|row| line(row)));
                all.into_iter().try_for_each(|line| writeln!(out, "{line}"))
            }
            Block::Strip { cells, unit } => fenced(
                &mut out,
                cells.iter().map(|cell| match unit.is_empty() {
                    true => format!("{}  {}", cell.label, cell.note),
                    false => format!("{:>6} +{:<4} {}  {}", cell.start, cell.size, cell.label, cell.note),
                }),
            ),
            Block::Bits { rows } => fenced(&mut out, rows.iter().map(bits)),
            Block::Fields { rows } => fenced(
                &mut out,
                rows.iter().map(|row| {
                    let bytes = ggufkit_format::spaced_hex(row.bytes.get(..16).unwrap_or(&row.bytes));
                    format!("{:#06x}  {:<48} {}  {}", row.offset, bytes, row.path, row.text)
                }),
            ),
        };
    }
    if !topic.see.is_empty() {
        let see: Vec<String> = topic.see.iter().map(|id| format!("`{id}`")).collect();
        let word = match lang {
            Lang::En => "See also",
            Lang::Zh => "参见",
        };
        let _ = writeln!(out, "\n{word}: {}", see.join(", "));
    }
    out
}

fn fenced(out: &mut String, lines: impl Iterator<Item = String>) -> std::fmt::Result {
    writeln!(out, "```")?;
    for line in lines {
        writeln!(out, "{line}")?;
    }
    writeln!(out, "```")
}

fn bits(row: &BitRow) -> String {
    match row {
        BitRow::Byte { byte, part, cells } => {
            let cells: Vec<&str> = cells.iter().map(|cell| cell.label.as_str()).collect();
            format!("{byte:>4} {part:<8} | {} |", cells.join(" | "))
        }
        BitRow::Fold { bytes } => format!("   … {bytes} bytes"),
    }
}
