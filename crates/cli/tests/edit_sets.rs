//! Changes of several files and of sets of shards: what a set is after them, and that none is begun that another one stops.

#![cfg(unix)]
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use ggufkit_testkit::{Builder, Tensor, corpus};
use serde_json::Value as Json;

use common::{folder, gguf as run, good, names, said as bad, text};

const SET: [&str; 3] = ["m-00001-of-00003.gguf", "m-00002-of-00003.gguf", "m-00003-of-00003.gguf"];

fn model() -> Builder {
    let file = Builder::new().kv("general.architecture", "toy").kv("general.name", "x");
    (0..6).fold(file, |file, at| file.tensor(tensor(at)))
}

fn tensor(at: u8) -> Tensor {
    let bytes: Vec<u8> = (0..40_u8).map(|n| n.wrapping_mul(7).wrapping_add(at)).collect();
    Tensor::f32(format!("blk.{at}.weight"), &[10]).data(bytes)
}

/// A folder with the shards of a model, two tensors in each.
fn set(name: &str) -> PathBuf {
    let folder = folder(name);
    fs::write(folder.join("whole.gguf"), model().bytes()).unwrap();
    good(&folder, &["split", "whole.gguf", "-o", "m", "--max-tensors", "2"]);
    fs::remove_file(folder.join("whole.gguf")).unwrap();
    assert_eq!(names(&folder), SET);
    folder
}

fn bytes(folder: &Path) -> Vec<Vec<u8>> {
    SET.iter().map(|name| fs::read(folder.join(name)).unwrap()).collect()
}

/// The model that the shards are, once nothing is wrong with them.
fn merged(folder: &Path) -> Vec<u8> {
    good(folder, &["check", SET[0], "--fail-on", "error"]);
    good(folder, &["merge", SET[0], "-o", "whole.gguf", "--force"]);
    fs::read(folder.join("whole.gguf")).unwrap()
}

fn read_only(path: &Path, to: bool) {
    let mut permissions = fs::metadata(path).unwrap().permissions();
    permissions.set_readonly(to);
    fs::set_permissions(path, permissions).unwrap();
}

#[test]
fn a_tensor_less_is_one_less_in_every_shard() {
    let folder = set("less");
    let said = good(&folder, &["unset", SET[0], "-t", "blk.3.weight"]);
    assert_eq!(said.matches("split.tensors.count: 6 → 5").count(), 3, "{said}");
    let kept = [0, 1, 2, 4, 5].into_iter().map(tensor);
    let head = Builder::new().kv("general.architecture", "toy").kv("general.name", "x");
    assert_eq!(merged(&folder), kept.fold(head, Builder::tensor).bytes());
}

#[test]
fn an_alignment_is_that_of_every_shard() {
    let folder = set("alignment");
    good(&folder, &["set", SET[1], "general.alignment=64"]);
    for name in SET {
        assert_eq!(good(&folder, &["get", name, "--alone", "general.alignment"]).trim(), "64");
    }
    good(&folder, &["check", SET[0], "--fail-on", "error"]);
    good(&folder, &["merge", SET[0], "-o", "whole.gguf"]);
}

/// What would be wrong with the set alone is said before it is written, and stops it.
#[test]
fn a_set_is_judged_as_one() {
    let folder = set("judged");
    let before = bytes(&folder);
    let said = bad(&folder, &["rename", SET[0], "-t", "blk.0.weight", "blk.5.weight"], 1);
    assert!(said.contains("blk.5.weight is there already"), "{said}");
    for args in [&["set", SET[0], "split.count=4"][..], &["set", SET[0], "split.tensors.count=7"]] {
        let said = bad(&folder, args, 1);
        assert!(said.contains("error[") && said.contains("--allow-errors"), "{said}");
    }
    assert_eq!(bytes(&folder), before);
    let sample = corpus::workspace().join("samples/Tiny-Llama-591K-v1.0-Q4_K_M.gguf");
    good(&folder, &["split", sample.to_str().unwrap(), "-o", "s", "--shards", "3"]);
    let said = bad(&folder, &["set", "s-00001-of-00003.gguf", "llama.block_count=99", "--dry-run"], 1);
    assert!(said.contains("error[block-count-mismatch]"), "{said}");
}

