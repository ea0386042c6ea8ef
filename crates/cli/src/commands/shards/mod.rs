//! What `gguf split` and `gguf merge` have in common: the model and its files, why not, and what is said of what was made.

mod read;
pub(super) mod say;

use std::io;
use std::path::{Path, PathBuf};

use ggufkit::edit::shards::{Extra, Note, Refusal, ShardsError, Whole};
use ggufkit::format::Plan;
use ggufkit::io::sink::{self, Output, SinkError, Terms};
use ggufkit::io::{Joined, ShardProblem, ShardSet, obstacles};

pub(super) use self::read::{File, Model, Stop, Wanted};
use super::mend::failure;
use super::progress::Bar;
use crate::failure::{Failed, Failure};
use crate::out::{self, Out};
use crate::{FAILED, NO, OK, platform};

/// Why files are left as they are.
pub(super) struct Reason {
    /// A short stable word.
    pub(super) code: &'static str,
    message: String,
    path: Option<PathBuf>,
    pub(super) name: Option<Vec<u8>>,
    help: Option<String>,
}

impl Reason {
    pub(super) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), path: None, name: None, help: None }
    }

    fn about(mut self, path: &Path) -> Self {
        self.path = Some(path.to_owned());
        self
    }

    pub(super) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    fn of_problem(problem: &ShardProblem, files: &[File]) -> Self {
        let reason = Self::new(problem.code(), problem.to_string());
        match problem {
            ShardProblem::Missing { .. } | ShardProblem::MoreMissing { .. } => reason.with_help(FETCH),
            ShardProblem::NotAShard { .. } if files.len() == 1 => {
                reason.with_help("the file is a whole model by itself: there is nothing to merge")
            }
            _ => reason,
        }
    }

    fn of_refusal(refusal: &Refusal, files: &[File]) -> Self {
        let mut reason = Self::new(refusal.code(), refusal.to_string());
        reason.name = refusal.name().map(<[u8]>::to_vec);
        reason.path = refusal.member().and_then(|at| files.get(at)).map(|file| file.path.clone());
        let help = match refusal {
            Refusal::Layout { .. } => {
                "`gguf repair FILE -o OUT` writes it anew, in version 3 and the standard layout"
            }
            Refusal::Trailing { .. } => "`gguf repair --cut-trailing FILE -o OUT` cuts them off",
            Refusal::ExtraKey { .. } => "--keep-extra puts it behind the first shard's",
            Refusal::Data { .. } => {
                "`gguf check FILE` says more; a file that ends too early is an unfinished download"
            }
            Refusal::TensorTooLarge { .. } | Refusal::MetadataTooLarge { .. } => {
                "--allow-larger gives it a file of its own, which is larger than the limit"
            }
            _ => return reason,
        };
        reason.with_help(help)
    }
}

/// A file that is made, or would be.
pub(super) struct Made {
    pub(super) path: PathBuf,
    pub(super) plan: Plan,
    /// The names of its tensors.
    pub(super) tensors: Vec<Vec<u8>>,
    pub(super) done: bool,
}

/// What became of a model.
#[derive(Default)]
pub(super) struct Answer {
    pub(super) given: PathBuf,
    pub(super) members: Vec<PathBuf>,
    pub(super) made: Vec<Made>,
    pub(super) notes: Vec<(Note, PathBuf)>,
    pub(super) refused: Vec<Reason>,
    pub(super) failed: Vec<Failed>,
    /// Inputs that were deleted; `None` where the command deletes none.
    pub(super) deleted: Option<Vec<PathBuf>>,
}

impl Answer {
    pub(super) fn of(given: PathBuf) -> Self {
        Self { given, ..Self::default() }
    }

    /// Takes over why there is no model; true when all was said already.
    pub(super) fn stop(&mut self, stop: Stop) -> bool {
        match stop {
            Stop::Failed(failed) => self.failed = failed,
            Stop::Refused(reasons) => self.refused = reasons,
            Stop::Said => return true,
        }
        false
    }

    /// Takes over why there is no plan.
    pub(super) fn refuse(&mut self, error: ShardsError, files: &[File]) {
        match error {
            ShardsError::Refused(refusals) => {
                self.refused = refusals.iter().map(|refusal| Reason::of_refusal(refusal, files)).collect();
            }
            other => self.refused = vec![Reason::new("no-plan", other.to_string())],
        }
    }

