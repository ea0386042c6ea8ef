//! What stands beside files that were changed in place: what commands make of it, say of it, and how it goes.

#![cfg(unix)]
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod common;

use std::fs;
use std::path::Path;

use ggufkit_testkit::{Builder, Tensor};
use serde_json::Value as Json;

use common::{folder, gguf as run, good, names, said as bad, text};

fn model(name: &str) -> Builder {
    Builder::new()
        .kv("general.architecture", "toy")
        .kv("general.name", name)
        .kv("toy.a", 1_u32)
        .kv("toy.text", "x".repeat(2000).as_str())
        .kv("toy.b", 1_u32)
        .tensor(Tensor::f32("a", &[64, 30]))
}

fn write(folder: &Path, name: &str, builder: &Builder) {
    fs::write(folder.join(name), builder.clone().bytes()).unwrap();
}

const UNDO: &str = ".m.gguf.ggufkit-undo";
const JOURNAL: &str = ".m.gguf.ggufkit-journal";

/// A change that was stopped before its end.
fn interrupted(folder: &Path) {
    write(folder, "m.gguf", &model("A name"));
    good(folder, &["set", "m.gguf", "toy.a=2", "toy.b=2"]);
    fs::rename(folder.join(UNDO), folder.join(JOURNAL)).unwrap();
}

fn json(folder: &Path, args: &[&str]) -> Json {
    serde_json::from_slice(&run(folder, args).stdout).unwrap()
}

#[test]
fn a_file_that_was_put_over_a_half_changed_one_is_read_only_when_somebody_says_so() {
    let folder = folder("put_over");
    let other = Builder::new().kv("general.architecture", "other").kv("other.b", 7_u32).bytes();
    interrupted(&folder);
    fs::write(folder.join("m.gguf"), &other).unwrap();
    for args in
        [&["show", "m.gguf"][..], &["check", "m.gguf"], &["set", "m.gguf", "other.b=8"], &["dump", "m.gguf"]]
    {
        let said = bad(&folder, args, 2);
        assert!(said.contains("recover --discard"), "{args:?}: {said}");
        assert_eq!(fs::read(folder.join("m.gguf")).unwrap(), other, "{args:?}");
    }
    let said = bad(&folder, &["recover", "m.gguf"], 2);
    assert!(said.contains("--discard"), "{said}");
    let kept = json(&folder, &["recover", "m.gguf", "--discard", "--json"]);
    let aside = kept["files"][0]["set_aside"].as_str().unwrap();
    assert!(aside.ends_with(".m.gguf.ggufkit-aside"), "{aside}");
    assert_eq!(fs::read(folder.join("m.gguf")).unwrap(), other);
    good(&folder, &["show", "m.gguf"]);
    good(&folder, &["undo", "--forget", "m.gguf"]);
    assert_eq!(names(&folder), ["m.gguf"]);
}

#[test]
fn the_record_of_a_file_that_is_gone_is_set_aside() {
    let folder = folder("gone");
    interrupted(&folder);
    let other = Builder::new().kv("general.architecture", "other").bytes();
    fs::write(folder.join("n.gguf"), &other).unwrap();
    fs::rename(folder.join("n.gguf"), folder.join("m.gguf")).unwrap();
    let said = bad(&folder, &["show", "m.gguf"], 2);
    assert!(said.contains("of another file"), "{said}");
    let said = good(&folder, &["recover", "m.gguf"]);
    assert!(said.contains("stays as it is; the record is set aside"), "{said}");
    assert_eq!(fs::read(folder.join("m.gguf")).unwrap(), other);
    good(&folder, &["show", "m.gguf"]);
    // Whoever writes over the file needs no such word.
    interrupted(&folder);
    fs::write(folder.join("n.gguf"), &other).unwrap();
    good(&folder, &["set", "n.gguf", "general.name:string=x", "-o", "m.gguf", "--force"]);
    assert_eq!(good(&folder, &["get", "m.gguf", "general.name"]), "x\n");
}

#[test]
fn a_record_of_zeros_is_of_a_change_that_has_not_begun() {
    let folder = folder("zeros");
    write(&folder, "m.gguf", &model("A name"));
    fs::write(folder.join(JOURNAL), [0; 3000]).unwrap();
    assert_eq!(good(&folder, &["get", "m.gguf", "general.name"]), "A name\n");
    assert_eq!(names(&folder), ["m.gguf"]);
}

