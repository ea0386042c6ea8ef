//! Questions about open files, and their answers as JSON.
//!
//! A [`Session`] holds what is open. A [`Question`] is a name and a flat list of texts; the answer is one JSON document, or a
//! [`Refusal`]. Every question is bounded, whatever is asked and whatever the file holds: in bytes ([`MAX_BYTES`]), in rows
//! ([`MAX_ROWS`]), in cells ([`MAX_SIDE`]). One file here for each group of questions.

mod block;
mod bytes;
mod check;
mod config;
mod explain;
mod gaps;
mod map;
mod memory;
mod metadata;
mod open;
mod query;
mod reach;
mod refusal;
mod session;
mod shape;
mod steps;
mod templates;
mod tensors;
mod tokens;
mod two;
mod values;
mod whole;
mod words;
mod zh;

pub use gaps::Gap;
pub use open::{FileInput, ModelInput, Problem, Source, Watch, without_folder};
pub use query::Question;
pub use refusal::{Kind, Refusal};
pub use session::Session;
pub use templates::{Renderer, Rendering};
pub(crate) use whole::session_of_report;
pub use words::words;
pub use zh::Said;

use query::Query;

/// Bytes that one question may ask for.
pub const MAX_BYTES: u64 = 64 << 10;
/// Rows of any list that is asked for piece by piece.
pub const MAX_ROWS: u64 = 1000;
/// Rows of metadata and tensors, which are long lists that a page has whole.
pub const MAX_LIST: usize = 10_000;
/// Cells of a picture in each direction.
pub const MAX_SIDE: u64 = 512;

/// What a question comes to: a JSON document.
pub type Answer = Result<Vec<u8>, Refusal>;

type Ask = fn(&Session, &Query<'_>) -> Answer;

/// The questions by name.
const QUESTIONS: &[(&str, Ask)] = &[
    ("session", whole::session),
    ("show", whole::show),
    ("map", map::map),
    ("metadata", metadata::metadata),
    ("elements", metadata::elements),
    ("tokens", tokens::tokens),
    ("bytes", bytes::bytes),
    ("steps", steps::steps_of),
    ("step_at", steps::step_at),
    ("config", config::config),
    ("memory", memory::memory),
    ("tensors", tensors::tensors),
    ("stats", values::stats_of),
    ("values", values::values),
    ("block", block::block),
    ("worked", block::worked),
    ("check", check::check),
    ("templates", templates::templates),
    ("render", templates::render),
    ("diff", two::diff),
    ("pairs", two::pairs),
    ("compare", two::compare),
    ("explain", explain::explain),
];

impl Session {
    /// Answers a question.
    ///
    /// # Errors
    /// A [`Refusal`]: the question is none, asks for too much or for what is not there, or the file cannot be read.
    pub fn ask(&self, question: &Question) -> Answer {
        let name = question.name();
        let found = QUESTIONS.iter().find(|(known, _)| *known == name);
        let (_, ask) =
            found.ok_or_else(|| Refusal::not_found(("there is no such question", "没有这样的问题")))?;
        ask(self, &Query::of(question))
    }

    /// The names of all questions.
    pub fn questions() -> impl Iterator<Item = &'static str> {
        QUESTIONS.iter().map(|(name, _)| *name)
    }
}

/// Writes an answer.
fn json<T: serde::Serialize + ?Sized>(value: &T) -> Answer {
    let mut out = Vec::new();
    ggufkit_inspect::json::write_for_doubles(&mut out, value).map_err(|error| Refusal::io(&error))?;
    Ok(out)
}
