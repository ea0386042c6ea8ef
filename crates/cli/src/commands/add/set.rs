//! The other files of the set that a file is in: what they tell of all of them follows what is added to one.

use std::io;
use std::path::{Path, PathBuf};

use ggufkit::check::Options as Rules;
use ggufkit::edit::loads::{Ask, Said, said};
use ggufkit::edit::preview::{Candidate, Head, Model, Planned};
use ggufkit::edit::{Document, Done, members};
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

type Source<'s> = &'s (dyn ReadAt<Error = io::Error> + Send + Sync + 's);

/// What the rules and llama.cpp say of the new file, in the set that it is in, that they do not say of the old one.
pub(super) fn judge(
    file: &Path,
    old: &FileSource,
    new: &Planned<'_>,
    others: Option<&Others>,
    done: &[Done],
) -> io::Result<Said> {
    let files: &[Other] = others.map_or(&[], |others| &others.files);
    let planned: Vec<_> = files.iter().map(|other| Planned::new(&other.plan, &other.source)).collect();
    let paths = || std::iter::once(file).chain(files.iter().map(|other| other.path.as_path()));
    let buffers = || -> Vec<HeadBuffer> { paths().map(|_| HeadBuffer::new()).collect() };
    let (mut old_buffers, mut new_buffers) = (buffers(), buffers());
    let old = std::iter::once(old as Source<'_>).chain(files.iter().map(|other| &other.source as Source<'_>));
    let new = std::iter::once(new as Source<'_>).chain(planned.iter().map(|planned| planned as Source<'_>));
    let old = heads(old, &mut old_buffers)?;
    let new = heads(new, &mut new_buffers)?;
    let set = others.map(|others| &others.set);
    let model = |heads| Model { files: in_order(paths(), heads, set), set };
    Ok(said(&model(&old), &model(&new), &Rules::default(), Ask::ButVocabulary, done))
}

fn heads<'s, 'b>(
    sources: impl Iterator<Item = Source<'s>>,
    buffers: &'b mut [HeadBuffer],
) -> io::Result<Vec<Head<'b>>> {
    sources.zip(buffers).map(|(source, buffer)| Head::read(source, buffer)).collect()
}

/// The files in the order of their numbers, as the set has them.
fn in_order<'c>(
    paths: impl Iterator<Item = &'c Path>,
    heads: &'c [Head<'c>],
    set: Option<&ShardSet>,
) -> Vec<Candidate<'c>> {
    let mut files: Vec<_> = paths.zip(heads).map(|(path, head)| Candidate { path, head }).collect();
    files.sort_by_key(|candidate| set.and_then(|set| set.number_of(candidate.path)));
    files
}