#[test]
fn what_is_kept_can_be_looked_at_and_deleted() {
    let folder = folder("forget");
    write(&folder, "m.gguf", &model("A name"));
    good(&folder, &["set", "m.gguf", "toy.a=2", "toy.b=3"]);
    let changed = fs::read(folder.join("m.gguf")).unwrap();
    let said = good(&folder, &["undo", "m.gguf", "--dry-run"]);
    assert!(
        said.contains("would be taken back") && said.contains("2 B of the old bytes in 2 places"),
        "{said}"
    );
    assert!(said.contains(" UTC"), "{said}");
    assert_eq!(fs::read(folder.join("m.gguf")).unwrap(), changed);
    let told = json(&folder, &["undo", "m.gguf", "--dry-run", "--json"]);
    let one = &told["files"][0];
    assert_eq!((&one["taken_back"], &one["change"]["bytes"]), (&false.into(), &2.into()));
    let said = good(&folder, &["undo", "--forget", "m.gguf"]);
    assert!(said.contains("deleted beside it"), "{said}");
    assert_eq!(names(&folder), ["m.gguf"]);
    assert_eq!(fs::read(folder.join("m.gguf")).unwrap(), changed);
    bad(&folder, &["undo", "m.gguf"], 1);
    assert!(good(&folder, &["undo", "--forget", "m.gguf"]).contains("nothing is kept"));
    assert!(good(&folder, &["undo", "--forget", "."]).contains("nothing is kept in it"));
}

#[test]
fn a_change_of_a_set_is_taken_back_in_all_its_files() {
    let folder = folder("set");
    for no in 0..3_u16 {
        let shard =
            model("A name").kv("split.no", no).kv("split.count", 3_u16).kv("split.tensors.count", 3_i32);
        let shard = shard.tensor(Tensor::f32(format!("t{no}"), &[64]));
        write(&folder, &format!("m-0000{}-of-00003.gguf", no + 1), &shard);
    }
    let path = |n: u16| folder.join(format!("m-0000{n}-of-00003.gguf"));
    let read = || [1, 2, 3].map(|n| fs::read(path(n)).unwrap());
    let set = |key: &str, files: &[&str]| {
        good(&folder, &[&["set"], files, &[key, "--allow-errors"]].concat());
    };
    let before = read();
    // The value stands in every file.
    set("toy.a=2", &["m-00002-of-00003.gguf"]);
    let changed = read();
    assert!((0..3).all(|n| changed[n] != before[n]));
    let said = good(&folder, &["undo", "m-00002-of-00003.gguf", "--dry-run"]);
    assert_eq!(said.matches("would be taken back").count(), 3, "{said}");
    assert_eq!(read(), changed);
    let said = good(&folder, &["undo", "m-00003-of-00003.gguf"]);
    assert_eq!(said.matches("was taken back").count(), 3, "{said}");
    assert_eq!(read(), before);
    // By the folder; and of what was changed last only.
    set("toy.a=2", &["m-00002-of-00003.gguf"]);
    std::thread::sleep(std::time::Duration::from_millis(1100));
    set("toy.b=9", &["m-00002-of-00003.gguf", "--alone"]);
    good(&folder, &["undo", "."]);
    let now = read();
    assert_eq!((&now[0], &now[2]), (&changed[0], &changed[2]));
    assert_eq!(now[1], changed[1]);
    // One by itself.
    good(&folder, &["undo", "--alone", "m-00001-of-00003.gguf"]);
    assert_eq!(read()[0], before[0]);
    assert_eq!(read()[2], changed[2]);
    // All or none.
    for (n, bytes) in (1..).zip(&before) {
        fs::write(path(n), bytes).unwrap();
    }
    good(&folder, &["undo", "--forget", "."]);
    set("toy.a=2", &["m-00001-of-00003.gguf"]);
    fs::write(path(3), &before[2]).unwrap();
    let told = read();
    let said = bad(&folder, &["undo", "m-00001-of-00003.gguf"], 1);
    assert!(said.contains("changed by something else since") && said.contains("undo --forget"), "{said}");
    assert_eq!(read(), told);
    let said = good(&folder, &["undo", "--forget", "m-00001-of-00003.gguf"]);
    assert_eq!(said.matches("deleted beside it").count(), 3, "{said}");
    bad(&folder, &["undo", "."], 1);
}

