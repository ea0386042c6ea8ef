//! One key: which ranges are read for it.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::io;

use ggufkit_format::spec::ValueType;
use ggufkit_format::{Options, ReadAt, Reason};
use ggufkit_io::{Lookup, lookup};
use ggufkit_testkit::reading::compare;
use ggufkit_testkit::sources::{Failing, Memory, Recording, Short, Shrinking};
use ggufkit_testkit::{Builder, Kind, Tensor, Value, controls};

const KIB: u64 = 1 << 10;

/// 1.7 MB of tokens, 400 KB of scores, a template of 200 KB, a key behind them.
fn document() -> Builder {
    let tokens: Vec<String> = (0..100_000).map(|i| format!("token{i:04}")).collect();
    Builder::new()
        .kv("general.architecture", "llama")
        .kv("tokenizer.chat_template", "x".repeat(200_000))
        .kv("tokenizer.ggml.scores", Value::Array(Kind::F32, vec![Value::F32(0.5); 100_000]))
        .kv("tokenizer.ggml.tokens", Value::strings(tokens))
        .kv("general.name", "last")
        .tensor(Tensor::f32("output.weight", &[1024, 256]))
}

fn look(source: &impl ReadAt<Error = io::Error>, key: &str) -> Lookup {
    lookup(source, Options::new(), &mut |k| k == key.as_bytes()).unwrap()
}

fn text(lookup: &Lookup) -> String {
    let found = lookup.found.as_ref().unwrap();
    let index = found.index();
    let view = found.view(&index);
    view.value(&index.kvs()[0]).as_str().unwrap().to_owned()
}

#[test]
fn the_architecture_is_one_read_of_4_kib() {
    let source = Recording::new(Memory::new(document().bytes()));
    let lookup = look(&source, "general.architecture");
    assert_eq!(source.ranges(), [(0, 4 * KIB)]);
    assert_eq!(text(&lookup), "llama");
    assert_eq!(lookup.keys_seen, []);
    assert_eq!(lookup.header.unwrap().kv_count, 5);
}

#[test]
fn what_has_a_known_length_is_jumped_over() {
    let file = document().build();
    let source = Recording::new(Memory::new(file.bytes()));
    let lookup = look(&source, "tokenizer.ggml.tokens");
    let found = lookup.found.unwrap();
    assert!(found.bytes == file.get("kv[3]"));
    assert_eq!(found.start, file.span("kv[3]").start);
    let ranges = source.ranges();
    // The template and the scores were not read: the third read begins where the tokens' record does.
    assert_eq!(ranges[0], (0, 4 * KIB));
    assert_eq!(ranges[1], (file.span("kv[2]").start, 64 * KIB));
    assert_eq!(ranges[2], (file.span("kv[3]").start, 64 * KIB));
    assert!(ranges.windows(2).all(|two| two[0].0 + two[0].1 <= two[1].0), "no byte twice: {ranges:?}");
}

#[test]
fn a_value_that_is_wanted_is_read_although_it_could_be_jumped_over() {
    let file = document().build();
    for (at, key) in
        ["general.architecture", "tokenizer.chat_template", "tokenizer.ggml.scores"].iter().enumerate()
    {
        let source = Recording::new(Memory::new(file.bytes()));
        let found = look(&source, key).found.unwrap();
        assert!(found.bytes == file.get(&format!("kv[{at}]")));
        let read = source.bytes_read();
        assert!(read <= found.bytes.len() as u64 + 68 * KIB, "{key}: {read}");
    }
}

#[test]
fn a_key_behind_the_tokens_costs_a_walk_over_them_in_small_memory() {
    let file = document().build();
    let source = Recording::new(Memory::new(file.bytes()));
    let lookup = look(&source, "general.name");
    assert_eq!(text(&lookup), "last");
    assert!(source.ranges().iter().all(|(_, len)| *len <= 64 * KIB));
    let keys: Vec<_> =
        lookup.keys_seen.iter().map(|(key, ty)| (String::from_utf8_lossy(key).into_owned(), *ty)).collect();
    assert_eq!(keys[3], ("tokenizer.ggml.tokens".to_owned(), ValueType::ARRAY));
    assert_eq!(keys.len(), 4);
}

