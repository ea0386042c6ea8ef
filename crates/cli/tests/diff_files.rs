//! `gguf diff`: statuses, data, layout, shard sets, patches that are applied, and files that are hostile.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod common;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use ggufkit_testkit::{Builder, Kind, Tensor, Value, controls, corpus};
use serde_json::Value as Json;

use common::{folder, gguf as run, said, text};

fn model() -> Builder {
    Builder::new()
        .kv("general.architecture", "toy")
        .kv("general.name", "A name")
        .kv("toy.context_length", 2048_u32)
        .kv("toy.list", Value::Array(Kind::U16, (0..100).map(Value::U16).collect()))
}

fn tensors(file: Builder, first: &[u8]) -> Builder {
    file.tensor(Tensor::f32("a", &[64, 3])).tensor(Tensor::f32("b", &[4]).data(first)).tensor(Tensor::new(
        "c",
        2,
        &[64],
    ))
}

fn write(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) {
    fs::write(folder.join(name), bytes).unwrap();
}

/// The document that a call prints, which ends with this status.
#[track_caller]
fn json(folder: &Path, args: &[&str], status: i32) -> Json {
    let output = run(folder, args);
    assert_eq!(output.status.code(), Some(status), "{args:?}: {}", text(&output.stderr));
    let document: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&document["schema"], &document["command"]), (&1.into(), &"diff".into()));
    document
}

const ONE: [u8; 16] = [0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64, 0, 0, 128, 64];

#[test]
fn data_that_differs_is_found_and_what_was_not_compared_is_said() {
    let folder = folder("data");
    let mut other = ONE;
    // 3.0 becomes 3.5.
    other[10] = 0x60;
    write(&folder, "a.gguf", tensors(model(), &ONE).bytes());
    write(&folder, "b.gguf", tensors(model(), &other).bytes());
    let document = json(&folder, &["diff", "a.gguf", "b.gguf", "--json"], 1);
    let changed = &document["diff"]["tensors"]["changed"];
    assert_eq!(changed.as_array().unwrap().len(), 1);
    assert_eq!((&changed[0]["name"], &changed[0]["data"]), (&"b".into(), &"differs".into()));
    let found = &changed[0]["difference"];
    for (field, value) in [("bytes", 1), ("blocks", 1), ("of_blocks", 4), ("first", 10), ("first_block", 2)] {
        assert_eq!(found[field], value, "{field}");
    }
    assert_eq!((&found["a"], &found["b"]), (&"3.0".into(), &"3.5".into()));
    let shown = said(&folder, &["diff", "a.gguf", "b.gguf"], 1);
    assert!(shown.contains("first in value 2") && shown.contains("3.0 → 3.5"), "{shown}");
    // Without data nothing differs, and nobody says that they are the same.
    let shown = said(&folder, &["diff", "a.gguf", "b.gguf", "--no-data"], 0);
    assert!(!shown.contains("the same,") && shown.contains("Not compared: data"), "{shown}");
    assert_eq!(said(&folder, &["diff", "-q", "a.gguf", "b.gguf"], 1), "");
    assert_eq!(said(&folder, &["diff", "-q", "a.gguf", "b.gguf", "--ignore", "b"], 0), "");
    assert_eq!(said(&folder, &["diff", "-q", "a.gguf", "b.gguf", "--only", "metadata,header"], 0), "");
}

#[test]
fn one_byte_of_padding_is_a_difference_of_the_layout() {
    let folder = folder("padding");
    let mut bytes = tensors(model(), &ONE).bytes();
    write(&folder, "a.gguf", &bytes);
    let last = bytes.len() - 1;
    bytes[last] = 1;
    write(&folder, "b.gguf", &bytes);
    let shown = said(&folder, &["diff", "a.gguf", "b.gguf"], 1);
    assert!(shown.contains("layout") && shown.contains("bytes at the end"), "{shown}");
    said(&folder, &["diff", "a.gguf", "b.gguf", "--semantic"], 0);
    // Other lengths of zeros that only pad are none.
    write(&folder, "c.gguf", tensors(model().kv("x", 1_u8), &ONE).bytes());
    let document = json(&folder, &["diff", "a.gguf", "c.gguf", "--json"], 1);
    assert_eq!(document["differences"], 1);
    said(&folder, &["diff", "a.gguf", "c.gguf", "--ignore", "x"], 0);
}

