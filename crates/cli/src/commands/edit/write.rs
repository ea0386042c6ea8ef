//! Files that are planned, written: what is in the way of any is looked for before the first, and a set is changed in all of
//! its files or in none.

use std::fs;
use std::io;
use std::path::Path;

use ggufkit::format::{Plan, ReadAt as _, Span};
use ggufkit::io::inplace::{self, InPlaceError};
use ggufkit::io::sink::{self, SinkError};
use ggufkit::io::{FileSource, RouteError, Turned, Way, obstacles, replace};

use super::super::mend::failure;
use super::super::progress::Bar;
use super::super::shards::names_folder;
use super::Job;
use super::plan::{Planned, Ready, replace_failure, route_failure};
use crate::failure::{Failed, Failure};
use crate::{frame, out};

impl Job<'_> {
    /// Whether nothing stands in the way of any file, as far as that can be told before; what does is noted with each.
    pub(super) fn is_free(&self, planned: &mut [Planned]) -> bool {
        let (mut model, mut before) = (None, 0_u64);
        let mut failures = Vec::new();
        for one in planned.iter() {
            let Ok(ready) = &one.result else { continue };
            let Some(source) = &ready.source else { continue };
            // What a replaced file had is free when nobody has it open any more: that of a model, when all of it is written.
            if model.replace(one.model) != Some(one.model) && one.output.is_none() {
                before = 0;
            }
            let found = match &one.output {
                Some(target) => {
                    let open = planned.iter().filter_map(|one| one.result.as_ref().ok()?.source.as_ref());
                    let needed = before.saturating_add(ready.plan.len());
                    let makes = self.how.output.as_deref().is_some_and(names_folder);
                    obstacles::of_new(target, needed, self.how.force, makes, open).map_err(failure)
                }
                None => obstacles::of_change(&ready.route, source, self.how.all_names, before)
                    .map_err(|error| self.route_failure(ready, error)),
            };
            before = before.saturating_add(match one.output {
                Some(_) => ready.plan.len(),
                None => ready.route.written.saturating_add(ready.route.kept),
            });
            failures.push(found.err().map(|failure| Failed { path: one.target().to_owned(), failure }));
        }
        let free = failures.iter().all(Option::is_none);
        let ready = planned.iter_mut().filter(|one| one.result.is_ok());
        ready.zip(failures).for_each(|(one, failure)| one.failure = failure);
        free
    }

    /// Writes them, one after the other, until one cannot be written. Of the set that this one is in, those that were written
    /// become again what they were.
    pub(super) fn write(&self, planned: &mut [Planned]) {
        let mut failed = None;
        let mut model = None;
        for at in 0..planned.len() {
            let (done, rest) = planned.split_at_mut(at);
            let Some(one) = rest.first_mut() else { break };
            if model.replace(one.model) != Some(one.model) {
                done.iter_mut()
                    .filter_map(|one| one.result.as_mut().ok())
                    .for_each(|ready| ready.source = None);
            }
            self.write_one(one);
            if one.failure.is_some() {
                failed = Some(one.model);
                break;
            }
        }
        let Some(model) = failed else { return };
        let set = planned.iter().filter(|one| one.model == model).count() > 1;
        for one in planned.iter_mut().filter(|one| set && one.model == model) {
            self.take_back(one);
        }
    }

    fn write_one(&self, one: &mut Planned) {
        let Ok(ready) = &one.result else { return };
        let Some(source) = &ready.source else { return };
        let label = out::path(one.target());
        let bar = Bar::begin(&label, ready.plan.len());
        let watch = &mut |now: sink::Progress| {
            bar.at(now.done);
            Ok(())
        };
        let done = match &one.output {
            Some(path) => self.save(ready, source, path, watch),
            None => match self.go(ready, source, watch) {
                Ok(way) => (Some(way), None),
                // The file is the new one, if power does not fail.
                Err(
                    error @ (RouteError::InPlace(InPlaceError::NotDurable { .. })
                    | RouteError::Sink(SinkError::NotDurable { .. })),
                ) => (Some(ready.route.way), Some(route_failure(error))),
                Err(error) => (None, Some(self.route_failure(ready, error))),
            },
        };
        bar.end();
        let replaced = one.output.is_none() && done.0.is_some_and(|way| !way.is_in_place());
        one.note = if replaced { frame::owner_note(source) } else { None };
        one.done = done.0;
        one.failure = done.1.map(|failure| Failed { path: one.target().to_owned(), failure });
    }

    /// Changes the file, or puts a new one in its place.
    fn go(&self, ready: &Ready, source: &FileSource, watch: &mut sink::Watch<'_>) -> Result<Way, RouteError> {
        let failed = InPlaceError::at(source.path());
        match turned(ready, source).map_err(failed)? {
            Some(turned) => replace(&ready.plan, &turned, source, watch).map(|()| Way::Copy),
            None => ready.route.go(&ready.plan, source, self.how.all_names, watch),
        }
    }

    fn route_failure(&self, ready: &Ready, error: RouteError) -> Failure {
        match ready.route.way.is_in_place() {
            true => route_failure(error),
            false => replace_failure(error),
        }
    }

    fn save(
        &self,
        ready: &Ready,
        source: &FileSource,
        path: &Path,
        watch: &mut sink::Watch<'_>,
    ) -> (Option<Way>, Option<Failure>) {
        if self.how.output.as_deref().is_some_and(names_folder)
            && let Some(folder) = path.parent()
            && let Err(error) = fs::create_dir_all(folder)
        {
            return (None, Some(Failure::Io(error)));
        }
        let done = match turned(ready, source) {
            Ok(Some(turned)) => sink::save(&ready.plan, &turned, path, self.how.force, watch),
            Ok(None) => sink::save(&ready.plan, source, path, self.how.force, watch),
            Err(error) => return (None, Some(Failure::Io(error))),
        };
        match done {
            Ok(()) => (Some(Way::Copy), None),
            Err(error @ SinkError::NotDurable { .. }) => (Some(Way::Copy), Some(failure(error))),
            Err(error) => (None, Some(failure(error))),
        }
    }

    /// Makes of a file what it was before this call.
    fn take_back(&self, one: &mut Planned) {
        let (Some(way), Ok(Ready { source: Some(source), .. })) = (one.done, &one.result) else { return };
        let done = match (&one.output, way) {
            // What was replaced is gone, and the new file is whole.
            (Some(_), _) if self.how.force => return,
            (Some(output), _) => fs::remove_file(output).map_err(Failure::Io),
            (None, Way::Nothing) => return,
            (None, way) => restore(source, way),
        };
        match done {
            Ok(()) => (one.done, one.taken_back) = (None, true),
            Err(failure) if one.failure.is_none() => {
                one.failure = Some(Failed { path: one.target().to_owned(), failure });
            }
            Err(_) => {}
        }
    }
}

/// Makes of a file what it was when it was opened, before it was changed this way.
pub(in crate::commands) fn restore(source: &FileSource, way: Way) -> Result<(), Failure> {
    match way {
        Way::Nothing => Ok(()),
        Way::Patch | Way::Move => inplace::undo(source.path(), true, &mut inplace::unwatched)
            .map(|_| ())
            .map_err(|error| route_failure(error.into())),
        // The old file has no name any more, but is open still.
        _ => {
            let mut whole = Plan::new();
            let copied = whole.copy(Span::new(0, source.size().unwrap_or(0))).map_err(SinkError::from);
            copied
                .and_then(|()| sink::save(&whole, source, source.path(), true, &mut sink::unwatched))
                .map_err(failure)
        }
    }
}

/// The file with what is turned of it; `None` where that is nothing.
fn turned<'s>(ready: &Ready, source: &'s FileSource) -> io::Result<Option<Turned<'s, FileSource>>> {
    let regions = Some(&ready.turned).filter(|regions| !regions.is_empty());
    regions.map(|regions| Turned::new(source, regions.clone())).transpose()
}
