//! What a command does with its streams: standard output that leads into a file that is read, and readers that leave.

#![cfg(unix)]
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "helpers of tests")]

mod common;

use std::fs::{self, OpenOptions};
use std::process::Stdio;

use ggufkit_testkit::{Builder, Tensor, Value};

use common::{command as gguf, folder};

fn shard(no: u16) -> Vec<u8> {
    Builder::new()
        .kv("general.architecture", "llama")
        .kv("tokenizer.chat_template", "{{ messages }}")
        .kv("split.no", Value::U16(no))
        .kv("split.count", Value::U16(2))
        .kv("split.tensors.count", Value::I32(2))
        .tensor(Tensor::f32(format!("t{no}"), &[4]))
        .bytes()
}

#[test]
fn no_command_writes_into_a_file_that_it_reads() {
    let folder = folder("itself");
    let names = ["m-00001-of-00002.gguf", "m-00002-of-00002.gguf"];
    let before: Vec<_> = (0..2).map(shard).collect();
    for (name, bytes) in names.iter().zip(&before) {
        fs::write(folder.join(name), bytes).unwrap();
    }
    std::os::unix::fs::symlink(names[0], folder.join("link.gguf")).unwrap();
    let first = names[0];
    for args in [
        &["extract", first, "t0", "-o", "-"][..],
        &["extract", "link.gguf", "t0", "-o", "-"],
        &["extract", first, "t0", "-o", "out", "--json"],
        &["get", first, "general.architecture", "--raw"],
        &["get", first, "nosuch", "--json"],
        &["dump", first],
        &["dump", first, "--format", "csv"],
        &["template", first, "--raw"],
        &["show", ".", "--json"],
        &["tensors", first],
        &["config", first],
        &["hex", first],
        &["check", first],
        &["name", first],
        &["show", "-"],
    ] {
        // The other file of the set is no better than the one that was named.
        for target in names {
            if target != first && ["name", "dump", "-"].iter().any(|word| args.contains(word)) {
                continue;
            }
            for append in [true, false] {
                let mut how = OpenOptions::new();
                let output = how.read(true).write(true).append(append).open(folder.join(target)).unwrap();
                let mut call = gguf(&folder, args);
                if args.contains(&"show") && args.contains(&"-") {
                    call.stdin(fs::File::open(folder.join(target)).unwrap());
                }
                let done = call.stdout(output).output().unwrap();
                let said = String::from_utf8_lossy(&done.stderr);
                assert_eq!(done.status.code(), Some(2), "{args:?} {target}: {said}");
                assert!(said.contains("standard output would be written into this file"), "{args:?}: {said}");
                for (name, bytes) in names.iter().zip(&before) {
                    assert_eq!(&fs::read(folder.join(name)).unwrap(), bytes, "{args:?} {target}");
                }
            }
        }
    }
    assert!(!folder.join("out").exists());
    // Another file, a copy of the same bytes even, is a place to write to.
    fs::write(folder.join("copy"), &before[0]).unwrap();
    let output = fs::File::create(folder.join("copy")).unwrap();
    let done = gguf(&folder, &["extract", first, "t0", "-o", "-"]).stdout(output).status().unwrap();
    assert_eq!((done.code(), fs::read(folder.join("copy")).unwrap().len()), (Some(0), 16));
}

/// Whatever a command reads, model or document, and whether its report is text or JSON.
#[test]
fn no_command_appends_its_report_to_what_it_reads() {
    let folder = folder("report");
    let bytes = Builder::new()
        .kv("general.architecture", "llama")
        .kv("general.name", "x")
        .tensor(Tensor::f32("t", &[4]))
        .bytes();
    let description =
        r#"{"metadata": [{"key": "general.architecture", "value": "llama"}], "tensors": [{"name": "t"}]}"#;
    let files = [
        ("m.gguf", bytes.as_slice()),
        ("n.gguf", &bytes),
        ("d.json", description.as_bytes()),
        ("list", b"m.gguf\n"),
        ("digests", b"xxh64  0123456789abcdef  m.gguf\n"),
    ];
    for (name, content) in files {
        fs::write(folder.join(name), content).unwrap();
    }
    for (into, args) in [
        ("m.gguf", &["add", "m.gguf", "u=n.gguf:t", "-o", "out"][..]),
        ("n.gguf", &["add", "m.gguf", "u=n.gguf:t", "-o", "out"]),
        ("m.gguf", &["endian", "big", "m.gguf", "-o", "out"]),
        ("n.gguf", &["endian", "big", "m.gguf", "n.gguf"]),
        ("m.gguf", &["repair", "m.gguf", "-o", "out"]),
        ("d.json", &["new", "out", "d.json", "--data-from", "m.gguf"]),
        ("m.gguf", &["new", "out", "d.json", "--data-from", "m.gguf"]),
        ("m.gguf", &["undo", "m.gguf"]),
        ("m.gguf", &["recover", "m.gguf"]),
        ("m.gguf", &["template", "set", "m.gguf", "{{ messages }}", "-o", "out"]),
        ("m.gguf", &["set", "m.gguf", "general.name=y", "-o", "out"]),
        ("n.gguf", &["set", "m.gguf", "n.gguf", "general.name=y"]),
        ("m.gguf", &["split", "m.gguf", "-o", "out/", "--max-tensors", "1"]),
        ("m.gguf", &["hash", "m.gguf"]),
        ("m.gguf", &["hash", "--file", "m.gguf"]),
        ("n.gguf", &["diff", "m.gguf", "n.gguf"]),
        ("digests", &["verify", "digests"]),
        ("m.gguf", &["verify", "digests", "m.gguf"]),
        ("list", &["show", "--files-from", "list"]),
        ("list", &["hash", "--file", "--files-from", "list"]),
    ] {
        for json in [false, true] {
            let output = OpenOptions::new().append(true).open(folder.join(into)).unwrap();
            let mut call = gguf(&folder, args);
            if json {
                call.arg("--json");
            }
            let done = call.stdout(output).output().unwrap();
            let said = String::from_utf8_lossy(&done.stderr);
            assert_eq!(done.status.code(), Some(2), "{args:?} {into}: {said}");
            assert!(said.contains("standard output would be written into"), "{args:?} {into}: {said}");
            for (name, content) in files {
                assert_eq!(fs::read(folder.join(name)).unwrap(), content, "{args:?} {into}: {name}");
            }
            assert!(!folder.join("out").exists(), "{args:?} {into}");
        }
    }
}

#[test]
fn a_verdict_does_not_depend_on_who_reads_it() {
    let folder = folder("verdict");
    fs::write(folder.join("bad.gguf"), &shard(0)[..60]).unwrap();
    fs::write(folder.join("good-1.0K-v1.0.gguf"), Builder::new().kv("general.architecture", "llama").bytes())
        .unwrap();
    let unread = |args: &[&str]| {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        gguf(&folder, args).stdout(writer).stderr(Stdio::null()).status().unwrap().code()
    };
    for format in ["full", "concise", "json", "sarif", "github"] {
        assert_eq!(unread(&["check", "bad.gguf", "--format", format]), Some(1), "{format}");
        let lenient = ["check", "bad.gguf", "--fail-on", "never", "--format", format];
        assert_eq!(unread(&lenient), Some(0), "{format}");
        assert_eq!(unread(&["check", "absent.gguf", "--format", format]), Some(2), "{format}");
    }
    assert_eq!(unread(&["name", "odd.gguf"]), Some(1));
    assert_eq!(unread(&["name", "good-1.0K-v1.0.gguf"]), Some(0));
}
