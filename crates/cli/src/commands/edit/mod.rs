//! Files changed by name: what `gguf set`, `unset`, `rename`, `move`, `apply`, `template set`, `endian` and `upgrade` have in common.
//!
//! All files are planned before any is written, what a file or a set would break by the rules of `gguf check` is said before,
//! and so is what stands in the way of any of them.

mod assign;
mod gaps;
mod judge;
mod plan;
mod say;
mod write;

pub(super) use assign::{BY_TOKEN, assignment, is_assignment, path_of, removal, value_of};
pub(super) use gaps::{lost, told};
pub(super) use plan::{replace_failure, route_failure};
pub(super) use say::breaks;
pub(super) use write::restore;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use ggufkit::edit::Operation;
use ggufkit::format::Endian;
use ggufkit::io::{Expand, FileId, Input, inplace};

use self::plan::Planned;
use super::shards::names_folder;
use crate::args::HowArgs;
use crate::failure::Failure;
use crate::json::Files;
use crate::out::{self, Out};
use crate::{FAILED, NO, OK, frame, platform};

/// How files are changed.
#[derive(clap::Args, Debug, Clone)]
pub(super) struct EditArgs {
    /// Write the changed file here, and leave the input as it is; several files, or those of a set, into a folder (`-o OUT/`)
    #[arg(long, short, value_name = "OUT", help_heading = "Writing")]
    output: Option<PathBuf>,
    /// Say what would be changed, how, and what stands in the way, and write nothing
    #[arg(long, help_heading = "Writing")]
    dry_run: bool,
    /// Replace OUT where it exists
    #[arg(long, requires = "output", help_heading = "Writing")]
    force: bool,
    /// Leave at least this much room in the head for later changes (64KiB, 1MB)
    #[arg(long, value_name = "SIZE", value_parser = crate::args::bytes, help_heading = "Writing")]
    reserve: Option<u64>,
    /// Neither add nor change a padding key: the metadata is exactly that of the changes, and data that cannot stay is moved
    #[arg(long, conflicts_with = "reserve", help_heading = "Writing")]
    exact: bool,
    /// Never change a file in place: write a new one beside it, which then takes its name
    #[arg(long, conflicts_with = "output", help_heading = "Writing")]
    copy: bool,
    /// Change the file that a symbolic link leads to
    #[arg(long, help_heading = "Writing")]
    follow: bool,
    /// Change a file in place although it has other names (hard links), which change with it
    #[arg(long, conflicts_with_all = ["output", "copy"], help_heading = "Writing")]
    all_names: bool,
    /// Write although `gguf check` would find errors that are not there now
    #[arg(long, help_heading = "Writing")]
    allow_errors: bool,
    /// Take each shard as a file of its own
    #[arg(long, help_heading = "Input")]
    alone: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl EditArgs {
    /// A new file is written in any case, in the place of the old one or elsewhere; nothing is added to its metadata.
    pub(super) fn of_copy(output: Option<PathBuf>, force: bool, follow: bool, alone: bool) -> Self {
        Self {
            output,
            dry_run: false,
            force,
            reserve: None,
            exact: true,
            copy: true,
            follow,
            all_names: false,
            allow_errors: false,
            alone,
            json: false,
        }
    }

    /// Whether nothing is written, and whether JSON is printed.
    pub(super) fn saying(mut self, dry_run: bool, json: bool) -> Self {
        (self.dry_run, self.json) = (dry_run, json);
        self
    }

    /// Whether JSON is printed.
    pub(super) fn json(&self) -> bool {
        self.json
    }

    /// No padding key is added or changed.
    pub(super) fn exactly(mut self) -> Self {
        self.exact = true;
        self
    }

    /// Whether room is asked for.
    pub(super) fn reserves(&self) -> bool {
        self.reserve.is_some()
    }
}

/// Files, and what to do with them.
pub(super) struct Job<'a> {
    /// The command that was given, as JSON names it.
    pub(super) command: &'static str,
    /// The files.
    pub(super) files: &'a [OsString],
    /// What to do with each of them.
    pub(super) operations: &'a [Operation],
    /// What is about nothing that a file has is passed over.
    pub(super) if_present: bool,
    /// Names and numbers are those that the files have before any operation is carried out.
    pub(super) together: bool,
    /// The byte order that they are to have.
    pub(super) endian: Option<Endian>,
    /// How.
    pub(super) how: &'a EditArgs,
}

impl<'a> Job<'a> {
    /// These operations, each of which is about something that a file has.
    pub(super) fn new(
        command: &'static str,
        files: &'a [OsString],
        operations: &'a [Operation],
        how: &'a EditArgs,
    ) -> Self {
        Self { command, files, operations, if_present: false, together: false, endian: None, how }
    }

