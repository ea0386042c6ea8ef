//! Values that are new: what a text or a JSON document says, as bytes of the format.

use std::fmt;

use ggufkit_format::Scalar;
use ggufkit_format::encode::{EncodeError, Encoder};
use ggufkit_format::spec::{KeyType, ValueType};
use serde_json::Value as Json;

/// A value that a key-value is to have.
#[derive(Clone, PartialEq, Debug)]
pub enum NewValue {
    /// A value of fixed size.
    Scalar(Scalar),
    /// A string's bytes.
    String(Vec<u8>),
    /// An array: the type of its elements, and these. An array of arrays has elements of type `array`.
    Array(ValueType, Vec<NewValue>),
}

/// Why a text is no value of a type.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ValueError {
    /// It is not written as one.
    Form {
        /// The type.
        ty: KeyType,
        /// The text, or the JSON.
        text: String,
    },
    /// The number does not fit in the type.
    Range {
        /// The type.
        ty: ValueType,
        /// The number.
        text: String,
    },
    /// An element of an array is none of its type.
    Element {
        /// Its position, from 0.
        at: u64,
        /// What is wrong with it.
        error: Box<ValueError>,
    },
    /// The type cannot be written: half precision, an id that the format does not define.
    Type(ValueType),
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form { ty, text } => {
                let article = if matches!(ty.element().0, 1 | 5 | 11) || ty.is_array() { "an" } else { "a" };
                write!(f, "{text:?} is not {article} {ty}")?;
                match (ty.is_array(), ty.element()) {
                    (true, ValueType::STRING) => f.write_str(": write [\"a\", \"b\"]"),
                    (true, ValueType::BOOL) => f.write_str(": write [true, false]"),
                    (true, _) => f.write_str(": write [1, 2, 3]"),
                    (false, ValueType::BOOL) => f.write_str(": write true or false"),
                    _ => Ok(()),
                }
            }
            Self::Range { ty, text } => {
                write!(f, "{text} does not fit in {ty}")?;
                match range(*ty) {
                    Some((least, most)) => write!(f, ", which goes from {least} to {most}"),
                    None => Ok(()),
                }
            }
            Self::Element { at, error } => write!(f, "element [{at}]: {error}"),
            Self::Type(ty) => write!(f, "{ty} is no type that can be written"),
        }
    }
}

impl std::error::Error for ValueError {}

/// The least and the greatest number of an integer type.
fn range(ty: ValueType) -> Option<(i128, i128)> {
    let (signed, bits) = match ty {
        ValueType::UINT8 => (false, 8),
        ValueType::INT8 => (true, 8),
        ValueType::UINT16 => (false, 16),
        ValueType::INT16 => (true, 16),
        ValueType::UINT32 => (false, 32),
        ValueType::INT32 => (true, 32),
        ValueType::UINT64 => (false, 64),
        ValueType::INT64 => (true, 64),
        _ => return None,
    };
    let whole = 1_i128 << bits;
    Some(if signed { (-(whole / 2), whole / 2 - 1) } else { (0, whole - 1) })
}

impl NewValue {
    /// The value that a text says, as a person types it: a number (decimal, or after `0x` hexadecimal), `true` or `false`,
    /// a text as it is; an array as JSON.
    ///
    /// # Errors
    /// See [`ValueError`].
    ///
    /// ```
    /// use ggufkit_edit::NewValue;
    /// use ggufkit_format::Scalar;
    /// use ggufkit_format::spec::{KeyType, ValueType};
    ///
    /// let u8 = KeyType::Scalar(ValueType::UINT8);
    /// assert_eq!(NewValue::parse("0x10", u8), Ok(NewValue::Scalar(Scalar::U8(16))));
    /// assert!(NewValue::parse("256", u8).is_err());
    /// ```
    pub fn parse(text: &str, ty: KeyType) -> Result<Self, ValueError> {
        let form = || ValueError::Form { ty, text: clipped(text) };
        match ty {
            KeyType::Array(_) => Self::from_json(&serde_json::from_str(text).map_err(|_| form())?, ty),
            KeyType::Scalar(ValueType::STRING) => Ok(Self::String(text.as_bytes().to_vec())),
            KeyType::Scalar(ValueType::BOOL) => match text {
                "true" => Ok(Self::Scalar(Scalar::Bool(1))),
                "false" => Ok(Self::Scalar(Scalar::Bool(0))),
                _ => Err(form()),
            },
            KeyType::Scalar(element @ (ValueType::FLOAT32 | ValueType::FLOAT64)) => {
                let number: f64 = text.trim().parse().map_err(|_| form())?;
                // Of its own precision at once: twice rounded is not rightly rounded.
                let narrow: f32 = text.trim().parse().map_err(|_| form())?;
                let named = text.contains(['n', 'N']);
                let scalar = match element {
                    ValueType::FLOAT32 => Scalar::F32(narrow),
                    _ => Scalar::F64(number),
                };
                let overflows = match scalar {
                    Scalar::F32(value) => value.is_infinite(),
                    _ => number.is_infinite(),
                };
                if overflows && !named {
                    return Err(ValueError::Range { ty: element, text: clipped(text) });
                }
                Ok(Self::Scalar(scalar))
            }
            KeyType::Scalar(element) => {
                if range(element).is_none() {
                    return Err(ValueError::Type(element));
                }
                let digits = text.trim().replace('_', "");
                let (negative, digits) = match digits.strip_prefix('-') {
                    Some(rest) => (true, rest),
                    None => (false, digits.as_str()),
                };
                let number = match digits.strip_prefix("0x") {
                    Some(hex) if !hex.starts_with(['+', '-']) => i128::from_str_radix(hex, 16),
                    _ if digits.starts_with(['+', '-']) => return Err(form()),
                    _ => digits.parse(),
                };
                let number = number.map_err(|error| match error.kind() {
                    std::num::IntErrorKind::PosOverflow => {
                        ValueError::Range { ty: element, text: clipped(text) }
                    }
                    _ => form(),
                })?;
                Self::integer(element, if negative { number.saturating_neg() } else { number })
            }
        }
    }

