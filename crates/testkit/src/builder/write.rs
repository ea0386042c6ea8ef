//! Bytes from a document, field by field, straight from the specification.

use ggufkit_format::dialect::{ArrayHeader, HeaderTrait};
use ggufkit_format::{Endian, Span};

use super::built::{Built, Field};
use super::{Builder, Kind, Tensor, Value};

/// Farthest place at which a tensor's data is written; a record may point farther.
const FARTHEST: u64 = 16 << 20;

/// `position` rounded up. An alignment of 0 means none.
pub(super) fn align(position: u64, alignment: u64) -> u64 {
    if alignment == 0 { position } else { position.div_ceil(alignment) * alignment }
}

struct Writer<'a> {
    of: &'a Builder,
    bytes: Vec<u8>,
    fields: Vec<Field>,
}

pub(super) fn file(of: &Builder) -> Built {
    let mut writer = Writer { of, bytes: Vec::new(), fields: Vec::new() };
    writer.write();
    let Writer { bytes, fields, .. } = writer;
    Built::new(bytes, fields, of.prefix.len() as u64, of.endian)
}

impl Writer<'_> {
    fn at(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Appends a leaf field.
    fn put(&mut self, name: impl Into<String>, bytes: &[u8]) {
        let span = Span::new(self.at(), bytes.len() as u64);
        self.fields.push(Field { name: name.into(), span, leaf: true });
        self.bytes.extend_from_slice(bytes);
    }

    /// Names what was written since `start`.
    fn name(&mut self, name: impl Into<String>, start: u64) {
        let span = Span::between(start, self.at());
        self.fields.push(Field { name: name.into(), span, leaf: false });
    }

    fn u32(&mut self, name: impl Into<String>, v: u32) {
        let bytes = match self.of.endian {
            Endian::Little => v.to_le_bytes(),
            Endian::Big => v.to_be_bytes(),
        };
        self.put(name, &bytes);
    }

    fn u64(&mut self, name: impl Into<String>, v: u64) {
        let bytes = match self.of.endian {
            Endian::Little => v.to_le_bytes(),
            Endian::Big => v.to_be_bytes(),
        };
        self.put(name, &bytes);
    }

    /// A count or length: 32 bits in version 1, 64 after it.
    fn length(&mut self, name: impl Into<String>, v: u64) {
        if self.of.version == 1 {
            self.u32(name, u32::try_from(v).expect("version 1 has 32-bit lengths"));
        } else {
            self.u64(name, v);
        }
    }

    /// `length`, bytes, and the NUL of the layouts that write one.
    fn string(&mut self, name: &str, bytes: &[u8]) {
        self.length(format!("{name}.length"), bytes.len() as u64);
        self.put(name, bytes);
        if self.of.dialect.nul_strings {
            self.put(format!("{name}.nul"), &[0]);
        }
    }

    fn write(&mut self) {
        let of = self.of;
        if !of.prefix.is_empty() {
            self.put("prefix", &of.prefix);
        }
        self.header();
        for (i, (key, value)) in of.kvs.iter().enumerate() {
            let (start, path) = (self.at(), format!("kv[{i}]"));
            self.string(&format!("{path}.key"), key);
            let type_id = match value {
                Value::Raw { type_id, .. } => *type_id,
                value => value.kind().expect("only raw bytes have no kind").id(of.dialect.type_ids),
            };
            self.u32(format!("{path}.type"), type_id);
            self.value(&format!("{path}.value"), value);
            self.name(path, start);
        }
        let offsets = of.offsets();
        for (i, (tensor, offset)) in of.tensors.iter().zip(&offsets).enumerate() {
            self.record(&format!("tensors[{i}]"), tensor, *offset);
        }
        let base = of.prefix.len() as u64;
        self.name("head", base);
        if of.head_padding {
            let head = self.at() - base;
            let gap = align(head, of.alignment) - head;
            if gap > 0 {
                self.put("padding", &vec![0; usize::try_from(gap).expect("padding fits in memory")]);
            }
        }
        if of.data {
            self.section(&offsets);
        }
        if !of.trailing.is_empty() {
            self.put("trailing", &of.trailing);
        }
    }

    fn header(&mut self) {
        let of = self.of;
        let start = self.at();
        self.put("header.magic", b"GGUF");
        self.u32("header.version", of.version);
        self.length("header.tensor_count", of.tensors.len() as u64);
        self.length("header.kv_count", of.kvs.len() as u64);
        if let HeaderTrait::Alignment { padding } = of.dialect.header {
            self.u32("header.alignment", u32::try_from(of.alignment).expect("a 32-bit alignment"));
            self.put("header.padding", &vec![0; padding.into()]);
        }
        self.name("header", start);
    }

    fn value(&mut self, path: &str, value: &Value) {
        macro_rules! number {
            ($v:expr) => {
                match self.of.endian {
                    Endian::Little => self.put(path, &$v.to_le_bytes()),
                    Endian::Big => self.put(path, &$v.to_be_bytes()),
                }
            };
        }
        match value {
            Value::U8(v) | Value::Bool(v) => self.put(path, &[*v]),
            Value::I8(v) => number!(v),
            Value::U16(v) | Value::F16(v) => number!(v),
            Value::I16(v) => number!(v),
            Value::U32(v) => number!(v),
            Value::I32(v) => number!(v),
            Value::F32(v) => number!(v),
            Value::U64(v) => number!(v),
            Value::I64(v) => number!(v),
            Value::F64(v) => number!(v),
            Value::String(bytes) => self.string(path, bytes),
            Value::Raw { bytes, .. } => self.put(path, bytes),
            Value::Array(kind, items) => self.array(path, *kind, items),
        }
    }

    fn array(&mut self, path: &str, kind: Kind, items: &[Value]) {
        let start = self.at();
        let ty = kind.id(self.of.dialect.type_ids);
        let count = items.len() as u64;
        let short = u32::try_from(count).expect("fewer than 2^32 elements");
        let (ty_name, count_name) = (format!("{path}.element_type"), format!("{path}.count"));
        match self.of.dialect.array_header {
            ArrayHeader::Standard => {
                self.u32(ty_name, ty);
                self.length(count_name, count);
            }
            ArrayHeader::CountFirst => {
                self.length(count_name, count);
                self.u32(ty_name, ty);
            }
            ArrayHeader::ShortCountFirst => {
                self.u32(count_name, short);
                self.u32(ty_name, ty);
            }
            ArrayHeader::ShortCount => {
                self.u32(ty_name, ty);
                self.u32(count_name, short);
            }
        }
        for (i, item) in items.iter().enumerate() {
            assert_eq!(item.kind(), Some(kind), "{path}[{i}] is not of the array's type");
            self.value(&format!("{path}[{i}]"), item);
        }
        self.name(path, start);
    }

    fn record(&mut self, path: &str, tensor: &Tensor, offset: u64) {
        let start = self.at();
        self.string(&format!("{path}.name"), &tensor.name);
        self.u32(format!("{path}.n_dims"), u32::try_from(tensor.dims.len()).expect("fewer than 2^32"));
        for (i, &dim) in tensor.dims.iter().enumerate() {
            self.length(format!("{path}.dims[{i}]"), dim);
        }
        if self.of.dialect.offset_before_type {
            self.u64(format!("{path}.offset"), offset);
            self.u32(format!("{path}.type"), tensor.type_id);
        } else {
            self.u32(format!("{path}.type"), tensor.type_id);
            self.u64(format!("{path}.offset"), offset);
        }
        self.name(path, start);
    }

    /// The data section: each tensor at its offset, gaps zero. Tensors may overlap; the later one's bytes stay.
    fn section(&mut self, offsets: &[u64]) {
        let of = self.of;
        let start = self.at();
        let mut places: Vec<(u64, u64, usize)> = Vec::new();
        for (i, (tensor, &offset)) in of.tensors.iter().zip(offsets).enumerate() {
            if offset <= FARTHEST {
                places.push((offset, tensor.data.len() as u64, i));
            }
        }
        let end = places.iter().map(|(offset, len, _)| offset + len).max().unwrap_or(0);
        let padded = if of.final_padding { align(end, of.alignment) } else { end };
        let mut section = vec![0; usize::try_from(padded).expect("a small section")];
        for &(offset, len, i) in &places {
            let from = usize::try_from(offset).expect("bounded above");
            let to = from + usize::try_from(len).expect("in memory");
            section[from..to].copy_from_slice(&of.tensors[i].data);
        }
        self.bytes.extend_from_slice(&section);
        places.sort_unstable();
        let mut covered = 0;
        for &(offset, len, i) in &places {
            if offset > covered {
                self.gap(i, start + covered, offset - covered);
            }
            // Where tensors overlap, only the part that nobody covered yet is a leaf: leaves tile the file.
            let leaf = offset >= covered;
            let span = Span::new(start + offset, len);
            self.fields.push(Field { name: format!("tensors[{i}].data"), span, leaf });
            if !leaf && offset + len > covered {
                let span = Span::between(start + covered, start + offset + len);
                self.fields.push(Field { name: format!("tensors[{i}].data.rest"), span, leaf: true });
            }
            covered = covered.max(offset + len);
        }
        if padded > covered {
            self.gap(places.len(), start + covered, padded - covered);
        }
        self.name("data", start);
    }

    /// Bytes of the data section before the tensor `i` that belong to no tensor.
    fn gap(&mut self, i: usize, at: u64, len: u64) {
        self.fields.push(Field { name: format!("data.padding[{i}]"), span: Span::new(at, len), leaf: true });
    }
}
