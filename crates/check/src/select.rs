//! Which rules speak: by name, code, family, or all of them.

use std::collections::BTreeMap;
use std::fmt;

use crate::rule::{Family, Rule};

/// Which rules speak, and which are heard and not listened to.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Rules that speak; `None` for all.
    only: Option<Vec<&'static str>>,
    /// Rules whose findings are counted and not shown, with the reason.
    ignored: BTreeMap<&'static str, String>,
}

/// A name that is neither a rule's, nor a code, nor a family's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SelectionError {
    /// What was given.
    pub name: String,
    /// A name that is close to it.
    pub near: Option<&'static str>,
}

impl fmt::Display for SelectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no rule or family {:?}", self.name)?;
        match self.near {
            Some(near) => write!(f, "; did you mean {near}?"),
            None => f.write_str(" (`gguf rule` lists them)"),
        }
    }
}

impl std::error::Error for SelectionError {}

impl Selection {
    /// All rules that look at a head, but for those of the vocabulary, which take time in proportion to its tokens, and,
    /// unless `templates`, those of chat templates.
    #[must_use]
    pub fn but_vocabulary(templates: bool) -> Self {
        let takes = |rule: &&Rule| match rule.family {
            Family::Tokenizer | Family::Data => false,
            Family::Templates => templates,
            _ => true,
        };
        let only = crate::rules::all().filter(takes).map(|rule| rule.name).collect();
        Self { only: Some(only), ..Self::default() }
    }

    /// Lets only these rules speak (more of them, when called again).
    ///
    /// # Errors
    /// No rule or family has the name.
    pub fn select(&mut self, name: &str) -> Result<(), SelectionError> {
        let rules = named(name)?;
        self.only.get_or_insert_default().extend(rules);
        Ok(())
    }

    /// Ignores the findings of these rules, and keeps the reason why.
    ///
    /// # Errors
    /// No rule or family has the name.
    pub fn ignore(&mut self, name: &str, reason: &str) -> Result<(), SelectionError> {
        let rules = named(name)?;
        self.ignored.extend(rules.into_iter().map(|rule| (rule, reason.to_owned())));
        Ok(())
    }

    /// Number of rules that are not asked.
    #[must_use]
    pub fn silent(&self) -> usize {
        crate::rules::all().filter(|rule| !self.selects(rule)).count()
    }

    /// Whether the rule speaks.
    #[must_use]
    pub fn selects(&self, rule: &Rule) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(&rule.name))
    }

    /// Why the rule's findings are ignored, where they are.
    #[must_use]
    pub fn reason_to_ignore(&self, rule: &Rule) -> Option<&str> {
        self.ignored.get(rule.name).map(String::as_str)
    }
}

/// The rules that a name stands for.
fn named(name: &str) -> Result<Vec<&'static str>, SelectionError> {
    if name.eq_ignore_ascii_case("all") {
        return Ok(crate::rules::all().map(|rule| rule.name).collect());
    }
    if let Some(rule) = Rule::find(name) {
        return Ok(vec![rule.name]);
    }
    if let Some(family) = Family::ALL.into_iter().find(|family| family.name() == name) {
        return Ok(crate::rules::all().filter(|rule| rule.family == family).map(|rule| rule.name).collect());
    }
    Err(SelectionError { name: name.to_owned(), near: near(name) })
}

/// The rule or family whose name is spelt most like this, where one is near.
fn near(name: &str) -> Option<&'static str> {
    let names = crate::rules::all().map(|rule| rule.name).chain(Family::ALL.map(Family::name));
    names
        .filter_map(|other| Some((ggufkit_format::edits(name.as_bytes(), other.as_bytes())?, other)))
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, other)| other)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn rules_are_chosen_by_name_code_and_family_and_slips_are_helped() {
        let rule = |name| Rule::find(name).unwrap();
        let mut selection = Selection::default();
        assert!(selection.selects(rule("tensor-gap")));
        selection.select("GG203").unwrap();
        assert!(
            selection.selects(rule("tensor-offset-misaligned")) && !selection.selects(rule("tensor-gap"))
        );
        selection.select("layout").unwrap();
        assert!(selection.selects(rule("tensor-gap")) && !selection.selects(rule("duplicate-key")));
        assert_eq!(selection.select("tensor-gpa").unwrap_err().near, Some("tensor-gap"));
        assert_eq!(selection.select("metdata").unwrap_err().near, Some("metadata"));
        assert_eq!(selection.select("xyzzy").unwrap_err().near, None);
    }

    #[test]
    fn what_is_ignored_keeps_its_reason() {
        let mut selection = Selection::default();
        selection.ignore("layout", "old files").unwrap();
        assert_eq!(selection.reason_to_ignore(Rule::find("tensor-gap").unwrap()), Some("old files"));
        assert_eq!(selection.reason_to_ignore(Rule::find("duplicate-key").unwrap()), None);
    }
}
