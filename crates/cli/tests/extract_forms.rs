//! `gguf extract` into one file of all chosen tensors: models, safetensors, archives of arrays.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod common;

use std::fs;
use std::path::Path;

use common::{folder, good, names, said};
use ggufkit_testkit::{Builder, Tensor};
use serde_json::Value as Json;

/// A block of Q8_0: scale 1, and the numbers from 0 on.
fn q8() -> Vec<u8> {
    [0, 0x3c].into_iter().chain(0..32).collect()
}

fn model() -> Vec<u8> {
    Builder::new()
        .kv("general.architecture", "llama")
        .kv("general.name", "whole")
        .alignment(64)
        .tensor(Tensor::f32("blk.0.w", &[4]).data((0..16).collect::<Vec<u8>>()))
        .tensor(Tensor::new("blk.0.q", 8, &[32]).data(q8()))
        .tensor(Tensor::f32("blk.1.v", &[2, 3]).data(vec![7; 24]))
        .bytes()
}

fn json(text: &str) -> Json {
    serde_json::from_str(text).unwrap()
}

fn tensors(folder: &Path, file: &str) -> Vec<(String, Json)> {
    let listed = json(&good(folder, &["tensors", file, "--json"]));
    let of = |tensor: &Json| (tensor["name"].as_str().unwrap().to_owned(), tensor["shape"].clone());
    listed["files"][0]["tensors"].as_array().unwrap().iter().map(of).collect()
}

#[test]
fn a_model_of_some_tensors_has_the_metadata_and_the_alignment() {
    let folder = folder("part");
    fs::write(folder.join("m.gguf"), model()).unwrap();
    let dry = json(&good(&folder, &["extract", "m.gguf", "blk.0.*", "-o", "p.gguf", "--dry-run", "--json"]));
    assert_eq!(names(&folder), ["m.gguf"]);
    good(&folder, &["extract", "m.gguf", "blk.0.*", "-o", "p.gguf"]);
    let size = fs::metadata(folder.join("p.gguf")).unwrap().len();
    assert_eq!(dry["files"][0]["output"]["bytes"], size);
    assert_eq!(
        tensors(&folder, "p.gguf"),
        [("blk.0.w".to_owned(), 4.into()), ("blk.0.q".to_owned(), 32.into())]
            .map(|(name, n): (_, Json)| (name, Json::from(vec![n])))
    );
    assert_eq!(good(&folder, &["get", "p.gguf", "general.name"]).trim(), "whole");
    assert_eq!(good(&folder, &["get", "p.gguf", "general.alignment"]).trim(), "64");
    // What differs between the two is the tensor that is left out.
    let found = json(&said(&folder, &["diff", "m.gguf", "p.gguf", "--json"], 1));
    assert_eq!(found["diff"]["metadata"]["changed"].as_array().map(Vec::len), Some(0), "{found}");
    good(&folder, &["extract", "m.gguf", "blk.1.v", "-o", "bare.gguf", "--no-metadata", "--rows", "1:"]);
    assert_eq!(tensors(&folder, "bare.gguf"), [("blk.1.v".to_owned(), Json::from(vec![2, 2]))]);
    said(&folder, &["get", "bare.gguf", "general.name"], 1);
}

#[test]
fn one_file_of_all_is_whole_or_nothing() {
    let folder = folder("whole");
    fs::write(folder.join("m.gguf"), model()).unwrap();
    for file in ["t.safetensors", "t.npz"] {
        let refused = said(&folder, &["extract", "m.gguf", "-o", file], 2);
        assert!(refused.contains("blk.0.q") && refused.contains("--dtype f32"), "{refused}");
        assert_eq!(names(&folder), ["m.gguf"]);
        good(&folder, &["extract", "m.gguf", "-o", file, "--dtype", "f32"]);
        let again = said(&folder, &["extract", "m.gguf", "-o", file, "--dtype", "f32"], 2);
        assert!(again.contains(&format!("{file} exists; --force overwrites it")), "{again}");
        fs::remove_file(folder.join(file)).unwrap();
    }
    let refused = said(&folder, &["extract", "m.gguf", "blk.0.q", "-o", "q.npy", "--dtype", "bf16"], 2);
    assert!(refused.contains("NumPy has no type for BF16"), "{refused}");
    good(&folder, &["extract", "m.gguf", "blk.0.q", "-o", "q.npy", "--dtype", "f16"]);
    // 128 bytes of header, 32 halves: 0, 1, 2 ... as binary16.
    let array = fs::read(folder.join("q.npy")).unwrap();
    assert_eq!((array.len(), &array[128..136]), (192, &[0, 0, 0, 0x3c, 0, 0x40, 0, 0x42][..]));
    for args in [
        &["-o", "x.gguf", "--dtype", "f16"][..],
        &["-o", "x.npz", "--npy"],
        &["-o", "x.npz", "--no-metadata"],
        &["--rows", "2:9", "-o", "x.gguf"],
        &["-o", "m.gguf", "--force"],
    ] {
        said(&folder, &[&["extract", "m.gguf"], args].concat(), 2);
        assert_eq!(names(&folder), ["m.gguf", "q.npy"], "{args:?}");
    }
    assert_eq!(fs::read(folder.join("m.gguf")).unwrap(), model());
}

