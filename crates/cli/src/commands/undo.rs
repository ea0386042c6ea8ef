//! `gguf undo`: the last change that was made in place, taken back; of a set, in all of its files.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use ggufkit::inspect::units;
use ggufkit::io::inplace::{self, Change, InPlaceError};
use ggufkit::io::{Expand, Input};
use serde_json::{Value, json};

use super::recover::failure;
use crate::args::HowArgs;
use crate::failure::{Failed, Failure};
use crate::json::{self, Files};
use crate::out::{self, Ink, Out};
use crate::{FAILED, NO, OK, frame};

/// Take back the last change that was made in place
///
/// What was changed is kept beside the file, as `.NAME.ggufkit-undo`, until the next change. A change of a shard set is taken back in all
/// of its files, whichever of them is named. A change that made a new file (`share`, `copy`, `gguf add`, `gguf endian`) leaves
/// nothing to take it back by.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  gguf undo model.gguf --dry-run\n  gguf undo model-00002-of-00003.gguf\n  gguf undo parts/\n  \
    gguf undo --forget model.gguf\n\n\
    Exit status: 0 taken back, 1 there is nothing to take back, or the file was changed since, 2 a file could not be read \
    or written."
)]
pub(crate) struct Args {
    /// The files, any shard of a set, or their folder
    #[arg(value_name = "FILE", required = true)]
    files: Vec<OsString>,
    /// Say what would be taken back, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Delete what is kept beside the files to take a change back, and records that were set aside: the files stay as they are
    #[arg(long, conflicts_with_all = ["dry_run", "all_names"])]
    forget: bool,
    /// Take a change back although the file has other names (hard links), which change with it
    #[arg(long)]
    all_names: bool,
    /// Take each shard as a file of its own
    #[arg(long)]
    alone: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What became of a file.
enum Done {
    /// This was taken back, or would be.
    Back(Change),
    /// Its change was not taken back, as that of another file of the set could not be.
    Not,
    /// So many bytes were deleted beside it.
    Forgotten(u64),
}

struct One {
    path: PathBuf,
    result: Result<Done, InPlaceError>,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        out.hold();
        let mut all = Vec::new();
        for word in &self.files {
            let mut how = Expand::default();
            how.alone = self.alone;
            let words = std::slice::from_ref(word);
            let inputs = match frame::expand(words, &how) {
                Ok(expansion) => expansion.inputs,
                Err(error) => {
                    let failed = frame::no_input(error, words, &HowArgs::default());
                    frame::refuse(out, "undo", self.json, &failed.failure)?;
                    return Ok(FAILED);
                }
            };
            if frame::is_written_to(out, &inputs)? {
                return Ok(FAILED);
            }
            let many = Path::new(word).is_dir();
            let begun = all.len();
            for input in inputs {
                match input {
                    Input::Stdin => {
                        let message = "a file is needed: what comes through a pipe was not changed";
                        frame::refuse(out, "undo", self.json, &Failure::usage("standard-input", message))?;
                        return Ok(FAILED);
                    }
                    Input::File(path) => all.extend(self.model(&path, vec![path.clone()], true, many)),
                    Input::Set(set) => {
                        let files = set.present().map(Path::to_owned).collect();
                        all.extend(self.model(set.given(), files, set.is_complete(), many));
                    }
                }
            }
            if many && all.len() == begun {
                let path = PathBuf::from(word);
                // That there is nothing to forget is what was asked for.
                let result = match self.forget {
                    true => Ok(Done::Forgotten(0)),
                    false => Err(InPlaceError::NothingToUndo(path.clone())),
                };
                all.push(One { result, path });
            }
        }
        self.end(out, &all)
    }

