//! `gguf extract` and the files around it: what it may not overwrite, and what it says when it refuses.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use ggufkit_testkit::{Builder, Tensor};
use serde_json::Value as Json;

use common::{folder, names};

fn model() -> Vec<u8> {
    Builder::new()
        .kv("general.architecture", "llama")
        .tensor(Tensor::f32("W", &[4]).data((0..16).collect::<Vec<u8>>()))
        .tensor(Tensor::f32("V", &[2, 3]).data(vec![7; 24]))
        .bytes()
}

fn extract(folder: &Path, args: &[&str]) -> Output {
    common::gguf(folder, &[&["extract"], args].concat())
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
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
    assert_eq!(output.status.code(), Some(0), "what was named is there");
    assert!(stderr(&output).contains("x-00002-of-00002.gguf"), "{}", stderr(&output));
    assert_eq!(names(&folder.join("out")), ["W.bin"]);
    // What a pattern means may be in what is missing: each file is whole, and whether it is all is not known.
    for (patterns, to) in [(&["?"][..], "some"), (&[], "all"), (&["W", "X"], "named")] {
        let output = extract(&folder, &[&[name][..], patterns, &["-o", to]].concat());
        assert_eq!(output.status.code(), Some(2), "{patterns:?}");
        assert!(names(&folder.join(to)).contains(&"W.bin".to_owned()));
        // One file of all would be one of some.
        for file in ["m.gguf", "m.npz", "m.safetensors"] {
            let output = extract(&folder, &[&[name][..], patterns, &["-o", file]].concat());
            assert_eq!(output.status.code(), Some(2), "{patterns:?}");
            assert!(stderr(&output).contains("some may be missing"), "{}", stderr(&output));
            assert!(!folder.join(file).exists(), "{patterns:?} {file}");
        }
    }
    assert_eq!(extract(&folder, &[name, "W", "V", "-o", "m.npz"]).status.code(), Some(0));
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
    let document: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["errors"][0]["error"]["code"], "two-outputs", "bytes and JSON do not mix");
    assert_eq!((output.status.code(), output.stderr.len()), (Some(2), 0));
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
    assert_eq!(names(&folder), ["m.gguf", "out"], "not even a folder");
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

/// The members of a set of three, under their names; the first has the tensor `a`, the third `c`.
fn shard(no: u16) -> (String, Vec<u8>) {
    let bytes = Builder::new()
        .kv("general.architecture", "llama")
        .kv("split.no", no)
        .kv("split.count", 3_u16)
        .tensor(Tensor::f32(["a", "b", "c"][usize::from(no)], &[1]).data(vec![no as u8; 4]))
        .bytes();
    (format!("m-0000{}-of-00003.gguf", no + 1), bytes)
}

/// A set whose second member leads to `blobs/a.bin`, the name that the tensor of the first would have.
#[cfg(unix)]
fn set_over_blobs(folder: &Path, second: &[u8]) {
    fs::create_dir(folder.join("blobs")).unwrap();
    fs::write(folder.join("blobs/a.bin"), second).unwrap();
    for no in [0, 2] {
        let (name, bytes) = shard(no);
        fs::write(folder.join(name), bytes).unwrap();
    }
    std::os::unix::fs::symlink("blobs/a.bin", folder.join(shard(1).0)).unwrap();
}