#[test]
fn a_change_of_a_set_is_not_taken_back_in_some_of_its_files() {
    let folder = folder("some");
    let shards = [1, 2, 3].map(|n| format!("m-0000{n}-of-00003.gguf"));
    let fresh = || {
        for (no, name) in (0..3_u16).zip(&shards) {
            let shard = model("A name").kv("split.no", no).kv("split.count", 3_u16);
            let shard = shard.kv("split.tensors.count", 3_i32).tensor(Tensor::f32(format!("t{no}"), &[64]));
            write(&folder, name, &shard);
            let _ = fs::remove_file(folder.join(format!(".{name}.ggufkit-undo")));
        }
    };
    let read = || shards.clone().map(|name| fs::read(folder.join(name)).unwrap());
    let set = |key: &str, more: &[&str]| {
        good(&folder, &[&["set", &shards[0], key, "--allow-errors"], more].concat());
    };
    let refused = |args: &[&str]| {
        let before = read();
        let said = bad(&folder, args, 1);
        assert!(said.contains("was made in 3 of its files"), "{said}");
        assert!(said.contains("can be taken back in 2 of them"), "{said}");
        assert!(said.contains("--alone"), "{said}");
        assert_eq!(read(), before);
    };
    // Another change of one of them is in between, and is taken back.
    fresh();
    let before = read();
    set("toy.a=2", &[]);
    std::thread::sleep(std::time::Duration::from_millis(1100));
    set("toy.b=9", &["--alone"]);
    good(&folder, &["undo", "."]);
    refused(&["undo", "."]);
    refused(&["undo", &shards[1], "--dry-run"]);
    let told = json(&folder, &["undo", &shards[1], "--json"]);
    assert_eq!(told["files"][0]["errors"][0]["error"]["code"], "incomplete-change", "{told}");
    good(&folder, &["undo", "--alone", &shards[1]]);
    assert_eq!(read()[1], before[1]);
    // One of them is not there.
    fresh();
    set("toy.a=2", &[]);
    fs::rename(folder.join(&shards[2]), folder.join("x")).unwrap();
    let said = bad(&folder, &["undo", "."], 1);
    assert!(said.contains("can be taken back in 2 of them"), "{said}");
    fs::rename(folder.join("x"), folder.join(&shards[2])).unwrap();
    good(&folder, &["undo", "."]);
    assert_eq!(read(), before);
    // The change was stopped before it came to the last one, which nobody has written to since.
    fresh();
    set("toy.a=2", &[]);
    fs::remove_file(folder.join(format!(".{}.ggufkit-undo", shards[2]))).unwrap();
    fs::write(folder.join(&shards[2]), &before[2]).unwrap();
    refused(&["undo", "."]);
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    let third = fs::OpenOptions::new().write(true).open(folder.join(&shards[2])).unwrap();
    third.set_modified(long_ago).unwrap();
    drop(third);
    good(&folder, &["undo", "."]);
    assert_eq!(read(), before);
}

#[test]
fn a_folder_stands_for_its_files_whose_change_was_interrupted() {
    let folder = folder("folders");
    interrupted(&folder);
    fs::create_dir(folder.join("w")).unwrap();
    for name in ["m.gguf", JOURNAL] {
        fs::rename(folder.join(name), folder.join("w").join(name)).unwrap();
    }
    write(&folder, "w/n.gguf", &model("A name"));
    let file = folder.join("w/m.gguf");
    let half = fs::read(&file).unwrap();
    let record = fs::read(folder.join("w").join(JOURNAL)).unwrap();
    let said = good(&folder, &["recover", "w"]);
    assert!(said.contains("m.gguf: the change was taken back") && !said.contains("n.gguf"), "{said}");
    assert_eq!(fs::read(&file).unwrap(), model("A name").bytes());
    assert!(good(&folder, &["recover", "w"]).contains("w: no change was interrupted"));
    fs::write(&file, &half).unwrap();
    fs::write(folder.join("w").join(JOURNAL), &record).unwrap();
    let said = good(&folder, &["recover", "--discard", "w"]);
    assert!(said.contains("m.gguf: stays as it is; the record is set aside"), "{said}");
    assert_eq!(fs::read(&file).unwrap(), half);
    bad(&folder, &["recover", "nowhere/"], 2);
}

