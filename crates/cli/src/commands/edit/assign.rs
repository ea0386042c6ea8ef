//! From words to operations: `key=value`, `key:type=value`, `key[3]=value`, `key=@file`.

use std::ffi::OsStr;
#[cfg(unix)]
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use ggufkit::edit::{Element, Given, Operation};
use ggufkit::format::spec::KeyType;

use crate::failure::Failure;
use crate::input::read_limited;
use crate::out;

/// Longest file that a value is taken from.
const MAX_VALUE: u64 = 1 << 30;

/// Whether a word is an assignment and no file.
pub(in crate::commands) fn is_assignment(word: &OsStr) -> bool {
    word.as_encoded_bytes().contains(&b'=')
}

/// What a word assigns: a value to a key or to an element, or with `[+]` one element more.
pub(in crate::commands) fn assignment(word: &OsStr) -> Result<Operation, Failure> {
    let bytes = word.as_encoded_bytes();
    let Some((left, right)) = parted(bytes) else {
        let message = format!("{} is no assignment: write key=value", out::fit(bytes, 60));
        return Err(Failure::usage("no-assignment", message));
    };
    let (name, ty) = typed(left);
    let (key, place) = place(name);
    if key.is_empty() {
        return Err(Failure::usage("no-assignment", format!("{} names no key", out::fit(bytes, 60))));
    }
    let (key, value) = (key.to_vec(), value_of(right)?);
    Ok(match place {
        Some(Place::New(_)) if ty.is_some() => {
            let message = format!("{}: an element is of the type of its array", out::fit(left, 60));
            return Err(Failure::usage("no-assignment", message));
        }
        Some(Place::New(before)) => Operation::Insert { key, before, value },
        Some(Place::Of(element)) => Operation::Set { key, element: Some(element), ty, value },
        None => Operation::Set { key, element: None, ty, value },
    })
}

/// What a word takes out: a key, keys by a pattern, or an element.
pub(in crate::commands) fn removal(word: &OsStr) -> Operation {
    match place(word.as_encoded_bytes()) {
        (key, Some(Place::Of(element))) => Operation::Remove { key: key.to_vec(), element },
        _ => Operation::Unset(word.as_encoded_bytes().to_vec()),
    }
}

/// What stands before and behind the equals sign. One inside of the brackets that name a token is the token's.
fn parted(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let part = |at: usize| Some((bytes.get(..at)?, bytes.get(at.checked_add(1)?..)?));
    let open = BY_TOKEN
        .iter()
        .find_map(|key| bytes.strip_prefix(*key)?.starts_with(b"[").then(|| key.len().saturating_add(1)));
    if let Some(open) = open {
        let closes = bytes.iter().enumerate().filter(|(at, byte)| **byte == b']' && *at > open);
        for (close, _) in closes {
            let rest = bytes.get(close.saturating_add(1)..).unwrap_or_default();
            let equals = rest.iter().position(|byte| *byte == b'=')?;
            if equals == 0 || rest.get(..equals).is_some_and(|ty| typed(ty).1.is_some()) {
                return part(close.saturating_add(1).saturating_add(equals));
            }
        }
    }
    part(bytes.iter().position(|&byte| byte == b'=')?)
}

/// A value as it was typed: itself, or after `@` what a file holds (`@-`: standard input); `@@` begins a text with `@`.
pub(in crate::commands) fn value_of(bytes: &[u8]) -> Result<Given, Failure> {
    let given = |bytes: Vec<u8>| match String::from_utf8(bytes) {
        Ok(text) => Given::Text(text),
        Err(error) => Given::Bytes(error.into_bytes()),
    };
    let Some(rest) = bytes.strip_prefix(b"@") else { return Ok(given(bytes.to_vec())) };
    if rest.starts_with(b"@") {
        return Ok(given(rest.to_vec()));
    }
    let read = || {
        let path = path_of(rest).ok_or(io::ErrorKind::InvalidFilename)?;
        read_limited(&path, MAX_VALUE)
    };
    read().map(given).map_err(|error| {
        let message = format!("the value in {} cannot be read: {error}", out::fit(rest, 200));
        Failure::Usage {
            code: "no-value",
            message,
            help: Some("a text that begins with @ is written @@".to_owned()),
        }
    })
}

/// The path in bytes that were typed; `None` where names are text and these bytes are not.
pub(in crate::commands) fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    #[cfg(unix)]
    return Some(std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec())).map(|name: OsString| name.into());
    #[cfg(not(unix))]
    return std::str::from_utf8(bytes).ok().map(PathBuf::from);
}

/// The name and the type after its last colon, where that is one.
fn typed(left: &[u8]) -> (&[u8], Option<KeyType>) {
    let colon = left.iter().rposition(|&byte| byte == b':');
    let ty =
        |at: usize| std::str::from_utf8(left.get(at.checked_add(1)?..)?).ok().and_then(KeyType::from_name);
    match colon.and_then(|at| Some((left.get(..at)?, ty(at)?))) {
        Some((name, ty)) => (name, Some(ty)),
        None => (left, None),
    }
}

