//! `gguf rule`: the manuals of the rules.

use std::io::{self, Write as _};

use ggufkit::check::{Family, Rule, Selection, rules};
use ggufkit::inspect::json as writer;
use serde_json::json;

use super::explain::wrap::{Run, fill};
use crate::failure::Failure;
use crate::out::{self, Ink, Out, columns, pad};
use crate::{NO, OK};

/// Print the manuals of rules of `gguf check`, or list the rules
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  gguf rule\n  gguf rule layout\n  gguf rule duplicate-key GG203\n  gguf rule --json"
)]
pub(crate) struct Args {
    /// Names or codes of rules, for their manuals; names of families, for lists
    #[arg(value_name = "RULE")]
    names: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A rule, as `--json` has it.
#[derive(serde::Serialize)]
struct Described {
    name: &'static str,
    code: &'static str,
    family: &'static str,
    severity: &'static str,
    summary: &'static str,
    /// In paragraphs, which a blank line parts.
    manual: String,
}

impl Described {
    fn of(rule: &Rule) -> Self {
        let manual = paragraphs(rule).join("\n\n");
        Self {
            name: rule.name,
            code: rule.code,
            family: rule.family.name(),
            severity: rule.severity.name(),
            summary: rule.summary,
            manual,
        }
    }
}

/// The document of `--json`: `rules` in the order in which they were asked for, and in `errors` the names of none.
#[derive(serde::Serialize)]
struct Document {
    schema: u32,
    command: &'static str,
    rules: Vec<Described>,
    errors: Vec<serde_json::Value>,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        if self.json {
            return self.document(out);
        }
        if self.names.is_empty() {
            for family in Family::ALL {
                list(out, family)?;
            }
            return Ok(OK);
        }
        let mut status = OK;
        for (at, name) in self.names.iter().enumerate() {
            if at > 0 {
                writeln!(out)?;
            }
            if let Some(rule) = Rule::find(name) {
                manual(out, rule)?;
            } else if let Some(family) = Family::ALL.into_iter().find(|family| family.name() == name) {
                list(out, family)?;
            } else {
                let error = Selection::default().select(name).err();
                let text = error.map(|error| error.to_string()).unwrap_or_default();
                out.message(Ink::Bad, "error", &out::plain(text.as_bytes()).to_string())?;
                status = NO;
            }
        }
        Ok(status)
    }

    fn document(&self, out: &mut Out) -> io::Result<u8> {
        let (mut chosen, mut errors) = (Vec::new(), Vec::new());
        if self.names.is_empty() {
            chosen.extend(rules::all().map(Described::of));
        }
        for name in &self.names {
            if let Some(rule) = Rule::find(name) {
                chosen.push(Described::of(rule));
            } else if let Some(family) = Family::ALL.into_iter().find(|family| family.name() == name) {
                chosen.extend(rules::all().filter(|rule| rule.family == family).map(Described::of));
            } else {
                let error = Selection::default().select(name).err();
                let text = error.map(|error| error.to_string()).unwrap_or_default();
                let failure = Failure::usage("unknown-rule", text);
                errors.push(json!({ "path": null, "error": failure.json() }));
            }
        }
        let status = if errors.is_empty() { OK } else { NO };
        let document = Document { schema: writer::SCHEMA, command: "rule", rules: chosen, errors };
        writer::write(&mut *out, &document, true)?;
        writeln!(out)?;
        Ok(status)
    }
}

/// The rules of a family, a line each.
fn list(out: &mut Out, family: Family) -> io::Result<()> {
    out.heading(family.name())?;
    let wide = rules::all().map(|rule| rule.name.len()).max().unwrap_or(0);
    for rule in rules::all().filter(|rule| rule.family == family) {
        let name = out.paint(Ink::Key, pad(rule.name, wide)).to_string();
        let lead = format!("  {}  {name}  {:7}  ", rule.code, rule.severity.name());
        let indent = 2 + 5 + 2 + wide + 2 + 7 + 2;
        let room = out.width().saturating_sub(indent);
        if columns(rule.summary) <= room {
            writeln!(out, "{lead}{}", rule.summary)?;
        } else {
            // Where there is no room beside the name, the summary stands below it.
            writeln!(out, "{}", lead.trim_end())?;
            paragraph(out, rule.summary, 9)?;
        }
    }
    Ok(())
}

/// What a rule says of itself.
fn manual(out: &mut Out, rule: &Rule) -> io::Result<()> {
    out.heading(&format!("{} ({})", rule.name, rule.code))?;
    paragraph(out, &format!("{}, {}: {}", rule.severity, rule.family.name(), rule.summary), 0)?;
    for text in paragraphs(rule) {
        writeln!(out)?;
        paragraph(out, &text, 0)?;
    }
    Ok(())
}

/// The paragraphs of a manual: lines that follow each other are one, whatever width they were written in.
fn paragraphs(rule: &Rule) -> Vec<String> {
    let lines: Vec<&str> = rule.manual.lines().map(str::trim).collect();
    lines
        .split(|line| line.is_empty())
        .filter(|lines| !lines.is_empty())
        .map(|lines| lines.join(" "))
        .collect()
}

fn paragraph(out: &mut Out, text: &str, indent: usize) -> io::Result<()> {
    let width = out.width().min(100).saturating_sub(indent);
    for line in fill(&[Run::plain(text)], width) {
        let text: String = line.into_iter().map(|run| run.text).collect();
        writeln!(out, "{:indent$}{text}", "")?;
    }
    Ok(())
}
