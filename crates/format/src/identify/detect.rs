//! The order in which the questions are asked: certain ones first, guesses last.

use super::magic::{GGUF, contains, find_magic, fixed, ggml_family, u16_at, u32_at, u64_at};
use super::markup::{first_line, http_status, is_text, json, markup};
use super::pointer::pointer;
use super::{Identity, Leading, ZipKind};

/// The longest header that the safetensors library reads, in bytes.
const SAFETENSORS_HEADER_MAX: u64 = 100_000_000;

/// The bytes of a UTF-8 byte order mark.
const UTF8_BOM: &[u8] = b"\xef\xbb\xbf";

/// How many of an unknown file's first bytes are kept.
const FIRST_BYTES: usize = 16;

/// Says what a file is whose first bytes are `head`.
///
/// Some KiB are enough; fewer bytes, even none, give a less certain answer. `file_len` is the length of the whole file in
/// bytes, where it is known: it tells an empty file from one of which nothing was read.
///
/// ```
/// # use ggufkit_format::identify::identify;
/// let page = b"<!DOCTYPE html><html><head><title>Sign in</title>";
/// let identity = identify(page, None);
/// assert_eq!(identity.name(), "html");
/// assert_eq!(identity.describe(), "this is a web page titled \"Sign in\"");
/// ```
#[must_use]
pub fn identify(head: &[u8], file_len: Option<u64>) -> Identity {
    let seen = u64::try_from(head.len()).unwrap_or(u64::MAX);
    match file_len.unwrap_or(seen) {
        0 => return Identity::Empty,
        len @ 1..=3 => return Identity::TooShort { len },
        _ => {}
    }
    match head {
        [b'G', b'G', b'U', b'F', ..] => return Identity::Gguf,
        [b'F', b'U', b'G', b'G', ..] => return Identity::ByteSwappedMagic { unit: 4 },
        [b'G', b'G', b'F', b'U', ..] => return Identity::ByteSwappedMagic { unit: 2 },
        _ => {}
    }
    let certain = ggml_family(head)
        .or_else(|| fixed(head))
        .or_else(|| zip(head))
        .or_else(|| tar(head))
        .or_else(|| safetensors(head))
        .or_else(|| pickle(head))
        .or_else(|| onnx(head))
        .or_else(|| legacy_imatrix(head))
        .or_else(|| utf16(head));
    if let Some(identity) = certain {
        return identity;
    }
    if let Some(identity) = leading(head) {
        return identity;
    }
    // What follows is text, with or without a byte order mark.
    let text = head.strip_prefix(UTF8_BOM).unwrap_or(head);
    if let Some(identity) = pointer(text).or_else(|| markup(text)) {
        return identity;
    }
    if let Some(status) = http_status(text) {
        return Identity::HttpResponse { status };
    }
    // `GGUF` and the first two bits of a version below 64, six bits to a character.
    if text.starts_with(b"R0dVRg") {
        return Identity::Base64Gguf;
    }
    if is_text(text) {
        return json(text).unwrap_or_else(|| Identity::Text { first_line: first_line(text) });
    }
    if !head.is_empty() && head.iter().all(|b| *b == 0) {
        return Identity::Zeros { seen: head.len() };
    }
    Identity::Unknown { first_bytes: head.get(..FIRST_BYTES).unwrap_or(head).to_vec() }
}

/// A GGUF behind something else.
fn leading(head: &[u8]) -> Option<Identity> {
    // The version behind mark and magic may lie beyond the bytes seen.
    if let Some(rest) = head.strip_prefix(UTF8_BOM)
        && rest.starts_with(GGUF)
        && rest.len() < 8
    {
        return Some(Identity::GgufAfter { offset: UTF8_BOM.len(), what: Leading::Utf8Bom });
    }
    let offset = find_magic(head, 1)?;
    let front = head.get(..offset)?;
    let what = if front == UTF8_BOM {
        Leading::Utf8Bom
    } else if http_status(front).is_some() {
        Leading::HttpHeaders
    } else if front.starts_with(b"--") && contains(front, b"Content-") {
        Leading::FormHeaders
    } else if front.iter().all(|b| *b == 0) {
        Leading::Zeros
    } else if is_text(front) {
        Leading::Text
    } else {
        Leading::Bytes
    };
    Some(Identity::GgufAfter { offset, what })
}