    /// One model: a file, or the files of a set, which may be all of them. Of `many` models those without a change are passed
    /// over.
    fn model(&self, given: &Path, files: Vec<PathBuf>, all_there: bool, many: bool) -> Vec<One> {
        if self.forget {
            let forget = |path: PathBuf| {
                let result = inplace::forget(&path).map(Done::Forgotten);
                One { path, result }
            };
            let all = files.into_iter().map(forget);
            return all.filter(|one| !many || !matches!(one.result, Ok(Done::Forgotten(0)))).collect();
        }
        let failed = |path: &Path, error| vec![One { path: path.to_owned(), result: Err(error) }];
        let mut kept = Vec::new();
        for path in &files {
            match newest(path, self.dry_run) {
                Ok(Some(change)) => kept.push((path.clone(), change)),
                Ok(None) => {}
                Err(error) => return failed(path, error),
            }
        }
        // The last call that changed a file of the set, and all files that it changed.
        let Some(id) = kept.iter().max_by_key(|(_, change)| change.time).map(|(_, change)| change.id) else {
            return match many {
                true => Vec::new(),
                false => failed(given, InPlaceError::NothingToUndo(given.to_owned())),
            };
        };
        kept.retain(|(_, change)| change.id == id);
        if let Err(error) = self.has_all(given, &files, all_there, &kept) {
            return failed(given, error);
        }
        // All of them can be, or none is touched.
        for (path, _) in &kept {
            if inplace::is_pending(path).unwrap_or(false) {
                // It was found to be of this file as it stands.
                continue;
            }
            if let Err(error) = inplace::last_change(path, self.all_names) {
                return failed(path, error);
            }
        }
        let mut all: Vec<One> = Vec::new();
        let mut stopped = false;
        for (path, change) in kept {
            let result = match () {
                () if stopped => Ok(Done::Not),
                () if self.dry_run => Ok(Done::Back(change)),
                () => self.take_back(&path, change).map(Done::Back),
            };
            stopped |= result.is_err();
            all.push(One { path, result });
        }
        all
    }

    fn take_back(&self, path: &Path, change: Change) -> Result<Change, InPlaceError> {
        match inplace::is_pending(path).map_err(InPlaceError::at(path))? {
            true => inplace::recover(path, &mut inplace::unwatched).map(|_| change),
            false => inplace::undo(path, self.all_names, &mut inplace::unwatched),
        }
    }

    /// Refuses a change that is kept of fewer files than it was made in, unless it was stopped before it came to the others.
    fn has_all(
        &self,
        given: &Path,
        files: &[PathBuf],
        all_there: bool,
        kept: &[(PathBuf, Change)],
    ) -> Result<(), InPlaceError> {
        let Some((_, change)) = kept.iter().min_by_key(|(_, change)| change.time) else { return Ok(()) };
        let count = kept.len() as u64;
        if self.alone || count >= change.files {
            return Ok(());
        }
        let mut stopped = all_there;
        for path in files.iter().filter(|path| kept.iter().all(|(one, _)| one != *path)) {
            stopped = stopped && inplace::is_before(path, change)?;
        }
        match stopped {
            true => Ok(()),
            false => Err(InPlaceError::Partial { path: given.to_owned(), files: change.files, kept: count }),
        }
    }

    fn end(&self, out: &mut Out, all: &[One]) -> io::Result<u8> {
        let mut status = OK;
        let mut document = self.json.then(|| Files::begin(out, "undo", true)).transpose()?;
        for one in all {
            status = status.max(match &one.result {
                Ok(_) => OK,
                Err(
                    InPlaceError::NothingToUndo(_)
                    | InPlaceError::Changed(_)
                    | InPlaceError::ChangedSince(_)
                    | InPlaceError::Partial { .. },
                ) => NO,
                Err(_) => FAILED,
            });
            match &mut document {
                Some(document) => document.add(out, &self.json(one))?,
                None => self.say(out, one)?,
            }
        }
        if let Some(document) = document {
            document.end(out)?;
        }
        Ok(status)
    }

