//! Shard sets: who belongs to one, and whether the heads agree.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use ggufkit_format::{Index, Options, View, parse};
use ggufkit_io::{ShardPart, ShardProblem, ShardSet, check_shards};
use ggufkit_testkit::{Builder, Tensor, Value};
use tempfile::TempDir;

fn name(no: u32, count: u32) -> String {
    format!("m-{no:05}-of-{count:05}.gguf")
}

fn folder(names: &[String]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for name in names {
        fs::write(dir.path().join(name), b"").unwrap();
    }
    dir
}

#[test]
fn any_member_finds_the_set() {
    let dir = folder(&[name(1, 3), name(3, 3), name(2, 4), "n-00002-of-00003.gguf".to_owned()]);
    for no in 1..=3 {
        let given = dir.path().join(name(no, 3));
        let set = ShardSet::discover(&given).unwrap();
        assert_eq!((set.given(), set.prefix(), set.count()), (given.as_path(), "m", 3));
        assert_eq!(set.numbered().map(|(no, _)| no).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(set.missing().collect::<Vec<_>>(), [dir.path().join(name(2, 3))]);
        assert_eq!((set.missing_count(), set.is_complete()), (1, false));
        let members: Vec<_> = set.members().map(|member| (member.no, member.present)).collect();
        assert_eq!(members, [(1, true), (2, false), (3, true)]);
        assert_eq!(set.number_of(&given), Some(no));
        assert_eq!(set.number_of(Path::new("m-00001-of-00004.gguf")), None);
    }
}

#[test]
fn names_are_taken_strictly() {
    for name in [
        "m.gguf",
        "m-1-of-3.gguf",
        "m-00000-of-00003.gguf",
        "m-00004-of-00003.gguf",
        "m-000001-of-00003.gguf",
        "m-00001-of-00003.GGUF",
        "m-00001-of-00003.gguf.part",
        "m-00001-of-00001.gguf",
        "m 00001-of-00003.gguf",
        "",
    ] {
        assert_eq!(ShardSet::discover(Path::new(name)), None, "{name}");
    }
    assert!(ShardSet::discover(Path::new("-00001-of-00002.gguf")).is_some(), "an empty prefix is one");
}

#[test]
fn a_set_that_claims_99999_members_costs_one_listing() {
    let dir = folder(&[name(7, 99_999), name(99_999, 99_999), name(1, 3)]);
    let start = Instant::now();
    let set = ShardSet::discover(&dir.path().join(name(7, 99_999))).unwrap();
    assert_eq!(set.numbered().map(|(no, _)| no).collect::<Vec<_>>(), [7, 99_999]);
    assert_eq!(set.missing_count(), 99_997);
    let problems = set.check(&[]);
    // 32 are named, the rest is counted.
    assert_eq!(problems.len(), 33);
    assert_eq!(problems[6].path(), Some(dir.path().join(name(8, 99_999)).as_path()));
    assert_eq!(problems[32].to_string(), "99965 more of 99999 shards are missing");
    // 99,999 look-ups would take more than a tenth of a second on any file system; a slow machine is not a failure.
    assert!(start.elapsed().as_secs() < 5);
}

#[cfg(unix)]
#[test]
fn members_are_looked_for_beside_a_link_not_beside_what_it_leads_to() {
    use std::os::unix::fs::symlink;
    let dir = folder(&[]);
    let (blobs, snapshot) = (dir.path().join("blobs"), dir.path().join("snapshots/abc"));
    fs::create_dir_all(&blobs).unwrap();
    fs::create_dir_all(&snapshot).unwrap();
    for no in 1..=2 {
        fs::write(blobs.join(format!("hash{no}")), b"").unwrap();
        symlink(format!("../../blobs/hash{no}"), snapshot.join(name(no, 3))).unwrap();
    }
    symlink("../../blobs/not-fetched", snapshot.join(name(3, 3))).unwrap();
    let set = ShardSet::discover(&snapshot.join(name(2, 3))).unwrap();
    assert_eq!(set.present().collect::<Vec<_>>(), [snapshot.join(name(1, 3)), snapshot.join(name(2, 3))]);
    assert_eq!(set.missing().collect::<Vec<_>>(), [snapshot.join(name(3, 3))], "a link that leads nowhere");
}

/// A shard's head with its split keys.
fn shard(no: u16, count: u16, total: i32) -> Builder {
    Builder::new().kv("split.no", no).kv("split.count", count).kv("split.tensors.count", total)
}

/// Three shards as gguf-split makes them, the first without tensors.
fn good() -> Vec<Builder> {
    vec![
        shard(0, 3, 3).kv("general.architecture", "llama"),
        shard(1, 3, 3).tensor(Tensor::f32("a", &[4])).tensor(Tensor::f32("b", &[4])),
        shard(2, 3, 3).tensor(Tensor::f32("c", &[4])),
    ]
}

/// Checks documents as the members of a set in a folder that has all of them, but for the ones that are `None`.
fn check(documents: &[Option<Builder>]) -> Vec<ShardProblem> {
    let count = documents.len() as u32;
    let there: Vec<u32> = (1..).zip(documents).filter(|(_, d)| d.is_some()).map(|(no, _)| no).collect();
    let names: Vec<String> = there.iter().map(|no| name(*no, count)).collect();
    let dir = folder(&names);
    let paths: Vec<PathBuf> = names.iter().map(|name| dir.path().join(name)).collect();
    let set = ShardSet::discover(&paths[0]).unwrap();
    with_parts(&documents.iter().flatten().cloned().collect::<Vec<_>>(), &paths, |parts| {
        // The order in which the parts come does not matter.
        let reversed: Vec<_> = parts.iter().rev().copied().collect();
        assert_eq!(set.check(parts), set.check(&reversed));
        set.check(parts)
    })
}

fn with_parts<T>(documents: &[Builder], paths: &[PathBuf], check: impl FnOnce(&[ShardPart<'_>]) -> T) -> T {
    let files: Vec<Vec<u8>> = documents.iter().map(Builder::bytes).collect();
    let indices: Vec<Index> = files.iter().map(|file| parse(file, Options::new()).index.unwrap()).collect();
    let parts: Vec<ShardPart<'_>> = paths
        .iter()
        .zip(indices.iter().zip(&files))
        .map(|(path, (index, file))| ShardPart { path, view: View::new(index, file) })
        .collect();
    check(&parts)
}

fn codes(problems: &[ShardProblem]) -> Vec<&'static str> {
    problems.iter().map(ShardProblem::code).collect()
}

/// `good()` with one shard changed.
fn changed(at: usize, change: impl FnOnce(Builder) -> Builder) -> Vec<Option<Builder>> {
    let mut documents = good();
    let document = documents.remove(at);
    documents.insert(at, change(document));
    documents.into_iter().map(Some).collect()
}

#[test]
fn a_good_set_has_no_problems() {
    assert_eq!(check(&changed(0, |shard| shard)), []);
}

#[test]
fn split_keys_may_be_integers_of_any_width() {
    let wide =
        |no: u64| Builder::new().kv("split.no", no).kv("split.count", 2_u8).kv("split.tensors.count", 2_i64);
    let documents =
        [wide(0).tensor(Tensor::f32("a", &[1])), wide(1).tensor(Tensor::f32("b", &[1]))].map(Some);
    assert_eq!(check(&documents), []);
}

#[test]
fn a_missing_member_is_named_by_its_exact_path_and_the_total_is_not_judged() {
    let mut documents = changed(0, |shard| shard);
    documents[1] = None;
    let problems = check(&documents);
    let [ShardProblem::Missing { no: 2, count: 3, path }] = &problems[..] else { panic!("{problems:?}") };
    assert!(path.ends_with(name(2, 3)));
    assert_eq!(problems[0].to_string(), format!("shard 2 of 3 is missing: {}", path.display()));
}

#[test]
fn every_disagreement_is_told() {
    let cases: [(&str, Vec<Option<Builder>>); 10] = [
        (
            "not-a-shard",
            changed(1, |_| Builder::new().tensor(Tensor::f32("a", &[4])).tensor(Tensor::f32("b", &[4]))),
        ),
        (
            "split-key",
            changed(1, |_| {
                Builder::new()
                    .kv("split.no", "1")
                    .kv("split.count", 3_u16)
                    .kv("split.tensors.count", 3_i32)
                    .tensor(Tensor::f32("a", &[4]))
                    .tensor(Tensor::f32("b", &[4]))
            }),
        ),
        ("split-no", changed(2, |_| shard(1, 3, 3).tensor(Tensor::f32("c", &[4])))),
        ("split-count", changed(2, |_| shard(2, 4, 3).tensor(Tensor::f32("c", &[4])))),
        ("split-tensor-counts", changed(2, |_| shard(2, 3, 7).tensor(Tensor::f32("c", &[4])))),
        ("split-tensor-total", changed(2, |shard| shard.tensor(Tensor::f32("d", &[4])))),
        ("duplicate-tensor", changed(2, |_| shard(2, 3, 3).tensor(Tensor::f32("a", &[4])))),
        ("alignment-differs", changed(2, |shard| shard.alignment(64))),
        ("architecture-differs", changed(2, |shard| shard.kv("general.architecture", "qwen2"))),
        ("byte-order-differs", changed(2, Builder::big_endian)),
    ];
    for (code, documents) in cases {
        let problems = check(&documents);
        assert_eq!(codes(&problems), [code]);
        assert_eq!(problems[0].is_fatal(), code != "alignment-differs");
        let text = problems[0].to_string();
        assert!(text.contains("-of-00003.gguf"), "{text}");
        assert!(problems[0].path().is_some());
    }
}

#[test]
fn many_duplicates_are_counted() {
    let mut first = shard(0, 2, 80);
    let mut second = shard(1, 2, 80);
    for i in 0..40 {
        first = first.tensor(Tensor::f32(format!("t{i}"), &[1]));
        second = second.tensor(Tensor::f32(format!("t{i}"), &[1]));
    }
    let problems = check(&[Some(first), Some(second)]);
    assert_eq!(problems.len(), 33);
    assert_eq!(problems[32], ShardProblem::MoreDuplicates { more: 8 });
}

#[test]
fn names_in_messages_are_escaped() {
    let evil = "a\x1b]0;x\x07";
    let documents =
        [shard(0, 2, 2).tensor(Tensor::f32(evil, &[1])), shard(1, 2, 2).tensor(Tensor::f32(evil, &[1]))];
    let text = check(&documents.map(Some))[0].to_string();
    assert!(!text.contains('\x1b') && text.contains("\\x1b"), "{text}");
}

#[test]
fn files_with_any_names_are_checked_in_the_order_given() {
    let paths: Vec<PathBuf> = ["x.gguf", "y.gguf", "z.gguf"].map(PathBuf::from).into();
    assert_eq!(with_parts(&good(), &paths, check_shards), []);
    let mut swapped = good();
    swapped.swap(1, 2);
    let problems = with_parts(&swapped, &paths, check_shards);
    assert_eq!(codes(&problems), ["split-no", "split-no"]);
    assert_eq!(
        problems[0].to_string(),
        "y.gguf: split.no is 2, but the file's place is 1 (split.no counts from 0)"
    );
    assert_eq!(codes(&with_parts(&good()[..2], &paths, check_shards))[..2], ["split-count", "split-count"]);
    assert_eq!(check_shards(&[]), []);
}

#[test]
fn a_merged_file_keeps_split_keys_without_being_a_shard_of_its_name() {
    let merged = Builder::new()
        .kv("split.no", 0_u16)
        .kv("split.count", 0_u16)
        .kv("split.tensors.count", Value::I32(1))
        .tensor(Tensor::f32("a", &[1]));
    let problems = with_parts(&[merged], &[PathBuf::from("merged.gguf")], check_shards);
    assert_eq!(codes(&problems), ["split-count"]);
}

/// Whatever a head was cut in, nothing that stands behind it is called missing.
#[test]
fn what_was_not_reached_is_not_missing() {
    let files: Vec<Vec<u8>> = good().iter().map(Builder::bytes).collect();
    let paths: Vec<PathBuf> = (1..=3).map(|no| PathBuf::from(name(no, 3))).collect();
    for cut in 0..3 {
        for len in 24..files[cut].len() {
            let shorter: Vec<&[u8]> = files
                .iter()
                .enumerate()
                .map(|(at, file)| if at == cut { &file[..len] } else { file })
                .collect();
            let indices: Vec<Index> =
                shorter.iter().map(|file| parse(file, Options::new()).index.unwrap()).collect();
            let parts: Vec<ShardPart<'_>> = paths
                .iter()
                .zip(indices.iter().zip(&shorter))
                .map(|(path, (index, file))| ShardPart { path, view: View::new(index, file) })
                .collect();
            assert_eq!(check_shards(&parts), [], "shard {} cut at {len}", cut + 1);
        }
    }
}
