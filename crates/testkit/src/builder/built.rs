//! A written file: its bytes, and where each field of it lies.

use ggufkit_format::{Endian, Span};

/// A named place of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// The logical path: `kv[2].value[5]`.
    pub name: String,
    /// Where it is, absolutely.
    pub span: Span,
    /// Whether it is made of no other fields. The leaves tile the file.
    pub leaf: bool,
}

/// A file of the [`Builder`](super::Builder), to be read as it is or after exactly one field of it was broken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Built {
    bytes: Vec<u8>,
    fields: Vec<Field>,
    base: u64,
    endian: Endian,
}

impl AsRef<[u8]> for Built {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Built {
    pub(super) fn new(bytes: Vec<u8>, fields: Vec<Field>, base: u64, endian: Endian) -> Self {
        Self { bytes, fields, base, endian }
    }

    /// The whole source, what stands before the magic included.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes from the magic on: what a parser at [`Built::base`] is given.
    #[must_use]
    pub fn gguf(&self) -> &[u8] {
        &self.bytes[index(self.base)..]
    }

    /// The bytes without the names.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Length of the whole source.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Position of the magic.
    #[must_use]
    pub fn base(&self) -> u64 {
        self.base
    }

    /// Every named place, in the order of writing; a field comes after its parts.
    #[must_use]
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The leaf that holds the byte at `position`.
    #[must_use]
    pub fn leaf_at(&self, position: u64) -> Option<&Field> {
        self.fields.iter().find(|f| f.leaf && f.span.contains(position))
    }

    /// Where a field is, if there is one of this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Span> {
        self.fields.iter().find(|f| f.name == name).map(|f| f.span)
    }

    /// Where a field is. Panics with the names there are when there is none of this name.
    #[must_use]
    #[track_caller]
    pub fn span(&self, name: &str) -> Span {
        self.find(name).unwrap_or_else(|| {
            let names: Vec<&str> = self.fields.iter().take(60).map(|f| f.name.as_str()).collect();
            panic!("no field \"{name}\"; there are {names:?}")
        })
    }

    /// A field's bytes.
    #[must_use]
    #[track_caller]
    pub fn get(&self, name: &str) -> &[u8] {
        let span = self.span(name);
        &self.bytes[index(span.start)..index(span.end())]
    }

    /// A field of 1, 2, 4 or 8 bytes as a number.
    #[must_use]
    #[track_caller]
    pub fn get_u64(&self, name: &str) -> u64 {
        let bytes = self.get(name);
        assert!(bytes.len() <= 8, "\"{name}\" is no number");
        let fold = |n: u64, b: &u8| n << 8 | u64::from(*b);
        match self.endian {
            Endian::Big => bytes.iter().fold(0, fold),
            Endian::Little => bytes.iter().rev().fold(0, fold),
        }
    }

    /// Overwrites one field, byte for byte.
    #[track_caller]
    pub fn patch(&mut self, name: &str, bytes: impl AsRef<[u8]>) -> &mut Self {
        let (span, bytes) = (self.span(name), bytes.as_ref());
        assert_eq!(bytes.len() as u64, span.len, "\"{name}\" takes {} bytes", span.len);
        self.bytes[index(span.start)..index(span.end())].copy_from_slice(bytes);
        self
    }

    /// Overwrites one field of 1, 2, 4 or 8 bytes with a number, in the file's byte order.
    #[track_caller]
    pub fn set_u64(&mut self, name: &str, value: u64) -> &mut Self {
        let width = index(self.span(name).len);
        assert!(matches!(width, 1 | 2 | 4 | 8), "\"{name}\" is no number: {width} bytes");
        let big = value.to_be_bytes();
        assert!(big[..8 - width].iter().all(|&b| b == 0), "{value} does not fit \"{name}\": {width} bytes");
        let mut bytes = big[8 - width..].to_vec();
        if self.endian == Endian::Little {
            bytes.reverse();
        }
        self.patch(name, bytes)
    }

    /// Replaces one field by bytes of any length. Later fields move; a field that held it grows or shrinks with it.
    #[track_caller]
    pub fn splice(&mut self, name: &str, bytes: impl AsRef<[u8]>) -> &mut Self {
        let (span, bytes) = (self.span(name), bytes.as_ref());
        self.bytes.splice(index(span.start)..index(span.end()), bytes.iter().copied());
        let new = bytes.len() as u64;
        for field in &mut self.fields {
            let end = field.span.end();
            if field.name == name {
                field.span.len = new;
            } else if field.span.start >= span.end() {
                field.span.start = field.span.start - span.len + new;
            } else if field.span.start <= span.start && end >= span.end() {
                field.span.len = field.span.len - span.len + new;
            }
        }
        self
    }

    /// Ends the source at `len` bytes. Names of what is gone stay.
    pub fn truncate(&mut self, len: u64) -> &mut Self {
        self.bytes.truncate(index(len));
        self
    }
}

fn index(position: u64) -> usize {
    usize::try_from(position).expect("a position in memory")
}
