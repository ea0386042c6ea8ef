//! How an answer is printed: text, bytes or JSON.

use std::io::{self, Write};

use ggufkit::format::spec::{ValueType, keys};
use ggufkit::format::{ArrayRef, ByteStr, Escaped, Span, Value, is_safe};
use ggufkit::inspect::json::{JsonText, JsonValue};
use ggufkit::inspect::query::{Query, Selected, near, select};
use ggufkit::inspect::units;
use serde::Serialize;
use serde::ser::{SerializeMap as _, SerializeSeq as _, Serializer};

use super::find::{Answer, Hit};
use crate::failure::Failed;
use crate::json::{self, Files};
use crate::out::{self, Ink, Out};
use crate::{FAILED, NO, OK, frame};

/// Keys that are suggested for one that is absent.
const SUGGESTIONS: usize = 3;

/// The form of the output.
pub(super) enum Form {
    /// Text, each line after the path or the key where there are several.
    Text { path: bool, key: bool },
    /// The bytes of one value.
    Raw,
    /// A document.
    Json(Files),
}

/// Prints answers.
pub(super) struct Show {
    pub(super) form: Form,
    /// The type that a value must have.
    pub(super) wanted: Option<ValueType>,
    /// Whether a text was not printed as it is.
    pub(super) escaped: bool,
}

impl Show {
    /// Prints what was found, and says what was not. The value is the exit status as far as values and types decide it.
    ///
    /// # Errors
    /// The output's.
    pub(super) fn answer(&mut self, out: &mut Out, answer: &Answer<'_>) -> io::Result<u8> {
        let mut status = OK;
        let (mut picked, mut refused) = (Vec::new(), Vec::new());
        for hit in answer.hits {
            match self.pick(hit) {
                Ok(selected) => picked.push(Picked { hit: *hit, selected }),
                Err(message) => {
                    status = NO;
                    refused.push((hit, message));
                }
            }
        }
        // Of a file that could not be read to its end nobody knows what it lacks.
        let absent = if answer.failures.is_empty() { &answer.absent[..] } else { &[] };
        let absent = absent.iter().map(|query| (*query, suggestions(query, answer)));
        match &mut self.form {
            Form::Json(files) => {
                let refused = refused.iter().map(|(hit, message)| Refused {
                    query: JsonText(ByteStr(hit.query.text())),
                    file: json::path(hit.file),
                    key: JsonText(hit.view.key(hit.kv)),
                    message,
                });
                let absent: Vec<_> = absent.collect();
                let file = File {
                    path: json::path(answer.path),
                    values: &picked,
                    absent: absent
                        .iter()
                        .map(|(query, near)| Absent {
                            query: JsonText(ByteStr(query.text())),
                            near: near.iter().map(|key| JsonText(ByteStr(key))).collect(),
                        })
                        .collect(),
                    refused: refused.collect(),
                    errors: answer.failures.iter().map(Failed::json).collect(),
                };
                files.add(out, &file)?;
                return Ok(status);
            }
            Form::Raw => {
                for one in &picked {
                    if out.is_terminal() && !out::is_harmless(one.raw()) {
                        let (file, key) = (out::path(one.hit.file), one.hit.query);
                        let text =
                            "its bytes could act on this terminal: redirect the output to a file or a pipe";
                        out.message(Ink::Bad, "error", &format!("{file}: {key}: {text}"))?;
                        status = FAILED;
                        continue;
                    }
                    out.write_all(one.raw())?;
                }
            }
            Form::Text { path, key } => {
                let (path, key) = (*path, *key);
                for one in &picked {
                    self.escaped |= one.text(out, path, key)?;
                }
            }
        }
        for (hit, message) in refused {
            let key = Escaped(hit.view.key(hit.kv).as_bytes());
            out.message(Ink::Bad, "error", &format!("{}: {key}: {message}", out::path(hit.file)))?;
        }
        for (query, near) in absent {
            self::absent(out, answer.label, query, &near)?;
        }
        frame::report(out, answer.failures)?;
        Ok(status)
    }

    /// Ends the output.
    ///
    /// # Errors
    /// The output's.
    pub(super) fn end(self, out: &mut Out) -> io::Result<()> {
        if let Form::Json(files) = self.form {
            files.end(out)?;
        }
        if self.escaped {
            let note = "some characters could act on a terminal and were written as escapes; --raw prints exact bytes";
            out.message(Ink::Faint, "note", note)?;
        }
        Ok(())
    }

    fn pick<'a>(&self, hit: &Hit<'a>) -> Result<Selected<'a>, String> {
        let selected = select(hit.view.value(hit.kv), hit.steps).map_err(|error| error.to_string())?;
        match (self.wanted, selected.value_type()) {
            (Some(wanted), found) if wanted != found => {
                Err(format!("the value is a {found}, not a {wanted}"))
            }
            _ => Ok(selected),
        }
    }
}

