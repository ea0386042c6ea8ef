//! Operations: what a person asks for, by name, carried out on a [`Document`].
//!
//! Where a name is none of the file's, or a value none of its type, nothing of the document is to be used.

mod error;
mod metadata;
mod shown;
mod tensors;
mod value;

use ggufkit_format::Escaped;
use ggufkit_format::glob::Glob;
use ggufkit_format::spec::KeyType;
use serde_json::Value as Json;

pub use self::error::OperationError;
pub use self::shown::{Done, Shown};
use crate::document::Document;

/// A value as it was given.
#[derive(Clone, PartialEq, Debug)]
pub enum Given {
    /// As a person types it.
    Text(String),
    /// The bytes of a string, whatever they are.
    Bytes(Vec<u8>),
    /// As JSON.
    Json(Json),
}

/// Which element of an array is meant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Element {
    /// The one at this position, from 0.
    At(u64),
    /// The one that stands so far from the end: 1 is the last one.
    FromEnd(u64),
    /// The one at the position of this token in the vocabulary.
    Token(Vec<u8>),
}

/// One thing to do.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Operation {
    /// Gives a key a value; adds it where it is not there. Its type is the one named, or that of the value it has, or the
    /// one that loaders want for it.
    Set {
        /// The key.
        key: Vec<u8>,
        /// The element of its array that is meant.
        element: Option<Element>,
        /// The type.
        ty: Option<KeyType>,
        /// The value.
        value: Given,
    },
    /// Puts a text into a list of texts, where it is not in it; the list is made where it is not there.
    List {
        /// The key of the list.
        key: Vec<u8>,
        /// The text.
        item: Vec<u8>,
    },
    /// Takes a text out of a list of texts, where it is in it, and with the last one the list.
    Unlist {
        /// The key of the list.
        key: Vec<u8>,
        /// The text.
        item: Vec<u8>,
    },
    /// Puts an element into an array: before another one, or behind all.
    Insert {
        /// The key of the array.
        key: Vec<u8>,
        /// The element before which it is to stand.
        before: Option<Element>,
        /// The element.
        value: Given,
    },
    /// Takes an element out of an array.
    Remove {
        /// The key of the array.
        key: Vec<u8>,
        /// The element.
        element: Element,
    },
    /// Takes a key out, or all whose names a pattern matches.
    Unset(Vec<u8>),
    /// Takes out what there is of the keys that a pattern matches, but for some; that there is none is no error.
    Clear {
        /// The pattern.
        pattern: Vec<u8>,
        /// Keys that stay.
        except: Vec<Vec<u8>>,
    },
    /// Gives a key another name.
    Rename {
        /// The key.
        from: Vec<u8>,
        /// Its new name.
        to: Vec<u8>,
    },
    /// Moves a key before another one, or behind all.
    Move {
        /// The key.
        key: Vec<u8>,
        /// The one before which it is to stand.
        before: Option<Vec<u8>>,
    },
    /// Asks that a key has a value, or is not there, and stops where that is not so.
    Test {
        /// The key.
        key: Vec<u8>,
        /// The element of its array that is meant.
        element: Option<Element>,
        /// The type.
        ty: Option<KeyType>,
        /// The value.
        value: Option<Given>,
    },
    /// Gives a tensor another name.
    RenameTensor {
        /// The tensor.
        from: Vec<u8>,
        /// Its new name.
        to: Vec<u8>,
    },
    /// Takes a tensor out, or all whose names a pattern matches.
    DropTensor(Vec<u8>),
    /// Writes version 3.
    Upgrade,
    /// Moves a tensor before another one, or behind all; its data stands in the same order.
    MoveTensor {
        /// The tensor.
        name: Vec<u8>,
        /// The one before which it is to stand.
        before: Option<Vec<u8>>,
    },
}

