//! `gguf check`: whether files are right.

mod config;
mod known;
mod print;
mod scan;

use std::io::{self, Write as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use ggufkit::check::{Answer, Baseline, File, Options, Severity, Source, Subject, check, loaders, render};
use ggufkit::inspect::json::JsonText;
use serde::Deserialize;
use serde_json::{Value, json};

use self::config::Config;
use self::known::Known;
use crate::args::{InputArgs, ReadArgs};
use crate::failure::{Failed, Failure};
use crate::frame::{self, Document};
use crate::json::Files;
use crate::out::{Ink, Out};
use crate::{FAILED, NO, OK};

/// How findings are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Format {
    /// With the bytes they are about
    Full,
    /// One line each
    Concise,
    /// In sentences, without drawings (for screen readers)
    Narrated,
    /// JSON
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of a GitHub workflow
    Github,
}

/// The least bad finding that makes the exit status 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
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
#[command(after_help = "Examples:\n  gguf check model.gguf\n  gguf check -r models/ --format concise\n  \
    gguf check --fail-on warning --ignore 'tensor-gap=our engine loads them' model.gguf\n  \
    gguf check -r models/ --write-baseline known.json; gguf check -r models/ --baseline known.json\n\n\
    A project's decisions stand in ggufkit.toml, in the working folder or above it: [check] with fail-on, select, per-rule, \
    baseline; [[check.ignore]] with rule, files, reason.\n\
    Exit status: 0 no finding at or above --fail-on, 1 there is one, 2 a file could not be read, or usage. With --fix it is \
    that of the file that was written, or 1 where nothing was because it would take a guess.")]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: InputArgs,
    #[command(flatten)]
    read: ReadArgs,
    /// Look at the values of the weights too: reads the whole file
    #[arg(long)]
    data: bool,
    /// Threads that read the weights [default: as many as the machine has]
    #[arg(long, value_name = "N", requires = "data")]
    threads: Option<NonZeroUsize>,
    /// Say which readers accept each file (llama.cpp, gguf-py, candle, Hugging Face, Ollama), and the rule that decides
    #[arg(long)]
    loaders: bool,
    /// How findings are printed
    #[arg(long, value_enum, default_value = "full", value_name = "FORMAT")]
    format: Format,
    /// Print JSON, as --format json does
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// The least bad finding that makes the exit status 1 [default: error]
    #[arg(long, value_enum, value_name = "SEVERITY")]
    fail_on: Option<FailOn>,
    /// Judge only by these rules or families
    #[arg(long, value_name = "RULE,…", value_delimiter = ',', help_heading = "Rules")]
    select: Vec<String>,
    /// Do not listen to a rule or family; a reason is asked for
    #[arg(long, value_name = "RULE=REASON", value_parser = ignored, help_heading = "Rules")]
    ignore: Vec<(String, String)>,
    /// Findings of one rule that are shown, 10000 at most; the others are counted [default: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=MAX_PER_RULE), help_heading = "Rules")]
    per_rule: Option<u64>,
    /// Count only the findings that are not in this file
    #[arg(long, value_name = "FILE", help_heading = "Rules")]
    baseline: Option<PathBuf>,
    /// Write the findings to this file, for --baseline; of one rule 10000 in a file at most, and more are said to be missing
    #[arg(long, value_name = "FILE", conflicts_with = "baseline", help_heading = "Rules")]
    write_baseline: Option<PathBuf>,
    /// Read decisions from this file instead of the nearest ggufkit.toml
    #[arg(long, value_name = "FILE", help_heading = "Rules")]
    config: Option<PathBuf>,
    /// Take no ggufkit.toml
    #[arg(long, conflicts_with = "config", help_heading = "Rules")]
    no_config: bool,
    /// Make the changes that findings propose as safe, into the file that -o names
    #[arg(long, requires = "output", conflicts_with_all = ["data", "loaders", "baseline", "write_baseline"], help_heading = "Fixing")]
    fix: bool,
    /// The file that --fix writes
    #[arg(long, short, value_name = "OUT", requires = "fix", help_heading = "Fixing")]
    output: Option<PathBuf>,
    /// Let --fix replace a file that exists
    #[arg(long, requires = "fix", help_heading = "Fixing")]
    force: bool,
}

/// `RULE=REASON`.
fn ignored(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((rule, reason)) if !reason.trim().is_empty() => Ok((rule.to_owned(), reason.trim().to_owned())),
        _ => Err("a reason is asked for: RULE=REASON".to_owned()),
    }
}

/// The command, as JSON names it, where the file is changed: its documents are those of `gguf repair`.
const FIX: &str = "check --fix";

/// Most findings of one rule and file that are kept, of which each takes some kilobytes: what a file of a megabyte can be
/// wrong in would otherwise fill hundreds of megabytes.
const MAX_PER_RULE: u64 = 10_000;

/// Findings of one rule in a file that are kept for a baseline.
const PER_RULE_OF_BASELINE: u64 = MAX_PER_RULE;

