//! The identity of a model: the same for the same tensors, whatever file they stand in.
//!
//! It does not depend on the order of the tensors, on metadata, on the split into files, on alignment and padding, or on
//! byte order. Version 1, byte for byte (numbers are little-endian):
//!
//! ```text
//! tensor   = BLAKE3 derive_key("ggufkit 2026-11 tensor identity v1",
//!                u64 bytes of the name | name
//!              | u32 id of the type
//!              | u32 number of dimensions | u64 each dimension, row length first
//!              | 32 bytes: BLAKE3 of the data)
//! identity = BLAKE3 derive_key("ggufkit 2026-11 model identity v1",
//!                u64 number of tensors | the 32 bytes of each tensor, sorted as byte strings)
//! ```
//!
//! Dimensions of 1 at the end are left out, all of them: ggml does not tell `[4]` from `[4, 1]`, and a scalar has none.
//! Data is the tensor's bytes without padding, as a little-endian file holds them (see [`exchange`](ggufkit_format::exchange)).

use crate::{Algorithm, Digest};

const TENSOR: &str = "ggufkit 2026-11 tensor identity v1";
const MODEL: &str = "ggufkit 2026-11 model identity v1";

/// The identity of one tensor; `data` is the BLAKE3 of its data, all 32 bytes.
#[must_use]
pub fn of_tensor(name: &[u8], type_id: u32, dims: &[u64], data: &Digest) -> [u8; 32] {
    let ones = dims.iter().rev().take_while(|dim| **dim == 1).count();
    let dims = dims.get(..dims.len().saturating_sub(ones)).unwrap_or_default();
    let mut hasher = blake3::Hasher::new_derive_key(TENSOR);
    hasher.update(&(name.len() as u64).to_le_bytes()).update(name);
    hasher.update(&type_id.to_le_bytes());
    // A table of dimensions of more than 32 bits of length cannot be read.
    hasher.update(&u32::try_from(dims.len()).unwrap_or(u32::MAX).to_le_bytes());
    for dim in dims {
        hasher.update(&dim.to_le_bytes());
    }
    *hasher.update(data.as_bytes()).finalize().as_bytes()
}

/// The identity of a model of these tensors.
#[must_use]
pub fn of_model(mut tensors: Vec<[u8; 32]>) -> Digest {
    tensors.sort_unstable();
    let mut hasher = blake3::Hasher::new_derive_key(MODEL);
    hasher.update(&(tensors.len() as u64).to_le_bytes());
    for tensor in &tensors {
        hasher.update(tensor);
    }
    Digest::new(Algorithm::Identity, hasher.finalize().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(bytes: &[u8]) -> Digest {
        Digest::new(Algorithm::Blake3, blake3::hash(bytes).as_bytes())
    }

    #[test]
    fn everything_that_makes_a_tensor_counts_and_ones_at_the_end_do_not() {
        let base = of_tensor(b"a", 0, &[4, 2], &data(b"x"));
        assert_eq!(of_tensor(b"a", 0, &[4, 2, 1, 1], &data(b"x")), base);
        for other in [
            of_tensor(b"b", 0, &[4, 2], &data(b"x")),
            of_tensor(b"a", 1, &[4, 2], &data(b"x")),
            of_tensor(b"a", 0, &[2, 4], &data(b"x")),
            of_tensor(b"a", 0, &[4, 1, 2], &data(b"x")),
            of_tensor(b"a", 0, &[4, 2], &data(b"y")),
            of_tensor(b"", 0, &[4, 2], &data(b"x")),
        ] {
            assert_ne!(other, base);
        }
        assert_eq!(of_tensor(b"s", 0, &[], &data(b"x")), of_tensor(b"s", 0, &[1], &data(b"x")));
    }

    #[test]
    fn the_number_of_tensors_counts() {
        let one = of_tensor(b"a", 0, &[4], &data(b"x"));
        let (zero, single, twice) = (of_model(vec![]), of_model(vec![one]), of_model(vec![one, one]));
        assert!(zero != single && single != twice);
    }
}
