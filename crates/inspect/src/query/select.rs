//! From a value and the steps of a question to the part that was asked for.

use std::fmt;

use ggufkit_format::spec::ValueType;
use ggufkit_format::{ArrayRef, Scalar, Span, Value};

use super::{Position, Step};

/// The part of a value that a question leads to.
#[derive(Clone, Copy, Debug)]
pub enum Selected<'a> {
    /// The value, or one element.
    Value {
        /// What it holds.
        value: Value<'a>,
        /// The element's bytes in the file, from its length or header on; `None` for the value itself.
        element: Option<Span>,
    },
    /// A run of elements.
    Range {
        /// The array.
        array: ArrayRef<'a>,
        /// Index of the first element.
        from: u64,
        /// Index after the last; not below `from`.
        to: u64,
    },
}

/// Why a question leads nowhere although its key exists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SelectError {
    /// A position in something that is no array.
    NotAnArray {
        /// What it is instead.
        found: ValueType,
    },
    /// No such element.
    OutOfRange {
        /// The position.
        position: Position,
        /// Number of elements.
        len: u64,
    },
    /// The element's bytes are not there: the bytes are not those that were indexed.
    Missing,
}

impl fmt::Display for SelectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnArray { found } => write!(f, "a {found} has no elements"),
            Self::OutOfRange { position, len: 0 } => write!(f, "no element {position}: the array is empty"),
            Self::OutOfRange { position, len } => {
                write!(
                    f,
                    "no element {position}: the array has {len}, numbered 0 to {}",
                    len.saturating_sub(1)
                )
            }
            Self::Missing => f.write_str("the element's bytes are missing"),
        }
    }
}

impl std::error::Error for SelectError {}

/// Follows the steps into a value.
///
/// A position after a range counts within the range, as in Python: `[10:20][0]` is element 10.
///
/// # Errors
/// A step into something that is no array, or past an array's end. A range is clipped and never fails.
pub fn select<'a>(value: Value<'a>, steps: &[Step]) -> Result<Selected<'a>, SelectError> {
    let mut here = Selected::Value { value, element: None };
    for step in steps {
        let (array, from, to) = match here {
            Selected::Value { value: Value::Array(array), .. } => (array, 0, array.len()),
            Selected::Value { value, .. } => return Err(SelectError::NotAnArray { found: type_of(value) }),
            Selected::Range { array, from, to } => (array, from, to),
        };
        let len = to.saturating_sub(from);
        here = match *step {
            Step::At(position) => {
                let at = match position {
                    Position::FromStart(n) => Some(n),
                    Position::FromEnd(n) => len.checked_sub(n),
                };
                let at = at.filter(|&at| at < len).ok_or(SelectError::OutOfRange { position, len })?;
                let mut elements = array.iter_from(from.saturating_add(at));
                let start = elements.offset();
                let value = elements.next().ok_or(SelectError::Missing)?;
                Selected::Value { value, element: Some(Span::between(start, elements.offset())) }
            }
            Step::Range(first, last) => {
                let clip = |bound: Option<Position>, open: u64| match bound {
                    None => open,
                    Some(Position::FromStart(n)) => n.min(len),
                    Some(Position::FromEnd(n)) => len.saturating_sub(n),
                };
                let first = clip(first, 0);
                let last = clip(last, len).max(first);
                Selected::Range { array, from: from.saturating_add(first), to: from.saturating_add(last) }
            }
        };
    }
    Ok(here)
}

impl Selected<'_> {
    /// Type of what was selected: of the value, or `array` for a range.
    #[must_use]
    pub fn value_type(&self) -> ValueType {
        match self {
            Self::Value { value, .. } => type_of(*value),
            Self::Range { .. } => ValueType::ARRAY,
        }
    }

    /// The elements' bytes in the file, for an element or a range.
    #[must_use]
    pub fn span(&self) -> Option<Span> {
        match *self {
            Self::Value { element, .. } => element,
            Self::Range { array, from, to } => {
                // The end first: from a mark to an element costs little, from the start it may cost the whole array.
                let position = |index: u64| match index {
                    index if index >= array.len() => {
                        array.start().saturating_add(array.as_bytes().len().try_into().unwrap_or(u64::MAX))
                    }
                    index => array.iter_from(index).offset(),
                };
                Some(Span::between(position(from), position(to)))
            }
        }
    }
}

