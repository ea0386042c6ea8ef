//! What is said of what runs keep beside the output: how much of it there is, how to go on with it, and how to be rid of it.

use std::path::{Path, PathBuf};

use ggufkit::inspect::units;
use ggufkit::io::sink::{Left, LeftByOther, OtherRun};

use super::super::shards::{Answer, shown};
use crate::failure::Failure;
use crate::out;

/// What is kept of all files.
#[derive(Default)]
pub(super) struct Kept {
    bytes: u64,
    files: usize,
    /// The first file and its list.
    first: Option<[PathBuf; 2]>,
}

impl Kept {
    /// Adds what is left of one file.
    pub(super) fn add(&mut self, target: &Path, left: &Left) {
        let Some(kept) = left.kept.as_ref().filter(|_| target.file_name().is_some()) else { return };
        self.bytes = self.bytes.saturating_add(kept.bytes);
        self.files = self.files.saturating_add(1);
        self.first.get_or_insert_with(|| kept.paths.clone());
    }

    /// How much, and where.
    fn place(&self) -> Option<String> {
        let [first, _] = self.first.as_ref()?;
        let more = match self.files {
            1 => String::new(),
            n => format!(" and {} more", n.saturating_sub(1)),
        };
        Some(format!("{} in {}{more}", units::bytes(self.bytes), shown(first)))
    }

    /// What is to be deleted to forget it.
    fn rid(&self) -> Option<String> {
        let [file, list] = self.first.as_ref()?;
        Some(match self.files {
            1 => format!("deleting {} and {} forgets it", shown(file), shown(list)),
            _ => "deleting these and their lists (.resume.log) forgets it".to_owned(),
        })
    }

    /// For a run that neither continues nor keeps anything.
    /// `is_like` tells whether this one was like the one that left it.
    pub(super) fn other(&self, is_like: impl FnOnce() -> bool) -> Vec<String> {
        let note = || {
            let (place, rid) = (self.place()?, self.rid()?);
            Some(match is_like() {
                true => format!("an earlier run left {place}: --resume continues it, {rid}"),
                false => format!(
                    "an earlier run, which was another one, left {place}: its own command continues it with --resume, {rid}"
                ),
            })
        };
        note().into_iter().collect()
    }

    /// For a run that keeps what it finishes.
    pub(super) fn begin(&self, answer: &Answer) -> Vec<String> {
        let Some(made) = answer.made.first() else { return Vec::new() };
        let mut name = std::ffi::OsString::from(".");
        name.push(made.path.file_name().unwrap_or_default());
        name.push(".resume");
        let path = shown(&made.path.with_file_name(name));
        let more = if answer.made.len() > 1 { " and so on" } else { "" };
        let found = self.place().map(|place| format!("; an earlier run left {place}")).unwrap_or_default();
        vec![format!("what is finished is kept in {path}{more}, and the same command continues it{found}")]
    }

    /// For a run that came to nothing.
    pub(super) fn after(&self) -> Option<String> {
        let (place, rid) = (self.place()?, self.rid()?);
        Some(format!("what is finished is kept, {place}: --resume continues it, {rid}"))
    }
}

/// What stands in the way where an earlier run was another one.
pub(super) fn left_by_other(left: &LeftByOther, called: &str) -> Failure {
    let [file, list] = left.paths.each_ref().map(|path| shown(path));
    let bytes = units::bytes(left.bytes);
    let before = out::fit(left.name.as_bytes(), 40);
    let what = match left.other {
        OtherRun::Settings if !before.is_empty() && !left.name.eq_ignore_ascii_case(called) => {
            format!("for {before} and not {}", out::fit(called.as_bytes(), 40))
        }
        OtherRun::Settings => "with other types, rules or options".to_owned(),
        OtherRun::Beside => "with another importance matrix, other rules or another recipe".to_owned(),
        OtherRun::Between => "of a model with other metadata".to_owned(),
        OtherRun::Source => "of a model with other weights".to_owned(),
        _ => "by another version of this program".to_owned(),
    };
    let help = match left.other {
        OtherRun::Settings | OtherRun::Beside => {
            format!("the same settings continue it; deleting {file} and {list} forgets it")
        }
        OtherRun::Between | OtherRun::Source => {
            format!("the same model continues it; deleting {file} and {list} forgets it")
        }
        _ => format!("deleting {file} and {list} forgets it"),
    };
    let message = format!("an earlier run left {bytes} in {file}, {what}");
    Failure::Usage { code: "left-by-other", message, help: Some(help) }
}
