//! GGUF's magic within other bytes, and the magics of other formats.

use super::{Compression, Identity, LegacyMagic};

/// GGUF's magic, in files of either byte order.
pub(super) const GGUF: &[u8] = b"GGUF";

/// The position, at `from` or later, of the next GGUF magic that a version from 1 to 3 follows, in either byte order.
///
/// Finds what is hidden behind other bytes: a GGUF behind junk or headers, or the next one where files were
/// joined. Four magic bytes occur by chance in weights; with the version they are one in some 10^18 positions.
/// A magic whose version lies beyond the end of `haystack` is not found.
#[must_use]
pub fn find_magic(haystack: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        // The byte that would be the magic's `F` tells how far the magic cannot begin.
        let last = at.checked_add(3)?;
        let step = match haystack.get(last)? {
            b'F' => {
                if is_versioned_magic(haystack.get(at..)?) {
                    return Some(at);
                }
                4
            }
            b'U' => 1,
            // The nearest magic may begin here, or one byte before.
            b'G' => 2,
            _ => 4,
        };
        at = at.checked_add(step)?;
    }
}

/// Whether bytes begin with the magic and a version from 1 to 3.
fn is_versioned_magic(bytes: &[u8]) -> bool {
    match bytes.strip_prefix(GGUF) {
        Some([a, b, c, d, ..]) => {
            let version = [*a, *b, *c, *d];
            (1..=3).contains(&u32::from_le_bytes(version)) || (1..=3).contains(&u32::from_be_bytes(version))
        }
        _ => false,
    }
}

/// The `u16` at a position, little-endian.
pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|b| u16::from_le_bytes(*b))
}

/// The `u32` at a position, little-endian.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|b| u32::from_le_bytes(*b))
}

/// The `u64` at a position, little-endian.
pub(super) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|b| u64::from_le_bytes(*b))
}

/// Whether bytes hold a text somewhere.
pub(super) fn contains(bytes: &[u8], text: &[u8]) -> bool {
    !text.is_empty() && bytes.windows(text.len()).any(|w| w == text)
}

/// The formats before GGUF and llama.cpp's states: a `u32` whose value spells the name, so that in the usual
/// little-endian files the letters stand in reverse. Big-endian hosts wrote them forwards.
pub(super) fn ggml_family(head: &[u8]) -> Option<Identity> {
    let word = *head.first_chunk::<4>()?;
    let rest = head.get(4..)?.first_chunk::<4>();
    let (name, version) = if word.starts_with(b"gg") {
        (word, rest.map(|v| u32::from_be_bytes(*v)))
    } else {
        (u32::from_le_bytes(word).to_be_bytes(), rest.map(|v| u32::from_le_bytes(*v)))
    };
    let legacy = |magic| Some(Identity::LegacyGgml { magic, version });
    match &name {
        b"ggml" => Some(Identity::LegacyGgml { magic: LegacyMagic::Ggml, version: None }),
        b"ggmf" => legacy(LegacyMagic::Ggmf),
        b"ggjt" => legacy(LegacyMagic::Ggjt),
        b"ggla" => legacy(LegacyMagic::Ggla),
        b"ggcc" => legacy(LegacyMagic::Ggcc),
        b"ggsn" | b"ggsq" => Some(Identity::LlamaState { version }),
        _ => None,
    }
}

/// Formats that their first bytes alone make certain.
pub(super) fn fixed(head: &[u8]) -> Option<Identity> {
    use Compression as C;
    let compressed = |by| Some(Identity::Compressed { by });
    let executable = |format| Some(Identity::Executable { format });
    let image = |format| Some(Identity::Image { format });
    match head {
        [b'\x93', b'N', b'U', b'M', b'P', b'Y', ..] => Some(Identity::Npy),
        [0x1f, 0x8b, 0x08, ..] => compressed(C::Gzip),
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => compressed(C::Xz),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => compressed(C::Zstd),
        // The second magic is that of the first block, or of the end of an empty file.
        [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, ..] => compressed(C::Bzip2),
        [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, 0x45, 0x38, 0x50, 0x90, ..] => compressed(C::Bzip2),
        [0x04, 0x22, 0x4d, 0x18, ..] => compressed(C::Lz4),
        [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, ..] => compressed(C::SevenZip),
        [b'R', b'a', b'r', b'!', 0x1a, 0x07, ..] => compressed(C::Rar),
        [0x89, b'H', b'D', b'F', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Identity::Hdf5),
        [b'%', b'P', b'D', b'F', b'-', ..] => Some(Identity::Pdf),
        [b'P', b'A', b'R', b'1', ..] => Some(Identity::Parquet),
        [_, _, _, _, b'T', b'F', b'L', b'3', ..] => Some(Identity::TfLite),
        [0x7f, b'E', b'L', b'F', ..] => executable("ELF"),
        [0xfe, 0xed, 0xfa, 0xce | 0xcf, ..] | [0xce | 0xcf, 0xfa, 0xed, 0xfe, ..] => executable("Mach-O"),
        [0xca, 0xfe, 0xba, 0xbe, ..] => executable("Mach-O"),
        [b'M', b'Z', b'q', b'F', b'p', b'D', ..] => executable("APE"),
        [b'M', b'Z', ..] if is_pe(head) => executable("PE"),
        [0x89, b'P', b'N', b'G', ..] => image("PNG"),
        [0xff, 0xd8, 0xff, ..] => image("JPEG"),
        [b'G', b'I', b'F', b'8', ..] => image("GIF"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => image("WebP"),
        _ if head.starts_with(b"SQLite format 3\0") => Some(Identity::Sqlite),
        _ => None,
    }
}

/// Whether the header that the DOS header points to is there; the two letters at the front are too few to tell.
fn is_pe(head: &[u8]) -> bool {
    let at = u32_at(head, 0x3c).and_then(|at| usize::try_from(at).ok());
    at.and_then(|at| head.get(at..)).is_some_and(|rest| rest.starts_with(b"PE\0\0"))
}