#[test]
fn tensors_of_another_name_are_found_by_their_data() {
    let folder = folder("renamed");
    let tensor = |name: &str, byte: u8| Tensor::f32(name, &[8]).data(vec![byte; 32]);
    let file = |names: &[(&str, u8)]| {
        names.iter().fold(model(), |file, (name, byte)| file.tensor(tensor(name, *byte))).bytes()
    };
    write(&folder, "a.gguf", file(&[("one", 1), ("two", 2), ("three", 3)]));
    write(&folder, "b.gguf", file(&[("eins", 1), ("zwei", 7), ("three", 3)]));
    let document = json(&folder, &["diff", "a.gguf", "b.gguf", "--json"], 1);
    let found = &document["diff"]["tensors"];
    assert_eq!(found["renamed"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&found["renamed"][0]["a"]["name"], &found["renamed"][0]["b"]["name"]),
        (&"one".into(), &"eins".into())
    );
    assert_eq!((&found["removed"][0]["name"], &found["added"][0]["name"]), (&"two".into(), &"zwei".into()));
}

#[test]
fn byte_orders_are_compared_as_values() {
    let folder = folder("endian");
    write(&folder, "a.gguf", tensors(model(), &ONE).bytes());
    let big: Vec<u8> = ONE.chunks(4).flat_map(|word| word.iter().rev().copied()).collect();
    let turned = |bytes: &[u8], width: usize| -> Vec<u8> {
        bytes.chunks(width).flat_map(|word| word.iter().rev().copied()).collect()
    };
    let a = Tensor::f32("a", &[64, 3]);
    let mut c = Tensor::new("c", 2, &[64]);
    // Of Q4_0 the scale is a number of two bytes, in front of each block of 18.
    for block in c.data.chunks_mut(18) {
        block.swap(0, 1);
    }
    let data = turned(&a.data, 4);
    let b = model().big_endian().tensor(a.data(data)).tensor(Tensor::f32("b", &[4]).data(big)).tensor(c);
    write(&folder, "b.gguf", b.bytes());
    let document = json(&folder, &["diff", "a.gguf", "b.gguf", "--json"], 1);
    assert_eq!(document["differences"], 1, "{document}");
    assert_eq!(document["diff"]["header"][0]["field"], "endian");
    said(&folder, &["diff", "a.gguf", "b.gguf", "--semantic"], 0);
    // Of a type that nobody knows the bytes cannot be turned.
    let odd = |file: Builder| file.tensor(Tensor::new("t", 156, &[8]).data(vec![1; 32])).bytes();
    write(&folder, "c.gguf", odd(model()));
    write(&folder, "d.gguf", odd(model().big_endian()));
    let shown = said(&folder, &["diff", "c.gguf", "d.gguf", "--semantic"], 2);
    assert!(shown.contains("the data of t was not compared"), "{shown}");
    // Nor of IQ2_XXS, for which `gguf endian` and the identity have no rule either.
    let odd = |file: Builder, byte| file.tensor(Tensor::new("t", 16, &[256]).data(vec![byte; 66])).bytes();
    for byte in [1, 2] {
        write(&folder, "c.gguf", odd(model(), 1));
        write(&folder, "d.gguf", odd(model().big_endian(), byte));
        let shown = said(&folder, &["diff", "c.gguf", "d.gguf", "--semantic", "--json"], 2);
        assert!(shown.contains("no rule brings data of type IQ2_XXS"), "{shown}");
        assert!(said(&folder, &["endian", "little", "d.gguf", "-o", "e.gguf"], 1).contains("IQ2_XXS"));
    }
    // What differs is shown in one byte order.
    let mut two = Tensor::new("q", 2, &[32]).data((0..18).collect::<Vec<u8>>());
    write(&folder, "c.gguf", model().tensor(two.clone()).bytes());
    two.data.swap(0, 1);
    two.data[1] = 9;
    write(&folder, "d.gguf", model().big_endian().tensor(two).bytes());
    let shown = said(&folder, &["diff", "c.gguf", "d.gguf", "--semantic"], 1);
    assert!(shown.contains("00 01 02 03 04 05 06 07 → 09 01 02 03 04 05 06 07"), "{shown}");
}

