//! Why tensor data cannot be had.

use std::fmt;
use std::io;
use std::ops::Range;

use ggufkit_format::layout::SizeError;
use ggufkit_format::{Span, shorten};

/// Why the data of a tensor cannot be read: which tensor, and what stands in the way.
#[derive(Debug)]
pub struct DataError {
    name: Box<[u8]>,
    reason: Box<DataReason>,
}

/// What stands in the way of a tensor's data.
#[derive(Debug)]
#[non_exhaustive]
pub enum DataReason {
    /// The head was not read to its end, so that nobody knows where data begins, or the position does not fit in 64 bits.
    NoPosition,
    /// The size cannot be computed from type and shape, and not be inferred from what follows either.
    Size(SizeError),
    /// The data is not, or not all, in the file.
    OutOfFile {
        /// Where the data should be.
        span: Span,
        /// Bytes of it that are in the file.
        present: u64,
    },
    /// There are no such rows.
    Rows {
        /// The rows that were asked for.
        rows: Range<u64>,
        /// Rows that the tensor has.
        count: u64,
    },
    /// The buffer does not have the length of the data.
    Buffer {
        /// Length of the data in bytes.
        needed: u64,
        /// Length of the buffer in bytes.
        given: u64,
    },
    /// There is no memory for so many bytes.
    Memory {
        /// Length of the data in bytes.
        needed: u64,
    },
    /// The source ended before it said it would: the file shrank.
    Ended {
        /// What was to be read.
        span: Span,
        /// Bytes of it that came.
        read: u64,
    },
    /// The system refused.
    Io {
        /// What was to be read.
        span: Span,
        /// What the system said.
        source: io::Error,
    },
}

impl DataError {
    pub(crate) fn new(name: &[u8], reason: DataReason) -> Self {
        Self { name: name.into(), reason: Box::new(reason) }
    }

    /// The tensor's name.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// What stands in the way.
    #[must_use]
    pub fn reason(&self) -> &DataReason {
        &self.reason
    }

    /// A short stable word for the kind of error, for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match *self.reason {
            DataReason::NoPosition => "no-data-position",
            DataReason::Size(_) => "unknown-size",
            DataReason::OutOfFile { .. } => "data-out-of-file",
            DataReason::Rows { .. } => "no-such-rows",
            DataReason::Buffer { .. } => "wrong-buffer",
            DataReason::Memory { .. } => "out-of-memory",
            DataReason::Ended { .. } => "unexpected-end",
            DataReason::Io { .. } => "io",
        }
    }
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tensor \"{}\": {}", shorten(&self.name, 80), self.reason)
    }
}

impl fmt::Display for DataReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPosition => f.write_str("the position of its data is not known"),
            Self::Size(error) => error.fmt(f),
            Self::OutOfFile { span, present } => {
                write!(f, "its {} bytes at {span} are not all in the file: {present} are", span.len)
            }
            Self::Rows { rows, count } => {
                write!(f, "rows {} to {} were asked for, it has {count}", rows.start, rows.end)
            }
            Self::Buffer { needed, given } => {
                write!(f, "its data takes {needed} bytes, the buffer has {given}")
            }
            Self::Memory { needed } => write!(f, "no memory for {needed} bytes"),
            Self::Ended { span, read } => {
                write!(f, "the file ended while {span} was read: {read} of {} bytes came", span.len)
            }
            Self::Io { span, .. } => write!(f, "cannot read {span}"),
        }
    }
}

impl std::error::Error for DataError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &*self.reason {
            DataReason::Io { source, .. } => Some(source),
            DataReason::Size(source) => Some(source),
            _ => None,
        }
    }
}
