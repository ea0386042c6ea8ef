//! The other files of the set that a file is in: what they tell of all of them follows what is added to one.

use std::io;
use std::path::{Path, PathBuf};

use ggufkit::edit::preview::{Candidate, Head, Planned, Worse, judge_set, worse};
use ggufkit::edit::{Document, members};
use ggufkit::format::{Options, Plan, ReadAt, View};
use ggufkit::io::{FileId, FileSource, HeadBuffer, Route, ShardSet, Way, obstacles};

use super::super::edit::{restore, route_failure};
use super::super::new::Stop;
use crate::failure::Failure;
use crate::{frame, out, platform};

/// The set of a file, and its other files as they are to be.
pub(super) struct Others {
    set: ShardSet,
    files: Vec<Other>,
}

struct Other {
    path: PathBuf,
    source: FileSource,
    plan: Plan,
    route: Route,
}

impl Others {
    /// The other files of the set that `file` is in, told that of its tensors there are `after` where there were `before`;
    /// `None` of a file that is in none. `names` are new, and none of the others has them.
    pub(super) fn plan(
        file: &Path,
        names: &[&[u8]],
        (before, after): (u64, u64),
    ) -> Result<Option<Self>, Stop> {
        let Some(set) = ShardSet::discover(file).filter(|set| set.present().len() > 1) else {
            return Ok(None);
        };
        platform::allow_open_files(set.present().len());
        let own = FileId::at(file).ok().flatten();
        let mut files = Vec::new();
        for path in set.present().filter(|path| FileId::at(path).ok().flatten() != own) {
            let failed = |error| Stop::failed(path, Failure::Io(error));
            let source = frame::source(path).map_err(failed)?;
            let mut buffer = HeadBuffer::new();
            let read = buffer.read(&source, Options::new()).map_err(failed)?;
            let refused = |message: String| Stop::refused(format!("{}: {message}", out::path(path)));
            if let Some(error) = &read.error {
                return Err(refused(error.to_string()));
            }
            let (Some(index), Some(size)) = (&read.index, source.size()) else {
                return Err(refused("its length is not known".to_owned()));
            };
            let document = Document::of(View::new(index, buffer.bytes()), size);
            let mut document = document.map_err(|error| refused(error.to_string()))?;
            if let Some(name) = names.iter().find(|name| !document.find_tensors(name).is_empty()) {
                let message = format!("tensor \"{}\" is in {}", out::fit(name, 80), out::path(path));
                return Err(Stop::Refused(message, Some("name that file of the set".to_owned())));
            }
            let changed = members::recount(&mut document, before, after);
            if changed.map_err(|error| refused(error.to_string()))?.is_some() {
                document.fit(Route::block(&source), 0).map_err(|error| refused(error.to_string()))?;
            }
            let plan = document.plan().map_err(|error| refused(error.to_string()))?;
            let route = Route::choose(&plan, &source, true).map_err(failed)?;
            files.push(Other { path: path.to_owned(), source, plan, route });
        }
        Ok(Some(Self { set, files }))
    }

    /// What the rules say of the set with the new file that they do not say of it with the old one.
    pub(super) fn judge(&self, file: &Path, old: &FileSource, new: &Planned<'_>) -> io::Result<Vec<Worse>> {
        let rules = ggufkit::check::Options::default();
        let planned: Vec<_> =
            self.files.iter().map(|other| Planned::new(&other.plan, &other.source)).collect();
        type Source<'s> = &'s (dyn ReadAt<Error = io::Error> + Send + Sync + 's);
        let judged = |own: Source<'_>, others: Vec<Source<'_>>| {
            let sources = std::iter::once((file, own))
                .chain(self.files.iter().map(|other| other.path.as_path()).zip(others));
            let mut buffers: Vec<HeadBuffer> = self.files.iter().map(|_| HeadBuffer::new()).collect();
            buffers.push(HeadBuffer::new());
            let heads = sources
                .zip(&mut buffers)
                .map(|((path, source), buffer)| Ok((path, Head::read(source, buffer)?)))
                .collect::<io::Result<Vec<_>>>()?;
            let mut files: Vec<_> = heads.iter().map(|(path, head)| Candidate { path, head }).collect();
            // In the order of their numbers, as the set has them.
            files.sort_by_key(|candidate| self.set.number_of(candidate.path));
            io::Result::Ok(judge_set(&files, &self.set, &rules))
        };
        let before = judged(old, self.files.iter().map(|other| &other.source as Source<'_>).collect())?;
        let after = judged(new, planned.iter().map(|planned| planned as Source<'_>).collect())?;
        Ok(worse(&before, &after))
    }

    /// What stands in the way of one of them.
    pub(super) fn look(&self) -> Result<(), Stop> {
        self.files.iter().try_for_each(|other| {
            obstacles::of_change(&other.route, &other.source, false, 0)
                .map_err(|error| Stop::failed(&other.path, route_failure(error)))
        })
    }

    /// Writes them, once the new file has taken the place of `old`; where one cannot be, all are what they were.
    pub(super) fn write(&self, old: &FileSource) -> Result<(), Stop> {
        let mut done: Vec<(&FileSource, Way)> = vec![(old, Way::Copy)];
        for other in &self.files {
            match other.route.go(&other.plan, &other.source, false, &mut ggufkit::io::sink::unwatched) {
                Ok(way) => done.push((&other.source, way)),
                Err(error) => {
                    let mut failure = route_failure(error);
                    for (source, way) in done {
                        // What cannot be taken back is the worse news.
                        failure = restore(source, way).err().unwrap_or(failure);
                    }
                    return Err(Stop::failed(&other.path, failure));
                }
            }
        }
        Ok(())
    }

    /// Files whose bytes change.
    pub(super) fn changed(&self) -> usize {
        self.files.iter().filter(|other| other.route.way != Way::Nothing).count()
    }
}
