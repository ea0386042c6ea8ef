//! `gguf hex` over files that no sample is like: other byte orders, cut data, hostile text, a pipe.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "helpers of tests")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use ggufkit::format::{Endian, is_safe};
use ggufkit_testkit::controls::everything;
use ggufkit_testkit::{Builder, Tensor, Value};
use serde_json::Value as Json;

fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).expect("the build folder can be written");
    path
}

fn command(args: &[&str], columns: usize) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gguf"));
    command.arg("hex").args(args).env("COLUMNS", columns.to_string()).env("LC_ALL", "C");
    command
}

fn hex(args: &[&str], path: &Path, columns: usize) -> Output {
    command(args, columns).arg(path).output().expect("gguf runs")
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("the output is UTF-8")
}

fn builder() -> Builder {
    Builder::new()
        .kv("general.architecture", "llama")
        .kv("tokens", vec!["a", "bb", "", "dddd", "e", "f", "g"])
        .kv("nested", Value::nested([vec![1_u8, 2].into(), vec![3_u8].into()]))
        .tensor(Tensor::new("q4", 2, &[64, 2]))
        .tensor(Tensor::new("q5", 7, &[32]))
        .tensor(Tensor::new("unknown", 156, &[32]).data([7; 40]))
        .tensor(Tensor::f32("last", &[3]))
}

#[test]
fn lines_keep_to_their_columns_whatever_the_file_holds() {
    let hostile = Builder::new()
        .kv("\u{1b}[2J\u{202e}key".repeat(30), "中文".repeat(200))
        .kv("bytes", Value::String(b"\xff\xc3(".to_vec()))
        .tensor(Tensor::f32("\u{9b}31m".repeat(40), &[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]));
    let all = [
        ("hex_plain.gguf", builder().bytes()),
        ("hex_hostile.gguf", hostile.bytes()),
        ("hex_old.gguf", everything(1, Endian::Little).bytes()),
        ("hex_everything.gguf", everything(3, Endian::Big).bytes()),
    ];
    for (name, bytes) in all {
        let path = file(name, &bytes);
        for columns in [60, 80, 112, 120, 200] {
            for mode in [&["--full"][..], &["--steps"], &["--arrays", "0"]] {
                let output = hex(mode, &path, columns);
                assert!(output.status.success());
                let shown = text(&output);
                let odd = shown.chars().find(|c| *c != '\n' && !is_safe(*c));
                assert_eq!(odd, None, "{name} {mode:?}");
                for line in shown.lines() {
                    let wide = unicode_width(line);
                    // Below 76 columns sixteen bytes with their characters do not fit.
                    assert!(wide <= columns.max(76), "{name} at {columns}: {wide} columns: {line}");
                    assert_eq!(line.trim_end(), line);
                }
            }
        }
    }
}

/// Columns, good enough for what these tests print: Chinese is wide, the rest is not.
fn unicode_width(line: &str) -> usize {
    line.chars().map(|c| if ('\u{2e80}'..='\u{9fff}').contains(&c) { 2 } else { 1 }).sum()
}

#[test]
fn every_byte_of_the_head_is_in_the_full_text_once() {
    let built = builder().build();
    let path = file("hex_once.gguf", built.bytes());
    let data = built.span("tensors[0].data").start;
    for columns in [80, 120] {
        let shown = text(&hex(&["--full"], &path, columns));
        let mut bytes = Vec::new();
        for line in shown.lines().filter(|line| line.starts_with("0x")) {
            // Of a wide row the bytes stand between the bars, of a narrow one before two spaces.
            let hex = match columns {
                120 => line.split('│').nth(1),
                _ => line.get(8..).and_then(|rest| rest.split("  ").next()),
            };
            bytes.extend(
                hex.unwrap_or_default()
                    .split_whitespace()
                    .map(|pair| u8::from_str_radix(pair, 16).expect("two digits")),
            );
        }
        assert_eq!(bytes, built.bytes()[..data as usize], "at {columns}");
    }
}

#[test]
fn blocks_of_a_big_endian_file_hold_the_same_numbers() {
    let scale = |endian: &[u8]| [endian, &[0x55; 16]].concat();
    let tensor = |data: Vec<u8>| Tensor::new("q", 2, &[32]).data(data);
    // 0x3800 is 0.5 in half precision.
    let little = Builder::new().tensor(tensor(scale(&[0x00, 0x38]))).bytes();
    let big = Builder::new().big_endian().tensor(tensor(scale(&[0x38, 0x00]))).bytes();
    for (name, bytes) in [("hex_little.gguf", little), ("hex_big.gguf", big)] {
        let shown = text(&hex(&["--tensor", "q", "--data"], &file(name, &bytes), 120));
        assert!(shown.contains("f16 = 0.5"), "{shown}");
        assert!(shown.contains("w = -1.5 -1.5"), "{shown}");
    }
}