#[test]
fn what_stops_one_file_stops_all_and_a_dry_run_says_it_too() {
    let folder = folder("obstacles");
    let write = |name: &str| fs::write(folder.join(name), model().bytes()).unwrap();
    write("a.gguf");
    write("b.gguf");
    let before = fs::read(folder.join("a.gguf")).unwrap();
    let args = ["set", "a.gguf", "b.gguf", "general.name=Multi"];
    let refused = |told: &str, args: &[&str]| {
        for more in [&[][..], &["--dry-run"]] {
            let said = bad(&folder, &[args, more].concat(), 2);
            assert!(said.contains(told), "{said}");
            assert_eq!(fs::read(folder.join("a.gguf")).unwrap(), before);
        }
    };
    read_only(&folder.join("b.gguf"), true);
    refused("read-only", &args);
    refused("no file was written", &args);
    read_only(&folder.join("b.gguf"), false);
    fs::hard_link(folder.join("b.gguf"), folder.join("c.gguf")).unwrap();
    refused("2 names", &args);
    fs::remove_file(folder.join("c.gguf")).unwrap();
    refused("a.gguf is named twice", &["set", "a.gguf", "a.gguf", "general.name=Multi"]);
    std::os::unix::fs::symlink("a.gguf", folder.join("c.gguf")).unwrap();
    refused("a.gguf and c.gguf are one file", &["set", "a.gguf", "c.gguf", "--follow", "general.name=Multi"]);
    refused("b.gguf exists", &["set", "a.gguf", "general.name=Multi", "-o", "b.gguf"]);
    refused("is the file itself", &["set", "a.gguf", "general.name=Multi", "-o", "c.gguf", "--force"]);
    refused("No such file", &["set", "a.gguf", "general.name=Multi", "-o", "nowhere/b.gguf"]);
    refused("standard output", &["set", "a.gguf", "general.name=Multi", "-o", "-"]);
    refused("-o FOLDER/", &["set", "a.gguf", "b.gguf", "general.name=Multi", "-o", "out.gguf"]);
    let said = good(&folder, &[&args[..], &["--dry-run"]].concat());
    assert!(said.contains("nothing is written"), "{said}");
    good(&folder, &args);
}

/// What stands where a record is to be written is found late.
#[test]
fn what_is_written_is_said_where_one_fails_late_and_a_set_is_taken_back() {
    let folder = folder("late");
    for name in ["a.gguf", "b.gguf", "c.gguf"] {
        fs::write(folder.join(name), model().bytes()).unwrap();
    }
    fs::create_dir_all(folder.join(".b.gguf.ggufkit-undo/x")).unwrap();
    let said = bad(&folder, &["set", "a.gguf", "b.gguf", "c.gguf", "general.name=y"], 2);
    assert!(said.contains("written: a.gguf\n") && said.contains("not written: b.gguf, c.gguf"), "{said}");

    for more in [&[][..], &["--copy"]] {
        let folder = set("taken");
        let before = bytes(&folder);
        let name = format!(".{}.ggufkit-undo/x", SET[2]);
        fs::create_dir_all(folder.join(name)).unwrap();
        // The last one is changed in place, whatever becomes of the others.
        let args = [&["unset", SET[0], "-t", "blk.1.weight", "--json"], more].concat();
        let output = run(&folder, &args);
        if more.is_empty() {
            assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
            let json: Json = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(json["files"][0]["taken_back"], true);
            assert_eq!(json["files"][0]["written"], false);
            assert_eq!(bytes(&folder), before);
        }
    }
}

