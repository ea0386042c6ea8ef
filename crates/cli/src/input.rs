//! Texts and documents that are read whole: a value, a list of changes.

use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::stdout;

/// All of a file, or for `-` of standard input.
///
/// # Errors
/// The system's, and [`io::ErrorKind::FileTooLarge`] where it is longer than `most`: half of a document is none.
pub(crate) fn read_limited(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    stdout::spare(path)?;
    match path.as_os_str() == OsStr::new("-") {
        true => limited(io::stdin().lock(), most),
        false => {
            let file = File::open(path)?;
            // A long file need not be read to know it.
            if file.metadata()?.len() > most {
                return Err(too_long(most));
            }
            limited(file, most)
        }
    }
}

fn limited(from: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(too_long(most));
    }
    Ok(bytes)
}

fn too_long(most: u64) -> io::Error {
    let most = ggufkit::inspect::units::bytes(most);
    io::Error::new(io::ErrorKind::FileTooLarge, format!("it is longer than {most}"))
}

/// A document of JSON, in which no object has a name twice: of two values one would be dropped in silence.
///
/// # Errors
/// The text is none.
pub(crate) fn json(text: &[u8]) -> Result<Value, serde_json::Error> {
    serde_json::from_slice(text).map(|Strict(value)| value)
}

struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Once).map(Self)
    }
}

/// Makes a value, each name once.
struct Once;

impl<'de> Visitor<'de> for Once {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut out = Vec::new();
        while let Some(Strict(value)) = list.next_element()? {
            out.push(value);
        }
        Ok(out.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut out = serde_json::Map::new();
        while let Some(name) = map.next_key::<String>()? {
            if out.contains_key(&name) {
                let name = ggufkit::format::shorten(name.as_bytes(), 60);
                return Err(A::Error::custom(format_args!("the name \"{name}\" is there twice")));
            }
            let Strict(value) = map.next_value()?;
            out.insert(name, value);
        }
        Ok(out.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_comes_twice_is_an_error_at_any_depth() {
        let text = r#"{"a": [1, -2, 0.5, 18446744073709551615, "x", null, true, {"b": {}}], "c": -0.0}"#;
        assert_eq!(json(text.as_bytes()).unwrap(), serde_json::from_str::<Value>(text).unwrap());
        for text in [r#"{"a": 1, "a": 1}"#, r#"[{"x": [{"a": 1, "b": 2, "\u0061": 3}]}]"#] {
            assert!(
                json(text.as_bytes()).unwrap_err().to_string().starts_with("the name \"a\" is there twice")
            );
        }
        assert!(json("[".repeat(100_000).as_bytes()).is_err());
    }

    #[test]
    fn what_is_too_long_is_refused_and_not_cut() {
        assert_eq!(limited(&b"1234"[..], 4).unwrap(), b"1234");
        assert_eq!(limited(&b"12345"[..], 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }
}
