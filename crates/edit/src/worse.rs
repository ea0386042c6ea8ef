//! What is wrong with a new file and was not with the old one.
//!
//! Findings are told apart by their rule, by what they are about and by their headline. A key or a tensor that has another
//! name is the one that it was. Numbers in a headline may be other ones where the finding is about nothing that was changed:
//! of twelve tensors that are missing one was added, and eleven are missing, which is no worse.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use ggufkit_check::{Finding, Report, Severity};
use ggufkit_format::shorten;

use crate::operation::{Done, Shown};

/// What a rule says of a file that it did not say of another.
#[derive(Clone, Debug)]
pub struct Worse {
    /// One of the findings that are new.
    pub finding: Finding,
    /// How many more there are of its rule.
    pub more: u64,
}

/// What is wrong with a new file and was not with the old one, rule by rule; notes are not looked at. `done` is what was
/// changed.
#[must_use]
pub fn worse(before: &Report, after: &Report, done: &[Done]) -> Vec<Worse> {
    let changes = Changes::of(done);
    let mut seen = Vec::new();
    let mut out = Vec::new();
    for finding in after.findings.iter().filter(|finding| finding.severity >= Severity::Warning) {
        let kind = (finding.rule.code, finding.severity);
        if seen.contains(&kind) {
            continue;
        }
        seen.push(kind);
        let of = |report: &Report| -> (Vec<Finding>, u64) {
            let alike = |finding: &&Finding| (finding.rule.code, finding.severity) == kind;
            let left = report.left_out.iter().filter(|out| (out.rule.code, out.severity) == kind);
            let left = left.fold(0_u64, |sum, out| sum.saturating_add(out.more));
            (report.findings.iter().filter(alike).cloned().collect(), left)
        };
        let ((old, old_left), (new, new_left)) = (of(before), of(after));
        let total = |kept: &[Finding], left: u64| (kept.len() as u64).saturating_add(left);
        let grown = total(&new, new_left).saturating_sub(total(&old, old_left));
        let unknown = changes.unknown(&old, &new);
        // What was not told before may be among those that were only counted.
        let count = if old_left > 0 { grown } else { grown.max(unknown.len() as u64) };
        if count > 0 {
            // Of those that are new the last one is shown as likely as any; which one it is cannot be told by its place.
            let shown = unknown.first().copied().unwrap_or(finding);
            out.push(Worse { finding: shown.clone(), more: count.saturating_sub(1) });
        }
    }
    out
}

/// What was changed, as findings tell of it.
struct Changes<'d> {
    /// Names, and those that they became, in the order of the changes.
    renamed: Vec<(&'d [u8], &'d [u8])>,
    /// Keys and tensors whose values are other ones.
    touched: HashSet<&'d [u8]>,
}

/// A finding, but for where it stands: of which file, about what, and what it says.
type Said<'f> = (usize, Cow<'f, [u8]>, Cow<'f, str>);

impl<'d> Changes<'d> {
    fn of(done: &'d [Done]) -> Self {
        let renamed = done.iter().filter_map(|done| match &done.after {
            Some(Shown::Text(to)) if matches!(done.what, "rename" | "rename-tensor") => {
                Some((done.name.as_slice(), to.as_slice()))
            }
            _ => None,
        });
        let touched = done.iter().filter(|done| !done.what.starts_with("rename"));
        Self { renamed: renamed.collect(), touched: touched.map(|done| done.name.as_slice()).collect() }
    }

    /// The findings that nothing before says, of one rule.
    fn unknown<'f>(&self, old: &'f [Finding], new: &'f [Finding]) -> Vec<&'f Finding> {
        let mut known: HashMap<Said<'f>, u64> = HashMap::new();
        for finding in old {
            let count = known.entry(self.renamed(finding)).or_default();
            *count = count.saturating_add(1);
        }
        let mut unknown: Vec<&Finding> = Vec::new();
        for finding in new {
            match known.get_mut(&said(finding)).filter(|count| **count > 0) {
                Some(count) => *count = count.saturating_sub(1),
                None => unknown.push(finding),
            }
        }
        // What is left may be the same with other numbers.
        let mut loose: HashMap<Said<'f>, u64> = HashMap::new();
        for ((file, name, message), count) in known.into_iter().filter(|(_, count)| *count > 0) {
            let alike = loose.entry((file, name, without_numbers(&message).into())).or_default();
            *alike = alike.saturating_add(count);
        }
        unknown.retain(|finding| {
            let (file, name, message) = said(finding);
            if self.touched.contains(&*name) {
                return true;
            }
            let count = loose.get_mut(&(file, name, without_numbers(&message).into()));
            match count.filter(|count| **count > 0) {
                Some(count) => {
                    *count = count.saturating_sub(1);
                    false
                }
                None => true,
            }
        });
        unknown
    }

    /// What a finding would say of the same with its new name.
    fn renamed<'f>(&self, finding: &'f Finding) -> Said<'f> {
        let (file, mut name, mut message) = said(finding);
        for (from, to) in &self.renamed {
            if *name == **from {
                name = to.to_vec().into();
            }
            let (from, to) = (shorten(from, 200).to_string(), shorten(to, 200).to_string());
            if message.contains(&from) {
                message = replace_words(&message, &from, &to).into();
            }
        }
        (file, name, message)
    }
}

fn said(finding: &Finding) -> Said<'_> {
    // Places have numbers, which others may get.
    let name = finding.primary.name.as_deref().unwrap_or_default();
    (finding.primary.file, name.into(), finding.message.as_str().into())
}

/// Whether a character may be part of a name.
fn is_of_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '.' | '-')
}

/// A text with another name wherever a name stands alone in it.
fn replace_words(text: &str, from: &str, to: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(from) {
        let stands = !before.ends_with(is_of_name) && !after.starts_with(is_of_name);
        out.push_str(before);
        out.push_str(if stands { to } else { from });
        rest = after;
    }
    out.push_str(rest);
    out
}

/// A text whose numbers are all the same: those that stand alone, and no part of a name.
fn without_numbers(text: &str) -> String {
    let is_number = |word: &str| {
        let digits = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        word.starts_with("0x") || word.split('.').all(digits)
    };
    let mut out = String::new();
    for piece in text.split_inclusive(|character: char| !is_of_name(character)) {
        let word = piece.trim_end_matches(|character: char| !is_of_name(character));
        let end = piece.get(word.len()..).unwrap_or_default();
        out.push_str(if is_number(word) { "#" } else { word });
        out.push_str(end);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_passed_over_and_those_of_names_are_not() {
        for (text, is) in [
            ("12 tensors are missing", "# tensors are missing"),
            ("ends at 0x1f4, 3.5 MB too early", "ends at #, # MB too early"),
            ("blk.0.attn_k.weight is missing", "blk.0.attn_k.weight is missing"),
            ("element [3] of 4", "element [#] of #"),
        ] {
            assert_eq!(without_numbers(text), is);
        }
        assert_eq!(replace_words("a is no a.b, and \"a\" is", "a", "c"), "c is no a.b, and \"c\" is");
    }
}
