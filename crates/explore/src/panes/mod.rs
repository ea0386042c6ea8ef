//! What is to be seen, one file each: which rows there are, how a row looks, what is told of the selected one.

pub(crate) mod bytes;
pub(crate) mod check;
pub(crate) mod tag;
pub(crate) mod tensors;

use ggufkit::format::spec::Lang;
use ratatui::text::{Line, Span};

use crate::theme::Theme;

/// How things are said and look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub(crate) lang: Lang,
    pub(crate) theme: Theme,
    /// Columns of a row.
    pub(crate) width: usize,
}

/// What is selected, for a clipboard.
pub(crate) struct Copied {
    /// The value or the text, whole; `None` where it is longer than was asked for.
    pub(crate) value: Option<Vec<u8>>,
    /// The path, or the place.
    pub(crate) place: String,
}

impl Look {
    /// A line of what is told: a word, and what it is.
    pub(crate) fn told(&self, word: &str, text: impl Into<String>) -> Line<'static> {
        Line::from(vec![Span::styled(format!("{word}  "), self.theme.group()), Span::raw(text.into())])
    }
}