#[test]
fn data_that_the_file_cuts_short_is_shown_as_far_as_it_goes() {
    let built = builder().build();
    let start = built.span("tensors[0].data").start as usize;
    let path = file("hex_cut.gguf", &built.bytes()[..start + 5]);
    let output = hex(&["--tensor", "q4", "--data", "--block", "0..4"], &path, 120);
    assert!(text(&output).contains("the file ends here: 5 of 18 bytes are there"), "{}", text(&output));
    let json: Json =
        serde_json::from_slice(&hex(&["--tensor", "q4", "--data", "--json"], &path, 80).stdout).unwrap();
    assert_eq!(json["files"][0]["tensors"][0]["blocks"][0]["read"], 5);
}

#[test]
fn a_position_leads_to_field_block_or_bare_bytes() {
    let built = builder().build();
    let path = file("hex_at.gguf", built.bytes());
    let at = |position: u64| text(&hex(&["--at", &format!("{position:#x}")], &path, 120));
    assert!(at(built.span("kv[1].value[3]").start).contains("kv[1].value[3]  \"dddd\""));
    assert!(at(built.span("tensors[0].data").start + 36).contains("block 2 of 4  row 1, elements 0 to 31"));
    assert!(at(built.span("tensors[3].data").start + 4).contains("[0][1]  f32 = "));
    let unknown = at(built.span("tensors[2].data").start + 3);
    assert!(unknown.contains("│          07") && unknown.contains("outside of every field"), "{unknown}");
    let output = hex(&["--at", "0xffffffff"], &path, 120);
    assert_eq!(output.status.code(), Some(1));
    let shown = text(&hex(&["--field", "tensors[1].data"], &path, 120));
    assert!(shown.contains("Q5_1 [32]") && shown.contains("qh  u32"), "{shown}");
}

#[test]
fn a_pipe_shows_the_head_and_refuses_the_data() {
    let bytes = builder().bytes();
    let run = |args: &[&str]| {
        let mut child = command(args, 80)
            .arg("-")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("gguf runs");
        // A reader that has seen enough closes the pipe; that is no failure of the test.
        let _ = child.stdin.take().expect("a pipe").write_all(&bytes);
        child.wait_with_output().expect("gguf ends")
    };
    assert!(text(&run(&[])).contains("tensors[3].offset"));
    let refused = run(&["--tensor", "q4", "--data"]);
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(refused.stderr, b"error: -: tensor data cannot be read from standard input\n");
}

#[test]
fn a_head_that_breaks_off_is_json_up_to_there() {
    let built = builder().build();
    let cut = built.span("kv[1].value[3]").start as usize + 2;
    let path = file("hex_broken.gguf", &built.bytes()[..cut]);
    let output = hex(&["--json"], &path, 80);
    assert_eq!(output.status.code(), Some(2));
    let json: Json = serde_json::from_slice(&output.stdout).unwrap();
    let fields = json["files"][0]["fields"].as_array().unwrap();
    assert_eq!(fields.last().unwrap()["path"], "unparsed");
    assert_eq!(json["files"][0]["errors"][0]["error"]["code"], "unexpected-end");
    // The fields tile what there is.
    let mut next = 0;
    for field in fields {
        assert_eq!(field["offset"], next);
        next += field["size"].as_u64().unwrap();
    }
    assert_eq!(next, cut as u64);
}

#[test]
fn an_offset_that_is_none_of_a_gguf_is_said_to_be_that() {
    let path = file("offset.gguf", builder().build().bytes());
    let size = std::fs::metadata(&path).unwrap().len();
    for (offset, said) in [
        (size, "is the end of the file"),
        (size + 1, "is beyond the end of the file"),
        (size - 3, "only 3 bytes follow offset"),
        (24, "at offset 24: "),
    ] {
        let output = hex(&["--offset", &offset.to_string()], &path, 100);
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains(said), "{message}");
        assert!(!message.contains("download") || offset == 24, "{message}");
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn a_million_elements_are_shown_in_bounded_time() {
    let bytes = vec![7_u8; 1_000_000];
    let path = file("million.gguf", Builder::new().kv("x", bytes).build().bytes());
    for args in [&["--full"][..], &["--full", "--steps"], &["--full", "--json", "--steps"]] {
        let start = std::time::Instant::now();
        let output = command(args, 100).arg(&path).stdout(Stdio::null()).status().unwrap();
        assert!(output.success());
        // Unoptimised and on a busy machine; it is the order of magnitude that is held.
        assert!(start.elapsed().as_secs() < 60, "{args:?}");
    }
}
