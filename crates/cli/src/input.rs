//! Texts and documents that are read whole: a value, a list of changes; and what is looked at before a file is opened.

use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::{platform, stdout};

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

/// Refuses, before it is opened, what cannot be read at any position: whoever opens a pipe waits until somebody writes into it, and
/// opening a device may set it going. Disks are read like files; what is not there, or may not be asked about, is told by
/// opening it.
///
/// # Errors
/// [`io::ErrorKind::NotSeekable`] with what the path leads to.
pub(crate) fn refuse_pipe(path: &Path) -> io::Result<()> {
    match fs::metadata(path).ok().and_then(|there| platform::read_in_order(there.file_type())) {
        Some(what) => {
            let text = format!("is {what}: a file is needed, which can be read at any position");
            Err(io::Error::new(io::ErrorKind::NotSeekable, text))
        }
        None => Ok(()),
    }
}

/// Whether a path is of something that this process has open already: `-`, or what a shell hands over as `/dev/fd/63`. It is read
/// in order, and nobody waits for it to be opened.
pub(crate) fn is_stream(path: &Path) -> bool {
    let open = ["/dev/fd", "/proc/self/fd"];
    path == Path::new("-")
        || path == Path::new("/dev/stdin")
        || path.parent().is_some_and(|folder| open.iter().any(|open| folder == Path::new(open)))
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

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_refused_before_it_is_waited_for() {
        let folder = std::env::temp_dir().join(format!("ggufkit-pipes-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let pipe = folder.join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let link = folder.join("link");
        std::os::unix::fs::symlink("pipe", &link).unwrap();
        for (path, said) in
            [(pipe.as_path(), "a pipe"), (&link, "a pipe"), (Path::new("/dev/null"), "a device")]
        {
            let error = refuse_pipe(path).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::NotSeekable);
            assert!(error.to_string().contains(said), "{error}");
        }
        // Folders and what is not there have words of their own.
        for path in [folder.as_path(), &folder.join("nothing"), &std::env::current_exe().unwrap()] {
            refuse_pipe(path).unwrap();
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_is_too_long_is_refused_and_not_cut() {
        assert_eq!(limited(&b"1234"[..], 4).unwrap(), b"1234");
        assert_eq!(limited(&b"12345"[..], 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }
}
