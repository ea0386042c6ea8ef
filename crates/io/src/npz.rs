//! NumPy's `.npz`: a zip archive of `.npy` files, stored as they are, for `np.load` to find arrays by name.
//!
//! An [`Archive`] knows its exact length before a byte is read, and is then read from beginning to end once, as a stream:
//! what is made of a file by reading it needs no second pass for the checksums, which stand behind each member and in the
//! directory at the end. Members and archives of more than 4 GiB have the fields of zip64. The same members make the same
//! bytes: their time is the first that the format can tell, 1980-01-01.

use std::collections::HashSet;
use std::fmt;
use std::io::{self, Read};

use ggufkit_format::shorten;

/// Bytes from which on a size or a position does not fit in 32 bits.
const WIDE: u64 = 0xffff_ffff;

/// Members from which on their number does not fit in 16 bits.
const MANY: u64 = 0xffff;

/// 1980-01-01, 00:00: time and date.
const TIME: u32 = 0x0021_0000;

/// The checksum follows the data.
const FOLLOWS: u16 = 1 << 3;

/// The name is UTF-8.
const UTF8: u16 = 1 << 11;

/// Why an array is no member of an archive.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum NpzError {
    /// A name that is not UTF-8, is empty or too long, or would lead whoever unpacks the archive out of his folder.
    Name(Vec<u8>),
    /// Two arrays have one name.
    Duplicate(Vec<u8>),
    /// The array's name is that of another one's file: NumPy, which looks for files first, would give that one.
    Hidden {
        /// The name, which ends in `.npy`.
        name: Vec<u8>,
        /// The array that would be found by it.
        found: Vec<u8>,
    },
    /// The archive would be longer than 2^64 bytes.
    TooLong,
}

impl fmt::Display for NpzError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => {
                write!(f, "tensor \"{}\": its name is none for a file in an archive", shorten(name, 80))
            }
            Self::Duplicate(name) => write!(f, "two tensors are called \"{}\"", shorten(name, 80)),
            Self::Hidden { name, found } => write!(
                f,
                "tensor \"{}\": by this name NumPy would find \"{}\", whose file in the archive has it",
                shorten(name, 80),
                shorten(found, 80)
            ),
            Self::TooLong => f.write_str("the archive would have more than 2^64 bytes"),
        }
    }
}

impl std::error::Error for NpzError {}

/// Arrays that are to become an archive.
///
/// ```
/// use std::io::Read as _;
/// use ggufkit_io::{npy, npz::Archive};
///
/// let mut array = npy::header("|i1", &[3])?;
/// array.extend([1, 2, 3]);
/// let mut archive = Archive::new();
/// archive.add(b"w", array.len() as u64, &array[..])?;
/// let length = archive.len()?;
/// let mut bytes = Vec::new();
/// archive.into_read().read_to_end(&mut bytes)?;
/// assert_eq!(bytes.len() as u64, length);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct Archive<'a> {
    members: Vec<Member<'a>>,
    names: HashSet<String>,
}

struct Member<'a> {
    name: String,
    len: u64,
    data: Box<dyn Read + Send + 'a>,
    /// Where its header begins, and what its data sums up to, once they are known.
    at: u64,
    sum: u32,
}

impl fmt::Debug for Archive<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Archive").field("members", &self.names).finish()
    }
}

impl<'a> Archive<'a> {
    /// An archive without members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an `.npy` file of `len` bytes, header included, which `np.load` finds by this name.
    ///
    /// # Errors
    /// See [`NpzError`].
    pub fn add(&mut self, name: &[u8], len: u64, data: impl Read + Send + 'a) -> Result<(), NpzError> {
        let bad = || NpzError::Name(name.to_vec());
        let text = std::str::from_utf8(name).map_err(|_| bad())?;
        let leaves = text.split('/').any(|part| matches!(part, "" | "." | ".."));
        // Readers in Python take a NUL for the end of the name, and Windows a colon for that of a drive.
        if leaves || text.contains(['\\', '\0', ':']) || text.len() > 60_000 {
            return Err(bad());
        }
        if self.names.contains(text) {
            return Err(NpzError::Duplicate(name.to_vec()));
        }
        let file = format!("{text}.npy");
        let hidden = |name: &str, found: &str| NpzError::Hidden { name: name.into(), found: found.into() };
        match text.strip_suffix(".npy").filter(|other| self.names.contains(*other)) {
            Some(other) => return Err(hidden(text, other)),
            None if self.names.contains(&file) => return Err(hidden(&file, text)),
            None => {}
        }
        self.names.insert(text.to_owned());
        self.members.push(Member { name: file, len, data: Box::new(data), at: 0, sum: 0 });
        Ok(())
    }

