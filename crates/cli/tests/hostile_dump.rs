//! Files that try to break out of a form: whatever they hold, each form of `gguf dump` stays what it is, and `gguf get`
//! never drives a terminal.

#![allow(clippy::expect_used, reason = "helpers of tests")]

use std::path::PathBuf;
use std::process::{Command, Output};

use ggufkit_testkit::{Builder, Kind, Tensor, Value, controls};
use serde_json::Value as Json;

/// Texts that mean something to a terminal, a table, a spreadsheet, a page or a parser.
const HOSTILE: [&str; 17] = [
    "| a | b |",
    "`code` ``two``",
    "<script>alert(1)</script>",
    "[link](https://example.invalid) www.example.invalid",
    "line\nbreak\r\n| x |",
    "=HYPERLINK(\"https://example.invalid\")",
    "+1",
    "-1",
    "@SUM(A1)",
    "a,b;c\td\"e\"",
    "\u{1b}[2J\u{1b}]0;title\u{7}",
    "\u{9b}31m \u{202e}gnp.exe \u{2066}x",
    "nul\0inside",
    "null",
    "- item: {a: [b, c]} # comment",
    "… 5 more",
    "back\\slash \\n 'quote'",
];

fn hostile() -> Vec<u8> {
    let mut builder = Builder::new().kv("general.architecture", "llama");
    for (i, text) in HOSTILE.iter().enumerate() {
        builder = builder.kv(format!("value.{i}"), *text).kv(format!("key {text}"), i as u32);
        builder = builder.tensor(Tensor::f32(format!("blk.{}.{text}", i / 4), &[4]));
    }
    builder
        .kv("array", HOSTILE.to_vec())
        .kv("bytes", Value::String(b"\xff\xfe\xc3(".to_vec()))
        .kv("", Value::strings([&b"\xff"[..], b"", b"|"]))
        .kv("twice", f32::NAN)
        .kv("twice", f64::NEG_INFINITY)
        .kv("flag", Value::Bool(3))
        .kv("long", "x".repeat(5000) + "`|`" + &"中".repeat(5000))
        .kv("nested", Value::nested([vec![1_u8, 2, 3, 4, 5].into(), Value::empty(Kind::Array)]))
        .tensor(Tensor::new("unknown", 156, &[32]))
        .tensor(Tensor::f32("huge", &[u64::MAX, u64::MAX]).data([]))
        .bytes()
}

/// A file of this test, in the build's own folder.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).expect("the build folder can be written");
    path
}

fn gguf(args: &[&str], path: &PathBuf) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gguf"));
    command.env_remove("COLUMNS").arg(args[0]).arg(path).args(&args[1..]);
    command.output().expect("the command runs")
}

fn stdout(output: Output) -> String {
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    for c in text.chars() {
        let ours = matches!(c, '\n' | '\r');
        assert!(ours || ggufkit::format::is_safe(c), "{c:?} reached the output");
    }
    text
}

/// The records of a table of RFC 4180.
fn csv(text: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(std::mem::take(&mut cell)),
            '\r' if !quoted => {
                assert_eq!(chars.next(), Some('\n'));
                record.push(std::mem::take(&mut cell));
                records.push(std::mem::take(&mut record));
            }
            c => cell.push(c),
        }
    }
    assert!(!quoted && cell.is_empty() && record.is_empty(), "the table ends with a record");
    records
}

#[test]
fn json_says_exactly_what_the_file_says() {
    let path = file("hostile.gguf", &hostile());
    let text = stdout(gguf(&["dump", "--json", "--arrays", "all"], &path));
    let json: Json = serde_json::from_str(&text).expect("JSON");
    let metadata = json["files"][0]["metadata"].as_array().expect("metadata");
    for (i, expected) in HOSTILE.iter().enumerate() {
        assert_eq!(metadata[1 + 2 * i]["value"], *expected);
        assert_eq!(metadata[2 + 2 * i]["key"], format!("key {expected}"));
        let name = &json["files"][0]["tensors"][i]["name"];
        assert_eq!(name, &format!("blk.{}.{expected}", i / 4));
    }
    let array = &metadata[1 + 2 * HOSTILE.len()];
    assert_eq!(array["value"], serde_json::json!(HOSTILE));
    let lines = stdout(gguf(&["dump", "--format", "ndjson"], &path));
    let kinds: Vec<Json> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(kinds.iter().filter(|line| line["kind"] == "kv").count(), metadata.len());
}

