//! From words to operations: `key=value`, `key:type=value`, `key[3]=value`, `key=@file`.

use std::ffi::OsStr;
#[cfg(unix)]
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read as _};
use std::path::PathBuf;

use ggufkit::edit::{Element, Given, Operation};
use ggufkit::format::spec::KeyType;

use crate::failure::Failure;
use crate::out;

/// Longest file that a value is taken from.
const MAX_VALUE: u64 = 1 << 30;

/// Whether a word is an assignment and no file.
pub(in crate::commands) fn is_assignment(word: &OsStr) -> bool {
    word.as_encoded_bytes().contains(&b'=')
}

/// What a word assigns.
pub(in crate::commands) fn assignment(word: &OsStr) -> Result<Operation, Failure> {
    let bytes = word.as_encoded_bytes();
    let equals = bytes.iter().position(|&byte| byte == b'=');
    let (left, right) = equals.and_then(|at| bytes.split_at_checked(at)).ok_or_else(|| {
        Failure::usage("no-assignment", format!("{} is no assignment: write key=value", out::fit(bytes, 60)))
    })?;
    let right = right.get(1..).unwrap_or_default();
    let (name, ty) = typed(left);
    let (key, element) = element(name);
    if key.is_empty() {
        return Err(Failure::usage("no-assignment", format!("{} names no key", out::fit(bytes, 60))));
    }
    Ok(Operation::Set { key: key.to_vec(), element, ty, value: value_of(right)? })
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
    let name = path_of(rest);
    let read = || -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        if rest == b"-" {
            io::stdin().lock().take(MAX_VALUE).read_to_end(&mut content)?;
        } else {
            let path = name.as_deref().ok_or(io::ErrorKind::InvalidFilename)?;
            let metadata = fs::metadata(path)?;
            if metadata.len() > MAX_VALUE {
                return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is longer than 1 GiB"));
            }
            fs::File::open(path)?.take(MAX_VALUE).read_to_end(&mut content)?;
        }
        Ok(content)
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

/// The key and the element of its array.
fn element(name: &[u8]) -> (&[u8], Option<Element>) {
    // A token may have brackets itself.
    for key in BY_TOKEN {
        let inside = name.strip_prefix(key).and_then(|rest| rest.strip_prefix(b"[")?.strip_suffix(b"]"));
        if let Some(token) = inside.filter(|token| !token.iter().all(u8::is_ascii_digit)) {
            return (key, Some(Element::Token(token.to_vec())));
        }
    }
    let found = || {
        let inside = name.strip_suffix(b"]")?;
        let open = inside.iter().rposition(|&byte| byte == b'[')?;
        let digits = std::str::from_utf8(inside.get(open.checked_add(1)?..)?).ok()?;
        let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        Some((inside.get(..open)?, digits.parse().ok().filter(|_| plain)?))
    };
    found().map_or((name, None), |(key, element)| (key, Some(Element::At(element))))
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
            ("a.b[-1]=c", set("a.b[-1]", None, None, "c")),
            ("a.b=@@c", set("a.b", None, None, "@c")),
        ] {
            assert_eq!(assignment(word.as_ref()).unwrap(), operation, "{word}");
        }
        assert!(assignment("=x".as_ref()).is_err());
        assert!(assignment("a=@/nothing/here".as_ref()).is_err());
    }
}