    /// Plans, says, looks for what is in the way, writes.
    pub(super) fn run(&self, out: &mut Out) -> io::Result<u8> {
        // What is printed is a report; the work does not depend on who reads it.
        out.hold();
        let mut how = Expand::default();
        how.alone = self.how.alone;
        let inputs = match frame::expand(self.files, &how) {
            Ok(expansion) => expansion.inputs,
            Err(error) => {
                let failed = frame::no_input(error, self.files, &HowArgs::default());
                return self.refuse(out, &failed.failure);
            }
        };
        if !frame::prepare(out, &inputs)? {
            return Ok(FAILED);
        }
        let count = inputs.iter().map(paths).map(|paths| paths.len()).sum();
        if let Some(failure) = self.misfit(&inputs, count) {
            return self.refuse(out, &failure);
        }
        // Each stays open until all are written.
        platform::allow_open_files(count);
        let mut planned = Vec::new();
        for (model, input) in inputs.iter().enumerate() {
            planned.extend(self.plan(model, input));
        }
        if !self.how.json {
            for one in &planned {
                say::plan(out, one, self.how)?;
            }
        }
        let stopped = planned.iter().any(|one| one.result.is_err())
            || (!self.how.allow_errors && planned.iter().any(Planned::breaks));
        if !stopped && self.is_free(&mut planned) && !self.how.dry_run {
            // Files that are changed together are taken back together.
            let call = inplace::Call::of(0);
            for model in 0..inputs.len() {
                let mut of_model: Vec<_> = planned
                    .iter_mut()
                    .filter(|one| one.model == model && one.output.is_none())
                    .filter_map(|one| one.result.as_mut().ok())
                    .filter(|one| one.route.way != ggufkit::io::Way::Nothing)
                    .collect();
                let files = of_model.len() as u64;
                of_model.iter_mut().for_each(|one| one.route.call = inplace::Call { files, ..call });
            }
            self.write(&mut planned);
        }
        self.finish(out, &planned, stopped)
    }

    fn refuse(&self, out: &mut Out, failure: &Failure) -> io::Result<u8> {
        frame::refuse(out, self.command, self.how.json, failure)?;
        Ok(FAILED)
    }

    /// What keeps the call as a whole from making sense.
    fn misfit(&self, inputs: &[Input], count: usize) -> Option<Failure> {
        if inputs.iter().any(|input| matches!(input, Input::Stdin)) {
            let message = "a file is needed: what comes through a pipe cannot be changed";
            return Some(Failure::usage("standard-input", message));
        }
        let output = self.how.output.as_deref();
        if output.is_some_and(|output| output.as_os_str() == "-") {
            let message = "a file is needed: what is changed is not written to standard output";
            return Some(Failure::usage("standard-output", message));
        }
        if count > 1 && output.is_some_and(|output| !names_folder(output)) {
            return Some(Failure::Usage {
                code: "one-output",
                message: format!("-o names one file, and there are {count}"),
                help: Some("-o FOLDER/ writes each of them there, under its own name".to_owned()),
            });
        }
        let mut seen: Vec<(FileId, PathBuf)> = Vec::new();
        let mut names: Vec<OsString> = Vec::new();
        for path in inputs.iter().flat_map(paths) {
            let Ok(Some(id)) = FileId::at(&path) else { continue };
            if let Some((_, first)) = seen.iter().find(|(other, _)| *other == id) {
                let (first, second) = (out::path(first), out::path(&path));
                let message = match first == second {
                    true => format!("{first} is named twice"),
                    false => format!("{first} and {second} are one file"),
                };
                return Some(Failure::usage("named-twice", message));
            }
            seen.push((id, path.clone()));
            let name = path.file_name().unwrap_or_default().to_owned();
            if output.is_some() && names.contains(&name) {
                let message = format!("two files are called {}", out::path(Path::new(&name)));
                return Some(Failure::usage("one-name", message));
            }
            names.push(name);
        }
        None
    }

    fn finish(&self, out: &mut Out, planned: &[Planned], stopped: bool) -> io::Result<u8> {
        if self.how.json {
            let mut files = Files::begin(out, self.command, true)?;
            for one in planned {
                files.add(out, &say::json(one, self.how))?;
            }
            files.end(out)?;
        } else {
            for one in planned {
                say::end(out, one, self.how)?;
            }
            say::all(out, planned, self.how, stopped)?;
        }
        let failed = |one: &Planned| {
            one.failure.is_some() || one.result.as_ref().is_err_and(|refused| refused.is_failure())
        };
        Ok(match () {
            () if planned.iter().any(failed) => FAILED,
            () if stopped => NO,
            () => OK,
        })
    }
}

/// Of words the last ones, which say what is done, and the files before them. `usage` is told where words are missing.
pub(super) fn files_and<const N: usize>(
    mut words: Vec<OsString>,
    usage: &str,
) -> Result<(Vec<OsString>, [OsString; N]), Failure> {
    let at = words.len().checked_sub(N).filter(|files| *files > 0);
    at.map(|at| words.split_off(at)).and_then(|last| Some((words, last.try_into().ok()?))).ok_or_else(|| {
        Failure::Usage {
            code: "no-name",
            message: "a file and what is to be done with it are needed".to_owned(),
            help: Some(format!("write {usage}")),
        }
    })
}

/// The files of an input.
fn paths(input: &Input) -> Vec<PathBuf> {
    match input {
        Input::Stdin => Vec::new(),
        Input::File(path) => vec![path.clone()],
        Input::Set(set) => set.present().map(Path::to_owned).collect(),
    }
}
