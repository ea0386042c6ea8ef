//! `gguf compare --source`: models beside safetensors files, and folders that hold none, or not all of them.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod common;

use std::fs;
use std::path::Path;

use common::{folder, gguf, good, said, text};
use ggufkit_testkit::{Builder, Tensor};
use serde_json::Value as Json;

/// Numbers that look like weights and are always the same.
fn weights(seed: u32, count: u32) -> Vec<f32> {
    let mix =
        |at: u32| (at ^ seed).wrapping_mul(2_654_435_761).rotate_left(13).wrapping_mul(2_246_822_519) >> 8;
    (0..count).map(|at| (mix(at) as f32 / 8_388_608.0 - 1.0) * 0.05).collect()
}

fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// A model of two tensors that keep their values, written under the names of GGUF.
fn model(folder: &Path, name: &str, tensors: &[(&str, &[f32])]) {
    let file = tensors.iter().fold(
        Builder::new().kv("general.architecture", "qwen2").kv("qwen2.attention.head_count", 2_u32),
        |file, (name, values)| {
            file.tensor(Tensor::f32(*name, &[32, values.len() as u64 / 32]).data(bytes(values)))
        },
    );
    fs::write(folder.join(name), file.bytes()).unwrap();
}

/// A safetensors file of matrices.
fn safetensors(folder: &Path, name: &str, tensors: &[(&str, &[f32])]) {
    let (mut head, mut data) = (serde_json::Map::new(), Vec::new());
    for (name, values) in tensors {
        let start = data.len();
        data.extend(bytes(values));
        let place = serde_json::json!({ "dtype": "F32", "shape": [values.len() / 32, 32], "data_offsets": [start, data.len()] });
        head.insert((*name).to_owned(), place);
    }
    let head = serde_json::to_vec(&head).unwrap();
    let whole = [&(head.len() as u64).to_le_bytes()[..], &head, &data].concat();
    fs::write(folder.join(name), whole).unwrap();
}

const Q: &str = "model.layers.0.self_attn.q_proj.weight";
const EMBED: &str = "model.embed_tokens.weight";

#[test]
fn a_model_is_measured_by_the_files_of_a_folder() {
    let folder = folder("folder");
    let (one, two) = (weights(1, 4096), weights(2, 2048));
    model(&folder, "m.gguf", &[("token_embd.weight", &one), ("blk.0.attn_q.weight", &two)]);
    fs::create_dir(folder.join("src")).unwrap();
    safetensors(&folder, "src/a.safetensors", &[(EMBED, &one)]);
    safetensors(&folder, "src/b.safetensors", &[(Q, &two)]);
    let found: Json =
        serde_json::from_str(&good(&folder, &["compare", "m.gguf", "--source", "src", "--json"])).unwrap();
    assert_eq!(found["files"][0]["path"], "src");
    assert_eq!(found["files"][1]["path"], "m.gguf");
    assert_eq!(found["source"]["verdict"], "same");
    assert_eq!((&found["all"]["elements"], &found["all"]["equal"]), (&6144.into(), &6144.into()));
    assert_eq!(found["tensors"][1]["made_of"], serde_json::json!([Q]));
    let told = good(&folder, &["compare", "m.gguf", "--source", "src", "--max-error", "0"]);
    assert!(
        told.ends_with("The values are those of the source: every matrix is as near as its type allows.\n"),
        "{told}"
    );
    // Another model, whose tensors have the same names and shapes.
    model(
        &folder,
        "o.gguf",
        &[("token_embd.weight", &weights(3, 4096)), ("blk.0.attn_q.weight", &weights(4, 2048))],
    );
    let told = said(&folder, &["compare", "o.gguf", "--source", "src", "--max-error", "0.5"], 1);
    assert!(told.contains("nothing in common with the source"), "{told}");
    model(&folder, "p.gguf", &[("token_embd.weight", &one), ("blk.0.attn_q.weight", &weights(4, 2048))]);
    let told = good(&folder, &["compare", "p.gguf", "--source", "src"]);
    assert!(told.contains("some have nothing in common"), "{told}");
    // One file is one file.
    let told = said(&folder, &["compare", "m.gguf", "--source", "src/a.safetensors"], 1);
    assert!(
        told.contains("only in the file: blk.0.attn_q.weight")
            && told.contains("Of 1 tensor it is not known"),
        "{told}"
    );
    let told = good(&folder, &["compare", "m.gguf", "--source", "src/a.safetensors", "--name", "token*"]);
    assert!(!told.contains("only in"), "{told}");
}