    /// Exact length of the archive in bytes.
    ///
    /// # Errors
    /// [`NpzError::TooLong`].
    pub fn len(&self) -> Result<u64, NpzError> {
        let (mut at, mut directory) = (0_u64, 0_u64);
        for member in &self.members {
            directory = directory.saturating_add(member.entry(at).len() as u64);
            let around = member.head().len().saturating_add(member.tail().len()) as u64;
            at = at.checked_add(member.len).and_then(|at| at.checked_add(around)).ok_or(NpzError::TooLong)?;
        }
        let end = end(self.members.len() as u64, at, directory).len() as u64;
        at.checked_add(directory).and_then(|at| at.checked_add(end)).ok_or(NpzError::TooLong)
    }

    /// Whether there are no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The archive's bytes. A member that has less than it was said to have is an early end; more of it is not read.
    #[must_use]
    pub fn into_read(self) -> ArchiveRead<'a> {
        let first = self.members.first().map(Member::head);
        let mut read = ArchiveRead {
            members: self.members,
            next: 0,
            state: State::Head,
            bytes: first.unwrap_or_default(),
            given: 0,
            at: 0,
            sum: crc32fast::Hasher::new(),
        };
        if read.members.is_empty() {
            read.finish();
        }
        read
    }
}

impl Member<'_> {
    fn is_wide(&self) -> bool {
        self.len >= WIDE
    }

    fn flags(&self) -> u16 {
        if self.name.is_ascii() { FOLLOWS } else { FOLLOWS | UTF8 }
    }

    /// The version that is needed to read it: 2.0, or 4.5 for zip64.
    fn version(wide: bool) -> u16 {
        if wide { 45 } else { 20 }
    }

    /// What stands before the data.
    fn head(&self) -> Vec<u8> {
        let wide = self.is_wide();
        let mut out = b"PK\x03\x04".to_vec();
        push16(&mut out, &[Self::version(wide), self.flags(), 0]);
        push32(&mut out, &[TIME, 0]);
        // The sizes come behind the data; those of zip64 say that they have 8 bytes there.
        let size = if wide { u32::MAX } else { 0 };
        push32(&mut out, &[size, size]);
        push16(&mut out, &[self.name.len() as u16, if wide { 20 } else { 0 }]);
        out.extend(self.name.as_bytes());
        if wide {
            push16(&mut out, &[1, 16]);
            push64(&mut out, &[0, 0]);
        }
        out
    }

    /// What stands behind the data.
    fn tail(&self) -> Vec<u8> {
        let mut out = b"PK\x07\x08".to_vec();
        push32(&mut out, &[self.sum]);
        match self.is_wide() {
            true => push64(&mut out, &[self.len, self.len]),
            false => push32(&mut out, &[self.len as u32, self.len as u32]),
        }
        out
    }

    /// What the directory says of it, where its header begins at `at`.
    fn entry(&self, at: u64) -> Vec<u8> {
        let mut more = Vec::new();
        let mut narrow = |value: u64| match u32::try_from(value) {
            Ok(value) if value < u32::MAX => value,
            _ => {
                push64(&mut more, &[value]);
                u32::MAX
            }
        };
        let (packed, size, place) = (narrow(self.len), narrow(self.len), narrow(at));
        let mut out = b"PK\x01\x02".to_vec();
        let version = Self::version(!more.is_empty());
        // Made on a system with the permissions of Unix.
        push16(&mut out, &[3 << 8 | version, version, self.flags(), 0]);
        push32(&mut out, &[TIME, self.sum, packed, size]);
        let extra = if more.is_empty() { 0 } else { more.len().saturating_add(4) };
        push16(&mut out, &[self.name.len() as u16, extra as u16, 0, 0, 0]);
        push32(&mut out, &[0o100_644 << 16, place]);
        out.extend(self.name.as_bytes());
        if extra > 0 {
            push16(&mut out, &[1, more.len() as u16]);
            out.append(&mut more);
        }
        out
    }
}

/// What ends an archive of so many members, whose directory of `len` bytes begins at `at`.
fn end(members: u64, at: u64, len: u64) -> Vec<u8> {
    let mut out = Vec::new();
    if members >= MANY || at >= WIDE || len >= WIDE {
        out.extend(b"PK\x06\x06");
        push64(&mut out, &[44]);
        push16(&mut out, &[3 << 8 | 45, 45]);
        push32(&mut out, &[0, 0]);
        push64(&mut out, &[members, members, len, at]);
        out.extend(b"PK\x06\x07");
        push32(&mut out, &[0]);
        push64(&mut out, &[at.saturating_add(len)]);
        push32(&mut out, &[1]);
    }
    let short = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
    let count = u16::try_from(members).unwrap_or(u16::MAX);
    out.extend(b"PK\x05\x06");
    push16(&mut out, &[0, 0, count, count]);
    push32(&mut out, &[short(len), short(at)]);
    push16(&mut out, &[0]);
    out
}

