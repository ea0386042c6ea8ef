//! Layouts that are not GGUF and yet circulate under its name.
//!
//! Tutorials teach two mis-remembered layouts, and learners' files hold them. Each is a bundle of traits, and each trait
//! also occurs alone. A dialect is only ever read when it is asked for by name; guessing serves to *name* what a file
//! seems to be (see [`Dialect::CANDIDATES`]).

use alloc::string::String;
use core::fmt;

use crate::spec::ValueType;

/// The layout of a head: the standard one, or the standard one with some of its traits mis-written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Dialect {
    /// What follows the key-value count in the header.
    pub header: HeaderTrait,
    /// Whether one NUL, not counted in the length, follows every key, string value and tensor name.
    pub nul_strings: bool,
    /// Which numbers stand for which value types.
    pub type_ids: TypeIds,
    /// What an array's elements are preceded by.
    pub array_header: ArrayHeader,
    /// Whether a tensor's offset stands before its type.
    pub offset_before_type: bool,
}

/// What follows the counts in the header.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HeaderTrait {
    /// Nothing: the metadata follows.
    Standard,
    /// The alignment as u32, then this many bytes of padding (4 or 12), for a header of 32 or 40 bytes.
    Alignment {
        /// Padding after the alignment, in bytes.
        padding: u8,
    },
}

/// Numbering of the value types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TypeIds {
    /// As the format defines them, 0 to 12.
    Standard,
    /// 5 u64, 7 f16, 8 string, 9 bool, 10 array; 0 to 4 and 6 as the format defines them; nothing else.
    Short,
}

/// Layout of what precedes an array's elements.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArrayHeader {
    /// Element type as u32, count as u64 (u32 in version 1).
    Standard,
    /// Count as u64, element type as u32.
    CountFirst,
    /// Count as u32, element type as u32.
    ShortCountFirst,
    /// Element type as u32, count as u32.
    ShortCount,
}

impl Dialect {
    /// The format as specified.
    pub const STANDARD: Self = Self {
        header: HeaderTrait::Standard,
        nul_strings: false,
        type_ids: TypeIds::Standard,
        array_header: ArrayHeader::Standard,
        offset_before_type: false,
    };

    /// *padded-header*: alignment and padding in a 32-byte header, NUL-terminated strings, a tensor's offset before its
    /// type.
    pub const PADDED_HEADER: Self = Self {
        header: HeaderTrait::Alignment { padding: 4 },
        nul_strings: true,
        offset_before_type: true,
        ..Self::STANDARD
    };

    /// *padded-header-40*: as [`Dialect::PADDED_HEADER`] with a header of 40 bytes.
    pub const PADDED_HEADER_40: Self =
        Self { header: HeaderTrait::Alignment { padding: 12 }, ..Self::PADDED_HEADER };

    /// *short-ids*: other numbers for the value types, half-precision among them; arrays with a u32 count before the
    /// element type.
    pub const SHORT_IDS: Self =
        Self { type_ids: TypeIds::Short, array_header: ArrayHeader::ShortCountFirst, ..Self::STANDARD };

    /// *nul-strings*: only the NUL after every string.
    pub const NUL_STRINGS: Self = Self { nul_strings: true, ..Self::STANDARD };

    /// *offset-before-type*: only the swapped last fields of the tensor table.
    pub const OFFSET_BEFORE_TYPE: Self = Self { offset_before_type: true, ..Self::STANDARD };

    /// *array-count-first*: only the swapped array header, with its 64-bit count.
    pub const ARRAY_COUNT_FIRST: Self = Self { array_header: ArrayHeader::CountFirst, ..Self::STANDARD };

    /// *array-count32-first*: only the array header of *short-ids*: u32 count, then u32 element type.
    pub const ARRAY_COUNT32_FIRST: Self =
        Self { array_header: ArrayHeader::ShortCountFirst, ..Self::STANDARD };

    /// *array-count32*: element type, then a u32 count.
    pub const ARRAY_COUNT32: Self = Self { array_header: ArrayHeader::ShortCount, ..Self::STANDARD };

    /// The mis-written layouts by name, in the order in which they are tried on a file that the standard reading
    /// refuses: the ones with most traits first, so that a bundle is not taken for one of its parts.
    pub const CANDIDATES: &'static [(&'static str, Self)] = &[
        ("padded-header", Self::PADDED_HEADER),
        ("padded-header-40", Self::PADDED_HEADER_40),
        ("short-ids", Self::SHORT_IDS),
        ("nul-strings", Self::NUL_STRINGS),
        ("offset-before-type", Self::OFFSET_BEFORE_TYPE),
        ("array-count-first", Self::ARRAY_COUNT_FIRST),
        ("array-count32-first", Self::ARRAY_COUNT32_FIRST),
        ("array-count32", Self::ARRAY_COUNT32),
    ];

    /// The dialect of this name: `standard`, or a name of [`Dialect::CANDIDATES`].
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        if name == "standard" {
            return Some(Self::STANDARD);
        }
        Self::CANDIDATES.iter().find(|(n, _)| *n == name).map(|(_, d)| *d)
    }

    /// The name, where this combination of traits has one.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        if *self == Self::STANDARD {
            return Some("standard");
        }
        Self::CANDIDATES.iter().find(|(_, d)| d == self).map(|(n, _)| *n)
    }

    /// What gives the dialect away, in words: each trait that differs from the format.
    #[must_use]
    pub fn traits(&self) -> alloc::vec::Vec<&'static str> {
        let mut out = alloc::vec::Vec::new();
        match self.header {
            HeaderTrait::Standard => {}
            HeaderTrait::Alignment { padding: 4 } => out.push("a 32-byte header that holds the alignment"),
            HeaderTrait::Alignment { .. } => out.push("a 40-byte header that holds the alignment"),
        }
        if self.nul_strings {
            out.push("a NUL after every string");
        }
        if self.type_ids == TypeIds::Short {
            out.push("value type ids 5 u64, 7 f16, 8 string, 9 bool, 10 array");
        }
        match self.array_header {
            ArrayHeader::Standard => {}
            ArrayHeader::CountFirst => out.push("an array's u64 count before its element type"),
            ArrayHeader::ShortCountFirst => out.push("an array's u32 count before its element type"),
            ArrayHeader::ShortCount => out.push("an array's count as u32"),
        }
        if self.offset_before_type {
            out.push("a tensor's offset before its type");
        }
        out
    }

    /// The value type that `id` stands for; an unknown id is returned as it is.
    #[must_use]
    pub const fn value_type(&self, id: u32) -> ValueType {
        match (self.type_ids, id) {
            (TypeIds::Short, 5) => ValueType::UINT64,
            (TypeIds::Short, 7) => ValueType::FLOAT16,
            (TypeIds::Short, 9) => ValueType::BOOL,
            (TypeIds::Short, 10) => ValueType::ARRAY,
            // Ids of the format that this numbering does not define; they must not be taken for the format's.
            (TypeIds::Short, 11 | 12) => ValueType(u32::MAX),
            // The stand-in for half precision is ours; a file that holds this number means nothing by it.
            (_, id) if id == ValueType::FLOAT16.0 => ValueType(u32::MAX),
            _ => ValueType(id),
        }
    }
}

impl Default for Dialect {
    fn default() -> Self {
        Self::STANDARD
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => f.write_str(&self.traits().join(", ")),
        }
    }
}

/// A dialect's own description, for errors: its name and its traits.
#[must_use]
pub fn describe(dialect: &Dialect) -> String {
    alloc::format!("{dialect} ({})", dialect.traits().join("; "))
}
