//! `gguf show` and `gguf tensors` on files that are odd: half downloads, joined and missing shards, hostile names, widths.

#![allow(clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use ggufkit_testkit::{Builder, Tensor, controls};
use serde_json::Value as Json;

/// A file of this test, in the build's own folder.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("show-tensors");
    std::fs::create_dir_all(&folder).expect("the build folder can be written");
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("the build folder can be written");
    path
}

fn run(columns: usize, args: &[&str], paths: &[&Path]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gguf"));
    command.env("COLUMNS", columns.to_string()).args(args).args(paths);
    command.output().expect("the command runs")
}

fn text(output: &Output) -> String {
    let text = String::from_utf8(output.stdout.clone()).expect("UTF-8");
    for c in text.chars() {
        assert!(c == '\n' || ggufkit::format::is_safe(c), "{c:?} reached the output");
    }
    text
}

/// The object of the only file in a JSON document.
fn json(output: &Output) -> Json {
    let document: Json = serde_json::from_str(&text(output)).expect("JSON");
    assert_eq!(document["schema"], 1);
    document["files"][0].clone()
}

fn codes(file: &Json) -> Vec<&str> {
    let notices = file["notices"].as_array().expect("a list");
    notices.iter().filter_map(|notice| notice["code"].as_str()).collect()
}

fn model() -> Builder {
    Builder::new()
        .kv("general.architecture", "llama")
        .kv("general.name", "odd one")
        .tensor(Tensor::f32("blk.0.a.weight", &[64, 4]))
        .tensor(Tensor::f32("blk.0.b.weight", &[64, 4]))
}

#[test]
fn half_a_download_says_how_much_is_there() {
    let whole = model().bytes();
    // The data of each tensor has 1024 bytes: of the second 24 are there.
    let path = file("half.gguf", &whole[..whole.len() - 1000]);
    let output = run(80, &["show"], &[&path]);
    assert_eq!(output.status.code(), Some(0));
    let shown = text(&output);
    let (wanted, present) = (whole.len(), whole.len() - 1000);
    let flat = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains(&format!("they end at {wanted} bytes, the file has {present}")), "{shown}");
    assert!(flat.contains("1 tensor is not whole (tensors[1].data \"blk.0.b.weight\" at 0x"), "{shown}");
    assert!(flat.contains("/ missing"), "{shown}");
    let file = json(&run(80, &["show", "--json"], &[&path]));
    assert_eq!(file["missing_bytes"], 1000);
    assert_eq!(codes(&file), ["partial-file"]);
    let sum: u64 =
        file["areas"].as_array().expect("a list").iter().filter_map(|area| area["bytes"].as_u64()).sum();
    assert_eq!(sum, present as u64);
}

#[test]
fn files_joined_by_cat_and_trailing_bytes() {
    let joined = [model().bytes(), model().bytes()].concat();
    let found = json(&run(80, &["show", "--json"], &[&file("joined.gguf", &joined)]));
    assert_eq!(codes(&found), ["joined-files"]);
    assert_eq!(found["notices"][0]["offset"], (joined.len() / 2) as u64);
    let trailing = model().trailing(vec![1; 77]).bytes();
    let found = json(&run(80, &["show", "--json"], &[&file("trailing.gguf", &trailing)]));
    assert_eq!(codes(&found), ["trailing-bytes"]);
    assert_eq!(found["notices"][0]["offset"], (trailing.len() - 77) as u64);
    let last = found["areas"].as_array().and_then(|areas| areas.last()).expect("areas");
    assert_eq!((&last["content"], &last["bytes"]), (&Json::from("trailing"), &Json::from(77)));
}

