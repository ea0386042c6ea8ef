//! What tests of the command have in common: folders of their own, and calls.

#![allow(dead_code, unreachable_pub, reason = "no file of tests needs all of it")]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// An empty folder of a test, in the build's own folder.
pub fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_CRATE_NAME")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The command, to be run in a folder, with nothing on standard input.
pub fn command(folder: &Path, args: &[impl AsRef<OsStr>]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gguf"));
    command.current_dir(folder).args(args).stdin(Stdio::null()).env_remove("COLUMNS");
    command
}

/// What the command answers.
pub fn gguf(folder: &Path, args: &[impl AsRef<OsStr>]) -> Output {
    command(folder, args).output().unwrap()
}

/// Bytes that must be text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A call that is to succeed; what it prints.
#[track_caller]
pub fn good(folder: &Path, args: &[&str]) -> String {
    let output = gguf(folder, args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

/// A call that is to end with this status; what it says on both outputs.
#[track_caller]
pub fn said(folder: &Path, args: &[&str], status: i32) -> String {
    let output = gguf(folder, args);
    let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(status), "{args:?}: {said}");
    said
}

/// The names in a folder, in order.
pub fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A model of so many tensors, 600 KiB each, whose quantizing takes a while.
pub fn large(layers: usize) -> Vec<u8> {
    let data: Vec<u8> =
        (0..512 * 300).flat_map(|at| ((at as f32 * 0.731).sin() * 0.1).to_le_bytes()).collect();
    let mut model = ggufkit_testkit::Builder::new().kv("general.architecture", "llama");
    model = model.kv("llama.block_count", u32::try_from(layers).unwrap());
    for layer in 0..layers {
        let name = format!("blk.{layer}.ffn_up.weight");
        model = model.tensor(ggufkit_testkit::Tensor::f32(&name, &[512, 300]).data(data.clone()));
    }
    let mut bytes = model.bytes();
    // The builder writes nothing that begins more than 16 MiB away.
    let written = (16 << 20) / data.len() + 1;
    bytes.extend(data.repeat(layers.saturating_sub(written)));
    bytes
}

/// Whether a process has a new file open that is not at its place yet, with a name or without one.
#[cfg(target_os = "linux")]
pub fn is_writing(pid: u32) -> bool {
    let open = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let mut links = open.filter_map(|fd| Some(fs::read_link(fd.path()).ok()?.to_string_lossy().into_owned()));
    links.any(|link| link.ends_with("(deleted)") || link.ends_with(".part"))
}

/// KiB of addresses that the command takes before it has read anything, its own code included.
#[cfg(target_os = "linux")]
pub fn idle() -> u64 {
    let mut idle = Command::new(env!("CARGO_BIN_EXE_gguf"));
    let idle = idle.args(["show", "-"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut idle = idle.spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    let status = fs::read_to_string(format!("/proc/{}/status", idle.id())).unwrap();
    let taken = status.lines().find_map(|line| line.strip_prefix("VmPeak:")).unwrap();
    let taken = taken.trim().trim_end_matches(" kB").parse().unwrap();
    idle.kill().unwrap();
    idle.wait().unwrap();
    taken
}
