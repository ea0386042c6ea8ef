//! `gguf hash` and `gguf verify` over files: shard sets, odd names, broken files, the lists of other programs.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use ggufkit_testkit::{Builder, Tensor};
use serde_json::Value as Json;

/// An empty folder of this test, in the build's own folder.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("hash-files").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn run(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gguf"));
    command.current_dir(folder).args(args).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// What a call prints, which ends with this status.
fn said(folder: &Path, status: i32, args: &[&str]) -> String {
    let output = run(folder, args);
    assert_eq!(
        output.status.code(),
        Some(status),
        "{args:?}: {}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
    text(&output.stdout)
}

fn document(folder: &Path, status: i32, args: &[&str]) -> Json {
    serde_json::from_str(&said(folder, status, args)).unwrap()
}

/// The model of which the reference tool's digests are known: two tensors of 32 bytes of 1.
fn vector() -> Builder {
    let ones = |name| Tensor::f32(name, &[8]).data([1; 32]);
    Builder::new().kv("general.architecture", "llama").tensor(ones("a")).tensor(ones("b"))
}

/// gguf-py 0.19 and `hashlib` say the same of these 64 bytes, and `xxhsum -H1` the xxh64.
#[test]
fn the_digests_are_those_of_the_reference() {
    let folder = folder("vector");
    fs::write(folder.join("m.gguf"), vector().bytes()).unwrap();
    let expected = "\
        xxh64     1550aa9227944c55  m.gguf\n\
        sha1      320b018758ece3752ffedbaeb1a6db67c80b9359  m.gguf\n\
        sha256    7c8975e1e60a5c8337f28edf8c33c3b180360b7279644a9bc1af3c51e6220bf5  m.gguf\n\
        uuid      ac8bd30b-a9a7-5aa7-ada0-fedaeeb3f0c6  m.gguf\n";
    let args = ["hash", "-a", "uuid,xxh64", "-a", "sha1,sha256,sha1", "--no-layer", "m.gguf"];
    assert_eq!(said(&folder, 0, &args), expected);
    fs::write(folder.join("list"), expected).unwrap();
    assert!(said(&folder, 0, &["verify", "list"]).ends_with("list: 4 ok\n"));
    // Padding and metadata do not count.
    fs::write(folder.join("m.gguf"), vector().kv("x", 1_u8).alignment(256).bytes()).unwrap();
    said(&folder, 0, &["verify", "list"]);
}

#[test]
fn a_shard_set_is_one_model() {
    let folder = folder("shards");
    let tensor = |n: u16| Tensor::f32(format!("t{n}"), &[64]).data(vec![n as u8; 256]);
    let shard = |n: u16| {
        let head = Builder::new().kv("split.no", n).kv("split.count", 3_u16).kv("split.tensors.count", 3_i32);
        head.kv("general.architecture", "llama").tensor(tensor(n))
    };
    for n in 0..3 {
        fs::write(folder.join(format!("s-{:05}-of-00003.gguf", n + 1)), shard(n).bytes()).unwrap();
    }
    let merged = Builder::new().tensor(tensor(0)).tensor(tensor(1)).tensor(tensor(2));
    fs::write(folder.join("merged.gguf"), merged.bytes()).unwrap();
    let of = |name: &str| said(&folder, 0, &["hash", "--all", "--no-layer", name]).replace(name, "M");
    assert_eq!(of("s-00002-of-00003.gguf"), of("merged.gguf"));
    // The list of one verifies the other.
    let list = said(&folder, 0, &["hash", "-a", "sha256", "s-00001-of-00003.gguf"]);
    assert_eq!(list.lines().count(), 4);
    fs::write(folder.join("list"), list).unwrap();
    said(&folder, 0, &["verify", "list"]);
    said(&folder, 0, &["verify", "list", "merged.gguf"]);
    assert!(said(&folder, 1, &["verify", "list", "--alone"]).contains("1 ok, 1 mismatch, 2 not found"));
    // One is gone: the others' tensors can be told, the whole cannot.
    fs::remove_file(folder.join("s-00003-of-00003.gguf")).unwrap();
    assert!(said(&folder, 2, &["verify", "list"]).contains("2 ok, 2 unreadable"));
    let output = run(&folder, &["hash", "s-00001-of-00003.gguf"]);
    assert_eq!((output.status.code(), text(&output.stdout).lines().count()), (Some(2), 2));
    assert!(text(&output.stderr).contains("no digest as a whole"), "{}", text(&output.stderr));
}

#[test]
fn what_cannot_be_hashed_is_named() {
    let folder = folder("broken");
    let broken = Builder::new()
        .tensor(Tensor::f32("good", &[8]))
        .tensor(Tensor::f32("again", &[8]).data([]).offset(0))
        .tensor(Tensor::new("odd\u{1b}[2J", 156, &[8]))
        .tensor(Tensor::f32("far", &[8]).data([]).offset(1 << 41));
    fs::write(folder.join("m.gguf"), broken.bytes()).unwrap();
    let output = run(&folder, &["hash", "--all", "m.gguf"]);
    assert_eq!((output.status.code(), text(&output.stdout).lines().count()), (Some(2), 4));
    let errors = text(&output.stderr);
    for part in
        ["\"again\" is not hashed: some of its bytes", "\"odd\\x1b[2J\" is not hashed: its type", "\"far\""]
    {
        assert!(errors.contains(part), "{errors}");
    }
    let document = document(&folder, 2, &["hash", "--json", "m.gguf"]);
    let file = &document["files"][0];
    assert_eq!(file["model"]["xxh64"], Json::Null);
    assert_eq!(file["errors"].as_array().unwrap().len(), 3);
    assert_eq!(file["errors"][2]["error"]["code"], "data-out-of-file");
    assert_eq!(file["tensors"][1]["error"], "overlapping-data");
    assert!(file["tensors"][0]["hashes"]["xxh64"].is_string());
    // As a file it is like any other.
    said(&folder, 0, &["hash", "--file", "m.gguf"]);

    let mut cut = vector().build();
    let end = cut.span("tensors[1].data").start + 1;
    cut.truncate(end);
    fs::write(folder.join("cut.gguf"), cut.bytes()).unwrap();
    let whole = text(&run(&folder, &["hash", "cut.gguf"]).stdout);
    assert_eq!(whole.lines().count(), 1, "{whole}");
    said(&folder, 2, &["hash", "cut.gguf"]);
    fs::write(folder.join("cut-head.gguf"), &vector().bytes()[..90]).unwrap();
    assert_eq!(said(&folder, 2, &["hash", "--all", "cut-head.gguf"]), "");
}

#[test]
fn a_model_without_tensors_has_the_digests_of_nothing() {
    let folder = folder("empty");
    fs::write(folder.join("m.gguf"), Builder::new().kv("a", 1_u8).bytes()).unwrap();
    let found = said(&folder, 0, &["hash", "--all", "m.gguf"]);
    assert!(found.starts_with("xxh64     ef46db3751d8e999  m.gguf\n"), "{found}");
    assert!(found.contains("af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"), "{found}");
    fs::write(folder.join("list"), found).unwrap();
    assert!(said(&folder, 0, &["verify", "list"]).ends_with("6 ok\n"));
}

#[test]
fn tensors_without_number_take_little() {
    let folder = folder("many");
    let many =
        (0..20_000).fold(Builder::new(), |b, n| b.tensor(Tensor::f32(format!("t{n}"), &[1]).data([7; 4])));
    fs::write(folder.join("m.gguf"), many.bytes()).unwrap();
    let list = said(&folder, 0, &["hash", "--all", "m.gguf"]);
    assert_eq!(list.lines().count(), 20_000 * 4 + 6);
    fs::write(folder.join("list"), list).unwrap();
    assert!(said(&folder, 0, &["verify", "list"]).ends_with("list: 80006 ok\n"));
    assert_eq!(said(&folder, 0, &["verify", "--quiet", "list"]), "");
}

#[cfg(unix)]
#[test]
fn names_of_any_kind_come_back() {
    let folder = folder("names");
    let names = ["with  space.gguf", " lead.gguf", "a:b.gguf", "new\nline.gguf", "back\\slash.gguf", "m"];
    let tensors = ["a", "a:b", "a b ", "new\nline\\", "", "\u{1b}[31m"];
    let model = tensors
        .iter()
        .enumerate()
        .fold(Builder::new(), |b, (n, name)| b.tensor(Tensor::f32(name, &[1]).data([n as u8; 4])));
    let mut list = String::new();
    for name in names {
        fs::write(folder.join(name), model.bytes()).unwrap();
        list += &said(&folder, 0, &["hash", "-a", "sha1", name]);
        list += &said(&folder, 0, &["hash", "--file", "-a", "sha256", name]);
        list += &said(&folder, 0, &["hash", "--file", "-a", "sha256,blake3,sha1", name]);
    }
    fs::write(folder.join("list"), list).unwrap();
    let answer = said(&folder, 0, &["verify", "list"]);
    assert!(answer.ends_with(&format!("list: {} ok\n", names.len() * 11)), "{answer}");
    assert!(answer.chars().all(|c| c == '\n' || ggufkit::format::is_safe(c)), "{answer:?}");
    // From elsewhere the names are those beside the list.
    said(folder.parent().unwrap(), 0, &["verify", "names/list"]);
}

#[test]
fn a_named_file_is_what_the_list_is_about() {
    let folder = folder("named");
    fs::write(folder.join("m.gguf"), vector().bytes()).unwrap();
    let own = said(&folder, 0, &["hash", "--no-layer", "m.gguf"]);
    fs::write(folder.join("list"), own.replace("m.gguf", "/far/away.gguf")).unwrap();
    said(&folder, 1, &["verify", "list"]);
    said(&folder, 0, &["verify", "list", "m.gguf"]);
    let other = "1550aa9227944c56  /far/other.gguf\n";
    fs::write(folder.join("several"), own.replace("m.gguf", "/far/m.gguf") + other).unwrap();
    assert!(said(&folder, 0, &["verify", "several", "m.gguf"]).ends_with("1 ok, 1 about other files\n"));
    fs::rename(folder.join("m.gguf"), folder.join("n.gguf")).unwrap();
    said(&folder, 2, &["verify", "several", "n.gguf"]);
    let document = document(&folder, 2, &["verify", "--json", "several", "n.gguf"]);
    assert_eq!(document["files"][0]["errors"][0]["error"]["code"], "other-files");
}

#[test]
fn the_identity_of_a_big_endian_file_may_have_no_rule() {
    let folder = folder("big");
    let big = Builder::new().big_endian().tensor(Tensor::new("t", 16, &[256]));
    fs::write(folder.join("m.gguf"), big.bytes()).unwrap();
    let output = run(&folder, &["hash", "-a", "sha1,identity", "m.gguf"]);
    assert_eq!((output.status.code(), text(&output.stdout).lines().count()), (Some(2), 2));
    assert!(text(&output.stderr).contains("IQ2_XXS"), "{}", text(&output.stderr));
}

#[cfg(target_os = "linux")]
#[test]
fn pipes_are_hashed_as_files_only() {
    let folder = folder("pipes");
    fs::write(folder.join("m.gguf"), vector().bytes()).unwrap();
    let piped = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gguf"));
        let input = fs::File::open(folder.join("m.gguf")).unwrap();
        command.current_dir(&folder).args(args).stdin(input).output().unwrap()
    };
    let plain = said(&folder, 0, &["hash", "--file", "m.gguf"]);
    assert_eq!(text(&piped(&["hash", "--file", "-"]).stdout), plain.replace("m.gguf", "-"));
    let refused = piped(&["hash", "-"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("name a file"), "{}", text(&refused.stderr));
}

#[test]
fn members_that_another_tool_took_for_models_are_no_false_alarm() {
    let folder = folder("members");
    fs::write(folder.join("m.gguf"), vector().bytes()).unwrap();
    said(&folder, 0, &["split", "m.gguf", "-o", "s", "--max-tensors", "1"]);
    let member = "s-00002-of-00002.gguf";
    let alone = said(&folder, 0, &["hash", "--all", "--alone", "s-00001-of-00002.gguf", member]);
    fs::write(folder.join("list"), &alone).unwrap();
    let lines = alone.lines().count();
    assert!(said(&folder, 0, &["verify", "list"]).ends_with(&format!("list: {lines} ok\n")));
    // One byte, and it is told with what the set has, too.
    let mut bytes = fs::read(folder.join(member)).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    let at = bytes.len() - 32;
    bytes[at] ^= 1;
    fs::write(folder.join(member), bytes).unwrap();
    assert!(said(&folder, 1, &["verify", "list"]).contains("mismatch"));
}

#[test]
fn a_digest_without_a_name_is_of_the_file_that_is_named() {
    let folder = folder("pointers");
    fs::write(folder.join("m.gguf"), vector().bytes()).unwrap();
    let line = said(&folder, 0, &["hash", "--file", "m.gguf"]);
    let digest = line.split(' ').next().unwrap();
    let size = fs::metadata(folder.join("m.gguf")).unwrap().len();
    let lfs = |digest: &str, size: u64| {
        format!("version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {size}\n")
    };
    fs::write(folder.join("pointer"), lfs(digest, size)).unwrap();
    fs::write(folder.join("m.gguf.sha256"), digest).unwrap();
    let typed = format!("sha256:{digest}");
    for list in ["pointer", "m.gguf.sha256", &typed, digest] {
        let found = said(&folder, 0, &["verify", list, "m.gguf"]);
        assert!(found.starts_with("ok          sha256    m.gguf\n"), "{found}");
    }
    said(&folder, 0, &["verify", "m.gguf.sha256"]);
    let identity = said(&folder, 0, &["hash", "-a", "identity", "m.gguf"]);
    let identity = identity.split_whitespace().nth(1).unwrap();
    said(&folder, 0, &["verify", &format!("identity:{identity}"), "m.gguf"]);
    // Another file, or one that is cut short.
    let other = digest.replace(['0', '1', '2', '3'], "4");
    assert!(said(&folder, 1, &["verify", &other, "m.gguf"]).contains("mismatch"));
    fs::write(folder.join("pointer"), lfs(digest, size + 1)).unwrap();
    let found = said(&folder, 1, &["verify", "pointer", "m.gguf"]);
    assert!(found.contains("bytes long") && found.ends_with("pointer: 1 mismatch\n"), "{found}");
    let document = document(&folder, 1, &["verify", "--json", "pointer", "m.gguf"]);
    assert_eq!(document["files"][0]["mismatch"], 1);
    // None of them names a file.
    for list in ["pointer", digest] {
        let output = run(&folder, &["verify", list]);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("names no file"), "{}", text(&output.stderr));
    }
}

