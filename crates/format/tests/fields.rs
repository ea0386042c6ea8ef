//! The traversal against the builder: the same fields, in the same order, at the same places.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use ggufkit_format::{Detail, FieldValue, Options, Span, View, parse};
use ggufkit_testkit::{Builder, controls};

#[test]
fn every_field_is_the_one_that_was_written() {
    for (name, document) in controls::all() {
        let file = document.build();
        let options = Options::new().with_base(file.base()).with_dialect(document.layout());
        let index = parse(file.gguf(), options).into_result().unwrap();
        let view = View::new(&index, file.gguf());
        let found: Vec<_> = view.fields(Detail::All).map(|f| (f.path.to_string(), f.span)).collect();
        let data = index.data_start().unwrap();
        let leaves =
            file.fields().iter().filter(|f| f.leaf && f.span.start >= file.base() && f.span.end() <= data);
        let leaves = leaves.filter(|f| !f.name.contains("data"));
        let written: Vec<_> = leaves.map(|f| (f.name.clone(), f.span)).collect();
        assert_eq!(found, written, "{name}");
    }
}

/// What cannot be parsed is one field, from where the last whole record ends to the end of what there is.
#[test]
fn the_rest_of_a_broken_head_is_one_field() {
    for (name, document) in controls::all() {
        let whole = document.build();
        let options = Options::new().with_base(whole.base()).with_dialect(document.layout());
        let end = parse(whole.gguf(), options).index.unwrap().head_end();
        for len in (whole.base() + 24 + 16..end).step_by(7) {
            let mut file = whole.clone();
            file.truncate(len);
            let Some(index) = parse(file.gguf(), options).index else { continue };
            let last = View::new(&index, file.gguf()).fields(Detail::All).last().unwrap();
            if index.head_end() < len {
                assert_eq!(last.path.to_string(), "unparsed", "{name} cut at {len}");
                assert_eq!(last.span, Span::between(index.head_end(), len), "{name} cut at {len}");
                assert!(
                    matches!(last.value, FieldValue::Unparsed(bytes) if bytes.len() as u64 == last.span.len)
                );
            } else {
                assert_eq!(last.span.end(), len);
            }
        }
    }
}

/// Of an array with `First(2)`, two elements are fields and the rest is one, however many there are.
#[test]
fn the_rest_of_an_array_is_one_field() {
    let file = Builder::new().kv("s", vec!["a", "b", "c", "d"]).kv("n", vec![1_u16, 2]).build();
    let index = parse(file.bytes(), Options::new()).into_result().unwrap();
    let view = View::new(&index, file.bytes());
    let fields: Vec<_> = view.fields(Detail::First(2)).collect();
    let rest = fields.iter().find(|f| matches!(f.value, FieldValue::Elements(_))).unwrap();
    assert_eq!(rest.path.to_string(), "kv[0].value[2..4]");
    let expected = Span::between(file.span("kv[0].value[2].length").start, file.span("kv[0].value").end());
    assert_eq!(rest.span, expected);
    assert_eq!(fields.iter().filter(|f| matches!(f.value, FieldValue::Elements(_))).count(), 1);
}

/// A walk that begins at a position gives the fields from there on, as a walk over everything does.
#[test]
fn a_walk_may_begin_anywhere() {
    // More elements than one stretch between the positions that an index keeps.
    let words: Vec<String> = (0..300).map(|n| "x".repeat(n % 7)).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let long = Builder::new().kv("words", words).kv("numbers", vec![7_u16; 200]).kv("end", 1_u8);
    let files = controls::all().into_iter().map(|(name, document)| (name.to_string(), document));
    for (name, document) in files.chain([("long".to_owned(), long)]) {
        let file = document.build();
        let options = Options::new().with_base(file.base()).with_dialect(document.layout());
        let index = parse(file.gguf(), options).into_result().unwrap();
        let view = View::new(&index, file.gguf());
        let shown = |fields: ggufkit_format::Fields<'_>, from: u64| {
            let after = fields.skip_while(|field| field.span.end() <= from);
            after.map(|field| (field.path.to_string(), field.span)).collect::<Vec<_>>()
        };
        let end = index.data_start().unwrap_or(index.head_end());
        for detail in [Detail::All, Detail::First(2)] {
            for position in (0..=end).step_by(if name == "long" { 97 } else { 3 }) {
                let found = shown(view.fields_from(detail, position), position);
                assert_eq!(found, shown(view.fields(detail), position), "{name} from {position}, {detail:?}");
            }
        }
    }
}