#[test]
fn a_set_gives_one_file_with_the_metadata_of_its_first() {
    let folder = folder("set");
    fs::write(folder.join("m.gguf"), model()).unwrap();
    good(&folder, &["split", "m.gguf", "-o", "s/", "--max-tensors", "1"]);
    let set = "s/m-00002-of-00003.gguf";
    good(&folder, &["extract", set, "-o", "again.gguf"]);
    assert_eq!(fs::read(folder.join("again.gguf")).unwrap(), model(), "the model that was split");
    good(&folder, &["extract", set, "blk.0.q", "blk.1.v", "-o", "t.safetensors", "--dtype", "f32"]);
    // A name of the set is never written to, there or not.
    let refused = said(&folder, &["extract", set, "-o", "s/m-00001-of-00003.gguf", "--force"], 2);
    assert!(refused.contains("is the model itself"), "{refused}");
    fs::remove_file(folder.join("s/m-00001-of-00003.gguf")).unwrap();
    let first = "s/m-00001-of-00003.gguf";
    let refused = said(&folder, &["extract", set, "blk.0.q", "-o", first, "--force", "--no-metadata"], 2);
    assert!(refused.contains("is the model itself"), "{refused}");
    let refused = said(&folder, &["extract", set, "blk.0.q", "-o", "q.gguf"], 2);
    assert!(refused.contains("first file of the set"), "{refused}");
    // What was named one by one is there, whatever else is missing.
    good(&folder, &["extract", set, "blk.0.q", "-o", "q.gguf", "--no-metadata"]);
    assert_eq!(tensors(&folder, "q.gguf").len(), 1);
}

#[test]
fn names_that_are_there_twice_go_into_no_file_of_all() {
    let folder = folder("doubled");
    let one = |value| Tensor::f32("a", &[1]).data(vec![value; 4]);
    let bytes = Builder::new().kv("general.architecture", "llama").tensor(one(1)).tensor(one(2)).bytes();
    fs::write(folder.join("m.gguf"), bytes).unwrap();
    for file in ["x.gguf", "x.npz", "x.safetensors"] {
        let refused = said(&folder, &["extract", "m.gguf", "-o", file], 2);
        assert_eq!(refused.matches("error: ").count(), 1, "{refused}");
        assert!(refused.contains("\"a\""), "{refused}");
    }
    assert_eq!(names(&folder), ["m.gguf"]);
}

#[test]
fn names_by_which_numpy_finds_another_array_are_refused() {
    let folder = folder("hidden");
    let one = |name: &str| Tensor::f32(name, &[1]).data(vec![1; 4]);
    let bytes = Builder::new().tensor(one("a.npy")).tensor(one("a")).tensor(one("A")).bytes();
    fs::write(folder.join("m.gguf"), bytes).unwrap();
    let refused = said(&folder, &["extract", "m.gguf", "-o", "x.npz"], 2);
    assert!(refused.contains("by this name NumPy would find \"a\""), "{refused}");
    good(&folder, &["extract", "m.gguf", "a.npy", "A", "-o", "x.npz"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_large_tensor_is_decoded_in_little_memory() {
    let folder = folder("large");
    // 16,777,216 values: 64 MiB of floats.
    let blocks = q8().repeat(1 << 19);
    let bytes = Builder::new()
        .kv("general.architecture", "llama")
        .tensor(Tensor::new("w", 8, &[4096, 4096]).data(blocks))
        .bytes();
    fs::write(folder.join("m.gguf"), bytes).unwrap();
    for file in ["w.safetensors", "w.npz", "w.npy"] {
        let limit = common::idle() + 24 * 1024;
        let script = format!(
            "ulimit -v {limit}; exec \"$0\" extract m.gguf w -o {file} --dtype f32 --no-sync --threads 2"
        );
        let mut shell = std::process::Command::new("sh");
        let shell = shell.current_dir(&folder).env("MALLOC_ARENA_MAX", "1");
        let output = shell.args(["-c", &script, env!("CARGO_BIN_EXE_gguf")]).output().unwrap();
        assert_eq!((output.status.code(), common::text(&output.stderr).as_str()), (Some(0), ""), "{file}");
        assert!(fs::metadata(folder.join(file)).unwrap().len() > 64 << 20);
        fs::remove_file(folder.join(file)).unwrap();
    }
}
