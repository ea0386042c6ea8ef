use ggufkit_format::{Index, Options, View, parse};
use ggufkit_testkit::{Builder, Tensor as Made};

use super::*;

struct File {
    bytes: Vec<u8>,
    index: Index,
}

impl File {
    fn new(builder: &Builder) -> Self {
        let bytes = builder.bytes();
        let index = parse(&bytes, Options::new()).into_result().unwrap();
        Self { bytes, index }
    }

    fn model(&self) -> Model<'_> {
        let view = View::new(&self.index, &self.bytes);
        Model::single(Part {
            label: ByteStr(b""),
            file_name: None,
            size: Some(self.bytes.len() as u64),
            view,
        })
    }
}

#[test]
fn sizes_of_unknown_types_are_the_distance_to_what_follows() {
    // unknown(156) at 0, F32 [8] at 128: at most 128 bytes. A type 99 at the end: what is left of the file.
    let file = File::new(
        &Builder::new()
            .tensor(Made::new("odd", 156, &[64]).data(vec![0; 100]))
            .tensor(Made::f32("plain", &[8]))
            .tensor(Made::new("last", 99, &[3]).data(vec![0; 32])),
    );
    let rows = rows(&file.model());
    let found: Vec<_> = rows.iter().map(|r| (r.size, r.sizing, r.in_file())).collect();
    assert_eq!(
        found,
        [
            (Some(128), Sizing::Inferred, Some(true)),
            (Some(32), Sizing::Exact, Some(true)),
            (Some(32), Sizing::Inferred, Some(true)),
        ]
    );
    let shares: Vec<_> =
        mix(rows).iter().map(|s| (s.tensor_type.0, s.totals.bytes, s.totals.sizing)).collect();
    let expected = [(156, 128, Sizing::Inferred), (0, 32, Sizing::Exact), (99, 32, Sizing::Inferred)];
    assert_eq!(shares, expected);
}

#[test]
fn a_position_past_the_end_is_not_in_the_file() {
    let file = File::new(&Builder::new().tensor(Made::new("far", 156, &[8]).data(vec![]).offset(1 << 40)));
    let row = rows(&file.model()).remove(0);
    assert_eq!((row.size, row.sizing, row.in_file()), (None, Sizing::Unknown, Some(false)));
}

#[test]
fn groups_add_up() {
    // F32 [4]: 16 bytes; Q8_0 [32, 2]: 2 * 34 bytes.
    let file = File::new(
        &Builder::new()
            .tensor(Made::f32("norm", &[4]))
            .tensor(Made::new("blk.10.a", 8, &[32, 2]))
            .tensor(Made::f32("blk.2.a", &[4]))
            .tensor(Made::f32("blk.10.b", &[4])),
    );
    let table = Table::new(&file.model());
    let by = |by| -> Vec<(GroupKey, u64, u64)> {
        groups(table.iter(), by).iter().map(|g| (g.key, g.totals.tensors, g.totals.bytes)).collect()
    };
    assert_eq!(
        by(GroupBy::Layer),
        [(GroupKey::Layer(2), 1, 16), (GroupKey::Layer(10), 2, 84), (GroupKey::NoLayer, 1, 16)]
    );
    assert_eq!(
        by(GroupBy::Type),
        [(GroupKey::Type(TensorType(8)), 1, 68), (GroupKey::Type(TensorType(0)), 3, 48)]
    );
    assert_eq!(by(GroupBy::Shard), [(GroupKey::Shard(0), 4, 116)]);
    let names = |order| -> Vec<String> {
        let places = ordered(&table, order, |row| row.layer.is_some());
        places.iter().map(|(p, i)| table.row(*p, *i).unwrap().name.display().to_string()).collect()
    };
    assert_eq!(names(Order::Index), ["blk.10.a", "blk.2.a", "blk.10.b"]);
    assert_eq!(names(Order::Name), ["blk.2.a", "blk.10.a", "blk.10.b"]);
    assert_eq!(names(Order::Size), ["blk.10.a", "blk.2.a", "blk.10.b"]);
}

#[test]
fn shapes_from_before_a_fold_are_found_by_name() {
    let file = File::new(
        &Builder::new()
            .kv("comfy.gguf.orig_shape.b", vec![2_i32, 3])
            .kv("comfy.gguf.orig_shape.a", vec![4_i32, 2])
            .kv("comfy.gguf.orig_shape.b", vec![9_i32])
            .kv("comfy.gguf.orig_shape.c", 1_u32)
            .kv("comfy.gguf.orig_shape.d", vec![-1_i32]),
    );
    let shapes = OriginalShapes::new(&file.model());
    let of = |name: &str| shapes.of(ByteStr(name.as_bytes()));
    assert_eq!(of("a").and_then(|shape| shape.dims()), Some(vec![4, 2]));
    assert_eq!(of("b").and_then(|shape| shape.elements()), Some(6));
    assert!(of("c").is_none());
    assert_eq!(of("d").map(|shape| shape.dims()), Some(None));
    assert!(of("e").is_none());
}
