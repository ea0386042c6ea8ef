//! What a field is, for a palette.

use ggufkit_format::{Field, FieldValue, KvPart, Path};
use serde::Serialize;

/// What a field's bytes are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The four bytes `GGUF`.
    Magic,
    /// The version.
    Version,
    /// A number of things that follow.
    Count,
    /// The length of the text that follows.
    Length,
    /// A key.
    Key,
    /// A tensor's name.
    Name,
    /// A string value.
    Text,
    /// The id of a type, of a value or of a tensor.
    Type,
    /// A number or bool.
    Number,
    /// Several elements of an array, taken together.
    Elements,
    /// A dimension of a tensor.
    Dim,
    /// Where a tensor's data lies.
    Offset,
    /// The alignment in a dialect's header.
    Alignment,
    /// A dialect's NUL.
    Nul,
    /// Padding.
    Padding,
    /// What could not be parsed.
    Unparsed,
}

impl Kind {
    /// The kind of a field.
    #[must_use]
    pub const fn of(field: &Field<'_>) -> Self {
        match field.value {
            FieldValue::Magic(_) => Self::Magic,
            FieldValue::Version(_) => Self::Version,
            FieldValue::Count(_) => Self::Count,
            FieldValue::Length(_) => Self::Length,
            FieldValue::Text(_) => match field.path {
                Path::Kv { part: KvPart::Key, .. } => Self::Key,
                Path::Tensor { .. } => Self::Name,
                _ => Self::Text,
            },
            FieldValue::ValueType(..) | FieldValue::TensorType(_) => Self::Type,
            FieldValue::Scalar(_) => Self::Number,
            FieldValue::Alignment(_) => Self::Alignment,
            FieldValue::Elements(_) => Self::Elements,
            FieldValue::Dim(_) => Self::Dim,
            FieldValue::Offset(_) => Self::Offset,
            FieldValue::Nul(_) => Self::Nul,
            FieldValue::Padding(_) => Self::Padding,
            FieldValue::Unparsed(_) => Self::Unparsed,
        }
    }

    /// Every kind, in the order in which a file shows them.
    pub const ALL: [Self; 16] = [
        Self::Magic,
        Self::Version,
        Self::Count,
        Self::Length,
        Self::Key,
        Self::Name,
        Self::Text,
        Self::Type,
        Self::Number,
        Self::Elements,
        Self::Dim,
        Self::Offset,
        Self::Alignment,
        Self::Nul,
        Self::Padding,
        Self::Unparsed,
    ];
}
