//! Why a question has no answer.

use std::fmt;
use std::io;

use serde::Serialize;

use super::zh::Said;

/// Who must act.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Whoever asked: the question cannot be understood.
    Usage,
    /// Nothing of that name or number is there.
    NotFound,
    /// It is there, and nothing is known here of how it is read.
    Unsupported,
    /// The system refused.
    Io,
    /// The file is at fault.
    Malformed,
    /// More was asked for than one question may.
    Limit,
}

impl Kind {
    pub(super) const ALL: [Self; 6] =
        [Self::Usage, Self::NotFound, Self::Unsupported, Self::Io, Self::Malformed, Self::Limit];
}

/// An answer that is none.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Refusal {
    error: Inner,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
struct Inner {
    kind: Kind,
    /// In English.
    message: String,
    /// In Chinese; what the system says is in its own words.
    message_zh: String,
}

impl Refusal {
    /// A refusal with what is said about it in both languages; text of files must stand in it escaped.
    #[must_use]
    pub(crate) fn new(kind: Kind, message: impl Into<Said>) -> Self {
        let Said { en, zh } = message.into();
        Self { error: Inner { kind, message: en, message_zh: zh } }
    }

    pub(super) fn usage(message: impl Into<Said>) -> Self {
        Self::new(Kind::Usage, message)
    }

    pub(super) fn not_found(message: impl Into<Said>) -> Self {
        Self::new(Kind::NotFound, message)
    }

    pub(super) fn unsupported(message: impl Into<Said>) -> Self {
        Self::new(Kind::Unsupported, message)
    }

    pub(super) fn malformed(message: impl Into<Said>) -> Self {
        Self::new(Kind::Malformed, message)
    }

    pub(super) fn io(error: &io::Error) -> Self {
        Self::new(Kind::Io, Said::of(&error.to_string()))
    }

    /// More was asked for than `most` of something.
    pub(super) fn limit((en, zh): (&str, &str), most: u64) -> Self {
        let en = format!("one question may ask for {most} {en} at most");
        Self::new(Kind::Limit, (en, format!("一个问题最多可以要求 {most} {zh}")))
    }

    /// Who must act.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.error.kind
    }

    /// Why, in words of English.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.error.message
    }

    /// The refusal as the JSON document that is sent in place of an answer.
    #[must_use]
    pub fn json(&self) -> Vec<u8> {
        let mut out = Vec::new();
        // Writing to memory does not fail.
        let _ = ggufkit_inspect::json::write(&mut out, self, false);
        out
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.error.message)
    }
}

impl std::error::Error for Refusal {}
