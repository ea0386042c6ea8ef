//! What is odd and does not stop a reading: each kind, at the bytes and the field that it is about.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use ggufkit_format::spec::{TensorType, ValueType};
use ggufkit_format::{AnomalyKind, Dialect, Options, Reason, Span, parse};
use ggufkit_testkit::{Builder, Built, Kind, Tensor, Value};

/// The anomalies of a file, as kind, field and place.
fn found(document: &Builder) -> (Built, Vec<(AnomalyKind, String, Span)>) {
    let file = document.build();
    let options = Options::new().with_base(file.base()).with_dialect(document.layout());
    let index = parse(file.gguf(), options).into_result().unwrap();
    let all = index.anomalies().iter().map(|a| (a.kind, a.path.to_string(), a.span)).collect();
    (file, all)
}

/// Exactly one anomaly: of this kind, at this field, over the bytes from `from` to the end of `to`.
fn one(document: &Builder, kind: AnomalyKind, path: &str, from: &str, to: &str) {
    let (file, found) = found(document);
    let span = Span::between(file.span(from).start, file.span(to).end());
    assert_eq!(found, [(kind, path.to_owned(), span)]);
}

/// The standard layout, and the ones that move a record's parts.
fn layouts() -> Vec<Builder> {
    vec![
        Builder::new(),
        Builder::new().version(1).prefix(*b"seven b"),
        Builder::new().dialect(Dialect::NUL_STRINGS),
        Builder::new().dialect(Dialect::OFFSET_BEFORE_TYPE),
        Builder::new().dialect(Dialect::PADDED_HEADER),
    ]
}

#[test]
fn of_tensors() {
    for layout in layouts() {
        let tensor =
            |name: &[u8], type_id, dims: &[u64]| layout.clone().tensor(Tensor::new(name, type_id, dims));
        let (ty, name) = ("tensors[0].type", "tensors[0].name");
        one(&tensor(b"t", 43, &[1]), AnomalyKind::UnknownTensorType(TensorType(43)), ty, ty, ty);
        one(&tensor(b"t", 36, &[1]), AnomalyKind::RemovedTensorType(TensorType(36)), ty, ty, ty);
        let dims = "tensors[0].n_dims";
        one(&tensor(b"t", 0, &[1; 5]), AnomalyKind::ManyDimensions(5), dims, dims, dims);
        one(&tensor(b"", 0, &[1]), AnomalyKind::EmptyTensorName, name, "tensors[0].name.length", name);
        one(&tensor(b"a\0b", 0, &[1]), AnomalyKind::NulInName, name, name, name);
        one(&tensor(b"\xff", 0, &[1]), AnomalyKind::InvalidUtf8 { strings: 1 }, name, name, name);
        assert_eq!(found(&tensor("名".as_bytes(), 0, &[1; 4])).1, []);
    }
}

#[test]
fn of_keys_and_values() {
    for layout in layouts() {
        let kv = |key: &[u8], value: Value| layout.clone().kv(key, value);
        let (key, value, element) = ("kv[0].key", "kv[0].value", "kv[0].value[0]");
        one(&kv(b"", 1_u8.into()), AnomalyKind::EmptyKey, key, "kv[0].key.length", key);
        one(&kv(b"a\0", 1_u8.into()), AnomalyKind::NulInName, key, key, key);
        one(&kv(b"\xc3(", 1_u8.into()), AnomalyKind::InvalidUtf8 { strings: 1 }, key, key, key);
        let bad = Value::String(b"\xed\xa0\x80".to_vec());
        one(&kv(b"k", bad), AnomalyKind::InvalidUtf8 { strings: 1 }, value, value, value);
        one(&kv(b"k", Value::Bool(2)), AnomalyKind::OddBool { count: 1, first: 2 }, value, value, value);
        let bools = [0, 1, 9, 1, 255].map(Value::Bool).to_vec();
        let kind = AnomalyKind::OddBool { count: 2, first: 9 };
        one(&kv(b"k", Value::Array(Kind::Bool, bools)), kind, value, element, value);
        let nested = Value::nested([vec![1_u8].into()]);
        one(&kv(b"k", nested), AnomalyKind::NestedArray, value, "kv[0].value[0].element_type", value);
        let strings = Value::strings([&b"ok"[..], b"\xff", b"\xfe"]);
        let kind = AnomalyKind::InvalidUtf8 { strings: 2 };
        one(&kv(b"k", strings), kind, "kv[0].value[1]", "kv[0].value[0].length", value);
        assert_eq!(found(&kv(b"k", Value::Bool(1))).1, []);
        assert_eq!(found(&kv(b"k", "a\0b".into())).1, [], "a NUL in a value is text");
    }
}

#[test]
fn of_the_alignment() {
    let key = |value: Value| Builder::new().kv("general.alignment", value);
    let (value, again) = ("kv[0].value", "kv[1].value");
    one(&key(64_u64.into()), AnomalyKind::AlignmentType(ValueType::UINT64), value, value, value);
    one(&key(24_u32.into()), AnomalyKind::AlignmentNotPowerOfTwo(24), value, value, value);
    one(&key(64_u32.into()).alignment(16), AnomalyKind::AlignmentAgain, again, again, again);
    one(&key("x".into()), AnomalyKind::AlignmentUnusable, value, "kv[0].value.length", value);
    assert_eq!(found(&key(1_u32.into())).1, []);
    let index = parse(&key(64_u32.into()).alignment(16).bytes(), Options::new()).into_result().unwrap();
    assert_eq!(index.alignment(), 64, "the first one is used");
    // Two oddities of one value are both told.
    let kinds: Vec<_> = found(&key(24_i16.into())).1.into_iter().map(|(kind, ..)| kind).collect();
    assert_eq!(
        kinds,
        [AnomalyKind::AlignmentType(ValueType::INT16), AnomalyKind::AlignmentNotPowerOfTwo(24)]
    );
}

/// A number that has no multiples is refused even where nothing needs to be aligned: every reader computes with it.
#[test]
fn an_alignment_of_zero_without_tensors() {
    for (value, value_type, found) in
        [(Value::from(0_u32), ValueType::UINT32, 0), (Value::from(-1_i64), ValueType::INT64, -1)]
    {
        let file = Builder::new().kv("general.alignment", value).build();
        let outcome = parse(file.bytes(), Options::new());
        let error = outcome.error.unwrap();
        assert_eq!(error.reason(), &Reason::BadAlignment { value_type, value: Some(found) });
        assert_eq!(error.name(), Some(&b"general.alignment"[..]));
        let index = outcome.index.unwrap();
        assert_eq!((index.kvs().len(), index.data_start(), index.is_complete()), (1, None, false));
    }
}

/// Of many anomalies the first 1024 are kept and the others counted: no file fills memory with its oddities.
#[test]
fn more_than_are_kept() {
    let document = (0..2000).fold(Builder::new(), |d, _| d.kv("", 0_u8));
    let index = parse(&document.bytes(), Options::new()).into_result().unwrap();
    assert_eq!((index.anomalies().len(), index.anomalies_left_out()), (1024, 976));
    assert_eq!(index.anomalies()[1023].path.to_string(), "kv[1023].key");
}
