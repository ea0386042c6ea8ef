//! Texts and documents that are read whole: a value, a list of changes.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// All of a file, or for `-` of standard input.
///
/// # Errors
/// The system's, and [`io::ErrorKind::FileTooLarge`] where it is longer than `most`: half of a document is none.
pub(crate) fn read_limited(path: &Path, most: u64) -> io::Result<Vec<u8>> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_refused_and_not_cut() {
        assert_eq!(limited(&b"1234"[..], 4).unwrap(), b"1234");
        assert_eq!(limited(&b"12345"[..], 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }
}
