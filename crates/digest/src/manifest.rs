//! Lists of digests, a line each, as people keep them beside files.
//!
//! Three forms are read, and may be mixed:
//!
//! * `sha256    HEX  model.gguf:blk.0.attn_q.weight`: what `llama-gguf-hash` and `gguf hash` print, of a tensor's data or,
//!   without the colon and what follows, of all data of a model. A name may hold spaces.
//! * `HEX  model.gguf` or `HEX *model.gguf`: of a file as a whole, as `sha256sum`, `sha1sum`, `b3sum`, `xxhsum` print it.
//! * `SHA256 (model.gguf) = HEX`: the same with the algorithm named (`--tag`).
//!
//! A line that begins with `\` has a name in which `\n`, `\r` and `\\` stand for a line feed, a carriage return and a
//! backslash. Empty lines, and lines that begin with `#`, say nothing.

use crate::pointer::by_length;
use crate::{Algorithm, Digest};

/// One line that says something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Its number, from 1.
    pub number: usize,
    /// The digest. More than one where its form does not tell which it is: then one of them has to fit.
    pub expected: Vec<Digest>,
    /// Whose it is.
    pub subject: Subject,
}

/// Whose digest it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Subject {
    /// Of a file, byte for byte.
    File(Vec<u8>),
    /// Of a model's data: `file`, or `file:tensor`. Both may hold colons; see [`splits`].
    Model(Vec<u8>),
}

impl Subject {
    /// The name as it stands in the list.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        match self {
            Self::File(name) | Self::Model(name) => name,
        }
    }
}

/// A line that cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadLine {
    /// Its number, from 1.
    pub number: usize,
    /// What is wrong with it.
    pub reason: &'static str,
}

/// Reads the lines of a list.
pub fn lines(text: &[u8]) -> impl Iterator<Item = Result<Line, BadLine>> + '_ {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    text.split(|byte| *byte == b'\n').enumerate().filter_map(|(at, line)| {
        let number = at.saturating_add(1);
        let line = line.strip_suffix(b"\r").unwrap_or(line).trim_ascii_start();
        if line.is_empty() || line.starts_with(b"#") {
            return None;
        }
        let read = read(line).map(|(expected, subject)| Line { number, expected, subject });
        Some(read.map_err(|reason| BadLine { number, reason }))
    })
}

fn read(line: &[u8]) -> Result<(Vec<Digest>, Subject), &'static str> {
    let (line, escaped) = match line.strip_prefix(b"\\") {
        Some(line) => (line, true),
        None => (line, false),
    };
    let name = |name: &[u8]| {
        let name = if escaped {
            unescaped(name).ok_or("a backslash in the name means nothing")?
        } else {
            name.to_vec()
        };
        if name.is_empty() { Err("there is no name") } else { Ok(name) }
    };
    let (word, rest) = word(line);
    if let Some(algorithm) = Algorithm::from_name(word) {
        if let Some(rest) = rest.trim_ascii_start().strip_prefix(b"(") {
            let at = rest.windows(4).rposition(|four| four == b") = ").ok_or("there is no `) = `")?;
            let (file, digest) = rest.split_at_checked(at).unwrap_or_default();
            let digest = digest.get(4..).unwrap_or_default().trim_ascii_end();
            let digest = algorithm.parse(digest).ok_or("that is no digest of this algorithm")?;
            return match algorithm {
                Algorithm::Uuid | Algorithm::Identity => Err("this is no digest of a file"),
                _ => Ok((vec![digest], Subject::File(name(file)?))),
            };
        }
        let (digest, rest) = self::word(rest.trim_ascii_start());
        let digest = algorithm.parse(digest).ok_or("that is no digest of this algorithm")?;
        // Two spaces part the columns; a name may begin with another one.
        let of = rest.strip_prefix(b"  ").unwrap_or_else(|| rest.trim_ascii_start());
        return Ok((vec![digest], Subject::Model(name(of)?)));
    }
    if let Some(reason) = foreign(word) {
        return Err(reason);
    }
    if !word.iter().all(u8::is_ascii_hexdigit) {
        return Err("it begins with no algorithm and no digest that is known here");
    }
    let algorithms = by_length(word).ok_or("a digest of this length is not known here")?;
    let of = rest.strip_prefix(b"  ").or_else(|| rest.strip_prefix(b" *")).ok_or("there is no name")?;
    let expected = algorithms.iter().filter_map(|algorithm| algorithm.parse(word)).collect();
    Ok((expected, Subject::File(name(of)?)))
}

