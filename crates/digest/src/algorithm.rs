//! The digests there are, and how each is spelled.

use std::fmt;

/// A way to make few bytes out of many.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Algorithm {
    /// xxHash, 64 bits, seed 0: fast, against accidents only.
    Xxh64,
    /// SHA-1: against accidents only.
    Sha1,
    /// SHA-256.
    Sha256,
    /// A UUID of version 5, in llama.cpp's namespace, of the bytes: 122 bits of their SHA-1.
    Uuid,
    /// BLAKE3, 256 bits; the only one of the strong ones that several threads can share.
    Blake3,
    /// The identity of a model: see [`identity`](crate::identity).
    Identity,
}

impl Algorithm {
    /// All of them, in the order in which they are printed.
    pub const ALL: [Self; 6] =
        [Self::Xxh64, Self::Sha1, Self::Sha256, Self::Uuid, Self::Blake3, Self::Identity];

    /// Its name in lists and documents.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Xxh64 => "xxh64",
            Self::Sha1 => "sha1",
            Self::Sha256 => "sha256",
            Self::Uuid => "uuid",
            Self::Blake3 => "blake3",
            Self::Identity => "identity",
        }
    }

    /// The algorithm of this name, in any case.
    #[must_use]
    pub fn from_name(name: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.name().as_bytes().eq_ignore_ascii_case(name))
    }

    /// Bytes of a digest.
    #[must_use]
    pub const fn length(self) -> usize {
        match self {
            Self::Xxh64 => 8,
            Self::Uuid => 16,
            Self::Sha1 => 20,
            Self::Sha256 | Self::Blake3 | Self::Identity => 32,
        }
    }

    /// Reads a digest as it is printed, in either case of the letters.
    #[must_use]
    pub fn parse(self, text: &[u8]) -> Option<Digest> {
        let mut digits = Vec::with_capacity(64);
        for (at, byte) in text.iter().enumerate() {
            // The form of a UUID: 8-4-4-4-12.
            if self == Self::Uuid && matches!(at, 8 | 13 | 18 | 23) {
                if *byte != b'-' {
                    return None;
                }
                continue;
            }
            digits.push(u8::try_from(char::from(*byte).to_digit(16)?).ok()?);
        }
        if digits.len() != self.length() * 2 {
            return None;
        }
        let mut bytes = [0; 32];
        for (to, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *to = pair.iter().fold(0, |byte, digit| byte << 4 | digit);
        }
        Some(Digest { algorithm: self, bytes })
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The digest of some bytes. It is displayed as other tools print it: hexadecimal, a UUID in groups.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Digest {
    algorithm: Algorithm,
    /// As many as the algorithm has; the others are zero.
    bytes: [u8; 32],
}

impl Digest {
    /// The first bytes are the digest; there may be more of them, and none is missing.
    pub(crate) fn new(algorithm: Algorithm, from: &[u8]) -> Self {
        let mut bytes = [0; 32];
        for (to, from) in bytes.iter_mut().zip(from.iter().take(algorithm.length())) {
            *to = *from;
        }
        Self { algorithm, bytes }
    }

    /// What made it.
    #[must_use]
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Its bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.algorithm.length()).unwrap_or_default()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, byte) in self.as_bytes().iter().enumerate() {
            if self.algorithm == Algorithm::Uuid && matches!(at, 4 | 6 | 8 | 10) {
                f.write_str("-")?;
            }
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_read_as_it_is_printed() {
        for algorithm in Algorithm::ALL {
            let digest = Digest::new(algorithm, &(1..=32).collect::<Vec<u8>>());
            let text = digest.to_string();
            assert_eq!(algorithm.parse(text.as_bytes()), Some(digest));
            assert_eq!(algorithm.parse(text.to_uppercase().as_bytes()), Some(digest));
            assert_eq!(algorithm.parse(&text.as_bytes()[1..]), None);
            assert_eq!(algorithm.parse(format!("{text}0").as_bytes()), None);
            assert_eq!(algorithm.parse(text.replace('0', "g").as_bytes()), None);
            assert_eq!(Algorithm::from_name(algorithm.name().to_uppercase().as_bytes()), Some(algorithm));
        }
        assert_eq!(Algorithm::Uuid.parse(b"ac8bd30ba9a75aa7ada0fedaeeb3f0c6"), None);
        let uuid = Algorithm::Uuid.parse(b"ac8bd30b-a9a7-5aa7-ada0-fedaeeb3f0c6").unwrap();
        assert_eq!(uuid.as_bytes()[..3], [0xac, 0x8b, 0xd3]);
    }
}
