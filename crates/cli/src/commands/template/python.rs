//! JSON as Python's `json.dumps` writes it, which is what templates are trained with.

use std::io;

use minijinja::value::Kwargs;
use minijinja::{Error, ErrorKind, Value};
use serde::Serialize as _;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};

/// Deepest indentation that a template may ask for.
const MAX_INDENT: usize = 16;

/// The filter `tojson` of transformers: text beyond ASCII as it is, a space behind `,` and `:`.
pub(super) fn to_json(value: &Value, options: Kwargs) -> Result<String, Error> {
    let indent: Option<usize> = options.get("indent")?;
    let ascii: Option<bool> = options.get("ensure_ascii")?;
    // Separators and sorting change the text too: better no prompt than another one.
    options.assert_all_used()?;
    let mut out = Limited(Vec::new());
    let written = match indent {
        None => value.serialize(&mut serde_json::Serializer::with_formatter(&mut out, Spaced)),
        Some(indent) => {
            let spaces = " ".repeat(indent.min(MAX_INDENT));
            let formatter = PrettyFormatter::with_indent(spaces.as_bytes());
            value.serialize(&mut serde_json::Serializer::with_formatter(&mut out, formatter))
        }
    };
    let error = |error: String| Error::new(ErrorKind::BadSerialization, error);
    written.map_err(|e| error(e.to_string()))?;
    let text = String::from_utf8(out.0).map_err(|e| error(e.to_string()))?;
    Ok(if ascii == Some(true) { escaped(&text) } else { text })
}

/// The filter `from_json` of llama.cpp.
pub(super) fn from_json(text: &str) -> Result<Value, Error> {
    serde_json::from_str(text).map_err(|error| Error::new(ErrorKind::CannotDeserialize, error.to_string()))
}

/// Widest field that a template may ask for.
const MAX_WIDTH: i64 = 1000;

/// Refuses methods of strings that make much of little: `"{:>999999999}".format(1)` takes a gigabyte, which fuel does not
/// count.
pub(super) fn is_modest(value: &Value, method: &str, args: &[Value]) -> Result<(), Error> {
    let Some(text) = value.as_str() else { return Ok(()) };
    let digits = text.split(|c: char| !c.is_ascii_digit()).map(str::len).max().unwrap_or(0);
    let widths = args.iter().filter_map(Value::as_i64).max().unwrap_or(0);
    let wide = match method {
        "format" => digits > 3 || (text.contains("{:{") && widths > MAX_WIDTH),
        "center" | "ljust" | "rjust" | "zfill" | "expandtabs" => widths > MAX_WIDTH,
        _ => false,
    };
    match wide {
        true => {
            Err(Error::new(ErrorKind::InvalidOperation, "it asks for a field wider than 1000 characters"))
        }
        false => Ok(()),
    }
}

/// Text up to a length: a value that holds another one twice, which holds a third one twice, is small and writes much.
struct Limited(Vec<u8>);

/// Bytes of one value as JSON.
const MAX_JSON: usize = 16 << 20;

impl io::Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len().saturating_add(bytes.len()) > MAX_JSON {
            return Err(io::Error::other("the value is too long as JSON"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Characters beyond ASCII as `\u` escapes.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut units = [0; 2];
    for c in text.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    out
}

/// `{"a": 1, "b": [1, 2]}`.
struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: io::Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object_key<W: io::Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object_value<W: io::Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        CompactFormatter.begin_object_value(out)?;
        out.write_all(b" ")
    }
}
