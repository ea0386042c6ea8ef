//! A document that nobody changed makes the file that it was read from.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

mod common;

use common::{edited, files, parsed};
use ggufkit_check::Change;
use ggufkit_edit::{Document, EditError};
use ggufkit_format::spec::TensorType;
use ggufkit_format::{Dialect, Endian, Piece, Scalar, Span, View};
use ggufkit_testkit::{Builder, Tensor, Value, controls, random};

/// Files in the standard layout, version 2 or 3, canonical or not, come out as the same bytes.
#[test]
fn what_is_not_changed_is_the_same_bytes() {
    let mut count = 0;
    for (name, bytes, place) in files() {
        let out = edited(&bytes, place.base, Dialect::STANDARD, |_| ());
        assert!(out == bytes[place.base as usize..], "{name}");
        count += 1;
    }
    assert!(count > 25, "{count} files");
}

/// Canonical files come out the same even when everything is laid out anew.
#[test]
fn canonical_files_laid_out_anew_are_the_same_bytes() {
    for seed in 0..20 {
        let endian = [Endian::Little, Endian::Big][seed as usize % 2];
        let bytes = random::document(seed, endian).bytes();
        let out = edited(&bytes, 0, Dialect::STANDARD, |document| assert_eq!(document.relayout(), Ok(true)));
        assert!(out == bytes, "random document {seed}");
    }
    let mut shared = common::shared();
    shared.extend(common::samples());
    assert!(!shared.is_empty());
    for (name, bytes) in shared {
        let out = edited(&bytes, 0, Dialect::STANDARD, |document| {
            let tensors = !document.view().index().tensors().is_empty();
            assert_eq!(document.relayout(), Ok(tensors));
        });
        assert!(out == bytes, "{name}");
    }
    // Trailing bytes stay behind the data.
    let file = Builder::new().tensor(Tensor::f32("t", &[3])).trailing(*b"and more").bytes();
    assert_eq!(edited(&file, 0, Dialect::STANDARD, |d| assert!(d.relayout().unwrap())), file);
}

/// What cannot be kept becomes the same document in the standard layout.
#[test]
fn other_layouts_and_version_1_become_standard() {
    for (name, document) in controls::all() {
        let built = document.build();
        let out = edited(built.bytes(), built.base(), document.layout(), |_| ());
        let mut plain = document.clone().prefix(Vec::new()).dialect(Dialect::STANDARD);
        if document.layout() != Dialect::STANDARD || built.get_u64("header.version") == 1 {
            plain = plain.version(3);
        }
        assert_eq!(out, plain.bytes(), "{name}");
    }
    // A header's alignment goes where the format has it.
    for declared in [None, Some(16_u32)] {
        let mut document = Builder::new().dialect(Dialect::PADDED_HEADER).layout_alignment(64);
        let mut plain = Builder::new();
        if let Some(alignment) = declared {
            document = document.kv("general.alignment", alignment);
        }
        plain = plain.alignment(64);
        let tensor = |d: Builder| d.tensor(Tensor::f32("a", &[3])).tensor(Tensor::f32("b", &[3]));
        let out = edited(&tensor(document).bytes(), 0, Dialect::PADDED_HEADER, |_| ());
        assert_eq!(out, tensor(plain).bytes());
    }
}

#[test]
fn every_change_is_applied_and_applied_again_is_none() {
    let file = Builder::new()
        .kv("a", 1_u64)
        .kv("b", "text\0")
        .kv("c", 3_u8)
        .kv("flag", Value::Bool(2))
        .tensor(Tensor::f32("t\0", &[3]))
        .tensor(Tensor::f32("u", &[2]).offset(96))
        .trailing(*b"trail")
        .build();
    let at = file.span("trailing").start;
    let changes = [
        Change::RemoveKv { index: 2 },
        Change::SetKey { index: 0, key: b"aa".to_vec() },
        Change::SetScalar { index: 0, value: Scalar::U32(1) },
        Change::SetString { index: 1, bytes: b"text".to_vec() },
        Change::SetName { index: 0, name: b"t".to_vec() },
        Change::Relayout,
        Change::Cut { at },
    ];
    let patch = Change::Patch { span: file.span("kv[3].value"), bytes: vec![1] };
    let out = edited(file.bytes(), 0, Dialect::STANDARD, |document| {
        assert_eq!(document.apply(&patch), Ok(true));
        assert_eq!(document.apply(&patch), Ok(false));
        for change in &changes {
            assert_eq!(document.apply(change), Ok(true), "{change:?}");
        }
        for change in &changes {
            assert_eq!(document.apply(change), Ok(false), "{change:?} again");
        }
        assert_eq!(document.apply(&Change::Rewrite), Ok(false));
        assert_eq!(document.apply(&Change::Separate { at: 9 }), Err(EditError::OtherChange));
        assert_eq!(document.apply(&Change::RemoveKv { index: 9 }), Err(EditError::NoKv(9)));
        let inside = Change::Cut { at: at - 40 };
        assert!(matches!(document.apply(&inside), Err(EditError::CutsData { .. })));
    });
    let expected = Builder::new()
        .kv("aa", 1_u32)
        .kv("b", "text")
        .kv("flag", true)
        .tensor(Tensor::f32("t", &[3]))
        .tensor(Tensor::f32("u", &[2]));
    assert_eq!(out, expected.bytes());
}

