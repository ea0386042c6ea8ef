//! How single values are spelled.

use std::io::{self, Write};

use ggufkit_format::is_safe;

/// Words that a reader of YAML 1.1 or 1.2 takes for something else than text.
const RESERVED: [&str; 11] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf"];

/// Whether a text may stand without quotes, wherever a value may stand.
pub(super) fn is_word(text: &str) -> bool {
    let word = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-' | b'/'));
    word && !RESERVED.iter().any(|reserved| text.eq_ignore_ascii_case(reserved))
}

/// Whether a text can be a literal block without an indication of its indent.
pub(super) fn is_block(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let last = body.rsplit('\n').next().unwrap_or_default();
    text.contains('\n')
        && !body.starts_with([' ', '\n'])
        && !body.is_empty()
        && !last.trim_start_matches(' ').is_empty()
        && text.chars().all(|c| c == '\n' || is_printed(c))
}

fn is_printed(c: char) -> bool {
    is_safe(c) && !matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// Writes a text in double quotes.
pub(super) fn write_quoted<W: Write>(out: &mut W, text: &str) -> io::Result<()> {
    out.write_all(b"\"")?;
    let mut plain = 0;
    for (at, c) in text.char_indices().filter(|&(_, c)| matches!(c, '"' | '\\') || !is_printed(c)) {
        out.write_all(text.get(plain..at).unwrap_or_default().as_bytes())?;
        plain = at + c.len_utf8();
        match c {
            '"' => out.write_all(b"\\\"")?,
            '\\' => out.write_all(b"\\\\")?,
            '\n' => out.write_all(b"\\n")?,
            '\t' => out.write_all(b"\\t")?,
            '\r' => out.write_all(b"\\r")?,
            '\0' => out.write_all(b"\\0")?,
            '\u{1b}' => out.write_all(b"\\e")?,
            c if u32::from(c) < 0x100 => write!(out, "\\x{:02x}", u32::from(c))?,
            c if u32::from(c) < 0x1_0000 => write!(out, "\\u{:04x}", u32::from(c))?,
            c => write!(out, "\\U{:08x}", u32::from(c))?,
        }
    }
    out.write_all(text.get(plain..).unwrap_or_default().as_bytes())?;
    out.write_all(b"\"")
}

/// Writes the lines of a literal block, each after `indent` spaces; the indicator with its line comes before.
pub(super) fn write_block<W: Write>(out: &mut W, text: &str, indent: usize) -> io::Result<()> {
    let (body, indicator) = match text.strip_suffix('\n') {
        Some(body) => (body, "|"),
        None => (text, "|-"),
    };
    out.write_all(indicator.as_bytes())?;
    for line in body.split('\n') {
        out.write_all(b"\n")?;
        if !line.is_empty() {
            write!(out, "{:indent$}{line}", "")?;
        }
    }
    Ok(())
}

/// The shortest digits that give the number back, with the point and the sign that YAML 1.1 wants to see.
pub(super) fn float(shortest: String) -> String {
    match shortest.split_once('e') {
        None => match shortest.as_str() {
            "NaN" => ".nan".to_owned(),
            "inf" => ".inf".to_owned(),
            "-inf" => "-.inf".to_owned(),
            _ => shortest,
        },
        Some((digits, exponent)) => {
            let point = if digits.contains('.') { "" } else { ".0" };
            let sign = if exponent.starts_with('-') { "" } else { "+" };
            format!("{digits}{point}e{sign}{exponent}")
        }
    }
}
