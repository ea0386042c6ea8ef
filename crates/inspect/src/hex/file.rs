//! One file's fields or steps as a document.

use ggufkit_format::spec::Lang;
use ggufkit_format::{ByteStr, Detail, Field, FieldValue, KvPart, Path, View};
use serde::ser::{Serialize, SerializeMap as _, SerializeSeq as _, Serializer};

use super::{Kind, Note, Select, note, steps};
use crate::json::{JsonErrors, JsonScalar, JsonText};

/// What is known about one file's bytes. It is serialised field by field and never held as a whole.
#[derive(Clone, Debug)]
pub struct HexFile<'a> {
    /// The path as given, or `-`.
    pub path: ByteStr<'a>,
    /// Length of the file in bytes, where it is known.
    pub size: Option<u64>,
    /// What went wrong, as the caller tells it: what ended the reading, what was asked for and is not there.
    pub errors: Vec<serde_json::Value>,
    /// The head, where at least the header could be read.
    pub view: Option<View<'a>>,
    /// Which fields.
    pub select: Select,
    /// How much of arrays.
    pub detail: Detail,
    /// The language of the notes.
    pub lang: Lang,
    /// Whether the fields are numbered steps, each saying what comes next.
    pub steps: bool,
}

impl Serialize for HexFile<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("path", &JsonText(self.path))?;
        map.serialize_entry("size", &self.size)?;
        map.serialize_entry("errors", &JsonErrors { path: self.path, errors: &self.errors })?;
        if let Some(view) = self.view {
            let index = view.index();
            map.serialize_entry("base", &index.header().base)?;
            map.serialize_entry("head_end", &index.head_end())?;
            map.serialize_entry("data_start", &index.data_start())?;
            map.serialize_entry(if self.steps { "steps" } else { "fields" }, &Rows { file: self, view })?;
        }
        map.end()
    }
}

struct Rows<'f, 'a> {
    file: &'f HexFile<'a>,
    view: View<'a>,
}

impl Serialize for Rows<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { file, view } = self;
        let mut scratch = String::new();
        let mut seq = serializer.serialize_seq(None)?;
        for step in steps(*view, file.select.detail(file.detail), file.lang) {
            if !file.select.picks(&step.field, &mut scratch) {
                continue;
            }
            let (number, next) =
                if file.steps { (Some(step.number), Some(&*step.next)) } else { (None, None) };
            seq.serialize_element(&Row { number, field: &step.field, note: &step.note, next })?;
        }
        seq.end()
    }
}

struct Row<'f, 'a> {
    number: Option<u64>,
    field: &'f Field<'a>,
    note: &'f Note,
    next: Option<&'f str>,
}

impl Serialize for Row<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { number, field, note, next } = self;
        let mut map = serializer.serialize_map(None)?;
        if let Some(number) = number {
            map.serialize_entry("step", number)?;
        }
        map.serialize_entry("path", &field.path.to_string())?;
        map.serialize_entry("offset", &field.span.start)?;
        map.serialize_entry("size", &field.span.len)?;
        map.serialize_entry("kind", &Kind::of(field))?;
        if !note.ty.is_empty() {
            map.serialize_entry("type", &note.ty)?;
        }
        match field.value {
            FieldValue::Magic(bytes) => map.serialize_entry("value", &JsonText(ByteStr(bytes)))?,
            FieldValue::Text(text) => map.serialize_entry("value", &JsonText(text))?,
            FieldValue::Version(n) | FieldValue::Alignment(n) => map.serialize_entry("value", &n)?,
            FieldValue::Count(n) | FieldValue::Length(n) | FieldValue::Dim(n) | FieldValue::Offset(n) => {
                map.serialize_entry("value", &n)?;
            }
            FieldValue::ValueType(id, ty) => {
                map.serialize_entry("value", &id)?;
                map.serialize_entry("name", &ty.name())?;
            }
            FieldValue::TensorType(ty) => {
                map.serialize_entry("value", &ty.0)?;
                map.serialize_entry("name", &ty.name())?;
            }
            FieldValue::Scalar(scalar) => map.serialize_entry("value", &JsonScalar(scalar))?,
            FieldValue::Nul(byte) => map.serialize_entry("value", &byte)?,
            FieldValue::Elements(_) => {
                if let Path::Kv { part: KvPart::Elements(from, to), .. } = field.path {
                    map.serialize_entry("from", &from)?;
                    map.serialize_entry("to", &to)?;
                }
            }
            FieldValue::Padding(_) | FieldValue::Unparsed(_) => {}
        }
        if !note.meaning.is_empty() {
            map.serialize_entry("meaning", &note.meaning)?;
        }
        if let Some(next) = next.filter(|next| !next.is_empty()) {
            map.serialize_entry("next", next)?;
        }
        map.end()
    }
}

impl<'a> HexFile<'a> {
    /// A document about one file: all its fields, arrays as `detail` says, in English.
    #[must_use]
    pub fn new(path: ByteStr<'a>, size: Option<u64>, view: Option<View<'a>>, detail: Detail) -> Self {
        Self {
            path,
            size,
            errors: Vec::new(),
            view,
            select: Select::All,
            detail,
            lang: Lang::En,
            steps: false,
        }
    }

    /// The note of a field of this file.
    #[must_use]
    pub fn note(&self, field: &Field<'_>) -> Option<Note> {
        Some(note(&self.view?, field, self.lang))
    }
}
