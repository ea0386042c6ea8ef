//! Headers of safetensors files: what is taken, and what is not.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use ggufkit_format::Span;
use ggufkit_format::spec::TensorType;
use ggufkit_io::safetensors::{self, Safetensors, SafetensorsError};
use ggufkit_testkit::sources::Memory;

fn file(header: &str, data: usize) -> Vec<u8> {
    let mut out = (header.len() as u64).to_le_bytes().to_vec();
    out.extend(header.as_bytes());
    out.resize(out.len() + data, 7);
    out
}

fn read(bytes: &[u8]) -> Result<Safetensors, SafetensorsError> {
    safetensors::read(&Memory::new(bytes))
}

#[test]
fn tensors_are_found_with_their_types_and_shapes_turned_round() {
    let header = r#"{"__metadata__": {"format": "pt"},
        "b": {"dtype": "BF16", "shape": [3, 4], "data_offsets": [8, 32]},
        "a": {"dtype": "F64", "shape": [], "data_offsets": [0, 8]},
        "u": {"dtype": "U8", "shape": [2], "data_offsets": [32, 34]},
        "e": {"dtype": "F32", "shape": [0, 5], "data_offsets": [34, 34]},
        "later": {"dtype": "F99", "shape": [7], "data_offsets": [34, 35]}}    "#;
    let all = read(&file(header, 35)).unwrap();
    let start = 8 + header.len() as u64;
    let names: Vec<&str> = all.tensors.iter().map(|tensor| tensor.name.as_str()).collect();
    assert_eq!(names, ["b", "a", "u", "e", "later"], "in the order of the header");
    let b = all.get("b").unwrap();
    assert_eq!((b.tensor_type, &b.dims[..]), (Some(TensorType::BF16), &[4, 3][..]));
    assert_eq!(b.data, Span::new(start + 8, 24));
    let a = all.get("a").unwrap();
    assert_eq!((a.tensor_type, &a.dims[..]), (Some(TensorType::F64), &[][..]));
    assert_eq!((all.get("u").unwrap().tensor_type, all.get("later").unwrap().tensor_type), (None, None));
    assert_eq!(all.metadata, [("format".to_owned(), "pt".to_owned())]);
    assert_eq!(read(&file("{}", 0)).unwrap(), Safetensors::default());
}

#[test]
fn all_else_is_refused_with_a_reason() {
    let one = |dtype: &str, shape: &str, from: u64, to: u64| {
        format!(r#"{{"t": {{"dtype": "{dtype}", "shape": {shape}, "data_offsets": [{from}, {to}]}}}}"#)
    };
    for (header, data, told) in [
        (one("F32", "[2]", 0, 8), 9, "the data ends at"),
        (one("F32", "[2]", 0, 8), 7, "the data ends at"),
        (one("F32", "[3]", 0, 8), 8, "not as long as"),
        (one("F32", "[2]", 8, 0), 8, "ends before it begins"),
        (one("F32", "[2]", 1, 9), 9, "bytes of no tensor"),
        (one("F32", "[4294967296, 4294967296]", 0, 8), 8, "not as long as"),
        (one("F32", "[2]", 0, u64::MAX), 8, "ends before it begins"),
        (one("F32", "[-2]", 0, 8), 8, "its header is none"),
        (one("F32", "[2.5]", 0, 8), 8, "its header is none"),
        (one("F32", "2", 0, 8), 8, "its header is none"),
        (r#"{"t": {"dtype": "F32", "shape": [2]}}"#.into(), 8, "missing field"),
        (r#"{"t": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8, 9]}}"#.into(), 8, "its header"),
        (r#"{"t": 1}"#.into(), 0, "its header is none"),
        (r#"[]"#.into(), 0, "does not begin with {"),
        (r#" {}"#.into(), 0, "does not begin with {"),
        (r#"{} {}"#.into(), 0, "trailing"),
        (r#"{"#.into(), 0, "its header is none"),
        (format!("{{\"t\":{}", "[".repeat(100_000)), 0, "its header is none"),
        (r#"{"__metadata__": {"a": 1}}"#.into(), 0, "its header is none"),
        (
            r#"{"t": {"dtype": "I8", "shape": [1], "data_offsets": [0, 1]},
                "t": {"dtype": "I8", "shape": [1], "data_offsets": [1, 2]}}"#
                .into(),
            2,
            "\"t\" is there twice",
        ),
        (
            r#"{"t": {"dtype": "I8", "shape": [2], "data_offsets": [0, 2]},
                "u": {"dtype": "I8", "shape": [2], "data_offsets": [1, 3]}}"#
                .into(),
            3,
            "begins before that of another ends",
        ),
    ] {
        let error = read(&file(&header, data)).unwrap_err().to_string();
        assert!(error.contains(told), "{}: {error}", &header[..header.len().min(80)]);
    }
    let whole = file(&one("F32", "[2]", 0, 8), 8);
    for len in 0..whole.len() {
        assert!(read(&whole[..len]).is_err(), "the first {len} bytes");
    }
    for len in [u64::MAX, u64::MAX - 7, 100_000_001, 3] {
        let bytes = [len.to_le_bytes().as_slice(), b"{}"].concat();
        assert!(matches!(read(&bytes), Err(SafetensorsError::HeaderLength(told)) if told == len));
    }
}
