//! What was typed may be the name of a file, and so anybody's text: no word reaches the terminal but in one line, harmless.

#![cfg(unix)]
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod common;

use std::fs;

use ggufkit_testkit::{Builder, Tensor};

use common::{folder, gguf};

/// Ends the line, begins one that looks like ours, colours it, and turns the direction of writing.
const WORD: &str = "x\nerror: forged\r\x1b[31m\u{202e}y";

#[test]
fn no_word_of_a_call_breaks_a_line_or_acts() {
    let folder = folder("words");
    fs::write(folder.join("m.gguf"), Builder::new().kv("a", 1_u8).tensor(Tensor::f32("t", &[4])).bytes())
        .unwrap();
    fs::write(folder.join("bad.toml"), format!("[check]\nselect = [{WORD:?}]\n")).unwrap();
    fs::write(folder.join("ignored.toml"), format!("[[check.ignore]]\nrule = {WORD:?}\nreason = \"r\"\n"))
        .unwrap();
    fs::write(folder.join("empty.toml"), format!("[[check.ignore]]\nrule = {WORD:?}\nreason = \"\"\n"))
        .unwrap();
    fs::write(
        folder.join("glob.toml"),
        format!("[[check.ignore]]\nrule = \"layout\"\nreason = \"r\"\nfiles = [{:?}]\n", format!("[{WORD}")),
    )
    .unwrap();
    let commands = [
        "show",
        "dump",
        "get",
        "tensors",
        "config",
        "hex",
        "extract",
        "check",
        "template",
        "repair",
        "rule",
        "name",
        "explain",
        "completions",
        "man",
        "help",
    ];
    let (option, valued) = (format!("--{WORD}"), format!("--{WORD}=1"));
    let mut calls: Vec<Vec<String>> =
        vec![vec![WORD.into()], vec![option.clone()], vec!["--color".into(), WORD.into()]];
    for command in commands {
        for args in [
            &[WORD][..],
            &[&option],
            &[&valued],
            &["m.gguf", WORD],
            &["--", &option],
            &["m.gguf", &option],
            &["--json", WORD],
            &["-j", &option],
        ] {
            calls.push([command].iter().chain(args).map(ToString::to_string).collect());
        }
    }
    for (command, options) in [
        (
            "check",
            &[
                "--select",
                "--ignore",
                "--per-rule",
                "--baseline",
                "--config",
                "--fail-on",
                "--format",
                "--threads",
                "--files-from",
                "--offset",
                "--dialect",
                "--max-head",
                "--write-baseline",
            ][..],
        ),
        ("extract", &["-o", "--layers", "--rows", "--match", "--format"]),
        ("hex", &["--key", "--tensor", "--field", "--range", "--at", "--rows", "--block", "--lang"]),
        ("get", &["--files-from", "--elements", "--type"]),
        ("dump", &["--format", "--strings", "--arrays", "--sections", "--only"]),
        ("tensors", &["--match", "--layers", "--sort", "--type", "--format", "--group"]),
        ("template", &["--messages", "--name", "--date", "--tools", "--set", "--fuel"]),
        ("repair", &["-o", "--duplicates"]),
        ("explain", &["--lang"]),
        ("show", &["--files-from"]),
    ] {
        for option in options {
            calls.push(vec![command.into(), "m.gguf".into(), (*option).into(), WORD.into()]);
            calls.push(vec![command.into(), format!("{option}={WORD}"), "m.gguf".into()]);
        }
    }
    for config in ["bad.toml", "ignored.toml", "empty.toml", "glob.toml"] {
        calls.push(["check", "m.gguf", "--config", config].map(str::to_owned).to_vec());
    }
    calls.push(vec!["check".into(), "m.gguf".into(), "--ignore".into(), format!("{WORD}=reason")]);
    calls.push(vec!["check".into(), "m.gguf".into(), "--ignore".into(), format!("all={WORD}")]);
    for format in ["concise", "narrated", "github"] {
        calls.push(vec![
            "check".into(),
            "m.gguf".into(),
            "--ignore".into(),
            format!("all={WORD}"),
            "--format".into(),
            format.into(),
        ]);
    }
    for call in calls {
        let output = gguf(&folder, &call);
        assert!(output.status.code().is_some(), "{call:?}");
        for bytes in [&output.stdout, &output.stderr] {
            let text = String::from_utf8_lossy(bytes);
            assert!(!text.contains(['\x1b', '\r', '\u{202e}']), "{call:?}: {text:?}");
            assert!(
                !text.lines().any(|line| line.trim_start().starts_with("error: forged")),
                "{call:?}: {text}"
            );
        }
    }
}