/// Keys that were perhaps meant: of the file, else known ones.
fn suggestions(query: &Query, answer: &Answer<'_>) -> Vec<Vec<u8>> {
    let seen = answer.keys.iter().map(Vec::as_slice);
    near(query.key(), seen, SUGGESTIONS).into_iter().map(<[u8]>::to_vec).collect()
}

fn absent(out: &mut Out, label: &str, query: &Query, near: &[Vec<u8>]) -> io::Result<()> {
    out.message(Ink::Bad, "error", &format!("{label}: no key {query}"))?;
    let quoted: Vec<String> = near.iter().map(|key| Escaped(key).to_string()).collect();
    if !quoted.is_empty() {
        return out.message(Ink::Good, "  help", &format!("did you mean {}?", quoted.join(", ")));
    }
    if keys::lookup(query.key()).is_some() {
        return out.message(Ink::Faint, "  note", "a known key, which this file does not have");
    }
    match &keys::near(query.key(), SUGGESTIONS)[..] {
        [] => Ok(()),
        known => {
            // In the words of the question: "qwen2.pooling_type" for "qwen2.pooling_typ".
            let first =
                query.key().split(|&b| b == b'.').next().filter(|first| first.len() < query.key().len());
            let arch = first.map_or_else(|| "{arch}".to_owned(), |first| Escaped(first).to_string());
            let known: Vec<String> = known.iter().map(|key| key.replace("{arch}", &arch)).collect();
            let text = format!("known keys that are spelled like it: {}", known.join(", "));
            out.message(Ink::Faint, "  note", &text)
        }
    }
}

/// A value, or the part of it that was asked for.
struct Picked<'a> {
    hit: Hit<'a>,
    selected: Selected<'a>,
}

impl<'a> Picked<'a> {
    /// Where the value, the element or the range stands.
    fn span(&self) -> Span {
        self.selected.span().unwrap_or(self.hit.kv.value_span)
    }

    /// The bytes: of a text without its length, of an array without its header.
    fn raw(&self) -> &'a [u8] {
        match self.selected {
            Selected::Value { value: Value::String(text), .. } => text.as_bytes(),
            Selected::Value { value: Value::Array(array), .. } => array.as_bytes(),
            _ => self.hit.view.bytes(self.span()).unwrap_or_default(),
        }
    }

    /// Prints the value as lines; whether a text that stands alone had to be escaped.
    fn text(&self, out: &mut Out, path: bool, key: bool) -> io::Result<bool> {
        let file = out.paint(Ink::Faint, format!("{}: ", out::path(self.hit.file)));
        let file = if path { file.to_string() } else { String::new() };
        let name = self.hit.query.to_string();
        let label = |out: &Out, at: Option<u64>| {
            let at = at.map_or_else(String::new, |at| format!("[{at}]"));
            if key { format!("{file}{}: ", out.paint(Ink::Key, format!("{name}{at}"))) } else { file.clone() }
        };
        let (array, from, to) = match self.selected {
            Selected::Value { value: Value::Array(array), .. } => (array, 0, array.len()),
            Selected::Range { array, from, to } => (array, from, to),
            Selected::Value { value: Value::String(text), .. } if !path && !key => {
                let escaped = write_text(out, text.as_bytes())?;
                writeln!(out)?;
                return Ok(escaped);
            }
            Selected::Value { value, .. } => {
                let label = label(out, None);
                write!(out, "{label}")?;
                one_line(out, value)?;
                return Ok(false);
            }
        };
        // Numbered within what was asked for.
        for (i, value) in (0..to.saturating_sub(from)).zip(array.iter_from(from)) {
            if path || key {
                let label = label(out, Some(i));
                write!(out, "{label}")?;
            }
            one_line(out, value)?;
        }
        Ok(false)
    }
}

/// A value on a line of its own.
fn one_line(out: &mut Out, value: Value<'_>) -> io::Result<()> {
    match value {
        Value::Scalar(one) => writeln!(out, "{}", units::scalar_text(one)),
        Value::String(text) => writeln!(out, "{}", text.display()),
        Value::Array(_) => {
            ggufkit::inspect::json::write(&mut *out, &JsonValue::whole(value), false)?;
            writeln!(out)
        }
    }
}

