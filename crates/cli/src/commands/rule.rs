//! `gguf rule`: the manuals of the rules.

use std::io::{self, Write as _};

use ggufkit::check::{Rule, rules};

use crate::out::{Ink, Out, pad};
use crate::{NO, OK};

/// Print the manual of a rule of `gguf check`, or list all rules
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  gguf rule\n  gguf rule duplicate-key\n  gguf rule GG203")]
pub(crate) struct Args {
    /// A rule's name or code
    #[arg(value_name = "RULE")]
    name: Option<String>,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        let Some(name) = self.name else {
            let wide = rules::all().map(|rule| rule.name.len()).max().unwrap_or(0);
            for rule in rules::all() {
                let name = out.paint(Ink::Key, pad(rule.name, wide)).to_string();
                writeln!(out, "{}  {name}  {:7}  {}", rule.code, rule.severity.name(), rule.summary)?;
            }
            return Ok(OK);
        };
        let Some(rule) = Rule::find(&name) else {
            let text = format!("there is no rule {name:?}; `gguf rule` lists them");
            out.message(Ink::Bad, "error", &text)?;
            return Ok(NO);
        };
        out.heading(&format!("{} ({})", rule.name, rule.code))?;
        let family = rule.family.name();
        writeln!(out, "{}, {family}: {}\n", rule.severity, rule.summary)?;
        for line in rule.manual.lines() {
            writeln!(out, "{}", line.strip_prefix(' ').unwrap_or(line))?;
        }
        Ok(OK)
    }
}
