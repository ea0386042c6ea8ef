//! Values that JSON does not tell from others, and their bytes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ggufkit_format::encode::{Bools, Encoder};
use ggufkit_format::spec::ValueType;
use ggufkit_format::{Endian, Scalar, Value};

/// The bytes of a value, in base64, as a little-endian file of version 3 has them; `None` where the value in JSON tells them:
/// where it holds no array in an array, no NaN but the usual one, and no array with a bool that is neither 0 nor 1.
pub(super) fn bytes(value: Value<'_>) -> Option<String> {
    let told = match value {
        Value::Scalar(scalar) => is_usual(scalar),
        Value::String(_) => true,
        Value::Array(array) => match array.element_type() {
            ValueType::ARRAY => false,
            ValueType::FLOAT32 | ValueType::FLOAT64 | ValueType::FLOAT16 => {
                array.iter().all(|item| !matches!(item, Value::Scalar(scalar) if !is_usual(scalar)))
            }
            ValueType::BOOL => array.as_bytes().iter().all(|byte| *byte < 2),
            _ => true,
        },
    };
    if told {
        return None;
    }
    let mut out = Vec::new();
    let encoder = Encoder::new(3, Endian::Little).ok()?;
    encoder.value(&mut out, value, Bools::Keep).ok()?;
    Some(STANDARD.encode(out))
}

/// Whether a number is no NaN with bits of its own. The usual ones are those that the words `NaN` are read as.
fn is_usual(scalar: Scalar) -> bool {
    match scalar {
        Scalar::F32(number) => !number.is_nan() || number.to_bits() == 0x7fc0_0000,
        Scalar::F64(number) => !number.is_nan() || number.to_bits() == 0x7ff8_0000_0000_0000,
        // Written anew it is an f32, of which the same holds.
        Scalar::F16(bits) => bits & 0x7fff <= 0x7c00 || bits == 0x7e00,
        _ => true,
    }
}

/// Whether elements are left out of an array, or of one inside of it, when each shows so many.
pub(super) fn is_cut(value: Value<'_>, max: u64) -> bool {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        let Value::Array(array) = value else { continue };
        if array.len() > max {
            return true;
        }
        if array.element_type() == ValueType::ARRAY {
            open.extend(array.iter());
        }
    }
    false
}