    fn say(&self, out: &mut Out, one: &One) -> io::Result<()> {
        let label = out::path(&one.path);
        match &one.result {
            Ok(Done::Back(change)) => {
                let verb = if self.dry_run { "would be" } else { "was" };
                let head = out.paint(Ink::Head, label);
                writeln!(out, "{head}: the change of {} {verb} taken back", when(change.time))?;
                writeln!(out, "  {}", what(change))
            }
            Ok(Done::Not) => writeln!(out, "{label}: the change was not taken back"),
            Ok(Done::Forgotten(0)) if one.path.is_dir() => writeln!(out, "{label}: nothing is kept in it"),
            Ok(Done::Forgotten(0)) => writeln!(out, "{label}: nothing is kept beside it"),
            Ok(Done::Forgotten(bytes)) => {
                writeln!(out, "{label}: {} deleted beside it; its last change stays", units::bytes(*bytes))
            }
            Err(error) => frame::report(out, &[Failed { path: one.path.clone(), failure: failure(error) }]),
        }
    }

    fn json(&self, one: &One) -> Value {
        let errors = match &one.result {
            Ok(_) => Vec::new(),
            Err(error) => vec![Failed { path: one.path.clone(), failure: failure(error) }.json()],
        };
        let change = match &one.result {
            Ok(Done::Back(change)) => json!({
                "time": change.time,
                "bytes": change.bytes,
                "places": change.places,
                "bytes_moved": change.moved,
                "size": change.len.1,
            }),
            _ => Value::Null,
        };
        let forgotten = match &one.result {
            Ok(Done::Forgotten(bytes)) => json!(bytes),
            _ => Value::Null,
        };
        json!({
            "path": json::path(&one.path),
            "taken_back": matches!(one.result, Ok(Done::Back(_))) && !self.dry_run,
            "change": change,
            "forgotten": forgotten,
            "errors": errors,
        })
    }
}

/// The change of a file that is to be taken back: the one that was interrupted, or the last one that was done.
fn newest(path: &Path, dry_run: bool) -> Result<Option<Change>, InPlaceError> {
    if let Some(change) = inplace::pending(path)? {
        return Ok(Some(change));
    }
    if !dry_run && inplace::is_pending(path).map_err(InPlaceError::at(path))? {
        // It was stopped before it had begun, and only its record is to go.
        inplace::recover(path, &mut inplace::unwatched)?;
    }
    inplace::kept_change(path)
}

/// What is done to take a change back.
fn what(change: &Change) -> String {
    let places = format!("{} place{}", change.places, if change.places == 1 { "" } else { "s" });
    let mut text = format!("{} of the old bytes in {places}", units::bytes(change.bytes));
    if change.moved > 0 {
        text.push_str(&format!("; the file system moves {} back", units::bytes(change.moved)));
    }
    match change.len {
        (now, then) if now != then => text.push_str(&format!("; {} long again", units::bytes(then))),
        _ => {}
    }
    text
}

/// A time of day, as everybody reads it.
fn when(seconds: u64) -> String {
    let (days, rest) = (seconds / 86400, seconds % 86400);
    // Years begin in March here, so that the day that is not always there is the last.
    let days = days.saturating_add(719_468);
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        of_era.saturating_sub(of_era / 1460).saturating_add(of_era / 36_524).saturating_sub(of_era / 146_096)
            / 365;
    let before =
        (year_of_era.saturating_mul(365)).saturating_add(year_of_era / 4).saturating_sub(year_of_era / 100);
    let of_year = of_era.saturating_sub(before);
    let month = of_year.saturating_mul(5).saturating_add(2) / 153;
    let day = of_year.saturating_sub(month.saturating_mul(153).saturating_add(2) / 5).saturating_add(1);
    let month = if month < 10 { month.saturating_add(3) } else { month.saturating_sub(9) };
    let year = year_of_era.saturating_add(era.saturating_mul(400)).saturating_add(u64::from(month <= 2));
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02} UTC", rest / 3600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (951_782_400, "2000-02-29 00:00:00 UTC"),
            (1_709_251_199, "2024-02-29 23:59:59 UTC"),
            (1_735_689_599, "2024-12-31 23:59:59 UTC"),
            (4_107_542_400, "2100-03-01 00:00:00 UTC"),
        ] {
            assert_eq!(when(seconds), text);
        }
    }
}