#[test]
fn undo_takes_back_what_was_interrupted_and_says_how_to_be_rid_of_a_bad_record() {
    let folder = folder("undo_interrupted");
    interrupted(&folder);
    let half = fs::read(folder.join("m.gguf")).unwrap();
    let said = good(&folder, &["undo", "m.gguf", "--dry-run"]);
    assert!(said.contains("would be taken back"), "{said}");
    assert_eq!(fs::read(folder.join("m.gguf")).unwrap(), half);
    let said = good(&folder, &["undo", "m.gguf"]);
    assert!(said.contains("was taken back"), "{said}");
    assert_eq!(fs::read(folder.join("m.gguf")).unwrap(), model("A name").bytes());
    assert_eq!(names(&folder), ["m.gguf"]);
    // Of a set the change of the last call, in the file in which it was done and in the one in which it was stopped.
    let shards = [1, 2].map(|n| format!("s-0000{n}-of-00002.gguf"));
    for (no, name) in (0..2_u16).zip(&shards) {
        let shard = model("A name").kv("split.no", no).kv("split.count", 2_u16);
        write(
            &folder,
            name,
            &shard.kv("split.tensors.count", 2_i32).tensor(Tensor::f32(name.as_str(), &[64])),
        );
    }
    let read = || shards.clone().map(|name| fs::read(folder.join(name)).unwrap());
    let before = read();
    good(&folder, &["set", &shards[0], "toy.a=2", "toy.b=2", "--allow-errors"]);
    let record = |kind: &str| folder.join(format!(".{}.ggufkit-{kind}", shards[1]));
    fs::rename(record("undo"), record("journal")).unwrap();
    let said = good(&folder, &["undo", &shards[0]]);
    assert_eq!(said.matches("was taken back").count(), 2, "{said}");
    assert_eq!(read(), before);
    // One that has not begun is none, and the one before it is taken back.
    good(&folder, &["set", "m.gguf", "toy.a=2", "toy.b=2"]);
    fs::write(folder.join(JOURNAL), [0; 3000]).unwrap();
    for more in [&["--dry-run"][..], &[]] {
        let said = good(&folder, &[&["undo", "m.gguf"][..], more].concat());
        assert!(said.contains("2 B of the old bytes in 2 places"), "{said}");
    }
    assert_eq!(fs::read(folder.join("m.gguf")).unwrap(), model("A name").bytes());
    // A record that is none.
    good(&folder, &["set", "m.gguf", "toy.a=2"]);
    fs::write(folder.join(UNDO), b"no such thing as a record").unwrap();
    let said = bad(&folder, &["undo", "m.gguf"], 2);
    assert!(said.contains("undo --forget") && !said.contains("--discard"), "{said}");
    good(&folder, &["undo", "--forget", "m.gguf"]);
    assert_eq!(names(&folder).iter().filter(|name| name.contains("m.gguf")).count(), 1);
}

#[test]
fn inputs_that_are_deleted_leave_nothing_beside_them() {
    let folder = folder("merge");
    write(&folder, "m.gguf", &model("A name").tensor(Tensor::f32("b", &[64])));
    good(&folder, &["split", "m.gguf", "-o", "p", "--shards", "2"]);
    let shard = "p-00001-of-00002.gguf";
    good(&folder, &["set", shard, "--alone", "toy.a=5", "toy.b=6", "--allow-errors"]);
    assert!(names(&folder).contains(&format!(".{shard}.ggufkit-undo")));
    good(&folder, &["merge", shard, "-o", "out.gguf", "--delete-inputs"]);
    assert_eq!(names(&folder), ["m.gguf", "out.gguf"]);
}

#[test]
fn what_cannot_be_undone_says_so_before_and_after() {
    let folder = folder("cannot");
    write(&folder, "m.gguf", &model("A name"));
    fs::write(folder.join("raw"), [0; 16]).unwrap();
    let add = ["add", "m.gguf", "t=raw", "--type", "F32", "--shape", "4"];
    for args in [&["set", "m.gguf", "--copy", "toy.a=7"][..], &["endian", "big", "m.gguf"], &add] {
        for dry in [true, false] {
            let mut args = args.to_vec();
            args.extend(dry.then_some("--dry-run"));
            let said = good(&folder, &args);
            assert!(said.contains("(cannot be undone)"), "{args:?}: {said}");
            bad(&folder, &["undo", "m.gguf"], 1);
        }
    }
    for (args, can) in [
        (&["set", "m.gguf", "--copy", "toy.a=8", "--json"][..], Json::from(false)),
        (&["set", "m.gguf", "toy.a=9", "--json"], Json::from(true)),
        (&["endian", "little", "m.gguf", "--json"], Json::from(false)),
    ] {
        assert_eq!(json(&folder, args)["files"][0]["can_be_undone"], can, "{args:?}");
    }
    // A new file elsewhere takes nothing away.
    let said = text(&run(&folder, &["endian", "big", "m.gguf", "-o", "big.gguf"]).stdout);
    assert!(!said.contains("undone"), "{said}");
}
