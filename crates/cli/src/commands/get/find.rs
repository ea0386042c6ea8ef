//! From an input and the questions to the key-values: by reading up to the first match where that is enough, else by
//! reading heads whole.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::path::Path;

use ggufkit::format::{Index, Kv, View};
use ggufkit::inspect::query::{Query, Step};
use ggufkit::io::{Found, Input, inplace, lookup};

use super::render::Show;
use super::token;
use crate::args::{HowArgs, InputArgs, ReadArgs};
use crate::failure::{Failed, Failure};
use crate::out::{self, Out};
use crate::{FAILED, NO, OK, frame};

/// Questions for which a file is searched from its start one by one; for more, its head is read once.
const ONE_BY_ONE: usize = 4;

/// What to look for.
#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    pub(super) queries: &'a [Query],
    pub(super) all: bool,
    pub(super) read: &'a ReadArgs,
}

/// A key-value that a question is about.
#[derive(Clone, Copy)]
pub(super) struct Hit<'a> {
    pub(super) query: &'a Query,
    /// The file that it stands in.
    pub(super) file: &'a Path,
    pub(super) view: View<'a>,
    pub(super) kv: &'a Kv,
    /// Position in the file's metadata.
    pub(super) index: u64,
    /// What the question selects of the value.
    pub(super) steps: &'a [Step],
}

/// What became of one input.
pub(super) struct Answer<'a> {
    /// The input as it was named, for people.
    pub(super) label: &'a str,
    /// The same, as it was typed.
    pub(super) path: &'a Path,
    /// In the order of the questions.
    pub(super) hits: &'a [Hit<'a>],
    /// Questions without a hit.
    pub(super) absent: Vec<&'a Query>,
    /// Keys that were seen, for suggestions.
    pub(super) keys: &'a BTreeSet<Vec<u8>>,
    /// What could not be read.
    pub(super) failures: &'a [Failed],
}

impl Answer<'_> {
    fn status(&self) -> u8 {
        match (self.failures.is_empty(), self.absent.is_empty()) {
            (false, _) => FAILED,
            (true, false) => NO,
            (true, true) => OK,
        }
    }
}

/// Keys that are remembered for suggestions.
const KEYS_KEPT: usize = 8192;

/// A key-value that was read by itself.
struct Single<'a> {
    query: usize,
    file: &'a Path,
    found: Found,
    index: Index,
    at: u64,
}

