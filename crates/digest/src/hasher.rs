//! One digest of bytes that come in order.

use std::hash::Hasher as _;
use std::io::{self, Read};

use sha2::Digest as _;

use crate::{Algorithm, Digest};

/// The namespace of llama.cpp's UUIDs: the UUID, version 5, of `en.wikipedia.org/wiki/Llama.cpp` in the namespace of URLs.
const NAMESPACE: [u8; 16] =
    [0xef, 0x00, 0x12, 0x06, 0xda, 0xdc, 0x5f, 0x6d, 0xa1, 0x5f, 0x33, 0x59, 0xe5, 0x77, 0xd4, 0xe5];

/// Takes bytes in order and makes a digest of them.
#[derive(Clone)]
pub struct Hasher(State);

#[derive(Clone)]
enum State {
    Xxh64(twox_hash::XxHash64),
    Sha1(sha1::Sha1),
    Sha256(sha2::Sha256),
    Uuid(sha1::Sha1),
    Blake3(Box<blake3::Hasher>),
}

impl Hasher {
    /// Begins; `None` for [`Algorithm::Identity`], which is not a digest of bytes in order.
    #[must_use]
    pub fn new(algorithm: Algorithm) -> Option<Self> {
        Some(Self(match algorithm {
            Algorithm::Xxh64 => State::Xxh64(twox_hash::XxHash64::with_seed(0)),
            Algorithm::Sha1 => State::Sha1(sha1::Sha1::new()),
            Algorithm::Sha256 => State::Sha256(sha2::Sha256::new()),
            Algorithm::Uuid => State::Uuid(sha1::Sha1::new_with_prefix(NAMESPACE)),
            Algorithm::Blake3 => State::Blake3(Box::default()),
            Algorithm::Identity => return None,
        }))
    }

    /// Takes the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        match &mut self.0 {
            State::Xxh64(state) => state.write(bytes),
            State::Sha1(state) | State::Uuid(state) => state.update(bytes),
            State::Sha256(state) => state.update(bytes),
            State::Blake3(state) => {
                state.update(bytes);
            }
        }
    }

    /// The digest of all that was taken.
    #[must_use]
    pub fn finish(self) -> Digest {
        match self.0 {
            State::Xxh64(state) => Digest::new(Algorithm::Xxh64, &state.finish().to_be_bytes()),
            State::Sha1(state) => Digest::new(Algorithm::Sha1, &state.finalize()),
            State::Sha256(state) => Digest::new(Algorithm::Sha256, &state.finalize()),
            State::Uuid(state) => {
                // RFC 9562: the version in the upper half of byte 6, the variant in the two upper bits of byte 8.
                let mut bytes: [u8; 20] = state.finalize().into();
                let [.., version, _, variant, _, _, _, _, _, _, _, _, _, _, _] = &mut bytes;
                *version = *version & 0x0f | 0x50;
                *variant = *variant & 0x3f | 0x80;
                Digest::new(Algorithm::Uuid, &bytes)
            }
            State::Blake3(state) => Digest::new(Algorithm::Blake3, state.finalize().as_bytes()),
        }
    }
}

impl std::fmt::Debug for Hasher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Hasher")
    }
}

/// Digests of all bytes of a stream, in the order of `algorithms`; those that are not of bytes are left out. `progress`
/// is told of the bytes that were read since it was last called.
///
/// # Errors
/// The stream's.
pub fn hash_stream(
    stream: &mut dyn Read,
    algorithms: &[Algorithm],
    progress: &dyn Fn(u64),
) -> io::Result<Vec<Digest>> {
    let mut hashers: Vec<Hasher> =
        algorithms.iter().filter_map(|algorithm| Hasher::new(*algorithm)).collect();
    let mut buffer = vec![0; 256 << 10];
    loop {
        let read = match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let bytes = buffer.get(..read).unwrap_or_default();
        hashers.iter_mut().for_each(|hasher| hasher.update(bytes));
        progress(read as u64);
    }
    Ok(hashers.into_iter().map(Hasher::finish).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(algorithm: Algorithm, bytes: &[u8]) -> String {
        let mut hasher = Hasher::new(algorithm).unwrap();
        // In pieces that no block size divides.
        bytes.chunks(37).for_each(|piece| hasher.update(piece));
        hasher.finish().to_string()
    }

    /// `hashlib` and `uuid` of Python 3.11, `xxhsum -H1` 0.8.1, and the reference's own test vectors for BLAKE3
    /// (`test_vectors.json`, input bytes `i % 251`, 1025 of them, and none).
    #[test]
    fn digests_are_those_of_other_programs() {
        let ones = [1; 64];
        assert_eq!(digest(Algorithm::Sha1, &ones), "320b018758ece3752ffedbaeb1a6db67c80b9359");
        assert_eq!(
            digest(Algorithm::Sha256, &ones),
            "7c8975e1e60a5c8337f28edf8c33c3b180360b7279644a9bc1af3c51e6220bf5"
        );
        assert_eq!(digest(Algorithm::Uuid, &ones), "ac8bd30b-a9a7-5aa7-ada0-fedaeeb3f0c6");
        assert_eq!(digest(Algorithm::Xxh64, &ones), "1550aa9227944c55");
        assert_eq!(digest(Algorithm::Xxh64, b""), "ef46db3751d8e999");
        let vector: Vec<u8> = (0..1025_u32).map(|i| (i % 251) as u8).collect();
        assert_eq!(
            digest(Algorithm::Blake3, &vector),
            "d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444"
        );
        assert_eq!(
            digest(Algorithm::Blake3, b""),
            "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
        );
    }

    #[test]
    fn a_stream_is_read_once_for_all() {
        let algorithms = [Algorithm::Sha1, Algorithm::Identity, Algorithm::Blake3];
        let digests = hash_stream(&mut &[1; 64][..], &algorithms, &|_| {}).unwrap();
        assert_eq!(digests.len(), 2);
        assert_eq!(digests[0].to_string(), "320b018758ece3752ffedbaeb1a6db67c80b9359");
    }
}
