//! What every document for programs promises: paths by which a file can be opened again, one list of failures, and a
//! document whatever went wrong.

#![allow(clippy::expect_used, clippy::panic, reason = "helpers of tests")]

mod common;

use std::process::Output;

use ggufkit_testkit::{Builder, Tensor};
use serde_json::{Value as Json, json};

use common::{folder, gguf as run, gguf as words};

fn document(output: &Output) -> Json {
    let text = String::from_utf8(output.stdout.clone()).expect("UTF-8");
    assert!(text.chars().all(|c| c == '\n' || ggufkit::format::is_safe(c)), "{text:?}");
    serde_json::from_str(&text).expect("a document")
}

fn shard(no: u16) -> Vec<u8> {
    Builder::new()
        .kv("general.architecture", "llama")
        .kv("split.no", no)
        .kv("split.count", 3_u16)
        .tensor(Tensor::f32(format!("blk.{no}.a"), &[4]))
        .bytes()
}

/// Every command that reads files, with what it needs besides one.
const COMMANDS: [&[&str]; 8] = [
    &["show"],
    &["dump"],
    &["tensors"],
    &["config"],
    &["hex"],
    &["get", "-k", "general.architecture"],
    &["extract", "--dry-run"],
    &["hash"],
];

#[cfg(unix)]
#[test]
fn a_path_in_a_document_opens_the_file_again() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let folder = folder("paths");
    // A name that escaping for people's eyes would change, and one that is not UTF-8: base64 of FF 2E 67 67 75 66.
    for (name, expected) in [
        (&b"a\nb\x1b\\c.gguf"[..], json!("a\nb\u{1b}\\c.gguf")),
        (b"\xff.gguf", json!({ "bytes": "/y5nZ3Vm" })),
    ] {
        let name = OsStr::from_bytes(name);
        for there in [true, false] {
            if there {
                std::fs::write(folder.join(name), Builder::new().kv("general.architecture", "llama").bytes())
                    .expect("a file");
            } else {
                std::fs::remove_file(folder.join(name)).expect("a file");
            }
            for command in COMMANDS {
                let mut args: Vec<&OsStr> = command.iter().map(OsStr::new).collect();
                args.extend([OsStr::new("--json"), name]);
                let file = document(&run(&folder, &args))["files"][0].clone();
                assert_eq!(file["path"], expected, "{command:?}");
                let errors = file["errors"].as_array().expect("a list");
                assert_eq!(errors.is_empty(), there, "{command:?}: {file}");
                assert!(file.get("error").is_none(), "{command:?} says it once: {file}");
                for error in errors {
                    assert_eq!((&error["path"], &error["error"]["code"]), (&expected, &json!("not_found")));
                }
                if there && command[0] == "get" {
                    assert_eq!(file["values"][0]["file"], expected);
                }
            }
            let args = [OsStr::new("name"), OsStr::new("--json"), name];
            let file = document(&run(&folder, &args))["files"][0].clone();
            assert_eq!((&file["path"], &file["name"]), (&expected, &expected));
        }
    }
}

#[cfg(unix)]
#[test]
fn the_shards_of_a_model_have_their_own_paths() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let folder = folder("shards");
    // The set's folder has a name that is not UTF-8.
    let name = |no: u16| [&b"\xff/xy-0000"[..], no.to_string().as_bytes(), b"-of-00003.gguf"].concat();
    std::fs::create_dir(folder.join(OsStr::from_bytes(b"\xff"))).expect("a folder");
    for no in [1, 3] {
        std::fs::write(folder.join(OsStr::from_bytes(&name(no))), shard(no - 1)).expect("a file");
    }
    let first = name(1);
    let of = |command: &str, more: &[&str]| {
        let mut args = vec![OsStr::new(command), OsStr::from_bytes(&first), OsStr::new("--json")];
        args.extend(more.iter().map(OsStr::new));
        document(&run(&folder, &args))["files"][0].clone()
    };
    // Base64 by another implementation; nine bytes stand before the number, so that it begins a group of three.
    let path = |no: u16| {
        let group = ["MS1v", "Mi1v", "My1v"][usize::from(no) - 1];
        json!({ "bytes": format!("/y94eS0wMDAw{group}Zi0wMDAwMy5nZ3Vm") })
    };
    let listed = of("tensors", &[]);
    assert_eq!((&listed["tensors"][0]["file"], &listed["tensors"][1]["file"]), (&path(1), &path(3)));
    assert_eq!(listed["problems"][0]["code"], "shard-missing", "an answer without a shard says so");
    let groups = of("tensors", &["--by", "shard"]);
    assert_eq!(groups["groups"][1]["group"], path(3));
    assert_eq!(of("show", &[])["shards"]["missing"], json!([path(2)]));
    let output = run(&folder, &[OsStr::new("tensors"), OsStr::from_bytes(&first)]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("warning: \\xff/xy-00001-of-00003.gguf: ") && said.contains("00002"), "{said}");
}

