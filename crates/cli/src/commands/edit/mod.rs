//! Files changed by name: what `gguf set`, `unset`, `rename`, `move`, `apply` and `undo` have in common.
//!
//! All files are planned before any is written, and what a file would break by the rules of `gguf check` is said before.

mod assign;
mod gaps;
mod plan;
mod say;

pub(super) use assign::{BY_TOKEN, assignment, is_assignment, path_of, value_of};
pub(super) use gaps::{lost, told};
pub(super) use plan::route_failure;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use ggufkit::edit::Operation;
use ggufkit::io::{Expand, Input, inplace};

use self::plan::Planned;
use super::progress::Bar;
use crate::args::HowArgs;
use crate::failure::{Failed, Failure};
use crate::json::Files;
use crate::out::{self, Ink, Out};
use crate::{FAILED, NO, OK, frame};

/// How files are changed.
#[derive(clap::Args, Debug, Clone)]
pub(super) struct EditArgs {
    /// Write the changed file here, and leave the input as it is
    #[arg(long, short, value_name = "OUT", help_heading = "Writing")]
    output: Option<PathBuf>,
    /// Say what would be changed, and how, and write nothing
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
    /// How.
    pub(super) how: &'a EditArgs,
}

impl Job<'_> {
    /// Plans, says, writes.
    pub(super) fn run(&self, out: &mut Out) -> io::Result<u8> {
        // What is printed is a report; the work does not depend on who reads it.
        out.hold();
        let mut how = Expand::default();
        how.alone = self.how.alone;
        let inputs = match frame::expand(self.files, &how) {
            Ok(expansion) => expansion.inputs,
            Err(error) => {
                let failed = frame::no_input(error, self.files, &HowArgs::default());
                frame::refuse(out, self.command, self.how.json, &failed.failure)?;
                return Ok(FAILED);
            }
        };
        if !frame::prepare(out, &inputs)? {
            return Ok(FAILED);
        }
        let mut planned = Vec::new();
        for input in &inputs {
            let paths: Vec<PathBuf> = match input {
                Input::Stdin => {
                    let message = "a file is needed: what comes through a pipe cannot be changed";
                    let failure = Failure::usage("standard-input", message);
                    frame::refuse(out, self.command, self.how.json, &failure)?;
                    return Ok(FAILED);
                }
                Input::File(path) => vec![path.clone()],
                Input::Set(set) => set.present().map(Path::to_owned).collect(),
            };
            planned.extend(self.plan(&paths));
        }
        if self.how.output.is_some() && planned.len() > 1 {
            let message = format!("-o names one file, and {} are to be changed", planned.len());
            frame::refuse(out, self.command, self.how.json, &Failure::usage("one-output", message))?;
            return Ok(FAILED);
        }
        if !self.how.json {
            for one in &planned {
                say::plan(out, one, self.how)?;
            }
        }
        let stopped = planned.iter().any(|one| one.result.is_err())
            || (!self.how.allow_errors && planned.iter().any(Planned::breaks));
        if !stopped && !self.how.dry_run {
            // Files that are changed together are taken back together.
            let change = inplace::new_id();
            planned
                .iter_mut()
                .filter_map(|one| one.result.as_mut().ok())
                .for_each(|one| one.route.change = change);
            for one in &mut planned {
                self.write(one);
                if one.failure.is_some() {
                    break;
                }
            }
        }
        self.finish(out, &planned, stopped)
    }

    fn write(&self, one: &mut Planned) {
        let Ok(ready) = &one.result else { return };
        let label = out::path(self.how.output.as_deref().unwrap_or(&one.path));
        let bar = Bar::begin(&label, ready.plan.len());
        let done = ready.write(self.how.output.as_deref(), self.how.force, self.how.all_names, &mut |now| {
            bar.at(now.done);
            Ok(())
        });
        bar.end();
        match done {
            Ok(way) => one.done = Some(way),
            Err(failure) => {
                one.failure =
                    Some(Failed { path: self.how.output.clone().unwrap_or(one.path.clone()), failure });
            }
        }
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
            let unwritten = planned.iter().filter(|one| one.done.is_none() && one.result.is_ok()).count();
            if stopped && planned.len() > 1 && unwritten > 0 {
                out.message(Ink::Warn, "warning", "no file was written")?;
            }
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