#[test]
fn files_of_a_set_are_written_into_a_folder_all_of_them() {
    let folder = set("output");
    let before = bytes(&folder);
    for more in [&[][..], &["--force"]] {
        let args = [&["set", SET[0], "general.name=y", "-o", "new/"], more].concat();
        good(&folder, &args);
        assert_eq!(names(&folder.join("new")), SET);
    }
    assert_eq!(bytes(&folder), before);
    let new = bytes(&folder.join("new"));
    assert!(new[0] != before[0] && new[1..] == before[1..]);
    bad(&folder, &["set", SET[0], "general.name=y", "-o", "new/"], 2);
    // What changes nothing says so, of a set too, and makes a copy where that is asked for.
    let said = good(&folder, &["set", SET[0], "general.name=x"]);
    assert!(said.contains("nothing to change, nor in the other files"), "{said}");
    let said = good(&folder, &["upgrade", SET[0], "-o", "copy/"]);
    assert!(said.contains("nothing to change") && said.contains("a copy of it"), "{said}");
    assert_eq!(bytes(&folder.join("copy")), before);
}

#[test]
fn a_version_that_changes_with_a_key_is_said() {
    let folder = folder("version");
    fs::write(folder.join("m.gguf"), model().version(1).bytes()).unwrap();
    let said = good(&folder, &["set", "m.gguf", "general.name=y"]);
    assert!(said.contains("version: 1 → 3"), "{said}");
}

#[test]
fn the_byte_order_of_a_set_is_that_of_all_its_files() {
    let folder = set("endian");
    let before = bytes(&folder);
    good(&folder, &["endian", "big", SET[1]]);
    assert!(bytes(&folder).iter().zip(&before).all(|(new, old)| new != old && new.len() == old.len()));
    good(&folder, &["check", SET[0], "--fail-on", "error"]);
    let native = if cfg!(target_endian = "big") { "little" } else { "big" };
    good(&folder, &["endian", native, SET[0]]);
    read_only(&folder.join(SET[2]), true);
    let now = bytes(&folder);
    bad(&folder, &["endian", "native", SET[0]], 2);
    assert_eq!(bytes(&folder), now);
    read_only(&folder.join(SET[2]), false);
    good(&folder, &["endian", "native", SET[0], "-o", "native/"]);
    good(&folder, &["endian", "little", SET[0]]);
    assert_eq!(bytes(&folder), before);
    if cfg!(target_endian = "little") {
        assert_eq!(bytes(&folder.join("native")), before);
    }
}

/// A tensor that one shard gets is counted in all, and data is found in whichever shard has it.
#[test]
fn tensors_are_added_to_sets_and_taken_from_them() {
    let folder = set("add");
    let before = bytes(&folder);
    fs::write(folder.join("w.raw"), [1; 40]).unwrap();
    let raw = ["--type", "F32", "--shape", "10"];
    let add = |word: &str, more: &[&str], status: i32| {
        bad(&folder, &[&["add", SET[2], word][..], &raw, more].concat(), status)
    };
    let said = add("blk.0.weight=w.raw", &[], 1);
    assert!(said.contains(&format!("is in {}", SET[0])), "{said}");
    let said = add("x=w.raw", &["-o", "out.gguf"], 1);
    assert!(said.contains("--alone"), "{said}");
    read_only(&folder.join(SET[0]), true);
    for more in [&[][..], &["--dry-run"]] {
        assert!(add("x=w.raw", more, 2).contains("read-only"));
    }
    read_only(&folder.join(SET[0]), false);
    // One that cannot be written leaves none of them written.
    fs::create_dir_all(folder.join(format!(".{}.ggufkit-undo/x", SET[1]))).unwrap();
    add("x=w.raw", &[], 2);
    assert_eq!(bytes(&folder), before);
    fs::remove_dir_all(folder.join(format!(".{}.ggufkit-undo", SET[1]))).unwrap();
    add("x=w.raw", &[], 0);
    let expected = model().tensor(Tensor::f32("x", &[10]).data([1; 40]));
    assert_eq!(merged(&folder), expected.clone().bytes());
    // From the set, into a file that is none of it.
    let dump = good(&folder, &["dump", "whole.gguf", "--format", "json", "--arrays", "all"]);
    fs::write(folder.join("d.json"), dump).unwrap();
    good(&folder, &["new", "new.gguf", "d.json", "--data-from", SET[1]]);
    assert_eq!(fs::read(folder.join("new.gguf")).unwrap(), expected.bytes());
}

