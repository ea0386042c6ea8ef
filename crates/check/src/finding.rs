//! What a rule says about a file.

use ggufkit_format::{Scalar, Span};

use crate::rule::{Rule, Severity};

/// A stretch of the file that a finding points at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Number of the file in the subject, from 0.
    pub file: usize,
    /// The bytes. An empty span is a position.
    pub span: Span,
    /// The logical path: `tensors[0].offset`.
    pub path: String,
    /// The key or tensor name that the field belongs to, as it stands in the file.
    pub name: Option<Vec<u8>>,
    /// What is to be seen there; without harm for a terminal.
    pub text: String,
}

impl Label {
    /// The same place with other words.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.text = text.into();
        self
    }
}

/// What a rule says about one place.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// How bad it is.
    pub severity: Severity,
    /// The headline: one sentence without a full stop, harmless for a terminal.
    pub message: String,
    /// The symptom.
    pub primary: Label,
    /// The causes.
    pub secondary: Vec<Label>,
    /// What follows from it.
    pub notes: Vec<String>,
    /// What to do.
    pub help: Vec<String>,
    /// How it can be put right by a program.
    pub fix: Option<Fix>,
}

impl Finding {
    /// A finding whose headline is `message`.
    #[must_use]
    pub fn new(rule: &'static Rule, message: impl Into<String>, primary: Label) -> Self {
        Self {
            rule,
            severity: rule.severity,
            message: message.into(),
            primary,
            secondary: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
            fix: None,
        }
    }

    /// A short text that stays the same while the finding does, wherever its bytes move: of the rule, the key or tensor, the
    /// logical path where there is no name, and the headline.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        // FNV-1a with 64 bits: nothing hangs on collisions but a finding that a baseline hides, and it never changes.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let place = match &self.primary.name {
            Some(name) => name.as_slice(),
            None => self.primary.path.as_bytes(),
        };
        for part in [self.rule.code.as_bytes(), place, self.message.as_bytes()] {
            for byte in part.iter().chain(&[0]) {
                hash = (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
            }
        }
        format!("{hash:016x}")
    }

    /// With another severity than the rule's.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// With a cause.
    #[must_use]
    pub fn because(mut self, label: Label) -> Self {
        self.secondary.push(label);
        self
    }

    /// With something that follows from it.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// With something to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// With a way to put it right.
    #[must_use]
    pub fn fix(mut self, safety: Safety, title: impl Into<String>, change: Change) -> Self {
        self.fix = Some(Fix { safety, title: title.into(), change });
        self
    }
}

/// Whether a fix can change what the file means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Safety {
    /// Every reader that could read the file reads the same from the fixed one.
    Safe,
    /// Somebody has to decide: a reader may see another value afterwards.
    Unsafe,
}

impl Safety {
    /// The word that renderers print.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Unsafe => "unsafe",
        }
    }
}

/// How a finding can be put right.
#[derive(Clone, PartialEq, Debug)]
pub struct Fix {
    /// Whether it needs a decision.
    pub safety: Safety,
    /// What is done, in words, in the imperative.
    pub title: String,
    /// What is done.
    pub change: Change,
}

/// A change of a file, in terms of its index. Positions are those of the file as it was read.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Change {
    /// Other bytes in the same place.
    Patch {
        /// The bytes to replace.
        span: Span,
        /// What to put there: as many.
        bytes: Vec<u8>,
    },
    /// A key-value goes.
    RemoveKv {
        /// Its position in the metadata, from 0.
        index: u64,
    },
    /// A key-value gets another key.
    SetKey {
        /// Its position in the metadata, from 0.
        index: u64,
        /// The key's bytes.
        key: Vec<u8>,
    },
    /// A key-value gets another value of fixed size.
    SetScalar {
        /// Its position in the metadata, from 0.
        index: u64,
        /// The value, with its type.
        value: Scalar,
    },
    /// A key-value gets another string value.
    SetString {
        /// Its position in the metadata, from 0.
        index: u64,
        /// The string's bytes.
        bytes: Vec<u8>,
    },
    /// A tensor gets another name.
    SetName {
        /// Its position in the tensor table, from 0.
        index: u64,
        /// The name's bytes.
        name: Vec<u8>,
    },
    /// The data section is laid out anew: in the order of the table, without gaps, each tensor aligned, zeros between.
    Relayout,
    /// The same with another alignment, and `general.alignment` as a u32 that gives it.
    Realign {
        /// The alignment, in bytes.
        to: u32,
    },
    /// Several key-values go.
    RemoveKvs {
        /// Their positions in the metadata, from 0.
        indices: Vec<u64>,
    },
    /// The head is written anew in the standard layout, version 3.
    Rewrite,
    /// The file ends here.
    Cut {
        /// Position of the first byte that goes.
        at: u64,
    },
    /// Zeros are added at the end.
    Extend {
        /// Length of the file afterwards.
        to: u64,
    },
    /// The file is cut apart where other GGUF files begin in it.
    Separate {
        /// Position of the second file's magic.
        at: u64,
    },
}