    /// The value that JSON says. Bytes that are no text are `{"bytes": "<base64>"}`, floats that JSON lacks `"NaN"`,
    /// `"Infinity"` and `"-Infinity"`, as `gguf dump --format json` writes them.
    ///
    /// # Errors
    /// See [`ValueError`].
    pub fn from_json(json: &Json, ty: KeyType) -> Result<Self, ValueError> {
        let form = || ValueError::Form { ty, text: clipped(&json.to_string()) };
        match (ty, json) {
            (KeyType::Array(element), Json::Array(items)) => {
                let mut out = Vec::with_capacity(items.len());
                for (at, item) in items.iter().enumerate() {
                    let item = Self::from_json(item, KeyType::Scalar(element));
                    out.push(
                        item.map_err(|error| ValueError::Element { at: at as u64, error: Box::new(error) })?,
                    );
                }
                Ok(Self::Array(element, out))
            }
            (KeyType::Array(_), _) => Err(form()),
            (KeyType::Scalar(ValueType::STRING), Json::String(text)) => Ok(Self::String(text.clone().into())),
            (KeyType::Scalar(ValueType::STRING), Json::Object(object)) => {
                use base64::Engine as _;
                let text = object.get("bytes").filter(|_| object.len() == 1).and_then(Json::as_str);
                let bytes = text.and_then(|text| base64::engine::general_purpose::STANDARD.decode(text).ok());
                bytes.map(Self::String).ok_or_else(form)
            }
            (KeyType::Scalar(ValueType::BOOL), Json::Bool(truth)) => {
                Ok(Self::Scalar(Scalar::Bool((*truth).into())))
            }
            (KeyType::Scalar(ValueType::FLOAT32 | ValueType::FLOAT64), Json::Number(number)) => {
                Self::parse(&number.to_string(), ty)
            }
            (KeyType::Scalar(ValueType::FLOAT32 | ValueType::FLOAT64), Json::String(text)) => {
                match text.as_str() {
                    "NaN" | "Infinity" | "-Infinity" => Self::parse(text, ty),
                    _ => Err(form()),
                }
            }
            (KeyType::Scalar(element), Json::Number(number)) if range(element).is_some() => {
                let integer = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
                Self::integer(element, integer.ok_or_else(form)?)
            }
            // Arrays in an array: of what their first element tells, there being no other word for it.
            (KeyType::Scalar(ValueType::ARRAY), Json::Object(object)) => {
                let ty = object.get("type").and_then(Json::as_str).and_then(KeyType::from_name);
                match (ty, object.get("value")) {
                    (Some(ty @ KeyType::Array(_)), Some(value)) => Self::from_json(value, ty),
                    _ => Err(form()),
                }
            }
            _ => Err(form()),
        }
    }

    fn integer(ty: ValueType, number: i128) -> Result<Self, ValueError> {
        let fits = Scalar::integer(ty, number).map(Self::Scalar);
        fits.ok_or_else(|| ValueError::Range { ty, text: number.to_string() })
    }

    /// The value's type, and its elements' where it is an array.
    #[must_use]
    pub fn key_type(&self) -> KeyType {
        match self {
            Self::Scalar(scalar) => KeyType::Scalar(scalar.value_type()),
            Self::String(_) => KeyType::Scalar(ValueType::STRING),
            Self::Array(element, _) => KeyType::Array(*element),
        }
    }

    /// Type of the key-value.
    #[must_use]
    pub fn value_type(&self) -> ValueType {
        match self {
            Self::Array(..) => ValueType::ARRAY,
            other => other.key_type().element(),
        }
    }

