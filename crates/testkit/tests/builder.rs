//! The builder against bytes written out by hand from the specification.

use ggufkit_format::{Dialect, Endian, Span};
use ggufkit_testkit::builder::{BLOCKS, dialects};
use ggufkit_testkit::{Builder, Built, Kind, Tensor, Value};

/// The leaves, in order, cover every byte once.
fn tiles(file: &Built) {
    let mut leaves: Vec<_> = file.fields().iter().filter(|f| f.leaf && f.span.len > 0).collect();
    leaves.sort_by_key(|f| f.span.start);
    let mut at = 0;
    for leaf in leaves {
        assert_eq!(leaf.span.start, at, "{}", leaf.name);
        at = leaf.span.end();
    }
    assert_eq!(at, file.size());
}

#[test]
fn version_3_little_endian() {
    let file = Builder::new()
        .kv("a", 7_u16)
        .kv("s", vec!["x", ""])
        .tensor(Tensor::f32("t", &[2, 1]).data([1, 2, 3, 4, 5, 6, 7, 8]))
        .build();
    let mut expected = b"GGUF\x03\0\0\0\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0".to_vec();
    expected.extend(b"\x01\0\0\0\0\0\0\0a\x02\0\0\0\x07\0");
    expected.extend(b"\x01\0\0\0\0\0\0\0s\x09\0\0\0\x08\0\0\0\x02\0\0\0\0\0\0\0");
    expected.extend(b"\x01\0\0\0\0\0\0\0x\0\0\0\0\0\0\0\0");
    expected
        .extend(b"\x01\0\0\0\0\0\0\0t\x02\0\0\0\x02\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    expected.resize(expected.len().next_multiple_of(32), 0);
    expected.extend([1, 2, 3, 4, 5, 6, 7, 8]);
    expected.resize(expected.len().next_multiple_of(32), 0);
    assert_eq!(file.bytes(), expected);
    tiles(&file);
    assert_eq!(file.get("kv[1].value[0]"), b"x");
    assert_eq!(file.span("kv[0]"), Span::new(24, 15));
    assert_eq!(file.get_u64("tensors[0].dims[0]"), 2);
    assert_eq!(file.get("tensors[0].data"), [1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn version_1_big_endian_at_an_offset() {
    let file = Builder::new()
        .version(1)
        .endian(Endian::Big)
        .prefix(*b"seven b")
        .kv("k", "v")
        .tensor(Tensor::new("t", 24, &[3]))
        .final_padding(false)
        .trailing(*b"end")
        .build();
    let mut expected = b"seven bGGUF\0\0\0\x01\0\0\0\x01\0\0\0\x01".to_vec();
    expected.extend(b"\0\0\0\x01k\0\0\0\x08\0\0\0\x01v");
    expected.extend(b"\0\0\0\x01t\0\0\0\x01\0\0\0\x03\0\0\0\x18\0\0\0\0\0\0\0\0");
    expected.resize(7 + (expected.len() - 7).next_multiple_of(32), 0);
    expected.extend([0, 1, 2]);
    expected.extend(b"end");
    assert_eq!(file.bytes(), expected);
    assert_eq!(file.gguf(), &expected[7..]);
    tiles(&file);
}

#[test]
fn the_padded_header_layout() {
    let file = Builder::new()
        .dialect(Dialect::PADDED_HEADER)
        .kv("k", "v")
        .tensor(Tensor::f32("t", &[1]))
        .without_data()
        .build();
    let mut expected = b"GGUF\x03\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x20\0\0\0\0\0\0\0".to_vec();
    expected.extend(b"\x01\0\0\0\0\0\0\0k\0\x08\0\0\0\x01\0\0\0\0\0\0\0v\0");
    expected.extend(b"\x01\0\0\0\0\0\0\0t\0\x01\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    expected.resize(expected.len().next_multiple_of(32), 0);
    assert_eq!(file.bytes(), expected);
    tiles(&file);
}

#[test]
fn the_short_ids_layout() {
    let file = Builder::new()
        .dialect(Dialect::SHORT_IDS)
        .kv("n", 5_u64)
        .kv("h", Value::F16(0x3c00))
        .kv("a", vec![true])
        .head_padding(false)
        .build();
    let mut expected = b"GGUF\x03\0\0\0\0\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0".to_vec();
    expected.extend(b"\x01\0\0\0\0\0\0\0n\x05\0\0\0\x05\0\0\0\0\0\0\0");
    expected.extend(b"\x01\0\0\0\0\0\0\0h\x07\0\0\0\0\x3c");
    expected.extend(b"\x01\0\0\0\0\0\0\0a\x0a\0\0\0\x01\0\0\0\x09\0\0\0\x01");
    assert_eq!(file.bytes(), expected);
}

#[test]
fn every_dialect_is_tiled_by_its_leaves() {
    for (name, dialect) in dialects() {
        let file = Builder::new()
            .dialect(dialect)
            .kv("k", Value::nested([Value::from(vec!["a", "b"]), Value::empty(Kind::String)]))
            .tensor(Tensor::f32("t", &[3]))
            .tensor(Tensor::f32("u", &[3]).offset(4))
            .tensor(Tensor::f32("v", &[3]).offset(100))
            .build();
        tiles(&file);
        assert_eq!(file.get("kv[0].value[0][1]"), b"b", "{name}");
        assert_eq!(file.get_u64("kv[0].value[0].count"), 2, "{name}");
    }
}

#[test]
fn breaking_one_field_changes_no_other() {
    let whole = Builder::new().kv("k", 1_u32).kv("l", "text").build();
    let mut file = whole.clone();
    file.set_u64("kv[0].value", 0x0102_0304);
    assert_eq!(file.get("kv[0].value"), [4, 3, 2, 1]);
    file.set_u64("kv[0].value", 1);
    assert_eq!(file, whole);
    file.splice("kv[0].key", "longer");
    assert_eq!(file.get("kv[0].value"), [1, 0, 0, 0]);
    assert_eq!(file.get("kv[1].value"), b"text");
    assert_eq!(file.span("kv[0]").len, whole.span("kv[0]").len + 5);
}

#[test]
fn the_block_table_is_by_id() {
    for (i, block) in BLOCKS.iter().enumerate() {
        assert_eq!(block.id as usize, i);
    }
}
