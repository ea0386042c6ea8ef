//! What the rules and llama.cpp will say of files that are planned, that they do not say of them now.

use std::io;
use std::path::Path;

use ggufkit::check::{Options as Rules, Selection};
use ggufkit::edit::loads::{Ask, Said, said};
use ggufkit::edit::preview::{self, Candidate, Head, Model};
use ggufkit::edit::{Done, Operation};
use ggufkit::format::{Index, Outcome};
use ggufkit::io::{FileSource, HeadBuffer, ShardSet};

use super::Job;
use super::plan::{Planned, Ready};

/// A file that can be carried out.
struct One<'p> {
    path: &'p Path,
    ready: &'p Ready,
    source: &'p FileSource,
}

impl<'p> One<'p> {
    fn of(planned: &'p Planned) -> Option<Self> {
        let ready = planned.result.as_ref().ok()?;
        Some(Self { path: &planned.path, ready, source: ready.source.as_ref()? })
    }
}

impl Job<'_> {
    /// Asks about the planned files, and the set that they are. `heads` are those that the files have now. Each head is read
    /// once for all that is asked of it.
    pub(super) fn judge<'h>(
        &self,
        planned: &mut [Planned],
        heads: impl Iterator<Item = (&'h Index, &'h [u8])>,
        set: Option<&ShardSet>,
    ) -> io::Result<()> {
        let stays = |one: &Planned| one.result.as_ref().is_ok_and(|ready| ready.done.is_empty());
        if planned.iter().any(|one| one.result.is_err())
            || (planned.iter().all(stays) && !self.how.reserves())
        {
            return Ok(());
        }
        let files: Vec<One<'_>> = planned.iter().filter_map(One::of).collect();
        let made: Vec<_> =
            files.iter().map(|one| preview::Planned::new(&one.ready.plan, one.source)).collect();
        let mut buffers: Vec<HeadBuffer> = files.iter().map(|_| HeadBuffer::new()).collect();
        let mut before = Vec::new();
        for (one, (index, bytes)) in files.iter().zip(heads) {
            let outcome = Outcome { index: Some(index.clone()), error: None };
            before.push(Head::of(one.source, outcome, bytes)?);
        }
        let mut after = Vec::new();
        for (made, buffer) in made.iter().zip(&mut buffers) {
            after.push(Head::read(made, buffer)?);
        }
        let of = |heads| Model { files: candidates(&files, heads), set };
        let done: Vec<Done> = files.iter().flat_map(|one| one.ready.done.iter().cloned()).collect();
        let ask = match files.iter().all(|one| one.ready.is_nothing()) {
            true => Ask::Nothing,
            false => Ask::of(self.operations),
        };
        let said = said(&of(&before), &of(&after), &self.rules(), ask, &done);
        // Of what is said of a file that stays nobody would hear.
        let heard = |at: usize| files.get(at).is_some_and(|one| !one.ready.is_nothing());
        let spoken = (0..files.len()).find(|at| heard(*at)).unwrap_or(0);
        let mut all: Vec<Said> = files.iter().map(|_| Said::default()).collect();
        for one in said.worse {
            let file = one.finding.primary.file;
            if let Some(said) = all.get_mut(if heard(file) { file } else { spoken }) {
                said.worse.push(one);
            }
        }
        if let Some(first) = all.get_mut(spoken) {
            first.lost = said.lost;
        }
        for (one, said) in planned.iter_mut().zip(all) {
            if let Ok(ready) = &mut one.result {
                (ready.worse, ready.lost) = (said.worse, said.lost);
            }
        }
        Ok(())
    }

    fn rules(&self) -> Rules {
        let mut rules = Rules::default();
        if !self.operations.iter().any(Operation::is_of_vocabulary) {
            // A quarter of a million tokens are not judged twice for a name.
            rules.selection =
                Selection::but_vocabulary(self.operations.iter().any(Operation::is_of_templates));
        }
        rules
    }
}

/// The files by their heads.
fn candidates<'c>(files: &[One<'c>], heads: &'c [Head<'c>]) -> Vec<Candidate<'c>> {
    files.iter().zip(heads).map(|(one, head)| Candidate { path: one.path, head }).collect()
}
