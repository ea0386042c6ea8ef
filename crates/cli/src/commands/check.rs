//! `gguf check`: whether files are right.

use std::io::{self, Write as _};

use ggufkit::check::{File, Options, Report, Severity, Source, Subject, check, render};
use serde_json::json;

use crate::args::{InputArgs, ReadArgs};
use crate::json::Files;
use crate::out::{Ink, Out};
use crate::{FAILED, NO, OK, frame};

/// How findings are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Format {
    /// With the bytes they are about
    Full,
    /// One line each
    Concise,
    /// JSON
    Json,
}

/// The least bad finding that makes the exit status 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum FailOn {
    Note,
    Warning,
    Error,
    Never,
}

impl FailOn {
    fn fails(self, worst: Option<Severity>) -> bool {
        let least = match self {
            Self::Note => Severity::Note,
            Self::Warning => Severity::Warning,
            Self::Error => Severity::Error,
            Self::Never => return false,
        };
        worst.is_some_and(|worst| worst >= least)
    }
}

/// Check files: what is broken, where, why it matters, what to do
///
/// Every finding names its rule (`gguf rule NAME` prints its manual) and the bytes it is about. What was not examined is
/// said, never counted as clean.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  gguf check model.gguf\n  gguf check -r models/ --format concise\n  gguf check --fail-on warning model.gguf\n\n\
    Exit status: 0 no finding at or above --fail-on, 1 there is one, 2 a file could not be read, or usage."
)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: InputArgs,
    #[command(flatten)]
    read: ReadArgs,
    /// How findings are printed
    #[arg(long, value_enum, default_value = "full", value_name = "FORMAT")]
    format: Format,
    /// Print JSON, as --format json does
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// The least bad finding that makes the exit status 1
    #[arg(long, value_enum, default_value = "error", value_name = "SEVERITY")]
    fail_on: FailOn,
    /// Judge only by this rule or family (may be given again)
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    select: Vec<String>,
    /// Findings of one rule that are shown; the others are counted
    #[arg(long, value_name = "N", default_value_t = 10)]
    per_rule: u64,
    /// Make the changes that findings propose as safe, into the file that -o names
    #[arg(long, requires = "output")]
    fix: bool,
    /// The file that --fix writes
    #[arg(long, short, value_name = "OUT", requires = "fix")]
    output: Option<std::path::PathBuf>,
    /// Let --fix replace a file that exists
    #[arg(long, requires = "fix")]
    force: bool,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        let format = if self.json { Format::Json } else { self.format };
        let mut options = Options { per_rule: self.per_rule, ..Options::default() };
        for name in &self.select {
            if let Err(error) = options.selection.select(name) {
                out.message(Ink::Bad, "error", &error.to_string())?;
                return Ok(FAILED);
            }
        }
        if self.fix {
            return self.fix(out, options, format == Format::Json);
        }
        let mut files = if format == Format::Json { Some(Files::begin(out, "check", true)?) } else { None };
        let mut worst = None;
        let mut unopened = false;
        frame::each(out, &self.inputs, &self.read, true, |out, document| {
            let judged: Vec<File<'_>> = (document.parts.iter())
                .map(|part| File {
                    label: &part.label,
                    file_name: part.file_name.as_deref(),
                    size: part.size,
                    view: part.view(),
                    error: part.outcome.error.as_ref(),
                    diagnosis: &part.diagnosis,
                    source: part.source.as_ref().map(|source| source as &Source),
                })
                .collect();
            let subject = Subject { files: &judged, set: document.set, problems: document.problems };
            let report = check(&subject, &options);
            worst = worst.max(report.worst());
            unopened |= document.unopened().next().is_some();
            if let Some(files) = &mut files {
                let errors = document.errors_json();
                let mut one = render::json(&report, &subject);
                if let serde_json::Value::Object(one) = &mut one {
                    one.insert("path".to_owned(), json!(document.label));
                    one.insert("errors".to_owned(), json!(errors));
                }
                return files.add(out, &one);
            }
            print(out, format, document.label, &report, &subject)?;
            for (label, failure) in document.unopened() {
                out.message(Ink::Bad, "error", &format!("{label}: {failure}"))?;
            }
            Ok(())
        })?;
        if let Some(files) = files {
            files.end(out)?;
        }
        Ok(match (unopened, self.fail_on.fails(worst)) {
            (true, _) => FAILED,
            (false, true) => NO,
            (false, false) => OK,
        })
    }
}

impl Args {
    /// Makes the changes that findings propose as safe, into a new file.
    fn fix(&self, out: &mut Out, rules: Options, json: bool) -> io::Result<u8> {
        let [file] = self.inputs.files.as_slice() else {
            out.message(Ink::Bad, "error", "--fix takes one file, whose changed form it writes to -o")?;
            return Ok(FAILED);
        };
        let mut policy = ggufkit::edit::repair::Policy::default();
        policy.rules = Options { per_rule: policy.rules.per_rule, ..rules };
        policy.own = false;
        let job = super::repair::Job {
            command: "check",
            file: std::path::Path::new(file),
            output: self.output.as_deref(),
            folder: false,
            force: self.force,
            json,
            read: self.read.options(),
        };
        job.run(out, &policy)
    }
}

fn print(
    out: &mut Out,
    format: Format,
    label: &str,
    report: &Report,
    subject: &Subject<'_>,
) -> io::Result<()> {
    let text = {
        let paint = |ink: render::Ink, text: &str| {
            let ink = match ink {
                render::Ink::Error => Ink::Bad,
                render::Ink::Warning => Ink::Warn,
                render::Ink::Note | render::Ink::Secondary => Ink::Key,
                render::Ink::Headline | render::Ink::Word => Ink::Head,
                render::Ink::Faint => Ink::Faint,
            };
            out.paint(ink, text).to_string()
        };
        match format {
            Format::Concise => render::concise(report, subject, &paint),
            _ => render::full(report, subject, &paint),
        }
    };
    write!(out, "{text}")?;
    if format == Format::Concise {
        return Ok(());
    }
    for omission in &report.omissions {
        let word = out.paint(Ink::Warn, "not examined");
        writeln!(out, "{word}: {}, because {}", omission.what, omission.why)?;
    }
    let counts = [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Note, "note")]
        .map(|(severity, word)| match report.count(severity) {
            1 => format!("1 {word}"),
            n => format!("{n} {word}s"),
        })
        .join(", ");
    let head = out.paint(Ink::Head, label);
    writeln!(out, "{head}: {counts}")
}