#[test]
fn what_another_tool_has_is_told_what_it_is_here() {
    let folder = folder("others");
    fs::write(folder.join("m.gguf"), vector().bytes()).unwrap();
    assert!(said(&folder, 0, &["hash", "--sha256", "--no-layer", "m.gguf"]).starts_with("sha256 "));
    let error = |args: &[&str]| text(&run(&folder, args).stderr);
    assert!(error(&["hash", "--check", "list", "m.gguf"]).contains("gguf verify list"));
    fs::write(folder.join("MD5SUMS"), "d41d8cd98f00b204e9800998ecf8427e  m.gguf\n").unwrap();
    assert!(error(&["verify", "MD5SUMS"]).contains("MD5 digest"));
    // A file that is not there is said once, with what helps.
    let list = said(&folder, 0, &["hash", "m.gguf"]).replace("m.gguf", "gone.gguf");
    fs::write(folder.join("list"), list).unwrap();
    let output = run(&folder, &["verify", "list"]);
    let shown = text(&output.stdout);
    assert!(shown.contains("no file               gone.gguf (") && shown.lines().count() == 2, "{shown}");
    assert!(text(&output.stderr).contains("`gguf verify list FILE`"), "{}", text(&output.stderr));
}

/// A word that is typed like a digest and is none is no file that is not there.
#[test]
fn a_word_that_is_nearly_a_digest_is_told_what_it_lacks() {
    let folder = folder("no digest");
    fs::write(folder.join("m.gguf"), b"GGUF").unwrap();
    for (word, told) in [
        ("sha256:4d7a", "a digest of sha256 has 64 hexadecimal digits"),
        ("md5:d41d8cd98f00b204e9800998ecf8427e", "MD5 is not known here"),
        ("SHA-512:00", "SHA-512 is not known here"),
        (&format!("sha-256:{}", "0".repeat(64)), "without the hyphen"),
    ] {
        let output = run(&folder, &["verify", word, "m.gguf"]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(told), "{word}: {said}");
    }
}
