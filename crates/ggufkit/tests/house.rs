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
    ("ggufkit-explore", &["ggufkit", "ggufkit-viewer"]),
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

/// The texts of a source, in their order, each with whether only signs (`,`, `=>`, names) stand between it and the one before.
fn texts(source: &str) -> Vec<(String, bool)> {
    let mut out = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find(['"', '/', '\'']) {
        let (before, from) = rest.split_at(at);
        if let Some(comment) = from.strip_prefix("//") {
            rest = comment.split_once('\n').map_or("", |(_, rest)| rest);
        } else if let Some(quoted) = from.strip_prefix("'\"'").or_else(|| from.strip_prefix("'\\\"'")) {
            rest = quoted;
        } else if let Some(text) = from.strip_prefix('"') {
            let mut escaped = false;
            let end = text.find(|c: char| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            let Some(end) = end else { break };
            let near = before.trim().trim_start_matches(',').trim();
            out.push((text[..end].to_owned(), matches!(near, "" | "Lang::Zh =>" | "zh:")));
            rest = &text[end + 1..];
        } else {
            rest = &from[1..];
        }
    }
    out
}

/// A head has a header in it: `头部` is the whole, with metadata and tensor table, `文件头` its first 24 bytes. Whoever takes one
/// for the other tells a reader something false, so that the words are the same wherever the two languages stand together.
#[test]
fn head_and_header_have_one_word_each_in_chinese() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("crates/");
    let home = crates.parent().expect("the workspace");
    let holds = |english: &str, word: &str| {
        english.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|own| own == word)
    };
    let told = |place: &Path, english: &str, chinese: &str| {
        for (zh, en) in [("头部", "head"), ("文件头", "header")] {
            assert!(
                !chinese.contains(zh) || holds(english, en),
                "{}: {zh} is {en}: {english} / {chinese}",
                place.display()
            );
        }
    };
    let (mut seen, mut paths) = (0, vec![crates.to_owned()]);
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            paths.extend(
                std::fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("an entry").path()),
            );
            paths.retain(|path| !path.ends_with("page") && !path.ends_with("tests"));
        } else if path.extension().is_some_and(|end| end == "rs") {
            let source = std::fs::read_to_string(&path).expect("source text");
            let of_two = |pair: &&[(String, bool)]| pair[1].1 && pair[0].0.is_ascii();
            for pair in texts(&source).windows(2).filter(of_two) {
                seen += usize::from(pair[1].0.contains("文件头") || pair[1].0.contains("头部"));
                told(&path, &pair[0].0, &pair[1].0);
            }
        } else if path.parent().is_some_and(|folder| folder.ends_with("text/zh")) {
            let chinese = std::fs::read_to_string(&path).expect("a text");
            let english = path.to_string_lossy().replace("/zh/", "/en/").replace("\\zh\\", "\\en\\");
            told(&path, &std::fs::read_to_string(english).expect("its English"), &chinese);
        }
    }
    assert!(seen >= 8, "the texts in both languages were found: {seen}");
    // The page's two catalogues have the same names in the same order.
    let catalogue = |name: &str| {
        let text = std::fs::read_to_string(home.join("web/src/i18n").join(name)).expect("a catalogue");
        let lines = text.lines().filter_map(|line| {
            line.trim().split_once(": ").filter(|(_, text)| text.starts_with(['\'', '"']))
        });
        lines.map(|(name, text)| (name.to_owned(), text.to_owned())).collect::<Vec<_>>()
    };
    let (english, chinese) = (catalogue("en.ts"), catalogue("zh.ts"));
    for (name, zh) in &chinese {
        let all: Vec<&str> =
            english.iter().filter(|(own, _)| own == name).map(|(_, text)| text.as_str()).collect();
        told(Path::new(name), &all.join(" "), zh);
    }
    let readme = std::fs::read_to_string(home.join("README.zh-CN.md")).expect("README.zh-CN.md");
    assert!(
        readme.contains("头部（文件头、带类型的元数据、张量表）"),
        "the words are said where a reader begins"
    );
}
