//! The pass over the data, against the plainest way to do the same: all bytes in memory, one digest at a time.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};

use ggufkit_digest::{Algorithm, Digest, Hasher, Hashes, Part, Plan, Request};
use ggufkit_format::{Index, Options, Outcome, View};
use ggufkit_io::{DynSource, HeadBuffer};
use ggufkit_testkit::{Builder, Tensor};
use proptest::prelude::*;

const BYTES: [Algorithm; 5] =
    [Algorithm::Xxh64, Algorithm::Sha1, Algorithm::Sha256, Algorithm::Uuid, Algorithm::Blake3];

/// A file in memory.
struct File {
    bytes: Memory,
    head: HeadBuffer,
    index: Index,
}

struct Memory(Vec<u8>, Option<u64>);

impl ggufkit_format::ReadAt for Memory {
    type Error = std::io::Error;
    fn size(&self) -> Option<u64> {
        Some(self.0.len() as u64)
    }
    fn read_at(&self, buf: &mut [u8], offset: u64) -> std::io::Result<usize> {
        if self.1.is_some_and(|bad| (offset..offset + buf.len() as u64).contains(&bad)) {
            return Err(std::io::Error::other("a bad sector"));
        }
        let rest = self.0.get(offset as usize..).unwrap_or_default();
        let len = rest.len().min(buf.len());
        buf[..len].copy_from_slice(&rest[..len]);
        Ok(len)
    }
}

fn file(builder: &Builder) -> File {
    let bytes = Memory(builder.build().bytes().to_vec(), None);
    let mut head = HeadBuffer::new();
    let Outcome { index, .. } = head.read(&bytes, Options::new()).unwrap();
    File { bytes, head, index: index.unwrap() }
}

fn run(files: &[&File], request: Request<'_>, threads: usize) -> Hashes {
    let parts: Vec<Part<'_>> = files
        .iter()
        .map(|file| Part {
            view: View::new(&file.index, file.head.bytes()),
            source: &file.bytes as &DynSource,
        })
        .collect();
    let plan = Plan::new(&parts, request);
    let (size, read) = (plan.size(), AtomicU64::new(0));
    let hashes = plan.run(NonZeroUsize::new(threads).unwrap(), &|bytes| {
        read.fetch_add(bytes, Ordering::Relaxed);
    });
    assert_eq!(read.into_inner(), size);
    hashes
}

fn identity(files: &[&File]) -> Digest {
    let request = Request { whole: &[Algorithm::Identity], ..Request::default() };
    *run(files, request, 2).whole(Algorithm::Identity).unwrap()
}

fn plain(algorithm: Algorithm, bytes: &[u8]) -> Digest {
    let mut hasher = Hasher::new(algorithm).unwrap();
    hasher.update(bytes);
    hasher.finish()
}

const PIECE: u64 = 512 << 10;

/// Lengths around those at which pieces are cut.
fn tensors() -> impl Strategy<Value = Vec<Tensor>> {
    let length = prop_oneof![
        4 => Just(0), 8 => 1..300_u64, 1 => Just(PIECE), 1 => PIECE - 3..PIECE + 3, 1 => PIECE * 2..PIECE * 3
    ];
    prop::collection::vec((length, any::<u8>()), 0..7).prop_map(|all| {
        let tensor = |(n, (length, salt)): (usize, (u64, u8))| {
            let bytes: Vec<u8> = (0..length).map(|i| (i * 7 + i / 251) as u8 ^ salt).collect();
            Tensor::new(format!("t{n}"), 24, &[length]).data(bytes)
        };
        all.into_iter().enumerate().map(tensor).collect()
    })
}