/// Digests of other algorithms, by their names (`MD5 (file) = …`) or by their lengths: they are told what they are.
fn foreign(word: &[u8]) -> Option<&'static str> {
    let named = |name: &str| word.eq_ignore_ascii_case(name.as_bytes());
    let digits = if word.iter().all(u8::is_ascii_hexdigit) { word.len() } else { 0 };
    Some(match digits {
        32 => "this is an MD5 digest (or XXH128), and xxh64, SHA-1, SHA-256 and BLAKE3 are known here",
        56 => "this is a SHA-224 digest, and xxh64, SHA-1, SHA-256 and BLAKE3 are known here",
        96 => "this is a SHA-384 digest, and xxh64, SHA-1, SHA-256 and BLAKE3 are known here",
        128 => "this is a SHA-512 digest (or BLAKE2b), and xxh64, SHA-1, SHA-256 and BLAKE3 are known here",
        _ if named("MD5") => "MD5 is not known here; xxh64, SHA-1, SHA-256 and BLAKE3 are",
        _ if named("SHA512") => "SHA-512 is not known here; xxh64, SHA-1, SHA-256 and BLAKE3 are",
        _ if named("SHA224") || named("SHA384") || named("BLAKE2b") || named("SM3") || named("CRC32") => {
            "this algorithm is not known here; xxh64, SHA-1, SHA-256 and BLAKE3 are"
        }
        _ => return None,
    })
}

/// Why a word that is typed like a digest (`sha256:4d7a`) is none that is known here; `None` of any other word.
#[must_use]
pub fn no_digest(typed: &[u8]) -> Option<String> {
    let at = typed.iter().position(|byte| matches!(byte, b':' | b'='))?;
    let (name, digits) = typed.split_at_checked(at)?;
    let digits = digits.get(1..)?;
    let plain: Vec<u8> = name.iter().copied().filter(|byte| *byte != b'-').collect();
    match Algorithm::from_name(&plain).or_else(|| Algorithm::from_name(name)) {
        Some(algorithm) if algorithm.parse(digits).is_some() && plain != name => {
            Some(format!("write {}, without the hyphen", algorithm.name()))
        }
        Some(algorithm) => Some(format!(
            "a digest of {} has {} hexadecimal digits",
            algorithm.name(),
            algorithm.length().saturating_mul(2)
        )),
        None => foreign(&plain).filter(|_| !plain.is_empty()).map(str::to_owned),
    }
}

/// The text up to the first white space, and from there on.
fn word(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, &[]))
}

fn unescaped(name: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(name.len());
    let mut bytes = name.iter();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'\\' => match bytes.next()? {
                b'n' => b'\n',
                b'r' => b'\r',
                b'\\' => b'\\',
                _ => return None,
            },
            byte => *byte,
        });
    }
    Some(out)
}

fn escape(name: &[u8], out: &mut Vec<u8>) {
    for byte in name {
        match byte {
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\\' => out.extend_from_slice(b"\\\\"),
            byte => out.push(*byte),
        }
    }
}

/// Longest name of a file that any system takes, in bytes.
const LONGEST: usize = 32_767;

/// Colons of a name at which file and tensor may part: a line of nothing else would be looked at as often as it has bytes.
const COLONS: usize = 64;

/// The ways to read `file:tensor`, each at another colon, the longest file first. Of names with many colons the last 64 are
/// taken into account, and no file whose name is longer than any system permits.
pub fn splits(name: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    // With the colon behind the longest file.
    let most = name.get(..=LONGEST).unwrap_or(name);
    let colons = most.iter().enumerate().rev().filter(|(_, byte)| **byte == b':');
    colons.take(COLONS).filter_map(|(at, _)| {
        let (file, rest) = name.split_at_checked(at)?;
        let tensor = rest.get(1..)?;
        (!file.is_empty()).then_some((file, tensor))
    })
}

