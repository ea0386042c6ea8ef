//! Whether what is planned is a model that is still taken, where the one that there is may be.

use std::fmt;

use ggufkit_check::{Answer, Loader, Options as Rules, Rule, Severity, Verdict, check_and_loaders};

use crate::operation::{Done, Operation};
use crate::preview::{Model, Worse, worse};

/// What is asked about llama.cpp when a file is changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ask {
    /// Nothing: nothing is done that could be undone, or the file is not for it.
    Nothing,
    /// Whether it takes the model, as if the tokens were right: a quarter of a million of them are not looked at for a name.
    ButVocabulary,
    /// Whether it takes the model.
    Everything,
}

impl Ask {
    /// What is asked because of these operations.
    #[must_use]
    pub fn of(operations: &[Operation]) -> Self {
        match operations {
            [] => Self::Nothing,
            all if all.iter().any(Operation::is_of_vocabulary) => Self::Everything,
            _ => Self::ButVocabulary,
        }
    }
}

/// What makes a changed model useless.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Lost {
    /// A reader that is not known to refuse the one that there is refuses it.
    Loader(Answer),
    /// Its last tensor goes.
    Tensors,
}

impl Lost {
    /// The rule that tells it, where one does.
    #[must_use]
    pub fn rule(&self) -> Option<&'static Rule> {
        match self {
            Self::Loader(answer) => answer.rule,
            Self::Tensors => None,
        }
    }
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loader(answer) => {
                write!(f, "{} would refuse the file: {}", answer.loader.name(), answer.why)
            }
            Self::Tensors => f.write_str("no tensor would be left, and no weights"),
        }
    }
}

/// What is said of a planned model that is not said of the one that there is.
#[derive(Debug, Default)]
pub struct Said {
    /// By the rules.
    pub worse: Vec<Worse>,
    /// What makes it useless.
    pub lost: Option<Lost>,
}

/// What the rules and llama.cpp say of the second of two models that they do not say of the first, which is looked at only
/// where something is said of the second. `done` is what was changed.
#[must_use]
pub fn said(before: &Model<'_>, after: &Model<'_>, rules: &Rules, ask: Ask, done: &[Done]) -> Said {
    let look = |model: &Model<'_>| match ask {
        Ask::Nothing => (model.judge(rules), None),
        Ask::ButVocabulary | Ask::Everything => {
            let rules = rules.clone().answering();
            let (report, answers) =
                model.subject(|subject| check_and_loaders(subject, &rules, ask == Ask::Everything));
            (report, answers.into_iter().find(|answer| answer.loader == Loader::LlamaCpp))
        }
    };
    let rejects = |answer: &Answer| answer.verdict == Verdict::Rejects;
    let (report, answer) = look(after);
    let refused = answer.filter(rejects);
    let emptied = before.has_tensors() && !after.has_tensors();
    if refused.is_none() && !emptied && report.worst() < Some(Severity::Warning) {
        return Said::default();
    }
    let (was, answer) = look(before);
    let taken = answer.is_some_and(|answer| !rejects(&answer));
    let lost = match emptied {
        true => Some(Lost::Tensors),
        false => refused.filter(|_| taken).map(Lost::Loader),
    };
    settled(worse(&was, &report, done), lost)
}

/// How bad what is said is, and what is said twice.
fn settled(mut worse: Vec<Worse>, mut lost: Option<Lost>) -> Said {
    for one in &mut worse {
        // A file may have had such a template for long, and works without; nobody writes one on purpose.
        if one.finding.rule.name == "template-syntax" {
            one.finding.severity = Severity::Error;
        }
    }
    // A finding of the same rule says it better.
    if let Some(rule) = lost.as_ref().and_then(Lost::rule)
        && let Some(one) = worse.iter_mut().find(|one| one.finding.rule.name == rule.name)
    {
        one.finding.severity = Severity::Error;
        lost = None;
    }
    Said { worse, lost }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::Given;

    #[test]
    fn the_tokens_are_looked_at_for_what_is_read_of_them_and_nothing_is_changed_unasked() {
        let unset = |key: &str| Operation::Unset(key.into());
        let set = |key: &str| Operation::Set {
            key: key.into(),
            element: None,
            ty: None,
            value: Given::Text("x".to_owned()),
        };
        for key in ["tokenizer.ggml.tokens", "general.architecture", "llama.vocab_size", "general.*", "[t]*"]
        {
            assert_eq!(Ask::of(&[unset(key)]), Ask::Everything, "{key}");
        }
        for operation in [
            unset("llama.block_count"),
            set("general.name"),
            set("general.file_type"),
            set("split.count"),
            set("general.url"),
            set("tokenizer.chat_template"),
            Operation::DropTensor(b"a".to_vec()),
        ] {
            assert_eq!(Ask::of(std::slice::from_ref(&operation)), Ask::ButVocabulary, "{operation:?}");
        }
        assert_eq!(Ask::of(&[]), Ask::Nothing);
    }
}
