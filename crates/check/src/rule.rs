//! What a rule is, and the two macros that declare rules.

use core::fmt;

use serde::Serialize;

use crate::facts::Facts;
use crate::sink::Sink;

/// How bad a finding is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nothing is wrong.
    Note,
    /// Some reader refuses or misreads the file, or somebody did not mean it.
    Warning,
    /// The file is broken.
    Error,
}

impl Severity {
    /// The word that renderers print.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a rule is about. Rules are selected and ignored by family too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// The file as a container: magic, version, counts, truncation, what stands behind the data.
    Container,
    /// Keys and values, whatever they mean.
    Metadata,
    /// Where the data section and each tensor lie.
    Layout,
    /// Records of the tensor table.
    Tensors,
    /// What an architecture needs.
    Conventions,
    /// The vocabulary.
    Tokenizer,
    /// Chat templates.
    Templates,
    /// Files of a split model.
    Shards,
    /// What adapters, projectors and other kinds need.
    Kinds,
    /// The values of the weights.
    Data,
}

impl Family {
    /// Every family, in the order of the rules' codes.
    pub const ALL: [Self; 10] = [
        Self::Container,
        Self::Metadata,
        Self::Layout,
        Self::Tensors,
        Self::Conventions,
        Self::Tokenizer,
        Self::Templates,
        Self::Shards,
        Self::Kinds,
        Self::Data,
    ];

    /// Its name, as options and documents write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Container => "container",
            Self::Metadata => "metadata",
            Self::Layout => "layout",
            Self::Tensors => "tensors",
            Self::Conventions => "conventions",
            Self::Tokenizer => "tokenizer",
            Self::Templates => "templates",
            Self::Shards => "shards",
            Self::Kinds => "kinds",
            Self::Data => "data",
        }
    }

    /// The digit after `GG` in the codes of its rules.
    #[must_use]
    pub const fn digit(self) -> u8 {
        self as u8
    }
}

/// A rule: what it is called, how bad its findings are, and its manual.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rule {
    /// Its code, which never changes: `GG203`. The first digit is the family's.
    pub code: &'static str,
    /// Its name: `tensor-offset-misaligned`.
    pub name: &'static str,
    /// What it is about.
    pub family: Family,
    /// How bad a finding of it is, unless the finding says otherwise.
    pub severity: Severity,
    /// What is wrong when it speaks, in one sentence without a full stop.
    pub summary: &'static str,
    /// The same in Chinese.
    pub summary_zh: &'static str,
    /// The manual, in Markdown: what is wrong, why it matters, what to do.
    pub manual: &'static str,
}

impl Rule {
    /// The rule with this name or code.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        crate::rules::all().find(|rule| rule.name == name || rule.code.eq_ignore_ascii_case(name))
    }
}

/// A rule with what carries it out.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) rule: &'static Rule,
    pub(crate) check: fn(&Facts<'_>, &mut Sink<'_>),
}

/// Declares a rule, with its summary in English and in Chinese; its doc comment is its manual.
macro_rules! rule {
    ($(#[doc = $doc:literal])* $code:ident $name:literal $family:ident $severity:ident: $summary:literal $zh:literal) => {
        $(#[doc = $doc])*
        pub(super) static RULE: $crate::Rule = $crate::Rule {
            code: stringify!($code),
            name: $name,
            family: $crate::Family::$family,
            severity: $crate::Severity::$severity,
            summary: $summary,
            summary_zh: $zh,
            manual: concat!($($doc, "\n"),*),
        };
    };
}
pub(crate) use rule;

/// Declares the rules of a family: one module each, with a `RULE`, a `check`, and, for the tests, a `bad` and a `good`
/// recipe. A rule that lacks one of them does not compile.
macro_rules! family {
    ($($module:ident),* $(,)?) => {
        $(mod $module;)*
        pub(crate) static ENTRIES: &[$crate::rule::Entry] =
            &[$($crate::rule::Entry { rule: &$module::RULE, check: $module::check }),*];
        #[cfg(test)]
        pub(crate) static RECIPES: &[$crate::testing::Recipes] =
            &[$($crate::testing::Recipes { rule: &$module::RULE, bad: $module::bad, good: $module::good }),*];
    };
}
pub(crate) use family;
