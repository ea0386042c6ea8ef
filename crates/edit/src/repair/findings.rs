//! Repairs that rules propose.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, HashSet};

use ggufkit_check::{Change, Options as Rules, Report, Safety, Severity, Subject, check};

use ggufkit_format::{Dialect, Span, shorten};

use super::result::Before;
use super::{Reason, RepairError, Step, Work};

impl Work<'_> {
    /// Makes the changes that findings propose and that no reader can tell from the file as it was. What was repaired
    /// already is left alone; what needs a decision is said.
    pub(super) fn findings(&mut self, subject: &Subject<'_>) -> Result<(), RepairError> {
        let report = check(subject, &self.policy.rules, None);
        self.errors = report.count(Severity::Error);
        let laid = self.index().header().dialect == Dialect::STANDARD;
        self.before = Before::of(&check(subject, &Rules::default(), None), laid);
        let own: Vec<bool> = (0..self.document.kv_count()).map(|at| self.document.is_changed(at)).collect();
        // Of a key that occurred again only one is left: a finding about the file as it was may mean that one.
        let keys = self.view.kvs().zip(&own).filter(|(_, changed)| **changed);
        let decided: HashSet<&[u8]> = keys.map(|((key, _), _)| key.0).collect();
        let mut renamed = false;
        let mut applied = BTreeSet::new();
        for finding in &report.findings {
            let Some(fix) = &finding.fix else { continue };
            let step = || Step {
                name: finding.primary.name.clone(),
                ..Step::new(
                    finding.rule.name,
                    fix.title.clone(),
                    finding.primary.path.clone(),
                    finding.primary.span,
                )
            };
            let left = |message| {
                let primary = &finding.primary;
                Reason::new(finding.rule.name, message).in_path(primary.path.clone()).at(primary.span)
            };
            if fix.safety == Safety::Unsafe {
                // What the repairs decide by policy is said by them.
                if !self.policy.own {
                    self.left.push(left(format!("{} (needs a decision)", fix.title)));
                }
                continue;
            }
            if self.policy.own && (self.is_covered(&fix.change, &own) || self.is_twin(&fix.change, &decided))
            {
                continue;
            }
            match &fix.change {
                // Decided with the whole layout in view.
                Change::Relayout => {
                    if !self.relayout {
                        self.step(step());
                    }
                    self.relayout = true;
                }
                Change::Realign { to } => {
                    if self.document.alignment() != u64::from(*to) {
                        self.document.set_alignment(*to);
                        self.step(step());
                        self.relayout = true;
                    }
                }
                Change::Cut { .. } if !self.policy.cut_trailing => {}
                Change::Separate { .. } => {}
                change => match self.document.apply(change) {
                    Ok(true) => {
                        renamed |= matches!(fix.change, Change::SetKey { .. });
                        applied.insert(finding.rule.name);
                        self.step(step());
                    }
                    Ok(false) => {}
                    Err(error) => {
                        self.left.push(left(format!("not done: {} ({error})", fix.title)));
                    }
                },
            }
        }
        // What the repairs of this room do they do everywhere; what findings propose is done as far as it is told.
        for count in report.left_out.iter().filter(|count| applied.contains(count.rule.name)) {
            let (more, name) = (count.more, count.rule.name);
            let message = format!("{more} more findings of {name} are as they were");
            self.left.push(Reason::new(name, message).help("repair the new file again"));
        }
        // Another key may be one that is there already.
        if renamed && self.policy.own && self.reasons.is_empty() {
            self.duplicates(false)?;
        }
        if !self.policy.own {
            self.collisions();
        }
        Ok(())
    }

    /// Keys and tensor names that became those of others: which of them is meant needs a decision. Those that were the same
    /// before are the file's own matter.
    fn collisions(&mut self) {
        let mut keys: HashMap<&[u8], u64> = HashMap::new();
        let mut again = Vec::new();
        let renamed = |at: u64| self.kv(at).is_some_and(|kv| self.view.key(kv).0 != self.document.key(at));
        for at in (0..self.document.kv_count()).filter(|at| self.document.is_there(*at)) {
            match keys.entry(self.document.key(at)) {
                Entry::Vacant(slot) => {
                    slot.insert(at);
                }
                Entry::Occupied(slot) if renamed(at) || renamed(*slot.get()) => {
                    let message = format!(
                        "kv[{}] and kv[{at}] would both have the key \"{}\"",
                        slot.get(),
                        shorten(slot.key(), 60)
                    );
                    let span = self.kv(at).map(|kv| kv.span).unwrap_or_default();
                    again.push(Reason::new("duplicate-key", message).in_path(format!("kv[{at}]")).at(span));
                }
                Entry::Occupied(_) => {}
            }
        }
        let mut names: HashMap<&[u8], u64> = HashMap::new();
        let tensor = |at: u64| self.index().tensors().get(usize::try_from(at).ok()?);
        let renamed =
            |at: u64| tensor(at).is_some_and(|tensor| self.view.name(tensor).0 != self.document.name(at));
        for at in 0..self.index().tensors().len() as u64 {
            match names.entry(self.document.name(at)) {
                Entry::Vacant(slot) => {
                    slot.insert(at);
                }
                Entry::Occupied(slot) if renamed(at) || renamed(*slot.get()) => {
                    let message = format!(
                        "tensors[{}] and tensors[{at}] would both have the name \"{}\"",
                        slot.get(),
                        shorten(slot.key(), 60)
                    );
                    let span = tensor(at).map(|tensor| tensor.name.span).unwrap_or_default();
                    let path = format!("tensors[{at}].name");
                    again.push(Reason::new("tensor-name-duplicate", message).in_path(path).at(span));
                }
                Entry::Occupied(_) => {}
            }
        }
        again.into_iter().for_each(|reason| self.refuse(reason));
    }

    /// What findings about the planned file propose as safe, and no rule said of the file as it is: changes of this
    /// document. Positions and bytes of the planned file are not those of the source; what hangs on them otherwise than by
    /// the number of a record is left.
    pub(super) fn follows(&self, report: &Report) -> Vec<(Step, Change)> {
        let there: Vec<u64> =
            (0..self.document.kv_count()).filter(|at| self.document.is_there(*at)).collect();
        let there = |at: u64| there.get(usize::try_from(at).ok()?).copied();
        let mut all = Vec::new();
        for finding in report.findings.iter().filter(|finding| !self.before.says(finding.rule)) {
            let Some(fix) = finding.fix.as_ref().filter(|fix| fix.safety == Safety::Safe) else { continue };
            let heard = self.policy.rules.selection.selects(finding.rule)
                && self.policy.rules.selection.reason_to_ignore(finding.rule).is_none();
            let at = match &fix.change {
                Change::SetScalar { index, .. } | Change::SetString { index, .. } if heard => there(*index),
                // Where the data lies may not get worse, whoever listens.
                Change::Relayout | Change::Realign { .. } => None,
                _ => continue,
            };
            let change = match (&fix.change, at) {
                (Change::SetScalar { value, .. }, Some(index)) => Change::SetScalar { index, value: *value },
                (Change::SetString { bytes, .. }, Some(index)) => {
                    Change::SetString { index, bytes: bytes.clone() }
                }
                (change @ (Change::Relayout | Change::Realign { .. }), _) => change.clone(),
                _ => continue,
            };
            let kv = at.and_then(|at| self.kv(at));
            let (path, span) = match (at, kv) {
                (Some(at), Some(kv)) => (format!("kv[{at}].value"), kv.value_span),
                _ => ("data".to_owned(), Span::new(self.index().data_start().unwrap_or(self.size), 0)),
            };
            let step = Step::new(finding.rule.name, fix.title.clone(), path, span);
            all.push((Step { name: at.map(|at| self.document.key(at).to_vec()), ..step }, change));
        }
        all
    }

    /// Makes changes that follow from others.
    pub(super) fn follow(&mut self, follows: Vec<(Step, Change)>) -> Result<(), RepairError> {
        for (step, change) in follows {
            let done = match &change {
                Change::Relayout => !std::mem::replace(&mut self.relayout, true),
                Change::Realign { to } => {
                    let differs = self.document.alignment() != u64::from(*to);
                    self.document.set_alignment(*to);
                    self.relayout = true;
                    differs
                }
                change => self.document.apply(change)?,
            };
            if done {
                self.step(step);
            }
        }
        Ok(())
    }

    /// Whether a key-value that is to go has the key of one that these repairs have changed.
    fn is_twin(&self, change: &Change, decided: &HashSet<&[u8]>) -> bool {
        let Change::RemoveKv { index } = change else { return false };
        let kv = usize::try_from(*index).ok().and_then(|at| self.index().kvs().get(at));
        kv.is_some_and(|kv| decided.contains(self.view.key(kv).0))
    }

    /// Whether the repairs of this room take care of what a change is about; `own` says which key-values they changed.
    fn is_covered(&self, change: &Change, own: &[bool]) -> bool {
        let index = self.index();
        let changed = |at: u64| usize::try_from(at).is_ok_and(|at| own.get(at) == Some(&true));
        match change {
            Change::SetString { index, .. } => {
                // What is no text may be anything, and is not changed as one.
                let value = self.document.source_value(*index);
                changed(*index)
                    || value.is_some_and(|value| value.as_bytes().is_some() && value.as_str().is_none())
            }
            Change::RemoveKv { index } | Change::SetKey { index, .. } | Change::SetScalar { index, .. } => {
                changed(*index)
            }
            Change::SetName { index, .. } => {
                let at = usize::try_from(*index).ok();
                let tensor = at.and_then(|at| self.index().tensors().get(at));
                tensor.is_some_and(|tensor| self.view.name(tensor).0 != self.document.name(*index))
            }
            Change::Patch { span, bytes } => {
                let zeros = bytes.iter().all(|&byte| byte == 0);
                let kv = index.kvs().partition_point(|kv| kv.span.end() <= span.start);
                span.start < index.header().span.end()
                    || (zeros && span.start >= index.head_end())
                    || (span.start < index.head_end() && changed(kv as u64))
            }
            // Whether they are needed is seen by looking at the data.
            Change::Relayout | Change::Rewrite | Change::Cut { .. } | Change::Extend { .. } => true,
            Change::Realign { .. } => !self.document.alignment().is_power_of_two(),
            // The keys of a split are evidence where they disagree with the file.
            Change::RemoveKvs { indices } => indices
                .iter()
                .all(|index| changed(*index) || self.document.key(*index).starts_with(b"split.")),
            _ => false,
        }
    }
}