#[cfg(unix)]
#[test]
fn a_member_that_is_no_model_is_not_replaced() {
    let folder = folder("garbage");
    set_over_blobs(&folder, b"garbage");
    let output = extract(&folder, &[&shard(0).0, "a", "-o", "blobs", "--force"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("blobs/a.bin is the model itself"), "{}", stderr(&output));
    assert_eq!(fs::read(folder.join("blobs/a.bin")).unwrap(), b"garbage");
}

#[cfg(target_os = "linux")]
#[test]
fn a_member_that_cannot_be_opened_is_not_replaced() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
    use std::os::unix::process::CommandExt as _;
    let folder = folder("closed");
    set_over_blobs(&folder, &shard(1).1);
    let blob = folder.join("blobs/a.bin");
    fs::set_permissions(&blob, fs::Permissions::from_mode(0o000)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_gguf"));
    command.current_dir(&folder).args(["extract", &shard(0).0, "-o", "blobs", "--force"]);
    if fs::metadata(&folder).unwrap().uid() == 0 {
        // Root may open anything: the folder is given to somebody else, who asks.
        for path in [&folder, &folder.join("blobs"), &blob] {
            chown(path, Some(65534), Some(65534)).unwrap();
        }
        command.uid(65534).gid(65534);
    }
    let before = fs::metadata(&blob).unwrap().ino();
    let output = match command.output() {
        Ok(output) => output,
        // The build folder is closed to everybody else.
        Err(error) => return assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied),
    };
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("blobs/a.bin is the model itself"), "{}", stderr(&output));
    assert!(stderr(&output).contains("m-00002-of-00003.gguf: Permission denied"), "{}", stderr(&output));
    assert_eq!(fs::metadata(&blob).unwrap().ino(), before);
    assert_eq!(names(&folder.join("blobs")), ["a.bin", "c.bin"], "the others are written");
}

/// A call whose standard output, or error, has no reader from the start.
#[cfg(unix)]
fn unheard(folder: &Path, args: &[&str], which: &str) -> Option<i32> {
    // A pipe whose reading end is closed before the call begins.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = Command::new(env!("CARGO_BIN_EXE_gguf"));
    command.current_dir(folder).arg("extract").args(args).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    match which {
        "stdout" => command.stdout(writer),
        "stderr" => command.stderr(writer),
        _ => command.stdout(writer.try_clone().unwrap()).stderr(writer),
    };
    command.status().unwrap().code()
}

#[cfg(unix)]
#[test]
fn nobody_listening_changes_neither_the_work_nor_the_status() {
    let folder = folder("unheard");
    fs::write(folder.join("m.gguf"), model()).unwrap();
    // What is left out of a folder is said before anything is written.
    fs::create_dir(folder.join("in")).unwrap();
    fs::write(folder.join("in/m.gguf"), model()).unwrap();
    fs::write(folder.join("in/n.gguf.part"), b"").unwrap();
    for which in ["stdout", "stderr", "both"] {
        for json in [&[][..], &["--json"]] {
            let call = |args: &[&str]| unheard(&folder, &[args, json].concat(), which);
            assert_eq!(call(&["/nope", "-o", "x"]), Some(2), "{which}");
            assert_eq!(call(&["m.gguf", "[", "-o", "x"]), Some(2), "{which}");
            assert_eq!(call(&["m.gguf", "nosuch", "-o", "x"]), Some(1), "{which}");
            assert_eq!(call(&["in", "-o", "out"]), Some(0), "{which}");
            assert_eq!(names(&folder.join("out")), ["V.bin", "W.bin"], "{which}");
            assert_eq!(call(&["in", "-o", "out"]), Some(2), "{which}: the files exist");
            fs::remove_dir_all(folder.join("out")).unwrap();
        }
    }
}

