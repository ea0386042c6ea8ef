//! The cases of llama.cpp's `tests/test-gguf.cpp` that its reader refuses, on files of our own.
//!
//! That reader guards a loader; this one reads whatever can be located and lets others judge. So each case comes in one
//! of two kinds: [`Refused`](Expect::Refused), where we stop too, with what is said and where; and
//! [`Read`](Expect::Read), where we read on, with the anomaly or the number that tells a checker.

#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests")]

use ggufkit_format::layout::SizeError;
use ggufkit_format::spec::ValueType;
use ggufkit_format::{AlignmentSource, AnomalyKind, Index, Options, Reason, parse};
use ggufkit_testkit::{Builder, Built, Tensor, Value};

/// What we make of a case.
#[derive(Clone)]
enum Expect {
    /// The reading stops: for this reason, at this field.
    Refused(Reason, &'static str),
    /// The reading goes on: with this anomaly at this field, or none.
    Read(Option<(AnomalyKind, &'static str)>, fn(&Index)),
}

#[derive(Clone)]
struct Case {
    name: &'static str,
    file: Built,
    expect: Expect,
}

fn kvs() -> Builder {
    Builder::new().kv("my_key_0", 1_u32).kv("my_key_1", "text").kv("my_key_2", vec![1_u16, 2])
}

fn tensors() -> Builder {
    kvs().tensor(Tensor::f32("my_tensor_0", &[4, 2])).tensor(Tensor::f32("my_tensor_1", &[3]))
}

fn patched(document: Builder, field: &str, value: u64) -> Built {
    let mut file = document.build();
    file.set_u64(field, value);
    file
}

const ALL: u64 = u64::MAX;

fn refused(name: &'static str, file: Built, reason: Reason, field: &'static str) -> Case {
    Case { name, file, expect: Expect::Refused(reason, field) }
}

fn read(
    name: &'static str,
    file: Built,
    anomaly: Option<(AnomalyKind, &'static str)>,
    check: fn(&Index),
) -> Case {
    Case { name, file, expect: Expect::Read(anomaly, check) }
}

fn header_cases() -> Vec<Case> {
    let mut magic = kvs().build();
    magic.patch("header.magic", b"FUGG");
    let after_header = kvs().build().size() - 24;
    vec![
        refused("HEADER_BAD_MAGIC", magic, Reason::BadMagic { found: *b"FUGG" }, "header.magic"),
        refused(
            "HEADER_BAD_VERSION_0",
            patched(kvs(), "header.version", 0),
            Reason::BadVersion { found: 0 },
            "header.version",
        ),
        // Version 1 is read here; see `version_1_is_read`. The same bytes under the number 1 are no version 1 file:
        // its counts take 32 bits, so the kv count is the upper half of the tensor count, and there is nothing to read.
        read("HEADER_BAD_VERSION_1", patched(kvs(), "header.version", 1), None, |index| {
            assert_eq!((index.header().version, index.header().kv_count), (1, 0));
        }),
        refused(
            "HEADER_BAD_VERSION_FUTURE",
            patched(kvs(), "header.version", 4),
            Reason::BadVersion { found: 4 },
            "header.version",
        ),
        refused(
            "HEADER_BAD_N_KV",
            patched(kvs(), "header.kv_count", ALL),
            // 13 bytes for each at least, which is more than 64 bits can say.
            Reason::TooLarge { what: "count", declared: ALL, needed: ALL, remaining: after_header },
            "header.kv_count",
        ),
        refused(
            "HEADER_BAD_N_TENSORS",
            patched(kvs(), "header.tensor_count", ALL),
            Reason::TooLarge { what: "count", declared: ALL, needed: ALL, remaining: after_header },
            "header.tensor_count",
        ),
    ]
}

fn kv_cases() -> Vec<Case> {
    let size = kvs().build().size();
    let mut array = patched(kvs(), "kv[2].value.count", 1 << 29);
    array.truncate(size);
    let elements = array.span("kv[2].value[0]").start;
    vec![
        refused(
            "KV_BAD_KEY_SIZE",
            patched(kvs(), "kv[0].key.length", ALL),
            Reason::TooLarge { what: "length", declared: ALL, needed: ALL, remaining: size - 32 },
            "kv[0].key",
        ),
        // Differs: an empty key is odd, and nothing that follows it is lost.
        read(
            "KV_EMPTY_KEY",
            Builder::new().kv("", 1_u32).kv("", "text").build(),
            Some((AnomalyKind::EmptyKey, "kv[1].key")),
            |index| assert_eq!(index.kvs().len(), 2),
        ),
        refused(
            "KV_BAD_TYPE",
            Builder::new().kv("my_key_0", Value::Raw { type_id: 13, bytes: vec![0] }).build(),
            Reason::UnknownValueType { id: 13, element: false },
            "kv[0].type",
        ),
        // Not in upstream's list, and the same question for elements.
        refused(
            "KV_BAD_TYPE of elements",
            patched(kvs(), "kv[2].value.element_type", 13),
            Reason::UnknownValueType { id: 13, element: true },
            "kv[2].value.element_type",
        ),
        // Differs: both are kept, in order; a checker names the pair.
        read("KV_DUPLICATE_KEY", Builder::new().kv("k", 1_u32).kv("k", 2_u32).build(), None, |index| {
            let values: Vec<_> = index.kvs().iter().map(|kv| &kv.payload).collect();
            assert_eq!(format!("{values:?}"), "[Scalar(U32(1)), Scalar(U32(2))]");
        }),
        // Differs: 13 is used as it stands. 24 (header) + 37 (record) = 61 bytes of head end at 65.
        read(
            "KV_BAD_ALIGN",
            Builder::new().alignment(13).build(),
            Some((AnomalyKind::AlignmentNotPowerOfTwo(13), "kv[0].value")),
            |index| assert_eq!((index.alignment(), index.data_start()), (13, Some(65))),
        ),
        // Differs: an i32 is a number too.
        read(
            "KV_WRONG_TYPE_ALIGN",
            Builder::new().kv("general.alignment", 64_i32).layout_alignment(64).build(),
            Some((AnomalyKind::AlignmentType(ValueType::INT32), "kv[0].value")),
            |index| assert_eq!((index.alignment(), index.data_start()), (64, Some(64))),
        ),
        // The case that upstream took out because it asked for a terabyte: here it costs nothing.
        refused(
            "KV_BAD_VALUE_SIZE of a string",
            patched(kvs(), "kv[1].value.length", 1 << 40),
            Reason::TooLarge {
                what: "length",
                declared: 1 << 40,
                needed: 1 << 40,
                remaining: size - kvs().build().span("kv[1].value").start,
            },
            "kv[1].value",
        ),
        refused(
            "KV_BAD_VALUE_SIZE of an array under the limit",
            array,
            Reason::UnexpectedEnd { needed: 1 << 30, remaining: size - elements },
            "kv[2].value",
        ),
        refused(
            "KV_BAD_VALUE_SIZE of an array over the limit",
            patched(kvs(), "kv[2].value.count", ALL),
            Reason::TooLarge { what: "array length", declared: ALL, needed: ALL, remaining: size - elements },
            "kv[2].value.count",
        ),
    ]
}

fn tensor_cases() -> Vec<Case> {
    let long = "t".repeat(64);
    let shape =
        |type_id, dims: &[u64]| Builder::new().tensor(Tensor::new("my_tensor", type_id, dims)).build();
    let (big, max) = (4 * ((1_u64 << 31) - 1), ALL);
    vec![
        // Differs: a name of any length is read; ggml's 63 bytes are a checker's matter.
        read(
            "TENSORS_BAD_NAME_SIZE",
            Builder::new().tensor(Tensor::f32(&long, &[1])).build(),
            None,
            |index| assert_eq!(index.tensors()[0].name.span.len, 64),
        ),
        // Differs: five dimensions can be read.
        read(
            "TENSORS_BAD_N_DIMS",
            shape(0, &[1, 2, 3, 1, 2]),
            Some((AnomalyKind::ManyDimensions(5), "tensors[0].n_dims")),
            |index| assert_eq!(index.data_span(&index.tensors()[0]).map(|s| s.len), Ok(48)),
        ),
        // Differs in the place: the record is read, its size cannot be.
        read("TENSORS_BAD_SHAPE", shape(0, &[max, max]), None, |index| {
            assert_eq!(index.dims(&index.tensors()[0]), [ALL, ALL]);
            assert_eq!(index.data_span(&index.tensors()[0]), Err(SizeError::Overflow));
        }),
        read("TENSORS_NE_TOO_BIG", shape(0, &[big, big, big]), None, |index| {
            assert_eq!(index.data_span(&index.tensors()[0]), Err(SizeError::Overflow));
        }),
        // I64: dims of floor(sqrt((2^64-1)/8)) + 1.
        read("TENSORS_NBYTES_TOO_BIG", shape(27, &[1_518_500_250, 1_518_500_250]), None, |index| {
            assert_eq!(index.data_span(&index.tensors()[0]), Err(SizeError::Overflow));
        }),
        // 2^64 - 16 bytes: the number fits, a position after it does not.
        read("TENSORS_NBYTES_PAD_WRAP", shape(0, &[4, (1 << 30) - 1, (1 << 30) + 1]), None, |index| {
            assert_eq!(index.data_span(&index.tensors()[0]), Err(SizeError::Overflow));
        }),
        // Differs: a type that nobody knows is data.
        read(
            "TENSORS_BAD_TYPE",
            shape(43, &[32]),
            Some((AnomalyKind::UnknownTensorType(ggufkit_format::spec::TensorType(43)), "tensors[0].type")),
            |index| {
                let tensor = &index.tensors()[0];
                assert_eq!(index.data_span(tensor), Err(SizeError::UnknownType(tensor.tensor_type)));
            },
        ),
        // Differs: the offset is kept as it is and has no place in 64 bits.
        read("TENSORS_BAD_OFFSET", patched(tensors(), "tensors[1].offset", ALL), None, |index| {
            let tensor = &index.tensors()[1];
            assert_eq!((tensor.offset, index.data_position(tensor)), (ALL, None));
            assert_eq!(index.data_span(tensor), Err(SizeError::Overflow));
        }),
        // Differs: both are kept.
        read(
            "TENSORS_DUPLICATE_NAME",
            Builder::new().tensor(Tensor::f32("t", &[1])).tensor(Tensor::f32("t", &[2])).build(),
            None,
            |index| assert_eq!(index.tensors().len(), 2),
        ),
        read(
            "TENSORS_BAD_ALIGN",
            Builder::new()
                .alignment(13)
                .tensor(Tensor::f32("t", &[4]))
                .tensor(Tensor::f32("u", &[1]))
                .build(),
            Some((AnomalyKind::AlignmentNotPowerOfTwo(13), "kv[0].value")),
            |index| {
                // 16 bytes, padded to 26.
                assert_eq!(index.tensors()[1].offset, 26);
                assert_eq!(index.data_start().map(|at| at % 13), Some(0));
            },
        ),
        // Differs: the offset is what the file says. A checker tells that 9 is no multiple of 32.
        read(
            "TENSORS_INCONSISTENT_ALIGN, DATA_INCONSISTENT_ALIGN",
            Builder::new()
                .tensor(Tensor::new("t", 24, &[9]))
                .tensor(Tensor::new("u", 24, &[1]).offset(9))
                .build(),
            None,
            |index| {
                let span = index.data_span(&index.tensors()[1]).unwrap();
                assert_eq!((span.start % 32, span.len, index.alignment()), (9, 1, 32));
            },
        ),
    ]
}

/// Only the head is read, so that a data section which is too short shows in the spans.
fn data_cases() -> Vec<Case> {
    let mut short = tensors().build();
    short.truncate(short.size() - 1);
    let huge = 0x7fff_ffff_ffff_ffc0;
    vec![
        // Differs: one byte of padding is missing, and no tensor reaches there.
        read("DATA_NOT_ENOUGH_DATA", short, None, |index| {
            let size = tensors().build().size() - 1;
            let ends = index.tensors().iter().map(|t| index.data_span(t).unwrap().end());
            assert!(ends.max().unwrap() <= size);
        }),
        read(
            "DATA_BAD_ALIGN",
            Builder::new().alignment(13).tensor(Tensor::f32("t", &[4])).build(),
            Some((AnomalyKind::AlignmentNotPowerOfTwo(13), "kv[0].value")),
            |index| assert_eq!(index.data_span(&index.tensors()[0]).map(|s| s.len), Ok(16)),
        ),
        // Differs: both have a size and a place, 2^64 - 32 being the end of the second. What overflows upstream is the
        // memory to hold them; here a checker sees that they lie past the file's end.
        read(
            "DATA_MEM_SIZE_OVERFLOW",
            Builder::new()
                .tensor(Tensor::new("t", 24, &[huge]).data([0; 32]))
                .tensor(Tensor::new("u", 24, &[huge]).offset(huge))
                .build(),
            None,
            |index| {
                let [t, u] = index.tensors() else { panic!("two tensors") };
                assert_eq!(index.data_span(t).map(|s| s.len), Ok(0x7fff_ffff_ffff_ffc0));
                assert_eq!(index.data_start(), Some(96));
                assert_eq!(index.data_span(u).map(|s| s.end()), Ok(u64::MAX - 31));
            },
        ),
    ]
}

#[test]
fn what_gguf_cpp_refuses() {
    let cases = [header_cases(), kv_cases(), tensor_cases(), data_cases()].concat();
    assert_eq!(cases.len(), 30);
    for Case { name, file, expect } in cases {
        let outcome = parse(file.gguf(), Options::new().with_size(Some(file.size())));
        match expect {
            Expect::Refused(reason, field) => {
                let error = outcome.error.unwrap_or_else(|| panic!("{name}: was read"));
                assert_eq!(error.reason(), &reason, "{name}");
                assert_eq!(error.path().to_string(), field, "{name}");
            }
            Expect::Read(anomaly, check) => {
                let index = outcome.into_result().unwrap_or_else(|e| panic!("{name}: {e}"));
                let last = index.anomalies().last();
                let found = last.map(|a| (a.kind, a.path.to_string()));
                assert_eq!(found, anomaly.map(|(kind, field)| (kind, field.to_owned())), "{name}");
                if let (Some(found), Some((_, field))) = (last, anomaly)
                    && !found.span.is_empty()
                    && !field.ends_with(".key")
                {
                    assert_eq!(found.span, file.span(field), "{name}");
                }
                check(&index);
            }
        }
    }
}

#[test]
fn errors_stand_at_the_field_they_name() {
    for case in [header_cases(), kv_cases()].concat() {
        let Expect::Refused(_, field) = case.expect else { continue };
        let error = parse(case.file.gguf(), Options::new().with_size(Some(case.file.size()))).error.unwrap();
        let span = case.file.span(field);
        // A length that cannot be is reported where it stands, eight bytes before the text that it speaks of; a value
        // that is too short from its first element on.
        let from = span.start - if error.code() == "declared-too-large" { 8 } else { 0 };
        assert!(from <= error.offset() && error.offset() <= span.end(), "{}: {error}", case.name);
    }
}

/// Refused alignments: 0 has no multiple, and a negative one neither.
#[test]
fn alignments_that_nobody_can_compute_with() {
    for (value, ty, found) in [
        (Value::from(0_u32), ValueType::UINT32, Some(0)),
        (Value::from(-32_i32), ValueType::INT32, Some(-32)),
        (Value::from("32"), ValueType::STRING, None),
        (Value::from(vec![32_u32]), ValueType::ARRAY, None),
        (Value::from(32.0_f32), ValueType::FLOAT32, None),
    ] {
        let document = Builder::new().kv("general.alignment", value).tensor(Tensor::f32("t", &[1]));
        let file = document.build();
        let error = parse(file.gguf(), Options::new()).error.expect("refused");
        assert_eq!(error.reason(), &Reason::BadAlignment { value_type: ty, value: found });
        assert_eq!(error.path().to_string(), "kv[0].value");
        assert_eq!(error.offset(), file.span("kv[0].type").end());
    }
}

/// Without tensors there is nothing to align: a value that is no number is only odd.
#[test]
fn an_unusable_alignment_without_tensors_is_odd() {
    let file = Builder::new().kv("general.alignment", "thirty-two").build();
    let index = parse(file.gguf(), Options::new()).into_result().unwrap();
    assert_eq!(index.anomalies()[0].kind, AnomalyKind::AlignmentUnusable);
    // Not "absent": the key is there.
    assert!(matches!(index.alignment_source(), AlignmentSource::Unusable(_)));
    assert_eq!(index.alignment(), 32);
    assert_eq!(index.alignment(), 32);
}

/// gguf-py's tests: a number of dimensions, and a product of dimensions that wraps to 4.
#[test]
fn the_cases_of_gguf_py() {
    let mut file = Builder::new().tensor(Tensor::f32("t", &[4])).build();
    file.set_u64("tensors[0].n_dims", 1_000_000);
    let error = parse(file.gguf(), Options::new()).error.expect("refused");
    assert_eq!(error.path().to_string(), "tensors[0].dims[0]");
    let remaining = file.size() - file.span("tensors[0].dims[0]").start;
    assert_eq!(error.reason(), &Reason::UnexpectedEnd { needed: 8_000_000, remaining });

    let dims = [4_194_305, 4_194_305, 211_106_198_978_564];
    assert_eq!(dims.iter().fold(1_u64, |n, &d| n.wrapping_mul(d)), 4);
    let file = Builder::new().tensor(Tensor::f32("t", &dims)).build();
    let index = parse(file.gguf(), Options::new()).into_result().unwrap();
    assert_eq!(index.data_span(&index.tensors()[0]), Err(SizeError::Overflow));
}

/// The version tells the byte order: its low 16 bits are zero in the other one. What is neither is refused as the
/// number that it is in the order that it seems to have.
#[test]
fn versions_and_byte_orders() {
    let version = |bytes: [u8; 4]| {
        let mut file = Builder::new().build();
        file.patch("header.version", bytes);
        parse(file.gguf(), Options::new()).into_result()
    };
    for n in 1..=3_u32 {
        assert_eq!(version(n.to_le_bytes()).unwrap().header().endian, ggufkit_format::Endian::Little);
        let big = version(n.to_be_bytes()).unwrap();
        assert_eq!((big.header().endian, big.header().version), (ggufkit_format::Endian::Big, n));
        // Big-endian is permitted from version 3 on.
        let odd = big.anomalies().iter().any(|a| a.kind == AnomalyKind::EarlyBigEndian);
        assert_eq!(odd, n < 3);
    }
    for (bytes, found) in [
        ([0, 0, 0, 0], 0),
        ([4, 0, 0, 0], 4),
        ([0, 0, 0, 4], 4),
        ([0, 1, 0, 0], 0x100),
        ([0, 0, 3, 0], 0x300),
        ([3, 0, 1, 0], 0x1_0003),
        ([0xff; 4], u32::MAX),
    ] {
        let error = version(bytes).unwrap_err();
        assert_eq!((error.reason(), error.offset()), (&Reason::BadVersion { found }, 4), "{bytes:?}");
    }
}
