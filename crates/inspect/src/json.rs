//! JSON that stays JSON and loses nothing.
//!
//! Integers are exact. Floats that JSON cannot hold are the strings `"NaN"`, `"Infinity"`, `"-Infinity"`. Bytes that
//! are not UTF-8 are `{"bytes": "<base64>"}`. No character that could drive a terminal is written as it is: it is
//! escaped, which a JSON reader undoes.

use std::{fmt, io};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ggufkit_format::{ArrayRef, ByteStr, Scalar, Value, f16_to_f32, is_safe};
use serde::ser::{Serialize, SerializeMap as _, SerializeSeq as _, Serializer};
use serde_json::ser::{CharEscape, CompactFormatter, Formatter, PrettyFormatter};

/// Version of every JSON document that ggufkit writes, in the field `schema`. It changes when a field changes its
/// meaning or goes away; new fields do not change it.
pub const SCHEMA: u32 = 1;

/// Text of the file.
#[derive(Clone, Copy, Debug)]
pub struct JsonText<'a>(pub ByteStr<'a>);

impl Serialize for JsonText<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.to_str() {
            Some(text) => serializer.serialize_str(text),
            None => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("bytes", &STANDARD.encode(self.0.as_bytes()))?;
                map.end()
            }
        }
    }
}

/// The list `errors` of a document about one file: what went wrong, with its path; empty where nothing did.
#[derive(Clone, Copy, Debug)]
pub struct JsonErrors<'a> {
    /// The file.
    pub path: ByteStr<'a>,
    /// The errors, as the caller tells them.
    pub errors: &'a [serde_json::Value],
}

impl Serialize for JsonErrors<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct One<'a> {
            path: JsonText<'a>,
            error: &'a serde_json::Value,
        }
        serializer.collect_seq(self.errors.iter().map(|error| One { path: JsonText(self.path), error }))
    }
}

/// A value of fixed size.
#[derive(Clone, Copy, Debug)]
pub struct JsonScalar(pub Scalar);

impl Serialize for JsonScalar {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Scalar::U8(v) => s.serialize_u8(v),
            Scalar::I8(v) => s.serialize_i8(v),
            Scalar::U16(v) => s.serialize_u16(v),
            Scalar::I16(v) => s.serialize_i16(v),
            Scalar::U32(v) => s.serialize_u32(v),
            Scalar::I32(v) => s.serialize_i32(v),
            Scalar::U64(v) => s.serialize_u64(v),
            Scalar::I64(v) => s.serialize_i64(v),
            Scalar::Bool(v) => s.serialize_bool(v != 0),
            // Each width prints the shortest digits that give the same number back in that width.
            Scalar::F32(v) if v.is_finite() => s.serialize_f32(v),
            Scalar::F64(v) if v.is_finite() => s.serialize_f64(v),
            Scalar::F16(v) if f16_to_f32(v).is_finite() => s.serialize_f32(f16_to_f32(v)),
            Scalar::F32(v) => s.serialize_str(non_finite(v.into())),
            Scalar::F64(v) => s.serialize_str(non_finite(v)),
            Scalar::F16(v) => s.serialize_str(non_finite(f16_to_f32(v).into())),
        }
    }
}

/// A float that JSON has no number for, in the words of the documents.
#[must_use]
pub fn non_finite(value: f64) -> &'static str {
    if value.is_nan() {
        "NaN"
    } else if value > 0.0 {
        "Infinity"
    } else {
        "-Infinity"
    }
}

/// A metadata value; of an array, at most the first `max` elements (of every array, where arrays are nested).
#[derive(Clone, Copy, Debug)]
pub struct JsonValue<'a> {
    /// The value.
    pub value: Value<'a>,
    /// Elements of an array that are written; `None` for all.
    pub max: Option<u64>,
}

impl<'a> JsonValue<'a> {
    /// The whole value.
    #[must_use]
    pub const fn whole(value: Value<'a>) -> Self {
        Self { value, max: None }
    }
}

impl Serialize for JsonValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.value {
            Value::Scalar(scalar) => JsonScalar(scalar).serialize(serializer),
            Value::String(text) => JsonText(text).serialize(serializer),
            Value::Array(array) => {
                JsonElements { array, from: 0, to: self.max.unwrap_or(u64::MAX) }.serialize(serializer)
            }
        }
    }
}

/// The elements of an array from index `from` up to, and not including, `to`.
#[derive(Clone, Copy, Debug)]
pub struct JsonElements<'a> {
    /// The array.
    pub array: ArrayRef<'a>,
    /// First index.
    pub from: u64,
    /// Index after the last.
    pub to: u64,
}

impl Serialize for JsonElements<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(None)?;
        let count = usize::try_from(self.to.saturating_sub(self.from)).unwrap_or(usize::MAX);
        for value in self.array.iter_from(self.from).take(count) {
            let max = matches!(value, Value::Array(_)).then_some(self.to.saturating_sub(self.from));
            seq.serialize_element(&JsonValue { value, max })?;
        }
        seq.end()
    }
}

/// Writes a document: pretty or compact, with every character escaped that could act on a terminal.
///
/// # Errors
/// The writer's.
pub fn write<W: io::Write, T: Serialize + ?Sized>(writer: W, value: &T, pretty: bool) -> io::Result<()> {
    if pretty {
        with(writer, value, Safe { inner: PrettyFormatter::with_indent(b"  "), wide: Wide::Number })
    } else {
        with(writer, value, Safe { inner: CompactFormatter, wide: Wide::Number })
    }
}

