//! Arguments, directories and lists: what comes of them, in which order.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use ggufkit_io::{Expand, Input, InputError, SkipReason, expand, expand_with_skipped};
use tempfile::TempDir;

fn tree(names: &[&str]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for name in names {
        let path = dir.path().join(name);
        if name.ends_with('/') {
            fs::create_dir_all(path).unwrap();
            continue;
        }
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, b"GGUF").unwrap();
    }
    dir
}

fn args(dir: &TempDir, names: &[&str]) -> Vec<OsString> {
    names.iter().map(|name| if *name == "-" { "-".into() } else { dir.path().join(name).into() }).collect()
}

/// Inputs in short: paths without the directory, sets with what is there of them.
fn shown(dir: &Path, inputs: &[Input]) -> Vec<String> {
    let short = |path: &Path| path.strip_prefix(dir).unwrap_or(path).display().to_string().replace('\\', "/");
    inputs
        .iter()
        .map(|input| match input {
            Input::Stdin => "-".to_owned(),
            Input::File(path) => short(path),
            Input::Set(set) => {
                let numbers: Vec<String> = set.numbered().map(|(no, _)| no.to_string()).collect();
                format!("{} {{{} of {}}}", short(set.given()), numbers.join(","), set.count())
            }
        })
        .collect()
}

fn how(set: impl FnOnce(&mut Expand)) -> Expand {
    let mut how = Expand::default();
    set(&mut how);
    how
}

#[test]
fn arguments_stay_in_their_order_whether_they_exist_or_not() {
    let dir = tree(&["b.gguf", "a.bin"]);
    let inputs = expand(&args(&dir, &["b.gguf", "-", "missing.gguf", "a.bin", "b.gguf"]), &Expand::default());
    let inputs = inputs.unwrap();
    assert_eq!(shown(dir.path(), &inputs), ["b.gguf", "-", "missing.gguf", "a.bin", "b.gguf"]);
}

#[test]
fn a_directory_is_its_models_sorted_by_name() {
    let dir = tree(&["m/z.gguf", "m/B.GGUF", "m/a.gguf", "m/readme.md", "m/sub/deep.gguf"]);
    let inputs = expand(&args(&dir, &["m"]), &Expand::default()).unwrap();
    assert_eq!(shown(dir.path(), &inputs), ["m/B.GGUF", "m/a.gguf", "m/z.gguf"]);
    let inputs = expand(&args(&dir, &["m"]), &how(|how| how.recursive = true)).unwrap();
    assert_eq!(shown(dir.path(), &inputs), ["m/B.GGUF", "m/a.gguf", "m/z.gguf", "m/sub/deep.gguf"]);
}

#[test]
fn what_is_left_out_of_a_directory_is_named() {
    let dir = tree(&[
        "m/a.gguf",
        "m/.hidden.gguf",
        "m/.cache/b.gguf",
        "m/c.gguf.part",
        "m/0f3a.incomplete",
        "m/notes.tmp",
        "m/d.gguf/",
    ]);
    let expansion = expand_with_skipped(&args(&dir, &["m"]), &Expand::default()).unwrap();
    assert_eq!(shown(dir.path(), &expansion.inputs), ["m/a.gguf"]);
    let skipped: Vec<_> =
        expansion.skipped.iter().map(|s| (s.path.file_name().unwrap().to_str().unwrap(), s.reason)).collect();
    assert_eq!(
        skipped,
        [
            (".hidden.gguf", SkipReason::Hidden),
            ("0f3a.incomplete", SkipReason::Unfinished),
            ("c.gguf.part", SkipReason::Unfinished),
            ("d.gguf", SkipReason::NotAFile),
        ]
    );
    let expansion = expand_with_skipped(&args(&dir, &["m"]), &how(|how| how.recursive = true)).unwrap();
    let hidden = expansion.skipped.iter().find(|s| s.path.ends_with(".cache")).unwrap();
    assert_eq!(hidden.reason, SkipReason::Hidden);
    assert!(hidden.to_string().ends_with(".cache: hidden, not read; name it to read it"), "{hidden}");
    // Named, they are taken.
    let inputs = expand(&args(&dir, &["m/.hidden.gguf", "m/c.gguf.part", "m/.cache"]), &Expand::default());
    assert_eq!(shown(dir.path(), &inputs.unwrap()), ["m/.hidden.gguf", "m/c.gguf.part", "m/.cache/b.gguf"]);
}

