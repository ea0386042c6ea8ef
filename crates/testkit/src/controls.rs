//! Small documents that between them hold everything a head can hold: for tests that go over every byte.

use ggufkit_format::{Dialect, Endian};

use crate::builder::dialects;
use crate::{Builder, Kind, Tensor, Value};

/// Every value type, alone and in arrays; empty and nested arrays; text that is odd, long and not UTF-8; a bool of 2;
/// a key that occurs again; tensors of 0 to 3 dimensions and of three types. About 1 KB.
#[must_use]
pub fn everything(version: u32, endian: Endian) -> Builder {
    let document = Builder::new().version(version).endian(endian);
    let document = scalars(document);
    let document = arrays(document);
    document
        .kv("s", "é中🙂")
        .kv("s", "")
        .kv("bad", Value::String(b"\xff\xfe".to_vec()))
        .kv("", false)
        .alignment(16)
        .tensor(Tensor::f32("scalar", &[]))
        .tensor(Tensor::new("blk.0.q", 2, &[32, 2]))
        .tensor(Tensor::new("x", 24, &[3, 1, 2]))
        .tensor(Tensor::f32("none", &[4, 0]))
}

fn scalars(document: Builder) -> Builder {
    document
        .kv("u8", 0xfe_u8)
        .kv("i8", -2_i8)
        .kv("u16", 0x0102_u16)
        .kv("i16", -258_i16)
        .kv("u32", 0x0102_0304_u32)
        .kv("i32", -16_909_060_i32)
        .kv("f32", -1.5_f32)
        .kv("bool", Value::Bool(2))
        .kv("u64", 0x0102_0304_0506_0708_u64)
        .kv("i64", i64::MIN)
        .kv("f64", f64::NAN)
}

fn arrays(document: Builder) -> Builder {
    document
        .kv("a.u8", vec![1_u8, 2, 255])
        .kv("a.i16", vec![-1_i16, 2])
        .kv("a.u32", vec![1_u32, u32::MAX])
        .kv("a.f64", vec![0.5_f64])
        .kv("a.bool", Value::Array(Kind::Bool, vec![Value::Bool(0), Value::Bool(1), Value::Bool(7)]))
        .kv("a.s", Value::strings([&b"one"[..], b"", b"\xc3\x28", "中".as_bytes()]))
        .kv("a.none", Value::empty(Kind::String))
        .kv(
            "a.a",
            Value::nested([
                vec![1_u16, 2].into(),
                Value::empty(Kind::Array),
                Value::nested([vec!["x", "yz"].into(), Value::empty(Kind::U64)]),
            ]),
        )
}

/// What every layout can hold, for the ones that have fewer types: about 500 bytes.
#[must_use]
pub fn common(dialect: Dialect) -> Builder {
    Builder::new()
        .dialect(dialect)
        .kv("general.architecture", "llama")
        .kv("u8", 7_u8)
        .kv("n", 42_u32)
        .kv("big", u64::MAX - 1)
        .kv("f", 0.25_f32)
        .kv("yes", true)
        .kv("ids", vec![3_u32, 1, 2])
        .kv("flags", vec![true, false])
        .kv("tokens", vec!["<s>", "a", "", "bc"])
        .kv("none", Value::empty(Kind::U16))
        .kv("deep", Value::nested([vec!["p"].into(), vec![9_u16].into()]))
        .tensor(Tensor::f32("a.weight", &[4, 2]))
        .tensor(Tensor::new("b.weight", 8, &[32]))
        .tensor(Tensor::f32("c.bias", &[3]))
}

/// [`everything`] in each version and byte order, and [`common`] in each layout, named.
#[must_use]
pub fn all() -> Vec<(String, Builder)> {
    let mut out = vec![
        ("empty".to_owned(), Builder::new()),
        (
            "only tensors".to_owned(),
            Builder::new().tensor(Tensor::f32("t", &[1])).tensor(Tensor::f32("u", &[2])),
        ),
        ("at offset 7".to_owned(), common(Dialect::STANDARD).prefix(*b"7 bytes")),
    ];
    for version in [1, 2, 3] {
        for endian in [Endian::Little, Endian::Big] {
            out.push((format!("version {version}, {}", endian.name()), everything(version, endian)));
        }
    }
    for (name, dialect) in dialects() {
        out.push((name.to_owned(), common(dialect)));
    }
    out
}
