//! Repairs that rules propose.

use ggufkit_check::{Change, Safety, Severity, Subject, check};

use super::{RepairError, Step, Work};

impl Work<'_> {
    /// Makes the changes that findings propose and that no reader can tell from the file as it was. What was repaired
    /// already is left alone; what needs a decision is said.
    pub(super) fn findings(&mut self, subject: &Subject<'_>) -> Result<(), RepairError> {
        let report = check(subject, &self.policy.rules);
        self.errors = report.count(Severity::Error);
        let own: Vec<bool> = (0..self.document.kv_count()).map(|at| self.document.is_changed(at)).collect();
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
            if fix.safety == Safety::Unsafe {
                // What the repairs decide by policy is said by them.
                if !self.policy.own {
                    self.left.push(format!("{}: {} (needs a decision)", finding.primary.path, fix.title));
                }
                continue;
            }
            match &fix.change {
                Change::RemoveKv { index }
                | Change::SetKey { index, .. }
                | Change::SetScalar { index, .. }
                | Change::SetString { index, .. }
                    if usize::try_from(*index).is_ok_and(|at| own.get(at) == Some(&true)) => {}
                // Decided with the whole layout in view.
                Change::Relayout => {
                    if !self.policy.own && !self.relayout {
                        self.step(step());
                    }
                    self.relayout = true;
                }
                Change::Cut { .. } if !self.policy.cut_trailing => {}
                Change::Cut { .. } | Change::Extend { .. } if self.policy.own => {}
                Change::Separate { .. } => {}
                change => match self.document.apply(change) {
                    Ok(true) => self.step(step()),
                    Ok(false) => {}
                    Err(error) => {
                        self.left
                            .push(format!("{}: not done: {} ({error})", finding.primary.path, fix.title));
                    }
                },
            }
        }
        Ok(())
    }
}