#[test]
fn what_ends_within_the_head_is_shown_as_far_as_it_goes() {
    let built = model().kv("general.license", "mit").build();
    let cut = built.span("kv[2].value").start + 1;
    let path = file("cut.gguf", &built.into_bytes()[..usize::try_from(cut).expect("a small file")]);
    let output = run(80, &["show"], &[&path]);
    assert_eq!(output.status.code(), Some(2));
    let shown = text(&output);
    assert!(
        shown.contains("read in part") && shown.contains("odd one") && !shown.contains("license"),
        "{shown}"
    );
    assert!(shown.contains("2 of 3 key-values  0 of 2 tensors"), "{shown}");
    assert!(!shown.contains("there is no tensor"), "nothing is absent from what was not read: {shown}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("unexpected end of file"));
    let output = run(80, &["show", "--json"], &[&path]);
    assert_eq!((output.status.code(), output.stderr.len()), (Some(2), 0));
    let found = json(&output);
    assert_eq!(found["errors"][0]["error"]["code"], "unexpected-end");
    assert_eq!((&found["file"]["complete"], &found["name"]), (&Json::from(false), &Json::from("odd one")));
    let output = run(80, &["tensors", "--json"], &[&path]);
    assert_eq!((output.status.code(), json(&output)["tensors"].as_array().map(Vec::len)), (Some(2), Some(0)));
}

#[test]
fn shards_are_one_model_and_a_missing_one_is_named() {
    let shard = |no: u16, name: &str| {
        let base = if no == 0 { Builder::new().kv("general.architecture", "llama") } else { Builder::new() };
        let base = base.kv("split.no", no).kv("split.count", 3_u16).kv("split.tensors.count", 3_i32);
        base.tensor(Tensor::f32(name, &[32])).bytes()
    };
    let first = file("set-00001-of-00003.gguf", &shard(0, "blk.0.a"));
    let last = file("set-00003-of-00003.gguf", &shard(2, "blk.2.a"));
    let found = json(&run(80, &["show", "--json"], &[&last]));
    assert_eq!(codes(&found), ["shard-missing"]);
    assert_eq!((&found["shards"]["files"], &found["shards"]["missing_count"]), (&2.into(), &1.into()));
    let missing = found["shards"]["missing"][0].as_str().expect("a path");
    assert!(missing.ends_with("set-00002-of-00003.gguf"), "{missing}");
    assert_eq!(found["parameters"]["total"], 64);
    // One of them alone is a shard, not a set.
    let found = json(&run(80, &["show", "--alone", "--json"], &[&last]));
    assert_eq!((&found["shards"]["no"], &found["shards"]["count"]), (&2.into(), &3.into()));
    assert_eq!(found["architecture"], Json::Null);
    let middle = file("set-00002-of-00003.gguf", &shard(1, "blk.1.a"));
    let found = json(&run(80, &["show", "--json"], &[&middle]));
    assert_eq!((codes(&found), &found["parameters"]["total"]), (vec![], &96.into()));
    let listed = json(&run(80, &["tensors", "--json"], &[&middle]));
    let of = |tensor: &Json| {
        let file = tensor["file"].as_str().expect("a path").to_owned();
        (tensor["name"].as_str().expect("a name").to_owned(), file[file.len() - 19..].to_owned())
    };
    let tensors: Vec<_> = listed["tensors"].as_array().expect("a list").iter().map(of).collect();
    let expected = [
        ("blk.0.a", "-00001-of-00003.gguf"),
        ("blk.1.a", "-00002-of-00003.gguf"),
        ("blk.2.a", "-00003-of-00003.gguf"),
    ];
    assert_eq!(tensors, expected.map(|(name, file)| (name.to_owned(), file[1..].to_owned())));
    for path in [first, middle, last] {
        std::fs::remove_file(path).expect("a file of this test");
    }
}

#[test]
fn a_stream_is_summed_up_without_its_size() {
    let bytes = model().bytes();
    let mut command = Command::new(env!("CARGO_BIN_EXE_gguf"));
    command.args(["show", "--json", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the command runs");
    child.stdin.take().expect("a pipe").write_all(&bytes).expect("the command reads");
    let found = json(&child.wait_with_output().expect("the command ends"));
    assert_eq!((&found["file"]["size"], &found["parameters"]["total"]), (&Json::Null, &512.into()));
}

/// Names and texts that act on a terminal, are very long, wide, or both.
fn hostile() -> Vec<u8> {
    let long = "中文\u{202e}\u{1b}[2J word ".repeat(400);
    Builder::new()
        .kv("general.architecture", "x\u{9b}31m")
        .kv("general.name", long.as_str())
        .kv("general.size_label", long.as_str())
        .kv("general.license", "\n\n\n")
        .kv("x\u{9b}31m.block_count", long.as_str())
        .kv("tokenizer.ggml.model", "\u{1b}]0;t\u{7}")
        .kv("tokenizer.ggml.tokens", vec!["\u{1b}[2J", "ok"])
        .kv("tokenizer.ggml.bos_token_id", 0_u32)
        .kv("tokenizer.ggml.eos_token_id", 7_u32)
        .kv(format!("tokenizer.chat_template.{long}"), "x")
        .kv("tokenizer.chat_templates", vec![long.as_str(), "a\tb"])
        .tensor(Tensor::f32(format!("blk.0.{long}"), &[1, 2, 3, 1, 1, 1, 1, 1, 1, 1]))
        .tensor(Tensor::f32("\u{1b}[31m", &[4]).offset(7))
        .tensor(Tensor::new("unknown", 4_000_000_000, &[32]).data(vec![0; 9]))
        .bytes()
}

#[test]
fn no_line_is_wider_than_asked_for_and_nothing_acts_on_the_terminal() {
    let hostile = file("hostile.gguf", &hostile());
    let everything = file("everything.gguf", &controls::everything(3, ggufkit::format::Endian::Big).bytes());
    let sound = file("sound.gguf", &model().bytes());
    for columns in [40, 60, 80, 200] {
        let output = run(columns, &["show"], &[&hostile, &everything, &sound]);
        assert_eq!(output.status.code(), Some(0));
        let shown = text(&output);
        for line in shown.lines().filter(|line| line.starts_with(' ')) {
            let wide: usize =
                line.chars().map(|c| if c.is_ascii() || "…≤×".contains(c) { 1 } else { 2 }).sum();
            assert!(wide <= columns, "{wide} columns, {columns} asked for: {line}");
        }
    }
    let listed = text(&run(80, &["tensors"], &[&hostile]));
    assert!(listed.contains("\\x1b[31m") && listed.contains("≤"), "{listed}");
    // Names are never cut.
    assert!(listed.contains(&"中文\\u{202e}\\x1b[2J word ".repeat(400)));
}

#[test]
fn colours_come_when_asked_for_and_change_no_text() {
    let path = file("colour.gguf", &model().bytes());
    for command in ["show", "tensors"] {
        let plain = text(&run(80, &[command], &[&path]));
        let coloured = run(80, &[command, "--color", "always"], &[&path]).stdout;
        let coloured = String::from_utf8(coloured).expect("UTF-8");
        assert!(coloured.contains("\u{1b}["));
        let mut bare = String::new();
        let mut parts = coloured.split("\u{1b}[");
        bare.push_str(parts.next().unwrap_or_default());
        for part in parts {
            bare.push_str(part.split_once('m').map_or(part, |(_, rest)| rest));
        }
        assert_eq!(bare, plain);
    }
}

#[test]
fn patterns_and_files_are_told_apart() {
    let one = file("one.gguf", &model().bytes());
    let odd = file("odd[name].gguf", &Builder::new().tensor(Tensor::f32("other", &[1])).bytes());
    let names = |args: &[&str], paths: &[&Path]| -> Vec<String> {
        let document: Json = serde_json::from_str(&text(&run(80, args, paths))).expect("JSON");
        let files = document["files"].as_array().expect("a list").iter();
        let tensors = files.flat_map(|file| file["tensors"].as_array().expect("a list"));
        tensors.map(|tensor| tensor["name"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!(names(&["tensors", "--json"], &[&one, Path::new("*.b.*")]), ["blk.0.b.weight"]);
    assert_eq!(names(&["tensors", "--json"], &[&one, &odd, Path::new("o*")]), ["other"]);
    assert_eq!(names(&["tensors", "--json", "--name", "*.a.*"], &[&one]), ["blk.0.a.weight"]);
    // What is named like a model is one, and its absence is an error.
    let output = run(80, &["tensors"], &[&one, Path::new("no-such-*.gguf")]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_file_without_tensors_says_so_in_one_line() {
    let path = file("vocabulary.gguf", &Builder::new().kv("general.architecture", "llama").bytes());
    let output = run(80, &["tensors"], &[&path]);
    assert_eq!(
        (output.status.code(), text(&output).as_str(), output.stderr.len()),
        (Some(0), "no tensors\n", 0)
    );
    // What a filter keeps back is another matter.
    let output = run(80, &["tensors", "--name", "nothing"], &[&file("some.gguf", &model().bytes())]);
    assert_eq!((output.status.code(), text(&output).as_str()), (Some(1), ""));
}