#[test]
fn members_of_a_set_are_one_input_however_they_are_named() {
    let names = ["m-00001-of-00003.gguf", "m-00002-of-00003.gguf", "m-00003-of-00003.gguf", "n.gguf"];
    let dir = tree(&names);
    let by_glob = expand(&args(&dir, &names), &Expand::default()).unwrap();
    assert_eq!(shown(dir.path(), &by_glob), ["m-00001-of-00003.gguf {1,2,3 of 3}", "n.gguf"]);
    let by_one = expand(&args(&dir, &["n.gguf", "m-00003-of-00003.gguf"]), &Expand::default()).unwrap();
    assert_eq!(shown(dir.path(), &by_one), ["n.gguf", "m-00003-of-00003.gguf {1,2,3 of 3}"]);
    let by_directory = expand(&[dir.path().into()], &Expand::default()).unwrap();
    assert_eq!(by_directory, by_glob);
    // A directory and a member of it are the same set, once.
    let both = expand(&[dir.path().into(), dir.path().join(names[1]).into()], &Expand::default()).unwrap();
    assert_eq!(both, by_glob);
    let alone = expand(&args(&dir, &["n.gguf", names[2]]), &how(|how| how.alone = true)).unwrap();
    assert_eq!(shown(dir.path(), &alone), ["n.gguf", "m-00003-of-00003.gguf"]);
    let alone = expand(&[dir.path().into()], &how(|how| how.alone = true)).unwrap();
    assert_eq!(shown(dir.path(), &alone), names);
}

#[test]
fn sets_of_other_counts_prefixes_and_directories_are_other_sets() {
    let dir = tree(&[
        "m-00001-of-00002.gguf",
        "m-00001-of-00003.gguf",
        "k-00001-of-00002.gguf",
        "x/m-00001-of-00002.gguf",
        "m-00001-of-00001.gguf",
        "m-1-of-2.gguf",
    ]);
    let inputs = expand(&[dir.path().into()], &how(|how| how.recursive = true)).unwrap();
    assert_eq!(
        shown(dir.path(), &inputs),
        [
            "k-00001-of-00002.gguf {1 of 2}",
            "m-00001-of-00001.gguf",
            "m-00001-of-00002.gguf {1 of 2}",
            "m-00001-of-00003.gguf {1 of 3}",
            "m-1-of-2.gguf",
            "x/m-00001-of-00002.gguf {1 of 2}",
        ]
    );
}

#[test]
fn a_member_that_is_not_there_is_a_file_when_no_other_is_there_either() {
    let dir = tree(&["m-00001-of-00003.gguf"]);
    let inputs = expand(&args(&dir, &["m-00002-of-00003.gguf", "n-00002-of-00003.gguf"]), &Expand::default());
    let inputs = inputs.unwrap();
    assert_eq!(shown(dir.path(), &inputs), ["m-00002-of-00003.gguf {1 of 3}", "n-00002-of-00003.gguf"]);
}

#[test]
fn a_directory_without_models_is_said_to_be_one() {
    let dir = tree(&["empty/", "empty/sub/a.gguf", "m/a.gguf", "cut/b.gguf.part"]);
    match expand(&args(&dir, &["empty"]), &Expand::default()).unwrap_err() {
        error @ InputError::NoFiles { deeper: true, .. } => {
            assert!(error.to_string().contains("--recursive"), "{error}");
        }
        other => panic!("{other}"),
    }
    let error = expand(&args(&dir, &["cut"]), &Expand::default()).unwrap_err().to_string();
    assert!(error.contains("b.gguf.part: an unfinished download"), "{error}");
    // Beside something to read it is left out, not an error.
    let expansion = expand_with_skipped(&args(&dir, &["empty", "m"]), &Expand::default()).unwrap();
    assert_eq!(expansion.inputs.len(), 1);
    assert_eq!(expansion.skipped[0].reason, SkipReason::NoFiles);
}