fn push16(out: &mut Vec<u8>, values: &[u16]) {
    values.iter().for_each(|value| out.extend(value.to_le_bytes()));
}

fn push32(out: &mut Vec<u8>, values: &[u32]) {
    values.iter().for_each(|value| out.extend(value.to_le_bytes()));
}

fn push64(out: &mut Vec<u8>, values: &[u64]) {
    values.iter().for_each(|value| out.extend(value.to_le_bytes()));
}

/// What is being given out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// The bytes before a member's data.
    Head,
    /// So many bytes of its data are left.
    Data(u64),
    /// The bytes behind it.
    Tail,
    /// The directory and the end.
    End,
}

/// The bytes of an archive; see [`Archive::into_read`].
pub struct ArchiveRead<'a> {
    members: Vec<Member<'a>>,
    next: usize,
    state: State,
    /// Bytes that are not data, and how many of them were given.
    bytes: Vec<u8>,
    given: usize,
    /// Bytes that were given in all.
    at: u64,
    sum: crc32fast::Hasher,
}

impl fmt::Debug for ArchiveRead<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArchiveRead").field("member", &self.next).field("at", &self.at).finish()
    }
}

impl ArchiveRead<'_> {
    fn take(&mut self, bytes: Vec<u8>, state: State) {
        (self.bytes, self.given, self.state) = (bytes, 0, state);
    }

    /// Goes on to the directory.
    fn finish(&mut self) {
        let mut bytes: Vec<u8> = self.members.iter().flat_map(|member| member.entry(member.at)).collect();
        let len = bytes.len() as u64;
        bytes.extend(end(self.members.len() as u64, self.at, len));
        self.take(bytes, State::End);
    }

    /// Goes on to what follows what was given to its end.
    fn go_on(&mut self) {
        match (self.state, self.members.get_mut(self.next)) {
            (State::Head, Some(member)) => {
                let len = member.len;
                self.take(Vec::new(), State::Data(len));
            }
            (State::Data(_), Some(member)) => {
                member.sum = std::mem::take(&mut self.sum).finalize();
                let bytes = member.tail();
                // What it held is not needed any more.
                member.data = Box::new(io::empty());
                self.take(bytes, State::Tail);
            }
            (State::Tail, Some(_)) => {
                self.next = self.next.saturating_add(1);
                match self.members.get_mut(self.next) {
                    Some(member) => {
                        member.at = self.at;
                        let bytes = member.head();
                        self.take(bytes, State::Head);
                    }
                    None => self.finish(),
                }
            }
            (_, None) | (State::End, _) => {}
        }
    }
}

impl Read for ArchiveRead<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        loop {
            if let State::Data(left @ 1..) = self.state {
                let Some(member) = self.members.get_mut(self.next) else { return Ok(0) };
                let most = usize::try_from(left).unwrap_or(usize::MAX).min(buf.len());
                let into = buf.get_mut(..most).unwrap_or_default();
                let read = member.data.read(into)?.min(most);
                if read == 0 {
                    let message = format!("{} has {left} bytes less than it was said to have", member.name);
                    return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
                }
                self.sum.update(into.get(..read).unwrap_or_default());
                self.state = State::Data(left.saturating_sub(read as u64));
                self.at = self.at.saturating_add(read as u64);
                return Ok(read);
            }
            let rest = self.bytes.get(self.given..).unwrap_or_default();
            if !rest.is_empty() {
                let most = rest.len().min(buf.len());
                let pair = buf.get_mut(..most).zip(rest.get(..most));
                pair.into_iter().for_each(|(into, from)| into.copy_from_slice(from));
                self.given = self.given.saturating_add(most);
                self.at = self.at.saturating_add(most as u64);
                return Ok(most);
            }
            if self.state == State::End {
                return Ok(0);
            }
            self.go_on();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_of(archive: Archive<'_>) -> Vec<u8> {
        let length = archive.len().unwrap();
        let mut bytes = Vec::new();
        archive.into_read().read_to_end(&mut bytes).unwrap();
        assert_eq!(bytes.len() as u64, length);
        bytes
    }