fn type_of(value: Value<'_>) -> ValueType {
    match value {
        Value::String(_) => ValueType::STRING,
        Value::Array(_) => ValueType::ARRAY,
        Value::Scalar(scalar) => match scalar {
            Scalar::U8(_) => ValueType::UINT8,
            Scalar::I8(_) => ValueType::INT8,
            Scalar::U16(_) => ValueType::UINT16,
            Scalar::I16(_) => ValueType::INT16,
            Scalar::U32(_) => ValueType::UINT32,
            Scalar::I32(_) => ValueType::INT32,
            Scalar::F32(_) => ValueType::FLOAT32,
            Scalar::Bool(_) => ValueType::BOOL,
            Scalar::U64(_) => ValueType::UINT64,
            Scalar::I64(_) => ValueType::INT64,
            Scalar::F64(_) => ValueType::FLOAT64,
            Scalar::F16(_) => ValueType::FLOAT16,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::Query;
    use super::*;
    use ggufkit_format::{Options, View, parse};

    /// A file of one key `k`, an array; the element type, the count and the elements as they follow.
    fn file(element_type: u32, count: u64, elements: &[u8]) -> Vec<u8> {
        let mut out =
            b"GGUF\x03\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0k\x09\0\0\0".to_vec();
        out.extend(element_type.to_le_bytes());
        out.extend(count.to_le_bytes());
        out.extend(elements);
        out
    }

    fn ask<'a>(view: &View<'a>, text: &str) -> Result<(Vec<u64>, Option<Span>), SelectError> {
        let query = Query::new(text.as_bytes());
        let kv = &view.index().kvs()[0];
        let steps = query.matches(b"k").unwrap();
        let selected = select(view.value(kv), steps)?;
        let numbers = match selected {
            Selected::Value { value: Value::Array(array), .. } => {
                array.iter().filter_map(|v| v.as_u64()).collect()
            }
            Selected::Value { value, .. } => vec![value.as_u64().unwrap()],
            Selected::Range { array, from, to } => {
                (from..to).map(|i| array.get(i).unwrap().as_u64().unwrap()).collect()
            }
        };
        Ok((numbers, selected.span()))
    }

    #[test]
    fn positions_and_ranges_follow_python() {
        let bytes = file(0, 5, &[10, 11, 12, 13, 14]);
        let index = parse(&bytes, Options::new()).into_result().unwrap();
        let view = View::new(&index, &bytes);
        let start = 24 + 9 + 4 + 12;
        for (text, numbers, span) in [
            ("k", &[10, 11, 12, 13, 14][..], None),
            ("k[0]", &[10], Some(Span::new(start, 1))),
            ("k[-1]", &[14], Some(Span::new(start + 4, 1))),
            ("k[-5]", &[10], Some(Span::new(start, 1))),
            ("k[1:3]", &[11, 12], Some(Span::new(start + 1, 2))),
            ("k[:2]", &[10, 11], Some(Span::new(start, 2))),
            ("k[-2:]", &[13, 14], Some(Span::new(start + 3, 2))),
            ("k[:]", &[10, 11, 12, 13, 14], Some(Span::new(start, 5))),
            ("k[3:99]", &[13, 14], Some(Span::new(start + 3, 2))),
            ("k[-99:1]", &[10], Some(Span::new(start, 1))),
            ("k[7:9]", &[], Some(Span::new(start + 5, 0))),
            ("k[3:1]", &[], Some(Span::new(start + 3, 0))),
            ("k[1:4][0]", &[11], Some(Span::new(start + 1, 1))),
            ("k[1:4][-1]", &[13], Some(Span::new(start + 3, 1))),
            ("k[1:4][1:]", &[12, 13], Some(Span::new(start + 2, 2))),
        ] {
            assert_eq!(ask(&view, text), Ok((numbers.to_vec(), span)), "{text}");
        }
        for (text, position) in [
            ("k[5]", Position::FromStart(5)),
            ("k[-6]", Position::FromEnd(6)),
            ("k[18446744073709551615]", Position::FromStart(u64::MAX)),
        ] {
            assert_eq!(ask(&view, text), Err(SelectError::OutOfRange { position, len: 5 }), "{text}");
        }
        assert_eq!(ask(&view, "k[0][0]"), Err(SelectError::NotAnArray { found: ValueType::UINT8 }));
    }

    #[test]
    fn nested_arrays_are_walked_level_by_level() {
        // [[1, 2], [3], []] of u8 arrays.
        let mut elements = Vec::new();
        for inner in [&[1_u8, 2][..], &[3], &[]] {
            elements.extend(0_u32.to_le_bytes());
            elements.extend((inner.len() as u64).to_le_bytes());
            elements.extend(inner);
        }
        let bytes = file(9, 3, &elements);
        let index = parse(&bytes, Options::new()).into_result().unwrap();
        let view = View::new(&index, &bytes);
        let start = 24 + 9 + 4 + 12;
        assert_eq!(ask(&view, "k[0]"), Ok((vec![1, 2], Some(Span::new(start, 14)))));
        assert_eq!(ask(&view, "k[0][1]"), Ok((vec![2], Some(Span::new(start + 13, 1)))));
        assert_eq!(ask(&view, "k[1][0]"), Ok((vec![3], Some(Span::new(start + 14 + 12, 1)))));
        assert_eq!(ask(&view, "k[-1]"), Ok((vec![], Some(Span::new(start + 27, 12)))));
        let empty = SelectError::OutOfRange { position: Position::FromStart(0), len: 0 };
        assert_eq!(ask(&view, "k[2][0]"), Err(empty));
        assert_eq!(empty.to_string(), "no element 0: the array is empty");
    }
}
