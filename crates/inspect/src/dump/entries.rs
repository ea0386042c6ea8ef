//! The lines of a dump: header, key-value, tensor, oddity.

use ggufkit_format::spec::ValueType;
use ggufkit_format::{Anomaly, ByteStr, Kv, Payload, Scalar, Value};
use serde::ser::{Serialize, SerializeMap as _, Serializer};

use super::exact;
use crate::json::{JsonText, JsonValue};
use crate::tensors::Row;

/// The header.
#[derive(Clone, Debug, serde::Serialize)]
pub struct HeaderEntry {
    /// The magic, always `GGUF`.
    pub magic: &'static str,
    /// 1, 2 or 3.
    pub version: u32,
    /// `little` or `big`.
    pub endian: &'static str,
    /// The layout that was read: `standard`, or the name of a mis-written one.
    pub dialect: String,
    /// Tensors that the header declares.
    pub tensor_count: u64,
    /// Key-values that the header declares.
    pub kv_count: u64,
    /// Alignment of the data section in bytes.
    pub alignment: u64,
    /// Where that comes from: `default`, `key` (`general.alignment`), `unusable-key` (that key is no number
    /// to align by, and the default stands in) or `header`.
    pub alignment_source: &'static str,
    /// Position of the magic in the file.
    pub base: u64,
    /// Position after the tensor table, or after the last record that could be read.
    pub head_end: u64,
    /// Position of the data section; `None` when the head was not read to its end.
    pub data_start: Option<u64>,
}

/// A key-value.
#[derive(Clone, Copy, Debug)]
pub struct KvEntry<'a> {
    /// Position in the metadata, from 0.
    pub index: usize,
    /// The key.
    pub key: ByteStr<'a>,
    /// The record.
    pub kv: &'a Kv,
    /// The value.
    pub value: Value<'a>,
    /// Whether the key occurs more than once.
    pub duplicate: bool,
    /// Elements of an array that are shown; `None` for all.
    pub max: Option<u64>,
}

impl KvEntry<'_> {
    /// Elements that are shown, where the value is an array.
    #[must_use]
    pub fn shown(&self) -> Option<u64> {
        let array = self.value.as_array()?;
        Some(self.max.map_or(array.len(), |max| max.min(array.len())))
    }

    /// The byte of a bool that is neither 0 nor 1 and reads as true.
    #[must_use]
    pub fn odd_bool(&self) -> Option<u8> {
        match self.value {
            Value::Scalar(Scalar::Bool(byte)) if byte > 1 => Some(byte),
            _ => None,
        }
    }
}

impl Serialize for KvEntry<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let kv = self.kv;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("index", &self.index)?;
        map.serialize_entry("key", &JsonText(self.key))?;
        if self.duplicate {
            map.serialize_entry("duplicate", &true)?;
        }
        map.serialize_entry("type", &kv.value_type.to_string())?;
        if let Payload::Array(array) = &kv.payload {
            map.serialize_entry("element_type", &array.element_type.to_string())?;
            map.serialize_entry("length", &array.count)?;
            map.serialize_entry("shown", &self.shown())?;
            // The limit holds for the arrays inside as well; they have no fields of their own to say so.
            if let Some(max) = self.max.filter(|_| array.element_type == ValueType::ARRAY) {
                map.serialize_entry("shown_inside", &max)?;
            }
        }
        map.serialize_entry("offset", &kv.span.start)?;
        map.serialize_entry("size", &kv.span.len)?;
        map.serialize_entry("value_offset", &kv.value_span.start)?;
        map.serialize_entry("value_size", &kv.value_span.len)?;
        map.serialize_entry("value", &JsonValue { value: self.value, max: self.max })?;
        if let Some(byte) = self.odd_bool() {
            map.serialize_entry("byte", &byte)?;
        }
        // Where the value as it is shown could be that of other bytes as well.
        let whole = self.max.is_none_or(|max| !exact::is_cut(self.value, max));
        if let Some(bytes) = exact::bytes(self.value).filter(|_| whole) {
            map.serialize_entry("exact", &bytes)?;
        }
        map.end()
    }
}

/// A tensor.
#[derive(Clone, Copy, Debug)]
pub struct TensorEntry<'a>(pub Row<'a>);

impl Serialize for TensorEntry<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let row = &self.0;
        let ty = row.tensor_type();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("index", &row.index)?;
        map.serialize_entry("name", &JsonText(row.name))?;
        match ty.name() {
            Some(name) => map.serialize_entry("type", name)?,
            None => map.serialize_entry("type", &ty.to_string())?,
        }
        map.serialize_entry("type_id", &ty.0)?;
        map.serialize_entry("shape", row.dims)?;
        map.serialize_entry("elements", &row.elements)?;
        map.serialize_entry("offset", &row.tensor.offset)?;
        map.serialize_entry("data_offset", &row.data)?;
        map.serialize_entry("size", &row.size)?;
        map.serialize_entry("size_known", &row.sizing)?;
        map.serialize_entry("info_offset", &row.tensor.span.start)?;
        map.serialize_entry("info_size", &row.tensor.span.len)?;
        map.end()
    }
}

/// Something odd.
#[derive(Clone, Copy, Debug)]
pub struct AnomalyEntry<'a>(pub &'a Anomaly);

impl Serialize for AnomalyEntry<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(5))?;
        map.serialize_entry("code", self.0.kind.code())?;
        map.serialize_entry("message", &self.0.kind.to_string())?;
        map.serialize_entry("path", &self.0.path.to_string())?;
        map.serialize_entry("offset", &self.0.span.start)?;
        map.serialize_entry("size", &self.0.span.len)?;
        map.end()
    }
}