/// The same, compact, for readers whose only numbers are doubles, as JavaScript's are: whole numbers of 2^53 and more, which these
/// would round, are text.
///
/// # Errors
/// The writer's.
pub fn write_for_doubles<W: io::Write, T: Serialize + ?Sized>(writer: W, value: &T) -> io::Result<()> {
    with(writer, value, Safe { inner: CompactFormatter, wide: Wide::Text })
}

fn with<W: io::Write, T: Serialize + ?Sized, F: Formatter>(
    writer: W,
    value: &T,
    formatter: F,
) -> io::Result<()> {
    value.serialize(&mut serde_json::Serializer::with_formatter(writer, formatter)).map_err(io::Error::from)
}

/// How whole numbers are written that doubles do not hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wide {
    Number,
    Text,
}

/// The first number whose neighbour a double does not hold.
const ROUNDED: u128 = 1 << 53;

/// A formatter that escapes what serde_json leaves alone: DEL, C1 and bidirectional controls, invisible characters.
struct Safe<F> {
    inner: F,
    wide: Wide,
}

impl<F> Safe<F> {
    fn number<W: ?Sized + io::Write>(
        &self,
        writer: &mut W,
        magnitude: u128,
        number: impl fmt::Display,
    ) -> io::Result<()> {
        if self.wide == Wide::Text && magnitude >= ROUNDED {
            write!(writer, "\"{number}\"")
        } else {
            write!(writer, "{number}")
        }
    }
}

macro_rules! forward {
    ($($name:ident($($arg:ident: $ty:ty),*);)*) => {
        $(fn $name<W: ?Sized + io::Write>(&mut self, writer: &mut W, $($arg: $ty),*) -> io::Result<()> {
            self.inner.$name(writer, $($arg),*)
        })*
    };
}

impl<F: Formatter> Formatter for Safe<F> {
    forward! {
        begin_array(); end_array(); begin_array_value(first: bool); end_array_value();
        begin_object(); end_object(); begin_object_key(first: bool); end_object_key();
        begin_object_value(); end_object_value(); write_char_escape(escape: CharEscape);
    }

    fn write_u64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: u64) -> io::Result<()> {
        self.number(writer, value.into(), value)
    }

    fn write_i64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: i64) -> io::Result<()> {
        self.number(writer, value.unsigned_abs().into(), value)
    }

    fn write_u128<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: u128) -> io::Result<()> {
        self.number(writer, value, value)
    }

    fn write_i128<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: i128) -> io::Result<()> {
        self.number(writer, value.unsigned_abs(), value)
    }

    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if fragment.is_ascii() && !fragment.contains('\u{7f}') {
            return writer.write_all(fragment.as_bytes());
        }
        let mut plain = 0;
        for (at, c) in fragment.char_indices().filter(|(_, c)| !is_safe(*c)) {
            writer.write_all(&fragment.as_bytes()[plain..at])?;
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                write!(writer, "\\u{unit:04x}")?;
            }
            plain = at + c.len_utf8();
        }
        writer.write_all(&fragment.as_bytes()[plain..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json<T: Serialize>(value: &T) -> String {
        let mut out = Vec::new();
        write(&mut out, value, false).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_are_exact_and_always_json() {
        for (scalar, expected) in [
            (Scalar::U64(u64::MAX), "18446744073709551615"),
            (Scalar::I64(i64::MIN), "-9223372036854775808"),
            (Scalar::F32(0.1), "0.1"),
            (Scalar::F64(0.1), "0.1"),
            (Scalar::F32(f32::NAN), "\"NaN\""),
            (Scalar::F64(f64::NEG_INFINITY), "\"-Infinity\""),
            (Scalar::F32(-0.0), "-0.0"),
            (Scalar::Bool(2), "true"),
            (Scalar::F16(0x3555), "0.33325195"),
        ] {
            assert_eq!(json(&JsonScalar(scalar)), expected);
        }
    }

    #[test]
    fn numbers_that_a_double_would_round_are_text_where_asked_for() {
        let values = (
            [(1_u64 << 53) - 1, 1 << 53, u64::MAX],
            [-(1_i64 << 53) + 1, -(1 << 53), i64::MIN],
            u128::from(u64::MAX) * 2,
            [7_u8, 0],
            9e15_f64,
        );
        let mut out = Vec::new();
        write_for_doubles(&mut out, &values).unwrap();
        let expected = concat!(
            r#"[[9007199254740991,"9007199254740992","18446744073709551615"],"#,
            r#"[-9007199254740991,"-9007199254740992","-9223372036854775808"],"#,
            r#""36893488147419103230",[7,0],9000000000000000.0]"#
        );
        assert_eq!(String::from_utf8(out).unwrap(), expected);
        assert_eq!(json(&u64::MAX), "18446744073709551615");
    }

    #[test]
    fn text_is_escaped_and_bytes_are_kept() {
        assert_eq!(json(&JsonText(ByteStr(b"a\0b"))), r#""a\u0000b""#);
        assert_eq!(json(&JsonText(ByteStr("\u{202e}x\u{9b}\u{7f}".as_bytes()))), r#""\u202ex\u009b\u007f""#);
        assert_eq!(json(&JsonText(ByteStr("\u{e0041}".as_bytes()))), r#""\udb40\udc41""#);
        assert_eq!(json(&JsonText(ByteStr("中🙂".as_bytes()))), r#""中🙂""#);
        // RFC 4648: the three bytes FF FE 41.
        assert_eq!(json(&JsonText(ByteStr(b"\xff\xfeA"))), r#"{"bytes":"//5B"}"#);
    }
}
