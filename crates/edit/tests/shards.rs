//! Splitting and merging: what is split and merged again is the same bytes, limits hold to the byte, and what would be
//! lost is refused.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests"
)]

use ggufkit_edit::shards::{By, Extra, Member, Refusal, Shard, ShardsError, Split, Whole, merge, split};
use ggufkit_format::{Endian, Index, Options, View, parse};
use ggufkit_io::{ShardPart, check_shards};
use ggufkit_testkit::random::{Rng, document, key_values};
use ggufkit_testkit::{Builder, Tensor};

/// Files that were read, and their bytes laid end to end.
struct Set {
    indices: Vec<Index>,
    files: Vec<Vec<u8>>,
}

impl Set {
    fn of(files: Vec<Vec<u8>>) -> Self {
        let read = |bytes: &Vec<u8>| {
            parse(bytes, Options::new().with_size(Some(bytes.len() as u64))).into_result().unwrap()
        };
        Self { indices: files.iter().map(read).collect(), files }
    }

    fn members(&self) -> Vec<Member<'_>> {
        let mut members = Vec::new();
        let mut start = 0;
        for (index, bytes) in self.indices.iter().zip(&self.files) {
            let size = bytes.len() as u64;
            members.push(Member { view: View::new(index, bytes), size, start });
            start += size;
        }
        members
    }

    fn whole(&self) -> Result<Whole<'_>, ShardsError> {
        Whole::of(&self.members(), Extra::Refuse)
    }

    fn split(&self, by: By, metadata_first: bool) -> Result<Self, ShardsError> {
        let shards = split(&self.whole()?, &Split { by, metadata_first })?;
        let source = self.files.concat();
        let render = |shard: &Shard| {
            shard.plan.verify(source.len() as u64).unwrap();
            shard.plan.render(&source).unwrap()
        };
        Ok(Self::of(shards.iter().map(render).collect()))
    }

    fn merged(&self) -> Vec<u8> {
        self.checked();
        merge(&self.whole().unwrap()).unwrap().render(&self.files.concat()).unwrap()
    }

    /// The reader of sets finds nothing wrong.
    fn checked(&self) {
        let paths: Vec<_> =
            (0..self.files.len()).map(|no| std::path::PathBuf::from(no.to_string())).collect();
        let parts: Vec<_> = (self.indices.iter().zip(&self.files).zip(&paths))
            .map(|((index, bytes), path)| ShardPart { path, view: View::new(index, bytes) })
            .collect();
        assert_eq!(check_shards(&parts), []);
    }

    fn refusals(&self) -> Vec<Refusal> {
        match self.whole() {
            Err(ShardsError::Refused(refusals)) => refusals,
            other => panic!("{other:?}"),
        }
    }

    fn lens(&self) -> Vec<u64> {
        self.files.iter().map(|bytes| bytes.len() as u64).collect()
    }
}

fn codes(result: Result<Set, ShardsError>) -> Vec<&'static str> {
    match result {
        Err(ShardsError::Refused(refusals)) => refusals.iter().map(Refusal::code).collect(),
        Err(other) => panic!("{other}"),
        Ok(set) => panic!("{} files", set.files.len()),
    }
}

/// Documents of all kinds in canonical layout.
fn documents() -> Vec<(String, Vec<u8>)> {
    let mut out = Vec::new();
    for endian in [Endian::Little, Endian::Big] {
        for seed in 0..4 {
            out.push((format!("random {seed}, {endian:?}"), document(seed, endian).bytes()));
        }
    }
    for alignment in [8, 16, 32, 64, 256, 4096] {
        let mut rng = Rng::new(alignment.into());
        let mut file = key_values(&mut rng, Builder::new().alignment(alignment));
        for at in 0..37 {
            let (rows, row) = (rng.below(5), 1 + rng.below(900));
            // Some are empty: 0 rows.
            file = file.tensor(Tensor::f32(format!("blk.{at}.weight"), &[row, rows]));
        }
        out.push((format!("alignment {alignment}"), file.bytes()));
    }
    let plain = Builder::new().kv("general.architecture", "llama").kv("a", 1_u8).kv("a", 2_u8);
    out.push(("no tensors".into(), plain.clone().bytes()));
    out.push(("version 2".into(), plain.clone().version(2).tensor(Tensor::f32("x", &[5])).bytes()));
    let many = (0..3000).fold(plain, |file, at| file.tensor(Tensor::f32(format!("t{at}"), &[at % 7])));
    out.push(("many".into(), many.bytes()));
    out
}

