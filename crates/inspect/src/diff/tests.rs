//! Random documents with one random change: the diff names that change and nothing else.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use ggufkit_format::{ByteStr, Endian, Index, Options as Reading, View, parse};
use ggufkit_testkit::random::{self, Rng};
use ggufkit_testkit::{Builder, Kind, Tensor, Value};

use super::*;
use crate::Part;

fn read(bytes: &[u8]) -> Index {
    parse(bytes, Reading::new().with_size(Some(bytes.len() as u64))).into_result().unwrap()
}

fn part<'a>(index: &'a Index, bytes: &'a [u8]) -> Part<'a> {
    Part {
        label: ByteStr(b""),
        file_name: None,
        size: Some(bytes.len() as u64),
        view: View::new(index, bytes),
    }
}

/// What a diff of two files says, in words.
fn said(a: &[u8], b: &[u8], options: &Options<'_>) -> Vec<String> {
    let (index_a, index_b) = (read(a), read(b));
    let (a, b) = (part(&index_a, a), part(&index_b, b));
    words(&Diff::new(&Model::single(a), &Model::single(b), options))
}

fn words(diff: &Diff<'_>) -> Vec<String> {
    let mut out: Vec<String> = diff.header.iter().map(|one| format!("header {}", one.field)).collect();
    let key = |side: &Side<'_>, at: usize| side.kvs[at].name.display().to_string();
    let name = |side: &Side<'_>, at: usize| side.tensors[at].name.display().to_string();
    out.extend(diff.metadata.removed.iter().map(|at| format!("- {}", key(&diff.a, *at))));
    out.extend(diff.metadata.added.iter().map(|at| format!("+ {}", key(&diff.b, *at))));
    for one in &diff.metadata.changed {
        out.push(format!("{} {}", if one.retyped { "retyped" } else { "~" }, key(&diff.a, one.a)));
    }
    out.extend(diff.metadata.moved.iter().map(|pair| format!("moved {}", key(&diff.a, pair.0))));
    out.extend(diff.tensors.removed.iter().map(|at| format!("-t {}", name(&diff.a, *at))));
    out.extend(diff.tensors.added.iter().map(|at| format!("+t {}", name(&diff.b, *at))));
    for one in &diff.tensors.pairs {
        if one.retyped {
            out.push(format!("retyped t {}", name(&diff.a, one.a)));
        }
        if one.reshaped {
            out.push(format!("reshaped t {}", name(&diff.a, one.a)));
        }
    }
    out.extend(diff.tensors.moved.iter().map(|pair| format!("moved t {}", name(&diff.a, pair.0))));
    out.extend(diff.layout.files.map(|_| "files".to_owned()));
    out.extend(diff.layout.head.map(|_| "head".to_owned()));
    out.extend(diff.layout.offsets.iter().map(|one| format!("offset {}", name(&diff.a, one.a))));
    out.extend(diff.layout.gaps.iter().filter(|gap| gap.differs).map(|gap| format!("gap {:?}", gap.after)));
    out
}

fn build(kvs: &[(Vec<u8>, Value)], tensors: &[Tensor], endian: Endian) -> Vec<u8> {
    let with_kvs =
        kvs.iter().fold(Builder::new().endian(endian), |file, (key, value)| file.kv(key, value.clone()));
    tensors.iter().cloned().fold(with_kvs, Builder::tensor).bytes()
}

