//! `gguf stats` and `gguf compare` on files that are odd.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use common::folder;
use ggufkit_testkit::{Builder, Tensor};
use serde_json::Value as Json;

fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gguf")).current_dir(folder).args(args).output().unwrap()
}

fn floats(name: &str, values: &[f32]) -> Tensor {
    Tensor::f32(name, &[values.len() as u64])
        .data(values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>())
}

fn write(folder: &Path, name: &str, tensors: Vec<Tensor>) {
    let file = tensors.into_iter().fold(Builder::new().kv("general.architecture", "toy"), Builder::tensor);
    fs::write(folder.join(name), file.bytes()).unwrap();
}

#[test]
fn what_is_not_finite_is_told_and_within_no_bound() {
    let folder = folder("not-finite");
    write(&folder, "a.gguf", vec![floats("t", &[1.0, 2.0, 3.0, f32::INFINITY])]);
    write(&folder, "b.gguf", vec![floats("t", &[1.0, 2.0, f32::NAN, f32::INFINITY])]);
    let json = run(&folder, &["compare", "a.gguf", "b.gguf", "--json"]);
    assert_eq!(json.status.code(), Some(0));
    let found: Json = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((&found["tensors"][0]["not_finite"], &found["tensors"][0]["equal"]), (&1.into(), &3.into()));
    let status = |args: &[&str]| run(&folder, args).status.code();
    assert_eq!(status(&["compare", "a.gguf", "b.gguf", "--max-error", "0.5"]), Some(1));
    assert_eq!(status(&["compare", "a.gguf", "a.gguf", "--max-error", "0"]), Some(0));
    let found = run(&folder, &["stats", "b.gguf", "--json"]);
    let found: Json = serde_json::from_slice(&found.stdout).unwrap();
    let tensor = &found["files"][0]["tensors"][0];
    assert_eq!((&tensor["nan"], &tensor["infinite"], &tensor["mean"]), (&1.into(), &1.into(), &1.5.into()));
}

#[test]
fn tensors_over_the_same_bytes_are_read_once() {
    let folder = folder("same-bytes");
    let tensors = (0..100).map(|i| floats(&format!("t{i}"), &[1.0; 4096]).offset(0)).collect();
    write(&folder, "m.gguf", tensors);
    // One copy of the data is there, a hundred are claimed.
    assert!(fs::metadata(folder.join("m.gguf")).unwrap().len() < 2 * 16384);
    let output = run(&folder, &["stats", "m.gguf"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("share bytes"), "{output:?}");
}

#[test]
fn types_without_values_are_named_and_the_others_measured() {
    let folder = folder("no-values");
    // Q8_1: what activations are while they are multiplied.
    let odd = Tensor::new("odd", 9, &[32]).data(vec![0; 36]);
    write(&folder, "m.gguf", vec![floats("good", &[2.0; 8]), odd]);
    let output = run(&folder, &["stats", "m.gguf", "--json"]);
    assert_eq!(output.status.code(), Some(2));
    let found: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["files"][0]["tensors"][0]["name"], "good");
    assert_eq!(found["files"][0]["errors"][0]["error"]["code"], "no-decoding");
}

#[test]
fn the_tensors_that_are_too_far_off_are_named() {
    let folder = folder("over");
    // Half of a value is 50 % of it; all zeros are no measure.
    let a = vec![floats("near", &[1.0, 2.0]), floats("far", &[2.0, 2.0]), floats("zero", &[0.0, 0.0])];
    let b = vec![floats("near", &[1.0, 2.0]), floats("far", &[1.0, 1.0]), floats("zero", &[0.0, 1.0])];
    write(&folder, "a.gguf", a);
    write(&folder, "b.gguf", b);
    let output = run(&folder, &["compare", "a.gguf", "b.gguf", "--max-error", "0.25"]);
    let told = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1));
    assert!(told.contains("2 tensors are further off than 25%: zero, far\n"), "{told}");
    assert_eq!(told.lines().filter(|line| line.ends_with("  over")).count(), 2, "{told}");
    let output = run(&folder, &["compare", "a.gguf", "b.gguf", "--max-error", "0.25", "--json"]);
    let found: Json = serde_json::from_slice(&output.stdout).unwrap();
    let over: Vec<&Json> = found["tensors"].as_array().unwrap().iter().map(|one| &one["over"]).collect();
    assert_eq!((over, &found["max_error"]), (vec![&true.into(), &true.into(), &false.into()], &0.25.into()));
    let output = run(&folder, &["compare", "a.gguf", "b.gguf", "--max-error", "0.5", "--name", "far"]);
    assert_eq!(output.status.code(), Some(0), "the bound itself is right");
}

