//! What is done to a file, and why nothing is.

use std::fmt;

use ggufkit_check::Rule;
use ggufkit_format::{Dialect, Plan, Span};

use crate::error::EditError;

/// One repair.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Step {
    /// A short stable word for the step: the name of the rule that the file breaks, where there is one.
    pub word: &'static str,
    /// What is done, in the imperative; harmless for a terminal.
    pub what: String,
    /// Where, as a logical path of the file as it was read: `kv[3].value`.
    pub path: String,
    /// The key or tensor name that it is about, as it stands in the file.
    pub name: Option<Vec<u8>>,
    /// The bytes that it is about.
    pub span: Span,
    /// What stands there, harmless for a terminal.
    pub before: Option<String>,
    /// What will stand there.
    pub after: Option<String>,
}

impl Step {
    pub(crate) fn new(
        word: &'static str,
        what: impl Into<String>,
        path: impl Into<String>,
        span: Span,
    ) -> Self {
        // There may be one for every few bytes of a file.
        let (mut what, mut path) = (what.into(), path.into());
        what.shrink_to_fit();
        path.shrink_to_fit();
        Self { word, what, path, name: None, span, before: None, after: None }
    }

    /// The rule that the file breaks.
    #[must_use]
    pub fn rule(&self) -> Option<&'static Rule> {
        Rule::find(self.word)
    }

    pub(crate) fn named(mut self, name: &[u8]) -> Self {
        self.name = Some(name.to_vec());
        self
    }

    pub(crate) fn change(mut self, before: impl Into<String>, after: impl Into<String>) -> Self {
        self.before = Some(before.into());
        self.after = Some(after.into());
        self
    }
}

/// What a repair comes to.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// What is done, in order. None: there is nothing to repair.
    pub steps: Vec<Step>,
    /// What is odd, and stays as it is.
    pub left: Vec<Reason>,
    /// Errors that the rules find in the file as it is, the ones that are repaired here among them.
    pub errors: u64,
    /// The files that are made: one, or the parts of a file that is cut apart.
    pub outputs: Vec<Output>,
    /// The layout that was read.
    pub dialect: Dialect,
}

impl Outcome {
    /// Whether there is nothing to do. The file may have errors all the same, which repair cannot mend.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}

/// A file to be made.
#[derive(Clone, PartialEq, Debug)]
pub struct Output {
    /// Its name, for parts of a file that is cut apart.
    pub file_name: Option<String>,
    /// What it is made of.
    pub plan: Plan,
}

/// Something that cannot be repaired without a guess, or that stays as it is.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Reason {
    /// A short stable word: the name of the rule that the file breaks, where there is one.
    pub word: &'static str,
    /// What is wrong, one sentence without a full stop, harmless for a terminal.
    pub message: String,
    /// Where, as a logical path of the file as it was read; none where it is about the whole file.
    pub path: Option<String>,
    /// The bytes that it is about.
    pub span: Option<Span>,
    /// What can be done. What a [`Policy`](super::Policy) permits is not said here: its words are the caller's.
    pub help: Option<String>,
}

impl Reason {
    pub(crate) fn new(word: &'static str, message: impl Into<String>) -> Self {
        Self { word, message: message.into(), path: None, span: None, help: None }
    }

    /// The rule that the file breaks.
    #[must_use]
    pub fn rule(&self) -> Option<&'static Rule> {
        Rule::find(self.word)
    }

    pub(crate) fn in_path(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    pub(crate) fn at(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn of(error: &EditError) -> Self {
        Self::new("cannot-write", error.to_string())
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Everything that keeps a file from being repaired.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The reasons; never none.
    pub reasons: Vec<Reason>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, reason) in self.reasons.iter().enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            reason.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Refusal {}
