//! A digest without a name: what stands in a Git LFS pointer, in a `model.gguf.sha256`, or on a page beside a file.

use crate::{Algorithm, Digest};

/// The digest of one file whose name is not said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pointer {
    /// The digest. More than one where its form does not tell which it is: then one of them has to fit.
    pub expected: Vec<Digest>,
    /// Bytes that the file has, where that is told.
    pub size: Option<u64>,
    /// The line that it stands in, from 1.
    pub line: usize,
}

/// How the first line of a Git LFS pointer begins; earlier versions had another address.
const LFS: [&[u8]; 2] =
    [b"version https://git-lfs.github.com/spec/", b"version https://hawser.github.com/spec/"];

/// Longest text that is looked at: pointers are shorter than 1024 bytes.
const LONGEST: usize = 4096;

/// Whether a text begins as a Git LFS pointer does.
#[must_use]
pub fn is_lfs(text: &[u8]) -> bool {
    LFS.iter().any(|begin| text.starts_with(begin))
}

impl Pointer {
    /// Reads a text that is a Git LFS pointer, or a digest and nothing else: `HEX`, `sha256:HEX`.
    #[must_use]
    pub fn of(text: &[u8]) -> Option<Self> {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        if text.len() > LONGEST {
            return None;
        }
        if is_lfs(text) {
            return lfs(text);
        }
        let word = text.trim_ascii();
        (!word.iter().any(u8::is_ascii_whitespace)).then(|| Self::of_word(word))?
    }

    /// Reads a digest as it is typed: `HEX`, `sha256:HEX`, `sha256=HEX`.
    #[must_use]
    pub fn of_word(word: &[u8]) -> Option<Self> {
        let expected = match word.iter().position(|byte| matches!(byte, b':' | b'=')) {
            Some(at) => {
                let (name, digest) = word.split_at_checked(at)?;
                vec![Algorithm::from_name(name)?.parse(digest.get(1..)?)?]
            }
            None => by_length(word)?.iter().filter_map(|algorithm| algorithm.parse(word)).collect(),
        };
        (!expected.is_empty()).then_some(Self { expected, size: None, line: 1 })
    }
}

fn lfs(text: &[u8]) -> Option<Pointer> {
    let mut out = Pointer { expected: Vec::new(), size: None, line: 1 };
    for (at, line) in text.split(|byte| *byte == b'\n').enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if let Some(oid) = line.strip_prefix(b"oid ") {
            out = Pointer { line: at.saturating_add(1), size: out.size, ..Pointer::of_word(oid)? };
        } else if let Some(size) = line.strip_prefix(b"size ") {
            out.size = Some(std::str::from_utf8(size).ok()?.parse().ok()?);
        }
    }
    (!out.expected.is_empty()).then_some(out)
}

/// The algorithms whose digests have so many digits, where those are all that is there.
pub(crate) fn by_length(digits: &[u8]) -> Option<&'static [Algorithm]> {
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    Some(match digits.len() {
        16 => &[Algorithm::Xxh64],
        40 => &[Algorithm::Sha1],
        // Both are 256 bits, and neither says which it is.
        64 => &[Algorithm::Sha256, Algorithm::Blake3],
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHA256: &str = "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393";

    /// The example of the specification of Git LFS.
    #[test]
    fn pointers_of_git_lfs_are_read() {
        let text = format!("version https://git-lfs.github.com/spec/v1\noid sha256:{SHA256}\nsize 12345\n");
        let pointer = Pointer::of(text.as_bytes()).unwrap();
        assert_eq!(pointer.expected, [Algorithm::Sha256.parse(SHA256.as_bytes()).unwrap()]);
        assert_eq!((pointer.size, pointer.line), (Some(12345), 2));
        let crlf = text.replace('\n', "\r\n");
        assert_eq!(Pointer::of(crlf.as_bytes()), Some(pointer));
        for bad in [
            "version https://git-lfs.github.com/spec/v1\nsize 12345\n".to_owned(),
            text.replace("sha256:", "md5:"),
            text.replace("12345", "many"),
        ] {
            assert!(is_lfs(bad.as_bytes()) && Pointer::of(bad.as_bytes()).is_none(), "{bad}");
        }
    }

    #[test]
    fn a_digest_alone_is_one() {
        let both = [Algorithm::Sha256, Algorithm::Blake3];
        for (text, algorithms) in [
            (SHA256.to_owned(), &both[..]),
            (format!("\u{feff}{}\r\n", SHA256.to_uppercase()), &both),
            (format!("sha256:{SHA256}"), &both[..1]),
            (format!("BLAKE3={SHA256}"), &both[1..]),
            ("identity:".to_owned() + SHA256, &[Algorithm::Identity]),
        ] {
            let found = Pointer::of(text.as_bytes()).unwrap().expected;
            assert_eq!(found.iter().map(Digest::algorithm).collect::<Vec<_>>(), algorithms, "{text}");
        }
        let name = format!("{SHA256}  name");
        for text in ["", "abc", &SHA256[1..], "sha1:abc", "model.gguf", "C:model", &name] {
            assert_eq!(Pointer::of(text.as_bytes()), None, "{text}");
        }
    }
}