#[test]
fn lists_hold_paths_and_nothing_else() {
    let dir = tree(&["a b.gguf", "m/c.gguf", "#d.gguf"]);
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let list = dir.path().join("list.txt");
    fs::write(&list, format!("\u{feff}{}\r\n\n{}\n{}", path("a b.gguf"), path("m"), path("#d.gguf")))
        .unwrap();
    let from = how(|how| how.files_from = Some(list.clone().into()));
    let inputs = expand(&args(&dir, &["#d.gguf"]), &from).unwrap();
    assert_eq!(shown(dir.path(), &inputs), ["#d.gguf", "a b.gguf", "m/c.gguf", "#d.gguf"]);
    fs::write(&list, format!("{}\0new\nline.gguf\0", path("a b.gguf"))).unwrap();
    let from = how(|how| (how.files_from, how.nul) = (Some(list.clone().into()), true));
    let inputs = expand(&[], &from).unwrap();
    assert_eq!(shown(dir.path(), &inputs), ["a b.gguf", "new\nline.gguf"]);
    let missing = how(|how| how.files_from = Some(dir.path().join("none").into()));
    let error = expand(&[], &missing).unwrap_err();
    assert!(matches!(error, InputError::List { .. }));
    assert!(std::error::Error::source(&error).is_some());
}

#[test]
fn standard_input_is_read_once() {
    let twice = ["-".into(), "-".into()];
    assert!(matches!(expand(&twice, &Expand::default()), Err(InputError::StdinTwice)));
    let list = how(|how| how.files_from = Some("-".into()));
    assert!(matches!(expand(&twice[..1], &list), Err(InputError::StdinTwice)));
}

#[cfg(unix)]
mod links {
    use super::*;
    use std::os::unix::ffi::OsStringExt as _;
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    #[test]
    fn links_are_followed_and_loops_are_not() {
        let dir = tree(&["m/a.gguf", "other/b.gguf"]);
        let m = dir.path().join("m");
        symlink("..", m.join("up")).unwrap();
        symlink("../other", m.join("side")).unwrap();
        symlink("nowhere", m.join("gone.gguf")).unwrap();
        symlink("a.gguf", m.join("z.gguf")).unwrap();
        let expansion = expand_with_skipped(&[m.into()], &how(|how| how.recursive = true)).unwrap();
        assert_eq!(shown(dir.path(), &expansion.inputs), ["m/a.gguf", "m/z.gguf", "m/side/b.gguf"]);
        let skipped: Vec<_> = expansion
            .skipped
            .iter()
            .map(|s| (s.path.strip_prefix(dir.path()).unwrap().to_str().unwrap(), s.reason))
            .collect();
        assert_eq!(
            skipped,
            [
                ("m/gone.gguf", SkipReason::NotAFile),
                ("m/up/m", SkipReason::SeenBefore),
                ("m/up/other", SkipReason::SeenBefore),
            ]
        );
    }

    #[test]
    fn names_that_are_not_text_are_names() {
        let dir = tree(&[]);
        let name = OsString::from_vec(b"m-\xff-00001-of-00002.gguf".to_vec());
        if fs::write(dir.path().join(&name), b"GGUF").is_err() {
            return; // This file system wants text.
        }
        let inputs = expand(&[dir.path().into()], &Expand::default()).unwrap();
        assert_eq!(inputs, [Input::File(dir.path().join(name))]);
        let escape = Path::new("/no\u{1b}[31m/such");
        let error =
            InputError::Directory { path: escape.into(), source: std::io::ErrorKind::NotFound.into() };
        assert!(error.to_string().contains("/no\\x1b[31m/such"), "{error}");
    }

    #[test]
    fn a_deep_tree_is_no_recursion() {
        let dir = tree(&[]);
        let mut path: PathBuf = dir.path().into();
        for _ in 0..400 {
            path.push("d");
        }
        if fs::create_dir_all(&path).is_err() {
            return; // Paths of this length do not exist here.
        }
        fs::write(path.join("a.gguf"), b"GGUF").unwrap();
        let inputs = expand(&[dir.path().into()], &how(|how| how.recursive = true)).unwrap();
        assert_eq!(inputs, [Input::File(path.join("a.gguf"))]);
    }
}
