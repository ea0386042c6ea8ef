//! What is given beside a model, damaged and malicious: taken for what it says, or refused.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

#[path = "given/mod.rs"]
mod judged;

use ggufkit_testkit::corpus;
use judged::given;
use serde_json::json;

/// Files of every kind that is taken.
fn seeds() -> Vec<Vec<u8>> {
    let patch = json!({"schema": 1, "exact": true, "operations": [
        {"op": "set", "key": "general.name", "value": "a\u{2028}\\u0000"},
        {"op": "set", "key": "tokenizer.ggml.tokens", "element": -1, "value": {"bytes": "/w=="}},
        {"op": "set", "key": "a", "type": "array[array[f64]]", "value": [[1e308, "NaN"], []]},
        {"op": "unset", "key": "general.alignment"},
        {"op": "rename", "from": "llama.block_count", "to": "b"},
        {"op": "drop-tensor", "tensor": "output.weight"},
        {"op": "upgrade"},
    ]});
    let description = json!({"header": {"version": 2, "alignment": 64}, "metadata": [
        {"key": "general.alignment", "type": "u32", "value": 64},
        {"key": "x", "type": "array[string]", "value": ["a", {"bytes": "/w=="}]},
        {"key": "n", "type": "u64", "value": 18_446_744_073_709_551_615_u64},
    ], "tensors": [{"name": "t", "type": "Q4_0", "shape": [32, 2], "source": "t.raw"}]});
    let mut array = ggufkit_io::npy::header("<f2", &[2, 3]).unwrap();
    array.extend([0; 12]);
    let head = br#"{"__metadata__":{"format":"pt"},"a":{"dtype":"BF16","shape":[2,2],"data_offsets":[0,8]}}"#;
    let mut stored = (head.len() as u64).to_le_bytes().to_vec();
    stored.extend_from_slice(head);
    stored.extend([0; 8]);
    vec![patch.to_string().into_bytes(), description.to_string().into_bytes(), array, stored]
}

#[test]
fn every_seed_is_taken_at_any_length_and_with_any_byte_changed() {
    // What the fuzzer once found.
    let found = corpus::files(&corpus::workspace().join("fuzz/regressions/given"), "");
    for seed in seeds().into_iter().chain(found.into_iter().map(|file| file.bytes)) {
        given(&seed);
        for at in 0..seed.len() {
            given(&seed[..at]);
            for byte in [0, b'"', b'9', b'-', b'[', b'}', 0x80, 0xff, seed[at] ^ 1] {
                let mut changed = seed.clone();
                changed[at] = byte;
                given(&changed);
            }
        }
    }
}

#[test]
#[ignore = "writes the files that a fuzzer begins with: GIVEN_SEEDS=FOLDER"]
fn write_seeds() {
    let folder = std::path::PathBuf::from(std::env::var_os("GIVEN_SEEDS").unwrap());
    std::fs::create_dir_all(&folder).unwrap();
    for (at, seed) in seeds().iter().enumerate() {
        std::fs::write(folder.join(at.to_string()), seed).unwrap();
    }
}
