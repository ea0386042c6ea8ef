//! `gguf rule`: the manuals of the rules.

use std::io::{self, Write as _};

use ggufkit::check::{Family, Rule, Selection, rules};

use super::explain::wrap::{Run, fill};
use crate::out::{self, Ink, Out, columns, pad};
use crate::{NO, OK};

/// Print the manuals of rules of `gguf check`, or list the rules
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  gguf rule\n  gguf rule layout\n  gguf rule duplicate-key GG203")]
pub(crate) struct Args {
    /// Names or codes of rules, for their manuals; names of families, for lists
    #[arg(value_name = "RULE")]
    names: Vec<String>,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
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
    // Lines that follow each other are one paragraph, whatever width they were written in.
    let lines: Vec<&str> = rule.manual.lines().map(str::trim).collect();
    for text in lines.split(|line| line.is_empty()).filter(|lines| !lines.is_empty()) {
        writeln!(out)?;
        paragraph(out, &text.join(" "), 0)?;
    }
    Ok(())
}

fn paragraph(out: &mut Out, text: &str, indent: usize) -> io::Result<()> {
    let width = out.width().min(100).saturating_sub(indent);
    for line in fill(&[Run::plain(text)], width) {
        let text: String = line.into_iter().map(|run| run.text).collect();
        writeln!(out, "{:indent$}{text}", "")?;
    }
    Ok(())
}
