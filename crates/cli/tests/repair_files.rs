//! `gguf repair` and `gguf check --fix`, and the files around them: what is written, and what is not.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod common;

use std::fs;
use std::process::Output;

use ggufkit_testkit::{Builder, Tensor};
use serde_json::Value as Json;

use common::{folder, gguf as run, names, text};

fn tensors(document: Builder) -> Builder {
    document.tensor(Tensor::f32("a", &[3])).tensor(Tensor::f32("b", &[5]))
}

fn sound() -> Vec<u8> {
    tensors(Builder::new().kv("general.architecture", "llama").kv("key", 1_u8)).bytes()
}

#[test]
fn a_repaired_file_is_written_and_the_input_stays() {
    let folder = folder("plain");
    let mut broken = tensors(Builder::new().kv("general.architecture", "llama").kv("key", 1_u8)).build();
    broken.patch("data.padding[1]", vec![7; broken.get("data.padding[1]").len()]);
    fs::write(folder.join("m.gguf"), broken.bytes()).unwrap();

    let output = run(&folder, &["repair", "m.gguf", "--dry-run"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(
        said.contains("1 repair") && said.contains("padding") && said.contains("would be written"),
        "{said}"
    );
    assert_eq!(names(&folder), ["m.gguf"]);

    let output = run(&folder, &["repair", "m.gguf", "-o", "out.gguf"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(fs::read(folder.join("out.gguf")).unwrap(), sound());
    assert_eq!(fs::read(folder.join("m.gguf")).unwrap(), broken.bytes());
    // What is there is replaced only when told, and the input never.
    let output = run(&folder, &["repair", "m.gguf", "-o", "out.gguf"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--force"), "{}", text(&output.stderr));
    assert_eq!(run(&folder, &["repair", "m.gguf", "-o", "out.gguf", "--force"]).status.code(), Some(0));
    for name in ["m.gguf", "./m.gguf"] {
        assert_eq!(run(&folder, &["repair", "m.gguf", "-o", name, "--force"]).status.code(), Some(2));
    }
    assert_eq!(fs::read(folder.join("m.gguf")).unwrap(), broken.bytes());
    assert_eq!(names(&folder), ["m.gguf", "out.gguf"]);
}

/// No command writes to a member of the set that it reads one of, whether the member is there, and however it is named.
#[test]
fn no_member_of_the_input_s_set_is_written_to() {
    let folder = folder("siblings");
    let shard = |no: u16| {
        let file = Builder::new().kv("general.architecture", "llama").kv("llama.block_count", 1_u64);
        let file = file.kv("split.no", no).kv("split.count", 3_u16).kv("split.tensors.count", 3_i32);
        file.tensor(Tensor::f32(format!("t{no}"), &[4])).bytes()
    };
    for no in 0..2 {
        fs::write(folder.join(format!("m-0000{}-of-00003.gguf", no + 1)), shard(no)).unwrap();
    }
    let first = "m-00001-of-00003.gguf";
    for out in ["m-00002-of-00003.gguf", "./m-00002-of-00003.gguf", "m-00003-of-00003.gguf", first] {
        for how in [&["repair"][..], &["check", "--fix"]] {
            let args = [how, &[first, "-o", out, "--force", "--json"]].concat();
            let output = run(&folder, &args);
            assert_eq!(output.status.code(), Some(2), "{args:?}");
            let said: Json = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(said["files"][0]["errors"][0]["error"]["code"], "is-input", "{args:?}: {said}");
        }
    }
    assert_eq!(names(&folder), [first, "m-00002-of-00003.gguf"]);
    for no in 0..2 {
        assert_eq!(fs::read(folder.join(format!("m-0000{}-of-00003.gguf", no + 1))).unwrap(), shard(no));
    }
    // The same name elsewhere is another file.
    fs::create_dir(folder.join("other")).unwrap();
    let args = ["repair", first, "-o", "other/m-00002-of-00003.gguf"];
    assert_eq!(run(&folder, &args).status.code(), Some(0));
}

#[test]
fn standard_output_is_no_place_for_a_repaired_file() {
    let folder = folder("stdout");
    fs::write(folder.join("m.gguf"), sound()).unwrap();
    for how in [&["repair"][..], &["check", "--fix"]] {
        let output = run(&folder, &[how, &["m.gguf", "-o", "-"]].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("name a file"), "{}", text(&output.stderr));
    }
    assert_eq!(names(&folder), ["m.gguf"]);
}

#[test]
fn where_there_is_nothing_to_repair_nothing_is_written() {
    let folder = folder("sound");
    fs::write(folder.join("m.gguf"), sound()).unwrap();
    let output = run(&folder, &["repair", "m.gguf", "-o", "out.gguf"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("nothing to repair"), "{}", text(&output.stdout));
    assert_eq!(names(&folder), ["m.gguf"]);
}

#[test]
fn what_needs_a_guess_is_refused_with_all_reasons() {
    let folder = folder("refused");
    let twice =
        Builder::new().kv("key", 1_u8).kv("key", 2_u8).tensor(Tensor::new("q", 8, &[33]).data(vec![0; 64]));
    fs::write(folder.join("m.gguf"), twice.bytes()).unwrap();
    let output = run(&folder, &["repair", "m.gguf", "-o", "out.gguf"]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains("--duplicates") && said.contains("block of 32"), "{said}");
    let output = run(&folder, &["repair", "m.gguf", "--dry-run", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let document: Json = serde_json::from_slice(&output.stdout).unwrap();
    let codes: Vec<_> =
        document["files"][0]["refused"].as_array().unwrap().iter().map(|r| &r["rule"]).collect();
    assert_eq!(codes, ["duplicate-key", "block-misfit"]);
    assert_eq!(names(&folder), ["m.gguf"]);

    let twice = tensors(Builder::new().kv("general.architecture", "llama").kv("key", 2_u8).kv("key", 1_u8));
    fs::write(folder.join("m.gguf"), twice.bytes()).unwrap();
    let args = ["repair", "m.gguf", "-o", "out.gguf", "--duplicates", "keep-last", "--json"];
    let output = run(&folder, &args);
    assert_eq!(output.status.code(), Some(0));
    let document: Json = serde_json::from_slice(&output.stdout).unwrap();
    let file = &document["files"][0];
    assert_eq!(
        (&file["nothing_to_do"], &file["outputs"][0]["written"]),
        (&Json::from(false), &Json::from(true))
    );
    assert_eq!(file["repairs"][0]["name"], "key", "{document}");
    assert_eq!(fs::read(folder.join("out.gguf")).unwrap(), sound());
}

#[test]
fn usage_and_the_system() {
    let folder = folder("usage");
    for args in [&["repair", "m.gguf"][..], &["repair", "-", "-o", "x"], &["repair", "no.gguf", "-o", "x"]] {
        assert_eq!(run(&folder, args).status.code(), Some(2), "{args:?}");
    }
    let output = run(&folder, &["repair", "no.gguf", "-o", "x", "--json"]);
    let document: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["files"][0]["errors"][0]["error"]["code"], "not_found", "{document}");
    assert!(names(&folder).is_empty());
}

#[test]
fn joined_files_are_cut_apart_into_a_folder() {
    let folder = folder("joined");
    let one = |no: u16| {
        let keys = Builder::new().kv("split.no", no).kv("split.count", 2_u16);
        keys.tensor(Tensor::f32(format!("t{no}"), &[8])).bytes()
    };
    fs::write(folder.join("m.gguf"), [one(0), one(1)].concat()).unwrap();
    let output = run(&folder, &["repair", "m.gguf", "-o", "out.gguf"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("--separate"), "{}", text(&output.stderr));
    for (force, status) in [(None, 0), (None, 2), (Some("--force"), 0)] {
        let args: Vec<_> =
            ["repair", "m.gguf", "--separate", "-o", "parts"].into_iter().chain(force).collect();
        assert_eq!(run(&folder, &args).status.code(), Some(status), "{args:?}");
        assert_eq!(names(&folder.join("parts")), ["m-00001-of-00002.gguf", "m-00002-of-00002.gguf"]);
    }
    assert_eq!(fs::read(folder.join("parts/m-00002-of-00002.gguf")).unwrap(), one(1));
}

#[test]
fn check_fix_makes_the_changes_that_are_safe() {
    let folder = folder("fix");
    let broken = Builder::new().kv("general.architecture", "llama").kv("key", 1_u8);
    let broken = broken.tensor(Tensor::f32("a", &[3])).tensor(Tensor::f32("b", &[5]).offset(17));
    fs::write(folder.join("m.gguf"), broken.bytes()).unwrap();
    assert_eq!(run(&folder, &["check", "m.gguf", "--fix"]).status.code(), Some(2), "-o is needed");
    let output = run(&folder, &["check", "m.gguf", "--fix", "-o", "out.gguf"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("tensor-offset-misaligned"), "{}", text(&output.stdout));
    assert_eq!(fs::read(folder.join("out.gguf")).unwrap(), sound());
    let args = ["check", "m.gguf", "--fix", "-o", "other.gguf", "--select", "duplicate-key"];
    assert_eq!(run(&folder, &args).status.code(), Some(0));
    assert_eq!(names(&folder), ["m.gguf", "out.gguf"], "nothing that was asked for is to be fixed");
}

fn document(output: &Output) -> Json {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", text(&output.stdout)))
}

#[test]
fn a_baseline_never_takes_the_place_of_a_model() {
    let folder = folder("baseline");
    fs::write(folder.join("m.gguf"), sound()).unwrap();
    fs::hard_link(folder.join("m.gguf"), folder.join("same.gguf")).unwrap();
    for name in ["m.gguf", "./m.gguf", "same.gguf"] {
        let output = run(&folder, &["check", "m.gguf", "--write-baseline", name]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(
            text(&output.stderr).contains("one of the files that are checked"),
            "{}",
            text(&output.stderr)
        );
        let output = run(&folder, &["check", "m.gguf", "--json", "--write-baseline", name]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert_eq!(document(&output)["errors"][0]["error"]["code"], "is-input");
        assert_eq!(fs::read(folder.join("m.gguf")).unwrap(), sound());
    }
    // A file that is read in vain is a model too.
    fs::write(folder.join("cut.gguf"), &sound()[..40]).unwrap();
    assert_eq!(run(&folder, &["check", "cut.gguf", "--write-baseline", "cut.gguf"]).status.code(), Some(2));
    assert_eq!(fs::read(folder.join("cut.gguf")).unwrap(), &sound()[..40]);
    // A baseline may be written again, and only a whole one is there.
    for _ in 0..2 {
        let output = run(&folder, &["check", "m.gguf", "--write-baseline", "known.json"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let known: Json = serde_json::from_slice(&fs::read(folder.join("known.json")).unwrap()).unwrap();
        assert_eq!(known["schema"], 1);
    }
    assert_eq!(names(&folder), ["cut.gguf", "known.json", "m.gguf", "same.gguf"]);
}

#[test]
fn what_a_baseline_lacks_is_said() {
    let folder = folder("baseline-cap");
    let mut file = Builder::new().kv("general.architecture", "llama");
    for at in 0..10_020 {
        file = file.kv(format!("key{at}\0"), 1_u8);
    }
    fs::write(folder.join("m.gguf"), file.bytes()).unwrap();
    let args =
        ["check", "m.gguf", "--select", "nul-in-key", "--write-baseline", "known.json", "--format", "github"];
    let said = text(&run(&folder, &args).stderr);
    assert!(said.contains("known.json lacks 20 findings"), "{said}");
    let known: Json = serde_json::from_slice(&fs::read(folder.join("known.json")).unwrap()).unwrap();
    assert_eq!(known["findings"].as_array().unwrap().len(), 10_000);
}

#[test]
fn usage_errors_are_documents_for_programs() {
    let folder = folder("refusals");
    fs::write(folder.join("m.gguf"), sound()).unwrap();
    fs::write(folder.join("bad.toml"), "[check]\nnothing = 1\n").unwrap();
    fs::write(folder.join("bad.json"), "7").unwrap();
    for (args, command, kind) in [
        (&["check", "m.gguf", "--json", "--select", "bogus"][..], "check", "usage"),
        (&["check", "m.gguf", "--format", "json", "--config", "bad.toml"], "check", "usage"),
        (&["check", "m.gguf", "m.gguf", "--json", "--fix", "-o", "x"], "check --fix", "usage"),
        (&["repair", "-", "--json", "-o", "x"], "repair", "usage"),
        (&["template", "m.gguf", "--json", "--messages", "bad.json"], "template", "usage"),
        (&["template", "m.gguf", "--json", "--messages", "none.json"], "template", "io"),
    ] {
        let output = run(&folder, args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let document = document(&output);
        assert_eq!(document["command"], command, "{args:?}");
        assert_eq!(document["files"], serde_json::json!([]), "{args:?}");
        assert_eq!(document["errors"][0]["error"]["kind"], kind, "{args:?}: {document}");
    }
}

#[test]
fn repairs_are_documents_of_one_shape() {
    let folder = folder("shape");
    // Version 2 is no fault and has no rule; a repeated key breaks one.
    let file = tensors(
        Builder::new().version(2).kv("general.architecture", "llama").kv("key", 1_u8).kv("key", 1_u8),
    );
    fs::write(folder.join("m.gguf"), file.trailing(*b"trailing").bytes()).unwrap();
    let document_of = |args: &[&str]| document(&run(&folder, args));
    let document = document_of(&["repair", "m.gguf", "--json", "-o", "out.gguf"]);
    let file = &document["files"][0];
    let picked = |one: &Json| (one["step"].clone(), one["rule"].clone(), one["code"].clone());
    let repairs: Vec<_> = file["repairs"].as_array().unwrap().iter().map(picked).collect();
    assert_eq!(repairs[0], ("old-version".into(), Json::Null, Json::Null), "{document}");
    assert_eq!((&repairs[1].0, &repairs[1].1), (&"duplicate-key".into(), &"duplicate-key".into()));
    assert!(repairs[1].2.as_str().unwrap().starts_with("GG1"), "{document}");
    assert_eq!(
        (&file["kept"][0]["reason"], &file["kept"][0]["code"]),
        (&"trailing-bytes".into(), &"GG016".into())
    );
    assert!(file["kept"][0]["start"].is_u64() && file["kept"][0]["help"].is_string(), "{document}");
    assert_eq!((&file["nothing_to_do"], &file["errors_left"]), (&false.into(), &0.into()), "{document}");
    // The changes that findings propose have the same shape, under the command that was given.
    let document = document_of(&["check", "m.gguf", "--fix", "--json", "-o", "fixed.gguf"]);
    assert_eq!(document["command"], "check --fix");
    assert!(document["files"][0]["repairs"].is_array(), "{document}");
}

#[test]
fn errors_that_nothing_mends_are_counted() {
    let folder = folder("left");
    fs::write(folder.join("m.gguf"), tensors(Builder::new().kv("general.architecture", "")).bytes()).unwrap();
    let judged = document(&run(&folder, &["check", "m.gguf", "--json"]));
    let errors = judged["files"][0]["counts"]["error"].as_u64().unwrap();
    assert!(errors > 0, "{judged}");
    let output = run(&folder, &["repair", "m.gguf", "--dry-run"]);
    let said = text(&output.stderr);
    assert!(said.contains("that repair cannot mend"), "{said}");
    let file = &document(&run(&folder, &["repair", "m.gguf", "--dry-run", "--json"]))["files"][0];
    assert_eq!((&file["nothing_to_do"], &file["errors_left"]), (&true.into(), &errors.into()));
}