#[test]
fn shard_sets_are_compared_as_models() {
    let folder = folder("shards");
    write(
        &folder,
        "whole.gguf",
        model().tensor(Tensor::f32("a", &[64])).tensor(Tensor::f32("b", &[3])).bytes(),
    );
    let split = |file: Builder, no: u16| {
        file.kv("split.no", Value::U16(no))
            .kv("split.count", Value::U16(2))
            .kv("split.tensors.count", Value::I32(2))
    };
    write(&folder, "m-00001-of-00002.gguf", split(model(), 0).tensor(Tensor::f32("a", &[64])).bytes());
    write(&folder, "m-00002-of-00002.gguf", split(Builder::new(), 1).tensor(Tensor::f32("b", &[3])).bytes());
    let document = json(&folder, &["diff", "whole.gguf", "m-00002-of-00002.gguf", "--json"], 1);
    assert_eq!(
        (&document["differences"], &document["diff"]["layout"]["files"]),
        (&1.into(), &serde_json::json!([1, 2]))
    );
    said(&folder, &["diff", "whole.gguf", "m-00001-of-00002.gguf", "--semantic"], 0);
    said(&folder, &["diff", "m-00001-of-00002.gguf", "m-00002-of-00002.gguf"], 0);
    said(&folder, &["diff", "m-00001-of-00002.gguf", "m-00002-of-00002.gguf", "--alone"], 1);
    fs::remove_file(folder.join("m-00002-of-00002.gguf")).unwrap();
    said(&folder, &["diff", "whole.gguf", "m-00001-of-00002.gguf"], 2);
}

