//! `gguf explain` for every topic: in both languages, within the columns, plain without colour.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "helpers of tests")]

use std::process::{Command, Output};

use ggufkit::format::is_safe;
use ggufkit::format::spec::TENSOR_TYPES;
use ggufkit::inspect::explain::PROSE;

fn explain(args: &[&str], columns: usize) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gguf"))
        .arg("explain")
        .args(args)
        .env("COLUMNS", columns.to_string())
        .output()
        .expect("gguf runs")
}

/// Columns, good enough for these texts: Chinese and its marks are wide.
fn width(line: &str) -> usize {
    let wide = |c: char| matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ff00}'..='\u{ff60}');
    line.chars().map(|c| if wide(c) { 2 } else { 1 }).sum()
}

#[test]
fn topics_keep_to_their_columns() {
    let mut topics: Vec<&str> = PROSE.iter().map(|prose| prose.id).collect();
    topics.extend(TENSOR_TYPES.iter().map(|info| info.name));
    topics.extend(["f32", "string", "general", "tokenizer", "attention", "clip", "limit", "12", "llama"]);
    for topic in topics {
        for lang in ["en", "zh"] {
            for columns in [60, 80, 120] {
                let output = explain(&["--lang", lang, topic], columns);
                assert!(output.status.success(), "{topic}");
                let text = String::from_utf8(output.stdout).unwrap();
                assert!(text.chars().all(|c| c == '\n' || is_safe(c)), "{topic}");
                for line in text.lines() {
                    assert!(width(line) <= columns, "{topic} {lang} {columns}: {line}");
                    assert_eq!(line.trim_end(), line, "{topic}");
                }
            }
        }
    }
}

#[test]
fn what_is_not_found_is_echoed_harmlessly() {
    let output = explain(&["--lang", "en", "\u{1b}[31mred\u{202e}"], 80);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.starts_with("error: no topic is called \"\\x1b[31mred\\u{202e}\""), "{text}");
}
