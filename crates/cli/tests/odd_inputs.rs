//! Inputs that are not what they seem: half-changed descriptions, pipes in lists, bytes that are nobody's.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "helpers of tests")]

mod common;

use std::fs;

use ggufkit_testkit::{Builder, Tensor};

use common::{command as gguf, folder};

/// Two tensors of 32 bytes.
fn model() -> Vec<u8> {
    let model = Builder::new().kv("general.architecture", "toy").tensor(Tensor::f32("a", &[8]));
    model.tensor(Tensor::f32("b", &[8])).bytes()
}

#[test]
fn a_description_that_says_two_things_is_refused() {
    let folder = folder("two-things");
    for (name, text, why) in [
        (
            "twice",
            r#"{"metadata": [{"key": "a.b", "type": "u8", "value": 1, "value": 2}]}"#,
            "\"value\" is there twice",
        ),
        (
            "long",
            r#"{"metadata": [{"key": "a.b", "type": "array[u8]", "length": 3, "value": [1, 2]}]}"#,
            "has 2 elements",
        ),
        (
            "none",
            r#"{"metadata": [{"key": "a.b", "type": "u8", "length": 1, "value": 1}]}"#,
            "is one of an array alone",
        ),
    ] {
        fs::write(folder.join("d.json"), text).unwrap();
        let done = gguf(&folder, &["new", "out.gguf", "d.json", "--allow-errors"]).output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(!done.status.success() && said.contains(why), "{name}: {said}");
        assert!(!folder.join("out.gguf").exists(), "{name}");
    }
}

#[test]
fn what_is_nobodys_and_is_left_out_is_told() {
    let folder = folder("nobodys");
    // Bytes behind the head that pad it, and are not zeros: the head has 32 bytes more, and others follow it.
    let mut bytes = model();
    let end = bytes.len();
    let first = bytes.iter().rposition(|byte| *byte == b'b').unwrap();
    // Name, dimensions and their number, type, offset.
    let head_end = first + 1 + 4 + 8 + 4 + 8;
    assert!(head_end < end - 64, "there is padding");
    bytes[head_end] = 0xee;
    fs::write(folder.join("m.gguf"), &bytes).unwrap();
    let calls: [&[&str]; 3] = [
        &["unset", "m.gguf", "--tensor", "b", "--allow-errors", "--dry-run"],
        &["move", "m.gguf", "--tensor", "b", "--before", "a", "--allow-errors", "--dry-run"],
        &["add", "m.gguf", "c=m.gguf:a", "--allow-errors", "--dry-run"],
    ];
    for call in calls {
        let done = gguf(&folder, call).output().unwrap();
        let said =
            [done.stdout, done.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
        assert!(said.contains("are no tensor's and are not zeros"), "{call:?}: {said}");
        assert!(said.contains(&format!("{head_end:#x}..")), "{call:?}: {said}");
    }
    bytes[head_end] = 0;
    bytes.extend_from_slice(b"a signature");
    fs::write(folder.join("m.gguf"), &bytes).unwrap();
    let done = gguf(&folder, calls[0]).output().unwrap();
    assert!(!String::from_utf8_lossy(&done.stdout).contains("are no tensor's"), "zeros are nobody's loss");
    let description =
        r#"{"metadata": [{"key": "general.architecture", "value": "toy"}], "tensors": [{"name": "a"}]}"#;
    fs::write(folder.join("d.json"), description).unwrap();
    let call = ["new", "out.gguf", "d.json", "--data-from", "m.gguf", "--allow-errors", "--json"];
    let done = gguf(&folder, &call).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(said.contains("11 B behind its tensors are not taken"), "{said}");
}

/// A pipe that nobody writes to would be waited for.
#[cfg(unix)]
#[test]
fn pipes_that_are_named_in_a_document_are_not_waited_for() {
    let folder = folder("pipes");
    fs::write(folder.join("m.gguf"), model()).unwrap();
    let made = std::process::Command::new("mkfifo").arg(folder.join("pipe")).status().unwrap();
    assert!(made.success());
    let digest = "0123456789abcdef0123456789abcdef01234567";
    fs::write(folder.join("list"), format!("{digest}  pipe\n")).unwrap();
    let description =
        r#"{"metadata": [], "tensors": [{"name": "a", "type": "F32", "shape": [8], "source": "pipe"}]}"#;
    fs::write(folder.join("d.json"), description).unwrap();
    for call in [
        &["verify", "list"][..],
        &["new", "out.gguf", "d.json", "--allow-errors"],
        &["add", "m.gguf", "c=pipe", "--type", "F32", "--shape", "8", "--allow-errors"],
    ] {
        let done = gguf(&folder, call).output().unwrap();
        let said =
            [done.stdout, done.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
        assert_eq!(done.status.code(), Some(2), "{call:?}: {said}");
        assert!(said.contains("is no regular file"), "{call:?}: {said}");
    }
}
