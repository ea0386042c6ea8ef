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