#[test]
fn one_change_is_named_and_nothing_else() {
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let endian = [Endian::Little, Endian::Big][rng.index(2)];
        let document = random::document(seed, endian);
        let (mut kvs, mut tensors) = (document.kvs().to_vec(), document.tensors().to_vec());
        let before = build(&kvs, &tensors, endian);
        assert_eq!(said(&before, &before, &Options::ALL), Vec::<String>::new());
        let (at, of) = (rng.index(kvs.len()), rng.index(tensors.len()));
        let text = |bytes: &[u8]| ByteStr(bytes).display().to_string();
        let (key, name) = (text(&kvs[at].0), text(&tensors[of].name));
        let expected = match rng.below(9) {
            0 => {
                kvs.remove(at);
                format!("- {key}")
            }
            1 => {
                kvs.insert(at, (b"new".to_vec(), random::value(&mut rng, Kind::I64)));
                "+ new".to_owned()
            }
            2 => {
                let old = kvs[at].1.clone();
                kvs[at].1 = match &old {
                    Value::String(_) => Value::String(b"another text, longer than any".to_vec()),
                    Value::Bool(byte) => Value::Bool(byte ^ 1),
                    Value::U8(v) => Value::U8(v.wrapping_add(1)),
                    Value::F32(v) => Value::F32(f32::from_bits(v.to_bits() ^ 1)),
                    Value::F64(v) => Value::F64(f64::from_bits(v.to_bits() ^ 1)),
                    Value::Array(kind, items) => {
                        let mut items = items.clone();
                        items.push(random::value(&mut rng, *kind));
                        Value::Array(*kind, items)
                    }
                    _ => continue,
                };
                format!("~ {key}")
            }
            3 => {
                // The same number in another type is another type.
                let Value::U32(number) = kvs[at].1 else { continue };
                kvs[at].1 = Value::U64(number.into());
                format!("retyped {key}")
            }
            4 if at + 2 < kvs.len() => {
                let kv = kvs.remove(at);
                kvs.push(kv);
                format!("moved {key}")
            }
            5 => {
                tensors.remove(of);
                format!("-t {name}")
            }
            6 => {
                tensors.insert(of, Tensor::f32("new", &[3]));
                "+t new".to_owned()
            }
            7 if of + 2 < tensors.len() => {
                let tensor = tensors.remove(of);
                tensors.push(tensor);
                format!("moved t {name}")
            }
            8 => {
                tensors[of].dims.push(1);
                format!("reshaped t {name}")
            }
            _ => continue,
        };
        let after = build(&kvs, &tensors, endian);
        assert_eq!(said(&before, &after, &Options::ALL), [expected], "seed {seed}");
    }
}

#[test]
fn values_are_compared_across_byte_orders_and_versions() {
    for seed in 0..20 {
        let document = random::document(seed, Endian::Little);
        let (little, big) = (document.bytes(), document.clone().big_endian().bytes());
        assert_eq!(said(&little, &big, &Options::ALL), ["header endian"], "seed {seed}");
        assert!(said(&little, &big, &Options { semantic: true, ..Options::ALL }).is_empty());
        let first = document.version(1).bytes();
        assert_eq!(said(&little, &first, &Options::ALL), ["header version"], "seed {seed}");
    }
}

#[test]
fn numbers_that_are_none_are_compared_by_their_bits() {
    let file = |bits| Builder::new().kv("nan", f32::from_bits(bits)).bytes();
    assert!(said(&file(0x7fc0_0000), &file(0x7fc0_0000), &Options::ALL).is_empty());
    assert_eq!(said(&file(0x7fc0_0000), &file(0x7fc0_0001), &Options::ALL), ["~ nan"]);
    assert_eq!(said(&file(0), &file(0x8000_0000), &Options::ALL), ["~ nan"]);
}

#[test]
fn repeated_keys_are_paired_in_their_order() {
    let file = |numbers: &[u32]| numbers.iter().fold(Builder::new(), |file, n| file.kv("k", *n)).bytes();
    assert!(said(&file(&[1, 2]), &file(&[1, 2]), &Options::ALL).is_empty());
    assert_eq!(said(&file(&[1, 2]), &file(&[2, 1]), &Options::ALL), ["~ k", "~ k"]);
    assert_eq!(said(&file(&[1, 2, 3]), &file(&[1]), &Options::ALL), ["- k", "- k"]);
    let (one, two) = (file(&[1]), file(&[1, 1]));
    let (index_a, index_b) = (read(&one), read(&two));
    let diff =
        Diff::new(&Model::single(part(&index_a, &one)), &Model::single(part(&index_b, &two)), &Options::ALL);
    assert_eq!(diff.metadata.duplicated, [Duplicated { a: Some(0), b: Some(0), count_a: 1, count_b: 2 }]);
    assert_eq!(diff.b.kvs[1].occurrence, 1);
}