/// Arrays that have an element for each token, which may be named by it.
pub(in crate::commands) const BY_TOKEN: [&[u8]; 3] =
    [b"tokenizer.ggml.tokens", b"tokenizer.ggml.token_type", b"tokenizer.ggml.scores"];

/// A place in an array.
#[derive(PartialEq, Debug)]
enum Place {
    /// That of an element.
    Of(Element),
    /// One for a new element, before another one or behind all.
    New(Option<Element>),
}

/// The key, and the place in its array: `[3]`, `[-1]`, the text of a token, `[+]` and `[+3]`.
fn place(name: &[u8]) -> (&[u8], Option<Place>) {
    // A token may have brackets itself.
    for key in BY_TOKEN {
        let inside = name.strip_prefix(key).and_then(|rest| rest.strip_prefix(b"[")?.strip_suffix(b"]"));
        let Some(inside) = inside else { continue };
        return (key, Some(number(inside).unwrap_or_else(|| Place::Of(Element::Token(text(inside))))));
    }
    let found = || {
        let inside = name.strip_suffix(b"]")?;
        let open = inside.iter().rposition(|&byte| byte == b'[')?;
        Some((inside.get(..open)?, number(inside.get(open.checked_add(1)?..)?)?))
    };
    found().map_or((name, None), |(key, place)| (key, Some(place)))
}

/// A place that is told by a number.
fn number(inside: &[u8]) -> Option<Place> {
    let digits = |bytes: &[u8]| -> Option<u64> {
        let plain = bytes.iter().all(u8::is_ascii_digit);
        std::str::from_utf8(bytes).ok().filter(|_| plain)?.parse().ok()
    };
    Some(match inside {
        b"+" => Place::New(None),
        [b'+', rest @ ..] => Place::New(Some(Element::At(digits(rest)?))),
        [b'-', rest @ ..] => Place::Of(Element::FromEnd(digits(rest)?)),
        _ => Place::Of(Element::At(digits(inside)?)),
    })
}

/// The text of a token: as it is, or in quotes, as JSON has it, where it would be taken for a number.
fn text(inside: &[u8]) -> Vec<u8> {
    let quoted = inside.len() > 2 && inside.starts_with(b"\"") && inside.ends_with(b"\"");
    let text: Option<String> = serde_json::from_slice(inside).ok().filter(|_| quoted);
    text.map_or_else(|| inside.to_vec(), String::into_bytes)
}

#[cfg(test)]
mod tests {
    use ggufkit::format::spec::ValueType;

    use super::*;

    fn set(key: &str, element: Option<Element>, ty: Option<KeyType>, value: &str) -> Operation {
        Operation::Set { key: key.into(), element, ty, value: Given::Text(value.to_owned()) }
    }

    #[test]
    fn words_become_operations() {
        let u32s = Some(KeyType::Array(ValueType::UINT32));
        let insert = |before| {
            let value = Given::Text("c".to_owned());
            Operation::Insert { key: b"a.b".to_vec(), before, value }
        };
        let token = |element| set("tokenizer.ggml.scores", Some(element), None, "4");
        for (word, operation) in [
            ("a.b=c", set("a.b", None, None, "c")),
            ("a.b=c=d", set("a.b", None, None, "c=d")),
            ("a.b=", set("a.b", None, None, "")),
            ("a.b:u32=7", set("a.b", None, Some(KeyType::Scalar(ValueType::UINT32)), "7")),
            ("a.b:array[u32]=[1]", set("a.b", None, u32s, "[1]")),
            ("a.b:[u32]=[1]", set("a.b", None, u32s, "[1]")),
            ("a:b=c", set("a:b", None, None, "c")),
            ("a.b[12]=c", set("a.b", Some(Element::At(12)), None, "c")),
            (
                "tokenizer.ggml.token_type[[INST]]=4",
                set("tokenizer.ggml.token_type", Some(Element::Token(b"[INST]".to_vec())), None, "4"),
            ),
            ("a.b[x]=c", set("a.b[x]", None, None, "c")),
            ("a.b[-1]=c", set("a.b", Some(Element::FromEnd(1)), None, "c")),
            ("a.b[+]=c", insert(None)),
            ("a.b[+2]=c", insert(Some(Element::At(2)))),
            ("a.b=@@c", set("a.b", None, None, "@c")),
            ("tokenizer.ggml.scores[2]=4", token(Element::At(2))),
            ("tokenizer.ggml.scores[=]=4", token(Element::Token(b"=".to_vec()))),
            ("tokenizer.ggml.scores[<|a=b|>]=4", token(Element::Token(b"<|a=b|>".to_vec()))),
            ("tokenizer.ggml.scores[[=]]=4", token(Element::Token(b"[=]".to_vec()))),
            ("tokenizer.ggml.scores[]]=4", token(Element::Token(b"]".to_vec()))),
            ("tokenizer.ggml.scores[\"2\"]=4", token(Element::Token(b"2".to_vec()))),
            ("tokenizer.ggml.scores[\"]=4", token(Element::Token(b"\"".to_vec()))),
        ] {
            assert_eq!(assignment(word.as_ref()).unwrap(), operation, "{word}");
        }
        assert!(assignment("=x".as_ref()).is_err());
        assert!(assignment("a=@/nothing/here".as_ref()).is_err());
    }
}
