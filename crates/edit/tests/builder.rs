//! New files: the bytes that another writer makes of the same document, and what is refused.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod common;

use ggufkit_edit::{Builder, BuilderError, Data, NewValue};
use ggufkit_format::spec::{TensorType, ValueType};
use ggufkit_format::{Dialect, Endian, Scalar, Span};
use ggufkit_testkit as testkit;
use ggufkit_testkit::{Kind, Tensor, Value, controls, random};

fn value(value: &Value) -> NewValue {
    NewValue::Scalar(match value {
        Value::U8(v) => Scalar::U8(*v),
        Value::I8(v) => Scalar::I8(*v),
        Value::U16(v) => Scalar::U16(*v),
        Value::I16(v) => Scalar::I16(*v),
        Value::U32(v) => Scalar::U32(*v),
        Value::I32(v) => Scalar::I32(*v),
        Value::F32(v) => Scalar::F32(*v),
        Value::U64(v) => Scalar::U64(*v),
        Value::I64(v) => Scalar::I64(*v),
        Value::F64(v) => Scalar::F64(*v),
        Value::Bool(v) => Scalar::Bool(*v),
        Value::String(bytes) => return NewValue::String(bytes.clone()),
        Value::Array(kind, items) => {
            let ty = ValueType(kind.id(ggufkit_format::dialect::TypeIds::Standard));
            return NewValue::Array(ty, items.iter().map(self::value).collect());
        }
        other => panic!("{other:?}"),
    })
}

/// The same document for the other writer, data from memory; and from a source, with that source.
fn both<'a>(
    document: &testkit::Builder,
    version: u32,
    endian: Endian,
) -> (Builder<'a>, Builder<'a>, Vec<u8>) {
    let mut memory = Builder::new();
    memory.version(version).endian(endian);
    for (key, one) in document.kvs() {
        memory.set(key, value(one));
    }
    let mut copied = memory.clone();
    let mut source = b"something before".to_vec();
    for tensor in document.tensors() {
        let ty = TensorType(tensor.type_id);
        memory.tensor(&tensor.name, &tensor.dims, ty, tensor.data.clone());
        let span = Span::new(source.len() as u64, tensor.data.len() as u64);
        copied.tensor(&tensor.name, &tensor.dims, ty, span);
        source.extend_from_slice(&tensor.data);
    }
    (memory, copied, source)
}

#[track_caller]
fn same(name: &str, document: &testkit::Builder, version: u32, endian: Endian) {
    let wanted = document.bytes();
    let (memory, copied, source) = both(document, version, endian);
    let plan = memory.plan().unwrap();
    assert_eq!((plan.len(), plan.copied()), (wanted.len() as u64, 0), "{name}");
    assert!(plan.render(&[]).unwrap() == wanted, "{name}");
    let plan = copied.plan().unwrap();
    plan.verify(source.len() as u64).unwrap();
    assert!(plan.render(&source).unwrap() == wanted, "{name}, copied");
    // It reads back as what it was made of, and makes itself once more.
    assert!(common::edited(&wanted, 0, Dialect::STANDARD, |_| ()) == wanted);
    let head = memory.plan_head().unwrap().render(&[]).unwrap();
    assert!(wanted.starts_with(&head), "{name}, the head alone");
    assert_eq!(memory.plan_zeros().unwrap().len(), wanted.len() as u64);
}

#[test]
fn the_bytes_are_those_of_another_writer() {
    for seed in 0..40 {
        let endian = [Endian::Little, Endian::Big][seed as usize % 2];
        same(&format!("random {seed}"), &random::document(seed, endian), 3, endian);
    }
    for (version, endian) in [(2, Endian::Little), (3, Endian::Little), (3, Endian::Big)] {
        // That one has a key twice, which is not written.
        let mut keys = std::collections::HashSet::new();
        let mut once = testkit::Builder::new().version(version).endian(endian);
        let everything = controls::everything(version, endian);
        for (key, one) in everything.kvs().iter().filter(|(key, _)| keys.insert(key.clone())) {
            once = once.kv(key, one.clone());
        }
        once = everything.tensors().iter().cloned().fold(once, testkit::Builder::tensor);
        let alignment = once.kvs().iter().find(|(key, _)| key == b"general.alignment");
        if let Some((_, Value::U32(alignment))) = alignment.cloned() {
            once = once.layout_alignment(alignment.into());
        }
        same("everything", &once, version, endian);
        for alignment in [1_u32, 8, 24, 32, 64, 4096] {
            let document = testkit::Builder::new().version(version).endian(endian).kv("k", "v");
            let document = document.alignment(alignment);
            same("no tensors", &document, version, endian);
            let document = document.tensor(Tensor::f32("a", &[3])).tensor(Tensor::f32("empty", &[3, 0]));
            same("alignment", &document.tensor(Tensor::f32("b", &[])), version, endian);
        }
        let empty = testkit::Builder::new().version(version).endian(endian);
        same("nothing at all", &empty, version, endian);
        let mut document = empty.clone();
        for (at, kind) in Kind::ALL.into_iter().enumerate() {
            document = document.kv(format!("empty.{at}"), Value::empty(kind));
        }
        let inner = Value::nested([Value::empty(Kind::U8), Value::strings(["a", "", "\u{0}"])]);
        document = document.kv("nested", Value::nested([inner.clone(), Value::nested([inner])]));
        document = document.kv("nan", f32::from_bits(0x7fa0_0001)).kv(b"\xff\xfe", Value::Bool(3));
        document = document.kv("bytes", Value::String(vec![0xff, 0, 0xc0]));
        same("nested and odd", &document, version, endian);
    }
    for info in ggufkit_format::spec::TENSOR_TYPES.iter().filter(|info| !info.is_removed()) {
        let tensor = Tensor::new("t", info.ty.0, &[u64::from(info.block_elems) * 3, 2]);
        same(info.name, &testkit::Builder::new().tensor(tensor), 3, Endian::Little);
    }
}