#[test]
fn an_index_names_the_files_and_leads_nowhere_else() {
    let folder = folder("index");
    let one = weights(1, 4096);
    model(&folder, "m.gguf", &[("token_embd.weight", &one)]);
    safetensors(&folder, "outside.safetensors", &[(EMBED, &one)]);
    fs::create_dir(folder.join("src")).unwrap();
    safetensors(&folder, "src/part.safetensors", &[(EMBED, &one)]);
    safetensors(&folder, "src/a.safetensors", &[(EMBED, &weights(9, 4096))]);
    let index = folder.join("src/model.safetensors.index.json");
    let call = ["compare", "m.gguf", "--source", "src"];
    fs::write(&index, r#"{"weight_map": {"model.embed_tokens.weight": "part.safetensors"}}"#).unwrap();
    good(&folder, &[&call[..], &["--max-error", "0"]].concat());
    for (text, why) in [
        (r#"{"weight_map": {"a": "../outside.safetensors"}}"#, "no name in this folder"),
        (r#"{"weight_map": {"a": 1}}"#, "no name in this folder"),
        (r#"{"weight_map": []}"#, "it has no weight_map"),
        ("[", "no index of safetensors files"),
        (r#"{"weight_map": {"a": "missing.safetensors"}}"#, "missing.safetensors: No such file"),
        (r#"{"weight_map": {}}"#, "holds no safetensors files"),
    ] {
        fs::write(&index, text).unwrap();
        let told = said(&folder, &call, 2);
        assert!(told.contains(why), "{text}: {told}");
    }
}

#[test]
fn what_is_no_source_is_refused_in_words() {
    let folder = folder("refused");
    let one = weights(1, 4096);
    model(&folder, "m.gguf", &[("token_embd.weight", &one)]);
    safetensors(&folder, "s.safetensors", &[(EMBED, &one)]);
    fs::create_dir(folder.join("empty")).unwrap();
    for (args, why) in [
        (&["m.gguf", "--source", "nowhere"][..], "nowhere: No such file"),
        (&["m.gguf", "--source", "empty"], "empty: holds no safetensors files"),
        (&["m.gguf", "--source", "m.gguf"], "not a safetensors file"),
        (&["m.gguf", "m.gguf", "--source", "s.safetensors"], "a second file cannot be used with --source"),
        (&["m.gguf"], "required"),
        (&["nowhere.gguf", "--source", "s.safetensors"], "nowhere.gguf: No such file"),
        (&["-", "--source", "s.safetensors"], "data is not read as it passes by"),
    ] {
        let told = said(&folder, &[&["compare"], args].concat(), 2);
        assert!(told.contains(why), "{args:?}: {told}");
    }
    let output = gguf(&folder, &["compare", "m.gguf", "--source", "empty", "--json"]);
    let document: Json = serde_json::from_str(&text(&output.stdout)).unwrap();
    assert_eq!(document["files"][0]["errors"][0]["error"]["code"], "no-source", "{document}");
    assert_eq!(document["files"][1]["errors"], serde_json::json!([]));
    // A type that GGUF lacks, and tensors over the same bytes.
    let head =
        br#"{"model.embed_tokens.weight":{"dtype":"F8_E4M3","shape":[128,32],"data_offsets":[0,4096]}}"#;
    let whole = [&(head.len() as u64).to_le_bytes()[..], head, &[0; 4096]].concat();
    fs::write(folder.join("s.safetensors"), whole).unwrap();
    let told = said(&folder, &["compare", "m.gguf", "--source", "s.safetensors"], 2);
    assert!(told.contains("F8_E4M3, whose values are not known"), "{told}");
}

#[test]
fn a_source_may_have_the_names_of_gguf() {
    let folder = folder("own-names");
    let (one, two) = (weights(1, 4096), weights(2, 2048));
    model(&folder, "m.gguf", &[("token_embd.weight", &one), ("blk.0.attn_q.weight", &two)]);
    good(&folder, &["extract", "m.gguf", "-o", "own.safetensors"]);
    let call = ["compare", "m.gguf", "--source", "own.safetensors"];
    let told = good(&folder, &[&call[..], &["--max-error", "0"]].concat());
    assert!(told.contains("The values are those of the source") && !told.contains("only in"), "{told}");
    // Another pattern than those of the options, and what nothing fits.
    let told = good(&folder, &["compare", "m.gguf", "blk*", "--source", "own.safetensors"]);
    assert!(told.contains("blk.0.attn_q.weight") && !told.contains("token_embd"), "{told}");
    // Of a source that has nothing of it nothing is said twice.
    safetensors(&folder, "other.safetensors", &[("x", &one)]);
    let told = said(&folder, &["compare", "m.gguf", "--source", "other.safetensors"], 1);
    assert!(told.ends_with("nothing is known of where the values come from.\n"), "{told}");
    // An index with a byte order mark.
    fs::create_dir(folder.join("src")).unwrap();
    fs::rename(folder.join("own.safetensors"), folder.join("src/p.safetensors")).unwrap();
    let index = "\u{feff}{\"weight_map\": {\"token_embd.weight\": \"p.safetensors\"}}";
    fs::write(folder.join("src/model.safetensors.index.json"), index).unwrap();
    good(&folder, &["compare", "m.gguf", "--source", "src", "--max-error", "0"]);
    // Whoever wrote an index of a name without end need not be read to its end.
    let index = format!("{{\"weight_map\": {{\"a\": \"{}\"}}}}", "a".repeat(100_000));
    fs::write(folder.join("src/model.safetensors.index.json"), index).unwrap();
    let told = said(&folder, &["compare", "m.gguf", "--source", "src"], 2);
    assert!(told.len() < 5000 && told.contains('…') && told.contains("File name too long"), "{told}");
}