impl Search<'_> {
    /// Looks one input up and shows the answer; the value is the exit status.
    ///
    /// # Errors
    /// The output's.
    pub(super) fn input(&self, out: &mut Out, input: &Input, show: &mut Show) -> io::Result<u8> {
        let (paths, named): (Vec<&Path>, &Path) = match input {
            Input::Stdin => (vec![Path::new("-")], Path::new("-")),
            Input::File(path) => (vec![path], path),
            Input::Set(set) => (set.present().collect(), set.given()),
        };
        let label = out::path(named);
        // What can be read only once, from its start, cannot be searched again and again.
        let once = *input == Input::Stdin
            || paths.iter().any(|p| p.metadata().is_ok_and(|m| !m.is_file() || m.len() == 0));
        let resolved = if once { None } else { token::resolved(self.queries, &paths, self.read) };
        let search = Search { queries: resolved.as_deref().unwrap_or(self.queries), ..*self };
        if self.all || once || self.queries.len() > ONE_BY_ONE {
            search.whole(out, &label, named, &paths, *input == Input::Stdin, show)
        } else {
            search.one_by_one(out, &label, named, &paths, show)
        }
    }

    fn one_by_one(
        &self,
        out: &mut Out,
        label: &str,
        path: &Path,
        paths: &[&Path],
        show: &mut Show,
    ) -> io::Result<u8> {
        let mut singles: Vec<Single<'_>> = Vec::new();
        let mut keys = BTreeSet::new();
        let mut failures = Vec::new();
        for member in paths {
            let failed = |error| Failed { path: member.to_path_buf(), failure: Failure::Io(error) };
            let missing: Vec<usize> =
                (0..self.queries.len()).filter(|&at| !singles.iter().any(|s| s.query == at)).collect();
            if missing.is_empty() {
                break;
            }
            let stamp = inplace::Stamp::of(member).ok();
            let source = match frame::source(member) {
                Ok(source) => source,
                Err(error) => {
                    failures.push(failed(error));
                    continue;
                }
            };
            for at in missing {
                let Some(query) = self.queries.get(at) else { continue };
                let mut passed = 0;
                let looked = lookup(&source, self.read.options(), &mut |key| {
                    let wanted = query.matches(key).is_some();
                    passed += u64::from(!wanted);
                    wanted
                });
                match looked {
                    Err(error) => {
                        failures.push(failed(error));
                        break;
                    }
                    // The whole story of what is wrong, in the words of the other commands.
                    Ok(looked) if looked.error.is_some() => {
                        return self.whole(out, label, path, paths, false, show);
                    }
                    Ok(looked) => match looked.found {
                        Some(found) => {
                            let index = found.index();
                            singles.push(Single { query: at, file: member, found, index, at: passed });
                        }
                        None => keys.extend(looked.keys_seen.into_iter().map(|(key, _)| key)),
                    },
                }
            }
            if let Err(error) = frame::settled(member, stamp) {
                singles.retain(|single| single.file != *member);
                failures.push(failed(error));
            }
        }
        let hits: Vec<Hit<'_>> = (0..self.queries.len())
            .flat_map(|at| singles.iter().filter(move |single| single.query == at))
            .filter_map(|single| {
                let query = self.queries.get(single.query)?;
                let view = single.found.view(&single.index);
                let kv = single.index.kvs().first()?;
                let steps = query.matches(view.key(kv).as_bytes())?;
                Some(Hit { query, file: single.file, view, kv, index: single.at, steps })
            })
            .collect();
        let absent = self.absent(&hits);
        let answer = Answer { label, path, hits: &hits, absent, keys: &keys, failures: &failures };
        let shown = show.answer(out, &answer)?;
        Ok(shown.max(answer.status()))
    }

    fn whole(
        &self,
        out: &mut Out,
        label: &str,
        path: &Path,
        paths: &[&Path],
        stdin: bool,
        show: &mut Show,
    ) -> io::Result<u8> {
        // A set's heads are held together, so that the order of the answer is that of the questions.
        let mut inputs = alone(Path::new("-"), stdin);
        if !stdin {
            inputs.files = paths.iter().map(|p| as_path(p)).collect();
            inputs.how.alone = paths.len() == 1;
        }
        let mut status = OK;
        frame::each(out, &inputs, self.read, true, |out, document| {
            let mut keys = BTreeSet::new();
            let mut hits = Vec::new();
            for query in self.queries {
                let before = hits.len();
                'parts: for part in document.parts {
                    let Some(index) = part.index() else { continue };
                    let view = View::new(index, part.head);
                    let file = part.path.as_deref().unwrap_or(Path::new("-"));
                    for (at, kv) in index.kvs().iter().enumerate() {
                        let key = view.key(kv);
                        let Some(steps) = query.matches(key.as_bytes()) else { continue };
                        let index = u64::try_from(at).unwrap_or(u64::MAX);
                        hits.push(Hit { query, file, view, kv, index, steps });
                        if !self.all {
                            break 'parts;
                        }
                    }
                }
                if hits.len() == before && keys.is_empty() {
                    let views = document.parts.iter().filter_map(|part| part.view());
                    let seen = views.flat_map(|view| {
                        view.kvs().map(|(key, _)| key.as_bytes().to_vec()).take(KEYS_KEPT).collect::<Vec<_>>()
                    });
                    keys.extend(seen);
                }
            }
            let absent = self.absent(&hits);
            // An error behind the last answer is not what was asked for.
            let done = absent.is_empty() && !self.all && !hits.is_empty();
            let failures = if done { &[] } else { document.failures };
            let answer = Answer { label, path, hits: &hits, absent, keys: &keys, failures };
            let shown = show.answer(out, &answer)?;
            status = status.max(shown).max(answer.status());
            Ok(())
        })?;
        Ok(status)
    }

    fn absent(&self, hits: &[Hit<'_>]) -> Vec<&Query> {
        self.queries.iter().filter(|query| !hits.iter().any(|hit| std::ptr::eq(hit.query, *query))).collect()
    }
}

fn alone(path: &Path, stdin: bool) -> InputArgs {
    let files = vec![if stdin { "-".into() } else { as_path(path) }];
    InputArgs { files, how: HowArgs { alone: true, ..HowArgs::default() } }
}

/// A path as an argument that is taken for nothing else.
fn as_path(path: &Path) -> OsString {
    if path == Path::new("-") { "./-".into() } else { path.into() }
}