#[test]
fn what_is_split_and_merged_is_the_same_bytes() {
    for (name, bytes) in documents() {
        let set = Set::of(vec![bytes.clone()]);
        let tensors = set.indices[0].tensors().len() as u64;
        for metadata_first in [false, true] {
            let mut ways = vec![By::Tensors(1), By::Tensors(7), By::Tensors(u64::MAX)];
            let size = bytes.len() as u64;
            let by_size = |max| By::Size { max, allow_larger: true };
            ways.extend([by_size(1), by_size(size / 3), by_size(size * 2)]);
            ways.extend((1..=5).filter(|n| *n <= tensors).map(|n| By::Shards(n + u64::from(metadata_first))));
            for by in ways {
                let shards = set.split(by, metadata_first).unwrap_or_else(|e| panic!("{name}, {by:?}: {e}"));
                assert_eq!(shards.merged(), bytes, "{name}, {by:?}, metadata first: {metadata_first}");
                let empty = |index: &Index| index.tensors().is_empty();
                assert!(!metadata_first || empty(&shards.indices[0]), "{name}, {by:?}");
                // Only the first may be without tensors.
                assert!(!shards.indices[1..].iter().any(empty), "{name}, {by:?}");
                // And anew, from the shards: the same as from the whole.
                let again = shards.split(By::Tensors(3), false).unwrap();
                assert_eq!(again.files, set.split(By::Tensors(3), false).unwrap().files, "{name}, {by:?}");
            }
        }
    }
}

/// A file without tensors may end with its head, and then does so again.
#[test]
fn a_head_without_padding_stays_one() {
    let file = Builder::new().kv("general.architecture", "llama").head_padding(false).without_data();
    let set = Set::of(vec![file.bytes()]);
    assert_ne!(set.lens()[0] % 32, 0);
    assert_eq!(set.split(By::Tensors(1), false).unwrap().merged(), file.bytes());
}

#[test]
fn keys_of_llama_cpp_stand_behind_the_metadata_and_alone_in_later_files() {
    let file = Builder::new().kv("general.architecture", "llama").alignment(64).kv("z", 1_u8);
    let file = (0..3).fold(file, |file, at| file.tensor(Tensor::f32(format!("t{at}"), &[4])));
    let shards = Set::of(vec![file.bytes()]).split(By::Tensors(2), false).unwrap();
    let keys = |at: usize| {
        let view = View::new(&shards.indices[at], &shards.files[at]);
        let text = |(key, kv): (ggufkit_format::ByteStr<'_>, &ggufkit_format::Kv)| {
            let value = view.value(kv).as_u64().map_or_else(|| "-".to_owned(), |n| n.to_string());
            format!("{}:{}={value}", key.display(), kv.value_type.name().unwrap_or("?"))
        };
        view.kvs().map(text).collect::<Vec<_>>()
    };
    let own = |no: u8| {
        [format!("split.no:u16={no}"), "split.count:u16=2".into(), "split.tensors.count:i32=3".into()]
    };
    let first = ["general.architecture:string=-", "general.alignment:u32=64", "z:u8=1"].map(String::from);
    assert_eq!(keys(0).iter().map(|k| k.to_lowercase()).collect::<Vec<_>>(), [&first[..], &own(0)].concat());
    let later = [&["general.alignment:u32=64".to_owned()][..], &own(1)].concat();
    assert_eq!(keys(1).iter().map(|k| k.to_lowercase()).collect::<Vec<_>>(), later);
}

#[test]
fn no_file_is_larger_than_the_limit_and_none_could_take_more() {
    for (name, bytes) in documents() {
        let set = Set::of(vec![bytes]);
        let whole = set.whole().unwrap();
        // The smallest limit that is possible: found by asking.
        let fits = |max| {
            split(&whole, &Split { by: By::Size { max, allow_larger: false }, metadata_first: false }).is_ok()
        };
        let (mut low, mut high) = (0, 1 << 30);
        while low < high {
            let middle = (low + high) / 2;
            if fits(middle) { high = middle } else { low = middle + 1 }
        }
        let largest = |max| {
            let set = set.split(By::Size { max, allow_larger: false }, false).unwrap();
            (set.lens().into_iter().max().unwrap(), set.files.len())
        };
        assert_eq!(largest(low).0, low, "{name}: the limit is a file's length, to the byte");
        for max in [low, low + 1, low * 2, low * 3 + 5] {
            let shards = set.split(By::Size { max, allow_larger: false }, false).unwrap();
            assert!(shards.lens().iter().all(|len| *len <= max), "{name}: {max} {:?}", shards.lens());
            // With a limit one byte below the longest there are more files, or none at all.
            let longest = shards.lens().into_iter().max().unwrap();
            if fits(longest - 1) {
                assert!(largest(longest - 1).1 >= shards.files.len(), "{name}");
            }
        }
    }
}