/// Writes text as it is, but for what could act on a terminal; whether there was such a thing.
fn write_text<W: Write>(out: &mut W, bytes: &[u8]) -> io::Result<bool> {
    let mut escaped = false;
    for chunk in bytes.utf8_chunks() {
        let text = chunk.valid();
        let mut plain = 0;
        for (at, c) in text.char_indices().filter(|&(_, c)| !is_safe(c) && c != '\n' && c != '\t') {
            let end = at + c.len_utf8();
            out.write_all(text.get(plain..at).unwrap_or_default().as_bytes())?;
            write!(out, "{}", Escaped(text.get(at..end).unwrap_or_default().as_bytes()))?;
            plain = end;
            escaped = true;
        }
        out.write_all(text.get(plain..).unwrap_or_default().as_bytes())?;
        if !chunk.invalid().is_empty() {
            write!(out, "{}", Escaped(chunk.invalid()))?;
            escaped = true;
        }
    }
    Ok(escaped)
}

/// One input in the document.
#[derive(Serialize)]
struct File<'a> {
    path: JsonText<'a>,
    values: &'a [Picked<'a>],
    absent: Vec<Absent<'a>>,
    refused: Vec<Refused<'a>>,
    errors: Vec<serde_json::Value>,
}

/// Writes the document of inputs that no file came of.
///
/// # Errors
/// The output's.
pub(super) fn nothing(out: &mut Out, failures: &[Failed]) -> io::Result<()> {
    let mut files = Files::begin(out, "get", true)?;
    for failed in failures {
        let path = JsonText(failed.name());
        let (absent, refused) = (Vec::new(), Vec::new());
        files.add(out, &File { path, values: &[], absent, refused, errors: vec![failed.json()] })?;
    }
    files.end(out)
}

/// A key that the input does not have.
#[derive(Serialize)]
struct Absent<'a> {
    query: JsonText<'a>,
    near: Vec<JsonText<'a>>,
}

/// A key whose value has no such position or another type.
#[derive(Serialize)]
struct Refused<'a> {
    query: JsonText<'a>,
    file: JsonText<'a>,
    key: JsonText<'a>,
    message: &'a str,
}

impl Serialize for Picked<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Hit { query, file, view, kv, index, .. } = self.hit;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("query", &JsonText(ByteStr(query.text())))?;
        map.serialize_entry("file", &json::path(file))?;
        map.serialize_entry("key", &JsonText(view.key(kv)))?;
        map.serialize_entry("index", &index)?;
        map.serialize_entry("type", &self.selected.value_type().to_string())?;
        let (array, from, to) = match self.selected {
            Selected::Value { value: Value::Array(array), .. } => (array, 0, array.len()),
            Selected::Range { array, from, to } => (array, from, to),
            Selected::Value { value, .. } => {
                map.serialize_entry("offset", &kv.span.start)?;
                map.serialize_entry("size", &kv.span.len)?;
                map.serialize_entry("value_offset", &self.span().start)?;
                map.serialize_entry("value_size", &self.span().len)?;
                map.serialize_entry("value", &JsonValue::whole(value))?;
                return map.end();
            }
        };
        map.serialize_entry("element_type", &array.element_type().to_string())?;
        map.serialize_entry("length", &to.saturating_sub(from))?;
        if matches!(self.selected, Selected::Range { .. }) {
            map.serialize_entry("from", &from)?;
        }
        map.serialize_entry("offset", &kv.span.start)?;
        map.serialize_entry("size", &kv.span.len)?;
        map.serialize_entry("value_offset", &self.span().start)?;
        map.serialize_entry("value_size", &self.span().len)?;
        map.serialize_entry("value", &Elements { array, from, to })?;
        map.end()
    }
}

/// Elements of an array; arrays inside are whole, whatever the range of the outermost.
struct Elements<'a> {
    array: ArrayRef<'a>,
    from: u64,
    to: u64,
}

impl Serialize for Elements<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(None)?;
        for (_, value) in (self.from..self.to).zip(self.array.iter_from(self.from)) {
            seq.serialize_element(&JsonValue::whole(value))?;
        }
        seq.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> (String, bool) {
        let mut out = Vec::new();
        let escaped = write_text(&mut out, bytes).unwrap();
        (String::from_utf8(out).unwrap(), escaped)
    }

    #[test]
    fn text_is_as_it_is_unless_it_could_act_on_a_terminal() {
        for clean in ["{% if x %}\n\t{{ y }}\n{% endif %}\n", r"back\slash \n", "中文 🙂", ""] {
            assert_eq!(text(clean.as_bytes()), (clean.to_owned(), false));
        }
        for (bytes, expected) in [
            (&b"\x1b[2J"[..], r"\x1b[2J"),
            (b"a\r\nb", "a\\r\nb"),
            (b"nul\0", r"nul\0"),
            (b"\xff\xc3", r"\xff\xc3"),
            ("\u{202e}x".as_bytes(), r"\u{202e}x"),
        ] {
            assert_eq!(text(bytes), (expected.to_owned(), true));
        }
    }
}