#[test]
fn what_has_no_values_is_no_further_off_than_anything() {
    let folder = folder("empty");
    let not_a_number = floats("nan", &[f32::NAN, f32::INFINITY]);
    write(&folder, "m.gguf", vec![Tensor::f32("none", &[32, 0]).data([]), not_a_number]);
    let status = |args: &[&str]| run(&folder, args).status.code();
    assert_eq!(status(&["compare", "m.gguf", "m.gguf", "--max-error", "0"]), Some(0));
    // Of no tensors at all there is nothing to be said but that.
    write(&folder, "bare.gguf", Vec::new());
    let output = run(&folder, &["compare", "bare.gguf", "bare.gguf"]);
    assert_eq!((output.status.code(), output.stderr), (Some(1), b"note: there are no tensors\n".to_vec()));
    let output = run(&folder, &["compare", "m.gguf", "m.gguf", "x"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.starts_with("note: no tensor passes the filters\n") && told.contains("'*TEXT*'"), "{told}");
}

#[test]
fn what_is_wrong_with_both_is_said_once() {
    let folder = folder("once");
    write(&folder, "m.gguf", vec![Tensor::new("odd", 9, &[32]).data(vec![0; 36])]);
    for args in
        [["compare", "nowhere", "nowhere"], ["compare", "m.gguf", "m.gguf"], ["diff", "nowhere", "nowhere"]]
    {
        let output = run(&folder, &args);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), told.lines().count()), (Some(2), 1), "{args:?}: {told}");
    }
    let output = run(&folder, &["compare", "nowhere", "m.gguf", "--json"]);
    let found: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["files"][0]["errors"][0]["error"]["code"], "not_found");
    assert_eq!(
        (&found["files"][1]["path"], &found["files"][1]["errors"]),
        (&"m.gguf".into(), &Json::Array(vec![]))
    );
}

#[test]
fn a_word_that_is_no_file_is_told_before_anything_is_measured() {
    let folder = folder("word");
    write(&folder, "m.gguf", vec![floats("attn", &[1.0; 8])]);
    for command in ["stats", "tensors"] {
        let output = run(&folder, &[command, "m.gguf", "attn"]);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
        assert!(told.contains("'*attn*' are the tensors"), "{told}");
        // What is named like a model, or like a path, is one that is not there.
        let output = run(&folder, &[command, "m.gguf", "./attn"]);
        assert!(String::from_utf8_lossy(&output.stderr).contains("No such file"), "{command}");
    }
}

#[test]
fn lines_have_the_order_that_was_asked_for() {
    let folder = folder("order");
    let tensors = vec![
        floats("a", &[0.0, 0.0, 0.0, 1.0]),
        floats("b", &[-9.0, 2.0]),
        floats("c", &[f32::NAN, 0.0, 0.0]),
        floats("d", &[7.0]),
    ];
    write(&folder, "m.gguf", tensors);
    for (sort, order) in [
        ("index", "abcd"),
        ("elements", "acbd"),
        ("min", "bacd"),
        ("max", "dbac"),
        ("zeros", "acbd"),
        ("bad", "cabd"),
    ] {
        let output = run(&folder, &["stats", "m.gguf", "--sort", sort, "--json"]);
        let found: Json = serde_json::from_slice(&output.stdout).unwrap();
        let names = found["files"][0]["tensors"].as_array().unwrap().iter();
        assert_eq!(names.map(|one| one["name"].as_str().unwrap()).collect::<String>(), order, "{sort}");
    }
    let output = run(&folder, &["stats", "m.gguf", "--top", "1"]);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    // Title, one row, the sum of all, and how many there are more.
    assert_eq!(told.lines().count(), 4, "{told}");
    assert!(told.ends_with("3 more; --top N shows N\n"), "{told}");
}