    /// Something went wrong with a file.
    pub(super) fn fail(&mut self, path: &Path, failure: Failure) {
        self.failed.push(Failed { path: path.to_owned(), failure });
    }

    /// Whether nothing stands in the way.
    pub(super) fn is_good(&self) -> bool {
        self.failed.is_empty() && self.refused.is_empty()
    }

    /// The model of the files, with what will be other than it was.
    pub(super) fn whole<'m>(&mut self, model: &'m Model, keep_extra: bool) -> Option<Whole<'m>> {
        self.members = model.files.iter().map(|file| file.path.clone()).collect();
        let extra = if keep_extra { Extra::Keep } else { Extra::Refuse };
        match Whole::of(&model.members(), extra) {
            Ok(whole) => {
                let path = |note: &Note| self.members.get(note.member()).cloned().unwrap_or_default();
                self.notes = whole.notes().iter().map(|note| (note.clone(), path(note))).collect();
                Some(whole)
            }
            Err(error) => {
                self.refuse(error, &model.files);
                None
            }
        }
    }

    /// Writes all files, or none.
    pub(super) fn write(&mut self, source: &Joined<'_>, label: &str, terms: Terms) {
        let outputs: Vec<_> =
            self.made.iter().map(|made| Output { plan: &made.plan, target: &made.path }).collect();
        let total = outputs.iter().fold(0_u64, |sum, output| sum.saturating_add(output.plan.len()));
        platform::allow_open_files(outputs.len().saturating_add(self.members.len()));
        let bar = Bar::begin(label, total);
        let saved = sink::save_all(&outputs, source, terms, &mut |now| {
            bar.at(now.done);
            Ok(())
        });
        bar.end();
        match saved {
            Ok(()) => self.made.iter_mut().for_each(|made| made.done = true),
            Err(error) => self.fail_to_write(error),
        }
    }

    /// What stands in the way of the files that would be made. `makes_folder`: the folder is named as one, and may be new.
    pub(super) fn look(&mut self, inputs: &[File], replace: bool, makes_folder: bool) {
        let mut before = 0_u64;
        for made in &self.made {
            let needed = before.saturating_add(made.plan.len());
            let sources = inputs.iter().map(|file| &file.source);
            if let Err(error) = obstacles::of_new(&made.path, needed, replace, makes_folder, sources) {
                return self.fail_to_write(error);
            }
            before = needed;
        }
    }

    pub(super) fn fail_to_write(&mut self, error: SinkError) {
        let path = error.path().unwrap_or(&self.given).to_owned();
        let failure = match error {
            SinkError::IsSource(path) => {
                let message = format!("{} is one of the files that are read: name another", out::path(&path));
                Failure::usage("is-input", message)
            }
            other => failure(other),
        };
        self.fail(&path, failure);
    }

    /// Says everything; the value is the exit status.
    pub(super) fn end(&self, out: &mut Out, command: &'static str, json: bool) -> io::Result<u8> {
        if json {
            say::json(out, self, command)?
        } else {
            say::text(out, self)?
        }
        Ok(self.status())
    }

    /// The exit status.
    pub(super) fn status(&self) -> u8 {
        match (self.failed.is_empty(), self.refused.is_empty()) {
            (false, _) => FAILED,
            (true, false) => NO,
            (true, true) => OK,
        }
    }
}

/// What a set lacks, in words, and what helps; `None` of one that is whole. What is changed in some of its files would be
/// another model's when the others are there again.
pub(super) fn incomplete(set: &ShardSet) -> Option<(String, String)> {
    let first = set.members().find(|member| !member.present)?;
    let (count, path) = (set.count(), first.path);
    let message = match set.missing_count() {
        0 | 1 => ShardProblem::Missing { no: first.no, count, path }.to_string(),
        n => format!(
            "{n} of {count} shards are missing: {} and {} more",
            out::path(&path),
            n.saturating_sub(1)
        ),
    };
    Some((message, format!("{FETCH}; --alone takes a shard as a file of its own")))
}

/// What helps where shards are missing.
const FETCH: &str = "all shards are needed: fetch what is missing into the same folder";

/// A path that ends like a folder's.
pub(super) fn names_folder(path: &Path) -> bool {
    let ends = |byte: &u8| *byte == b'/' || (cfg!(windows) && *byte == b'\\');
    path.is_dir() || path.as_os_str().as_encoded_bytes().last().is_some_and(ends)
}

/// The name of a path for people.
pub(super) fn shown(path: &Path) -> String {
    out::path(path)
}
