//! Whether llama.cpp takes a file that is planned, where it takes the file that there is.

use ggufkit_check::{Answer, Loader, Options as Rules, Severity, Subject, Verdict, check_and_loaders};

use crate::operation::Operation;
use crate::preview::{Head, Worse, worse};

/// Whether an operation can change what a loader does with the file. A name, a licence or a room does not, and a quarter of
/// a million tokens are not looked at for it.
fn concerns(operation: &Operation) -> bool {
    let of = |key: &[u8]| {
        let pattern = key.iter().any(|byte| matches!(byte, b'*' | b'?' | b'['));
        pattern
            || !key.starts_with(b"general.")
            || key == b"general.architecture"
            || key == b"general.alignment"
    };
    match operation {
        Operation::Set { key, .. } | Operation::Unset(key) | Operation::Clear { pattern: key, .. } => of(key),
        Operation::List { key, .. } | Operation::Unlist { key, .. } => of(key),
        Operation::Rename { from, to } => of(from) || of(to),
        Operation::Move { .. } | Operation::Test { .. } => false,
        _ => true,
    }
}

/// What is asked about llama.cpp when a file is changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ask {
    /// Nothing: the change is about nothing that it looks at.
    Nothing,
    /// Whether it takes the file, as if the vocabulary were right.
    ButVocabulary,
    /// Whether it takes the file.
    Everything,
}

impl Ask {
    /// What is asked because of these operations.
    #[must_use]
    pub fn of(operations: &[Operation]) -> Self {
        // Another architecture reads another vocabulary.
        let vocabulary = |one: &Operation| one.is_of_vocabulary() || one.is_of_architecture();
        match operations.iter().any(concerns) {
            false => Self::Nothing,
            true if operations.iter().any(vocabulary) => Self::Everything,
            true => Self::ButVocabulary,
        }
    }
}

/// What is said of a planned file that is not said of the file that there is.
#[derive(Debug, Default)]
pub struct Said {
    /// By the rules.
    pub worse: Vec<Worse>,
    /// Why llama.cpp refuses it, where it is not known to refuse the file that there is.
    pub lost: Option<Answer>,
}

/// What the rules and llama.cpp say of the second of two heads that they do not say of the first, which is looked at only
/// where something is said of the second.
#[must_use]
pub fn said(
    before: &Head<'_>,
    after: &Head<'_>,
    label: &[u8],
    file_name: Option<&str>,
    rules: &Rules,
    ask: Ask,
) -> Said {
    let look = |head: &Head<'_>| match ask {
        Ask::Nothing => (head.judge(label, file_name, rules), None),
        Ask::ButVocabulary | Ask::Everything => {
            let (file, rules) = (head.file(label, file_name), rules.clone().answering());
            let (report, answers) =
                check_and_loaders(&Subject::single(&file), &rules, ask == Ask::Everything);
            (report, answers.into_iter().find(|answer| answer.loader == Loader::LlamaCpp))
        }
    };
    let rejects = |answer: &Answer| answer.verdict == Verdict::Rejects;
    let (report, answer) = look(after);
    let refused = answer.filter(rejects);
    if refused.is_none() && report.worst() < Some(Severity::Warning) {
        return Said::default();
    }
    let (was, answer) = look(before);
    let taken = answer.is_some_and(|answer| !rejects(&answer));
    Said { worse: worse(&was, &report), lost: refused.filter(|_| taken) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_loader_reads_is_asked_about_and_what_it_does_not_is_not() {
        let unset = |key: &str| concerns(&Operation::Unset(key.into()));
        assert!(
            ["general.architecture", "general.*", "llama.block_count", "tokenizer.ggml.tokens"]
                .map(unset)
                .iter()
                .all(|is| *is)
        );
        assert!(!["general.name", "general.url"].map(unset).iter().any(|is| *is));
        assert!(concerns(&Operation::DropTensor(b"a".to_vec())));
        assert!(!concerns(&Operation::Move { key: b"llama.a".to_vec(), before: None }));
    }
}
