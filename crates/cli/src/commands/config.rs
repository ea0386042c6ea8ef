//! `gguf config`: what an engine needs to load the model, each value with where it comes from.

use std::io::{self, Write as _};

use ggufkit::format::Scalar;
use ggufkit::inspect::Reach;
use ggufkit::inspect::config::{Config, Setting, Source, config};
use ggufkit::inspect::json::JsonText;
use ggufkit::inspect::units;
use serde_json::json;

use crate::args::{InputArgs, ReadArgs};
use crate::json::Files;
use crate::out::{self, Ink, Out, pad};
use crate::{FAILED, OK, frame};

/// Resolve the metadata to what an engine needs: layers, heads, rope, experts, context, vocabulary
///
/// Each value is shown with the key it comes from, or with the default and the rule that gives it. Required keys that
/// are missing are named.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  gguf config model.gguf\n  gguf config --json model.gguf | jq '.files[0].entries[] | {name, value}'"
)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: InputArgs,
    #[command(flatten)]
    read: ReadArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        let mut files = if self.json { Some(Files::begin(out, "config", true)?) } else { None };
        let mut first = true;
        let good = frame::each(out, &self.inputs, &self.read, self.json, |out, document| {
            // Of a head that was read in part nothing can be called absent.
            let resolved = document.model.as_ref().filter(|_| document.failures.is_empty()).map(config);
            if let Some(files) = &mut files {
                let (problems, errors) = (document.problems_json(), document.errors_json());
                let path = JsonText(document.path);
                let value =
                    json!({ "path": path, "config": resolved, "problems": problems, "errors": errors });
                return files.add(out, &value);
            }
            frame::report_problems(out, document)?;
            if let Some(resolved) = resolved {
                if !std::mem::take(&mut first) {
                    writeln!(out)?;
                }
                print(out, document.label, &resolved)?;
            }
            Ok(())
        })?;
        if let Some(files) = files {
            files.end(out)?;
        }
        Ok(if good { OK } else { FAILED })
    }
}

fn print(out: &mut Out, label: &str, config: &Config<'_>) -> io::Result<()> {
    let head = out.paint(Ink::Head, label);
    match config.architecture {
        Some(name) => {
            let name = out.paint(Ink::Text, out::plain(name.as_bytes()));
            writeln!(out, "{head}: architecture {name}")?;
        }
        None if config.keys.is_whole() => writeln!(out, "{head}: no general.architecture")?,
        None => writeln!(out, "{head}: general.architecture was not read")?,
    }
    let wide = config.entries.iter().map(|e| e.name.len()).max().unwrap_or(0);
    // The value's column is as wide as most values; a long list of layers takes a line of its own below.
    let values: Vec<String> = config.entries.iter().map(|e| setting(&e.value, 34)).collect();
    let value_wide = values.iter().map(|v| out::columns(v)).max().unwrap_or(0);
    let mut group = "";
    for (entry, value) in config.entries.iter().zip(&values) {
        if entry.group != group {
            group = entry.group;
            out.heading(group)?;
        }
        let name = out.paint(Ink::Key, pad(entry.name, wide));
        let value = out.paint(Ink::Number, pad(value, value_wide));
        let source = match &entry.source {
            Source::Key { key, offset } => format!("{} @ {offset:#x}", out::plain(key.as_bytes())),
            Source::Default { rule, .. } => format!("({rule})"),
            Source::Derived { rule } => format!("({rule})"),
            Source::Unread { .. } => "(not read)".to_owned(),
        };
        let room = out.width().saturating_sub(wide + value_wide + 6);
        if room >= 24 && out::columns(&source) <= room {
            let source = out.paint(Ink::Faint, source);
            writeln!(out, "  {name}  {value}  {source}")?;
        } else {
            let source = out.paint(Ink::Faint, source);
            writeln!(out, "  {name}  {value}\n      {source}")?;
        }
    }
    if !config.keys.is_whole() {
        let word = out.paint(Ink::Warn, "note");
        writeln!(out, "{word}: {}; what was not found is not called absent", unread(&config.keys))?;
    }
    if !config.missing.is_empty() {
        let word = out.paint(Ink::Bad, "missing for loading");
        let keys: Vec<_> = config.missing.iter().map(|key| out::plain(key.as_bytes()).to_string()).collect();
        writeln!(out, "{word}: {}", keys.join(", "))?;
    }
    if config.architecture_known && !config.requirements_known {
        let word = out.paint(Ink::Faint, "note");
        writeln!(out, "{word}: only the keys that every architecture needs were looked for")?;
    }
    for note in &config.notes {
        let word = out.paint(Ink::Warn, "note");
        writeln!(out, "{word}: {note}")?;
    }
    Ok(())
}

/// Why not all keys were read.
fn unread(keys: &Reach) -> String {
    match keys {
        Reach::Elsewhere { .. } => {
            "the keys of a split model stand in its first shard, which is not here".to_owned()
        }
        Reach::UpTo { offset, .. } => format!("the keys were read up to offset {offset:#x}"),
        _ => "not all keys were read".to_owned(),
    }
}

/// A value in at most about `max` columns.
fn setting(value: &Setting<'_>, max: usize) -> String {
    match value {
        Setting::None => "-".to_owned(),
        Setting::Integer(n) => n.to_string(),
        Setting::Scalar(scalar) => units::scalar_text(*scalar),
        Setting::Float(v) => units::scalar_text(Scalar::F64(*v)),
        Setting::Text(text) => out::fit(text.as_bytes(), max),
        Setting::Word(word) => (*word).to_owned(),
        Setting::Layers(values) => layers(values, max),
    }
}

/// Values of layers as runs: `0×4 8×28`.
fn layers(values: &[Scalar], max: usize) -> String {
    let mut runs: Vec<(String, usize)> = Vec::new();
    for value in values {
        let text = units::scalar_text(*value);
        match runs.last_mut() {
            Some((last, n)) if *last == text => *n += 1,
            _ => runs.push((text, 1)),
        }
    }
    let mut out = String::new();
    for (i, (text, n)) in runs.iter().enumerate() {
        let run = if *n == 1 { text.clone() } else { format!("{text}×{n}") };
        if out::columns(&out) + out::columns(&run) + 2 > max && i > 0 {
            out.push_str(" …");
            break;
        }
        if i > 0 {
            out.push(' ');
        }
        out.push_str(&run);
    }
    if out.is_empty() { "(empty)".to_owned() } else { out }
}