/// The line of a model's data or of a tensor's, as `llama-gguf-hash` prints it, without its end. Names with line breaks,
/// which that program cannot read back, are escaped.
#[must_use]
pub fn line(digest: &Digest, file: &[u8], tensor: Option<&[u8]>) -> Vec<u8> {
    let breaks = |name: &[u8]| name.contains(&b'\n') || name.contains(&b'\r');
    let escaped = breaks(file) || tensor.is_some_and(breaks);
    let mut out = Vec::with_capacity(96);
    if escaped {
        out.push(b'\\');
    }
    out.extend_from_slice(format!("{:<8}  {digest}  ", digest.algorithm()).as_bytes());
    let mut name = |name: &[u8]| if escaped { escape(name, &mut out) } else { out.extend_from_slice(name) };
    name(file);
    if let Some(tensor) = tensor {
        name(b":");
        name(tensor);
    }
    out
}

/// The line of a file as `sha256sum` prints it, or with the algorithm named; without its end.
#[must_use]
pub fn file_line(digest: &Digest, file: &[u8], tag: bool) -> Vec<u8> {
    let escaped = file.iter().any(|byte| matches!(byte, b'\n' | b'\r' | b'\\'));
    let mut out = Vec::with_capacity(96);
    if escaped {
        out.push(b'\\');
    }
    if tag {
        out.extend_from_slice(digest.algorithm().name().to_ascii_uppercase().as_bytes());
        out.extend_from_slice(b" (");
    } else {
        out.extend_from_slice(format!("{digest}  ").as_bytes());
    }
    escape(file, &mut out);
    if tag {
        out.extend_from_slice(format!(") = {digest}").as_bytes());
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SHA1: &str = "320b018758ece3752ffedbaeb1a6db67c80b9359";
    const SHA256: &str = "7c8975e1e60a5c8337f28edf8c33c3b180360b7279644a9bc1af3c51e6220bf5";

    fn one(text: &str) -> Result<Line, BadLine> {
        let mut lines = lines(text.as_bytes());
        let line = lines.next().unwrap();
        assert!(lines.next().is_none());
        line
    }

    fn algorithms(line: &Line) -> Vec<Algorithm> {
        line.expected.iter().map(Digest::algorithm).collect()
    }

    /// `printf("%-8s  %s  %s:%s")`, as llama-gguf-hash prints.
    #[test]
    fn lines_are_those_of_llama_gguf_hash() {
        let digest = Algorithm::Sha1.parse(SHA1.as_bytes()).unwrap();
        let text = format!("sha1      {SHA1}  m.gguf:a");
        assert_eq!(line(&digest, b"m.gguf", Some(b"a")), text.as_bytes());
        let xxh64 = Algorithm::Xxh64.parse(b"1550aa9227944c55").unwrap();
        assert_eq!(line(&xxh64, b"m.gguf", None), b"xxh64     1550aa9227944c55  m.gguf");
        let read = one(&text).unwrap();
        assert_eq!((read.expected, read.subject), (vec![digest], Subject::Model(b"m.gguf:a".to_vec())));
    }

    #[test]
    fn names_keep_their_spaces() {
        let read = one(&format!("sha1      {SHA1}   my  model.gguf:a b ")).unwrap();
        assert_eq!(read.subject.name(), b" my  model.gguf:a b ");
        let read = one(&format!("sha1 {SHA1}\tm.gguf")).unwrap();
        assert_eq!(read.subject.name(), b"m.gguf");
    }

    /// As GNU coreutils 9.1 prints them.
    #[test]
    fn lists_of_files_are_read_and_written_as_sha256sum_does() {
        for (text, name) in [
            (format!("{SHA256}  a b"), &b"a b"[..]),
            (format!("{SHA256} *a"), b"a"),
            (format!("\\{SHA256}  a\\nb\\\\c\\rd"), b"a\nb\\c\rd"),
            (format!("{SHA256}   lead"), b" lead"),
        ] {
            let read = one(&text).unwrap();
            assert_eq!(read.subject, Subject::File(name.to_vec()), "{text}");
            assert_eq!(algorithms(&read), [Algorithm::Sha256, Algorithm::Blake3]);
            if !text.contains('*') {
                assert_eq!(file_line(&read.expected[0], name, false), text.as_bytes());
            }
        }
        let text = format!("\\SHA256 (a) = (\\nb) = {SHA256}");
        let read = one(&text).unwrap();
        assert_eq!((read.subject.name(), algorithms(&read)), (&b"a) = (\nb"[..], vec![Algorithm::Sha256]));
        assert_eq!(file_line(&read.expected[0], read.subject.name(), true), text.as_bytes());
    }

    #[test]
    fn what_cannot_be_used_is_said_and_what_says_nothing_is_not() {
        let text = format!(
            "\u{feff}# list\r\n\n{SHA1}  a\r\nmd5 {SHA1} a\nsha1 {SHA256} a\n{SHA1}\nsha1 {SHA1}\n\\{SHA1}  \\x\nd41d8cd98f00b204e9800998ecf8427e  a\nUUID (a) = ac8bd30b-a9a7-5aa7-ada0-fedaeeb3f0c6\n"
        );
        let read: Vec<_> = lines(text.as_bytes()).collect();
        assert_eq!(read[0].as_ref().unwrap().number, 3);
        assert_eq!(read[0].as_ref().unwrap().subject.name(), b"a");
        let bad: Vec<usize> = read[1..].iter().map(|line| line.as_ref().unwrap_err().number).collect();
        assert_eq!(bad, [4, 5, 6, 7, 8, 9, 10]);
        let reason = |text: &str| one(text).unwrap_err().reason;
        assert!(reason("d41d8cd98f00b204e9800998ecf8427e  a").contains("an MD5 digest"));
        assert!(reason(&format!("{}  a", "0f".repeat(64))).contains("a SHA-512 digest"));
        assert!(reason("MD5 (a) = d41d8cd98f00b204e9800998ecf8427e").starts_with("MD5 is not known"));
    }

    #[test]
    fn every_colon_may_part_file_and_tensor() {
        let found: Vec<_> = splits(b"C:\\m:x:y").collect();
        let expected: [(&[u8], &[u8]); 3] = [(b"C:\\m:x", b"y"), (b"C:\\m", b"x:y"), (b"C", b"\\m:x:y")];
        assert_eq!(found, expected);
        assert_eq!(splits(b":a").count(), 0);
        // What no system could open is no file, and a line of colons takes no more time than another one.
        let many = [b"a".as_slice(), &[b':'; 200_000]].concat();
        assert_eq!(
            splits(&many).map(|(file, _)| file.len()).collect::<Vec<_>>(),
            (32_704..=32_767).rev().collect::<Vec<_>>()
        );
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(file in prop::collection::vec(any::<u8>(), 1..12), tensor in prop::option::of(prop::collection::vec(any::<u8>(), 0..12))) {
            let digest = Algorithm::Sha1.parse(SHA1.as_bytes()).unwrap();
            let mut name = file.clone();
            if let Some(tensor) = &tensor {
                name.push(b':');
                name.extend_from_slice(tensor);
            }
            let written = line(&digest, &file, tensor.as_deref());
            prop_assert!(!written.contains(&b'\n'));
            let read = lines(&written).next().unwrap().unwrap();
            prop_assert_eq!(read.subject, Subject::Model(name));
            for tag in [false, true] {
                let written = file_line(&digest, &file, tag);
                let read = lines(&written).next().unwrap().unwrap();
                prop_assert_eq!(read.subject, Subject::File(file.clone()));
            }
        }

        #[test]
        fn no_list_is_too_odd(text in prop::collection::vec(any::<u8>(), 0..200)) {
            lines(&text).for_each(drop);
        }
    }
}