#[test]
fn values_of_rust_have_their_types() {
    let mut file = Builder::new();
    file.set("a", 1_u8).set("b", -1_i8).set("c", 2_u16).set("d", -2_i16).set("e", 3_u32).set("f", -3_i32);
    file.set("g", 4_u64)
        .set("h", -4_i64)
        .set("i", 0.5_f32)
        .set("j", 0.25_f64)
        .set("k", true)
        .set("l", "text");
    file.set("m", [1_u32, 2]).set("n", vec!["x".to_owned()]).set("o", Vec::<f32>::new());
    file.set("p", vec![vec![true], vec![]]).set("q", &[7_i64, 8][..]);
    let wanted = testkit::Builder::new()
        .kv("a", 1_u8)
        .kv("b", Value::I8(-1))
        .kv("c", 2_u16)
        .kv("d", Value::I16(-2))
        .kv("e", 3_u32)
        .kv("f", Value::I32(-3))
        .kv("g", Value::U64(4))
        .kv("h", Value::I64(-4))
        .kv("i", 0.5_f32)
        .kv("j", Value::F64(0.25))
        .kv("k", Value::Bool(1))
        .kv("l", "text")
        .kv("m", Value::Array(Kind::U32, vec![Value::U32(1), Value::U32(2)]))
        .kv("n", Value::strings(["x"]))
        .kv("o", Value::empty(Kind::F32))
        .kv("p", Value::nested([Value::Array(Kind::Bool, vec![Value::Bool(1)]), Value::empty(Kind::Bool)]))
        .kv("q", Value::Array(Kind::I64, vec![Value::I64(7), Value::I64(8)]));
    assert_eq!(file.plan().unwrap().render(&[]).unwrap(), wanted.bytes());
}

#[test]
fn what_makes_no_file_is_refused_before() {
    let told = |change: &dyn Fn(&mut Builder<'_>)| {
        let mut file = Builder::new();
        change(&mut file);
        file.plan().unwrap_err().to_string()
    };
    let f32s = TensorType::F32;
    assert_eq!(
        told(&|file| {
            file.set("k", 1_u8).set("k", 2_u8);
        }),
        "the key \"k\" is given twice"
    );
    assert_eq!(
        told(&|file| {
            file.tensor("t", &[1], f32s, Data::Zeros).tensor("t", &[1], f32s, Data::Zeros);
        }),
        "two tensors are called \"t\""
    );
    assert_eq!(
        told(&|file| {
            file.tensor("t", &[33], TensorType::Q4_0, Data::Zeros);
        }),
        "tensor \"t\": row length 33 is not a multiple of the block of 32 elements"
    );
    assert_eq!(
        told(&|file| {
            file.tensor("t", &[2], f32s, vec![0; 7]);
        }),
        "tensor \"t\": type and shape ask for 8 bytes, and the data has 7"
    );
    assert_eq!(
        told(&|file| {
            file.tensor("t", &[2], f32s, Span::new(0, 9));
        }),
        "tensor \"t\": type and shape ask for 8 bytes, and the data has 9"
    );
    assert!(
        told(&|file| {
            file.tensor("t", &[2], TensorType(156), Data::Zeros);
        })
        .contains("not known")
    );
    assert!(
        told(&|file| {
            file.tensor("t", &[u64::MAX, 2], f32s, Data::Zeros);
        })
        .contains("overflows")
    );
    let mixed = NewValue::Array(ValueType::UINT8, vec![1_u8.into(), 2_u16.into()]);
    assert_eq!(
        told(&|file| {
            file.set("k", mixed.clone());
        }),
        "element [1] in \"k\" is not of the type of its array, u8"
    );
    let strange = NewValue::Array(ValueType(99), vec![]);
    assert!(
        told(&|file| {
            file.set("k", strange.clone());
        })
        .contains("no type of elements")
    );
    let mut file = Builder::new();
    file.version(2).endian(Endian::Big);
    assert!(matches!(file.plan(), Err(BuilderError::Encode(_))));
    assert!(
        told(&|file| {
            file.version(1);
        })
        .contains("version 1 is not written")
    );
    for value in [0_u32.into(), (-1_i32).into(), 0_i64.into()] {
        let value: NewValue = value;
        assert!(
            told(&|file| {
                file.set("general.alignment", value.clone());
            })
            .contains("no positive")
        );
    }
    let text = |file: &mut Builder<'_>| {
        file.set("general.alignment", "32").tensor("t", &[1], f32s, Data::Zeros);
    };
    assert!(told(&text).contains("no positive whole number"));
    let half = 1_u64 << 61;
    let many = |file: &mut Builder<'_>| {
        for at in 0..4 {
            file.tensor(format!("t{at}"), &[half], f32s, Span::new(0, half * 4));
        }
    };
    assert!(told(&many).contains("2^64"));
}

#[test]
fn arrays_are_nested_as_deep_as_readers_follow() {
    let nested = |depth: u32| {
        let mut value = NewValue::Array(ValueType::UINT8, vec![]);
        for _ in 1..depth {
            value = NewValue::Array(ValueType::ARRAY, vec![value]);
        }
        let mut file = Builder::new();
        file.set("k", value);
        file.plan().map(|plan| plan.render(&[]).unwrap())
    };
    let deepest = ggufkit_format::Limits::default().max_depth;
    common::parsed(&nested(deepest).unwrap(), 0, Dialect::STANDARD);
    assert!(matches!(nested(deepest + 1), Err(BuilderError::TooDeep { .. })));
    assert!(matches!(nested(2000), Err(BuilderError::TooDeep { .. })));
}