#[test]
fn versions_ends_and_names() {
    let file = || Builder::new().kv("a", 1_u8).tensor(Tensor::f32("t", &[3]));
    let two = file().version(2).final_padding(false).bytes();
    let to = file().bytes().len() as u64;
    let out = edited(&two, 0, Dialect::STANDARD, |document| {
        for (change, again) in [(Change::Rewrite, false), (Change::Extend { to }, false)] {
            assert_eq!(document.apply(&change), Ok(true), "{change:?}");
            assert_eq!(document.apply(&change), Ok(again), "{change:?} again");
        }
        assert_eq!(
            document.apply(&Change::SetName { index: 1, name: Vec::new() }),
            Err(EditError::NoTensor(1))
        );
    });
    assert_eq!(out, file().bytes());
    // A head that grows moves the data, and the gap with it.
    let out = edited(&file().bytes(), 0, Dialect::STANDARD, |document| {
        document.set_string(0, &[b'x'; 100]).unwrap();
    });
    let longer = Builder::new().kv("a", "x".repeat(100)).tensor(Tensor::f32("t", &[3]));
    assert_eq!(out, longer.bytes());
    // Without tensors the file ends with its head as before, or with the padding as before.
    for padding in [false, true] {
        let file = |value: &str| Builder::new().kv("a", value).head_padding(padding).bytes();
        let out = edited(&file("x"), 0, Dialect::STANDARD, |document| {
            document.set_string(0, b"longer than before").unwrap();
        });
        assert_eq!(out, file("longer than before"));
    }
}

#[test]
fn patches_reach_every_byte_that_is_copied() {
    let file = Builder::new().kv("key", vec![1_u8, 2]).alignment(64).tensor(Tensor::f32("t", &[3])).build();
    for (field, bytes) in
        [("kv[0].key", &b"KEY"[..]), ("kv[0].value[1]", &[9]), ("tensors[0].data", &[7; 12])]
    {
        let mut patched = file.clone();
        patched.patch(field, bytes);
        let change = Change::Patch { span: file.span(field), bytes: bytes.to_vec() };
        let out = edited(file.bytes(), 0, Dialect::STANDARD, |d| assert_eq!(d.apply(&change), Ok(true)));
        assert_eq!(out, patched.bytes());
    }
    // An alignment that is patched is the one that is used.
    let change = Change::Patch { span: file.span("kv[1].value"), bytes: 32_u32.to_le_bytes().to_vec() };
    let out = edited(file.bytes(), 0, Dialect::STANDARD, |document| {
        assert_eq!(document.apply(&change), Ok(true));
        assert_eq!(document.alignment(), 32);
        document.relayout().unwrap();
    });
    let expected = Builder::new().kv("key", vec![1_u8, 2]).alignment(32).tensor(Tensor::f32("t", &[3]));
    assert_eq!(out, expected.bytes());
    // In a head that is written anew elements are still there, of nested arrays too; keys and lengths are not.
    let nested =
        |byte: u8| Builder::new().kv("key", Value::nested([vec![1_u8, byte].into(), vec!["x"].into()]));
    let early = nested(2).version(1).build();
    let change = Change::Patch { span: early.span("kv[0].value[0][1]"), bytes: vec![9] };
    let out = edited(early.bytes(), 0, Dialect::STANDARD, |d| assert_eq!(d.apply(&change), Ok(true)));
    assert_eq!(out, nested(9).bytes());
    let short = Builder::new().dialect(Dialect::SHORT_IDS).kv("key", vec![1_u8, 2]).build();
    let index = parsed(short.bytes(), 0, Dialect::SHORT_IDS);
    let mut document = Document::of(View::new(&index, short.bytes()), short.size()).unwrap();
    let span = short.span("kv[0].key");
    let span = Span::new(span.start, 1);
    assert_eq!(document.patch(span, &[5]), Err(EditError::NotCopied(span)));
    assert!(document.patch(Span::new(u64::MAX, 1), &[5]).is_err());
}

#[test]
fn the_plan_is_small_where_little_changes() {
    let file = random::document(3, Endian::Little).bytes();
    let index = parsed(&file, 0, Dialect::STANDARD);
    let mut document = Document::of(View::new(&index, &file), file.len() as u64).unwrap();
    assert!(document.plan().unwrap().pieces() == [Piece::Copy(Span::new(0, file.len() as u64))]);
    document.set_scalar(5, Scalar::U8(77)).unwrap();
    let plan = document.plan().unwrap();
    assert!(plan.pieces().len() <= 5, "{:?}", plan.pieces());
    plan.verify(file.len() as u64).unwrap();
}

/// A head that was not read to its end has no document.
#[test]
fn half_a_head_is_no_document() {
    let file = Builder::new().kv("a", 1_u8).kv("b", 1_u8).bytes();
    let index = ggufkit_format::parse(&file[..40], ggufkit_format::Options::new()).index.unwrap();
    let error = Document::of(View::new(&index, &file[..40]), 40).map(|_| ());
    assert_eq!(error.unwrap_err(), EditError::IncompleteHead);
}

#[test]
fn tensors_are_added_where_there_were_none() {
    for (padded, trailing) in [(true, &b""[..]), (false, b""), (true, b"trailing bytes")] {
        let bare = Builder::new().kv("k", 1_u8).head_padding(padded).trailing(trailing).bytes();
        let mut source = bare.clone();
        let numbers: Vec<u8> = (0..12).collect();
        let data = Span::new(source.len() as u64, 12);
        source.extend_from_slice(&numbers);
        let index = parsed(&bare, 0, Dialect::STANDARD);
        let mut document = Document::of(View::new(&index, &bare), bare.len() as u64).unwrap();
        document.add_tensor(b"a", &[3], TensorType::F32, data).unwrap();
        let plan = document.plan().unwrap();
        plan.verify(source.len() as u64).unwrap();
        let wanted =
            Builder::new().kv("k", 1_u8).tensor(Tensor::f32("a", &[3]).data(numbers)).trailing(trailing);
        assert!(plan.render(&source).unwrap() == wanted.bytes(), "{padded} {trailing:?}");
    }
}