#[test]
fn a_layout_that_follows_from_the_table_is_no_difference_and_another_is() {
    let three = |middle: u64| {
        Builder::new()
            .tensor(Tensor::f32("a", &[3]))
            .tensor(Tensor::f32("b", &[middle]))
            .tensor(Tensor::f32("c", &[3]))
    };
    // Offsets of `c` differ because `b` is longer.
    assert_eq!(said(&three(3).bytes(), &three(64).bytes(), &Options::ALL), ["reshaped t b"]);
    let at =
        |offset| Builder::new().tensor(Tensor::f32("a", &[3])).tensor(Tensor::f32("b", &[3]).offset(offset));
    let found = said(&at(32).bytes(), &at(96).bytes(), &Options::ALL);
    assert_eq!(found, ["offset b", "gap Tensor(0)"]);
    assert_eq!(
        said(&three(3).bytes(), &three(3).final_padding(false).bytes(), &Options::ALL),
        ["gap End(0)"]
    );
    assert_eq!(said(&three(3).bytes(), &three(3).trailing(*b"x").bytes(), &Options::ALL), ["gap End(0)"]);
    let semantic = Options { semantic: true, ..Options::ALL };
    assert!(said(&at(32).bytes(), &at(96).bytes(), &semantic).is_empty());
}

#[test]
fn arrays_say_what_was_put_in_taken_out_or_replaced() {
    let array = |words: &[&str]| Builder::new().kv("k", words.to_vec()).bytes();
    let found = |a: &[&str], b: &[&str]| {
        let (a, b) = (array(a), array(b));
        let (index_a, index_b) = (read(&a), read(&b));
        let value = |index, bytes| View::new(index, bytes).get("k").unwrap().as_array().unwrap();
        ArrayDiff::of(value(&index_a, &a), value(&index_b, &b))
    };
    let run = |at_a, len_a, at_b, len_b| Run { at_a, len_a, at_b, len_b };
    assert_eq!(found(&["a", "b", "c"], &["a", "x", "c"]), ArrayDiff::Positions { differing: 1 });
    assert_eq!(found(&["a", "b"], &["a", "x", "y", "b"]), ArrayDiff::Runs(vec![run(1, 0, 1, 2)]));
    assert_eq!(found(&["a", "b", "c"], &["c"]), ArrayDiff::Runs(vec![run(0, 2, 0, 0)]));
    assert_eq!(found(&["a", "a"], &["a"]), ArrayDiff::Runs(vec![run(1, 1, 1, 0)]));
    assert_eq!(
        found(&["a", "b", "c", "d", "e"], &["x", "b", "c", "d", "y", "z"]),
        ArrayDiff::Runs(vec![run(0, 1, 0, 1), run(4, 1, 4, 2)])
    );
}

#[test]
fn texts_are_compared_line_by_line_and_the_work_is_bounded() {
    let (a, b) = ("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n");
    let hunk = Hunk {
        a: (2, 7),
        b: (2, 7),
        lines: [
            ["2", "3", "4"].map(Line::Both).as_slice(),
            &[Line::Old("5"), Line::New("five")],
            &["6", "7", "8"].map(Line::Both),
        ]
        .concat(),
    };
    let mut work = 100;
    let diff = TextDiff::of(a, b, &mut work);
    assert_eq!(diff, TextDiff { lines_a: 9, lines_b: 9, hunks: vec![hunk] });
    assert_eq!(work, 99);
    // Where the work does not suffice the same lines are said to differ, only less finely.
    let (a, b) = ("x\nb\ny\n", "1\nb\n2\n");
    let lines = |work: u64| TextDiff::of(a, b, &mut { work }).hunks.into_iter().flat_map(|hunk| hunk.lines);
    assert!(lines(9).any(|line| line == Line::Both("b")));
    assert!(lines(8).all(|line| line != Line::Both("b")));
}

#[test]
fn as_few_as_possible_are_said_to_have_moved() {
    assert_eq!(still(&[]), Vec::<bool>::new());
    assert_eq!(still(&[3, 0, 1, 2]), [false, true, true, true]);
    assert_eq!(still(&[1, 2, 3, 0]), [true, true, true, false]);
}