/// A call on a pipe, where `meanwhile` happens when the tensor is being written: between its head and its data.
#[cfg(target_os = "linux")]
fn while_written(folder: &Path, args: &[&str], meanwhile: impl FnOnce()) -> Output {
    use std::io::Write as _;
    let bytes = model();
    let fifo = folder.join("m.pipe");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let mut command = Command::new(env!("CARGO_BIN_EXE_gguf"));
    command.current_dir(folder).args(["extract", "m.pipe", "W", "-o", "out"]).args(args);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut pipe = fs::OpenOptions::new().write(true).open(&fifo).unwrap();
    let w: Vec<u8> = (0..16).collect();
    let data = bytes.windows(16).rposition(|window| window == w).unwrap();
    pipe.write_all(&bytes[..data]).unwrap();
    let begun = || common::is_writing(child.id());
    for _ in 0..10_000 {
        if begun() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    assert!(begun(), "the tensor is being written");
    meanwhile();
    pipe.write_all(&bytes[data..]).unwrap();
    drop(pipe);
    child.wait_with_output().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn what_appears_while_a_tensor_is_written_is_kept() {
    let folder = folder("meanwhile");
    let target = folder.join("out/W.bin");
    // A model that is moved there is still the model, with --force too.
    let output = while_written(&folder, &["--force"], || fs::rename(folder.join("m.pipe"), &target).unwrap());
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("out/W.bin is the model itself"), "{}", stderr(&output));
    assert_eq!(names(&folder.join("out")), ["W.bin"]);
    assert!(std::os::unix::fs::FileTypeExt::is_fifo(&fs::metadata(&target).unwrap().file_type()));
    fs::remove_file(&target).unwrap();
    // Anything else is for --force to replace, and for nothing else.
    let output = while_written(&folder, &[], || fs::write(&target, b"theirs").unwrap());
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("out/W.bin exists"), "{}", stderr(&output));
    assert_eq!(fs::read(&target).unwrap(), b"theirs");
    fs::remove_file(folder.join("m.pipe")).unwrap();
    fs::remove_file(&target).unwrap();
    let output = while_written(&folder, &["--force"], || fs::write(&target, b"theirs").unwrap());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(fs::read(&target).unwrap(), (0..16).collect::<Vec<u8>>());
    assert_eq!(names(&folder.join("out")), ["W.bin"]);
}

#[cfg(unix)]
#[test]
fn what_cannot_be_read_says_why() {
    let folder = folder("why");
    fs::write(folder.join("m.gguf"), model()).unwrap();
    // The head takes all of so small a pipe, and the data with it.
    let script = "cat m.gguf | \"$0\" extract /dev/stdin W -o out";
    let mut shell = Command::new("sh");
    let output =
        shell.current_dir(&folder).args(["-c", script, env!("CARGO_BIN_EXE_gguf")]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("tensor \"W\": cannot read 0x"), "{}", stderr(&output));
    assert!(stderr(&output).contains(": a pipe is read once, in order\n"), "{}", stderr(&output));
    assert_eq!(names(&folder.join("out")), Vec::<String>::new());
}

#[cfg(unix)]
#[test]
fn force_replaces_a_link_that_leads_nowhere() {
    let folder = folder("circle");
    fs::write(folder.join("m.gguf"), model()).unwrap();
    for (name, to) in [("W.bin", "W.bin"), ("V.bin", "nothing")] {
        std::os::unix::fs::symlink(to, folder.join(name)).unwrap();
    }
    let output = extract(&folder, &["m.gguf", "-o", "."]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stderr(&output).matches("exists; --force overwrites it").count(), 2, "{}", stderr(&output));
    assert_eq!(extract(&folder, &["m.gguf", "-o", ".", "--force"]).status.code(), Some(0));
    assert_eq!(names(&folder), ["V.bin", "W.bin", "m.gguf"]);
    assert!(fs::symlink_metadata(folder.join("W.bin")).unwrap().is_file());
    assert_eq!(fs::read(folder.join("V.bin")).unwrap(), [7; 24]);
}