#[test]
fn csv_keeps_its_columns_and_runs_nothing() {
    let path = file("hostile-csv.gguf", &hostile());
    let records = csv(&stdout(gguf(&["dump", "--format", "csv", "--arrays", "all"], &path)));
    let titles = &records[0];
    let column = |name: &str| titles.iter().position(|t| t == name).expect("a column");
    let (name, ty, value) = (column("name"), column("type"), column("value"));
    for record in &records {
        assert_eq!(record.len(), titles.len(), "{record:?}");
        for cell in record {
            let runs = cell.trim_start().starts_with(['=', '+', '-', '@']);
            assert!(!runs || cell == "-Infinity", "{cell:?}");
            assert!(!cell.contains(['\n', '\r']), "{cell:?}");
        }
    }
    let find = |key: &str| records.iter().find(|r| r[name] == key).expect("the key");
    assert_eq!(find("value.5")[value], "'=HYPERLINK(\"https://example.invalid\")");
    assert_eq!(find("value.9")[value], "a,b;c\\td\"e\"");
    let array = &find("array")[value];
    assert_eq!(serde_json::from_str::<Json>(array).expect("JSON"), serde_json::json!(HOSTILE));
    assert_eq!(
        records.iter().filter(|r| r[ty] == "f64").map(|r| r[value].as_str()).next(),
        Some("-Infinity")
    );
}

#[test]
fn markdown_keeps_its_columns_and_holds_no_markup() {
    let path = file("hostile-markdown.gguf", &hostile());
    for text in ["120", "all"] {
        let page = stdout(gguf(&["dump", "--format", "markdown", "--arrays", "all", "--text", text], &path));
        let mut columns = 0;
        for line in page.lines() {
            match line.strip_prefix('|') {
                None => columns = 0,
                Some(row) => {
                    let cells = row.matches('|').count();
                    assert!(columns == 0 || cells == columns, "{line}");
                    columns = cells;
                }
            }
            // Outside code, what could be markup is disarmed.
            let outside: String = line.split('`').step_by(2).collect();
            for markup in ["<script", "](", "www.", "https://"] {
                assert!(!outside.contains(markup), "{line}");
            }
            assert!(line.matches('`').count().is_multiple_of(2), "{line}");
        }
    }
}

#[test]
fn tables_fit_their_width_and_cut_nothing_unmarked() {
    let path = file("hostile-table.gguf", &hostile());
    for columns in [40_usize, 80, 200] {
        let output = Command::new(env!("CARGO_BIN_EXE_gguf"))
            .env("COLUMNS", columns.to_string())
            .args(["dump", "--arrays", "all", "--text", "all"])
            .arg(&path)
            .output()
            .expect("the command runs");
        let text = stdout(output);
        let body = text.split_once('\n').expect("a first line with the path").1;
        let (body, _) = body.split_once("Oddities").expect("odd things are listed");
        for line in body.lines() {
            let wide: usize = line.chars().map(|c| if c >= '\u{2e80}' { 2 } else { 1 }).sum();
            assert!(wide <= columns.max(60), "{wide} columns of {columns}: {line}");
        }
        let joined: String = body.split_whitespace().collect();
        assert!(joined.contains(&"中".repeat(5000)), "whole text, however many lines it takes");
    }
}

#[test]
fn every_form_of_every_control_document_is_written() {
    for (name, document) in controls::all() {
        let built = document.build();
        let path = file("control.gguf", built.bytes());
        for format in ["table", "json", "ndjson", "yaml", "csv", "markdown"] {
            let output = gguf(&["dump", "--format", format, "--offset", &built.base().to_string()], &path);
            assert!(output.status.code().is_some_and(|code| code == 0 || code == 2), "{name} as {format}");
            assert!(!output.stdout.is_empty(), "{name} as {format}");
        }
    }
}

#[test]
fn get_prints_text_without_harm_and_raw_bytes_exactly() {
    let path = file("hostile-get.gguf", &hostile());
    for (i, text) in HOSTILE.iter().enumerate() {
        let key = format!("value.{i}");
        assert_eq!(gguf(&["get", &key, "--raw"], &path).stdout, text.as_bytes());
        let shown = String::from_utf8(gguf(&["get", &key], &path).stdout).expect("UTF-8");
        let clean = text.chars().all(|c| ggufkit::format::is_safe(c) || matches!(c, '\n' | '\t'));
        assert_eq!(shown == format!("{text}\n"), clean, "{text:?}");
        assert!(shown.chars().all(|c| ggufkit::format::is_safe(c) || matches!(c, '\n' | '\t')), "{shown:?}");
        let json: Json = serde_json::from_slice(&gguf(&["get", &key, "--json"], &path).stdout).expect("JSON");
        assert_eq!(json["files"][0]["values"][0]["value"], *text);
    }
    assert_eq!(gguf(&["get", "bytes", "--raw"], &path).stdout, b"\xff\xfe\xc3(");
    // 3 bytes of a u8 array as they stand in the file; an element of an array of texts without its length.
    assert_eq!(gguf(&["get", "nested[0][1:4]", "--raw"], &path).stdout, [2, 3, 4]);
    assert_eq!(gguf(&["get", "array[0]", "--raw"], &path).stdout, b"| a | b |");
    let all = String::from_utf8(gguf(&["get", "twice", "--all"], &path).stdout).expect("UTF-8");
    assert_eq!(all, "twice: NaN\ntwice: -Infinity\n");
    assert_eq!(gguf(&["get", "twice"], &path).stdout, b"NaN\n");
    // Each element is one line, whatever is in it.
    let lines = String::from_utf8(gguf(&["get", "array"], &path).stdout).expect("UTF-8");
    assert_eq!(lines.lines().count(), HOSTILE.len());
}
