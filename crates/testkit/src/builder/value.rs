//! Metadata values to be written, and the ids of their types.

use ggufkit_format::dialect::TypeIds;

/// A value's type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names of the specification's table")]
pub enum Kind {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    F32,
    Bool,
    String,
    Array,
    U64,
    I64,
    F64,
    /// Half precision: has a number only in the *short-ids* layout.
    F16,
}

impl Kind {
    /// The thirteen types of the specification, by id.
    pub const ALL: [Self; 13] = [
        Self::U8,
        Self::I8,
        Self::U16,
        Self::I16,
        Self::U32,
        Self::I32,
        Self::F32,
        Self::Bool,
        Self::String,
        Self::Array,
        Self::U64,
        Self::I64,
        Self::F64,
    ];

    /// The types that the *short-ids* layout can write.
    pub const SHORT: [Self; 11] = [
        Self::U8,
        Self::I8,
        Self::U16,
        Self::I16,
        Self::U32,
        Self::U64,
        Self::F32,
        Self::F16,
        Self::String,
        Self::Bool,
        Self::Array,
    ];

    /// The number in the file. Panics where the numbering has none: such a file cannot be written.
    #[must_use]
    pub fn id(self, ids: TypeIds) -> u32 {
        let place = match ids {
            TypeIds::Standard => Self::ALL.iter().position(|&k| k == self),
            // 5 u64, 7 f16, 8 string, 9 bool, 10 array: SHORT is in the order of its numbers, all from 0 to 10.
            TypeIds::Short => Self::SHORT.iter().position(|&k| k == self),
        };
        let place = place.unwrap_or_else(|| panic!("{self:?} has no id in the numbering {ids:?}"));
        u32::try_from(place).expect("a small number")
    }

    /// Bytes of a value, where they are the same for all.
    #[must_use]
    pub const fn width(self) -> Option<u64> {
        Some(match self {
            Self::U8 | Self::I8 | Self::Bool => 1,
            Self::U16 | Self::I16 | Self::F16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
            Self::String | Self::Array => return None,
        })
    }
}

/// A value to be written.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "one for each type")]
pub enum Value {
    U8(u8),
    I8(i8),
    U16(u16),
    I16(i16),
    U32(u32),
    I32(i32),
    F32(f32),
    /// The byte as it shall stand in the file; 0 and 1 are the legal ones.
    Bool(u8),
    String(Vec<u8>),
    /// Elements, all of one kind. Elements of kind array may differ among themselves.
    Array(Kind, Vec<Value>),
    U64(u64),
    I64(i64),
    F64(f64),
    /// Half precision, by its bits.
    F16(u16),
    /// Any type id with any bytes after it.
    Raw {
        type_id: u32,
        bytes: Vec<u8>,
    },
}

impl Value {
    /// The type; `None` for raw bytes.
    #[must_use]
    pub const fn kind(&self) -> Option<Kind> {
        Some(match self {
            Self::U8(_) => Kind::U8,
            Self::I8(_) => Kind::I8,
            Self::U16(_) => Kind::U16,
            Self::I16(_) => Kind::I16,
            Self::U32(_) => Kind::U32,
            Self::I32(_) => Kind::I32,
            Self::F32(_) => Kind::F32,
            Self::Bool(_) => Kind::Bool,
            Self::String(_) => Kind::String,
            Self::Array(..) => Kind::Array,
            Self::U64(_) => Kind::U64,
            Self::I64(_) => Kind::I64,
            Self::F64(_) => Kind::F64,
            Self::F16(_) => Kind::F16,
            Self::Raw { .. } => return None,
        })
    }

    /// An array without elements.
    #[must_use]
    pub const fn empty(kind: Kind) -> Self {
        Self::Array(kind, Vec::new())
    }

    /// An array of arrays.
    #[must_use]
    pub fn nested(arrays: impl IntoIterator<Item = Value>) -> Self {
        Self::Array(Kind::Array, arrays.into_iter().collect())
    }

    /// An array of strings that need not be UTF-8.
    #[must_use]
    pub fn strings<S: AsRef<[u8]>>(strings: impl IntoIterator<Item = S>) -> Self {
        Self::Array(Kind::String, strings.into_iter().map(|s| Self::String(s.as_ref().to_vec())).collect())
    }

    /// A value of this kind, the smallest there is: 0, an empty string, an empty array of u32.
    #[must_use]
    pub fn zero(kind: Kind) -> Self {
        match kind {
            Kind::U8 => Self::U8(0),
            Kind::I8 => Self::I8(0),
            Kind::U16 => Self::U16(0),
            Kind::I16 => Self::I16(0),
            Kind::U32 => Self::U32(0),
            Kind::I32 => Self::I32(0),
            Kind::F32 => Self::F32(0.0),
            Kind::Bool => Self::Bool(0),
            Kind::String => Self::String(Vec::new()),
            Kind::Array => Self::empty(Kind::U32),
            Kind::U64 => Self::U64(0),
            Kind::I64 => Self::I64(0),
            Kind::F64 => Self::F64(0.0),
            Kind::F16 => Self::F16(0),
        }
    }
}

macro_rules! from_numbers {
    ($($ty:ty => $variant:ident),* $(,)?) => {
        $(
            impl From<$ty> for Value {
                fn from(v: $ty) -> Self {
                    Self::$variant(v)
                }
            }
            impl From<Vec<$ty>> for Value {
                fn from(v: Vec<$ty>) -> Self {
                    Self::Array(Kind::$variant, v.into_iter().map(Self::$variant).collect())
                }
            }
        )*
    };
}

from_numbers! {
    u8 => U8, i8 => I8, u16 => U16, i16 => I16, u32 => U32, i32 => I32, u64 => U64, i64 => I64, f32 => F32, f64 => F64,
}

impl From<bool> for Value {
    fn from(v: bool) -> Self {
        Self::Bool(v.into())
    }
}

impl From<Vec<bool>> for Value {
    fn from(v: Vec<bool>) -> Self {
        Self::Array(Kind::Bool, v.into_iter().map(Self::from).collect())
    }
}

impl From<&str> for Value {
    fn from(v: &str) -> Self {
        Self::String(v.into())
    }
}

impl From<String> for Value {
    fn from(v: String) -> Self {
        Self::String(v.into())
    }
}

impl From<Vec<&str>> for Value {
    fn from(v: Vec<&str>) -> Self {
        Self::strings(v)
    }
}

impl From<Vec<String>> for Value {
    fn from(v: Vec<String>) -> Self {
        Self::strings(v)
    }
}
