//! Why a question has no answer.

use std::fmt;
use std::io;

use serde::Serialize;

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
    message: String,
}

impl Refusal {
    /// A refusal with what is said about it; text of files must stand in it escaped.
    #[must_use]
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { error: Inner { kind, message: message.into() } }
    }

    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }

    pub(super) fn not_found(message: impl Into<String>) -> Self {
        Self::new(Kind::NotFound, message)
    }

    pub(super) fn unsupported(message: impl Into<String>) -> Self {
        Self::new(Kind::Unsupported, message)
    }

    pub(super) fn malformed(message: impl Into<String>) -> Self {
        Self::new(Kind::Malformed, message)
    }

    pub(super) fn io(error: &io::Error) -> Self {
        Self::new(Kind::Io, error.to_string())
    }

    /// More was asked for than `most` of something.
    pub(super) fn limit(what: &str, most: u64) -> Self {
        Self::new(Kind::Limit, format!("one question may ask for {most} {what} at most"))
    }

    /// Who must act.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.error.kind
    }

    /// Why, in words.
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
