//! What an operation did, in so far as it is shown.

use ggufkit_format::spec::KeyType;
use ggufkit_format::{ByteStr, Scalar, Value};

use crate::document::Document;
use crate::value::NewValue;

/// What an operation did.
#[derive(Clone, PartialEq, Debug)]
pub struct Done {
    /// A stable word: `set`, `unset`, `rename`, `move`, `rename-tensor`, `drop-tensor`, `move-tensor`, `insert`, `remove`,
    /// `upgrade`.
    pub what: &'static str,
    /// The key or the tensor.
    pub name: Vec<u8>,
    /// The element of its array.
    pub element: Option<u64>,
    /// What was there.
    pub before: Option<Shown>,
    /// What is there now.
    pub after: Option<Shown>,
}

impl Done {
    /// Something done to a key or a tensor.
    pub(super) fn new(what: &'static str, name: &[u8]) -> Self {
        Self { what, name: name.to_vec(), element: None, before: None, after: None }
    }

    /// To an element.
    pub(super) fn at(mut self, element: u64) -> Self {
        self.element = Some(element);
        self
    }

    /// From what, to what.
    pub(super) fn values(mut self, before: Option<Shown>, after: Option<Shown>) -> Self {
        (self.before, self.after) = (before, after);
        self
    }

    /// That a document is of another version than its source; `None` where it is of the same.
    #[must_use]
    pub fn of_version(document: &Document<'_>) -> Option<Self> {
        let before = document.view().index().header().version;
        let shown = |version| Some(Shown::Scalar(Scalar::U32(version)));
        let done = Self {
            what: "upgrade",
            name: b"version".to_vec(),
            element: None,
            before: shown(before),
            after: shown(document.version()),
        };
        (before != document.version()).then_some(done)
    }
}

/// A value in so far as it is shown.
#[derive(Clone, PartialEq, Debug)]
pub enum Shown {
    /// A value of fixed size.
    Scalar(Scalar),
    /// A string, or a name.
    Text(Vec<u8>),
    /// An array: what it is one of, and of how many.
    Array(KeyType, u64),
}

impl Shown {
    pub(crate) fn of(value: Value<'_>) -> Self {
        match value {
            Value::Scalar(scalar) => Self::Scalar(scalar),
            Value::String(ByteStr(bytes)) => Self::Text(bytes.to_vec()),
            Value::Array(array) => Self::Array(KeyType::Array(array.element_type()), array.len()),
        }
    }

    pub(crate) fn new(value: &NewValue) -> Self {
        match value {
            NewValue::Scalar(scalar) => Self::Scalar(*scalar),
            NewValue::String(bytes) => Self::Text(bytes.clone()),
            NewValue::Array(_, items) => Self::Array(value.key_type(), items.len() as u64),
        }
    }
}