impl Operation {
    /// Carries the operation out. The values are what was done: nothing, where all is so already.
    ///
    /// # Errors
    /// See [`OperationError`]; the document may then be changed in part.
    pub fn apply(&self, document: &mut Document<'_>) -> Result<Vec<Done>, OperationError> {
        match self {
            Self::Set { key, element: Some(element), value, ty } => {
                metadata::set_element(document, key, element, *ty, value)
            }
            Self::Set { key, element: None, ty, value } => metadata::set(document, key, *ty, value),
            Self::Insert { key, before, value } => metadata::insert(document, key, before.as_ref(), value),
            Self::Remove { key, element } => metadata::remove(document, key, element),
            Self::Upgrade => {
                document.rewrite();
                Ok(Done::of_version(document).into_iter().collect())
            }
            Self::List { key, item } => metadata::list(document, key, item),
            Self::Unlist { key, item } => metadata::unlist(document, key, item),
            Self::Unset(pattern) => metadata::unset(document, pattern),
            Self::Clear { pattern, except } => metadata::clear(document, pattern, except),
            Self::Rename { from, to } => metadata::rename(document, from, to),
            Self::Move { key, before } => metadata::move_to(document, key, before.as_deref()),
            Self::Test { key, element: Some(element), value, .. } => {
                metadata::test_element(document, key, element, value.as_ref()).map(|()| Vec::new())
            }
            Self::Test { key, element: None, ty, value } => {
                metadata::test(document, key, *ty, value.as_ref()).map(|()| Vec::new())
            }
            Self::RenameTensor { from, to } => tensors::rename(document, from, to),
            Self::MoveTensor { name, before } => tensors::move_to(document, name, before.as_deref()),
            Self::DropTensor(pattern) => tensors::take_out(document, pattern),
        }
    }

    /// Whether the document has what the operation is about: of the files of a set, those that have it are changed.
    #[must_use]
    pub fn concerns(&self, document: &Document<'_>) -> bool {
        let has = |key: &[u8]| !document.find(key).is_empty();
        match self {
            Self::Set { key, .. }
            | Self::List { key, .. }
            | Self::Unlist { key, .. }
            | Self::Insert { key, .. }
            | Self::Remove { key, .. }
            | Self::Test { key, .. }
            | Self::Move { key, .. } => has(key),
            Self::Rename { from, .. } => has(from),
            Self::Unset(pattern) | Self::Clear { pattern, .. } => {
                metadata::matching(document, pattern).is_ok_and(|found| !found.is_empty())
            }
            Self::RenameTensor { from, .. } => !document.find_tensors(from).is_empty(),
            Self::Upgrade => true,
            Self::MoveTensor { name, .. } => !document.find_tensors(name).is_empty(),
            Self::DropTensor(pattern) => {
                tensors::matching(document, pattern).is_ok_and(|found| !found.is_empty())
            }
        }
    }

    /// What the operation is about in a document, as a number: the position of its element, 0 of a key or a tensor; `None`
    /// where the document has no such thing.
    pub(crate) fn place(&self, document: &Document<'_>) -> Option<u64> {
        let (key, element, ends) = match self {
            Self::Set { key, element: Some(element), .. } | Self::Remove { key, element } => {
                (key, element, 0)
            }
            Self::Insert { key, before: Some(element), .. } => (key, element, 1),
            _ => return self.concerns(document).then_some(0),
        };
        let (_, _, len) = metadata::array(document, key).ok()?;
        let place = value::position(document, key, element, len).ok()?;
        (place < len.saturating_add(ends)).then_some(place)
    }

    /// Whether what the operation changes is of the vocabulary, which takes time to judge.
    #[must_use]
    pub fn is_of_vocabulary(&self) -> bool {
        self.is_of(|key| ggufkit_check::is_of_vocabulary(key) || is_pattern(key))
    }

    /// Whether what the operation changes is of the chat templates.
    #[must_use]
    pub fn is_of_templates(&self) -> bool {
        self.is_of(|key| key.starts_with(TEMPLATES) || is_pattern(key))
    }

    /// Whether it changes keys of which one, or a pattern for them, is so.
    fn is_of(&self, of: impl Fn(&[u8]) -> bool) -> bool {
        match self {
            Self::Set { key, .. }
            | Self::Insert { key, .. }
            | Self::Remove { key, .. }
            | Self::List { key, .. }
            | Self::Unlist { key, .. }
            | Self::Unset(key)
            | Self::Clear { pattern: key, .. }
            | Self::Move { key, .. } => of(key),
            Self::Rename { from, to } => of(from) || of(to),
            _ => false,
        }
    }
}

/// What the keys of chat templates begin with, and that of the list of their names.
const TEMPLATES: &[u8] = b"tokenizer.chat_template";

/// Whether a text stands for more than one name.
fn is_pattern(text: &[u8]) -> bool {
    text.iter().any(|byte| matches!(byte, b'*' | b'?' | b'[' | b'\\'))
}

/// The pattern that a text is; `None` of one that is a name, which does not have to be looked for by all of them.
fn glob(pattern: &[u8]) -> Result<Option<Glob>, OperationError> {
    if !is_pattern(pattern) {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(pattern);
    let glob = Glob::new(&text);
    glob.map(Some).map_err(|error| OperationError::Pattern(format!("{}: {error}", Escaped(pattern))))
}
