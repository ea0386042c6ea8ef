//! What the rules and llama.cpp will say of files that are planned, that they do not say of them now.

use std::io;
use std::path::Path;

use ggufkit::check::{Answer, Options as Rules, Selection, Severity};
use ggufkit::edit::Operation;
use ggufkit::edit::loads::{Ask, Said, said};
use ggufkit::edit::preview::{self, Candidate, Head, Worse, judge_set};
use ggufkit::format::{Index, Outcome};
use ggufkit::io::{FileSource, HeadBuffer, ShardSet};

use super::Job;
use super::plan::{Planned, Ready};
use crate::json;

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
        let all = match set {
            Some(set) => self.judge_members(&files, &before, &after, set),
            None => {
                let heads = before.iter().zip(&after);
                let judge = |(one, (before, after))| self.judge_one(one, before, after);
                files.iter().zip(heads).map(judge).collect()
            }
        };
        for (one, said) in planned.iter_mut().zip(all) {
            if let Ok(ready) = &mut one.result {
                (ready.worse, ready.lost) = settle(said);
            }
        }
        Ok(())
    }

    /// What is said of a file that stands alone.
    fn judge_one(&self, one: &One<'_>, before: &Head<'_>, after: &Head<'_>) -> Said {
        let ask = if one.ready.is_nothing() { Ask::Nothing } else { Ask::of(self.operations) };
        let name = one.path.file_name().and_then(|name| name.to_str());
        said(before, after, json::bytes_of(one.path).0, name, &self.rules(), ask)
    }

    /// The files of a set: the rules judge them together, llama.cpp is asked about each.
    fn judge_members(
        &self,
        files: &[One<'_>],
        before: &[Head<'_>],
        after: &[Head<'_>],
        set: &ShardSet,
    ) -> Vec<Said> {
        let rules = self.rules();
        let judge = |heads: &[Head<'_>]| {
            let candidates = files.iter().zip(heads).map(|(one, head)| Candidate { path: one.path, head });
            judge_set(&candidates.collect::<Vec<_>>(), set, &rules)
        };
        let asks = Ask::of(self.operations) != Ask::Nothing;
        let heads = before.iter().zip(after);
        let lost = |(one, (before, after)): (&One<'_>, (&Head<'_>, &Head<'_>))| {
            let lost = (asks && !one.ready.is_nothing()).then(|| self.judge_one(one, before, after).lost);
            Said { worse: Vec::new(), lost: lost.flatten() }
        };
        let mut all: Vec<Said> = files.iter().zip(heads).map(lost).collect();
        // Of what is said of a file that stays nobody would hear.
        let spoken = files.iter().position(|one| !one.ready.is_nothing()).unwrap_or(0);
        for one in preview::worse(&judge(before), &judge(after)) {
            let file = one.finding.primary.file;
            let heard = files.get(file).is_some_and(|one| !one.ready.is_nothing());
            if let Some(said) = all.get_mut(if heard { file } else { spoken }) {
                said.worse.push(one);
            }
        }
        all
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

/// How bad what is said is, and what is said twice.
fn settle(said: Said) -> (Vec<Worse>, Option<Answer>) {
    let Said { mut worse, mut lost } = said;
    for one in &mut worse {
        // A file may have had such a template for long, and works without; nobody writes one on purpose.
        if one.finding.rule.name == "template-syntax" {
            one.finding.severity = Severity::Error;
        }
    }
    // A finding of the same rule says it better.
    if let Some(rule) = lost.as_ref().and_then(|answer| answer.rule)
        && let Some(one) = worse.iter_mut().find(|one| one.finding.rule.name == rule.name)
    {
        one.finding.severity = Severity::Error;
        lost = None;
    }
    (worse, lost)
}
