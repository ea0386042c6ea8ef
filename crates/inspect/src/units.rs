//! Numbers for people: sizes, counts, parameters.

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