    /// Positions and values from the format's description (APPNOTE 6.3), the checksum from its polynomial: CRC-32 of
    /// "123456789" is `cbf43926`.
    #[test]
    fn an_archive_is_that_of_the_description() {
        let mut archive = Archive::new();
        archive.add(b"a", 9, &b"123456789"[..]).unwrap();
        archive.add("\u{e9}".as_bytes(), 0, io::empty()).unwrap();
        let bytes = bytes_of(archive);
        let u16_at = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!(&bytes[..4], b"PK\x03\x04");
        assert_eq!((u16_at(6), u16_at(8), u32_at(10)), (8, 0, 0x0021_0000));
        assert_eq!(&bytes[30..44], b"a.npy123456789");
        assert_eq!(
            (&bytes[44..48], u32_at(48), u32_at(52), u32_at(56)),
            (&b"PK\x07\x08"[..], 0xcbf4_3926, 9, 9)
        );
        let second = 60;
        assert_eq!(&bytes[second..second + 4], b"PK\x03\x04");
        assert_eq!(u16_at(second + 6), 8 | 1 << 11);
        let directory = second + 30 + 6 + 16;
        assert_eq!(&bytes[directory..directory + 4], b"PK\x01\x02");
        assert_eq!(
            (u32_at(directory + 16), u32_at(directory + 20), u32_at(directory + 42)),
            (0xcbf4_3926, 9, 0)
        );
        let other = directory + 46 + 5;
        assert_eq!((&bytes[other..other + 4], u32_at(other + 42)), (&b"PK\x01\x02"[..], 60));
        let end = other + 46 + 6;
        assert_eq!((&bytes[end..end + 4], u16_at(end + 10)), (&b"PK\x05\x06"[..], 2));
        assert_eq!((u32_at(end + 12) as usize, u32_at(end + 16) as usize), (end - directory, directory));
        assert_eq!(end + 22, bytes.len());
    }

    #[test]
    fn what_does_not_fit_in_32_bits_is_told_in_64() {
        let member = |len| Member { name: "a.npy".into(), len, data: Box::new(io::empty()), at: 0, sum: 7 };
        let (small, large) = (member(WIDE - 1), member(WIDE));
        assert_eq!((small.head().len(), small.tail().len(), small.entry(0).len()), (35, 16, 51));
        // 20 bytes of an extra field; sizes of 8 bytes behind the data; two of them in the directory.
        assert_eq!((large.head().len(), large.tail().len(), large.entry(0).len()), (55, 24, 71));
        assert_eq!(small.entry(1 << 33)[51..], [&[1, 0, 8, 0][..], &(1_u64 << 33).to_le_bytes()].concat());
        assert_eq!(end(1, 0, 51).len(), 22);
        assert_eq!(end(1, WIDE, 51).len(), 98);
        assert_eq!(end(MANY, 0, 51).len(), 98);
        let mut archive = Archive::new();
        archive.add(b"a", u64::MAX, io::empty()).unwrap();
        assert_eq!(archive.len(), Err(NpzError::TooLong));
    }

    /// `NpzFile.__getitem__` looks for a member of the very name before it adds `.npy`.
    #[test]
    fn a_name_by_which_numpy_finds_another_array_is_refused() {
        let hidden = NpzError::Hidden { name: b"a.npy".to_vec(), found: b"a".to_vec() };
        for names in [["a", "a.npy"], ["a.npy", "a"]] {
            let mut archive = Archive::new();
            archive.add(names[0].as_bytes(), 0, io::empty()).unwrap();
            archive.add(b"other", 0, io::empty()).unwrap();
            assert_eq!(archive.add(names[1].as_bytes(), 0, io::empty()), Err(hidden.clone()));
        }
        let mut archive = Archive::new();
        // By itself it is found: there is no member of its name, and one with `.npy` behind it.
        archive.add(b"a.npy", 0, io::empty()).unwrap();
        archive.add(b"A", 0, io::empty()).unwrap();
    }

    #[test]
    fn names_that_lead_elsewhere_and_members_that_end_early_are_refused() {
        let mut archive = Archive::new();
        for name in [&b""[..], b"../x", b"/etc", b"a//b", b"a\\b", b"a\0", b"\xff", b"c:x"] {
            assert_eq!(archive.add(name, 0, io::empty()), Err(NpzError::Name(name.to_vec())));
        }
        archive.add(b"blk/a", 4, &b"123"[..]).unwrap();
        assert_eq!(archive.add(b"blk/a", 4, io::empty()), Err(NpzError::Duplicate(b"blk/a".to_vec())));
        let error = archive.into_read().read_to_end(&mut Vec::new()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        assert_eq!(bytes_of(Archive::new()).len(), 22, "an archive without members has an end");
    }
}
