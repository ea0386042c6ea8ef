//! What runs of `gguf quantize` keep beside the output: it is told, continued, or left alone, and never lost without a word.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use ggufkit_testkit::{Builder, Tensor};
use serde_json::Value;

use common::{folder, good, names, said};

fn numbers(count: usize) -> Vec<u8> {
    (0..count).flat_map(|at| ((at as f32 * 0.731).sin() * 0.1).to_le_bytes()).collect()
}

/// A model of which some is finished before a weight ends it that is no number; without it, with other metadata.
fn model(is_odd: bool, name: &str) -> Vec<u8> {
    let mut last = numbers(1024);
    if is_odd {
        last[1200..1204].copy_from_slice(&f32::NAN.to_le_bytes());
    }
    Builder::new()
        .kv("general.architecture", "llama")
        .kv("general.name", name)
        .kv("llama.block_count", 1_u32)
        .tensor(Tensor::f32("token_embd.weight", &[256, 64]).data(numbers(256 * 64)))
        .tensor(Tensor::f32("blk.0.attn_v.weight", &[256, 64]).data(numbers(256 * 64)))
        .tensor(Tensor::f32("blk.0.attn_k.weight", &[256, 4]).data(last))
        .bytes()
}

/// A folder in which a run was ended by a weight that is mended by now, and what it has kept.
fn ended(name: &str) -> (PathBuf, [Vec<u8>; 2]) {
    let folder = folder(name);
    fs::write(folder.join("m.gguf"), model(true, "m")).unwrap();
    let said = said(&folder, &["quantize", "m.gguf", "Q4_0", "-o", "q.gguf", "--resume"], 2);
    assert!(said.contains("help: what is finished is kept, "), "{said}");
    assert!(said.contains("in .q.gguf.resume: --resume continues it, deleting"), "{said}");
    assert!(said.contains("help: `gguf check --data m.gguf` finds all of them"), "{said}");
    fs::write(folder.join("m.gguf"), model(false, "m")).unwrap();
    let kept = files(&folder);
    (folder, kept)
}

fn files(folder: &Path) -> [Vec<u8>; 2] {
    [".q.gguf.resume", ".q.gguf.resume.log"].map(|name| fs::read(folder.join(name)).unwrap())
}

fn json(folder: &Path, args: &[&str]) -> Value {
    let all: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
    serde_json::from_str(&good(folder, &all)).unwrap()
}

#[test]
fn a_run_without_resume_says_what_it_leaves_lying() {
    let (folder, kept) = ended("forgotten");
    let args = ["quantize", "m.gguf", "Q4_0", "-o", "q.gguf"];
    let note = "an earlier run left 22.5 KiB in .q.gguf.resume: --resume continues it, deleting .q.gguf.resume and \
        .q.gguf.resume.log forgets it";
    for more in [&["--dry-run"][..], &[]] {
        let said = said(&folder, &[&args[..], more].concat(), 0);
        assert!(said.contains(&format!("note: {note}")), "{said}");
    }
    let done = json(&folder, &[&args[..], &["--force"]].concat());
    assert!(done["files"][0]["notes"].to_string().contains(note), "{done}");
    assert_eq!(done["files"][0]["left"], 0);
    assert!(files(&folder) == kept);
    // By another name there is nothing of the kind.
    assert!(!said(&folder, &["quantize", "m.gguf", "Q4_0", "-o", "p.gguf"], 0).contains("an earlier run"));
}

#[test]
fn a_run_with_other_settings_is_refused_and_nothing_is_lost() {
    let (folder, kept) = ended("others");
    fs::write(folder.join("rules"), "attn=Q8_0").unwrap();
    fn command<'a>(args: &[&'a str]) -> Vec<&'a str> {
        [&["quantize", "m.gguf", "-o", "q.gguf", "--resume"], args].concat()
    }
    for (args, expected) in [
        (&["Q8_0"][..], "in .q.gguf.resume, for Q4_0 and not Q8_0"),
        (&["Q8_0", "--force"], "for Q4_0 and not Q8_0"),
        (&["Q8_0", "--dry-run"], "for Q4_0 and not Q8_0"),
        (&["Q4_0", "--output-tensor-type", "Q8_0"], "with other types, rules or options"),
        (&["Q4_0", "--tensor-type-file", "rules"], "with other types, rules or options"),
    ] {
        let said = said(&folder, &command(args), 2);
        assert!(said.contains("error: an earlier run left 22.5 KiB in .q"), "{args:?} {said}");
        assert!(said.contains(expected), "{args:?} {said}");
        assert!(
            said.contains("help: the same settings continue it; deleting .q.gguf.resume and .q"),
            "{said}"
        );
        assert!(files(&folder) == kept, "{args:?}");
    }
    // The metadata are others; that is told, too.
    fs::write(folder.join("m.gguf"), model(false, "other")).unwrap();
    let said = said(&folder, &command(&["Q4_0"]), 2);
    assert!(said.contains("of a model with other metadata"), "{said}");
    assert!(files(&folder) == kept);
    // With the same settings it goes on, and says how much of it was of use.
    fs::write(folder.join("m.gguf"), model(false, "m")).unwrap();
    let text = good(&folder, &command(&["Q4_0"]));
    assert!(text.contains("taken over from the run before: 22.5 KiB"), "{text}");
    assert_eq!(names(&folder), ["m.gguf", "q.gguf", "rules"]);
    good(&folder, &["quantize", "m.gguf", "Q4_0", "-o", "plain.gguf"]);
    assert!(fs::read(folder.join("q.gguf")).unwrap() == fs::read(folder.join("plain.gguf")).unwrap());
}