fn with(builder: Builder, tensors: &[Tensor]) -> Builder {
    tensors.iter().fold(builder, |builder, tensor| builder.tensor(tensor.clone()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn digests_are_those_of_the_bytes_one_after_the_other(
        tensors in tensors(),
        layers in prop::sample::subsequence(BYTES.to_vec(), 0..=5),
        mut whole in prop::sample::subsequence(BYTES.to_vec(), 0..=5),
        identity in any::<bool>(), threads in 1..5_usize, cut in any::<prop::sample::Index>(),
    ) {
        if identity {
            whole.push(Algorithm::Identity);
        }
        let at = cut.index(tensors.len() + 1);
        let first = file(&with(Builder::new(), &tensors[..at]));
        let second = file(&with(Builder::new(), &tensors[at..]));
        let hashes = run(&[&first, &second], Request { layers: &layers, whole: &whole, only: None }, threads);
        prop_assert!(hashes.is_complete());
        let all: Vec<u8> = tensors.iter().flat_map(|tensor| tensor.data.clone()).collect();
        for algorithm in BYTES {
            let expected = whole.contains(&algorithm).then(|| plain(algorithm, &all));
            prop_assert_eq!(hashes.whole(algorithm).copied(), expected);
            for (n, tensor) in tensors.iter().enumerate() {
                let expected = layers.contains(&algorithm).then(|| plain(algorithm, &tensor.data));
                prop_assert_eq!(hashes.layer(n, algorithm).copied(), expected);
            }
        }
        prop_assert_eq!(hashes.whole(Algorithm::Identity).is_some(), identity);
    }

    #[test]
    fn the_identity_does_not_depend_on_the_file(tensors in tensors(), cut in any::<prop::sample::Index>(), turn in any::<prop::sample::Index>()) {
        let one = identity(&[&file(&with(Builder::new(), &tensors))]);
        let mut turned = tensors.clone();
        if !turned.is_empty() {
            let by = turn.index(turned.len());
            turned.rotate_left(by);
        }
        let other = Builder::new().version(2).kv("general.name", "other").alignment(64).final_padding(false);
        prop_assert_eq!(identity(&[&file(&with(other, &turned))]), one);
        let at = cut.index(turned.len() + 1);
        let first = file(&with(Builder::new().kv("split.no", 0_u16), &turned[..at]));
        let second = file(&with(Builder::new(), &turned[at..]));
        prop_assert_eq!(identity(&[&first, &second]), one);
        if let Some(tensor) = turned.iter_mut().find(|tensor| !tensor.data.is_empty()) {
            *tensor.data.last_mut().unwrap() ^= 1;
            prop_assert_ne!(identity(&[&file(&with(Builder::new(), &turned))]), one);
        }
    }
}

/// Large enough that pieces cut blocks in two.
#[test]
fn the_identity_does_not_depend_on_byte_order() {
    for (type_id, elements, block, numbers) in [
        (0, 300_000, 4, &[(0, 4)][..]),
        (28, 100_000, 8, &[(0, 8)]),
        (8, 32 * 40_000, 34, &[(0, 2)]),
        (14, 256 * 6_000, 210, &[(208, 2)]),
        (6, 32 * 50_000, 22, &[(0, 2), (2, 4)]),
        (39, 32 * 50_000, 17, &[]),
    ] {
        let size =
            elements / ggufkit_format::spec::TENSOR_TYPES[type_id as usize].block_elems as u64 * block as u64;
        let little: Vec<u8> = (0..size).map(|i| (i * 31 + i / 251) as u8).collect();
        let mut big = little.clone();
        for block in big.chunks_exact_mut(block) {
            numbers.iter().for_each(|(at, width): &(usize, usize)| block[*at..at + width].reverse());
        }
        let tensor = |bytes: Vec<u8>| Tensor::new("t", type_id, &[elements]).data(bytes);
        let small = |bytes: [u8; 4]| Tensor::f32("small", &[1]).data(bytes);
        let of = |builder: Builder, bytes: &[u8], one| {
            file(&builder.tensor(small(one)).tensor(tensor(bytes.to_vec())))
        };
        let little = of(Builder::new(), &little, [1, 2, 3, 4]);
        let big_order = of(Builder::new().big_endian(), &big, [4, 3, 2, 1]);
        assert_eq!(identity(&[&little]), identity(&[&big_order]), "{type_id}");
        // What is asked for beside it does not change it, and is of the bytes as they stand.
        let request = Request { layers: &BYTES, whole: &[Algorithm::Sha1, Algorithm::Identity], only: None };
        let hashes = run(&[&big_order], request, 3);
        assert_eq!(hashes.whole(Algorithm::Identity), Some(&identity(&[&little])));
        assert_eq!(hashes.layer(1, Algorithm::Blake3), Some(&plain(Algorithm::Blake3, &big)));
    }
}

/// The value was computed by a Python program from the words of docs/hashes.md alone, with a BLAKE3 written from its paper
/// (`tests/oracle/hashes.py`).
#[test]
fn the_identity_is_the_one_of_the_definition() {
    let tensors = [Tensor::f32("b", &[8, 1]).data([1; 32]), Tensor::f32("a", &[4, 2]).data([1; 32])];
    let found = identity(&[&file(&with(Builder::new(), &tensors))]);
    assert_eq!(found.to_string(), "db950d53326ccf4d3b49d23987bd693cb1e26e17500ed09df7b67e9938178f11");
}

#[test]
fn what_cannot_be_hashed_is_said_and_stands_in_for_nothing() {
    let bad = Builder::new()
        .tensor(Tensor::f32("good", &[8]))
        .tensor(Tensor::new("unknown", 156, &[8]))
        .tensor(Tensor::f32("again", &[2]).data([]).offset(16))
        .tensor(Tensor::f32("outside", &[8]).data([]).offset(1 << 40))
        .tensor(Tensor::new("removed", 4, &[32]))
        .tensor(Tensor::new("uneven", 2, &[7]));
    let file = file(&bad);
    let request =
        Request { layers: &[Algorithm::Sha1], whole: &[Algorithm::Sha1, Algorithm::Identity], only: None };
    let hashes = run(&[&file], request, 2);
    let codes: Vec<_> = hashes.entries.iter().map(|e| e.problem.as_ref().map(|p| p.code())).collect();
    assert_eq!(
        codes,
        [
            None,
            Some("unknown-size"),
            Some("overlapping-data"),
            Some("data-out-of-file"),
            Some("unknown-size"),
            Some("unknown-size")
        ]
    );
    assert!(hashes.layer(0, Algorithm::Sha1).is_some() && hashes.layer(2, Algorithm::Sha1).is_none());
    assert!(hashes.whole(Algorithm::Sha1).is_none() && hashes.whole(Algorithm::Identity).is_none());
}

#[test]
fn a_tensor_that_cannot_be_read_leaves_the_others() {
    let mut file = file(&Builder::new().tensor(Tensor::f32("a", &[8])).tensor(Tensor::f32("b", &[8])));
    file.bytes.1 = Some(file.bytes.0.len() as u64 - 1);
    for whole in [&[][..], &[Algorithm::Sha1, Algorithm::Blake3], &[Algorithm::Identity]] {
        let request = Request { layers: &[Algorithm::Sha1, Algorithm::Blake3], whole, only: None };
        let hashes = run(&[&file], request, 2);
        assert_eq!(hashes.entries[1].problem.as_ref().map(|p| p.code()), Some("io"));
        assert!(hashes.layer(0, Algorithm::Blake3).is_some() && hashes.layer(1, Algorithm::Blake3).is_none());
        assert!(whole.iter().all(|algorithm| hashes.whole(*algorithm).is_none()));
    }
}

#[test]
fn a_type_without_a_rule_has_no_identity_in_the_other_byte_order() {
    let tensor = || Tensor::new("t", 16, &[256]);
    let big = file(&Builder::new().big_endian().tensor(Tensor::f32("a", &[1])).tensor(tensor()));
    let request =
        Request { layers: &[Algorithm::Sha1], whole: &[Algorithm::Sha1, Algorithm::Identity], only: None };
    let hashes = run(&[&big], request, 1);
    assert_eq!((hashes.without_rule, hashes.whole(Algorithm::Identity)), (Some(1), None));
    assert!(hashes.whole(Algorithm::Sha1).is_some());
    let little = file(&Builder::new().tensor(tensor()));
    assert!(run(&[&little], request, 1).whole(Algorithm::Identity).is_some());
}

#[test]
fn only_what_is_asked_for_is_read() {
    let file = file(&Builder::new().tensor(Tensor::f32("a", &[8])).tensor(Tensor::f32("b", &[1024])));
    let only = |name: &[u8]| name == b"a";
    let request = Request { layers: &[Algorithm::Sha1], whole: &[], only: Some(&only) };
    let hashes = run(&[&file], request, 2);
    assert_eq!(hashes.entries.len(), 1);
    assert!(hashes.layer(0, Algorithm::Sha1).is_some());
}
