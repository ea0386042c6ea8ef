//! Types of metadata values (`gguf_type`): ids, names and widths.
//!
//! Source: the `gguf_metadata_value_type` table of the GGUF specification. Key-value records and array heads
//! carry these ids as a `u32`.

use core::fmt;

use super::{Lang, Text};

/// The id of a metadata value's type, as stored in a file.
///
/// Any number is representable: an id that the specification does not define is kept as it is and shows as
/// `unknown(99)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueType(pub u32);

impl ValueType {
    /// 8-bit unsigned integer.
    pub const UINT8: Self = Self(0);
    /// 8-bit signed integer.
    pub const INT8: Self = Self(1);
    /// 16-bit unsigned integer.
    pub const UINT16: Self = Self(2);
    /// 16-bit signed integer.
    pub const INT16: Self = Self(3);
    /// 32-bit unsigned integer.
    pub const UINT32: Self = Self(4);
    /// 32-bit signed integer.
    pub const INT32: Self = Self(5);
    /// IEEE 754 binary32.
    pub const FLOAT32: Self = Self(6);
    /// One byte, 0 for false and 1 for true.
    pub const BOOL: Self = Self(7);
    /// A length (`u64`) and that many bytes, meant to be UTF-8, without terminator.
    pub const STRING: Self = Self(8);
    /// An element type (`u32`), a count (`u64`) and that many elements.
    pub const ARRAY: Self = Self(9);
    /// 64-bit unsigned integer.
    pub const UINT64: Self = Self(10);
    /// 64-bit signed integer.
    pub const INT64: Self = Self(11);
    /// IEEE 754 binary64.
    pub const FLOAT64: Self = Self(12);

    /// IEEE 754 binary16: **not a GGUF type**, and never an id in a well-formed file.
    ///
    /// Some writers used their own numbering of value types (the "short-ids" layout), which has a 16-bit
    /// float that the specification lacks. A reader of that layout translates the numbers it finds to the
    /// constants of this type, and this one stands for the missing 16-bit float. The number has the top bit
    /// set so that it is far from every id that the specification defines or will plausibly define.
    ///
    /// [`is_known`](Self::is_known) is `false` for it. A reader of the standard layout must ask `is_known`
    /// before [`fixed_size`](Self::fixed_size), and so treats a file that claims this very number as holding
    /// an unknown type.
    pub const FLOAT16: Self = Self(0x8000_0001);

    /// The thirteen types that the specification defines, in the order of their ids.
    pub const ALL: [ValueType; 13] = [
        Self::UINT8,
        Self::INT8,
        Self::UINT16,
        Self::INT16,
        Self::UINT32,
        Self::INT32,
        Self::FLOAT32,
        Self::BOOL,
        Self::STRING,
        Self::ARRAY,
        Self::UINT64,
        Self::INT64,
        Self::FLOAT64,
    ];

    /// Whether the specification defines this id (0 to 12).
    pub const fn is_known(self) -> bool {
        self.0 <= Self::FLOAT64.0
    }

    /// Bytes that one value of this type takes, if that is the same for all values.
    ///
    /// `None` for strings and arrays, whose size stands in the file, and for unknown ids.
    pub const fn fixed_size(self) -> Option<u64> {
        match self {
            Self::UINT8 | Self::INT8 | Self::BOOL => Some(1),
            Self::UINT16 | Self::INT16 | Self::FLOAT16 => Some(2),
            Self::UINT32 | Self::INT32 | Self::FLOAT32 => Some(4),
            Self::UINT64 | Self::INT64 | Self::FLOAT64 => Some(8),
            _ => None,
        }
    }

    /// Short name as used in queries and dumps: `u32`, `string`, `array`, …
    pub fn name(self) -> Option<&'static str> {
        self.row().map(|r| r.name)
    }

    /// Name in the specification: `UINT32`, `STRING`, `ARRAY`, …
    pub fn spec_name(self) -> Option<&'static str> {
        self.row().map(|r| r.spec_name)
    }

    /// The type with this name: a short name, a specification name, or `str`/`arr` as ggml prints them.
    ///
    /// Upper and lower case are the same.
    pub fn from_name(name: &str) -> Option<Self> {
        let alias = if name.eq_ignore_ascii_case("str") {
            "string"
        } else if name.eq_ignore_ascii_case("arr") {
            "array"
        } else {
            name
        };
        ROWS.iter()
            .find(|r| r.name.eq_ignore_ascii_case(alias) || r.spec_name.eq_ignore_ascii_case(alias))
            .map(|r| r.ty)
    }

    /// What the type is, in one sentence.
    pub fn meaning(self, lang: Lang) -> &'static str {
        self.row().map_or(UNKNOWN, |r| r.meaning).get(lang)
    }

    fn row(self) -> Option<&'static Row> {
        if self == Self::FLOAT16 {
            return ROWS.last();
        }
        if !self.is_known() {
            return None;
        }
        ROWS.get(usize::try_from(self.0).ok()?)
    }
}

impl fmt::Display for ValueType {
    /// The short name, or `unknown(99)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.pad(name),
            None => write!(f, "unknown({})", self.0),
        }
    }
}

struct Row {
    ty: ValueType,
    name: &'static str,
    spec_name: &'static str,
    meaning: Text,
}

const fn row(
    ty: ValueType,
    name: &'static str,
    spec_name: &'static str,
    en: &'static str,
    zh: &'static str,
) -> Row {
    Row { ty, name, spec_name, meaning: Text::new(en, zh) }
}

const UNKNOWN: Text = Text::new(
    "An id that the GGUF specification does not define; its size is unknown, so nothing after it can be \
     located.",
    "GGUF 规范未定义的类型编号；它的长度无从得知，因此其后的内容都无法定位。",
);

