//! Very many operations take time in proportion: looking each name or text up from the first on would take minutes.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

mod common;

use std::time::Instant;

use ggufkit_edit::{Document, Element, Given, Operation};
use ggufkit_format::{Dialect, Index, Options, Value as Read, View, parse};
use ggufkit_testkit::{Builder, Value};

fn read(bytes: &[u8]) -> Index {
    parse(bytes, Options::new().with_size(Some(bytes.len() as u64))).into_result().unwrap()
}

fn made(bytes: &[u8], change: impl FnOnce(&mut Document<'_>)) -> Vec<u8> {
    common::edited(bytes, 0, Dialect::STANDARD, change)
}

fn set(key: &str, element: Option<Element>, value: &str) -> Operation {
    Operation::Set { key: key.into(), element, ty: None, value: Given::Text(value.to_owned()) }
}

#[test]
fn of_keys() {
    let count = 30_000;
    let mut builder = Builder::new();
    for at in 0..count {
        builder = builder.kv(format!("k.{at}"), Value::U32(at));
    }
    let made = made(&builder.bytes(), |document| {
        for at in 0..count {
            set(&format!("k.{at}"), None, &(at + 1).to_string()).apply(document).unwrap();
            let (from, to) = (format!("k.{at}").into_bytes(), format!("n.{at}").into_bytes());
            Operation::Rename { from, to }.apply(document).unwrap();
            let pattern = format!("none.{at}").into_bytes();
            Operation::Clear { pattern, except: Vec::new() }.apply(document).unwrap();
        }
        for at in 0..1000 {
            let before = Some(format!("n.{}", count - 1 - at).into_bytes());
            Operation::Move { key: format!("n.{at}").into_bytes(), before }.apply(document).unwrap();
        }
    });
    let index = read(&made);
    let view = View::new(&index, &made);
    assert_eq!(view.get("n.29999").and_then(|value| value.as_u64()), Some(30_000));
    let order: Vec<_> = view.kvs().map(|(key, _)| key.0.to_vec()).collect();
    assert_eq!(order[0], b"n.1000");
    assert_eq!(order[29_998..], [b"n.0".to_vec(), b"n.29999".to_vec()]);
}

#[test]
fn of_texts_of_a_list() {
    let key = || b"general.tags".to_vec();
    let item = |at: u32| format!("tag {at}").into_bytes();
    let begun = Instant::now();
    let made = made(&Builder::new().kv("general.tags", vec!["a"]).bytes(), |document| {
        for at in 0..20_000 {
            Operation::List { key: key(), item: item(at % 10_000) }.apply(document).unwrap();
        }
        for at in 0..9_999 {
            Operation::Unlist { key: key(), item: item(at) }.apply(document).unwrap();
        }
    });
    let index = read(&made);
    let Some(Read::Array(array)) = View::new(&index, &made).get("general.tags") else { panic!("no list") };
    let texts: Vec<_> = array.iter().map(|item| item.as_str().unwrap().to_owned()).collect();
    assert_eq!(texts, ["a", "tag 9999"]);
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}

/// A token is found by its text whatever was done to others before.
#[test]
fn of_tokens_by_their_texts() {
    let tokens: Vec<String> = (0..20_000).map(|at| format!("<{at}>")).collect();
    let types = vec![1_i32; tokens.len()];
    let file = Builder::new()
        .kv("tokenizer.ggml.tokens", tokens.iter().map(String::as_str).collect::<Vec<_>>())
        .kv("tokenizer.ggml.token_type", types);
    let token = |text: &str| Some(Element::Token(text.as_bytes().to_vec()));
    let made = made(&file.bytes(), |document| {
        set("tokenizer.ggml.tokens", Some(Element::At(7)), "<new>").apply(document).unwrap();
        set("tokenizer.ggml.tokens", Some(Element::At(8)), "<9>").apply(document).unwrap();
        for at in 100..1100 {
            set("tokenizer.ggml.token_type", token(&format!("<{at}>")), "4").apply(document).unwrap();
        }
        set("tokenizer.ggml.token_type", token("<new>"), "3").apply(document).unwrap();
        // The old text is none any more, and one is there twice.
        for text in ["<7>", "<8>", "<9>"] {
            assert!(set("tokenizer.ggml.token_type", token(text), "3").apply(document).is_err(), "{text}");
        }
        set("tokenizer.ggml.tokens", Some(Element::At(9)), "<8>").apply(document).unwrap();
        set("tokenizer.ggml.token_type", token("<8>"), "6").apply(document).unwrap();
        set("tokenizer.ggml.token_type", token("<9>"), "5").apply(document).unwrap();
    });
    let index = read(&made);
    let Some(Read::Array(array)) = View::new(&index, &made).get("tokenizer.ggml.token_type") else {
        panic!("no types")
    };
    let types: Vec<_> = array.iter().map(|item| item.as_u64().unwrap()).collect();
    assert_eq!((types[7], types[8], types[9], types[99], types[100]), (3, 5, 6, 1, 4));
}