/// Longest baseline that is read.
const MAX_BASELINE: u64 = 256 << 20;

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        // The verdict is the exit status, whether or not anybody reads the findings to their end.
        out.hold();
        match self.decide() {
            Ok((config, options, fail_on)) if self.fix => self.fix(out, &config, options, fail_on),
            Ok((config, options, fail_on)) => self.judge(out, &config, options, fail_on),
            Err(message) => self.refuse(out, &Failure::usage("bad-options", message)),
        }
    }

    fn is_json(&self) -> bool {
        self.json || self.format == Format::Json
    }

    /// The call comes to nothing, whatever the files are.
    fn refuse(&self, out: &mut Out, failure: &Failure) -> io::Result<u8> {
        let command = if self.fix { FIX } else { "check" };
        frame::refuse(out, command, self.is_json(), failure)?;
        Ok(FAILED)
    }

    /// What the options and the configuration come to; options go before.
    fn decide(&self) -> Result<(Config, Options, FailOn), String> {
        let config = if self.no_config { Config::default() } else { Config::load(self.config.as_deref())? };
        let mut options = Options::default();
        let select = if self.select.is_empty() { &config.check.select } else { &self.select };
        for name in select {
            options.selection.select(name).map_err(|error| error.to_string())?;
        }
        for (rule, reason) in &self.ignore {
            options.selection.ignore(rule, reason).map_err(|error| error.to_string())?;
        }
        if let Some(n) = config.check.per_rule.filter(|n| *n > MAX_PER_RULE) {
            return Err(format!("per-rule is {n} in the configuration; {MAX_PER_RULE} is the most"));
        }
        options.per_rule = self.per_rule.or(config.check.per_rule).unwrap_or(options.per_rule);
        if self.write_baseline.is_some() {
            options.per_rule = PER_RULE_OF_BASELINE;
        } else if let Some(path) = self.baseline.as_ref().or(config.check.baseline.as_ref()) {
            let shown = crate::out::path(path);
            let text = config::read(path, MAX_BASELINE).map_err(|error| {
                // Where something is there, nothing that is no baseline is replaced by one.
                let absent =
                    path.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
                let help =
                    if absent { format!("; --write-baseline {shown} writes it") } else { String::new() };
                format!("the baseline {shown} cannot be read: {error}{help}")
            })?;
            let baseline = Baseline::parse(&text).map_err(|error| format!("{shown}: {error}"))?;
            options.baseline = Some(baseline);
        }
        let fail_on = self.fail_on.or(config.check.fail_on).unwrap_or(FailOn::Error);
        Ok((config, options, fail_on))
    }

    /// Makes the changes that findings propose as safe, into a new file. The status is that of checking the result.
    fn fix(&self, out: &mut Out, config: &Config, options: Options, fail_on: FailOn) -> io::Result<u8> {
        let [file] = self.inputs.files.as_slice() else {
            let message = "--fix takes one file, whose changed form it writes to -o";
            return self.refuse(out, &Failure::usage("fix-of-several", message));
        };
        let file = Path::new(file);
        let mut rules = options.clone();
        config.ignore(&mut rules.selection, file);
        let mut policy = ggufkit::edit::repair::Policy::default();
        policy.rules = Options { per_rule: policy.rules.per_rule, baseline: None, ..rules };
        policy.own = false;
        let job = super::mend::Job {
            command: FIX,
            file,
            output: self.output.as_deref(),
            folder: false,
            force: self.force,
            json: self.is_json(),
            read: self.read.options(),
        };
        let (status, result) = job.run_to(out, &policy)?;
        match (status, result) {
            (OK, Some(result)) => self.status_of(out, &result, config, &options, fail_on),
            (status, _) => Ok(status),
        }
    }

    /// The status that `gguf check` has for a file that was written, or left as it was.
    fn status_of(
        &self,
        out: &mut Out,
        result: &Path,
        config: &Config,
        options: &Options,
        fail_on: FailOn,
    ) -> io::Result<u8> {
        let inputs = InputArgs { files: vec![result.into()], how: self.inputs.how.clone() };
        // What was written is read as any file is; what was left is read as it was.
        let left = self.inputs.files.first().is_some_and(|file| Path::new(file) == result);
        let read = if left { self.read } else { ReadArgs::standard() };
        let mut tally = print::Tally::default();
        let good = frame::each(out, &inputs, &read, true, |_, document| {
            let judged = files_of(document);
            let subject = Subject { files: &judged, set: document.set, problems: document.problems };
            tally
                .add(&check(&subject, &config.options(options, document), None), document.unopened().count());
            Ok(())
        })?;
        let status = tally.status(good, fail_on);
        // Errors that remain were counted already.
        if status == NO && tally.worst < Some(Severity::Error) {
            let shown = crate::out::path(result);
            let worst = tally.worst.map_or("finding", Severity::name);
            let text = format!("{worst}s remain, which --fail-on asks about: see `gguf check {shown}`");
            out.message(Ink::Warn, "warning", &text)?;
        }
        Ok(status)
    }

    fn judge(self, out: &mut Out, config: &Config, options: Options, fail_on: FailOn) -> io::Result<u8> {
        let format = if self.json { Format::Json } else { self.format };
        let named = self.inputs.files.iter().chain(&self.inputs.how.files_from).map(Path::new);
        let mut baseline = match self.write_baseline.as_deref().map(|path| Known::begin(path, named)) {
            None => None,
            Some(Ok(baseline)) => Some(baseline),
            Some(Err(failure)) => return self.refuse(out, &failure),
        };
        let mut files = if format == Format::Json { Some(Files::begin(out, "check", true)?) } else { None };
        let mut sarif: (Vec<Value>, Vec<Value>) = Default::default();
        let mut tally = print::Tally::default();
        let mut changed = false;
        let good = frame::each(out, &self.inputs, &self.read.anywhere(self.data), true, |out, document| {
            let judged = files_of(document);
            let subject = Subject { files: &judged, set: document.set, problems: document.problems };
            let options = config.options(&options, document);
            let scan = self.data.then(|| scan::scan(out, document.label, &subject, self.threads));
            if let Some(failed) = scan.as_ref().and_then(|_| document.changed()) {
                changed = true;
                frame::report(out, &[failed])?;
            }
            let report = check(&subject, &options, scan.as_ref());
            let answers = if self.loaders { loaders(&subject) } else { Vec::new() };
            tally.add(&report, document.unopened().count());
            if let Some(baseline) = &mut baseline {
                baseline.add(document, &report, &subject);
            }
            match format {
                Format::Json => {
                    let mut one = render::json(&report, &subject);
                    if let Value::Object(one) = &mut one {
                        one.insert("path".to_owned(), json!(JsonText(document.path)));
                        one.insert("errors".to_owned(), errors_json(document));
                        if self.loaders {
                            one.insert("loaders".to_owned(), answers.iter().map(answer_json).collect());
                        }
                    }
                    match &mut files {
                        Some(files) => files.add(out, &one),
                        None => Ok(()),
                    }
                }
                Format::Sarif => {
                    sarif.0.extend(render::sarif_results(&report, &subject));
                    sarif.1.extend(render::sarif_notifications(&report, &subject));
                    sarif.1.extend(document.unopened().map(
                        |failed| json!({ "level": "error", "message": { "text": failed.to_string() } }),
                    ));
                    Ok(())
                }
                _ => {
                    print::report(out, format, &mut tally, document, &report, &subject)?;
                    let of_file =
                        matches!(format, Format::Concise | Format::Github).then_some(document.label);
                    print::answers(out, &answers, of_file)?;
                    frame::report_unopened(out, document)
                }
            }
        })?;
        // Before the document ends, so that it can say why there is no baseline.
        let unwritten = baseline.and_then(|baseline| match baseline.write(out) {
            Ok(Ok(())) => None,
            Ok(Err(failed)) => Some(Ok(failed)),
            Err(error) => Some(Err(error)),
        });
        let unwritten = unwritten.transpose()?;
        if let Some(files) = files {
            files.end_with(out, unwritten.as_ref())?;
        } else if let Some(failed) = &unwritten {
            frame::report(out, std::slice::from_ref(failed))?;
        }
        if format == Format::Sarif {
            let log = render::sarif_log(&sarif.0, &sarif.1, good || tally.unopened == 0);
            ggufkit::inspect::json::write(&mut *out, &log, true)?;
            writeln!(out)?;
        }
        if matches!(format, Format::Concise | Format::Github) {
            tally.print_beside(out)?;
        }
        if matches!(format, Format::Full | Format::Narrated) {
            if self.loaders {
                print::versions(out)?;
            }
            tally.print(out)?;
        }
        if unwritten.is_some() || changed {
            return Ok(FAILED);
        }
        Ok(tally.status(good, fail_on))
    }
}

/// The files of a document, as the judge knows them.
pub(super) fn files_of<'a>(document: &'a Document<'_>) -> Vec<File<'a>> {
    let file = |part: &'a frame::PartDoc<'_>| File {
        label: part.name(),
        file_name: part.file_name.as_deref(),
        size: part.size,
        view: part.view(),
        error: part.outcome.error.as_ref(),
        diagnosis: &part.diagnosis,
        source: part.source.as_ref().map(|source| source as &Source),
    };
    document.parts.iter().map(file).collect()
}

fn errors_json(document: &Document<'_>) -> Value {
    document.unopened().map(Failed::json).collect()
}

fn answer_json(answer: &Answer) -> Value {
    json!({
        "loader": answer.loader,
        "version": answer.loader.version(),
        "verdict": answer.verdict,
        "rule": answer.rule.map(|rule| rule.name),
        "why": answer.why,
    })
}
