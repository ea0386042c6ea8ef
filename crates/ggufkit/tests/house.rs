//! The rules of the house: which room may use which, and that only the outermost rooms name files and terminals.

#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// What each room may use of the others, directly. A room that is not listed may not exist.
const RULES: &[(&str, &[&str])] = &[
    ("ggufkit-format", &[]),
    ("ggufkit-io", &["ggufkit-format"]),
    ("ggufkit-quant", &["ggufkit-format"]),
    ("ggufkit-inspect", &["ggufkit-format"]),
    ("ggufkit-check", &["ggufkit-format", "ggufkit-io", "ggufkit-inspect"]),
    (
        "ggufkit-edit",
        &[
            "ggufkit-format",
            "ggufkit-io",
            "ggufkit-inspect",
            "ggufkit-check",
            "ggufkit-quant",
            "ggufkit-values",
        ],
    ),
    ("ggufkit-digest", &["ggufkit-format", "ggufkit-io"]),
    ("ggufkit-values", &["ggufkit-format", "ggufkit-io", "ggufkit-quant"]),
    (
        "ggufkit",
        &[
            "ggufkit-format",
            "ggufkit-io",
            "ggufkit-inspect",
            "ggufkit-check",
            "ggufkit-digest",
            "ggufkit-edit",
            "ggufkit-quant",
            "ggufkit-values",
        ],
    ),
    (
        "ggufkit-viewer",
        &[
            "ggufkit-format",
            "ggufkit-io",
            "ggufkit-inspect",
            "ggufkit-check",
            "ggufkit-quant",
            "ggufkit-values",
        ],
    ),
    ("ggufkit-explore", &["ggufkit"]),
    ("ggufkit-cli", &["ggufkit", "ggufkit-viewer", "ggufkit-explore"]),
    ("ggufkit-testkit", &["ggufkit-format"]),
];

fn metadata() -> serde_json::Value {
    let out = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
        .output()
        .expect("cargo metadata runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&out.stdout).expect("cargo metadata is JSON")
}

#[test]
fn rooms_use_only_what_they_may() {
    let rules: BTreeMap<_, BTreeSet<_>> =
        RULES.iter().map(|(room, uses)| (*room, uses.iter().copied().collect())).collect();
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("packages");
    assert_eq!(packages.len(), RULES.len(), "every room has a rule");
    for package in packages {
        let room = package["name"].as_str().expect("a name");
        let allowed = rules.get(room).unwrap_or_else(|| panic!("{room} has no rule"));
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            let name = dependency["name"].as_str().expect("a name");
            // Development dependencies may also use the test kit.
            let of_tests =
                dependency["kind"] == "dev" && (name == "ggufkit-testkit" || rules.contains_key(name));
            if name.starts_with("ggufkit") && !of_tests {
                assert!(allowed.contains(name), "{room} may not use {name}");
            }
            if name == "ggufkit-testkit" {
                assert_eq!(dependency["kind"], "dev", "{room} uses the test kit outside its tests");
            }
        }
    }
}

#[test]
fn only_the_outer_rooms_name_files_and_terminals() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("crates/");
    // Of the viewer the server alone may; its answers are asked for in a page as well.
    let pure =
        ["format/src", "inspect/src", "check/src", "digest/src", "edit/src", "quant/src", "values/src"];
    for room in pure.into_iter().chain(["viewer/src/answer", "viewer/src/report.rs", "viewer/src/svg.rs"]) {
        let mut paths = vec![crates.join(room)];
        while let Some(path) = paths.pop() {
            // Tests may look at files that stand beside them.
            if path.file_stem().is_some_and(|name| name == "tests" || name == "testing") {
                continue;
            }
            if path.is_dir() {
                paths.extend(
                    std::fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path()),
                );
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("source text");
            // Who opens a path names a file, in whatever words.
            let words = [
                "std::fs",
                "std::net",
                "std::env",
                "std::process",
                "FileSource::open",
                "println!",
                "print!(",
            ];
            for word in words {
                let found =
                    text.lines().any(|line| line.contains(word) && !line.trim_start().starts_with("//"));
                assert!(!found, "{}: names {word}", path.display());
            }
        }
    }
}

#[test]
fn unsafe_code_is_where_the_manual_says() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("crates/");
    let home = crates.parent().expect("the workspace");
    let mut found = BTreeSet::new();
    let mut folders: Vec<_> = RULES.iter().map(|(room, _)| room.trim_start_matches("ggufkit-")).collect();
    folders.sort_unstable();
    let mut folders: Vec<_> = folders.into_iter().map(|room| crates.join(room).join("src")).collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if std::fs::read_to_string(&path).expect("source text").contains("allow(unsafe_code") {
                let path = path.strip_prefix(home).expect("within the workspace");
                found.insert(path.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    let text = std::fs::read_to_string(home.join("CONTRIBUTING.md")).expect("CONTRIBUTING.md");
    let told = text.split_once("`unsafe` is in these files only").expect("the list").1;
    let told = told.split_once("With a nightly").expect("its end").0;
    let told: BTreeSet<_> = told.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    assert_eq!(found, told);
}
