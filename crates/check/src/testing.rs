//! For the tests: recipes of files, and what is said about them.
//!
//! Each rule has a recipe that breaks it and one that does not. Here both are judged, and what is printed about the first
//! is compared with a snapshot. `SNAPSHOTS=overwrite` writes the snapshots anew; look at the difference before committing.

#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

pub(crate) mod asked;
mod tiny;

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use ggufkit_format::{ByteStr, Options as ReadOptions, Outcome, View, parse};
use ggufkit_io::{Diagnosis, ShardPart, ShardProblem, diagnose};
use ggufkit_testkit::Builder;
use ggufkit_testkit::sources::{Failing, Memory};

#[path = "../../edit/tests/mended/mod.rs"]
mod mended;

use crate::rule::Rule;
use crate::rules::{RECIPES, all};
use crate::{File, Options, Report, Severity, Source, Subject, check, render};

pub(crate) use tiny::Tiny;

/// Files to judge: one, or the shards of a set.
pub(crate) struct Recipe {
    files: Vec<(String, Vec<u8>)>,
    read: ReadOptions,
    /// Whether the data is looked at.
    scanned: bool,
    /// Position from which on the sources fail.
    fails_at: Option<u64>,
    problems: Vec<ShardProblem>,
    /// Whether the file's length is told.
    sized: bool,
}

impl From<Vec<u8>> for Recipe {
    fn from(bytes: Vec<u8>) -> Self {
        Self::of(vec![("model.gguf".to_owned(), bytes)])
    }
}

impl From<Builder> for Recipe {
    fn from(file: Builder) -> Self {
        file.bytes().into()
    }
}

impl Recipe {
    fn of(files: Vec<(String, Vec<u8>)>) -> Self {
        Self {
            files,
            read: ReadOptions::new(),
            scanned: false,
            fails_at: None,
            problems: Vec::new(),
            sized: true,
        }
    }

    /// The same files, whose data is looked at too.
    pub(crate) fn scanned(mut self) -> Self {
        self.scanned = true;
        self
    }

    /// The same files on a device that fails behind a position.
    pub(crate) fn failing_beyond(mut self, position: u64) -> Self {
        self.fails_at = Some(position);
        self
    }

    /// Files with names, as the members of a shard set.
    pub(crate) fn named<const N: usize>(files: [(&str, Vec<u8>); N]) -> Self {
        let files = files.into_iter().map(|(name, bytes)| (name.to_owned(), bytes)).collect();
        Self::of(files)
    }

    /// The same files, read with these options.
    pub(crate) fn read(mut self, read: ReadOptions) -> Self {
        self.read = read;
        self
    }

    /// The same files, read as a stream without a length and without budgets.
    pub(crate) fn unbounded(mut self) -> Self {
        let limits = &mut self.read.limits;
        (limits.max_head, limits.max_string, limits.max_array) = (u64::MAX, u64::MAX, u64::MAX);
        self.sized = false;
        self
    }

    /// The same files with a problem that only the folder they lie in can tell.
    pub(crate) fn problem(mut self, problem: ShardProblem) -> Self {
        self.problems.push(problem);
        self
    }

    /// Judges the files and hands the report over.
    pub(crate) fn judge<T>(&self, options: &Options, then: impl FnOnce(&Report, &Subject<'_>) -> T) -> T {
        let sources: Vec<Box<Source>> = (self.files.iter())
            .map(|(_, bytes)| match self.fails_at {
                Some(position) => {
                    Box::new(Failing::beyond(Memory::new(bytes.clone()), position)) as Box<Source>
                }
                None => Box::new(Memory::new(bytes.clone())),
            })
            .collect();
        let size = |bytes: &[u8]| self.sized.then_some(bytes.len() as u64);
        let read = |bytes: &[u8]| self.read.with_size(size(bytes));
        let outcomes: Vec<Outcome> = self.files.iter().map(|(_, bytes)| parse(bytes, read(bytes))).collect();
        let diagnoses: Vec<Diagnosis> = (self.files.iter().zip(&outcomes))
            .map(|((_, bytes), outcome)| {
                diagnose(&Memory::new(bytes.clone()), read(bytes), outcome, bytes).unwrap()
            })
            .collect();
        let files: Vec<File<'_>> = (self.files.iter().zip(&sources))
            .zip(outcomes.iter().zip(&diagnoses))
            .map(|(((name, bytes), source), (outcome, diagnosis))| File {
                label: ByteStr(name.as_bytes()),
                file_name: Some(name),
                size: size(bytes),
                view: outcome.index.as_ref().map(|index| View::new(index, bytes)),
                error: outcome.error.as_ref(),
                diagnosis,
                source: Some(source.as_ref()),
            })
            .collect();
        let shards: Vec<ShardPart<'_>> = (files.iter())
            .filter_map(|file| Some(ShardPart { path: file.file_name?.as_ref(), view: file.view? }))
            .collect();
        let mut problems = if files.len() > 1 { ggufkit_io::check_shards(&shards) } else { Vec::new() };
        problems.extend(self.problems.iter().cloned());
        let subject = Subject { files: &files, set: None, problems: &problems };
        let scan = self.scanned.then(|| crate::scan_data(&subject, NonZeroUsize::MIN, &|_| ()));
        then(&check(&subject, options, scan.as_ref()), &subject)
    }

    /// The names of the rules that speak.
    pub(crate) fn spoken(&self) -> BTreeSet<&'static str> {
        self.judge(&Options::default(), |report, _| report.findings.iter().map(|f| f.rule.name).collect())
    }
}

