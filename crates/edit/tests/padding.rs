//! Padding and what lies around the data: whose it is, how much there may be of it, and what is left out of a new file.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use ggufkit_edit::{Document, EditError, Given, Operation};
use ggufkit_format::{Index, Options, Piece, Plan, Span, View, parse};
use ggufkit_testkit::{Builder, Tensor, Value};

fn read(bytes: &[u8]) -> Index {
    parse(bytes, Options::new().with_size(Some(bytes.len() as u64))).into_result().unwrap()
}

fn with<T>(bytes: &[u8], change: impl FnOnce(&mut Document<'_>) -> T) -> T {
    let index = read(bytes);
    change(&mut Document::of(View::new(&index, bytes), bytes.len() as u64).unwrap())
}

fn set(key: &str, value: &str) -> Operation {
    let value = Given::Text(value.to_owned());
    Operation::Set { key: key.into(), element: None, ty: None, value }
}

fn written(plan: &Plan) -> u64 {
    let new = plan.pieces().iter().filter(|piece| !matches!(piece, Piece::Copy(_)));
    new.map(Piece::len).sum()
}

fn text(bytes: &[u8], key: &str) -> Option<Vec<u8>> {
    let index = read(bytes);
    View::new(&index, bytes).get(key).map(|value| value.as_bytes().unwrap_or_default().to_vec())
}

/// A head of 200 bytes may say that its data begins 2^62 bytes further on. It is not there, and no byte is made of that.
#[test]
fn data_that_would_begin_behind_the_end_stays_absent() {
    for alignment in [1_u64 << 20, u64::from(u32::MAX), 1 << 40, 1 << 62] {
        let whole = Builder::new()
            .kv("general.architecture", "llama")
            .kv("general.name", "x")
            .kv("general.alignment", Value::U64(alignment))
            .tensor(Tensor::f32("t", &[4]))
            .bytes();
        let head = read(&whole).head_end() as usize;
        for kept in [0, 7] {
            let bytes = &whole[..head + kept];
            for operation in [
                set("general.name", "much longer than it was"),
                Operation::Unset(b"general.alignment".to_vec()),
            ] {
                let plan = with(bytes, |document| {
                    operation.apply(document).unwrap();
                    document.fit(Some(4096), 0).unwrap();
                    document.plan().unwrap()
                });
                assert!(plan.len() < 400 && written(&plan) < 400, "{alignment}: {}", plan.len());
                let result = plan.render(bytes).unwrap();
                assert_eq!(result.len() as u64, read(&result).head_end() + kept as u64);
            }
        }
    }
}

#[test]
fn there_is_no_more_padding_than_a_reader_of_heads_can_bear() {
    let bytes = Builder::new().kv("general.name", "x").tensor(Tensor::f32("t", &[4])).bytes();
    with(&bytes, |document| {
        for reserve in [1 << 31, 1 << 40, u64::MAX] {
            let error = document.fit(Some(4096), reserve).unwrap_err();
            assert!(matches!(error, EditError::Padding { asked, .. } if asked == reserve), "{error}");
        }
        document.fit(Some(4096), 1 << 20).unwrap();
        assert!(document.plan().unwrap().len() > 1 << 20);
    });
}

/// A value under one of the names that says something is somebody's.
#[test]
fn what_is_no_padding_is_not_written_over() {
    let own = "the lessons of the second run";
    for (value, other) in [(Value::String(own.into()), "chisel.pad"), (Value::U32(7), "chisel.pad")] {
        let bytes = Builder::new()
            .kv("general.padding", value.clone())
            .kv(
                "general.name",
                "long enough to leave a gap behind it when it is gone, of more than one block",
            )
            .tensor(Tensor::f32("t", &[4]))
            .bytes();
        let made = with(&bytes, |document| {
            set("general.name", "x").apply(document).unwrap();
            document.fit(Some(4096), 0).unwrap();
            document.plan().unwrap().render(&bytes).unwrap()
        });
        assert_eq!(text(&made, "general.padding"), text(&bytes, "general.padding"));
        assert!(text(&made, other).is_some_and(|text| text.iter().all(|byte| *byte == b' ')));
        assert_eq!(read(&made).data_start(), read(&bytes).data_start());
    }
    // Where both names are taken the data goes where it goes.
    let bytes = Builder::new()
        .kv("general.padding", own)
        .kv("chisel.pad", own)
        .kv("general.name", "x")
        .tensor(Tensor::f32("t", &[4]))
        .bytes();
    with(&bytes, |document| {
        set("general.name", "y").apply(document).unwrap();
        document.fit(Some(4096), 0).unwrap();
        assert_eq!(document.fit(Some(4096), 10), Err(EditError::NoPaddingKey));
        let made = document.plan().unwrap().render(&bytes).unwrap();
        assert_eq!(text(&made, "chisel.pad").unwrap(), own.as_bytes());
    });
}

#[test]
fn what_a_new_layout_leaves_out_is_known() {
    let bytes = Builder::new()
        .kv("general.name", "x")
        .tensor(Tensor::f32("a", &[8]))
        .tensor(Tensor::f32("b", &[8]))
        .tensor(Tensor::f32("c", &[8]))
        .bytes();
    let start = read(&bytes).data_start().unwrap();
    let padding = Span::between(read(&bytes).head_end(), start);
    let left = |change: &dyn Fn(&mut Document<'_>)| {
        with(&bytes, |document| {
            change(document);
            document.left_out(&document.plan().unwrap())
        })
    };
    assert_eq!(left(&|_| {}), []);
    // The tensor's own bytes are what was to go.
    let expected: Vec<Span> = [padding].into_iter().filter(|span| !span.is_empty()).collect();
    assert_eq!(left(&|document| document.remove_tensor(1).unwrap()), expected);
}