/// Rows 0 to 12 stand at the index of their id; the last row is the pseudo-type.
static ROWS: [Row; 14] = [
    row(
        ValueType::UINT8,
        "u8",
        "UINT8",
        "An unsigned integer of 1 byte, 0 to 255.",
        "1 字节无符号整数，0 到 255。",
    ),
    row(
        ValueType::INT8,
        "i8",
        "INT8",
        "A signed integer of 1 byte, -128 to 127.",
        "1 字节有符号整数，-128 到 127。",
    ),
    row(
        ValueType::UINT16,
        "u16",
        "UINT16",
        "An unsigned integer of 2 bytes, 0 to 65535.",
        "2 字节无符号整数，0 到 65535。",
    ),
    row(
        ValueType::INT16,
        "i16",
        "INT16",
        "A signed integer of 2 bytes, -32768 to 32767.",
        "2 字节有符号整数，-32768 到 32767。",
    ),
    row(
        ValueType::UINT32,
        "u32",
        "UINT32",
        "An unsigned integer of 4 bytes; the usual type of sizes, counts and token ids.",
        "4 字节无符号整数；尺寸、数量和词元编号通常用它。",
    ),
    row(ValueType::INT32, "i32", "INT32", "A signed integer of 4 bytes.", "4 字节有符号整数。"),
    row(
        ValueType::FLOAT32,
        "f32",
        "FLOAT32",
        "A floating-point number of 4 bytes (IEEE 754 single precision).",
        "4 字节浮点数（IEEE 754 单精度）。",
    ),
    row(
        ValueType::BOOL,
        "bool",
        "BOOL",
        "One byte: 0 is false, 1 is true, any other value is invalid.",
        "1 个字节：0 为假，1 为真，其他取值无效。",
    ),
    row(
        ValueType::STRING,
        "string",
        "STRING",
        "A byte length and that many bytes of UTF-8 text, without a terminating zero.",
        "先是字节长度，后面是等长的 UTF-8 文本，没有结尾的零字节。",
    ),
    row(
        ValueType::ARRAY,
        "array",
        "ARRAY",
        "An element type, a count and that many elements of that one type.",
        "先是元素类型和元素个数，后面依次是这些同类型的元素。",
    ),
    row(ValueType::UINT64, "u64", "UINT64", "An unsigned integer of 8 bytes.", "8 字节无符号整数。"),
    row(ValueType::INT64, "i64", "INT64", "A signed integer of 8 bytes.", "8 字节有符号整数。"),
    row(
        ValueType::FLOAT64,
        "f64",
        "FLOAT64",
        "A floating-point number of 8 bytes (IEEE 754 double precision).",
        "8 字节浮点数（IEEE 754 双精度）。",
    ),
    row(
        ValueType::FLOAT16,
        "f16",
        "FLOAT16",
        "A floating-point number of 2 bytes; not a GGUF type, met only in files with the mis-written \
         short-ids layout.",
        "2 字节浮点数；它不是 GGUF 类型，只出现在类型编号被写错的 short-ids 布局文件里。",
    ),
];

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    /// Typed from the specification, independently of the table above.
    const EXPECTED: [(u32, &str, &str, Option<u64>); 13] = [
        (0, "u8", "UINT8", Some(1)),
        (1, "i8", "INT8", Some(1)),
        (2, "u16", "UINT16", Some(2)),
        (3, "i16", "INT16", Some(2)),
        (4, "u32", "UINT32", Some(4)),
        (5, "i32", "INT32", Some(4)),
        (6, "f32", "FLOAT32", Some(4)),
        (7, "bool", "BOOL", Some(1)),
        (8, "string", "STRING", None),
        (9, "array", "ARRAY", None),
        (10, "u64", "UINT64", Some(8)),
        (11, "i64", "INT64", Some(8)),
        (12, "f64", "FLOAT64", Some(8)),
    ];

    #[test]
    fn ids_names_and_sizes_are_those_of_the_specification() {
        for (i, (id, name, spec_name, size)) in EXPECTED.into_iter().enumerate() {
            let ty = ValueType(id);
            assert_eq!(ValueType::ALL[i], ty);
            assert!(ty.is_known());
            assert_eq!(ty.name(), Some(name));
            assert_eq!(ty.spec_name(), Some(spec_name));
            assert_eq!(ty.fixed_size(), size);
            assert_eq!(ty.to_string(), name);
            assert_eq!(ValueType::from_name(name), Some(ty));
            assert_eq!(ValueType::from_name(spec_name), Some(ty));
            assert!(!ty.meaning(Lang::En).is_empty() && !ty.meaning(Lang::Zh).is_empty());
        }
    }

    #[test]
    fn unknown_ids_are_data() {
        for id in [13, 99, 0x0400_0000, u32::MAX] {
            let ty = ValueType(id);
            assert!(!ty.is_known());
            assert_eq!(ty.fixed_size(), None);
            assert_eq!(ty.name(), None);
            assert_eq!(ty.to_string(), alloc::format!("unknown({id})"));
        }
        assert_eq!(ValueType::from_name("u33"), None);
        assert_eq!(ValueType::from_name("Str"), Some(ValueType::STRING));
    }

    #[test]
    fn half_float_is_nameable_but_not_a_file_id() {
        assert!(!ValueType::FLOAT16.is_known());
        assert_eq!(ValueType::FLOAT16.fixed_size(), Some(2));
        assert_eq!(ValueType::FLOAT16.to_string(), "f16");
        assert_eq!(ValueType::from_name("f16"), Some(ValueType::FLOAT16));
        assert!(!ValueType::ALL.contains(&ValueType::FLOAT16));
    }
}
