//! Texts that servers send instead of a file: pages, refusals in XML and JSON, plain lines.

use super::magic::contains;
use super::{Identity, JsonKind};
use alloc::string::String;

/// The most characters that are quoted from a file.
const QUOTE_MAX: usize = 80;

/// Bytes as a quote: printable ASCII as it is, one space for each run of white space, one `?` for each run of anything
/// else, at most [`QUOTE_MAX`] characters. So a quote can neither steer a terminal nor hide anything.
pub(super) fn quote(bytes: &[u8]) -> String {
    let mut out = String::new();
    let mut room = QUOTE_MAX;
    let mut space = false;
    let mut odd = false;
    for b in bytes {
        if b.is_ascii_whitespace() {
            space = true;
            odd = false;
            continue;
        }
        let printable = b.is_ascii_graphic();
        if !printable && odd && !space {
            continue;
        }
        odd = !printable;
        let shown = if printable { char::from(*b) } else { '?' };
        let gap = space && !out.is_empty();
        space = false;
        let Some(left) = room.checked_sub(if gap { 2 } else { 1 }) else {
            out.push_str("...");
            break;
        };
        room = left;
        if gap {
            out.push(' ');
        }
        out.push(shown);
    }
    out
}

/// A quote, when there is something to quote.
fn quoted(bytes: &[u8]) -> Option<String> {
    Some(quote(bytes)).filter(|q| !q.is_empty())
}

/// A web page or another XML text. Bytes may be in any encoding whose markup is ASCII.
pub(super) fn markup(text: &[u8]) -> Option<Identity> {
    const PAGE_STARTS: [&[u8]; 9] = [
        b"<!doctype html",
        b"<html",
        b"<head",
        b"<body",
        b"<script",
        b"<title",
        b"<meta",
        b"<center",
        b"<h1",
    ];
    let text = text.trim_ascii_start();
    if text.first() != Some(&b'<') {
        return None;
    }
    let is_prologue =
        starts_with(text, b"<?xml") || starts_with(text, b"<!--") || starts_with(text, b"<!doctype");
    let is_page = PAGE_STARTS.iter().any(|start| starts_with(text, start))
        || (is_prologue && position(text, b"<html").is_some());
    if is_page {
        return Some(Identity::Html { title: element(text, b"<title").and_then(quoted) });
    }
    (starts_with(text, b"<?xml") || starts_with(text, b"<error>") || starts_with(text, b"<error "))
        .then(|| Identity::Xml { code: element(text, b"<code").and_then(quoted) })
}

/// The text of the first element that begins with `start` (`<title`), up to the next markup.
fn element<'t>(text: &'t [u8], start: &[u8]) -> Option<&'t [u8]> {
    let at = position(text, start)?.checked_add(start.len())?;
    let rest = text.get(at..)?;
    let open = rest.iter().position(|b| *b == b'>')?.checked_add(1)?;
    let body = rest.get(open..)?;
    let end = body.iter().position(|b| *b == b'<').unwrap_or(body.len());
    body.get(..end)
}

/// Position of an ASCII text in any case.
fn position(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|w| w.eq_ignore_ascii_case(wanted))
}

fn starts_with(text: &[u8], start: &[u8]) -> bool {
    text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
}

/// A JSON object or array. The caller has made sure that the bytes are text.
pub(super) fn json(text: &[u8]) -> Option<Identity> {
    let text = text.trim_ascii();
    let (first, rest) = text.split_first()?;
    let next = rest.trim_ascii_start().first();
    let is_json = match first {
        b'{' => matches!(next, None | Some(b'"' | b'}')),
        // Not `[2024-01-01 12:00] started`: a number goes on with another element.
        b'[' => match next {
            Some(b'{' | b'[' | b'"' | b']') => true,
            Some(b'0'..=b'9') => {
                rest.iter().find(|b| !b.is_ascii_digit()).is_some_and(|b| matches!(b, b',' | b'.'))
            }
            _ => false,
        },
        _ => false,
    };
    if !is_json {
        return None;
    }
    let has = |key: &[u8]| contains(text, key);
    let message = || {
        ["\"message\"", "\"error\"", "\"detail\"", "\"error_description\""]
            .iter()
            .find_map(|key| string_after(text, key.as_bytes()))
            .and_then(quoted)
    };
    let first_key = rest.trim_ascii_start();
    let is_refusal = has(b"\"error\"")
        || [&b"\"message\""[..], b"\"detail\"", b"\"errors\"", b"\"statusCode\""]
            .iter()
            .any(|k| first_key.starts_with(k));
    let kind = if has(b"\"weight_map\"") {
        JsonKind::SafetensorsIndex
    } else if has(b"\"mediaType\"") || has(b"\"schemaVersion\"") {
        JsonKind::Manifest
    } else if has(b"\"model_type\"") || has(b"\"architectures\"") || has(b"\"tokenizer_class\"") {
        JsonKind::Config
    } else if is_refusal {
        return Some(Identity::Json { kind: JsonKind::Error, message: message() });
    } else {
        JsonKind::Other
    };
    Some(Identity::Json { kind, message: None })
}

/// The string value after a key, as it stands between its quotes. Cut off at an escaped quote: it is only shown.
fn string_after<'t>(text: &'t [u8], key: &[u8]) -> Option<&'t [u8]> {
    let at = text.windows(key.len()).position(|w| w == key)?.checked_add(key.len())?;
    let value =
        text.get(at..)?.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start().strip_prefix(b"\"")?;
    let end = value.iter().position(|b| matches!(b, b'"' | b'\\')).unwrap_or(value.len());
    value.get(..end)
}

/// `HTTP/1.1 404 Not Found`: the status code.
pub(super) fn http_status(text: &[u8]) -> Option<Option<u16>> {
    let after = text.strip_prefix(b"HTTP/")?;
    let (version, rest) = after.split_at_checked(after.iter().position(|b| *b == b' ')?)?;
    if !version.iter().all(|b| b.is_ascii_digit() || *b == b'.') {
        return None;
    }
    let code = rest.get(1..4).filter(|code| code.iter().all(u8::is_ascii_digit));
    Some(code.and_then(|code| core::str::from_utf8(code).ok()).and_then(|code| code.parse().ok()))
}

/// Whether bytes are UTF-8 text without control characters. A character that the end cuts is let pass.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    let valid = match core::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(e) if e.error_len().is_none() => match bytes.get(..e.valid_up_to()).map(core::str::from_utf8) {
            Some(Ok(text)) => text,
            _ => return false,
        },
        Err(_) => return false,
    };
    !valid.is_empty() && valid.chars().all(|c| !c.is_control() || matches!(c, '\t' | '\n' | '\r' | '\x0c'))
}

/// The first line that holds anything.
pub(super) fn first_line(text: &[u8]) -> String {
    text.split(|b| matches!(b, b'\n' | b'\r')).map(quote).find(|line| !line.is_empty()).unwrap_or_default()
}
