//! A command that is stopped midway, however it is stopped: nothing is at the final path, and nothing is left beside it.

#![cfg(target_os = "linux")]
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod common;

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use ggufkit_testkit::{Builder, Tensor};

use common::{command, folder, is_writing, names};

/// Bytes of the tensor, none of which are on the disk: enough that nobody copies them before the signal comes.
const BIG: u64 = 4 << 30;

/// A model of one tensor of holes, whose head has a key twice, and says that it is all of its set.
fn model(path: &Path) {
    let head = Builder::new().kv("general.architecture", "llama").kv("key", 1_u8).kv("key", 1_u8);
    let head = head.kv("split.no", 0_u16).kv("split.count", 1_u16).kv("split.tensors.count", 1_i32);
    let head = head.tensor(Tensor::f32("big", &[BIG / 4]).data(Vec::new())).bytes();
    fs::write(path, &head).unwrap();
    let len = head.len().next_multiple_of(32) as u64 + BIG;
    fs::OpenOptions::new().write(true).open(path).unwrap().set_len(len).unwrap();
    fs::write(path.with_file_name("raw"), [0; 16]).unwrap();
    let described = r#"{"metadata": [{"key": "general.architecture", "value": "toy"}],
        "tensors": [{"name": "big", "source": "m.gguf"}]}"#;
    fs::write(path.with_file_name("d.json"), described).unwrap();
}

/// What a file is: its number, its length, and where its head is what that says.
fn stands(path: &Path) -> (u64, u64, Vec<u8>) {
    let metadata = fs::metadata(path).unwrap();
    let mut head = vec![0; 512];
    fs::File::open(path).unwrap().read_exact(&mut head).unwrap();
    (metadata.ino(), metadata.len(), head)
}

/// Waits until the child has begun to write; false where it ended before.
fn has_begun(child: &mut Child) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(60) {
        if is_writing(child.id()) {
            return true;
        }
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    false
}

/// Whether the file system of a folder has files without a name.
fn has_nameless(folder: &Path) -> bool {
    // O_TMPFILE, as the kernel numbers it.
    use std::os::unix::fs::OpenOptionsExt as _;
    fs::OpenOptions::new().write(true).custom_flags(0o20_200_000).open(folder).is_ok()
}

#[test]
fn nothing_is_left_of_a_file_whose_writing_was_killed() {
    let folder = folder("killed");
    model(&folder.join("m.gguf"));
    for (name, args) in [
        ("extract", &["extract", "m.gguf", "big", "-o", "."][..]),
        ("npy", &["extract", "m.gguf", "big", "-o", ".", "--npy"]),
        ("repair", &["repair", "m.gguf", "-o", "out.gguf"]),
        ("fix", &["check", "m.gguf", "--fix", "-o", "out.gguf"]),
        ("split", &["split", "m.gguf", "-o", "p", "--shards", "2", "--first-shard", "metadata"]),
        ("merge", &["merge", "m.gguf", "-o", "out.gguf", "--delete-inputs"]),
        ("quantize", &["quantize", "m.gguf", "COPY", "-o", "out.gguf", "--no-verify"]),
        ("merge over", &["merge", "m.gguf", "-o", "there.gguf", "--force"]),
        ("replace", &["repair", "m.gguf", "-o", "there.gguf", "--force"]),
        ("set", &["set", "m.gguf", "--copy", "other:u32=1", "--allow-errors"]),
        ("add", &["add", "m.gguf", "t=raw", "--type", "F32", "--shape", "4", "--allow-errors"]),
        ("endian", &["endian", "big", "m.gguf"]),
        ("new", &["new", "out.gguf", "d.json", "--allow-errors"]),
    ] {
        for (signal, number) in [("-INT", 2), ("-TERM", 15), ("-KILL", 9)] {
            let mut done = true;
            let mut before = stands(&folder.join("m.gguf"));
            // Into the middle of the data; a machine that is faster than that is tried earlier.
            for wait in [30, 10, 3, 0, 0, 0] {
                fs::write(folder.join("there.gguf"), b"before").unwrap();
                before = stands(&folder.join("m.gguf"));
                let mut child = command(&folder, args);
                let mut child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
                if has_begun(&mut child) {
                    std::thread::sleep(Duration::from_millis(wait));
                    let kill = format!("kill {signal} {}", child.id());
                    let _ = Command::new("sh").args(["-c", &kill]).stderr(Stdio::null()).status();
                }
                let status = child.wait().unwrap();
                done = status.success();
                if !done {
                    assert_eq!(status.signal(), Some(number), "{name}: {status}");
                    break;
                }
                // It was written before it could be killed.
                fs::remove_dir_all(&folder).unwrap();
                fs::create_dir_all(&folder).unwrap();
                model(&folder.join("m.gguf"));
            }
            if done {
                ggufkit_testkit::corpus::skip(name, "it is done before it can be killed");
                continue;
            }
            assert_eq!(fs::read(folder.join("there.gguf")).unwrap(), b"before", "{name} {signal}");
            assert_eq!(stands(&folder.join("m.gguf")), before, "{name} {signal}");
            if has_nameless(&folder) {
                assert_eq!(names(&folder), ["d.json", "m.gguf", "raw", "there.gguf"], "{name} {signal}");
            }
        }
    }
    fs::remove_dir_all(&folder).unwrap();
}