#[test]
fn a_tensor_that_is_too_large_is_named() {
    let file = Builder::new().kv("general.architecture", "llama");
    let file = [4, 400, 8, 500].iter().fold(file, |file, n| file.tensor(Tensor::f32(format!("t{n}"), &[*n])));
    let set = Set::of(vec![file.bytes()]);
    let how = |max, allow_larger| By::Size { max, allow_larger };
    let Err(ShardsError::Refused(refusals)) = set.split(how(1000, false), false) else { panic!() };
    let [Refusal::TensorTooLarge { name, more: 1, limit: 1000, bytes }] = &refusals[..] else {
        panic!("{refusals:?}")
    };
    assert_eq!(name, b"t400");
    // 24 bytes of header, split keys of 22, 25 and 35 bytes, a record of 36; and 1600 bytes of data.
    assert_eq!(*bytes, (24_u64 + 22 + 25 + 35 + 36).next_multiple_of(32) + 1600);
    let shards = set.split(how(1000, true), false).unwrap();
    let tensors: Vec<_> = shards.indices.iter().map(|index| index.tensors().len()).collect();
    assert_eq!(tensors, [1, 1, 1, 1]);
    assert_eq!(codes(set.split(how(100, false), false)), ["metadata-too-large", "tensor-too-large"]);
    assert_eq!(codes(set.split(By::Shards(5), false)), ["too-few-tensors"]);
    assert_eq!(codes(set.split(By::Shards(70_000), false)), ["too-many-shards"]);
}

/// The cuts of all ways to cut, by brute force: none has a smaller largest file.
#[test]
fn so_many_shards_are_as_even_as_they_can_be() {
    let mut rng = Rng::new(7);
    for _ in 0..40 {
        let file = Builder::new().kv("general.architecture", "llama");
        let tensors = 3 + rng.below(6);
        let file = (0..tensors)
            .fold(file, |file, at| file.tensor(Tensor::f32(format!("t{at}"), &[1 + rng.below(200)])));
        let set = Set::of(vec![file.bytes()]);
        for n in 1..=tensors {
            let even = set.split(By::Shards(n), false).unwrap();
            assert_eq!(even.files.len() as u64, n);
            let largest = even.lens().into_iter().max().unwrap();
            let limit = By::Size { max: largest - 1, allow_larger: false };
            // Within less than that, more files are needed, or the first would be without tensors.
            if let Ok(other) = set.split(limit, false) {
                let first = other.indices[0].tensors().is_empty();
                assert!(first || other.files.len() as u64 > n, "{n}: {:?} {:?}", even.lens(), other.lens());
            }
        }
    }
    // Equal tensors: the counts differ by one at most.
    let file = (0..10).fold(Builder::new(), |file, at| file.tensor(Tensor::f32(format!("t{at}"), &[1000])));
    let even = Set::of(vec![file.bytes()]).split(By::Shards(4), false).unwrap();
    let counts: Vec<_> = even.indices.iter().map(|index| index.tensors().len()).collect();
    assert!(counts.iter().all(|n| matches!(n, 2 | 3)), "{counts:?}");
}

fn shard(no: u16, count: u16, total: i32) -> Builder {
    let file = if no == 0 { Builder::new().kv("general.architecture", "llama") } else { Builder::new() };
    file.kv("split.no", no).kv("split.count", count).kv("split.tensors.count", total)
}

fn pair(second: Builder) -> Set {
    let first = shard(0, 2, 2).tensor(Tensor::f32("a", &[3]));
    Set::of(vec![first.bytes(), second.tensor(Tensor::f32("b", &[3])).bytes()])
}

#[test]
fn keys_of_later_shards_are_never_dropped() {
    let set = pair(shard(1, 2, 2).kv("general.name", "x").kv("y", 1_u8));
    let key = |key: &[u8]| Refusal::ExtraKey { member: 1, key: key.to_vec() };
    assert_eq!(set.refusals(), [key(b"general.name"), key(b"y")]);
    let whole = Whole::of(&set.members(), Extra::Keep).unwrap();
    let merged = merge(&whole).unwrap().render(&set.files.concat()).unwrap();
    let expected = Builder::new().kv("general.architecture", "llama").kv("general.name", "x").kv("y", 1_u8);
    let expected = expected.tensor(Tensor::f32("a", &[3])).tensor(Tensor::f32("b", &[3]));
    assert_eq!(merged, expected.bytes());
    assert_eq!(whole.notes().len(), 2);
    // The same value twice is one; another is refused whatever is allowed.
    assert!(pair(shard(1, 2, 2).kv("general.architecture", "llama")).whole().is_ok());
    let other = pair(shard(1, 2, 2).kv("general.architecture", "gemma"));
    let refused = Err(ShardsError::Refused(vec![Refusal::KeyDiffers {
        member: 1,
        key: b"general.architecture".to_vec(),
    }]));
    assert_eq!(Whole::of(&other.members(), Extra::Keep).map(|_| ()), refused);
}

