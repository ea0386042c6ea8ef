//! Arrays through a view: any element at once, from any element on, and where each one lies.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use ggufkit_format::spec::ValueType;
use ggufkit_format::{Array, ArrayRef, Dialect, Endian, Index, Options, Payload, Value, View, parse};
use ggufkit_testkit::reading::compare;
use ggufkit_testkit::{Builder, Built, Kind, Value as Written};

fn read(document: &Builder) -> (Built, Index) {
    let file = document.build();
    let options = Options::new().with_base(file.base()).with_dialect(document.layout());
    let index = parse(file.gguf(), options).into_result().unwrap();
    (file, index)
}

fn array<'a>(index: &'a Index, file: &'a Built) -> ArrayRef<'a> {
    View::new(index, file.gguf()).value(&index.kvs()[0]).as_array().unwrap()
}

/// Every element, got alone, is the one that was written; iterating from any element gives the rest of them, each
/// where the builder put it.
fn any_element(document: &Builder) {
    let (file, index) = read(document);
    let array = array(&index, &file);
    let Written::Array(_, items) = &document.kvs()[0].1 else { panic!("an array") };
    let count = items.len();
    assert_eq!((array.len(), array.is_empty()), (count as u64, count == 0));
    let place = |i: usize| {
        let path = format!("kv[0].value[{i}]");
        file.find(&format!("{path}.length")).unwrap_or_else(|| file.span(&path)).start
    };
    for (i, item) in items.iter().enumerate() {
        assert_eq!(compare(item, array.get(i as u64).unwrap()), Ok(()), "[{i}]");
    }
    let sampled = (0..count).filter(|i| count < 300 || i % 61 == 0 || (63..66).contains(i));
    for from in sampled.chain([count]) {
        let mut elements = array.iter_from(from as u64);
        let mut at = from;
        loop {
            if at < count {
                assert_eq!(elements.offset(), place(at), "[{at}] from {from}");
            }
            let Some(element) = elements.next() else { break };
            // Far from its start, a walk is held against the elements only now and then: most were compared above.
            if at < from + 70 || at % 64 == 0 {
                assert_eq!(compare(&items[at], element), Ok(()), "[{at}] from {from}");
            }
            at += 1;
        }
        assert_eq!(at, count, "from {from}");
        assert!(elements.next().is_none());
    }
    for past in [count as u64, count as u64 + 1, u64::MAX] {
        assert!(array.get(past).is_none());
        assert_eq!(array.iter_from(past).count(), 0);
    }
    assert_eq!(array.as_bytes().len() as u64, file.span("kv[0].value").end() - array.start());
}

fn layouts() -> Vec<Builder> {
    let mut out = Vec::new();
    for version in [1, 3] {
        for endian in [Endian::Little, Endian::Big] {
            out.push(Builder::new().version(version).endian(endian));
        }
    }
    out.push(Builder::new().prefix(*b"before"));
    out.push(Builder::new().dialect(Dialect::NUL_STRINGS));
    out.push(Builder::new().dialect(Dialect::SHORT_IDS));
    out
}

#[test]
fn strings_beyond_several_marks() {
    for layout in layouts() {
        for count in [0, 1, 63, 64, 65, 128, 129, 1000] {
            let strings = (0..count).map(|i| match i % 100 {
                0 => "long ".repeat(40),
                7 => String::new(),
                _ => format!("token {i}"),
            });
            any_element(&layout.clone().kv("tokens", strings.collect::<Vec<_>>()));
        }
    }
}

#[test]
fn nested_arrays_beyond_several_marks() {
    for layout in layouts() {
        for count in [1_u16, 64, 65, 200] {
            let arrays = (0..count).map(|i| match i % 4 {
                0 => vec![i, i + 1].into(),
                1 => Written::strings((0..i % 7).map(|n| format!("{i}.{n}"))),
                2 => Written::empty(Kind::U8),
                _ => Written::nested([vec![true, false].into(), Written::empty(Kind::Array)]),
            });
            any_element(&layout.clone().kv("rows", Written::nested(arrays)));
        }
    }
}

#[test]
fn numbers_of_every_width() {
    for layout in [Builder::new(), Builder::new().big_endian()] {
        any_element(&layout.clone().kv("a", (0..=255_u8).collect::<Vec<_>>()));
        any_element(&layout.clone().kv("a", (0..300).map(|i| -i).collect::<Vec<i16>>()));
        any_element(&layout.clone().kv("a", (0..100).map(|i| i as f32 / 3.0).collect::<Vec<_>>()));
        any_element(&layout.clone().kv("a", (0..100).map(|i| u64::MAX - i).collect::<Vec<_>>()));
    }
}

