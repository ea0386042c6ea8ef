//! What a judging came to.

use ggufkit_format::spec::arch;
use ggufkit_format::{Element, KvPart, Span, edits, shorten};
use ggufkit_inspect::summary::Kind;

use crate::data::Skipped;
use crate::facts::{self, Facts};
use crate::finding::Finding;
use crate::rule::{Family, Rule, Severity};
use crate::rules;
use crate::select::Selection;

/// Why no values of weights were looked at, where nobody asked for them.
pub const UNREAD: &str = "they were not read";

/// What was found, and what was not looked at.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// The findings, in the order of the files and their bytes.
    pub findings: Vec<Finding>,
    /// More findings of rules that found very many, for each rule and severity.
    pub left_out: Vec<Count>,
    /// Findings that were not asked for.
    pub ignored: Vec<Ignored>,
    /// Findings that the baseline covers.
    pub known: u64,
    /// What was not examined, and so is not clean.
    pub omissions: Vec<Omission>,
}

/// Findings that are only counted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Count {
    /// The rule.
    pub rule: &'static Rule,
    /// How bad they are.
    pub severity: Severity,
    /// How many findings there are beyond the ones that are kept.
    pub more: u64,
}

/// Findings of a rule that is ignored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ignored {
    /// The rule.
    pub rule: &'static Rule,
    /// How many findings it has.
    pub count: u64,
    /// Why they are ignored.
    pub reason: String,
}

/// Something that was not examined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Omission {
    /// Number of the file in the subject, from 0.
    pub file: usize,
    /// What was not looked at.
    pub what: String,
    /// Why not.
    pub why: String,
    /// Its bytes, where they can be told.
    pub span: Option<Span>,
}

impl Report {
    /// The worst finding; `None` when there is none.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        let kept = self.findings.iter().map(|finding| finding.severity);
        kept.chain(self.left_out.iter().map(|count| count.severity)).max()
    }

    /// Number of findings of a severity, the counted ones included.
    #[must_use]
    pub fn count(&self, severity: Severity) -> u64 {
        let kept = self.findings.iter().filter(|finding| finding.severity == severity).count() as u64;
        let more = self.left_out.iter().filter(|count| count.severity == severity);
        more.fold(kept, |sum, count| sum.saturating_add(count.more))
    }
}

/// What the rules of heads do not see.
pub(crate) fn omissions(facts: &Facts<'_>, selection: &Selection) -> Vec<Omission> {
    let mut out = Vec::new();
    let silent = selection.silent();
    if silent > 0 && !facts.files().is_empty() {
        let what = format!("what {} would look at", facts::counted(silent as u64, "other rule"));
        out.push(Omission { file: 0, what, why: "they were not selected".to_owned(), span: None });
    }
    for (at, file) in facts.files().iter().enumerate() {
        let Some(view) = file.view else {
            let why = "the header could not be read".to_owned();
            let span = file.size.map(|size| Span::new(0, size));
            out.push(Omission { file: at, what: "the whole file".to_owned(), why, span });
            continue;
        };
        let index = view.index();
        if !index.is_complete() {
            let span = file.size.map(|size| Span::between(index.head_end(), size));
            let why = "the head could not be read to its end".to_owned();
            out.push(Omission {
                file: at,
                what: "what follows the last record that was read".to_owned(),
                why,
                span,
            });
        }
        of_data(facts, at, &mut out);
        if index.is_complete() && !index.tensors().is_empty() && file.size.is_none() {
            let what = "whether the tensor data is all there".to_owned();
            let why = "the file's length is not known".to_owned();
            out.push(Omission { file: at, what, why, span: None });
        }
        if index.anomalies_left_out() > 0 {
            let what = format!("{} more oddities of the head", index.anomalies_left_out());
            out.push(Omission { file: at, what, why: "there are too many".to_owned(), span: None });
        }
    }
    if let Some(why) = without_architecture(facts, selection) {
        let what = "the keys, tensors and shapes that an architecture asks for".to_owned();
        out.push(Omission { file: 0, what, why, span: None });
    }
    // Where the set is known by its names, what is missing from it is a finding.
    let others = facts.u64("split.count").and_then(|count| count.checked_sub(facts.files().len() as u64));
    if let (None, Some(more @ 1..)) = (facts.subject().set, others) {
        let what = match more {
            1 => "the other shard of the model".to_owned(),
            more => format!("the other {more} shards of the model"),
        };
        let why = "split.count asks for more files than were given".to_owned();
        out.push(Omission { file: 0, what, why, span: None });
    }
    let judged = facts.templates_judged().map(|templates| templates.judged.as_slice()).unwrap_or_default();
    for (template, issues) in judged {
        if let Some(why) = &issues.not_parsed {
            let label = facts.kv_label(&template.place, KvPart::Value(Element::Whole));
            let what = "the syntax of a chat template".to_owned();
            out.push(Omission { file: label.file, what, why: why.clone(), span: Some(label.span) });
        }
    }
    out
}

