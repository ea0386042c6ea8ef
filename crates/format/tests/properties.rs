//! Properties: whatever is written is read back, whatever is read does not panic.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use ggufkit_format::dialect::TypeIds;
use ggufkit_format::{Dialect, Endian, Options, parse};
use ggufkit_testkit::builder::{BLOCKS, dialects};
use ggufkit_testkit::reading::{account, assert_reads_back, in_pieces};
use ggufkit_testkit::{Builder, Kind, Tensor, Value, fuzzing};
use proptest::collection::vec;
use proptest::prelude::*;

/// Text of all kinds: plain, of any characters, of any bytes, and long enough for a length that is not ASCII.
fn text() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => "[a-z_.]{0,12}".prop_map(String::into_bytes),
        2 => any::<String>().prop_map(String::into_bytes),
        1 => vec(any::<u8>(), 0..20),
        1 => (any::<char>(), 40..400_usize).prop_map(|(c, n)| c.to_string().repeat(n).into_bytes()),
    ]
}

fn scalar(kind: Kind) -> BoxedStrategy<Value> {
    match kind {
        Kind::U8 => any::<u8>().prop_map(Value::U8).boxed(),
        Kind::I8 => any::<i8>().prop_map(Value::I8).boxed(),
        Kind::U16 => any::<u16>().prop_map(Value::U16).boxed(),
        Kind::I16 => any::<i16>().prop_map(Value::I16).boxed(),
        Kind::U32 => any::<u32>().prop_map(Value::U32).boxed(),
        Kind::I32 => any::<i32>().prop_map(Value::I32).boxed(),
        // By their bits, so that every NaN occurs.
        Kind::F32 => any::<u32>().prop_map(|v| Value::F32(f32::from_bits(v))).boxed(),
        Kind::F64 => any::<u64>().prop_map(|v| Value::F64(f64::from_bits(v))).boxed(),
        Kind::F16 => any::<u16>().prop_map(Value::F16).boxed(),
        Kind::Bool => any::<u8>().prop_map(Value::Bool).boxed(),
        Kind::U64 => any::<u64>().prop_map(Value::U64).boxed(),
        Kind::I64 => any::<i64>().prop_map(Value::I64).boxed(),
        Kind::String => text().prop_map(Value::String).boxed(),
        Kind::Array => Just(Value::empty(Kind::U8)).boxed(),
    }
}

/// A value of the kinds that the numbering has; arrays up to three deep, some with more strings than lie between marks.
fn value(ids: TypeIds) -> impl Strategy<Value = Value> {
    let kinds: &[Kind] = if ids == TypeIds::Short { &Kind::SHORT } else { &Kind::ALL };
    let kind = proptest::sample::select(kinds.to_vec());
    let leaf = kind.clone().prop_flat_map(scalar);
    let flat = kind.prop_flat_map(|kind| {
        let most = if kind == Kind::String { 150 } else { 12 };
        vec(scalar(kind), 0..most).prop_map(move |items| Value::Array(kind, items))
    });
    let array = flat.prop_recursive(3, 300, 5, |inner| vec(inner, 0..5).prop_map(Value::nested));
    prop_oneof![leaf, array]
}

fn tensor() -> impl Strategy<Value = Tensor> {
    let block = proptest::sample::select(BLOCKS.to_vec());
    (text(), block, vec(0..4_u64, 0..5), prop_oneof![4 => Just(None), 1 => any::<u64>().prop_map(Some)])
        .prop_map(|(name, block, mut dims, offset)| {
            if let Some(row) = dims.first_mut() {
                *row *= block.elems;
            }
            let tensor = Tensor::new(name, block.id, &dims);
            if let Some(offset) = offset { tensor.offset(offset) } else { tensor }
        })
}

fn layout() -> impl Strategy<Value = (u32, Endian, Dialect)> {
    let dialects: Vec<Dialect> = dialects().into_iter().map(|(_, d)| d).collect();
    let dialect = prop_oneof![2 => Just(Dialect::STANDARD), 1 => proptest::sample::select(dialects)];
    (1..=3_u32, prop_oneof![Just(Endian::Little), Just(Endian::Big)], dialect)
}

fn document() -> impl Strategy<Value = Builder> {
    (layout(), vec(any::<u8>(), 0..40)).prop_flat_map(|((version, endian, dialect), prefix)| {
        let kvs = vec((text(), value(dialect.type_ids)), 0..8);
        (kvs, vec(tensor(), 0..5), 0..10_u32).prop_map(move |(kvs, tensors, alignment)| {
            let mut document =
                Builder::new().version(version).endian(endian).dialect(dialect).prefix(prefix.clone());
            // A key that is by chance the alignment's would change the layout; no strategy makes one.
            if alignment > 0 {
                document = document.alignment(1 << alignment);
            }
            let document = kvs.into_iter().fold(document, |d, (key, value)| d.kv(key, value));
            tensors.into_iter().fold(document, Builder::tensor)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(document in document(), piece in 1..500_usize, text in any::<bool>()) {
        let file = document.build();
        let options = Options::new().with_base(file.base()).with_dialect(document.layout()).with_text(text);
        let outcome = parse(file.gguf(), options.with_size(Some(file.size())));
        prop_assert_eq!(&outcome.error, &None);
        assert_reads_back(&document, &file, outcome.index.as_ref().unwrap());
        let pieces = in_pieces(file.gguf(), options.with_size(Some(file.size())), |_| piece);
        prop_assert_eq!(account(&pieces), account(&outcome));
    }

    #[test]
    fn random_bytes_are_survived(bytes in vec(any::<u8>(), 0..300)) {
        fuzzing::parse(&bytes);
        fuzzing::chunks(&bytes);
        fuzzing::fields(&bytes);
    }

    /// After a good header, most of it is still noise, and it gets farther.
    #[test]
    fn random_heads_are_survived(version in 1..4_u8, counts in (0..4_u8, 0..9_u8), bytes in vec(0..16_u8, 0..300)) {
        let mut head = b"GGUF".to_vec();
        head.extend([version, 0, 0, 0]);
        let zeros = if version == 1 { 3 } else { 7 };
        for count in [counts.0, counts.1] {
            head.push(count);
            head.extend(vec![0; zeros]);
        }
        head.extend(bytes);
        fuzzing::parse(&head);
        fuzzing::fields(&head);
        fuzzing::chunks(&[&[version; 8][..], &head].concat());
    }

    #[test]
    fn random_damage_is_survived(document in document(), at in vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        let mut bytes = document.build().gguf().to_vec();
        for (place, byte) in at {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        fuzzing::parse(&bytes);
        fuzzing::fields(&bytes);
    }
}