/// llama.cpp is asked about the model that the files are, and not about each of them.
#[test]
fn a_set_that_would_not_load_any_more_is_not_written() {
    let folder = folder("unloadable set");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/Tiny-Llama-591K-v1.0-Q4_K_M.gguf");
    good(&folder, &["split", sample.to_str().unwrap(), "-o", "m", "--shards", "3"]);
    let before = bytes(&folder);
    for (change, told) in [
        (&["unset", SET[0], "general.architecture"][..], "error[missing-architecture]"),
        (&["unset", SET[0], "tokenizer.ggml.tokens"], "error[tokens-missing]"),
        (&["rename", SET[1], "general.architecture", "x"], "error[missing-architecture]"),
        (&["set", SET[0], "tokenizer.ggml.model=gpt2"], "error[merges-missing]"),
        (&["set", SET[2], "general.name=Phi-3"], "general.name tells of a Phi 3"),
        (&["unset", SET[0], "-t", "*"], "no tensor would be left"),
    ] {
        let said = bad(&folder, change, 1);
        assert!(said.contains(told), "{change:?}: {said}");
        assert_eq!(bytes(&folder), before);
    }
    good(&folder, &["set", SET[0], "general.name=other"]);
    // What is refused already may become something else that is refused.
    good(&folder, &["unset", SET[0], "llama.context_length", "--allow-errors"]);
    good(&folder, &["set", SET[0], "llama.nextn_predict_layers:f32=1"]);
}

/// What is changed in some of its files is no model with the others, when they are there again.
#[test]
fn a_set_that_lacks_a_file_is_changed_by_nothing() {
    let folder = set("lacking");
    fs::write(folder.join("p.json"), r#"[{"op": "set", "key": "general.name", "value": "z"}]"#).unwrap();
    fs::write(folder.join("x.raw"), [0; 32]).unwrap();
    fs::create_dir(folder.join("away")).unwrap();
    fs::rename(folder.join(SET[0]), folder.join("away").join(SET[0])).unwrap();
    let before: Vec<_> = SET[1..].iter().map(|name| fs::read(folder.join(name)).unwrap()).collect();
    for change in [
        &["set", SET[2], "general.name=z"][..],
        &["set", SET[2], "general.name=z", "-o", "out/"],
        &["set", SET[1], "general.alignment=64", "--allow-errors"],
        &["unset", SET[1], "-t", "blk.3.weight"],
        &["rename", SET[1], "-t", "blk.3.weight", "blk.7.weight"],
        &["move", SET[1], "-t", "blk.3.weight"],
        &["apply", SET[1], "p.json"],
        &["template", "set", SET[1], "x"],
        &["template", "unset", SET[1], "--if-present"],
        &["endian", "big", SET[1]],
        &["upgrade", SET[1], "-o", "out/"],
        &["add", SET[1], "new=x.raw", "--type", "F32", "--shape", "8"],
        &["add", SET[1], "new=x.raw", "--type", "F32", "--shape", "8", "-o", "out.gguf"],
        &["merge", SET[1], "-o", "out.gguf"],
        &["split", SET[1], "-o", "again", "--shards", "2"],
    ] {
        let output = run(&folder, change);
        let said = text(&output.stdout) + &text(&output.stderr);
        if said.contains("unexpected argument") {
            continue;
        }
        assert_eq!(output.status.code(), Some(1), "{change:?}: {said}");
        assert!(said.contains(&format!("shard 1 of 3 is missing: {}", SET[0])), "{change:?}: {said}");
        assert!(said.contains("fetch what is missing"), "{change:?}: {said}");
        let after: Vec<_> = SET[1..].iter().map(|name| fs::read(folder.join(name)).unwrap()).collect();
        assert_eq!(before, after, "{change:?}");
    }
    fs::rename(folder.join(SET[1]), folder.join("away").join(SET[1])).unwrap();
    let said = bad(&folder, &["set", SET[2], "general.name=z"], 1);
    assert!(said.contains("2 of 3 shards are missing"), "{said}");
    good(&folder, &["set", SET[2], "toy.x:u32=1", "--alone"]);
}
