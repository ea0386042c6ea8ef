//! `gguf extract` and the files around it: what it may not overwrite, and what it says when it refuses.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use ggufkit_testkit::{Builder, Tensor};
use serde_json::Value as Json;

/// An empty folder of this test, in the build's own folder.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("extract-files").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn model() -> Vec<u8> {
    Builder::new()
        .kv("general.architecture", "llama")
        .tensor(Tensor::f32("W", &[4]).data((0..16).collect::<Vec<u8>>()))
        .tensor(Tensor::f32("V", &[2, 3]).data(vec![7; 24]))
        .bytes()
}

fn extract(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gguf"));
    command.current_dir(folder).arg("extract").args(args).stdin(Stdio::null()).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn the_model_itself_is_never_replaced() {
    let folder = folder("itself");
    // The model has the very name that its tensor's file would have, directly and behind a link.
    for name in ["W.bin", "other.gguf"] {
        fs::write(folder.join(name), model()).unwrap();
    }
    let output = extract(&folder, &["W.bin", "W", "-o", ".", "--force"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("is the model itself"), "{}", stderr(&output));
    assert_eq!(fs::read(folder.join("W.bin")).unwrap(), model());
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("other.gguf", folder.join("V.bin")).unwrap();
        let output = extract(&folder, &["other.gguf", "V", "-o", ".", "--force"]);
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(fs::read(folder.join("V.bin")).unwrap(), model());
    }
    // Any other file is what --force is for.
    fs::write(folder.join("W.bin"), b"old").unwrap();
    assert_eq!(extract(&folder, &["other.gguf", "W", "-o", "."]).status.code(), Some(2));
    assert_eq!(fs::read(folder.join("W.bin")).unwrap(), b"old");
    assert_eq!(extract(&folder, &["other.gguf", "W", "-o", ".", "--force"]).status.code(), Some(0));
    assert_eq!(fs::read(folder.join("W.bin")).unwrap(), (0..16).collect::<Vec<u8>>());
    assert!(names(&folder).iter().all(|name| !name.ends_with(".part")));
}

#[test]
fn models_do_not_overwrite_each_other() {
    let folder = folder("two");
    fs::create_dir(folder.join("in")).unwrap();
    for name in ["a.gguf", "b.gguf"] {
        fs::write(folder.join("in").join(name), model()).unwrap();
    }
    let output = extract(&folder, &["in", "-o", "out", "--force"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("2 models"), "{}", stderr(&output));
    assert_eq!(names(&folder), ["in"], "nothing was written");
    // A folder with one model is that model.
    fs::remove_file(folder.join("in/b.gguf")).unwrap();
    assert_eq!(extract(&folder, &["in", "-o", "out"]).status.code(), Some(0));
    assert_eq!(names(&folder.join("out")), ["V.bin", "W.bin"]);
}

#[test]
fn a_missing_shard_is_said() {
    let folder = folder("shards");
    let name = "x-00001-of-00002.gguf";
    fs::write(folder.join(name), model()).unwrap();
    let output = extract(&folder, &[name, "W", "-o", "out"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("x-00002-of-00002.gguf"), "{}", stderr(&output));
    assert_eq!(names(&folder.join("out")), ["W.bin"], "what is there is written all the same");
    let output = extract(&folder, &[name, "W", "-o", "out2", "--json"]);
    let document: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["files"][0]["problems"][0]["code"], "shard-missing", "{document}");
}

#[test]
fn json_always_says_why() {
    let folder = folder("json");
    fs::write(folder.join("page.gguf"), b"<!doctype html><title>404</title>").unwrap();
    for (file, kind) in [("nothing.gguf", "io"), ("page.gguf", "not-gguf")] {
        let output = extract(&folder, &[file, "-o", "out", "--json"]);
        assert_eq!(output.status.code(), Some(2));
        let document: Json = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(document["files"][0]["errors"][0]["error"]["kind"], kind, "{document}");
    }
    fs::write(folder.join("m.gguf"), model()).unwrap();
    let output = extract(&folder, &["m.gguf", "W", "-o", "-", "--json"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "bytes and JSON do not mix");
}

#[test]
fn standard_input_is_refused_in_words() {
    let output = extract(&folder("stdin"), &["-", "W", "-o", "out"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("cannot be read from standard input"), "{}", stderr(&output));
}

#[test]
fn rows_that_do_not_exist_write_nothing() {
    let folder = folder("rows");
    fs::write(folder.join("m.gguf"), model()).unwrap();
    // V has three rows of two elements.
    assert_eq!(extract(&folder, &["m.gguf", "V", "--rows", "1:", "-o", "out"]).status.code(), Some(0));
    assert_eq!(fs::read(folder.join("out/V.bin")).unwrap(), [7; 16]);
    for rows in ["3:", "2:9", "3"] {
        assert_eq!(extract(&folder, &["m.gguf", "V", "--rows", rows, "-o", "no"]).status.code(), Some(2));
    }
    assert_eq!(names(&folder.join("no")), Vec::<String>::new());
}

#[test]
fn tensors_over_the_same_bytes_do_not_fill_a_disk() {
    let folder = folder("overlap");
    let mut document = Builder::new();
    for i in 0..50 {
        document = document.tensor(Tensor::f32(format!("t{i}"), &[1000]).data(vec![1; 4000]).offset(0));
    }
    // Fifty tensors of 4,000 bytes, all at offset 0, in a file that holds 4,000 bytes of data.
    let mut bytes = document.without_data().bytes();
    bytes.extend([1; 4000]);
    fs::write(folder.join("m.gguf"), bytes).unwrap();
    let output = extract(&folder, &["m.gguf", "-o", "out"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("200000 bytes"), "{}", stderr(&output));
    assert_eq!(names(&folder), ["m.gguf"]);
    assert_eq!(extract(&folder, &["m.gguf", "t7", "-o", "out"]).status.code(), Some(0));
}

#[test]
fn a_call_that_chooses_nothing_leaves_nothing() {
    let folder = folder("nothing");
    fs::write(folder.join("m.gguf"), model()).unwrap();
    assert_eq!(extract(&folder, &["m.gguf", "nosuch", "-o", "out"]).status.code(), Some(1));
    assert_eq!(names(&folder), ["m.gguf"]);
    let output = extract(&folder, &["m.gguf", "W", "-o", "-", "--dry-run"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 of 1 tensors would be written"));
}

#[test]
fn names_that_were_typed_are_escaped_in_errors() {
    let output = extract(&folder("typed"), &["--\u{202e}gnp.gguf"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("\\u{202e}"), "{}", stderr(&output));
}

#[test]
fn a_file_is_named_alike_whatever_else_is_chosen() {
    let folder = folder("alike");
    let tensor = |name: &str, byte: u8| Tensor::f32(name, &[1]).data(vec![byte; 4]);
    let bytes =
        Builder::new().tensor(tensor("W", 1)).tensor(tensor("w", 2)).tensor(tensor("nul.w", 3)).bytes();
    fs::write(folder.join("m.gguf"), bytes).unwrap();
    assert_eq!(extract(&folder, &["m.gguf", "-o", "all"]).status.code(), Some(0));
    assert_eq!(names(&folder.join("all")), ["%6eul.w.bin", "W.bin", "w~2.bin"]);
    assert_eq!(extract(&folder, &["m.gguf", "w", "-o", "one"]).status.code(), Some(0));
    assert_eq!(names(&folder.join("one")), ["w~2.bin"]);
    assert_eq!(fs::read(folder.join("one/w~2.bin")).unwrap(), [2; 4]);
}

/// A file of more bytes than the output may take.
#[cfg(target_os = "linux")]
fn large(folder: &Path) {
    let tensor = Tensor::f32("W", &[1 << 18]).data(vec![1; 1 << 20]);
    fs::write(folder.join("m.gguf"), Builder::new().tensor(tensor).bytes()).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_cannot_grow_is_named_and_leaves_nothing() {
    let folder = folder("full");
    large(&folder);
    // The system lets no file of this process grow beyond some KiB, and says so as a full disk would: when it is written.
    let script = "trap '' XFSZ; ulimit -f 64; exec \"$0\" extract m.gguf W -o out";
    let mut shell = Command::new("sh");
    let output =
        shell.current_dir(&folder).args(["-c", script, env!("CARGO_BIN_EXE_gguf")]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).starts_with("error: out/W.bin: File too large"), "{}", stderr(&output));
    assert_eq!(names(&folder.join("out")), Vec::<String>::new());
}

#[cfg(target_os = "linux")]
#[test]
fn a_reader_that_has_enough_is_no_failure() {
    let folder = folder("enough");
    large(&folder);
    let mut command = Command::new(env!("CARGO_BIN_EXE_gguf"));
    command.current_dir(&folder).args(["extract", "m.gguf", "W", "-o", "-"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_output_is_named() {
    let folder = folder("full-output");
    large(&folder);
    for (pattern, words) in [("W", &["-o", "-"][..]), ("W", &["--dry-run"])] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_gguf"));
        command.current_dir(&folder).args(["extract", "m.gguf", pattern]).args(words).stdout(full);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("standard output: No space left"), "{}", stderr(&output));
    }
}