/// Strings inside an inner array have no marks of their own; more than 64 of them are found all the same.
#[test]
fn many_strings_inside_an_inner_array() {
    let strings: Vec<String> = (0..200).map(|i| format!("{i}")).collect();
    let document = Builder::new().kv("a", Written::nested([strings.clone().into(), vec![5_u8].into()]));
    let (file, index) = read(&document);
    let inner = array(&index, &file).get(0).unwrap().as_array().unwrap();
    assert_eq!((inner.element_type(), inner.len()), (ValueType::STRING, 200));
    assert_eq!(inner.start(), file.span("kv[0].value[0][0].length").start);
    for i in [0_u64, 1, 63, 64, 65, 128, 199] {
        assert_eq!(inner.get(i).unwrap().as_str(), Some(i.to_string().as_str()));
    }
    let last = array(&index, &file).get(1).unwrap().as_array().unwrap();
    assert_eq!(last.get(0).unwrap().as_u64(), Some(5));
}

/// The verdict on text: how many strings are not UTF-8, and the first element that has one, in whatever piece of the
/// array and behind whatever length it stands.
#[test]
fn strings_that_are_not_utf8_are_counted() {
    let long = |byte: u8| vec![byte; 200];
    for (strings, invalid, first) in [
        (vec![b"a".to_vec(), b"\xff".to_vec(), b"b".to_vec(), b"\xc3".to_vec()], 2, Some(1)),
        // Half a character at one string's end and its rest at the next one's start are two bad strings.
        (vec![b"\xe4\xb8".to_vec(), b"\xad".to_vec()], 2, Some(0)),
        // Lengths of 128 and more are not ASCII themselves.
        (vec![long(b'x'), long(0xff), b"ok".to_vec(), long(0xff)], 2, Some(1)),
        ((0..500).map(|i| if i == 433 { b"\xf0".to_vec() } else { "中文".into() }).collect(), 1, Some(433)),
        // The length of 128 begins with a byte that would complete the character: the strings do not touch.
        (vec![b"ok".to_vec(), b"\xc3".to_vec(), vec![b'x'; 128]], 1, Some(1)),
        // The length 0x80c3 is a character itself.
        (vec![vec![b'x'; 0x80c3], b"\xff".to_vec()], 1, Some(1)),
        (vec!["é".as_bytes().to_vec(), Vec::new(), "🙂".into()], 0, None),
    ] {
        for nested in [false, true] {
            let inner = Written::strings(&strings);
            let value = if nested { Written::nested([Written::empty(Kind::U8), inner]) } else { inner };
            let (_, index) = read(&Builder::new().kv("s", value));
            let Payload::Array(array) = &index.kvs()[0].payload else { panic!("an array") };
            // In an array of arrays the element is the one of the outer array.
            let first = if nested { first.map(|_| 1) } else { first };
            assert_eq!((array.invalid_utf8, array.first_invalid_utf8), (Some(invalid), first));
        }
    }
}

/// A position is kept for one string in 64, and none for elements that can be computed: an index of a large vocabulary
/// stays small.
#[test]
fn marks_cost_an_eighth_of_a_byte_for_a_string() {
    let strings: Vec<String> = vec![String::new(); 64_000];
    let (_, with) = read(&Builder::new().kv("s", strings));
    let (_, without) = read(&Builder::new().kv("s", vec![0_u8; 64_000]));
    assert_eq!(Array::STRIDE, 64);
    assert!(with.memory() - without.memory() <= 2 * 8 * 64_000 / 64);
}

#[test]
fn values_of_the_wrong_kind_are_none() {
    let document =
        Builder::new().kv("a", vec![1_u8]).kv("n", -1_i32).kv("s", "text").kv("b", true).kv("f", 0.5_f32);
    let (file, index) = read(&document);
    let view = View::new(&index, file.bytes());
    let get = |key| view.get(key).unwrap();
    assert!(get("a").as_u64().is_none() && get("a").as_str().is_none() && get("n").as_array().is_none());
    assert_eq!(get("n").as_u64(), None, "negative");
    assert_eq!((get("b").as_u64(), get("b").as_bool()), (None, Some(true)));
    assert_eq!((get("f").as_float(), get("f").as_u64()), (Some(0.5), None));
    assert_eq!(get("s").as_bytes(), Some(&b"text"[..]));
    assert!(view.get("absent").is_none() && view.tensor("absent").is_none());
    assert!(matches!(get("a"), Value::Array(_)));
}
