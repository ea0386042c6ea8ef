//! Numbers for people: sizes, counts, parameters, and the values of a file.

use ggufkit_format::{Scalar, f16_to_f32};

use crate::json::non_finite;

/// A value of the file as text, the same wherever one is shown. JSON has the same digits, and its writer's own view of when
/// to use an exponent.
///
/// Whole numbers and bools are themselves. A float is written in the fewest digits that give the same float back in its
/// width, with a point or an exponent, so that it is never taken for a whole number: `10000.0`, `0.1`, `-0.0`. Below 1e-4
/// and from 1e16 on it has an exponent: `1e-5`. What is no number is `NaN`, `Infinity` or `-Infinity`.
#[must_use]
pub fn scalar_text(scalar: Scalar) -> String {
    match scalar {
        Scalar::U8(v) => v.to_string(),
        Scalar::I8(v) => v.to_string(),
        Scalar::U16(v) => v.to_string(),
        Scalar::I16(v) => v.to_string(),
        Scalar::U32(v) => v.to_string(),
        Scalar::I32(v) => v.to_string(),
        Scalar::U64(v) => v.to_string(),
        Scalar::I64(v) => v.to_string(),
        Scalar::Bool(v) => (v != 0).to_string(),
        // The standard library's form for debugging is the one described above.
        Scalar::F32(v) if v.is_finite() => format!("{v:?}"),
        Scalar::F64(v) if v.is_finite() => format!("{v:?}"),
        Scalar::F16(v) if f16_to_f32(v).is_finite() => format!("{:?}", f16_to_f32(v)),
        Scalar::F32(v) => non_finite(v.into()).to_owned(),
        Scalar::F64(v) => non_finite(v).to_owned(),
        Scalar::F16(v) => non_finite(f16_to_f32(v).into()).to_owned(),
    }
}

/// A number with its thousands apart: `1,234,567`.
#[must_use]
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A size in binary units with three significant digits: `17 B`, `4.00 KiB`, `1.94 GiB`.
#[must_use]
pub fn bytes(n: u64) -> String {
    scaled(n, 1024, &["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"])
}

/// A number of parameters as models are named: `124 M`, `8.03 B`.
#[must_use]
pub fn parameters(n: u64) -> String {
    scaled(n, 1000, &["", "K", "M", "B", "T", "Q"]).trim_end().to_owned()
}

fn scaled(n: u64, step: u64, names: &[&str]) -> String {
    let mut unit = 0;
    let mut whole = n as f64;
    // 999.5 would print as 1000, which belongs to the next unit.
    while whole >= step as f64 - 0.5 && unit + 1 < names.len() {
        whole /= step as f64;
        unit += 1;
    }
    match unit {
        0 => format!("{n} {}", names[0]),
        _ if whole < 9.995 => format!("{whole:.2} {}", names[unit]),
        _ if whole < 99.95 => format!("{whole:.1} {}", names[unit]),
        _ => format!("{whole:.0} {}", names[unit]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_spelled_as_short_as_they_are_exact() {
        for (scalar, expected) in [
            (Scalar::F32(1e-5), "1e-5"),
            (Scalar::F32(1e-4), "0.0001"),
            (Scalar::F32(0.1), "0.1"),
            (Scalar::F32(10000.0), "10000.0"),
            (Scalar::F32(-0.0), "-0.0"),
            (Scalar::F32(f32::MAX), "3.4028235e38"),
            (Scalar::F32(1.0e-45), "1e-45"),
            (Scalar::F64(0.1), "0.1"),
            (Scalar::F64(1e15), "1000000000000000.0"),
            (Scalar::F64(1e16), "1e16"),
            (Scalar::F64(f64::NEG_INFINITY), "-Infinity"),
            (Scalar::F32(f32::NAN), "NaN"),
            // 1.0 and infinity as half precision.
            (Scalar::F16(0x3c00), "1.0"),
            (Scalar::F16(0x7c00), "Infinity"),
            (Scalar::U64(u64::MAX), "18446744073709551615"),
            (Scalar::I8(-128), "-128"),
            (Scalar::Bool(7), "true"),
        ] {
            let text = scalar_text(scalar);
            assert_eq!(text, expected);
            if let (Ok(number), Some(value)) = (text.parse::<f64>(), scalar.as_float()) {
                // In the width of the scalar: 0.1 as f32 is another number than 0.1 as f64.
                let same = matches!(scalar, Scalar::F64(_)) && number.to_bits() == value.to_bits();
                assert!(value.is_nan() || same || number as f32 == value as f32, "{text}");
            }
        }
    }

    #[test]
    fn numbers_read_well() {
        for (n, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(count(n), text);
        }
        for (n, text) in [
            (17, "17 B"),
            (1023, "1023 B"),
            (1024, "1.00 KiB"),
            (2_147_992_800, "2.00 GiB"),
            (24_032_608, "22.9 MiB"),
            (u64::MAX, "16.0 EiB"),
        ] {
            assert_eq!(bytes(n), text);
        }
        for (n, text) in
            [(8_030_261_248, "8.03 B"), (124_439_808, "124 M"), (671_026_404_352, "671 B"), (12, "12")]
        {
            assert_eq!(parameters(n), text);
        }
    }
}