    /// Writes the value's bytes.
    ///
    /// # Errors
    /// Half precision.
    pub fn encode(&self, encoder: &Encoder, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        match self {
            Self::Scalar(scalar) => encoder.scalar(out, *scalar),
            Self::String(bytes) => {
                encoder.string(out, bytes);
                Ok(())
            }
            Self::Array(element, items) => {
                encoder.array_header(out, *element, items.len() as u64);
                items.iter().try_for_each(|item| item.encode(encoder, out))
            }
        }
    }
}

/// So much of a text as a message needs.
fn clipped(text: &str) -> String {
    let mut out: String = text.chars().take(60).collect();
    if out.len() < text.len() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn one(ty: ValueType) -> KeyType {
        KeyType::Scalar(ty)
    }

    #[test]
    fn numbers_fit_their_type_or_are_refused() {
        for (ty, text, value) in [
            (ValueType::UINT8, "255", Some(Scalar::U8(255))),
            (ValueType::UINT8, "256", None),
            (ValueType::UINT8, "-1", None),
            (ValueType::INT8, "-128", Some(Scalar::I8(-128))),
            (ValueType::INT8, "-129", None),
            (ValueType::UINT16, "0xffff", Some(Scalar::U16(65535))),
            (ValueType::INT32, "-2_147_483_648", Some(Scalar::I32(i32::MIN))),
            (ValueType::UINT64, "18446744073709551615", Some(Scalar::U64(u64::MAX))),
            (ValueType::UINT64, "18446744073709551616", None),
            (ValueType::INT64, "-9223372036854775808", Some(Scalar::I64(i64::MIN))),
            (ValueType::UINT64, "999999999999999999999999999999999999999999", None),
            (ValueType::UINT32, "1.0", None),
            (ValueType::UINT32, "--1", None),
            (ValueType::UINT32, "0x-1", None),
            (ValueType::UINT32, "", None),
            (ValueType::BOOL, "true", Some(Scalar::Bool(1))),
            (ValueType::BOOL, "false", Some(Scalar::Bool(0))),
            (ValueType::BOOL, "0", None),
            (ValueType::BOOL, "yes", None),
            (ValueType::FLOAT32, "1e-5", Some(Scalar::F32(1e-5))),
            (ValueType::FLOAT32, "1e39", None),
            (ValueType::FLOAT64, "1e39", Some(Scalar::F64(1e39))),
            (ValueType::FLOAT64, "1e309", None),
            (ValueType::FLOAT32, "-inf", Some(Scalar::F32(f32::NEG_INFINITY))),
            (ValueType::FLOAT32, "x", None),
        ] {
            let parsed = NewValue::parse(text, one(ty)).ok();
            assert_eq!(parsed, value.map(NewValue::Scalar), "{text} as {ty}");
        }
    }

    #[test]
    fn a_refusal_says_what_would_fit() {
        let text = |text: &str, ty| NewValue::parse(text, ty).unwrap_err().to_string();
        assert_eq!(text("256", one(ValueType::UINT8)), "256 does not fit in u8, which goes from 0 to 255");
        assert_eq!(text("no", one(ValueType::BOOL)), "\"no\" is not a bool: write true or false");
        assert_eq!(
            text("[1, 300, 70000]", KeyType::Array(ValueType::UINT16)),
            "element [2]: 70000 does not fit in u16, which goes from 0 to 65535"
        );
        assert_eq!(
            text("1", KeyType::Array(ValueType::INT32)),
            "\"1\" is not an array[i32]: write [1, 2, 3]"
        );
    }

    #[test]
    fn json_says_bytes_and_floats_that_it_lacks() {
        let json = |text: &str, ty| NewValue::from_json(&serde_json::from_str(text).unwrap(), ty);
        let bytes = json(r#"{"bytes": "/w=="}"#, one(ValueType::STRING));
        assert_eq!(bytes, Ok(NewValue::String(vec![0xff])));
        let inf = json(r#"["Infinity", 1, 0.1]"#, KeyType::Array(ValueType::FLOAT32)).unwrap();
        let scalar = |value| NewValue::Scalar(Scalar::F32(value));
        assert_eq!(
            inf,
            NewValue::Array(ValueType::FLOAT32, vec![scalar(f32::INFINITY), scalar(1.0), scalar(0.1)])
        );
        assert_eq!(
            json("[]", KeyType::Array(ValueType::STRING)),
            Ok(NewValue::Array(ValueType::STRING, vec![]))
        );
        assert!(json("1.5", one(ValueType::UINT32)).is_err());
        assert!(json("\"1\"", one(ValueType::UINT32)).is_err());
        assert!(json("true", one(ValueType::UINT32)).is_err());
        assert!(json("1", one(ValueType::BOOL)).is_err());
    }
}
