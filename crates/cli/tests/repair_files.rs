//! `gguf repair` and `gguf check --fix`, and the files around them: what is written, and what is not.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use ggufkit_testkit::{Builder, Tensor};
use serde_json::Value as Json;

/// An empty folder of this test, in the build's own folder.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("repair-files").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn tensors(document: Builder) -> Builder {
    document.tensor(Tensor::f32("a", &[3])).tensor(Tensor::f32("b", &[5]))
}

fn sound() -> Vec<u8> {
    tensors(Builder::new().kv("general.architecture", "llama").kv("key", 1_u8)).bytes()
}

fn run(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gguf"));
    command.current_dir(folder).args(args).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_repaired_file_is_written_and_the_input_stays() {
    let folder = folder("plain");
    let mut broken = tensors(Builder::new().kv("general.architecture", "llama").kv("key", 1_u8)).build();
    broken.patch("data.padding[1]", vec![7; broken.get("data.padding[1]").len()]);
    fs::write(folder.join("m.gguf"), broken.bytes()).unwrap();

    let output = run(&folder, &["repair", "m.gguf", "--dry-run"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(
        said.contains("1 repair") && said.contains("padding") && said.contains("would be written"),
        "{said}"
    );
    assert_eq!(names(&folder), ["m.gguf"]);

    let output = run(&folder, &["repair", "m.gguf", "-o", "out.gguf"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(fs::read(folder.join("out.gguf")).unwrap(), sound());
    assert_eq!(fs::read(folder.join("m.gguf")).unwrap(), broken.bytes());
    // What is there is replaced only when told, and the input never.
    let output = run(&folder, &["repair", "m.gguf", "-o", "out.gguf"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--force"), "{}", text(&output.stderr));
    assert_eq!(run(&folder, &["repair", "m.gguf", "-o", "out.gguf", "--force"]).status.code(), Some(0));
    for name in ["m.gguf", "./m.gguf"] {
        assert_eq!(run(&folder, &["repair", "m.gguf", "-o", name, "--force"]).status.code(), Some(2));
    }
    assert_eq!(fs::read(folder.join("m.gguf")).unwrap(), broken.bytes());
    assert_eq!(names(&folder), ["m.gguf", "out.gguf"]);
}

#[test]
fn where_there_is_nothing_to_repair_nothing_is_written() {
    let folder = folder("sound");
    fs::write(folder.join("m.gguf"), sound()).unwrap();
    let output = run(&folder, &["repair", "m.gguf", "-o", "out.gguf"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("nothing to repair"), "{}", text(&output.stdout));
    assert_eq!(names(&folder), ["m.gguf"]);
}

#[test]
fn what_needs_a_guess_is_refused_with_all_reasons() {
    let folder = folder("refused");
    let twice =
        Builder::new().kv("key", 1_u8).kv("key", 2_u8).tensor(Tensor::new("q", 8, &[33]).data(vec![0; 64]));
    fs::write(folder.join("m.gguf"), twice.bytes()).unwrap();
    let output = run(&folder, &["repair", "m.gguf", "-o", "out.gguf"]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains("--duplicates") && said.contains("block of 32"), "{said}");
    let output = run(&folder, &["repair", "m.gguf", "--dry-run", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let document: Json = serde_json::from_slice(&output.stdout).unwrap();
    let codes: Vec<_> =
        document["files"][0]["refused"].as_array().unwrap().iter().map(|r| &r["code"]).collect();
    assert_eq!(codes, ["duplicate-key", "block-misfit"]);
    assert_eq!(names(&folder), ["m.gguf"]);

    let twice = tensors(Builder::new().kv("general.architecture", "llama").kv("key", 2_u8).kv("key", 1_u8));
    fs::write(folder.join("m.gguf"), twice.bytes()).unwrap();
    let args = ["repair", "m.gguf", "-o", "out.gguf", "--duplicates", "keep-last", "--json"];
    let output = run(&folder, &args);
    assert_eq!(output.status.code(), Some(0));
    let document: Json = serde_json::from_slice(&output.stdout).unwrap();
    let file = &document["files"][0];
    assert_eq!((&file["sound"], &file["outputs"][0]["written"]), (&Json::from(false), &Json::from(true)));
    assert_eq!(file["repairs"][0]["name"], "key", "{document}");
    assert_eq!(fs::read(folder.join("out.gguf")).unwrap(), sound());
}

#[test]
fn usage_and_the_system() {
    let folder = folder("usage");
    for args in [&["repair", "m.gguf"][..], &["repair", "-", "-o", "x"], &["repair", "no.gguf", "-o", "x"]] {
        assert_eq!(run(&folder, args).status.code(), Some(2), "{args:?}");
    }
    let output = run(&folder, &["repair", "no.gguf", "-o", "x", "--json"]);
    let document: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["files"][0]["errors"][0]["error"]["code"], "not_found", "{document}");
    assert!(names(&folder).is_empty());
}

#[test]
fn joined_files_are_cut_apart_into_a_folder() {
    let folder = folder("joined");
    let one = |no: u16| {
        let keys = Builder::new().kv("split.no", no).kv("split.count", 2_u16);
        keys.tensor(Tensor::f32(format!("t{no}"), &[8])).bytes()
    };
    fs::write(folder.join("m.gguf"), [one(0), one(1)].concat()).unwrap();
    let output = run(&folder, &["repair", "m.gguf", "-o", "out.gguf"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("--separate"), "{}", text(&output.stderr));
    for (force, status) in [(None, 0), (None, 2), (Some("--force"), 0)] {
        let args: Vec<_> =
            ["repair", "m.gguf", "--separate", "-o", "parts"].into_iter().chain(force).collect();
        assert_eq!(run(&folder, &args).status.code(), Some(status), "{args:?}");
        assert_eq!(names(&folder.join("parts")), ["m-00001-of-00002.gguf", "m-00002-of-00002.gguf"]);
    }
    assert_eq!(fs::read(folder.join("parts/m-00002-of-00002.gguf")).unwrap(), one(1));
}

#[test]
fn check_fix_makes_the_changes_that_are_safe() {
    let folder = folder("fix");
    let broken = Builder::new().kv("general.architecture", "llama").kv("key", 1_u8);
    let broken = broken.tensor(Tensor::f32("a", &[3])).tensor(Tensor::f32("b", &[5]).offset(17));
    fs::write(folder.join("m.gguf"), broken.bytes()).unwrap();
    assert_eq!(run(&folder, &["check", "m.gguf", "--fix"]).status.code(), Some(2), "-o is needed");
    let output = run(&folder, &["check", "m.gguf", "--fix", "-o", "out.gguf"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("tensor-offset-misaligned"), "{}", text(&output.stdout));
    assert_eq!(fs::read(folder.join("out.gguf")).unwrap(), sound());
    let args = ["check", "m.gguf", "--fix", "-o", "other.gguf", "--select", "duplicate-key"];
    assert_eq!(run(&folder, &args).status.code(), Some(0));
    assert_eq!(names(&folder), ["m.gguf", "out.gguf"], "nothing that was asked for is to be fixed");
}
