//! Small files to explain by. They are written here byte by byte and read back by the format crate, so what a text
//! shows of them is what a reader sees.

use ggufkit_format::spec::Lang;
use ggufkit_format::{Detail, Index, Options, View, parse};

use super::FieldRow;
use crate::hex::{Kind, note};

/// A file being written, little-endian, version 3.
struct Writer(Vec<u8>);

impl Writer {
    fn new(tensors: u64, kvs: u64) -> Self {
        let mut out = Self(b"GGUF".to_vec());
        out.u32(3);
        out.u64(tensors);
        out.u64(kvs);
        out
    }

    fn u32(&mut self, n: u32) {
        self.0.extend(n.to_le_bytes());
    }

    fn u64(&mut self, n: u64) {
        self.0.extend(n.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.u64(text.len() as u64);
        self.0.extend(text.as_bytes());
    }

    /// A key and the id of its value's type.
    fn key(&mut self, key: &str, type_id: u32) {
        self.text(key);
        self.u32(type_id);
    }
}

/// Two key-values and one tensor of four 32-bit floats.
pub(super) fn small() -> Vec<u8> {
    let mut out = Writer::new(1, 2);
    out.key("general.architecture", 8);
    out.text("tiny");
    out.key("tiny.block_count", 4);
    out.u32(1);
    out.text("w");
    out.u32(1);
    out.u64(4);
    out.u32(0);
    out.u64(0);
    while !out.0.len().is_multiple_of(32) {
        out.0.push(0);
    }
    for value in [0.5_f32, -1.0, 0.25, 2.0] {
        out.0.extend(value.to_le_bytes());
    }
    out.0
}

/// An array of strings, an array of numbers and a nested one.
pub(super) fn arrays() -> Vec<u8> {
    let mut out = Writer::new(0, 3);
    out.key("tokens", 9);
    out.u32(8);
    out.u64(3);
    ["a", "", "the"].iter().for_each(|text| out.text(text));
    out.key("scores", 9);
    out.u32(6);
    out.u64(3);
    [0.0_f32, -1.0, -2.0].iter().for_each(|v| out.0.extend(v.to_le_bytes()));
    out.key("grid", 9);
    out.u32(9);
    out.u64(2);
    for row in [[1_u8, 2], [3, 4]] {
        out.u32(0);
        out.u64(2);
        out.0.extend(row);
    }
    out.0
}

/// The index of an example file.
pub(super) fn index(bytes: &[u8]) -> Option<Index> {
    parse(bytes, Options::new()).into_result().ok()
}

/// The fields of an example file whose path begins with `prefix`.
pub(super) fn fields(bytes: &[u8], prefix: &str, lang: Lang) -> Vec<FieldRow> {
    let Some(index) = index(bytes) else { return Vec::new() };
    let view = View::new(&index, bytes);
    let rows = view.fields(Detail::All).map(|field| {
        let note = note(&view, &field, lang);
        let equals = if note.ty.is_empty() || note.value.is_empty() { "" } else { " = " };
        FieldRow {
            offset: field.span.start,
            bytes: view.bytes(field.span).unwrap_or_default().to_vec(),
            kind: Kind::of(&field),
            path: field.path.to_string(),
            text: format!("{}{equals}{}{}", note.ty, note.value, note.tail(lang)).trim().to_owned(),
        }
    });
    rows.filter(|row| row.path.starts_with(prefix)).collect()
}