#[test]
fn a_million_keys_and_repeated_names_are_compared_quickly() {
    let many = |n: u32, name: &dyn Fn(u32) -> String| {
        (0..n).fold(Builder::new(), |file, i| file.kv(name(i), i)).bytes()
    };
    let start = std::time::Instant::now();
    let (same, other) = (many(40_000, &|_| "k".to_owned()), many(40_000, &|i| format!("k{}", i ^ 1)));
    assert_eq!(said(&same, &other, &Options::ALL).len(), 80_000);
    let ordered = many(40_000, &|i| format!("k{i}"));
    // Neighbours change places: half of them can stay.
    let found = said(&ordered, &other, &Options::ALL);
    assert_eq!(found.iter().filter(|word| word.starts_with("moved")).count(), 20_000);
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn a_set_of_shards_is_one_model() {
    let whole = Builder::new()
        .kv("a", 1_u32)
        .kv("b", 2_u32)
        .tensor(Tensor::f32("t", &[8]))
        .tensor(Tensor::f32("u", &[8]));
    let first = Builder::new()
        .kv("a", 1_u32)
        .kv("b", 2_u32)
        .kv("split.no", Value::U16(0))
        .kv("split.count", Value::U16(2))
        .tensor(Tensor::f32("t", &[8]));
    let second = Builder::new()
        .kv("split.no", Value::U16(1))
        .kv("split.count", Value::U16(2))
        .kv("a", 1_u32)
        .tensor(Tensor::f32("u", &[8]));
    let files = [whole.bytes(), first.bytes(), second.bytes()];
    let indices: Vec<Index> = files.iter().map(|bytes| read(bytes)).collect();
    let parts: Vec<Part<'_>> = indices.iter().zip(&files).map(|(index, bytes)| part(index, bytes)).collect();
    let set = Model::of_shards(&parts[1..]).unwrap();
    assert_eq!(words(&Diff::new(&Model::single(parts[0]), &set, &Options::ALL)), ["files"]);
    let semantic = Options { semantic: true, ..Options::ALL };
    assert!(words(&Diff::new(&Model::single(parts[0]), &set, &semantic)).is_empty());
    assert!(words(&Diff::new(&set, &set, &Options::ALL)).is_empty());
}

#[test]
fn what_is_ignored_is_counted_and_not_compared() {
    let file =
        |n: u32| Builder::new().kv("a", n).kv("b", 1_u32).tensor(Tensor::f32("t", &[u64::from(n)])).bytes();
    let ignore = |name: &[u8]| name == b"a" || name == b"t";
    let options = Options { ignore: Some(&ignore), ..Options::ALL };
    let (a, b) = (file(3), file(30));
    assert!(said(&a, &b, &options).is_empty());
    let (index_a, index_b) = (read(&a), read(&b));
    let diff = Diff::new(&Model::single(part(&index_a, &a)), &Model::single(part(&index_b, &b)), &options);
    assert_eq!((diff.a.ignored_kvs, diff.b.ignored_tensors), (1, 1));
}

#[test]
fn room_in_the_head_is_told_and_is_no_difference() {
    let file = |room: &str, name: &str| {
        let file = Builder::new().kv("general.name", name).kv("general.padding", room);
        file.kv("last", 1_u8).tensor(Tensor::f32("t", &[3])).bytes()
    };
    let none = Builder::new().kv("general.name", "x").kv("last", 1_u8).tensor(Tensor::f32("t", &[3])).bytes();
    let roomy = file(&" ".repeat(400), "x");
    let rooms = |a: &[u8], b: &[u8]| {
        let (index_a, index_b) = (read(a), read(b));
        let (a, b) = (part(&index_a, a), part(&index_b, b));
        Diff::new(&Model::single(a), &Model::single(b), &Options::ALL).room()
    };
    for (a, b, room) in
        [(&none, &roomy, Some((0, 400))), (&roomy, &none, Some((400, 0))), (&roomy, &roomy, None)]
    {
        assert!(said(a, b, &Options::ALL).is_empty());
        assert_eq!(rooms(a, b), room);
    }
    assert_eq!(said(&none, &file("  ", "y"), &Options::ALL), ["~ general.name"]);
    // Asked for, and where the key says something, it is a key as others.
    let exact = Options { exact: true, ..Options::ALL };
    assert_eq!(said(&none, &roomy, &exact), ["+ general.padding"]);
    assert_eq!(said(&none, &file("words", "x"), &Options::ALL), ["+ general.padding"]);
}
