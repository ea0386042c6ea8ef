//! Patches: what is applied of the diff of two files to the first makes the second's metadata, byte for byte where the tensors
//! are the same.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use ggufkit_edit::patch::Patch;
use ggufkit_edit::{Document, Operation};
use ggufkit_format::{ByteStr, Endian, Index, Options as Reading, View, parse};
use ggufkit_inspect::diff::{Diff, Options};
use ggufkit_inspect::{Model, Part};
use ggufkit_testkit::random::{self, Rng};
use ggufkit_testkit::{Builder, Kind, Tensor, Value};

fn read(bytes: &[u8]) -> Index {
    parse(bytes, Reading::new().with_size(Some(bytes.len() as u64))).into_result().unwrap()
}

fn diffed<T>(a: &[u8], b: &[u8], then: impl FnOnce(Diff<'_>) -> T) -> T {
    let (index_a, index_b) = (read(a), read(b));
    let (size_a, size_b) = (Some(a.len() as u64), Some(b.len() as u64));
    let model = |view, size| Model::single(Part { label: ByteStr(b""), file_name: None, size, view });
    let (model_a, model_b) = (model(View::new(&index_a, a), size_a), model(View::new(&index_b, b), size_b));
    then(Diff::new(&model_a, &model_b, &Options::ALL))
}

fn patch(a: &[u8], b: &[u8]) -> Patch {
    diffed(a, b, |diff| Patch::of(&diff))
}

fn applied(a: &[u8], operations: &[Operation]) -> Vec<u8> {
    let index = read(a);
    let mut document = Document::of(View::new(&index, a), a.len() as u64).unwrap();
    for operation in operations {
        operation.apply(&mut document).unwrap_or_else(|error| panic!("{operation:?}: {error}"));
    }
    document.plan().unwrap().render(a).unwrap()
}

/// The metadata that a file has, record by record.
fn records(bytes: &[u8]) -> Vec<Vec<u8>> {
    let index = read(bytes);
    index.kvs().iter().map(|kv| kv.span.slice(bytes, 0).unwrap().to_vec()).collect()
}

fn build(kvs: &[(Vec<u8>, Value)], endian: Endian) -> Vec<u8> {
    let file =
        kvs.iter().fold(Builder::new().endian(endian), |file, (key, value)| file.kv(key, value.clone()));
    file.tensor(Tensor::f32("t", &[64])).tensor(Tensor::f32("u", &[3])).bytes()
}

/// Makes of numbers that are none the one that JSON has a word for.
fn plain(value: &mut Value) {
    match value {
        Value::F32(v) if v.is_nan() => *v = f32::NAN,
        Value::F64(v) if v.is_nan() => *v = f64::NAN,
        Value::Array(_, items) => items.iter_mut().for_each(plain),
        _ => {}
    }
}

#[test]
fn what_a_patch_makes_is_the_other_file() {
    for seed in 0..200 {
        let mut rng = Rng::new(seed);
        let endian = [Endian::Little, Endian::Big][rng.index(2)];
        let mut kvs = random::key_values(&mut rng, Builder::new()).kvs().to_vec();
        kvs.push((b"nested".to_vec(), Value::nested(vec![vec![1_u8].into(), vec!["a", "b"].into()])));
        kvs.push((b"long".to_vec(), (0..5000_u32).collect::<Vec<_>>().into()));
        kvs.iter_mut().for_each(|(_, value)| plain(value));
        let a = build(&kvs, endian);
        for _ in 0..rng.below(12) {
            let at = rng.index(kvs.len());
            match rng.below(6) {
                0 => drop(kvs.remove(at)),
                1 => {
                    let kind = Kind::ALL[rng.index(13)];
                    let mut value = random::value(&mut rng, kind);
                    plain(&mut value);
                    kvs.insert(at, (format!("new [{}]*", rng.next_u64()).into_bytes(), value));
                }
                2 => {
                    let kind = Kind::ALL[rng.index(13)];
                    kvs[at].1 = random::value(&mut rng, kind);
                    plain(&mut kvs[at].1);
                }
                3 => {
                    let kv = kvs.remove(at);
                    let to = rng.index(kvs.len() + 1);
                    kvs.insert(to, kv);
                }
                4 => {
                    let Some((_, Value::Array(_, items))) = kvs.iter_mut().find(|kv| kv.0 == b"long") else {
                        continue;
                    };
                    for _ in 0..rng.below(5) {
                        let place = rng.index(items.len());
                        items[place] = random::value(&mut rng, Kind::U32);
                    }
                }
                _ => kvs.reverse(),
            }
        }
        let b = build(&kvs, endian);
        let patch = patch(&a, &b);
        assert_eq!(patch.left, [], "seed {seed}");
        let made = applied(&a, &patch.operations);
        assert_eq!(records(&made), records(&b), "seed {seed}");
        assert_eq!(made, b, "seed {seed}");
        assert!(diffed(&a, &a, |diff| Patch::of(&diff)).operations.is_empty());
    }
}

#[test]
fn few_elements_of_a_long_array_are_changed_one_by_one_and_guarded() {
    let file = |change: &[(usize, u32)]| {
        let mut list: Vec<u32> = (0..1000).collect();
        change.iter().for_each(|(at, to)| list[*at] = *to);
        Builder::new().kv("list", list).bytes()
    };
    let (a, b) = (file(&[]), file(&[(7, 1), (900, 2)]));
    let patch = patch(&a, &b);
    assert_eq!(patch.operations.len(), 4);
    assert_eq!(applied(&a, &patch.operations), b);
    // Of another file, it is refused.
    let other = file(&[(900, 5)]);
    let index = read(&other);
    let mut document = Document::of(View::new(&index, &other), other.len() as u64).unwrap();
    assert!(patch.operations.iter().any(|operation| operation.apply(&mut document).is_err()));
}

#[test]
fn keys_that_were_there_twice_and_the_alignment_come_out_right() {
    let tensors = |file: Builder| file.tensor(Tensor::f32("t", &[3])).tensor(Tensor::f32("u", &[3])).bytes();
    for (a, b) in [
        (
            Builder::new().kv("k", 1_u8).kv("x", 0_u8).kv("k", 2_u8).kv("y", 0_u8),
            Builder::new().kv("x", 0_u8).kv("k", 2_u8).kv("y", 0_u8),
        ),
        (
            Builder::new().kv("x", 0_u8).kv("y", 1_u8),
            Builder::new().kv("x", 0_u8).alignment(64).kv("y", 1_u8),
        ),
        (Builder::new().alignment(64).kv("y", 1_u8), Builder::new().kv("y", 1_u8)),
        (
            Builder::new().kv("general.alignment", 32_u64).kv("y", 1_u8),
            Builder::new().alignment(32).kv("y", 1_u8),
        ),
    ] {
        let (a, b) = (tensors(a), tensors(b));
        let patch = patch(&a, &b);
        assert_eq!(patch.left, []);
        assert_eq!(records(&applied(&a, &patch.operations)), records(&b));
    }
}

#[test]
fn tensors_are_renamed_dropped_and_moved_and_what_cannot_be_said_is_left() {
    let tensor = |name: &str, seed: u8| Tensor::f32(name, &[8]).data(vec![seed; 32]);
    let file = |names: &[(&str, u8)]| {
        names.iter().fold(Builder::new(), |file, (name, seed)| file.tensor(tensor(name, *seed))).bytes()
    };
    let a = file(&[("a", 1), ("b", 2), ("c", 3), ("d", 4)]);
    let b = file(&[("c", 3), ("x", 2), ("a", 1)]);
    let patch = diffed(&a, &b, |mut diff| {
        diff.tensors.rename(vec![(1, 1)]);
        Patch::of(&diff)
    });
    assert_eq!(patch.left, []);
    assert_eq!(applied(&a, &patch.operations), b);
    let twice = Builder::new().kv("k", 1_u8).kv("k", 2_u8).tensor(tensor("new", 1)).bytes();
    let left: Vec<&str> = self::patch(&a, &twice).left.iter().map(|left| left.what).collect();
    assert_eq!(left, ["keys that are there more than once", "tensors that are new"]);
}