#[test]
fn a_dry_run_promises_what_would_happen() {
    let folder = folder("promises");
    let bytes = Builder::new()
        .tensor(Tensor::f32("W", &[4]).data(vec![1; 16]))
        .tensor(Tensor::new("Q", 2, &[32]).data(vec![1; 18]))
        .tensor(Tensor::f32("far", &[4]).data([]).offset(1 << 40))
        .bytes();
    fs::write(folder.join("m.gguf"), bytes).unwrap();
    fs::create_dir_all(folder.join("there/Q.bin")).unwrap();
    fs::write(folder.join("there/W.bin"), b"old").unwrap();
    fs::write(folder.join("file"), b"").unwrap();
    for (args, refused, status) in [
        (&["W", "-o", "out"][..], "", 0),
        (&["W", "Q", "-o", "out", "--npy"], "NumPy has no type for Q4_0", 2),
        (&["far", "-o", "out"], "are not all in the file", 2),
        (&["W", "-o", "there"], "W.bin exists", 2),
        (&["W", "-o", "there", "--force"], "", 0),
        (&["Q", "-o", "there", "--force"], "Q.bin: is a directory", 2),
        (&["W", "-o", "file/below"], "file: not a directory", 2),
        (&["W", "Q", "-o", "-"], "standard output takes one tensor, and 2 were chosen", 2),
        (&["Q", "-o", "-", "--npy"], "NumPy has no type for Q4_0", 2),
        (&["W", "-o", "-"], "", 0),
        (&["W", "-o", "-", "--json"], "bytes or JSON, not both", 2),
    ] {
        for dry in [&["--dry-run"][..], &[]] {
            let output = extract(&folder, &[&["m.gguf"], args, dry].concat());
            assert_eq!(output.status.code(), Some(status), "{args:?} {dry:?}");
            let said = [output.stdout.clone(), output.stderr.clone()].concat();
            let said = String::from_utf8_lossy(&said);
            assert!(said.contains(refused), "{args:?} {dry:?}: {said}");
            if dry == ["--dry-run"] {
                let old = fs::read(folder.join("there/W.bin")).unwrap();
                assert!(!folder.join("out").exists() && old == b"old", "{args:?} wrote something");
            }
        }
        let _ = fs::remove_dir_all(folder.join("out"));
        fs::write(folder.join("there/W.bin"), b"old").unwrap();
    }
}