/// The recipes of a rule.
pub(crate) struct Recipes {
    pub(crate) rule: &'static Rule,
    pub(crate) bad: fn() -> Recipe,
    pub(crate) good: fn() -> Recipe,
}

fn recipes() -> impl Iterator<Item = &'static Recipes> {
    RECIPES.iter().flat_map(|family| family.iter())
}

fn snapshots() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("snapshots")
}

#[test]
fn every_rule_says_what_it_is_about_in_english_and_in_chinese() {
    let chinese = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
    for rule in crate::rules::all() {
        let (en, zh) = (rule.summary, rule.summary_zh);
        assert!(!en.is_empty() && !en.chars().any(chinese), "{}: {en}", rule.code);
        assert!(zh.chars().any(chinese) && !zh.ends_with('。'), "{}: {zh}", rule.code);
        // Names of keys and types are the same in every language.
        for name in en.split([' ', ',']).filter(|word| word.contains(['.', '_']) && word.is_ascii()) {
            assert!(zh.contains(name.trim_end_matches('.')), "{}: {zh} does not name {name}", rule.code);
        }
    }
}

#[test]
fn codes_and_names_are_unique_and_codes_tell_the_family() {
    let rules: Vec<&Rule> = all().collect();
    assert_eq!(rules.iter().map(|rule| rule.code).collect::<BTreeSet<_>>().len(), rules.len());
    assert_eq!(rules.iter().map(|rule| rule.name).collect::<BTreeSet<_>>().len(), rules.len());
    for rule in rules {
        let digits = rule.code.strip_prefix("GG").expect("codes begin with GG");
        assert_eq!(digits.len(), 3, "{}", rule.name);
        assert_eq!(digits.as_bytes()[0] - b'0', rule.family.digit(), "{}", rule.name);
        assert!(rule.manual.len() > 150, "{} has no manual to speak of", rule.name);
        assert!(!rule.summary.ends_with('.'), "{}", rule.name);
        assert_eq!(rule.name, rule.name.to_ascii_lowercase());
    }
}

/// Files and baselines out in the world name rules by their codes: one that was given away stands here for ever, and the code
/// of a rule that is no more is not given to another.
#[test]
fn codes_are_never_given_to_another_rule() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("codes.txt");
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    let mut lines: BTreeSet<String> = known.lines().map(str::to_owned).collect();
    for rule in all() {
        let own = format!("{} {}", rule.code, rule.name);
        let other = lines.iter().find(|line| line.starts_with(rule.code) && **line != own);
        assert_eq!(other, None, "the code of {own} is taken");
        lines.insert(own);
    }
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    snapbox::Assert::new().action_env("SNAPSHOTS").eq(
        snapbox::Data::text(text),
        snapbox::Data::read_from(&path, Some(snapbox::data::DataFormat::Text)),
    );
}

#[test]
fn the_bad_recipe_of_a_rule_breaks_it_and_the_good_one_does_not() {
    for recipes in recipes() {
        let name = recipes.rule.name;
        assert!((recipes.bad)().spoken().contains(name), "the bad recipe of {name} does not break it");
        assert!(!(recipes.good)().spoken().contains(name), "the good recipe of {name} breaks it");
    }
}

/// Whatever is wrong with a file, one repair does all that can be done.
#[test]
fn recipes_are_settled_by_one_repair() {
    for recipes in recipes() {
        for (_, bytes) in (recipes.bad)().files.iter().chain(&(recipes.good)().files) {
            mended::mended(bytes);
        }
    }
}

/// The report without what is said of every rule that is asked alone.
fn said_alone(report: &Report) -> Report {
    let mut report = report.clone();
    report.omissions.retain(|omission| omission.why != "they were not selected");
    report
}

#[test]
fn what_is_printed_about_bad_recipes_is_as_it_was() {
    let mut wanted = BTreeSet::new();
    for recipes in recipes() {
        let folder = snapshots().join(recipes.rule.family.name());
        let mut options = Options::default();
        // Only the rule itself: what others say about the recipe is in their own snapshots.
        options.selection.select(recipes.rule.name).unwrap();
        let (full, json) = (recipes.bad)().judge(&options, |report, subject| {
            let json = serde_json::to_string_pretty(&render::json(&said_alone(report), subject)).unwrap();
            (render::full(report, subject, &render::plain), json + "\n")
        });
        for (text, extension) in [(full, "txt"), (json, "json")] {
            let path = folder.join(format!("{}.{extension}", recipes.rule.name));
            snapbox::Assert::new().action_env("SNAPSHOTS").eq(
                snapbox::Data::text(text),
                snapbox::Data::read_from(&path, Some(snapbox::data::DataFormat::Text)),
            );
            wanted.insert(path);
        }
    }
    for family in std::fs::read_dir(snapshots()).expect("snapshots").flatten() {
        for file in std::fs::read_dir(family.path()).expect("a family's folder").flatten() {
            assert!(wanted.contains(&file.path()), "{} belongs to no rule", file.path().display());
        }
    }
}

#[test]
fn severities_are_ordered() {
    assert!(Severity::Note < Severity::Warning && Severity::Warning < Severity::Error);
}

#[test]
fn every_check_of_gguf_cpp_in_the_documents_is_a_rule() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/checks.md");
    let text = std::fs::read_to_string(path).unwrap();
    let table = text.split("| gguf.cpp | here |").nth(1).expect("the table");
    let mut rows = 0;
    for line in table.lines().skip(2).take_while(|line| line.starts_with('|')) {
        rows += 1;
        let here = line.split('|').nth(2).unwrap();
        let names: Vec<&str> = here.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "{line}");
        for name in names {
            assert!(Rule::find(name).is_some(), "{name} is no rule");
        }
    }
    assert_eq!(rows, 35);
}
