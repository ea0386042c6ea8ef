//! What differs on a terminal: bytes that could act on it stay away, and what is too wide is shortened. The terminal is
//! made by util-linux's `script`; without it nothing is tested here, and the decisions have tests of their own.

#![cfg(target_os = "linux")]
#![allow(clippy::expect_used, reason = "helpers of tests")]

use std::path::PathBuf;
use std::process::{Command, Stdio};

use ggufkit_testkit::{Builder, Tensor};

fn model(name: &str, builder: Builder) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, builder.bytes()).expect("the build folder can be written");
    path
}

/// The exit status and what reached the terminal; `None` without `script`.
fn on_a_terminal(columns: usize, words: &str) -> Option<(Option<i32>, String)> {
    let version = Command::new("script").arg("--version").output().ok()?;
    if !String::from_utf8_lossy(&version.stdout).contains("util-linux") {
        return None;
    }
    let call = format!("'{}' --color never {words}", env!("CARGO_BIN_EXE_gguf"));
    let mut script = Command::new("script");
    script.args(["-qec", &call, "/dev/null"]).stdin(Stdio::null()).env("COLUMNS", columns.to_string());
    let output = script.output().ok()?;
    // A terminal turns every line feed into two characters.
    Some((output.status.code(), String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n")))
}

#[test]
fn bytes_that_act_on_a_terminal_do_not_reach_it() {
    let builder = Builder::new()
        .kv("general.name", "a line\nand another")
        .kv("hostile", "\u{1b}[2J\u{1b}]0;title\u{7}")
        .tensor(Tensor::f32("W", &[4]));
    let path = model("terminal.gguf", builder);
    let path = path.to_str().expect("UTF-8");
    for words in [format!("get '{path}' hostile --raw"), format!("extract '{path}' W -o -")] {
        let Some((status, shown)) = on_a_terminal(80, &words) else { return };
        assert_eq!(status, Some(2), "{shown}");
        let words: Vec<&str> = shown.split_whitespace().collect();
        assert!(words.join(" ").contains("redirect the output to a file or a pipe"), "{shown}");
        assert!(!shown.contains(['\u{1b}', '\0']), "{shown:?}");
    }
    let harmless = on_a_terminal(80, &format!("get '{path}' general.name --raw"));
    assert_eq!(harmless, Some((Some(0), "a line\nand another".to_owned())));
}

#[test]
fn a_narrow_terminal_shortens_the_types_of_a_layer() {
    let mut builder = Builder::new();
    for (i, kind) in [0_u32, 1, 30, 12, 14].into_iter().enumerate() {
        builder = builder.tensor(Tensor::new(format!("blk.0.{i}"), kind, &[256]));
    }
    let path = model("mixed.gguf", builder);
    for columns in [100, 80, 60] {
        let words = format!("tensors '{}' --by layer", path.display());
        let Some((status, shown)) = on_a_terminal(columns, &words) else { return };
        assert_eq!(status, Some(0), "{shown}");
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines[1].contains("F32 ") && lines[0].ends_with("types"), "{columns}: {shown}");
        assert!(lines.iter().all(|line| line.chars().count() <= columns), "{columns}: {shown}");
    }
}

#[test]
fn names_give_way_to_the_numbers_of_a_narrow_terminal() {
    let file = |name: &str, kind, bytes: &[u8], times| {
        let matrix = Tensor::new("blk.11.ffn_gate_exps.a_name_of_many_words.weight", kind, &[256, 2]);
        let norm = Tensor::f32("norm", &[256]).data(0.5_f32.to_le_bytes().repeat(256));
        model(name, Builder::new().tensor(matrix.data(bytes.repeat(times))).tensor(norm))
    };
    let wide = file("names-f32.gguf", 0, &(-1.25_f32).to_le_bytes(), 512);
    let narrow = file("names-q4.gguf", 12, &[0], 288);
    let (wide, narrow) = (wide.display(), narrow.display());
    for columns in [80, 60, 40] {
        for words in [
            format!("stats '{wide}'"),
            format!("stats '{wide}' --by layer"),
            format!("compare '{wide}' '{narrow}'"),
            format!("extract '{wide}' --dry-run"),
            format!("quantize '{wide}' Q4_K --dry-run --output '{narrow}' --force"),
        ] {
            let Some((status, shown)) = on_a_terminal(columns, &words) else { return };
            assert_eq!(status, Some(0), "{shown}");
            assert!(words.contains("--by") || shown.contains("blk.11."), "{shown}");
            // A line may stand where a bar was wiped away.
            let mut rows = shown.lines().take(3).filter_map(|line| line.rsplit("\u{1b}[2K").next());
            assert!(rows.all(|line| line.chars().count() <= columns), "{columns} {words}: {shown}");
        }
    }
}

#[test]
fn who_waits_for_a_copy_sees_how_far_it_is() {
    let mut file = Builder::new().kv("general.architecture", "llama").kv("key", 1_u8).kv("key", 1_u8);
    for at in 0..64 {
        file = file.tensor(Tensor::f32(format!("t{at}"), &[1 << 16]));
    }
    let path = model("bar.gguf", file);
    let out = path.with_extension("out");
    let words = format!("repair '{}' --force -o '{}'", path.display(), out.display());
    let Some((status, shown)) = on_a_terminal(120, &words) else { return };
    assert_eq!(status, Some(0), "{shown}");
    // Beside what is printed anyway, which names the size once.
    assert!(shown.contains("of 16.00 MiB") && shown.contains("B/s"), "{shown:?}");
}