#[test]
fn refusals_are_documents_where_json_was_asked_for() {
    let folder = folder("refusals");
    fs::create_dir(folder.join("in")).unwrap();
    for name in ["a.gguf", "b.gguf"] {
        fs::write(folder.join("in").join(name), model()).unwrap();
    }
    for (args, code) in [
        (&["in/a.gguf", "["][..], "bad-pattern"),
        (&["-", "W"], "standard-input"),
        (&["in", "W"], "several-models"),
    ] {
        for to in [&["-o", "out"][..], &["--dry-run"], &["-o", "-", "--dry-run"], &["-o", "-"]] {
            let output = extract(&folder, &[args, to, &["--json"]].concat());
            assert_eq!(output.status.code(), Some(2), "{args:?}");
            let document: Json = serde_json::from_slice(&output.stdout).unwrap();
            let found = document["errors"][0]["error"]["code"].clone();
            // With two outputs there is one reason more.
            assert!(found == code || (to.contains(&"-") && found == "two-outputs"), "{document}");
        }
        let output = extract(&folder, &[args, &["-o", "-"]].concat());
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{args:?}");
        assert!(stderr(&output).starts_with("error: "), "{args:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn many_tensors_take_little_memory() {
    let folder = folder("many");
    let mut document = Builder::new();
    for i in 0..20_000 {
        document = document.tensor(Tensor::f32(format!("t{i}"), &[1]).data(vec![1; 4]).offset(0));
    }
    let mut bytes = document.without_data().bytes();
    bytes.extend(vec![1; 80_000]);
    assert!(bytes.len() < 1 << 20);
    fs::write(folder.join("m.gguf"), bytes).unwrap();
    // One document in memory takes 40 MiB.
    let taken = common::idle();
    let script = format!("ulimit -v {}; exec \"$0\" extract m.gguf --dry-run --json", taken + 24 * 1024);
    let mut shell = Command::new("sh");
    let output = shell
        .current_dir(&folder)
        .args(["-c", script.as_str(), env!("CARGO_BIN_EXE_gguf")])
        .output()
        .unwrap();
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let document: Json = serde_json::from_slice(&output.stdout).unwrap();
    let tensors = document["files"][0]["tensors"].as_array().unwrap();
    assert_eq!((tensors.len(), &tensors[19_999]["file"]), (20_000, &Json::from("t19999.bin")));
}

#[test]
fn one_tensor_goes_into_the_file_that_is_named() {
    let folder = folder("named");
    fs::write(folder.join("m.gguf"), model()).unwrap();
    let run = |args: &[&str]| extract(&folder, args).status.code();
    assert_eq!(run(&["m.gguf", "W", "-o", "q.bin"]), Some(0));
    assert_eq!(fs::read(folder.join("q.bin")).unwrap(), (0..16).collect::<Vec<u8>>());
    assert_eq!(run(&["m.gguf", "W", "-o", "q.bin"]), Some(2), "it is there");
    // A folder is not made for a file, as nowhere else.
    let output = extract(&folder, &["m.gguf", "W", "-o", "sub/q.npy"]);
    assert!(stderr(&output).starts_with("error: sub: No such file or directory"), "{}", stderr(&output));
    fs::create_dir(folder.join("sub")).unwrap();
    assert_eq!(run(&["m.gguf", "W", "-o", "sub/q.npy"]), Some(0));
    assert!(fs::read(folder.join("sub/q.npy")).unwrap().starts_with(b"\x93NUMPY"));
    // Several do not fit into one, and what is a folder stays one.
    let output = extract(&folder, &["m.gguf", "-o", "all.bin"]);
    assert!(stderr(&output).contains("takes one tensor, and 2 were chosen"), "{}", stderr(&output));
    assert_eq!(run(&["m.gguf", "W", "-o", "folder.bin/"]), Some(0));
    assert_eq!(run(&["m.gguf", "V", "-o", "folder.bin"]), Some(0));
    assert_eq!(names(&folder.join("folder.bin")), ["V.bin", "W.bin"]);
}

#[test]
fn a_head_that_cannot_be_read_is_all_that_is_said() {
    let folder = folder("head");
    fs::write(folder.join("cut.gguf"), &model()[..60]).unwrap();
    let output = extract(&folder, &["cut.gguf", "-o", "out"]);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(2));
    assert!(said.starts_with("error: cut.gguf: ") && !said.contains("no tensor was chosen"), "{said}");
}

#[test]
fn a_name_of_no_known_form_is_no_folder() {
    let folder = folder("endings");
    fs::write(folder.join("m.gguf"), model()).unwrap();
    for name in ["layer0.pt", "x.gguf.gz", "w.pth"] {
        let output = extract(&folder, &["m.gguf", "-o", name]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(&format!("{name}/ makes one of this name")), "{}", stderr(&output));
        assert_eq!(names(&folder), ["m.gguf"]);
    }
    // A folder of that name is one where it is there, or is said to be one.
    for _ in 0..2 {
        assert_eq!(extract(&folder, &["m.gguf", "-o", "layer0.pt/", "--force"]).status.code(), Some(0));
        assert_eq!(extract(&folder, &["m.gguf", "-o", "layer0.pt", "--force"]).status.code(), Some(0));
    }
    assert_eq!(names(&folder.join("layer0.pt")), ["V.bin", "W.bin"]);
}

#[test]
fn exact_sizes_are_told_of_every_form() {
    let folder = folder("sizes");
    fs::write(folder.join("m.gguf"), model()).unwrap();
    for file in ["w.npy", "w.bin", "w.npz", "w.safetensors", "w.gguf"] {
        let dry = extract(&folder, &["m.gguf", "W", "-o", file, "--dry-run", "--json"]);
        let made = extract(&folder, &["m.gguf", "W", "-o", file, "--json"]);
        let size = fs::metadata(folder.join(file)).unwrap().len();
        for output in [dry, made] {
            let document: Json = serde_json::from_slice(&output.stdout).unwrap();
            let output = &document["files"][0]["output"];
            assert_eq!((&output["path"], &output["bytes"]), (&file.into(), &size.into()), "{document}");
        }
    }
    let output = extract(&folder, &["m.gguf", "-o", "out", "--npy", "--dry-run", "--json"]);
    let document: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(extract(&folder, &["m.gguf", "-o", "out", "--npy"]).status.code(), Some(0));
    assert!(document["files"][0]["output"].is_null(), "{document}");
    for tensor in document["files"][0]["tensors"].as_array().unwrap() {
        let file = folder.join("out").join(tensor["file"].as_str().unwrap());
        assert_eq!(tensor["file_bytes"], fs::metadata(file).unwrap().len());
    }
}
