//! `gguf split` and `gguf merge`, and the files around them: what is written, what is not, and what is never written to.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod common;

use std::fs;
use std::path::Path;
use std::process::Output;

use ggufkit_testkit::{Builder, Tensor};
use serde_json::Value as Json;

use common::{folder, gguf as run, names, text};

fn model() -> Builder {
    let file = Builder::new().kv("general.architecture", "llama").kv("general.name", "x");
    (0..9).fold(file, |file, at| {
        let bytes: Vec<u8> = (0..4000_u32).map(|n| (n * 7 + at) as u8).collect();
        file.tensor(Tensor::f32(format!("blk.{at}.weight"), &[1000]).data(bytes))
    })
}

/// A folder with `m.gguf` and its three shards in `set`.
fn split(name: &str) -> std::path::PathBuf {
    let folder = folder(name);
    fs::write(folder.join("m.gguf"), model().bytes()).unwrap();
    let output = run(&folder, &["split", "m.gguf", "-o", "set/", "--max-tensors", "3"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(names(&folder.join("set")), SET);
    folder
}

const SET: [&str; 3] = ["m-00001-of-00003.gguf", "m-00002-of-00003.gguf", "m-00003-of-00003.gguf"];

/// All bytes of a folder's files.
fn bytes(folder: &Path) -> Vec<(String, Vec<u8>)> {
    names(folder).into_iter().map(|name| (name.clone(), fs::read(folder.join(name)).unwrap())).collect()
}

fn status(output: &Output) -> Option<i32> {
    output.status.code()
}

#[test]
fn a_model_comes_back_byte_for_byte_from_any_member_a_list_or_a_folder() {
    let folder = split("back");
    let lists: [&[&str]; 4] = [
        &["set/m-00001-of-00003.gguf"],
        &["set/m-00003-of-00003.gguf"],
        &["set"],
        &["set/m-00003-of-00003.gguf", "set/m-00001-of-00003.gguf", "set/m-00002-of-00003.gguf"],
    ];
    for list in lists {
        let output = run(&folder, &[&["merge", "-o", "out.gguf"], list].concat());
        assert_eq!(status(&output), Some(0), "{}", text(&output.stderr));
        assert_eq!(fs::read(folder.join("out.gguf")).unwrap(), model().bytes());
        fs::remove_file(folder.join("out.gguf")).unwrap();
    }
    // Under other names they are a list, in any order, by their numbers.
    for (at, name) in SET.iter().enumerate() {
        fs::rename(folder.join("set").join(name), folder.join(format!("{}.gguf", ["c", "a", "b"][at])))
            .unwrap();
    }
    let output = run(&folder, &["merge", "a.gguf", "b.gguf", "c.gguf", "-o", "out.gguf"]);
    assert_eq!(status(&output), Some(0), "{}", text(&output.stderr));
    assert_eq!(fs::read(folder.join("out.gguf")).unwrap(), model().bytes());
}

#[test]
fn names_of_shards_follow_the_convention() {
    let folder = folder("names");
    fs::write(folder.join("m.gguf"), model().bytes()).unwrap();
    fs::create_dir(folder.join("there")).unwrap();
    for (to, first) in [
        ("p", "p-00001-of-00002.gguf"),
        ("q.gguf", "q-00001-of-00002.gguf"),
        ("there", "there/m-00001-of-00002.gguf"),
        ("new/deep/", "new/deep/m-00001-of-00002.gguf"),
        ("there/r.v2", "there/r.v2-00001-of-00002.gguf"),
        ("s-00003-of-00004.gguf", "s-00001-of-00002.gguf"),
    ] {
        let output = run(&folder, &["split", "m.gguf", "-o", to, "--shards", "2"]);
        assert_eq!(status(&output), Some(0), "{to}: {}", text(&output.stderr));
        assert!(folder.join(first).is_file(), "{to}");
    }
    assert_eq!(status(&run(&folder, &["split", "m.gguf", "-o", ".gguf", "--shards", "2"])), Some(2));
}

/// Globs that hand the shards over as positional arguments, as they destroyed sets elsewhere.
#[test]
fn no_input_is_ever_written_to() {
    let folder = split("clobber");
    let set = folder.join("set");
    let before = bytes(&set);
    for args in [
        &["merge", "m-00001-of-00003.gguf", "m-00002-of-00003.gguf", "out.gguf"][..],
        &["merge", "m-00001-of-00003.gguf", "m-00002-of-00003.gguf", "m-00003-of-00003.gguf"],
        &["merge", "m-00001-of-00003.gguf", "-o", "m-00002-of-00003.gguf"],
        &["merge", "m-00001-of-00003.gguf", "-o", "m-00002-of-00003.gguf", "--force"],
        &["merge", "m-00001-of-00003.gguf", "-o", "./m-00001-of-00003.gguf", "--force", "--delete-inputs"],
        &["merge", ".", "-o", "../set/m-00003-of-00003.gguf", "--force"],
        &["merge", "m-00001-of-00003.gguf", "-o", "."],
        &["merge", "m-00001-of-00003.gguf", "-o", "-"],
        // The same number of shards under the same name.
        &["split", "m-00001-of-00003.gguf", "-o", "m", "--shards", "3", "--force"],
        &["split", "m-00001-of-00003.gguf", "-o", "m", "--shards", "3"],
    ] {
        let output = run(&set, args);
        assert_eq!(status(&output), Some(2), "{args:?}: {}", text(&output.stdout));
        assert_eq!(bytes(&set), before, "{args:?}");
    }
}

#[cfg(unix)]
#[test]
fn links_to_an_input_are_inputs() {
    let folder = split("links");
    let first = folder.join("set").join(SET[0]);
    std::os::unix::fs::symlink(&first, folder.join("soft")).unwrap();
    fs::hard_link(&first, folder.join("hard")).unwrap();
    let before = bytes(&folder.join("set"));
    for name in ["soft", "hard"] {
        let output = run(&folder, &["merge", "set", "-o", name, "--force"]);
        assert_eq!(status(&output), Some(2), "{name}");
        assert!(
            text(&output.stderr).contains("is one of the files that are read"),
            "{}",
            text(&output.stderr)
        );
        assert_eq!(bytes(&folder.join("set")), before);
    }
}

/// The cache of Hugging Face: names are links to files that are called by their hashes.
#[cfg(unix)]
#[test]
fn members_may_be_links() {
    let folder = split("cache");
    fs::create_dir_all(folder.join("blobs")).unwrap();
    for (at, name) in SET.iter().enumerate() {
        let blob = folder.join(format!("blobs/{at}"));
        fs::rename(folder.join("set").join(name), &blob).unwrap();
        std::os::unix::fs::symlink(format!("../blobs/{at}"), folder.join("set").join(name)).unwrap();
    }
    let output = run(&folder, &["merge", "set", "-o", "out.gguf", "--delete-inputs"]);
    assert_eq!(status(&output), Some(0), "{}", text(&output.stderr));
    assert_eq!(fs::read(folder.join("out.gguf")).unwrap(), model().bytes());
    // What was named goes, what is behind it stays, and that is said.
    assert!(names(&folder.join("set")).is_empty());
    assert_eq!(names(&folder.join("blobs")).len(), 3);
    assert!(text(&output.stderr).contains("../blobs/0"), "{}", text(&output.stderr));
}

#[test]
fn all_files_of_a_set_are_written_or_none() {
    let folder = folder("none");
    fs::write(folder.join("m.gguf"), model().bytes()).unwrap();
    fs::write(folder.join("p-00002-of-00003.gguf"), b"mine").unwrap();
    let args = ["split", "m.gguf", "-o", "p", "--shards", "3"];
    let output = run(&folder, &args);
    assert_eq!(status(&output), Some(2));
    assert!(
        text(&output.stderr).contains("p-00002-of-00003.gguf exists; --force"),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(names(&folder), ["m.gguf", "p-00002-of-00003.gguf"]);
    assert_eq!(fs::read(folder.join("p-00002-of-00003.gguf")).unwrap(), b"mine");
    assert_eq!(status(&run(&folder, &[&args[..], &["--force"]].concat())), Some(0));
    assert_eq!(names(&folder).len(), 4);
    assert_eq!(status(&run(&folder, &["merge", "p-00001-of-00003.gguf", "-o", "o", "--dry-run"])), Some(0));
    assert_eq!(names(&folder).len(), 4, "a dry run writes nothing");
}

#[test]
fn the_limit_holds_to_the_byte() {
    let folder = folder("limit");
    fs::write(folder.join("m.gguf"), model().bytes()).unwrap();
    let sizes = |max: &str| {
        let output = run(&folder, &["split", "m.gguf", "--max-size", max, "--dry-run", "--json"]);
        let document: Json = serde_json::from_slice(&output.stdout).unwrap();
        let outputs = document["files"][0]["outputs"].as_array().unwrap().clone();
        (status(&output), outputs.iter().map(|one| one["bytes"].as_u64().unwrap()).collect::<Vec<_>>())
    };
    let (_, three) = sizes("12400");
    let largest = *three.iter().max().unwrap();
    assert!(largest <= 12400, "{three:?}");
    assert_eq!(sizes(&largest.to_string()).1, three);
    let (_, more) = sizes(&(largest - 1).to_string());
    assert!(more.len() > three.len() || more.iter().max() < three.iter().max(), "{three:?} {more:?}");
    assert_eq!(sizes("4000").0, Some(1));
    let output = run(&folder, &["split", "m.gguf", "-o", "p", "--max-size", "4k"]);
    assert_eq!(status(&output), Some(1));
    assert!(
        text(&output.stderr).contains("\"blk.0.weight\"") && text(&output.stderr).contains("--allow-larger")
    );
    assert_eq!(names(&folder), ["m.gguf"]);
    let output = run(&folder, &["split", "m.gguf", "-o", "p", "--max-size", "4k", "--allow-larger"]);
    assert_eq!(status(&output), Some(0), "{}", text(&output.stderr));
    // What was planned is what is there.
    let (_, planned) = sizes("9k");
    assert_eq!(status(&run(&folder, &["split", "m.gguf", "-o", "q", "--max-size", "9k"])), Some(0));
    let there: Vec<_> = names(&folder)
        .iter()
        .filter(|name| name.starts_with("q-"))
        .map(|name| fs::metadata(folder.join(name)).unwrap().len())
        .collect();
    assert_eq!(there, planned);
}

#[test]
fn sets_that_are_not_whole_are_refused_and_inputs_stay() {
    type Break = fn(&Path);
    let cases: [(&str, Break, &str); 6] = [
        ("missing", |set| fs::remove_file(set.join(SET[1])).unwrap(), "shard 2 of 3 is missing"),
        (
            "truncated",
            |set| {
                let file = fs::OpenOptions::new().write(true).open(set.join(SET[2])).unwrap();
                file.set_len(file.metadata().unwrap().len() - 100).unwrap();
            },
            "tensor \"blk.8.weight\"",
        ),
        (
            "twice",
            |set| fs::write(set.join(SET[1]), fs::read(set.join(SET[2])).unwrap()).unwrap(),
            "split.no is 2",
        ),
        ("total", |set| other(set, 2, 3, 8, |file| file), "split.tensors.count"),
        ("alignment", |set| other(set, 2, 3, 9, |file| file.alignment(64)), "alignment of 64"),
        ("extra", |set| other(set, 2, 3, 9, |file| file.kv("extra.key", 1_u8)), "\"extra.key\""),
    ];
    for (name, damage, said) in cases {
        let folder = split(&format!("whole-{name}"));
        let set = folder.join("set");
        damage(&set);
        let before = bytes(&set);
        for args in [
            &["merge", "set", "-o", "out.gguf", "--delete-inputs"][..],
            &["split", "set", "-o", "p", "--shards", "2"],
        ] {
            let output = run(&folder, args);
            assert_eq!(status(&output), Some(1), "{name}: {}", text(&output.stderr));
            assert!(text(&output.stderr).contains(said), "{name}: {}", text(&output.stderr));
            assert_eq!(
                (bytes(&set), names(&folder)),
                (before.clone(), vec!["m.gguf".to_owned(), "set".to_owned()])
            );
        }
    }
    // What is allowed to stay, stays.
    let folder = split("whole-kept");
    other(&folder.join("set"), 2, 3, 9, |file| file.kv("extra.key", 1_u8));
    let output = run(&folder, &["merge", "set", "-o", "out.gguf", "--keep-extra"]);
    assert_eq!(status(&output), Some(0), "{}", text(&output.stderr));
    let output = run(&folder, &["get", "out.gguf", "extra.key"]);
    assert_eq!(text(&output.stdout), "1\n");
}

/// Writes another third shard.
fn other(set: &Path, no: u16, count: u16, total: i32, change: fn(Builder) -> Builder) {
    let file = change(Builder::new()).kv("split.no", no).kv("split.count", count);
    let file = file.kv("split.tensors.count", total);
    let file = (6..9).fold(file, |file, at| file.tensor(Tensor::f32(format!("blk.{at}.weight"), &[1000])));
    fs::write(set.join(SET[2]), file.bytes()).unwrap();
}

#[test]
fn inputs_are_deleted_only_when_told() {
    let folder = split("delete");
    let output = run(&folder, &["merge", "set", "-o", "out.gguf", "--delete-inputs", "--json"]);
    assert_eq!(status(&output), Some(0), "{}", text(&output.stderr));
    let document: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["files"][0]["deleted"].as_array().unwrap().len(), 3);
    assert!(names(&folder.join("set")).is_empty());
    assert_eq!(fs::read(folder.join("out.gguf")).unwrap(), model().bytes());
    let folder = split("keep");
    assert_eq!(status(&run(&folder, &["merge", "set", "-o", "out.gguf"])), Some(0));
    assert_eq!(names(&folder.join("set")), SET);
    // An output that cannot be written deletes nothing.
    fs::write(folder.join("there.gguf"), b"mine").unwrap();
    assert_eq!(status(&run(&folder, &["merge", "set", "-o", "there.gguf", "--delete-inputs"])), Some(2));
    assert_eq!(names(&folder.join("set")), SET);
}

#[test]
fn files_that_are_no_set_say_what_they_are() {
    let folder = split("what");
    let joined = bytes(&folder.join("set")).into_iter().flat_map(|(_, bytes)| bytes).collect::<Vec<_>>();
    fs::write(folder.join("joined.gguf"), joined).unwrap();
    for (args, code, said) in [
        (&["merge", "joined.gguf", "-o", "o"][..], 1, "gguf repair FILE --separate"),
        (&["split", "joined.gguf", "-o", "o", "--shards", "2"], 1, "joined with cat"),
        (&["merge", "m.gguf", "-o", "o"], 1, "nothing to merge"),
        (&["merge", "no.gguf", "-o", "o"], 2, "no.gguf"),
        (&["merge", "m.gguf.part1of2", "m.gguf.part2of2", "-o", "o"], 1, "cat model.gguf.part*"),
        (&["merge", "set", "-o", "o", "--offset", "4"], 2, "--offset"),
        (&["merge", "-", "-o", "o"], 2, "standard input gives its bytes once"),
        (&["merge", "m.gguf", "set", "-o", "o"], 1, "several models"),
        (&["split", "m.gguf", "-o", "o"], 2, "--max-size"),
        (&["split", "m.gguf", "-o", "o", "--shards", "99"], 1, "too few"),
        (&["split", "m.gguf", "-o", "o", "--shards", "0"], 2, "at least 1"),
    ] {
        let output = run(&folder, args);
        assert_eq!(status(&output), Some(code), "{args:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(said), "{args:?}: {}", text(&output.stderr));
    }
    assert_eq!(names(&folder), ["joined.gguf", "m.gguf", "set"]);
}

/// A file that llama.cpp's own splitter has merged keeps some of the keys, with a count of 0.
#[test]
fn what_is_left_of_an_earlier_merge_is_replaced() {
    let folder = folder("left");
    let left =
        |file: Builder| file.kv("split.no", 0_u16).kv("split.count", 0_u16).kv("split.tensors.count", 1_i32);
    let file = left(Builder::new().kv("general.architecture", "llama")).kv("z", 1_u8);
    fs::write(folder.join("m.gguf"), file.tensor(Tensor::f32("t", &[3])).bytes()).unwrap();
    let clean =
        Builder::new().kv("general.architecture", "llama").kv("z", 1_u8).tensor(Tensor::f32("t", &[3]));
    assert_eq!(status(&run(&folder, &["split", "m.gguf", "-o", "p", "--shards", "1"])), Some(0));
    for input in ["p-00001-of-00001.gguf", "m.gguf"] {
        let output = run(&folder, &["merge", input, "-o", "out.gguf", "--force"]);
        assert_eq!(status(&output), Some(0), "{}", text(&output.stderr));
        assert_eq!(fs::read(folder.join("out.gguf")).unwrap(), clean.bytes());
    }
}

/// More shards than a process may have files open, as systems are set up.
#[cfg(target_os = "linux")]
#[test]
fn many_shards_are_written_and_merged() {
    let folder = folder("many");
    let file = (0..1500).fold(Builder::new(), |file, at| file.tensor(Tensor::f32(format!("t{at}"), &[1])));
    fs::write(folder.join("m.gguf"), file.bytes()).unwrap();
    let gguf = env!("CARGO_BIN_EXE_gguf");
    let script = format!(
        "ulimit -Sn 256; {gguf} split m.gguf -o set/ --max-tensors 1 >/dev/null && {gguf} merge set -o out.gguf >/dev/null"
    );
    let output =
        std::process::Command::new("sh").current_dir(&folder).args(["-c", &script]).output().unwrap();
    assert_eq!(status(&output), Some(0), "{}", text(&output.stderr));
    assert_eq!(names(&folder.join("set")).len(), 1500);
    assert_eq!(fs::read(folder.join("out.gguf")).unwrap(), file.bytes());
}

/// A dry run refuses what the run refuses.
#[test]
fn what_stands_in_the_way_is_said_without_writing_too() {
    let folder = split("obstacles");
    let before = bytes(&folder.join("set"));
    for more in [&[][..], &["--dry-run"]] {
        let calls: [(&[&str], &str); 3] = [
            (&["split", "m.gguf", "-o", "set/", "--max-tensors", "3"], "exists"),
            (&["merge", "set", "-o", "m.gguf"], "exists"),
            (&["split", "m.gguf", "-o", "nowhere/m", "--shards", "2"], "No such file"),
        ];
        for (args, told) in calls {
            let output = run(&folder, &[args, more].concat());
            assert_eq!(status(&output), Some(2), "{args:?}: {}", text(&output.stdout));
            assert!(text(&output.stderr).contains(told), "{args:?}: {}", text(&output.stderr));
        }
    }
    assert_eq!(bytes(&folder.join("set")), before);
    let output = run(&folder, &["split", "m.gguf", "-o", "new/", "--shards", "2", "--dry-run"]);
    assert_eq!(status(&output), Some(0), "{}", text(&output.stderr));
    assert!(!folder.join("new").exists());
}