#[test]
fn what_was_made_of_other_weights_is_neither_taken_over_nor_thrown_away() {
    let (folder, kept) = ended("changed");
    // The weights of the second tensor are others by now, as those of another model with the same metadata.
    let mut bytes = model(false, "m");
    let at = bytes.len() - 4096 - 1024;
    bytes[at] ^= 1;
    fs::write(folder.join("m.gguf"), bytes).unwrap();
    let args = ["quantize", "m.gguf", "Q4_0", "-o", "q.gguf", "--resume"];
    let text = said(&folder, &args, 2);
    assert!(
        text.contains("an earlier run left 22.5 KiB in .q.gguf.resume, of a model with other weights"),
        "{text}"
    );
    assert!(text.contains("help: the same model continues it; deleting .q.gguf.resume and .q"), "{text}");
    assert!(files(&folder) == kept);
    for name in [".q.gguf.resume", ".q.gguf.resume.log"] {
        fs::remove_file(folder.join(name)).unwrap();
    }
    let done = json(&folder, &args);
    assert_eq!(
        (&done["files"][0]["taken_over"], &done["files"][0]["left"]),
        (&Value::from(0), &Value::from(0))
    );
}

#[test]
fn another_file_at_the_name_is_nothing_that_was_left() {
    let (folder, [kept, _]) = ended("replaced");
    fs::write(folder.join("q.gguf"), [7; 100_000]).unwrap();
    let done = json(&folder, &["quantize", "m.gguf", "Q4_0", "-o", "q.gguf", "--resume", "--force"]);
    let number = |key: &str| done["files"][0][key].as_u64().unwrap();
    assert_eq!((number("left"), number("taken_over")), (kept.len() as u64, kept.len() as u64), "{done}");
}

#[test]
fn a_run_of_another_type_does_not_say_that_it_would_be_continued() {
    let (folder, _) = ended("another");
    let text = said(&folder, &["quantize", "m.gguf", "Q8_0", "-o", "q.gguf"], 0);
    let expected = "an earlier run, which was another one, left 22.5 KiB in .q.gguf.resume: its own command continues it \
        with --resume";
    assert!(text.contains(expected), "{text}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_says_what_is_kept_and_ends_as_one() {
    use std::os::unix::process::ExitStatusExt as _;
    let folder = folder("interrupt");
    fs::write(folder.join("m.gguf"), common::large(40)).unwrap();
    let args = ["quantize", "m.gguf", "Q4_K_M", "-o", "q.gguf", "--resume", "--threads", "1"];
    let mut child = common::command(&folder, &args).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let log = folder.join(".q.gguf.resume.log");
    while fs::read(&log).map_or(0, |text| text.len()) < 200 {
        assert!(child.try_wait().unwrap().is_none(), "done before it could be interrupted");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.signal(), Some(2), "{said}");
    assert!(said.starts_with("error: q.gguf: interrupted"), "{said}");
    assert!(said.contains("in .q.gguf.resume: --resume continues it"), "{said}");
    assert_eq!(names(&folder), [".q.gguf.resume", ".q.gguf.resume.log", "m.gguf"]);
    let done = json(&folder, &args);
    assert!(done["files"][0]["taken_over"].as_u64().unwrap() > 3 * 512 * 300 / 2, "{done}");
}

#[test]
fn a_dry_run_tells_what_the_run_would_be_refused_for() {
    let (folder, _) = ended("dry");
    let dry = ["quantize", "m.gguf", "Q4_0", "-o", "q.gguf", "--resume", "--dry-run"];
    let text = said(&folder, &dry, 0);
    assert!(!text.contains("error"), "{text}");
    // Another file at the name, with a list beside it or not.
    fs::write(folder.join("q.gguf"), [7; 1000]).unwrap();
    let text = said(&folder, &dry, 2);
    assert!(text.contains("q.gguf exists; --force replaces it"), "{text}");
    said(&folder, &[&dry[..], &["--force"]].concat(), 0);
    fs::remove_file(folder.join("q.gguf")).unwrap();
    // A list that is none.
    fs::write(folder.join(".q.gguf.resume.log"), "hello").unwrap();
    let text = said(&folder, &dry, 2);
    assert!(text.contains(".q.gguf.resume.log: it is there, and is no list of an interrupted run"), "{text}");
}
