//! The least that any reader has to do, done with nothing around it.
//!
//! These are not readers: they trust the file (version 2 or 3, little-endian, nothing malformed), keep nothing and
//! would panic on anything else. What they cost is the floor under the real ones.

use std::{fs::File, os::unix::fs::FileExt, path::Path};

use crate::Found;

/// Bytes of a value of this type; 0 where the length is in the file.
const WIDTHS: [usize; 13] = [1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8];
const STRING: usize = 8;
const ARRAY: usize = 9;

/// What is done about text on the way.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Text {
    /// Hop over it.
    Skip,
    /// Learn whether all of it is UTF-8.
    Validate,
}

/// What a walk over a head found.
pub struct Walked {
    pub found: Found,
    /// Where the head ends: the size of header, metadata and tensor table.
    pub head_end: usize,
}

/// From one length prefix to the next, over the whole head.
pub fn walk(bytes: &[u8], text: Text) -> Walked {
    match text {
        Text::Skip => Hopper::<false> { bytes, at: 8, valid: true }.head(),
        Text::Validate => Hopper::<true> { bytes, at: 8, valid: true }.head(),
    }
}

struct Hopper<'a, const VALIDATE: bool> {
    bytes: &'a [u8],
    at: usize,
    valid: bool,
}

impl<const VALIDATE: bool> Hopper<'_, VALIDATE> {
    fn head(mut self) -> Walked {
        let (tensors, kv) = (self.u64(), self.u64());
        for _ in 0..kv {
            self.string();
            match self.u32() {
                ARRAY => self.array(),
                STRING => self.string(),
                kind => self.at += WIDTHS[kind],
            }
        }
        for _ in 0..tensors {
            self.string();
            let dimensions = self.u32();
            self.at += 8 * dimensions + 4 + 8;
        }
        assert!(self.at <= self.bytes.len() && self.valid, "a limit is measured on a valid file");
        Walked { found: Found::of(kv, tensors), head_end: self.at }
    }

    fn u32(&mut self) -> usize {
        let value = self.bytes[self.at..self.at + 4].try_into().map(u32::from_le_bytes).expect("4 bytes");
        self.at += 4;
        value as usize
    }

    fn u64(&mut self) -> usize {
        let value = u64_at(self.bytes, self.at);
        self.at += 8;
        value
    }

    fn string(&mut self) {
        let length = self.u64();
        self.validate(self.at, self.at + length);
        self.at += length;
    }

    fn array(&mut self) {
        let (kind, count) = (self.u32(), self.u64());
        match kind {
            STRING => self.strings(count),
            ARRAY => (0..count).for_each(|_| self.array()),
            kind => self.at += WIDTHS[kind] * count,
        }
    }

    /// All strings of an array with few calls of the validator.
    ///
    /// The eight bytes before a string shorter than 128 are all ASCII. So they end whatever sequence the string before
    /// left open, and a run of such strings together with their prefixes is UTF-8 exactly if each string is. A longer
    /// string has a prefix that may not be, so it ends the run and is looked at alone.
    fn strings(&mut self, count: usize) {
        let (mut at, mut run) = (self.at, self.at);
        for _ in 0..count {
            let length = u64_at(self.bytes, at);
            let end = at + 8 + length;
            if VALIDATE && length >= 128 {
                self.validate(run, at);
                self.validate(at + 8, end);
                run = end;
            }
            at = end;
        }
        self.validate(run, at);
        self.at = at;
    }

    fn validate(&mut self, from: usize, to: usize) {
        if VALIDATE {
            self.valid &= simdutf8::basic::from_utf8(&self.bytes[from..to]).is_ok();
        }
    }
}

fn u64_at(bytes: &[u8], at: usize) -> usize {
    bytes[at..at + 8].try_into().map(u64::from_le_bytes).expect("8 bytes") as usize
}

/// Opens the file and reads its first bytes into a buffer that is already there.
pub fn read_front(path: &Path, buffer: &mut [u8]) -> Result<usize, String> {
    let file = File::open(path).map_err(|e| e.to_string())?;
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read_at(&mut buffer[filled..], filled as u64).map_err(|e| e.to_string())? {
            0 => break,
            n => filled += n,
        }
    }
    Ok(filled)
}

/// Hops over the metadata in these bytes until the key turns up, and returns its string value.
pub fn find_string(bytes: &[u8], key: &[u8]) -> Option<String> {
    let mut hopper = Hopper::<false> { bytes, at: 16, valid: true };
    for _ in 0..hopper.u64() {
        let length = hopper.u64();
        let here = bytes.get(hopper.at..hopper.at + length)?;
        hopper.at += length;
        match hopper.u32() {
            STRING if here == key => {
                let length = hopper.u64();
                return String::from_utf8(bytes.get(hopper.at..hopper.at + length)?.to_vec()).ok();
            }
            STRING => hopper.string(),
            ARRAY => hopper.array(),
            kind => hopper.at += WIDTHS[kind],
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A head of one string array and one key after it.
    fn head(strings: &[&[u8]]) -> Vec<u8> {
        let mut out = b"GGUF".to_vec();
        let text = |out: &mut Vec<u8>, bytes: &[u8]| {
            out.extend((bytes.len() as u64).to_le_bytes());
            out.extend(bytes);
        };
        out.extend(3u32.to_le_bytes());
        out.extend(0u64.to_le_bytes());
        out.extend(2u64.to_le_bytes());
        text(&mut out, b"list");
        out.extend(9u32.to_le_bytes());
        out.extend(8u32.to_le_bytes());
        out.extend((strings.len() as u64).to_le_bytes());
        strings.iter().for_each(|s| text(&mut out, s));
        text(&mut out, b"key");
        out.extend(8u32.to_le_bytes());
        text(&mut out, b"value");
        out
    }

    fn accepts(strings: &[&[u8]]) -> bool {
        std::panic::catch_unwind(|| walk(&head(strings), Text::Validate)).is_ok()
    }

    #[test]
    fn a_walk_ends_where_the_head_ends() {
        let long = "é".repeat(100);
        let bytes = head(&[b"a", b"", long.as_bytes(), "你好".as_bytes()]);
        for text in [Text::Skip, Text::Validate] {
            assert_eq!(walk(&bytes, text).head_end, bytes.len());
        }
        assert_eq!(find_string(&bytes, b"key").as_deref(), Some("value"));
    }

    #[test]
    fn bulk_validation_judges_each_string_alone() {
        let (front, back) = ("é".as_bytes().split_at(1), "é".repeat(64));
        assert!(accepts(&[b"plain", back.as_bytes(), "é".as_bytes()]));
        // Two halves of a character are two broken strings, wherever a run begins or ends.
        assert!(!accepts(&[front.0, front.1]));
        assert!(!accepts(&[back.as_bytes(), front.0]));
        assert!(!accepts(&[front.0, back.as_bytes()]));
        assert!(!accepts(&[&[b'x'; 127], b"\xff"]));
        assert!(!accepts(&[&[0xff; 300]]));
    }
}
