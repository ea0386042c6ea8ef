//! Operations on documents. What they make is held against files that the test kit writes of the same changes, byte for
//! byte; what the padding of a head does, against arithmetic.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use ggufkit_edit::{Document, Element, Given, NewValue, Operation, OperationError};
use ggufkit_format::spec::{KeyType, ValueType};
use ggufkit_format::{Endian, Index, Options, Plan, Scalar, Shift, View, parse};
use ggufkit_testkit::random::{self, Rng};
use ggufkit_testkit::{Builder, Kind, Tensor, Value};

const BLOCK: u64 = 4096;

fn read(bytes: &[u8]) -> Index {
    parse(bytes, Options::new().with_size(Some(bytes.len() as u64))).into_result().unwrap()
}

fn planned(bytes: &[u8], change: impl FnOnce(&mut Document<'_>)) -> Plan {
    let index = read(bytes);
    let mut document = Document::of(View::new(&index, bytes), bytes.len() as u64).unwrap();
    change(&mut document);
    document.plan().unwrap()
}

fn made(bytes: &[u8], change: impl FnOnce(&mut Document<'_>)) -> Vec<u8> {
    planned(bytes, change).render(bytes).unwrap()
}

fn apply(bytes: &[u8], operation: &Operation) -> Result<Vec<u8>, OperationError> {
    let index = read(bytes);
    let mut document = Document::of(View::new(&index, bytes), bytes.len() as u64).unwrap();
    operation.apply(&mut document)?;
    Ok(document.plan().unwrap().render(bytes).unwrap())
}

/// The same value for the code under test.
fn new(value: &Value) -> NewValue {
    let ty = |kind: Kind| ValueType(kind.id(ggufkit_format::dialect::TypeIds::Standard));
    match value {
        Value::U8(v) => NewValue::Scalar(Scalar::U8(*v)),
        Value::I8(v) => NewValue::Scalar(Scalar::I8(*v)),
        Value::U16(v) => NewValue::Scalar(Scalar::U16(*v)),
        Value::I16(v) => NewValue::Scalar(Scalar::I16(*v)),
        Value::U32(v) => NewValue::Scalar(Scalar::U32(*v)),
        Value::I32(v) => NewValue::Scalar(Scalar::I32(*v)),
        Value::F32(v) => NewValue::Scalar(Scalar::F32(*v)),
        Value::Bool(v) => NewValue::Scalar(Scalar::Bool(*v)),
        Value::U64(v) => NewValue::Scalar(Scalar::U64(*v)),
        Value::I64(v) => NewValue::Scalar(Scalar::I64(*v)),
        Value::F64(v) => NewValue::Scalar(Scalar::F64(*v)),
        Value::String(bytes) => NewValue::String(bytes.clone()),
        Value::Array(kind, items) => NewValue::Array(ty(*kind), items.iter().map(new).collect()),
        other => panic!("{other:?} cannot be written"),
    }
}

/// What the file is to be, as the test kit writes it.
struct Mirror {
    kvs: Vec<(Vec<u8>, Value)>,
    tensors: Vec<Tensor>,
    alignment: u64,
}

impl Mirror {
    fn build(&self, endian: Endian) -> Vec<u8> {
        let mut builder = Builder::new().endian(endian).layout_alignment(self.alignment);
        for (key, value) in &self.kvs {
            builder = builder.kv(key, value.clone());
        }
        for tensor in &self.tensors {
            builder = builder.tensor(tensor.clone());
        }
        builder.build().into_bytes()
    }

    /// One random change, to the document and to what it is held against.
    fn change(&mut self, rng: &mut Rng, document: &mut Document<'_>) {
        let at = rng.index(self.kvs.len());
        let numbers: Vec<u64> = document.kv_order().collect();
        let number = numbers[at];
        match rng.below(9) {
            0 | 1 => {
                let kind = Kind::ALL[rng.index(13)];
                let value = random::value(rng, kind);
                document.set_value(number, new(&value)).unwrap();
                self.kvs[at].1 = value;
            }
            2 => {
                let kind = Kind::ALL[rng.index(13)];
                let value = random::value(rng, kind);
                let key = format!("new.{}", rng.next_u64()).into_bytes();
                document.add(&key, new(&value)).unwrap();
                self.kvs.push((key, value));
            }
            3 => {
                document.remove(number).unwrap();
                self.kvs.remove(at);
            }
            4 => {
                let to = rng.index(self.kvs.len());
                let before = numbers[to];
                document.move_kv(number, Some(before)).unwrap();
                if to != at {
                    let kv = self.kvs.remove(at);
                    self.kvs.insert(if to > at { to - 1 } else { to }, kv);
                }
            }
            5 => {
                let key = format!("renamed.{}", rng.next_u64()).into_bytes();
                document.set_key(number, &key).unwrap();
                self.kvs[at].0 = key;
            }
            6 => {
                if let Value::Array(kind, items) = &mut self.kvs[at].1
                    && !items.is_empty()
                {
                    let place = rng.index(items.len());
                    let value = random::value(rng, *kind);
                    if let (Value::Array(..), _) | (_, Kind::Array) = (&value, *kind) {
                        return;
                    }
                    document.set_element(number, place as u64, new(&value)).unwrap();
                    items[place] = value;
                }
            }
            7 => {
                let at = rng.index(self.tensors.len());
                let name = self.tensors[at].name.clone();
                let number = document.find_tensors(&name)[0];
                if rng.below(2) == 0 {
                    document.remove_tensor(number).unwrap();
                    self.tensors.remove(at);
                } else {
                    document.set_name(number, &[&name[..], b".new"].concat()).unwrap();
                    self.tensors[at].name.extend(b".new");
                }
            }
            _ => {
                let (from, to) = (rng.index(self.tensors.len()), rng.index(self.tensors.len()));
                let number = |at: usize| document.find_tensors(&self.tensors[at].name)[0];
                let (moved, before) = (number(from), number(to));
                if from != to {
                    document.move_tensor(moved, Some(before)).unwrap();
                    let tensor = self.tensors.remove(from);
                    self.tensors.insert(if to > from { to - 1 } else { to }, tensor);
                }
            }
        }
    }
}

#[test]
fn changes_make_the_file_that_is_written_with_them() {
    for seed in 0..60 {
        let endian = if seed % 2 == 0 { Endian::Little } else { Endian::Big };
        let written = random::document(seed, endian);
        let mut rng = Rng::new(seed ^ 0xabcd);
        let mut mirror =
            Mirror { kvs: written.kvs().to_vec(), tensors: written.tensors().to_vec(), alignment: 32 };
        let source = written.build().into_bytes();
        assert_eq!(source, mirror.build(endian), "{seed}: the test's own files");
        let result = made(&source, |document| {
            for _ in 0..rng.below(12) {
                mirror.change(&mut rng, document);
            }
        });
        let expected = mirror.build(endian);
        assert!(result == expected, "{seed}: {} bytes, {} expected", result.len(), expected.len());
    }
}

/// A model with so many bytes in a text before its tensors.
fn model(filler: usize, alignment: u32) -> Builder {
    let mut builder = Builder::new()
        .kv("general.architecture", Value::String(b"llama".to_vec()))
        .kv("general.name", Value::String(vec![b'x'; filler]))
        .kv("llama.context_length", Value::U32(2048));
    if alignment != 32 {
        builder = builder.alignment(alignment);
    }
    for name in ["a", "b", "c"] {
        builder = builder.tensor(Tensor::f32(name, &[40, 30]));
    }
    builder
}

fn name(text: usize) -> Operation {
    let value = Given::Text("y".repeat(text));
    Operation::Set { key: b"general.name".to_vec(), element: None, ty: None, value }
}

#[test]
fn a_head_that_changes_leaves_the_data_or_moves_it_by_whole_blocks() {
    for alignment in [8, 32, 4096, 8192] {
        let source = model(9000, alignment).build().into_bytes();
        let size = source.len() as u64;
        let start = read(&source).data_start().unwrap();
        let step = BLOCK.max(alignment.into());
        for text in (0..20_000).step_by(97).chain(8960..9040) {
            let plan = planned(&source, |document| {
                name(text).apply(document).unwrap();
                document.fit(Some(BLOCK), 0).unwrap();
            });
            let result = plan.render(&source).unwrap();
            let index = read(&result);
            let moved = index.data_start().unwrap().abs_diff(start);
            assert_eq!(moved % step, 0, "{alignment}, {text}");
            // A record of padding has 35 bytes at least; with 20 bytes for an alignment, and one block to spare.
            let least = (text as u64).saturating_sub(9000);
            assert!(moved <= least.next_multiple_of(step) + step, "{alignment}, {text}: moved by {moved}");
            let how = plan.in_place(size, Some(BLOCK), 1 << 20).expect("in place");
            match how.shift {
                None => assert_eq!(moved, 0),
                Some(Shift::Insert(span) | Shift::Remove(span)) => assert_eq!(moved, span.len),
            }
            // The data is where the table says that it is, and the same.
            let (old, view) = (read(&source), View::new(&index, &result));
            for (new, tensor) in index.tensors().iter().zip(old.tensors()) {
                assert_eq!(new.offset, tensor.offset);
                let of = |index: &Index, tensor, bytes: &[u8]| {
                    index.data_span(tensor).unwrap().slice(bytes, 0).unwrap().to_vec()
                };
                assert_eq!(of(&index, new, &result), of(&old, tensor, &source));
            }
            assert_eq!(view.get("general.name").unwrap().as_str().unwrap().len(), text);
        }
    }
}

#[test]
fn room_that_was_reserved_is_used_and_kept_up() {
    let source = model(100, 32).build().into_bytes();
    let roomy = made(&source, |document| document.fit(Some(BLOCK), 50_000).unwrap());
    let index = read(&roomy);
    let padding = View::new(&index, &roomy).get("general.padding").unwrap().as_bytes().unwrap().to_vec();
    assert!((50_000..50_000 + BLOCK as usize).contains(&padding.len()), "{}", padding.len());
    assert!(padding.iter().all(|&byte| byte == b' '));
    // Half of it is used without any data being moved, with and without blocks.
    for block in [Some(BLOCK), None] {
        let plan = planned(&roomy, |document| {
            name(25_000).apply(document).unwrap();
            document.fit(block, 0).unwrap();
        });
        let how = plan.in_place(roomy.len() as u64, Some(BLOCK), 1 << 20).unwrap();
        assert_eq!((how.shift, plan.len()), (None, roomy.len() as u64));
        let result = plan.render(&roomy).unwrap();
        let index = read(&result);
        let left = View::new(&index, &result).get("general.padding").unwrap().as_bytes().unwrap().len();
        assert_eq!(left, padding.len() - (25_000 - 100));
    }
    // What becomes shorter leaves the room as it was, and more of it.
    let plan = planned(&roomy, |document| {
        name(0).apply(document).unwrap();
        document.fit(Some(BLOCK), 0).unwrap();
    });
    assert_eq!(plan.len(), roomy.len() as u64);
    // Without blocks a file that outgrows its room is written anew, and what follows the head with it.
    let grown = made(&roomy, |document| {
        name(60_000).apply(document).unwrap();
        document.fit(None, 0).unwrap();
    });
    assert!(read(&grown).is_complete());
    // Another editor's padding is used as well.
    let other = model(100, 32).kv("chisel.pad", Value::String(vec![0; 300])).build().into_bytes();
    let used = planned(&other, |document| {
        name(200).apply(document).unwrap();
        document.fit(Some(BLOCK), 0).unwrap();
    });
    assert_eq!(used.len(), other.len() as u64);
    assert!(
        View::new(&read(&used.render(&other).unwrap()), &used.render(&other).unwrap())
            .get("general.padding")
            .is_none()
    );
}

fn vocabulary() -> Vec<u8> {
    let text = |text: &str| Value::String(text.into());
    let tokens = ["<s>", "</s>", "[INST]", "a", "a"].map(text).to_vec();
    Builder::new()
        .kv("general.architecture", Value::String(b"llama".to_vec()))
        .kv("general.file_type", Value::U32(0))
        .kv("tokenizer.ggml.tokens", Value::Array(Kind::String, tokens))
        .kv("tokenizer.ggml.token_type", Value::Array(Kind::I32, vec![Value::I32(1); 5]))
        .kv("twice", Value::U8(1))
        .kv("twice", Value::U8(2))
        .build()
        .into_bytes()
}

fn set(key: &str, element: Option<Element>, ty: Option<KeyType>, value: &str) -> Operation {
    Operation::Set { key: key.into(), element, ty, value: Given::Text(value.to_owned()) }
}

#[test]
fn numbers_are_given_by_their_names_and_tokens_by_their_text() {
    let source = vocabulary();
    for (operation, key, expected) in [
        (
            set("tokenizer.ggml.eos_token_id", None, None, "</s>"),
            "tokenizer.ggml.eos_token_id",
            Scalar::U32(1),
        ),
        (set("tokenizer.ggml.eos_token_id", None, None, "2"), "tokenizer.ggml.eos_token_id", Scalar::U32(2)),
        (set("general.file_type", None, None, "Q4_K_M"), "general.file_type", Scalar::U32(15)),
    ] {
        let result = apply(&source, &operation).unwrap();
        let index = read(&result);
        let value = View::new(&index, &result).get(key).unwrap();
        assert!(matches!(value, ggufkit_format::Value::Scalar(is) if is == expected), "{key}: {value:?}");
    }
    let by_token = Some(Element::Token(b"[INST]".to_vec()));
    let result = apply(&source, &set("tokenizer.ggml.token_type", by_token, None, "CONTROL")).unwrap();
    let index = read(&result);
    let types = View::new(&index, &result).get("tokenizer.ggml.token_type").unwrap().as_array().unwrap();
    let types: Vec<_> = types.iter().map(|value| format!("{value:?}")).collect();
    assert_eq!(types[2], format!("{:?}", ggufkit_format::Value::Scalar(Scalar::I32(3))));
    assert!(types.iter().enumerate().all(|(at, one)| at == 2 || *one == types[0]));
}

#[test]
fn what_cannot_be_done_is_refused_in_words() {
    let source = vocabulary();
    let by_token = |text: &str| Some(Element::Token(text.into()));
    for (operation, told) in [
        (set("some.key", None, None, "1"), "some.key is a key that is not known, so its type has to be said"),
        (set("twice", None, None, "1"), "twice is there 2 times: which one is meant cannot be told"),
        (set("tokenizer.ggml.eos_token_id", None, None, "<x>"), "the vocabulary has no token <x>"),
        (set("tokenizer.ggml.eos_token_id", None, None, "a"), "the vocabulary has the token a 2 times"),
        (
            set("tokenizer.ggml.tokens", Some(Element::At(5)), None, "x"),
            "tokenizer.ggml.tokens has 5 elements, from [0] on, and no [5]",
        ),
        (
            set("tokenizer.ggml.token_type", by_token("[INST]"), None, "SOME"),
            "tokenizer.ggml.token_type: \"SOME\" is not an i32",
        ),
        (set("general.architecture", Some(Element::At(0)), None, "x"), "general.architecture is no array"),
        (set("general.alignment", None, None, "0"), "an alignment is a whole number from 1 to 4294967295"),
        (Operation::Unset(b"no.*".to_vec()), "there is no key no.*"),
        (
            Operation::Rename { from: b"general.file_type".to_vec(), to: b"twice".to_vec() },
            "twice is there already",
        ),
        (Operation::DropTensor(b"x".to_vec()), "there is no tensor x"),
        (
            Operation::Test {
                key: b"general.file_type".to_vec(),
                element: None,
                ty: None,
                value: Some(Given::Text("1".into())),
            },
            "general.file_type has another value than it was expected to have",
        ),
        (
            Operation::Test { key: b"twice".to_vec(), element: None, ty: None, value: None },
            "twice is there, and was expected not to be",
        ),
    ] {
        let error = apply(&source, &operation).unwrap_err().to_string();
        assert!(error.starts_with(told), "{error}");
    }
    let same = Operation::Test {
        key: b"general.file_type".to_vec(),
        element: None,
        ty: None,
        value: Some(Given::Text("0".into())),
    };
    assert_eq!(apply(&source, &same).unwrap(), source);
}

#[test]
fn another_alignment_moves_the_data_and_says_so() {
    let source = model(100, 32).build().into_bytes();
    for alignment in [64, 4096, 8] {
        let result = apply(&source, &set("general.alignment", None, None, &alignment.to_string())).unwrap();
        // The key is new, so it stands behind the others.
        let mut expected = Builder::new();
        for (key, value) in model(100, 32).kvs() {
            expected = expected.kv(key, value.clone());
        }
        expected = expected.alignment(alignment);
        for tensor in model(100, 32).tensors() {
            expected = expected.tensor(tensor.clone());
        }
        assert!(result == expected.build().into_bytes(), "{alignment}");
    }
}

/// What is changed before is written in the byte order that is asked for after.
#[test]
fn a_byte_order_is_that_of_all_values_whenever_it_is_asked_for() {
    let list = |items: &[u16]| Value::Array(Kind::U16, items.iter().map(|item| Value::U16(*item)).collect());
    let source = Builder::new()
        .kv("general.architecture", "toy")
        .kv("toy.count", 1_u32)
        .kv("toy.list", list(&[1, 2, 3]))
        .kv("toy.other", list(&[1, 2, 3]));
    let expected = |endian: Endian| {
        let file = Builder::new()
            .endian(endian)
            .kv("general.architecture", "toy")
            .kv("toy.count", 300_u32)
            .kv("toy.list", list(&[1, 500, 3]))
            .kv("toy.other", list(&[4, 2, 600, 3]))
            .kv("toy.new", 7_u64);
        file.bytes()
    };
    let change = |document: &mut Document<'_>| {
        document.set_scalar(1, Scalar::U32(300)).unwrap();
        assert!(document.set_element(2, 1, new(&Value::U16(500))).unwrap());
        assert!(!document.set_element(2, 1, new(&Value::U16(500))).unwrap());
        assert!(!document.set_element(3, 1, new(&Value::U16(2))).unwrap());
        document.insert_element(3, Some(2), new(&Value::U16(600))).unwrap();
        assert!(document.set_element(3, 0, new(&Value::U16(4))).unwrap());
        document.add(b"toy.new", new(&Value::U64(7))).unwrap();
    };
    let bytes = source.bytes();
    for (first, last) in
        [(Endian::Big, Endian::Big), (Endian::Little, Endian::Big), (Endian::Big, Endian::Little)]
    {
        let made = made(&bytes, |document| {
            document.set_endian(first).unwrap();
            change(document);
            document.set_endian(last).unwrap();
        });
        assert_eq!(made, expected(last), "{first:?} {last:?}");
    }
}

#[test]
fn elements_are_put_in_and_taken_out() {
    let text = |text: &str| Given::Text(text.to_owned());
    let tags = |items: &[&str]| {
        let items = items.iter().map(|item| Value::String(item.as_bytes().to_vec())).collect();
        Builder::new().kv("general.tags", Value::Array(Kind::String, items))
    };
    let insert =
        |before, value| Operation::Insert { key: b"general.tags".to_vec(), before, value: text(value) };
    let remove = |element| Operation::Remove { key: b"general.tags".to_vec(), element };
    let bytes = tags(&["a", "b"]).bytes();
    for (operation, after) in [
        (insert(None, "c"), &["a", "b", "c"][..]),
        (insert(Some(Element::At(0)), "c"), &["c", "a", "b"]),
        (insert(Some(Element::At(2)), "c"), &["a", "b", "c"]),
        (insert(Some(Element::FromEnd(1)), "c"), &["a", "c", "b"]),
        (remove(Element::At(0)), &["b"]),
        (remove(Element::FromEnd(1)), &["a"]),
    ] {
        assert_eq!(apply(&bytes, &operation).unwrap(), tags(after).bytes(), "{operation:?}");
    }
    for operation in [insert(Some(Element::At(3)), "c"), remove(Element::At(2)), remove(Element::FromEnd(3))]
    {
        assert!(matches!(apply(&bytes, &operation), Err(OperationError::NoElement { .. })), "{operation:?}");
    }
    // A list that loaders know is made, another is not.
    let none = Builder::new().kv("a", 1_u8).bytes();
    let made = apply(&none, &insert(None, "c")).unwrap();
    let items = Value::Array(Kind::String, vec![Value::String(b"c".to_vec())]);
    assert_eq!(made, Builder::new().kv("a", 1_u8).kv("general.tags", items).bytes());
    let unknown = Operation::Insert { key: b"b".to_vec(), before: None, value: text("c") };
    assert!(matches!(apply(&none, &unknown), Err(OperationError::NoKey(_))));
}

#[test]
fn texts_come_into_a_list_once_and_go_out_of_it_for_good() {
    let tags = |items: &[&str]| {
        let items: Vec<Value> = items.iter().map(|item| Value::String(item.as_bytes().to_vec())).collect();
        let file = Builder::new().kv("a", 1_u8);
        if items.is_empty() { file } else { file.kv("general.tags", Value::Array(Kind::String, items)) }
            .bytes()
    };
    let list = |item: &str| Operation::List { key: b"general.tags".to_vec(), item: item.into() };
    let unlist = |item: &str| Operation::Unlist { key: b"general.tags".to_vec(), item: item.into() };
    for (before, operations, after) in [
        (&[][..], &[list("x")][..], &["x"][..]),
        (&["x", "y"], &[list("x")], &["x", "y"]),
        (&["x", "y"], &[list("z"), list("z"), list("x")], &["x", "y", "z"]),
        (&["x", "y", "x"], &[unlist("x")], &["y"]),
        (&["x", "y", "x"], &[unlist("z")], &["x", "y", "x"]),
        (&["x", "x"], &[unlist("x")], &[]),
        (&["x"], &[unlist("x"), list("y"), list("x")], &["y", "x"]),
        (&["x", "y"], &[unlist("y"), list("y")], &["x", "y"]),
    ] {
        let bytes = tags(before);
        let is = made(&bytes, |document| {
            for operation in operations {
                operation.apply(document).unwrap();
            }
        });
        assert_eq!(is, tags(after), "{before:?} {operations:?}");
    }
    let number = Builder::new().kv("general.tags", 1_u8).bytes();
    assert!(matches!(apply(&number, &list("x")), Err(OperationError::NoElement { .. })));
}

/// What all shards tell of all of them is what they hold.
#[test]
fn the_shards_of_a_model_agree_after_a_change_of_one() {
    let shard = |no: u16, count: i32, names: &[&str]| {
        let file =
            Builder::new().kv("split.no", no).kv("split.count", 2_u16).kv("split.tensors.count", count);
        names.iter().fold(file, |file, name| file.tensor(Tensor::f32(*name, &[8]))).bytes()
    };
    let files = [shard(0, 3, &["a", "b"]), shard(1, 3, &["c"])];
    type Made = (Vec<usize>, Vec<Vec<u8>>);
    let made = |operation: Operation| -> Result<Made, (usize, OperationError)> {
        let indices: Vec<Index> = files.iter().map(|bytes| read(bytes)).collect();
        let mut documents: Vec<Document<'_>> = files
            .iter()
            .zip(&indices)
            .map(|(bytes, index)| Document::of(View::new(index, bytes), bytes.len() as u64).unwrap())
            .collect();
        let done = ggufkit_edit::members::apply(&[operation], &mut documents)?;
        let files = documents.iter().zip(&files);
        let files: Vec<_> =
            files.map(|(document, bytes)| document.plan().unwrap().render(bytes).unwrap()).collect();
        Ok((done.iter().map(Vec::len).collect::<Vec<_>>(), files))
    };
    let dropped = made(Operation::DropTensor(b"b".to_vec())).unwrap();
    assert_eq!(dropped, (vec![2, 1], vec![shard(0, 2, &["a"]), shard(1, 2, &["c"])]));
    let taken = made(Operation::RenameTensor { from: b"a".to_vec(), to: b"c".to_vec() });
    assert_eq!(taken.unwrap_err(), (0, OperationError::Taken(b"c".to_vec())));
    let value = Given::Text("64".to_owned());
    let key = b"general.alignment".to_vec();
    let (done, _) = made(Operation::Set { key, element: None, ty: None, value }).unwrap();
    assert_eq!(done, [1, 1]);
}