#[test]
fn a_patch_that_is_applied_makes_the_metadata_of_the_other_file() {
    let folder = folder("patch");
    let a = tensors(model(), &ONE).bytes();
    let b = Builder::new()
        .kv("toy.new", f32::INFINITY)
        .kv("general.name", "A much shorter or longer name, \u{202e} and \"quoted\"")
        .kv("general.architecture", "toy")
        .kv("toy.context_length", 4096_u64)
        .kv(b"odd \xff".as_slice(), Value::String(vec![0xff, 0]))
        .kv("toy.list", Value::Array(Kind::U16, (0..100).map(|n| Value::U16(n / 99 + n)).collect()));
    let b = tensors(b, &ONE).bytes();
    write(&folder, "a.gguf", &a);
    write(&folder, "b.gguf", &b);
    let output = run(&folder, &["diff", "a.gguf", "b.gguf", "--patch"]);
    assert_eq!((output.status.code(), output.stderr.len()), (Some(1), 0), "{}", text(&output.stderr));
    write(&folder, "patch.json", &output.stdout);
    said(&folder, &["apply", "a.gguf", "patch.json", "-o", "made.gguf", "--allow-errors"], 0);
    assert_eq!(fs::read(folder.join("made.gguf")).unwrap(), b);
    said(&folder, &["diff", "made.gguf", "b.gguf"], 0);
    // The tests of old values refuse another file.
    said(&folder, &["apply", "b.gguf", "patch.json", "-o", "no.gguf"], 1);
    // In place, shorter again: room is kept, which is no difference and comes into no patch.
    assert!(!text(&output.stdout).contains("exact"), "{}", text(&output.stdout));
    let output = run(&folder, &["diff", "b.gguf", "a.gguf", "--patch"]);
    write(&folder, "back.json", &output.stdout);
    fs::copy(folder.join("b.gguf"), folder.join("c.gguf")).unwrap();
    said(&folder, &["apply", "b.gguf", "back.json", "--allow-errors"], 0);
    assert!(said(&folder, &["get", "b.gguf", "general.padding"], 0).starts_with("  "));
    let found = said(&folder, &["diff", "a.gguf", "b.gguf"], 0);
    assert!(
        found.contains("Room in the head: none in the first") && !found.contains("byte for byte"),
        "{found}"
    );
    let output = run(&folder, &["diff", "a.gguf", "b.gguf", "--patch"]);
    assert_eq!(text(&output.stdout), "{\"schema\":1,\"operations\":[\n]}\n");
    // Exactly, where that is asked for.
    let found = said(&folder, &["diff", "a.gguf", "b.gguf", "--exact"], 1);
    assert!(
        found.contains("+ general.padding") && found.contains("bytes of room") && !found.contains("   \""),
        "{found}"
    );
    let output = run(&folder, &["diff", "c.gguf", "a.gguf", "--patch", "--exact"]);
    assert!(text(&output.stdout).starts_with("{\"schema\":1,\"exact\":true,"));
    write(&folder, "exact.json", &output.stdout);
    said(&folder, &["apply", "c.gguf", "exact.json", "--allow-errors"], 0);
    assert_eq!(fs::read(folder.join("c.gguf")).unwrap(), a);
    // What it cannot say.
    let more = tensors(model().kv("k", 1_u8).kv("k", 2_u8), &ONE).tensor(Tensor::f32("new", &[1]));
    write(&folder, "more.gguf", more.bytes());
    let output = run(&folder, &["diff", "a.gguf", "more.gguf", "--patch"]);
    let left = text(&output.stderr);
    assert!(left.contains("more than once: k") && left.contains("tensors that are new: new"), "{left}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_file_is_the_same_as_its_copy_whatever_is_odd_about_it() {
    let folder = folder("copies");
    let mut files: Vec<(String, Vec<u8>)> =
        controls::all().into_iter().map(|(name, file)| (name, file.bytes())).collect();
    for shared in ["corpus", "cases/files"] {
        let found = corpus::shared_files(shared, "copies of files").unwrap_or_default();
        files.extend(
            found.into_iter().filter(|file| file.bytes.len() < 4 << 20).map(|file| (file.name, file.bytes)),
        );
    }
    for (name, bytes) in files {
        write(&folder, "a.gguf", &bytes);
        write(&folder, "b.gguf", &bytes);
        let start = Instant::now();
        let document = run(&folder, &["diff", "a.gguf", "b.gguf", "--json"]);
        assert!(start.elapsed() < Duration::from_secs(5), "{name}: {:?}", start.elapsed());
        let parsed: Json = serde_json::from_slice(&document.stdout).unwrap_or_else(|e| panic!("{name}: {e}"));
        let read = parsed["files"]
            .as_array()
            .unwrap()
            .iter()
            .all(|file| file["errors"].as_array().unwrap().is_empty());
        // A head that cannot be read is the only reason not to say so.
        let expected = if read { 0 } else { 2 };
        assert_eq!(document.status.code(), Some(expected), "{name}: {parsed}");
        // And one byte more at the end is a difference.
        write(&folder, "b.gguf", [bytes, vec![1]].concat());
        let longer = run(&folder, &["diff", "a.gguf", "b.gguf", "-q"]);
        assert!(longer.status.code() != Some(0) || !read, "{name}: {}", text(&longer.stderr));
    }
}

#[test]
fn every_byte_that_is_changed_is_a_difference() {
    let folder = folder("bytes");
    let small = Builder::new().kv("k", "v").kv("n", vec![1_u16, 2]).tensor(Tensor::f32("t", &[3]));
    let bytes = small.tensor(Tensor::f32("u", &[2])).trailing(*b"end").bytes();
    write(&folder, "a.gguf", &bytes);
    for at in 0..bytes.len() {
        let mut other = bytes.clone();
        other[at] ^= 0x10;
        write(&folder, "b.gguf", &other);
        let status = run(&folder, &["diff", "a.gguf", "b.gguf", "-q"]).status.code();
        assert!(matches!(status, Some(1 | 2)), "byte {at:#x}: {status:?}");
    }
}

#[test]
fn what_cannot_be_read_is_an_error_of_both_and_hostile_heads_take_no_time() {
    let folder = folder("hostile");
    let whole = tensors(model(), &ONE).bytes();
    write(&folder, "a.gguf", &whole);
    write(&folder, "cut.gguf", &whole[..100]);
    let document = json(&folder, &["diff", "cut.gguf", "gone.gguf", "--json"], 2);
    for file in document["files"].as_array().unwrap() {
        assert_eq!(file["errors"].as_array().unwrap().len(), 1, "{document}");
    }
    assert_eq!((&document["same"], &document["diff"]), (&Json::Null, &Json::Null));
    let shown = said(&folder, &["diff", "cut.gguf", "gone.gguf"], 2);
    assert!(shown.contains("cut.gguf") && shown.contains("gone.gguf"), "{shown}");
    for args in [
        &["diff", "a.gguf", "a.gguf", "--ignore", "["][..],
        &["diff", "-", "-"],
        &["diff", "a.gguf"],
        &["diff", ".", "a.gguf"],
    ] {
        said(&folder, args, 2);
    }
    // Tensors that claim the same bytes over and over, keys that differ in all, and long texts of short lines.
    let many = |salt: u32| {
        let keys = (0..8000_u32).fold(Builder::new(), |file, n| file.kv(format!("k{n}"), n ^ salt));
        let text: String = (0..60_000_u32).map(|n| format!("{}\n", n.wrapping_mul(salt + 7) % 977)).collect();
        let texts = (0..2).fold(keys, |file, n| file.kv(format!("text{n}"), text.as_str()));
        let bytes = vec![u8::try_from(salt).unwrap(); 100_000];
        (0..2000).fold(texts, |file, n| {
            let tensor = Tensor::f32(format!("t{n}"), &[25_000]);
            file.tensor(if n == 0 { tensor.data(bytes.clone()) } else { tensor.data([]).offset(n % 9 * 32) })
        })
    };
    write(&folder, "x.gguf", many(0).bytes());
    write(&folder, "y.gguf", many(1).bytes());
    for args in [&[][..], &["--all"], &["--json"], &["--patch"], &["--markdown"]] {
        let start = Instant::now();
        let args: Vec<&str> = ["diff", "x.gguf", "y.gguf"].iter().chain(args).copied().collect();
        assert_eq!(run(&folder, &args).status.code(), Some(1));
        assert!(start.elapsed() < Duration::from_secs(10), "{args:?}: {:?}", start.elapsed());
    }
}

#[test]
fn text_of_a_file_drives_no_terminal() {
    let folder = folder("escapes");
    let file = |text: &str| {
        Builder::new()
            .kv("tokenizer.chat_template", format!("one\n{text}\x1b[2Jtwo\r\n```\u{202e}").as_str())
            .kv("key\x1b[31m", format!("\x1b]0;{text}\x07").as_str())
            .kv("list", vec![format!("\x1b{text}")])
            .tensor(Tensor::f32(format!("\x1b[{text}"), &[1]))
            .bytes()
    };
    write(&folder, "a.gguf", file("old"));
    write(&folder, "b.gguf", file("new"));
    for how in [&[][..], &["--all"], &["--markdown"], &["--json"], &["--patch"]] {
        let args: Vec<&str> = ["diff", "a.gguf", "b.gguf"].iter().chain(how).copied().collect();
        let shown = said(&folder, &args, 1);
        assert!(!shown.contains(['\x1b', '\x07', '\r', '\u{202e}']), "{shown:?}");
    }
}