/// The first member's header, the end record of an empty archive, or the mark of a split one.
fn zip(head: &[u8]) -> Option<Identity> {
    if !matches!(head, [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] | [b'P', b'K', 7, 8, ..]) {
        return None;
    }
    let name = u16_at(head, 26).and_then(|len| head.get(30..)?.get(..usize::from(len))).unwrap_or(&[]);
    let has = |member: &[u8]| contains(head, member);
    let kind = if has(b"/data.pkl") || name.ends_with(b"/.format_version") || has(b"constants.pkl") {
        ZipKind::PyTorch
    } else if name.ends_with(b".npy") {
        ZipKind::Npz
    } else if has(b"model.weights.h5") || has(b"keras_version") {
        ZipKind::Keras
    } else {
        ZipKind::Other
    };
    Some(Identity::Zip { kind, gguf_at: find_magic(head, 0) })
}

/// `ustar` in the first member's header.
fn tar(head: &[u8]) -> Option<Identity> {
    head.get(257..)?.starts_with(b"ustar").then(|| Identity::Tar { gguf_at: find_magic(head, 0) })
}

/// A length of at most 100 MB, and a JSON object after it.
fn safetensors(head: &[u8]) -> Option<Identity> {
    let header_len = u64_at(head, 0).filter(|len| (2..=SAFETENSORS_HEADER_MAX).contains(len))?;
    let object = head.get(8..)?.strip_prefix(b"{")?;
    matches!(object.trim_ascii_start().first(), None | Some(b'"' | b'}'))
        .then_some(Identity::Safetensors { header_len })
}

/// The protocol, and an operation that pickles begin with.
fn pickle(head: &[u8]) -> Option<Identity> {
    // PyTorch's old format begins with a pickled magic number: LONG1 of ten bytes.
    const TORCH: &[u8] = b"\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
    let [0x80, protocol @ 2..=5, rest @ ..] = head else { return None };
    let first = *rest.first()?;
    // FRAME, LONG1, SHORT_BINUNICODE, booleans; or a container, global, string or number.
    let fits = matches!(first, 0x95 | 0x8a | 0x8c | 0x88 | 0x89) || b"}](){cXUKMJGN".contains(&first);
    fits.then(|| Identity::Pickle { protocol: *protocol, pytorch: rest.starts_with(TORCH) })
}

/// The first fields of ONNX's `ModelProto`: the version of the format (field 1), then the producer's name (field 2) and
/// another field, or the graph (field 7) that begins with a node.
fn onnx(head: &[u8]) -> Option<Identity> {
    let [0x08, 1..=31, rest @ ..] = head else { return None };
    let fits = match rest {
        [0x12, len @ 1..=63, rest @ ..] => {
            let (name, rest) = rest.split_at_checked(usize::from(*len))?;
            name.iter().all(|b| b.is_ascii_graphic() || *b == b' ')
                && matches!(rest.first(), None | Some(0x1a | 0x22 | 0x28 | 0x32 | 0x3a | 0x42))
        }
        // Length in base 128 of at least two bytes, then field 1 of the graph.
        [0x3a, 0x80..=0xff, 0x01..=0x7f, 0x0a, ..] => true,
        [0x3a, 0x80..=0xff, 0x80..=0xff, 0x01..=0x7f, 0x0a, ..] => true,
        [0x3a, 0x80..=0xff, 0x80..=0xff, 0x80..=0xff, 0x01..=0x7f, 0x0a, ..] => true,
        [0x3a, 0x80..=0xff, 0x80..=0xff, 0x80..=0xff, 0x80..=0xff, 0x01..=0x7f, 0x0a, ..] => true,
        _ => false,
    };
    fits.then_some(Identity::Onnx)
}

/// `imatrix.dat`: the number of entries, the length of the first name, and the name of a weight.
fn legacy_imatrix(head: &[u8]) -> Option<Identity> {
    let entries = u32_at(head, 0).filter(|n| (1..=1_000_000).contains(n))?;
    let len = u32_at(head, 4).filter(|n| (8..=256).contains(n)).and_then(|n| usize::try_from(n).ok())?;
    let name = head.get(8..)?.get(..len)?;
    (name.ends_with(b".weight") && name.iter().all(u8::is_ascii_graphic))
        .then_some(Identity::LegacyImatrix { entries })
}

/// A byte order mark of UTF-16, and what follows it.
fn utf16(head: &[u8]) -> Option<Identity> {
    match head {
        [0xff, 0xfe, rest @ ..] => Some(Identity::Utf16 { gguf: rest.starts_with(b"G\0G\0U\0F\0") }),
        [0xfe, 0xff, rest @ ..] => Some(Identity::Utf16 { gguf: rest.starts_with(b"\0G\0G\0U\0F") }),
        _ => None,
    }
}
