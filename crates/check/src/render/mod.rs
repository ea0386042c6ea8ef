//! A report for people and for programs.
//!
//! Every renderer gives text that cannot drive a terminal: what comes from the file is escaped or shown as hex.

mod bytes;
mod concise;
mod fix;
mod full;
mod github;
mod json;
mod narrated;
mod sarif;

pub use concise::concise;
pub use full::{full, full_within, left_out, one_within};
pub use github::github;
pub use json::{finding_json, json};
pub use narrated::narrated;
pub use sarif::{sarif_log, sarif_notifications, sarif_results, sarif_rules};

use ggufkit_format::Escaped;

/// What a piece of a rendered report is; colours follow from it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ink {
    /// The word and the marks of an error.
    Error,
    /// The word and the marks of a warning.
    Warning,
    /// The word and the marks of a note.
    Note,
    /// The headline.
    Headline,
    /// Marks and words of a cause.
    Secondary,
    /// Places, rulers, offsets.
    Faint,
    /// The words `note` and `help`.
    Word,
}

impl From<crate::Severity> for Ink {
    fn from(severity: crate::Severity) -> Self {
        match severity {
            crate::Severity::Error => Self::Error,
            crate::Severity::Warning => Self::Warning,
            crate::Severity::Note => Self::Note,
        }
    }
}

/// Puts a piece of text into colour, or leaves it as it is.
pub type Paint<'p> = &'p dyn Fn(Ink, &str) -> String;

/// No colours.
#[must_use]
pub fn plain(_: Ink, text: &str) -> String {
    text.to_owned()
}

/// The name of a label in quotes, cut where it is long.
fn quoted(name: &[u8]) -> String {
    const MOST: usize = 64;
    let text = Escaped(name).to_string();
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("\"{}…\"", text.get(..at).unwrap_or_default()),
        None => format!("\"{text}\""),
    }
}
