//! What stops a reading, split by who must act.

use alloc::boxed::Box;
use core::fmt;

use crate::dialect::Dialect;
use crate::path::Path;
use crate::spec::ValueType;
use crate::text::{shorten, spaced_hex};

/// Who must act on an error.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fault {
    /// The file is wrong.
    Malformed,
    /// The file may be right, and this reader does not know its kind.
    Unsupported,
    /// A budget of [`Limits`](crate::Limits) was met; raising it lets the reading go on.
    Limit,
}

/// Why the next item of the head could not be located.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// The bytes end inside an item.
    UnexpectedEnd {
        /// Bytes that the item needs.
        needed: u64,
        /// Bytes that are there.
        remaining: u64,
    },
    /// A declared length or count cannot be backed by the bytes that are left.
    TooLarge {
        /// What was declared: "length", "count".
        what: &'static str,
        /// The declared number.
        declared: u64,
        /// The fewest bytes that this many items take (saturating).
        needed: u64,
        /// Bytes that are left in the source.
        remaining: u64,
    },
    /// The first four bytes are not `GGUF`.
    BadMagic {
        /// The bytes found.
        found: [u8; 4],
    },
    /// A version that never existed, or that is newer than this reader.
    BadVersion {
        /// The version, in the byte order that makes sense of it.
        found: u32,
    },
    /// A value type that this layout does not define, so that the length of what follows is unknown.
    UnknownValueType {
        /// The id in the file.
        id: u32,
        /// Whether it stands as an array's element type.
        element: bool,
    },
    /// `general.alignment` does not allow the data section to be located.
    BadAlignment {
        /// The type of the value.
        value_type: ValueType,
        /// The value, where it is an integer.
        value: Option<i128>,
    },
    /// A position does not fit in 64 bits.
    Overflow {
        /// What was being computed.
        what: &'static str,
    },
    /// A string lacks the NUL that the dialect puts after it.
    MissingNul {
        /// The byte found there.
        found: u8,
    },
    /// Something legal yet implausible, refused only while a dialect is being guessed.
    Implausible {
        /// What is implausible.
        what: &'static str,
    },
    /// A budget was met.
    Limit {
        /// What is limited.
        what: &'static str,
        /// The value in the file.
        value: u64,
        /// The limit in force.
        limit: u64,
        /// The field of [`Limits`](crate::Limits) that raises it, which is also the name of the command's option.
        option: &'static str,
    },
}

/// An error that ends the reading of a head: where, in which field, what was needed, what was there.
///
/// What was read before the error stays available in the [`Outcome`](crate::Outcome).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError(Box<Inner>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct Inner {
    offset: u64,
    path: Path,
    reason: Reason,
    name: Option<Box<[u8]>>,
    dialect: Dialect,
    declared: Option<(&'static str, u64)>,
}

impl ParseError {
    /// An error at `offset`, in the field `path`.
    #[must_use]
    pub fn new(offset: u64, path: Path, reason: Reason) -> Self {
        Self(Box::new(Inner { offset, path, reason, name: None, dialect: Dialect::STANDARD, declared: None }))
    }

    /// Adds the key or tensor name that the field belongs to.
    #[must_use]
    pub fn with_name(mut self, name: &[u8]) -> Self {
        if self.0.name.is_none() {
            self.0.name = Some(name.get(..256).unwrap_or(name).into());
        }
        self
    }

    pub(crate) fn with_dialect(mut self, dialect: Dialect) -> Self {
        self.0.dialect = dialect;
        self
    }

    /// Adds the count of the header that promised the missing item.
    pub(crate) fn with_declared(mut self, what: &'static str, count: u64) -> Self {
        self.0.declared = Some((what, count));
        self
    }

    /// Who must act.
    #[must_use]
    pub fn fault(&self) -> Fault {
        match &self.0.reason {
            Reason::Limit { .. } => Fault::Limit,
            Reason::BadVersion { found } if *found > 3 => Fault::Unsupported,
            _ => Fault::Malformed,
        }
    }