#[test]
fn files_that_do_not_go_together_are_refused() {
    let refused = |second: Builder| pair(second).refusals().iter().map(Refusal::code).collect::<Vec<_>>();
    assert_eq!(refused(shard(1, 2, 2).version(2)), ["version-differs"]);
    assert_eq!(refused(shard(1, 2, 2).big_endian()), ["byte-order-differs"]);
    assert_eq!(refused(shard(1, 2, 2).version(1)), ["other-layout", "version-differs"]);
    assert_eq!(refused(shard(1, 2, 2).alignment(64)), ["alignment-differs"]);
    assert_eq!(refused(shard(1, 2, 2).trailing(b"rest".to_vec())), ["trailing-bytes"]);
    // The default, said aloud, is the same.
    assert!(pair(shard(1, 2, 2).alignment(32)).whole().is_ok());
    // Cut off in the data.
    let mut cut = pair(shard(1, 2, 2));
    let len = cut.files[1].len() - 24;
    cut.files[1].truncate(len);
    let refusals = cut.refusals();
    assert_eq!(refusals.iter().map(Refusal::code).collect::<Vec<_>>(), ["tensor-data"]);
    assert_eq!((refusals[0].member(), refusals[0].name()), (Some(1), Some(&b"b"[..])));
}

/// The splitter of llama.cpp keeps a custom alignment in the first file alone and lays all files out to 32.
#[test]
fn later_files_that_are_laid_out_to_the_default_are_aligned_anew() {
    let first = Builder::new().kv("general.architecture", "llama").alignment(64);
    let first = first.kv("split.no", 0_u16).kv("split.count", 2_u16).kv("split.tensors.count", 3_i32);
    let second = shard(1, 2, 3).tensor(Tensor::f32("b", &[3])).tensor(Tensor::f32("c", &[3]));
    let set = Set::of(vec![first.tensor(Tensor::f32("a", &[3])).bytes(), second.bytes()]);
    let expected = Builder::new().kv("general.architecture", "llama").alignment(64);
    let expected = ["a", "b", "c"].iter().fold(expected, |file, name| file.tensor(Tensor::f32(name, &[3])));
    assert_eq!(set.merged(), expected.bytes());
    assert_eq!(set.whole().unwrap().notes().len(), 1);
}

/// Readers, this one too, refuse a set in which a name occurs twice.
#[test]
fn tensors_of_one_name_are_not_split() {
    let file = ["a", "b", "a"].iter().fold(Builder::new(), |file, name| file.tensor(Tensor::f32(name, &[3])));
    let set = Set::of(vec![file.bytes()]);
    assert_eq!(codes(set.split(By::Tensors(1), false)), ["duplicate-tensor"]);
}

/// Sizes of types that nobody knows are taken from the offsets, and their bytes are kept.
#[test]
fn unknown_types_are_carried_over() {
    let file = Builder::new().kv("general.architecture", "llama");
    let file = ["a", "b", "c"]
        .iter()
        .fold(file, |file, name| file.tensor(Tensor::new(name, 999, &[64]).data(vec![7; 96])));
    let set = Set::of(vec![file.bytes()]);
    let shards = set.split(By::Tensors(1), false).unwrap();
    assert_eq!(shards.files.len(), 3);
    assert_eq!(shards.merged(), file.bytes());
}

#[test]
fn what_is_not_canonical_is_said() {
    let file = Builder::new().kv("general.architecture", "llama");
    let file = file.tensor(Tensor::f32("a", &[4]).offset(64)).tensor(Tensor::f32("b", &[4]).offset(0));
    let set = Set::of(vec![file.bytes()]);
    let whole = set.whole().unwrap();
    assert_eq!(whole.notes().iter().map(|note| note.code()).collect::<Vec<_>>(), ["laid-out-anew"]);
    let merged = set.split(By::Tensors(1), false).unwrap().merged();
    let canonical = Builder::new().kv("general.architecture", "llama");
    let canonical = canonical.tensor(Tensor::f32("a", &[4])).tensor(Tensor::f32("b", &[4]));
    assert_eq!(merged, canonical.bytes());
}
