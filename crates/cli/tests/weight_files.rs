//! `gguf stats` and `gguf compare` on files that are odd.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use common::folder;
use ggufkit_testkit::{Builder, Tensor};
use serde_json::Value as Json;

fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gguf")).current_dir(folder).args(args).output().unwrap()
}

fn floats(name: &str, values: &[f32]) -> Tensor {
    Tensor::f32(name, &[values.len() as u64])
        .data(values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>())
}

fn write(folder: &Path, name: &str, tensors: Vec<Tensor>) {
    let file = tensors.into_iter().fold(Builder::new().kv("general.architecture", "toy"), Builder::tensor);
    fs::write(folder.join(name), file.bytes()).unwrap();
}

#[test]
fn what_is_not_finite_is_told_and_within_no_bound() {
    let folder = folder("not-finite");
    write(&folder, "a.gguf", vec![floats("t", &[1.0, 2.0, 3.0, f32::INFINITY])]);
    write(&folder, "b.gguf", vec![floats("t", &[1.0, 2.0, f32::NAN, f32::INFINITY])]);
    let json = run(&folder, &["compare", "a.gguf", "b.gguf", "--json"]);
    assert_eq!(json.status.code(), Some(0));
    let found: Json = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((&found["tensors"][0]["not_finite"], &found["tensors"][0]["equal"]), (&1.into(), &3.into()));
    let status = |args: &[&str]| run(&folder, args).status.code();
    assert_eq!(status(&["compare", "a.gguf", "b.gguf", "--max-error", "0.5"]), Some(1));
    assert_eq!(status(&["compare", "a.gguf", "a.gguf", "--max-error", "0"]), Some(0));
    let found = run(&folder, &["stats", "b.gguf", "--json"]);
    let found: Json = serde_json::from_slice(&found.stdout).unwrap();
    let tensor = &found["files"][0]["tensors"][0];
    assert_eq!((&tensor["nan"], &tensor["infinite"], &tensor["mean"]), (&1.into(), &1.into(), &1.5.into()));
}

#[test]
fn tensors_over_the_same_bytes_are_read_once() {
    let folder = folder("same-bytes");
    let tensors = (0..100).map(|i| floats(&format!("t{i}"), &[1.0; 4096]).offset(0)).collect();
    write(&folder, "m.gguf", tensors);
    // One copy of the data is there, a hundred are claimed.
    assert!(fs::metadata(folder.join("m.gguf")).unwrap().len() < 2 * 16384);
    let output = run(&folder, &["stats", "m.gguf"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("share bytes"), "{output:?}");
}

#[test]
fn types_without_values_are_named_and_the_others_measured() {
    let folder = folder("no-values");
    // Q8_1: what activations are while they are multiplied.
    let odd = Tensor::new("odd", 9, &[32]).data(vec![0; 36]);
    write(&folder, "m.gguf", vec![floats("good", &[2.0; 8]), odd]);
    let output = run(&folder, &["stats", "m.gguf", "--json"]);
    assert_eq!(output.status.code(), Some(2));
    let found: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["files"][0]["tensors"][0]["name"], "good");
    assert_eq!(found["files"][0]["errors"][0]["error"]["code"], "no-decoding");
}
