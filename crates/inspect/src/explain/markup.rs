//! The little Markdown of the texts.
//!
//! A file begins with `# Title`; its first paragraph is the summary. Then `## Heading`, paragraphs, lists (`- ` and
//! `1. `), fenced lines, `{{inserts}}`, and as the last line `see: topic topic`.

use ggufkit_format::spec::Lang;

use super::{Block, Topic, insert};

/// A topic from its source. Inserts that do not exist are left out; a test finds them.
pub(super) fn topic(id: &str, source: &str, lang: Lang) -> Topic {
    let mut out = Topic {
        id: id.to_owned(),
        title: String::new(),
        summary: String::new(),
        body: Vec::new(),
        see: Vec::new(),
    };
    let mut lines = source.lines().peekable();
    let mut paragraph = String::new();
    while let Some(line) = lines.next() {
        let text = line.trim_end();
        if let Some(rest) = text.strip_prefix("```") {
            flush(&mut out, &mut paragraph);
            debug_assert!(rest.is_empty(), "fences carry no language");
            let body = lines.by_ref().take_while(|line| line.trim_end() != "```");
            out.body.push(Block::Verbatim { lines: body.map(str::to_owned).collect() });
        } else if let Some(title) = text.strip_prefix("# ") {
            out.title = title.to_owned();
        } else if let Some(heading) = text.strip_prefix("## ") {
            flush(&mut out, &mut paragraph);
            out.body.push(Block::Heading { text: heading.to_owned() });
        } else if let Some(see) = text.strip_prefix("see: ") {
            flush(&mut out, &mut paragraph);
            out.see = see.split_whitespace().map(str::to_owned).collect();
        } else if let Some(name) = text.strip_prefix("{{").and_then(|t| t.strip_suffix("}}")) {
            flush(&mut out, &mut paragraph);
            out.body.extend(insert::insert(name, lang).unwrap_or_default());
        } else if let Some((numbered, item)) = item(text) {
            flush(&mut out, &mut paragraph);
            let mut item = item.to_owned();
            // An item goes on in the lines that are indented.
            while let Some(more) = lines.next_if(|line| line.starts_with("  ") && !line.trim().is_empty()) {
                join(&mut item, more.trim());
            }
            match out.body.last_mut() {
                Some(Block::List { numbered: n, items }) if *n == numbered => items.push(item),
                _ => out.body.push(Block::List { numbered, items: vec![item] }),
            }
        } else if text.is_empty() {
            flush(&mut out, &mut paragraph);
        } else {
            join(&mut paragraph, text);
        }
    }
    flush(&mut out, &mut paragraph);
    out
}

fn item(line: &str) -> Option<(bool, &str)> {
    if let Some(item) = line.strip_prefix("- ") {
        return Some((false, item));
    }
    let (number, item) = line.split_once(". ")?;
    (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())).then_some((true, item))
}

/// Ends a paragraph; the first one is the summary.
fn flush(out: &mut Topic, paragraph: &mut String) {
    let text = std::mem::take(paragraph);
    if text.is_empty() {
        return;
    }
    if out.summary.is_empty() {
        out.summary = text;
    } else {
        out.body.push(Block::Text { text });
    }
}

/// Adds a line to a paragraph. Between Chinese characters a line break is no space.
fn join(text: &mut String, line: &str) {
    let wide = |c: Option<char>| c.is_some_and(|c| c >= '\u{2e80}');
    let joins = text.is_empty() || (wide(text.chars().last()) && wide(line.chars().next()));
    if !joins {
        text.push(' ');
    }
    text.push_str(line);
}