#[cfg(unix)]
#[test]
fn pipes_are_refused_where_data_is_read_at_any_position() {
    let folder = folder("pipes");
    write(&folder, "m.gguf", vec![floats("t", &[1.0; 8])]);
    assert!(Command::new("mkfifo").arg(folder.join("pipe")).status().unwrap().success());
    for args in [
        &["stats", "pipe"][..],
        &["compare", "m.gguf", "pipe"],
        &["compare", "pipe", "m.gguf"],
        &["compare", "m.gguf", "--source", "pipe"],
        &["diff", "m.gguf", "pipe"],
        &["hash", "pipe"],
        &["check", "--data", "pipe"],
    ] {
        let output = run(&folder, args);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(told.contains("pipe: is a pipe: a file is needed"), "{args:?}: {told}");
    }
}

#[test]
fn a_model_that_passes_by_is_not_said_to_have_no_tensors() {
    let folder = folder("passes-by");
    write(&folder, "m.gguf", vec![floats("t", &[1.0, 2.0])]);
    for more in [&[][..], &["--json"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_gguf"))
            .current_dir(&folder)
            .args([&["stats", "-"], more].concat())
            .stdin(fs::File::open(folder.join("m.gguf")).unwrap())
            .output()
            .unwrap();
        let said = [output.stdout, output.stderr].concat();
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&said).contains("data is not read as it passes by"), "{more:?}");
    }
}

#[test]
fn a_rule_for_names_that_fits_nothing_is_told() {
    let folder = folder("renames");
    write(&folder, "m.gguf", vec![floats("t", &[1.0; 8])]);
    let output = run(&folder, &["compare", "m.gguf", "m.gguf", "--rename", "x.*=*"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(
        (output.status.code(), told.as_str()),
        (Some(0), "note: --rename x.*=*: no tensor of B has such a name\n")
    );
}

/// A double that a float holds, too, is not told by the digits that tell floats apart.
#[test]
fn bounds_of_doubles_and_integers_have_all_their_digits() {
    let folder = folder("digits");
    let doubles = [f64::from(0.1_f32), -1.0].map(f64::to_le_bytes).concat();
    let longs = [-9_007_199_254_740_992_i64, 1 << 60].map(i64::to_le_bytes).concat();
    let tensors = vec![
        floats("f", &[0.1, -1.0]),
        Tensor::new("d", 28, &[2]).data(doubles),
        Tensor::new("l", 27, &[2]).data(longs),
    ];
    write(&folder, "m.gguf", tensors);
    let found: Json = serde_json::from_slice(&run(&folder, &["stats", "m.gguf", "--json"]).stdout).unwrap();
    let bounds: Vec<[f64; 2]> = found["files"][0]["tensors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tensor| [&tensor["min"], &tensor["max"]].map(|bound| bound.as_f64().unwrap()))
        .collect();
    assert_eq!(
        bounds,
        [[-1.0, 0.1], [-1.0, f64::from(0.1_f32)], [-9_007_199_254_740_992.0, 1_152_921_504_606_846_976.0]]
    );
}

#[test]
fn what_top_leaves_out_is_left_out_everywhere_and_counted() {
    let folder = folder("top");
    let named =
        |scale: f32| (0..1100).map(move |at| floats(&format!("t{at}"), &[0.0, at as f32 * scale])).collect();
    write(&folder, "a.gguf", named(1.0));
    write(&folder, "b.gguf", named(1.5));
    let stats = ["stats", "a.gguf", "--sort", "max", "--top", "2"];
    let of = |args: &[&str]| run(&folder, args).stdout;
    let json: Json = serde_json::from_slice(&of(&[&stats[..], &["--json"]].concat())).unwrap();
    let file = &json["files"][0];
    let names: Vec<_> =
        file["tensors"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!((names, &file["more"]), (vec!["t1099", "t1098"], &1098.into()));
    assert_eq!(file["all"]["elements"], 2200, "of all of them");
    let csv = String::from_utf8(of(&[&stats[..], &["--csv"]].concat())).unwrap();
    assert_eq!(csv.lines().count(), 3, "{csv}");
    let table = String::from_utf8(of(&stats)).unwrap();
    assert!(table.ends_with("1,098 more; --top N shows N\n"), "{table}");
    let json: Json =
        serde_json::from_slice(&of(&["compare", "a.gguf", "b.gguf", "--top", "3", "--json"])).unwrap();
    assert_eq!((json["tensors"].as_array().unwrap().len(), &json["more"]), (3, &1097.into()));
    assert_eq!(json["all"]["elements"], 2200, "of all of them");
}