#[test]
fn a_call_that_comes_to_no_file_is_a_document_too() {
    let folder = folder("none");
    std::fs::create_dir(folder.join("empty")).expect("a folder");
    for command in COMMANDS {
        for (input, path, code) in [
            (&["--files-from", "no-such-list"][..], json!("no-such-list"), "not_found"),
            (&["empty"], json!("empty"), "no-files"),
        ] {
            // One file, and no list of them.
            if command[0] == "extract" && input.len() > 1 {
                continue;
            }
            let output = words(&folder, &[command, &["--json"], input].concat());
            assert_eq!(output.status.code(), Some(2), "{command:?}");
            assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{command:?}");
            let file = document(&output)["files"][0].clone();
            assert_eq!(file["errors"][0]["error"]["code"], code, "{command:?}: {file}");
            assert_eq!(file["errors"][0]["path"], path, "{command:?}: {file}");
        }
    }
    for (args, code, status) in [
        (&["get", "model.gguf", "--json"][..], "no-key", 2),
        (&["explain", "no such thing", "--json"], "unknown-topic", 1),
        (&["extract", "-", "W", "-o", "out", "--json"], "standard-input", 2),
        (&["extract", "m.gguf", "[", "-o", "out", "--json"], "bad-pattern", 2),
        (&["tensors", "m.gguf", "[", "--json"], "bad-pattern", 2),
        (&["show", "--json", "--offset", "1e3", "m.gguf"], "bad-arguments", 2),
        (&["hex", "--at", "zz", "--json", "m.gguf"], "bad-arguments", 2),
        (&["extract", "m.gguf", "--rows", "5:2", "-o", "out", "--json"], "bad-arguments", 2),
        (&["tensors", "--json", "m.gguf", "--name", "["], "bad-arguments", 2),
        (&["dump", "--format", "json", "m.gguf", "--nosuch"], "bad-arguments", 2),
        (&["check", "--json", "m.gguf", "--select", "nosuch"], "bad-options", 2),
        (&["template", "--json", "m.gguf", "--messages", "absent.json"], "not_found", 2),
    ] {
        let output = words(&folder, args);
        assert_eq!(output.status.code(), Some(status), "{args:?}");
        let document = document(&output);
        assert_eq!((&document["schema"], &document["command"]), (&json!(1), &json!(args[0])));
        assert_eq!(document["errors"][0]["error"]["code"], code, "{document}");
        assert_eq!(document["errors"][0]["path"], Json::Null);
    }
}

#[test]
fn a_name_whose_file_cannot_be_read_says_why() {
    let folder = folder("name");
    std::fs::write(folder.join("page.gguf"), b"<!doctype html><title>404</title>").expect("a file");
    let output = words(&folder, &["name", "page.gguf", "--json"]);
    assert_eq!((output.status.code(), output.stderr.len()), (Some(2), 0));
    let file = document(&output)["files"][0].clone();
    assert_eq!(
        (&file["disagreements"], &file["errors"][0]["error"]["kind"]),
        (&Json::Null, &json!("not-gguf"))
    );
    let output = words(&folder, &["name", "page.gguf"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.starts_with("error: page.gguf: ") && said.contains("web page"), "{said}");
    // A link to itself is there, and nobody can say what it is.
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("circle-1B-v1.0.gguf", folder.join("circle-1B-v1.0.gguf"))
            .expect("a link");
        let output = words(&folder, &["name", "circle-1B-v1.0.gguf"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: circle-1B-v1.0.gguf: "));
    }
    // A name need not be that of a file.
    let file = document(&words(&folder, &["name", "absent.gguf", "--json"]))["files"][0].clone();
    assert_eq!(file["errors"], json!([]));
}

#[test]
fn what_is_not_in_a_file_is_an_error_of_its_document() {
    use ggufkit_testkit::{Builder, Tensor};
    let folder = folder("absent");
    let model = Builder::new().kv("a.key", "x").tensor(Tensor::f32("t0", &[4]));
    std::fs::write(folder.join("m.gguf"), model.bytes()).expect("a file");
    for (args, code, status) in [
        (&["--tensor", "t0", "--data", "--block", "99"][..], "block-absent", 2),
        (&["--key", "nokey"], "key-absent", 1),
        (&["--tensor", "nope"], "tensor-absent", 1),
        (&["--tensor", "nope", "--data"], "tensor-absent", 1),
        (&["--at", "99999"], "position-absent", 1),
        (&["--field", "kv[9]"], "field-absent", 1),
    ] {
        let output = words(&folder, &[&["hex", "m.gguf", "--json"], args].concat());
        assert_eq!((output.status.code(), output.stderr.len()), (Some(status), 0), "{args:?}");
        let errors = document(&output)["files"][0]["errors"].clone();
        assert_eq!(errors.as_array().map(Vec::len), Some(1), "{args:?}: {errors}");
        assert_eq!((&errors[0]["path"], &errors[0]["error"]["code"]), (&json!("m.gguf"), &json!(code)));
    }
    let output = words(&folder, &["hex", "m.gguf", "--json", "--tensor", "t0", "--data"]);
    assert_eq!(document(&output)["files"][0]["errors"], json!([]));
}
