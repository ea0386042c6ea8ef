//! Values in one line, as text that cannot act on a terminal.

use ggufkit::format::spec::{TensorType, ValueType};
use ggufkit::format::{ArrayRef, Endian, Scalar, Value};
use ggufkit::inspect::units::scalar_text;

use crate::out;

/// Elements of an array that are shown.
const FEW: usize = 6;

/// A value, at most about `max` columns of it.
pub(super) fn text(value: Value<'_>, max: usize) -> String {
    match value {
        Value::Scalar(scalar) => scalar_text(scalar),
        Value::String(text) => quoted(&out::fit(text.0, max.saturating_sub(2))),
        Value::Array(array) => list(array, max),
    }
}

/// A text between quotes, of which it holds none that could pass for its end.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\\\""))
}

fn list(array: ArrayRef<'_>, max: usize) -> String {
    let mut out = String::from("[");
    for (at, item) in array.iter().enumerate() {
        let item = match item {
            Value::Array(inner) => format!("[{}; {}]", inner.element_type(), inner.len()),
            other => text(other, 24),
        };
        let comma = if at > 0 { ", " } else { "" };
        if at == FEW || (at > 0 && out::columns(&out) + out::columns(&item) + 4 > max) {
            out.push_str(comma);
            out.push('…');
            break;
        }
        out.push_str(comma);
        out.push_str(&item);
    }
    out.push(']');
    out
}

/// Two values that differ, so that it is seen how: numbers that look the same with their bits, long texts from shortly before
/// the place where they part.
pub(super) fn both(a: Value<'_>, b: Value<'_>, max: usize) -> (String, String) {
    match (a, b) {
        (Value::Scalar(a), Value::Scalar(b)) => {
            let (one, other) = (scalar_text(a), scalar_text(b));
            if one == other && a.value_type() == b.value_type() {
                return (format!("{one} ({})", bits(a)), format!("{other} ({})", bits(b)));
            }
            (one, other)
        }
        (Value::String(a), Value::String(b)) => {
            let (a, b) = parted(a.0, b.0, max.saturating_sub(2));
            (quoted(&a), quoted(&b))
        }
        _ => (text(a, max), text(b, max)),
    }
}

fn bits(scalar: Scalar) -> String {
    match scalar {
        Scalar::F32(v) => format!("{:#010x}", v.to_bits()),
        Scalar::F64(v) => format!("{:#018x}", v.to_bits()),
        Scalar::F16(v) => format!("{v:#06x}"),
        Scalar::Bool(v) => format!("{v:#04x}"),
        other => scalar_text(other),
    }
}

/// At most `max` columns of two texts, in which the first difference is.
pub(super) fn parted(a: &[u8], b: &[u8], max: usize) -> (String, String) {
    let common = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let fits = |text: &[u8]| text.len() <= max && out::columns(&out::fit(text, max + 1)) <= max;
    // Text before the difference that is shown.
    let before = max / 3;
    if (fits(a) && fits(b)) || common <= before {
        return (out::fit(a, max), out::fit(b, max));
    }
    let mut from = common.saturating_sub(before);
    // No character is cut.
    while from > 0 && a.get(from).is_some_and(|byte| byte & 0xc0 == 0x80) {
        from -= 1;
    }
    let rest =
        |text: &[u8]| format!("…{}", out::fit(text.get(from..).unwrap_or_default(), max.saturating_sub(1)));
    (rest(a), rest(b))
}

/// The type of single values, of a tensor that consists of them.
pub(super) fn plain(ty: TensorType) -> Option<TensorType> {
    ty.info().filter(|info| info.is_plain()).map(|info| info.ty)
}

/// One value of a tensor.
pub(super) fn element(ty: TensorType, endian: Endian, bytes: &[u8]) -> String {
    let of = match ty {
        TensorType::F32 => ValueType::FLOAT32,
        TensorType::F64 => ValueType::FLOAT64,
        TensorType::F16 => ValueType::FLOAT16,
        TensorType::I8 => ValueType::INT8,
        TensorType::I16 => ValueType::INT16,
        TensorType::I32 => ValueType::INT32,
        TensorType::I64 => ValueType::INT64,
        TensorType::BF16 => {
            let half = bytes.first_chunk().map(|bytes| endian.u16(*bytes));
            return half.map_or_else(String::new, |half| {
                scalar_text(Scalar::F32(f32::from_bits(u32::from(half) << 16)))
            });
        }
        _ => return ggufkit::format::spaced_hex(bytes),
    };
    Scalar::read(of, endian, bytes).map_or_else(String::new, scalar_text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_shown_where_they_part() {
        let (a, b) = (format!("{}old{}", "x".repeat(200), "y".repeat(99)), format!("{}new", "x".repeat(200)));
        assert_eq!(parted(b"short", b"shorter", 20), ("short".into(), "shorter".into()));
        let (one, other) = parted(a.as_bytes(), b.as_bytes(), 12);
        assert_eq!((one.as_str(), other.as_str()), ("…xxxxoldyyy…", "…xxxxnew"));
        // A character that parts in its second byte is shown whole.
        let (one, other) = parted("aaaaaaaaaaaé".as_bytes(), "aaaaaaaaaaaè".as_bytes(), 6);
        assert!(one.ends_with('é') && other.ends_with('è'), "{one} {other}");
    }

    #[test]
    fn a_quote_inside_of_quotes_is_told_from_their_end() {
        let text = |bytes: &'static [u8]| text(Value::String(ggufkit::format::ByteStr(bytes)), 40);
        assert_eq!((text(b"\"").as_str(), text(b"a\"b").as_str()), (r#""\"""#, r#""a\"b""#));
    }

    #[test]
    fn numbers_that_look_alike_are_told_apart_by_their_bits() {
        let nan = |bits| Value::Scalar(Scalar::F32(f32::from_bits(bits)));
        let (a, b) = both(nan(0x7fc0_0000), nan(0x7fc0_0001), 40);
        assert_eq!((a.as_str(), b.as_str()), ("NaN (0x7fc00000)", "NaN (0x7fc00001)"));
    }

    #[test]
    fn values_of_tensors_are_read_in_their_byte_order() {
        assert_eq!(element(TensorType::F32, Endian::Big, &[0x3f, 0x80, 0, 0]), "1.0");
        assert_eq!(element(TensorType::BF16, Endian::Little, &[0x80, 0x3f]), "1.0");
        assert_eq!(element(TensorType::I8, Endian::Little, &[0xff]), "-1");
    }
}