/// Why none of the rules about what an architecture needs could speak about a file that may be a model; `None` where they
/// could, or nobody would expect them to.
fn without_architecture(facts: &Facts<'_>, selection: &Selection) -> Option<String> {
    const KEY: &str = "general.architecture";
    let asked = rules::all().any(|rule| {
        rule.family == Family::Conventions && rule.name != "architecture-unknown" && selection.selects(rule)
    });
    // Of a head that was read in part this is said already.
    if !asked || !facts.is_complete() || facts.rows().next().is_none() || facts.kind() == Kind::Imatrix {
        return None;
    }
    let Some(value) = facts.get(KEY) else {
        let like = |key: &[u8]| {
            edits(key, KEY.as_bytes()).is_some() || key.trim_ascii().eq_ignore_ascii_case(KEY.as_bytes())
        };
        let other = facts.records().map(|record| record.key().0).find(|key| like(key));
        return Some(match other {
            Some(key) => format!("the key \"{}\" is not {KEY}", shorten(key, 60)),
            None => format!("{KEY} is absent"),
        });
    };
    match value.as_str().map(str::trim) {
        None => Some(format!("{KEY} is no text")),
        Some("") => Some(format!("{KEY} is empty")),
        Some(name) if !arch::is_known(name) => {
            Some(format!("what \"{}\" needs is not known here", shorten(name.as_bytes(), 60)))
        }
        Some(_) => None,
    }
}

/// Which values of the weights were not looked at.
fn of_data(facts: &Facts<'_>, at: usize, out: &mut Vec<Omission>) {
    let Some(file) = facts.files().get(at) else { return };
    let Some(index) = file.view.map(|view| view.index()) else { return };
    if index.tensors().is_empty() {
        return;
    }
    let span = index.data_start().zip(file.size).map(|(start, end)| Span::between(start, end));
    let mut add = |what: String, why: &str| out.push(Omission { file: at, what, why: why.to_owned(), span });
    let Some(scan) = facts.scan() else {
        return add("the values of the weights".to_owned(), UNREAD);
    };
    for (skipped, why) in [
        (Skipped::NoSize, "their type or shape gives no size"),
        (Skipped::OutOfFile, "they do not lie within the file"),
        (Skipped::Overlaps, "their bytes are another tensor's, too"),
        (Skipped::NoSource, "the input cannot be read twice"),
    ] {
        let count = scan.of(at).iter().filter(|scan| scan.skipped.as_ref() == Some(&skipped)).count();
        if count > 0 {
            add(format!("the values of {count} of {} tensors", index.tensors().len()), why);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

    use ggufkit_testkit::{Builder, Tensor};

    use crate::Options;
    use crate::testing::Recipe;

    #[test]
    fn a_file_whose_architecture_cannot_be_told_is_not_called_examined() {
        let why = |file: Builder, options: &Options| {
            let file: Recipe = file.tensor(Tensor::f32("blk.0.attn_q.weight", &[4])).into();
            file.judge(options, |report, _| {
                let about = report.omissions.iter().filter(|one| one.what.contains("architecture asks for"));
                about.map(|one| one.why.clone()).collect::<Vec<_>>()
            })
        };
        let all = Options::default();
        for (key, value, expected) in [
            (
                "general.architecture\0",
                "llama",
                "the key \"general.architecture\\0\" is not general.architecture",
            ),
            ("general.archtecture", "llama", "the key \"general.archtecture\" is not general.architecture"),
            ("General.Architecture", "llama", "the key \"General.Architecture\" is not general.architecture"),
            ("general.name", "llama", "general.architecture is absent"),
            ("general.architecture", " ", "general.architecture is empty"),
            ("general.architecture", "flux", "what \"flux\" needs is not known here"),
        ] {
            assert_eq!(why(Builder::new().kv(key, value), &all), [expected], "{key}");
        }
        assert_eq!(
            why(Builder::new().kv("general.architecture", 7_u32), &all),
            ["general.architecture is no text"]
        );
        let none: [String; 0] = [];
        assert_eq!(why(Builder::new().kv("general.architecture", "llama"), &all), none);
        assert_eq!(why(Builder::new().kv("general.type", "imatrix"), &all), none);
        // Rules that were not asked have not been silent.
        let mut layout = Options::default();
        layout.selection.select("layout").unwrap();
        assert_eq!(why(Builder::new().kv("general.name", "llama"), &layout), none);
    }
}
