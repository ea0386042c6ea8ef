//! What is asked: a name, and texts by their names.

use std::str::FromStr;

use ggufkit_format::spec::Lang;

use super::refusal::Refusal;

/// A question as it is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    name: String,
    pairs: Vec<(String, String)>,
}

impl Question {
    /// A question without anything beside its name.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), pairs: Vec::new() }
    }

    /// With a value. Of several with one name the first counts.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl ToString) -> Self {
        self.pairs.push((name.into(), value.to_string()));
        self
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its values, by name.
    #[must_use]
    pub fn pairs(&self) -> &[(String, String)] {
        &self.pairs
    }
}

/// A question that is being read.
pub(super) struct Query<'q> {
    question: &'q Question,
}

impl<'q> Query<'q> {
    pub(super) fn of(question: &'q Question) -> Self {
        Self { question }
    }

    /// A text; the first of that name.
    pub(super) fn text(&self, name: &str) -> Option<&'q str> {
        self.question.pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// A text that must be there.
    pub(super) fn needed(&self, name: &str) -> Result<&'q str, Refusal> {
        self.text(name).ok_or_else(|| Refusal::usage((format!("{name} is missing"), format!("缺少 {name}"))))
    }

    /// A whole number that must be there.
    pub(super) fn number<N: FromStr>(&self, name: &str) -> Result<N, Refusal> {
        let digits = self.needed(name)?;
        let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let parsed = digits.parse().ok().filter(|_| plain);
        parsed.ok_or_else(|| {
            Refusal::usage((format!("{name} is no number here"), format!("{name} 在此不是数字")))
        })
    }

    /// A number of rows.
    pub(super) fn count(&self, name: &str, most: u64, what: (&str, &str)) -> Result<u64, Refusal> {
        match self.number(name)? {
            n if n > most => Err(Refusal::limit(what, most)),
            n => Ok(n),
        }
    }

    /// The language, English unless it is said otherwise.
    pub(super) fn lang(&self) -> Result<Lang, Refusal> {
        match self.text("lang") {
            None | Some("en") => Ok(Lang::En),
            Some("zh") => Ok(Lang::Zh),
            Some(_) => Err(Refusal::usage(("lang is en or zh", "lang 应为 en 或 zh"))),
        }
    }
}