#[test]
fn the_search_ends_with_the_metadata() {
    let mut file = document();
    for i in 0..10_000 {
        file = file.tensor(Tensor::f32(format!("blk.{i}.weight"), &[0]));
    }
    let file = file.build();
    let source = Recording::new(Memory::new(file.bytes()));
    let lookup = look(&source, "no.such.key");
    assert!(lookup.found.is_none() && lookup.error.is_none());
    assert_eq!(lookup.keys_seen.len(), 5);
    let end = file.span("kv[4]").end();
    assert!(source.ranges().iter().all(|(offset, _)| *offset < end));
    // A file without metadata has nothing to search.
    let lookup = look(&Memory::new(Builder::new().tensor(Tensor::f32("a", &[1])).bytes()), "a");
    assert!(lookup.found.is_none() && lookup.error.is_none() && lookup.header.is_some());
}

#[test]
fn every_key_of_every_control_is_found_with_its_value() {
    for (name, document) in controls::all() {
        let file = document.build();
        let options = Options::new().with_base(file.base()).with_dialect(document.layout());
        for sized in [true, false] {
            for (at, (key, value)) in document.kvs().iter().enumerate() {
                let memory = Memory::new(file.bytes());
                let source = Short::new(if sized { memory } else { memory.without_size() }, 5);
                let mut left = document.kvs()[..=at].iter().filter(|(k, _)| k == key).count();
                let lookup = lookup(&source, options, &mut |k| {
                    left -= usize::from(k == key);
                    left == 0
                });
                let found = lookup.unwrap().found.unwrap();
                assert_eq!(found.bytes, file.get(&format!("kv[{at}]")), "{name} kv[{at}]");
                let index = found.index();
                compare(value, found.view(&index).value(&index.kvs()[0])).unwrap();
            }
        }
    }
}

#[test]
fn an_error_before_the_key_is_told_with_what_was_seen() {
    let mut file = document().build();
    file.set_u64("kv[2].type", 99);
    let lookup = look(&Memory::new(file.bytes()), "general.name");
    assert!(matches!(lookup.error.unwrap().reason(), Reason::UnknownValueType { id: 99, .. }));
    assert_eq!(lookup.keys_seen.len(), 2);
    // A key that stands before the error is found all the same.
    assert_eq!(text(&look(&Memory::new(file.bytes()), "general.architecture")), "llama");
    let lookup = look(&Memory::new(*b"not a gguf"), "x");
    assert!(lookup.header.is_none());
    assert!(matches!(lookup.error.unwrap().reason(), Reason::BadMagic { .. }));
}

#[test]
fn a_source_that_shrinks_or_fails_is_told_apart() {
    let file = document().bytes();
    let lookup_of =
        |after| look(&Shrinking::new(Memory::new(file.clone()), after, 100_000), "tokenizer.chat_template");
    let error = lookup_of(1).error.unwrap();
    assert!(matches!(error.reason(), Reason::UnexpectedEnd { needed: 200_008, .. }), "{error}");
    let error = look(&Shrinking::new(Memory::new(file.clone()), 1, 100_000), "general.name").error.unwrap();
    assert!(matches!(error.reason(), Reason::UnexpectedEnd { .. }), "{error}");
    let failing = Failing::at_call(Memory::new(file), 1);
    assert!(lookup(&failing, Options::new(), &mut |_| false).is_err());
}

#[test]
fn a_length_that_nothing_backs_is_not_allocated() {
    let mut file = Builder::new().kv("long", "x".repeat(100)).build();
    file.set_u64("kv[0].value.length", 1 << 29);
    for source in [Memory::new(file.bytes()), Memory::new(file.bytes()).without_size()] {
        let lookup = look(&source, "long");
        assert!(matches!(lookup.error.unwrap().reason(), Reason::UnexpectedEnd { .. }));
    }
}