    /// Absolute position of the item that could not be read.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.0.offset
    }

    /// The field that was being read.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// What happened.
    #[must_use]
    pub fn reason(&self) -> &Reason {
        &self.0.reason
    }

    /// The key or tensor name that the field belongs to, where it was read; at most its first 256 bytes.
    #[must_use]
    pub fn name(&self) -> Option<&[u8]> {
        self.0.name.as_deref()
    }

    /// The dialect in which the reading was tried.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.0.dialect
    }

    /// A short stable word for the kind of error, for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match &self.0.reason {
            Reason::UnexpectedEnd { .. } => "unexpected-end",
            Reason::TooLarge { .. } => "declared-too-large",
            Reason::BadMagic { .. } => "bad-magic",
            Reason::BadVersion { .. } => "bad-version",
            Reason::UnknownValueType { .. } => "unknown-value-type",
            Reason::BadAlignment { .. } => "bad-alignment",
            Reason::Overflow { .. } => "overflow",
            Reason::MissingNul { .. } => "missing-nul",
            Reason::Implausible { .. } => "implausible",
            Reason::Limit { .. } => "limit",
        }
    }

    /// What the user can do, where there is something to say.
    #[must_use]
    pub fn help(&self) -> Option<alloc::string::String> {
        use alloc::format;
        Some(match &self.0.reason {
            Reason::UnexpectedEnd { .. } | Reason::TooLarge { .. } => {
                "the file may be a partial download: compare its size with the publisher's, and fetch it again".into()
            }
            Reason::BadVersion { found } if *found > 3 => {
                format!("versions 1, 2 and 3 are read; version {found} needs a newer ggufkit")
            }
            Reason::BadVersion { .. } => "the field holds 1, 2 or 3 in every GGUF file".into(),
            Reason::UnknownValueType { .. } => {
                "ids 0 to 12 are defined; the length of another type is unknown, so nothing after it can be located"
                    .into()
            }
            Reason::BadAlignment { .. } => "general.alignment holds a positive u32, a power of two; 32 when absent".into(),
            Reason::Limit { option, .. } => format!("raise the limit with --{}", option.replace('_', "-")),
            _ => return None,
        })
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { offset, path, reason, name, declared, dialect } = &*self.0;
        let place = |f: &mut fmt::Formatter<'_>| {
            write!(f, "{path}")?;
            match name {
                Some(name) => write!(f, " \"{}\"", shorten(name, 80)),
                None => Ok(()),
            }
        };
        match reason {
            Reason::UnexpectedEnd { needed, remaining } => {
                f.write_str("unexpected end of file reading ")?;
                place(f)?;
                write!(f, ": need {}, {remaining} remain", Bytes(*needed))?;
            }
            Reason::TooLarge { what, declared, needed, remaining } => {
                place(f)?;
                write!(
                    f,
                    " declares {what} {declared}, which takes {}{}; {remaining} remain",
                    // Of a sum that is beyond all numbers "more than" is said already.
                    if *needed == u64::MAX { "" } else { "at least " },
                    Bytes(*needed)
                )?;
            }
            Reason::BadMagic { found } => {
                write!(f, "not a GGUF file: magic is \"{}\"", shorten(found, 16))?;
                write!(f, " ({}), expected \"GGUF\"", spaced_hex(found))?;
            }
            Reason::BadVersion { found: 0 } => f.write_str("version 0 is not a GGUF version")?,
            Reason::BadVersion { found } => write!(f, "version {found} is not supported (1, 2 and 3 are)")?,
            Reason::UnknownValueType { id, element } => {
                let what = if *element { "array element type" } else { "value type" };
                write!(f, "unknown {what} {id} in ")?;
                place(f)?;
            }
            Reason::BadAlignment { value_type, value } => {
                f.write_str("the data section cannot be located: general.alignment is ")?;
                match value {
                    Some(v) => write!(f, "{v} ({value_type})")?,
                    None => write!(f, "of type {value_type}, not an integer")?,
                }
            }
            Reason::Overflow { what } => {
                write!(f, "{what} does not fit in 64 bits: ")?;
                place(f)?;
            }
            Reason::MissingNul { found } => {
                f.write_str("no NUL after the string in ")?;
                place(f)?;
                write!(f, ": found byte {found:#04x}")?;
            }
            Reason::Implausible { what } => {
                write!(f, "implausible {what} in ")?;
                place(f)?;
            }
            Reason::Limit { what, value, limit, .. } => {
                place(f)?;
                write!(f, ": {what} is {value}, over the limit of {limit}")?;
            }
        }
        write!(f, " (at offset {offset:#x})")?;
        if let Some((what, count)) = declared {
            write!(f, "; the header declares {count} {what}")?;
        }
        if *dialect != Dialect::STANDARD {
            write!(f, " [read as dialect {dialect}]")?;
        }
        Ok(())
    }
}

impl core::error::Error for ParseError {}

/// A number of bytes in words: `1 byte`, `8 bytes`.
struct Bytes(u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("1 byte"),
            u64::MAX => f.write_str("more than 2^64 bytes"),
            n => write!(f, "{n} bytes"),
        }
    }
}
