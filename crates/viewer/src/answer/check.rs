//! Whether a model is right, by the rules of `gguf check`.

use ggufkit_check::{File, Finding, Label, Options, Report, Severity, Source, Subject};
use ggufkit_format::{ByteStr, Span, shorten};
use serde::Serialize;

use super::query::Query;
use super::refusal::Refusal;
use super::session::{Opened, Session};
use super::shape::Place;
use super::zh::Said;
use super::{Answer, json};

/// Findings of one rule that are told; the others are counted.
const PER_RULE: u64 = 50;

#[derive(Serialize)]
struct Judged {
    model: usize,
    counts: Counts,
    findings: Vec<Told>,
    left_out: Vec<LeftOut>,
    not_examined: Vec<Omission>,
}

#[derive(Serialize)]
struct Counts {
    error: u64,
    warning: u64,
    note: u64,
}

#[derive(Serialize)]
struct LeftOut {
    rule: &'static str,
    code: &'static str,
    severity: Severity,
    more: u64,
}

#[derive(Serialize)]
struct Told {
    rule: &'static str,
    code: &'static str,
    severity: Severity,
    family: &'static str,
    /// What the rule is about. What a finding says in detail is in English.
    summary: Said,
    message: String,
    primary: At,
    secondary: Vec<At>,
    notes: Vec<String>,
    help: Vec<String>,
    fix: Option<Fix>,
}

#[derive(Serialize)]
struct At {
    file: usize,
    start: u64,
    end: u64,
    path: Option<String>,
    name: Option<String>,
    text: Option<String>,
}

#[derive(Serialize)]
struct Fix {
    title: String,
    safety: &'static str,
}

#[derive(Serialize)]
struct Omission {
    what: Said,
    why: Said,
    place: Option<Place>,
}

pub(super) fn check(session: &Session, query: &Query<'_>) -> Answer {
    let (number, opened) = session.opened(query, "model")?;
    judged(session, number, opened).map(|judged| judged.answer.clone())
}

/// The rules that a model breaks.
pub(super) fn rules(session: &Session, model: usize) -> Vec<String> {
    let judged = session.models.get(model).and_then(|opened| judged(session, model, opened).ok());
    judged.map(|judged| judged.rules.iter().map(|rule| (*rule).to_owned()).collect()).unwrap_or_default()
}

/// A judgement, which is made once, of the head as it was read.
#[derive(Debug)]
pub(super) struct Judgement {
    answer: Vec<u8>,
    /// The rules that were broken, each once.
    rules: Vec<&'static str>,
}

fn judged<'s>(session: &Session, number: usize, opened: &'s Opened) -> Result<&'s Judgement, Refusal> {
    if let Some(done) = opened.judged.get() {
        return Ok(done);
    }
    let files: Vec<(usize, File<'_>)> = opened
        .files
        .iter()
        .filter_map(|&number| {
            let file = session.files.get(number)?;
            let judged = File {
                // Reports are handed on: folders of this machine are nobody's business.
                label: ByteStr(file.file_name.as_deref().map_or(file.label.as_slice(), str::as_bytes)),
                file_name: file.file_name.as_deref(),
                size: file.size,
                view: file.view(),
                error: file.error.as_ref(),
                diagnosis: &file.diagnosis,
                source: file.source.as_deref().map(|source| source as &Source),
            };
            Some((number, judged))
        })
        .collect();
    let (numbers, files): (Vec<usize>, Vec<File<'_>>) = files.into_iter().unzip();
    if files.is_empty() {
        return Err(Refusal::malformed(("no file of this model could be opened", "此模型的文件都无法打开")));
    }
    let subject = Subject { files: &files, set: opened.set.as_ref(), problems: &opened.set_problems };
    let options = Options { per_rule: PER_RULE, ..Options::default() };
    let report = ggufkit_check::check(&subject, &options, None);
    let answer = json(&told(number, &numbers, &report))?;
    let mut rules: Vec<&'static str> = report.findings.iter().map(|finding| finding.rule.name).collect();
    rules.sort_unstable();
    rules.dedup();
    // Whoever was first: both are the same.
    Ok(opened.judged.get_or_init(|| Judgement { answer, rules }))
}

fn told(model: usize, numbers: &[usize], report: &Report) -> Judged {
    let count = |severity| report.count(severity);
    let left_out = report.left_out.iter().map(|one| LeftOut {
        rule: one.rule.name,
        code: one.rule.code,
        severity: one.severity,
        more: one.more,
    });
    let omission = |one: &ggufkit_check::Omission| Omission {
        what: Said::of(&one.what),
        why: Said::of(&one.why),
        place: one.span.zip(numbers.get(one.file)).map(|(span, number)| Place::new(*number, span)),
    };
    Judged {
        model,
        counts: Counts {
            error: count(Severity::Error),
            warning: count(Severity::Warning),
            note: count(Severity::Note),
        },
        findings: report.findings.iter().map(|finding| finding_of(numbers, finding)).collect(),
        left_out: left_out.collect(),
        not_examined: report.omissions.iter().map(omission).collect(),
    }
}

fn finding_of(numbers: &[usize], finding: &Finding) -> Told {
    let at = |label: &Label| label_of(numbers, label);
    Told {
        rule: finding.rule.name,
        code: finding.rule.code,
        severity: finding.severity,
        family: finding.rule.family.name(),
        summary: Said { en: finding.rule.summary.to_owned(), zh: finding.rule.summary_zh.to_owned() },
        message: finding.message.clone(),
        primary: at(&finding.primary),
        secondary: finding.secondary.iter().map(at).collect(),
        notes: finding.notes.clone(),
        help: finding.help.clone(),
        fix: finding.fix.as_ref().map(|fix| Fix { title: fix.title.clone(), safety: fix.safety.name() }),
    }
}

fn label_of(numbers: &[usize], label: &Label) -> At {
    let Span { start, .. } = label.span;
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    At {
        file: numbers.get(label.file).copied().unwrap_or_default(),
        start,
        end: label.span.end(),
        path: some(&label.path),
        name: label.name.as_ref().map(|name| shorten(name, 200)),
        text: some(&label.text),
    }
}
