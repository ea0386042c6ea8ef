//! Files that gguf-py wrote, with an account of what was given to it: each value, shape, offset and byte of data.
//!
//! `tests/oracle/make_foreign.py` writes both. Every `.json` beside a `.gguf` is held against it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use ggufkit_format::layout::{element_count, tensor_bytes};
use ggufkit_format::spec::ValueType;
use ggufkit_format::{Options, Scalar, Value, View, parse};
use ggufkit_testkit::corpus;
use ggufkit_testkit::reading::{account, in_pieces};
use serde_json::Value as Json;

/// The bytes that a JSON text stands for: itself, or base64 where the bytes are not UTF-8.
fn text(json: &Json) -> Vec<u8> {
    match json {
        Json::String(s) => s.clone().into_bytes(),
        other => base64(other["bytes"].as_str().expect("text or bytes")),
    }
}

fn base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digit = |c| DIGITS.iter().position(|&d| d == c).map(|p| u32::try_from(p).unwrap());
    let mut out = Vec::new();
    for group in text.as_bytes().chunks(4) {
        let digits: Vec<u32> = group.iter().map_while(|&c| digit(c)).collect();
        let bits = digits.iter().fold(0, |bits, d| bits << 6 | d) << (6 * (4 - digits.len()));
        out.extend_from_slice(&bits.to_be_bytes()[1..digits.len()]);
    }
    out
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

/// Whether a value is the one of the account, its type being `ty`.
fn is(value: Value<'_>, ty: &str, json: &Json) -> bool {
    let bits = || u64::from_str_radix(json["bits"].as_str().unwrap(), 16).unwrap();
    match (ty, value) {
        ("string", Value::String(found)) => found.0 == text(json),
        ("bool", Value::Scalar(Scalar::Bool(byte))) => byte == u8::from(json.as_bool().unwrap()),
        ("f32", Value::Scalar(Scalar::F32(v))) => u64::from(v.to_bits()) == bits(),
        ("f64", Value::Scalar(Scalar::F64(v))) => v.to_bits() == bits(),
        (ty, Value::Scalar(scalar)) => {
            let named = match scalar {
                Scalar::U8(_) => "u8",
                Scalar::I8(_) => "i8",
                Scalar::U16(_) => "u16",
                Scalar::I16(_) => "i16",
                Scalar::U32(_) => "u32",
                Scalar::I32(_) => "i32",
                Scalar::U64(_) => "u64",
                Scalar::I64(_) => "i64",
                _ => return false,
            };
            let expected = json.as_u64().map(i128::from).or(json.as_i64().map(i128::from));
            named == ty && scalar.as_integer() == Some(expected.expect("an integer"))
        }
        _ => false,
    }
}

fn metadata(view: &View<'_>, account: &Json) {
    let rows = account["metadata"].as_array().unwrap();
    assert_eq!(view.index().kvs().len(), rows.len());
    for ((key, kv), row) in view.kvs().zip(rows) {
        assert_eq!(key.0, text(&row["key"]));
        let ty = row["type"].as_str().unwrap();
        assert_eq!(ValueType::from_name(ty), Some(kv.value_type), "{key:?}");
        let expected = &row["value"];
        if ty != "array" {
            assert!(is(view.value(kv), ty, expected), "{key:?}: {:?} is not {expected}", view.value(kv));
            continue;
        }
        let (inner, expected) = (row["element_type"].as_str().unwrap(), expected.as_array().unwrap());
        let array = view.value(kv).as_array().unwrap();
        assert_eq!(Some(array.element_type()), ValueType::from_name(inner), "{key:?}");
        assert_eq!((array.len(), array.iter().count()), (expected.len() as u64, expected.len()), "{key:?}");
        for (i, (element, expected)) in array.iter().zip(expected).enumerate() {
            assert!(is(element, inner, expected), "{key:?}[{i}]: {element:?} is not {expected}");
        }
    }
}

fn tensors(view: &View<'_>, bytes: &[u8], account: &Json) {
    let rows = account["tensors"].as_array().unwrap();
    assert_eq!(view.index().tensors().len(), rows.len());
    for ((name, tensor), row) in view.tensors().zip(rows) {
        assert_eq!(name.0, text(&row["name"]));
        assert_eq!(tensor.tensor_type.name(), row["type"].as_str(), "{name:?}");
        assert_eq!(Some(u64::from(tensor.tensor_type.0)), row["type_id"].as_u64(), "{name:?}");
        let dims = view.index().dims(tensor);
        let shape: Vec<u64> = row["shape"].as_array().unwrap().iter().filter_map(Json::as_u64).collect();
        assert_eq!(dims, shape, "{name:?}");
        assert_eq!(element_count(dims), row["elements"].as_u64(), "{name:?}");
        assert_eq!(tensor_bytes(tensor.tensor_type, dims).ok(), row["size"].as_u64(), "{name:?}");
        assert_eq!(Some(tensor.offset), row["offset"].as_u64(), "{name:?}");
        let span = view.index().data_span(tensor).unwrap();
        assert_eq!(Some(span.start), row["data_offset"].as_u64(), "{name:?}");
        assert_eq!(span.slice(bytes, 0), Some(&hex(row["data_hex"].as_str().unwrap())[..]), "{name:?}");
    }
}

#[test]
fn every_value_that_gguf_py_wrote() {
    let files = corpus::files(&corpus::data(env!("CARGO_MANIFEST_DIR")), "gguf");
    let mut held = 0;
    for file in &files {
        let Ok(json) = std::fs::read(file.path.with_extension("json")) else { continue };
        println!("{}", file.name);
        let account: Json = serde_json::from_slice(&json).unwrap();
        assert_eq!(account["size"].as_u64(), Some(file.bytes.len() as u64));
        let index = parse(&file.bytes, Options::new()).into_result().unwrap();
        assert_eq!(Some(u64::from(index.header().version)), account["version"].as_u64());
        assert_eq!(Some(index.header().endian.name()), account["endian"].as_str());
        assert_eq!(Some(index.alignment()), account["alignment"].as_u64());
        assert_eq!(Some(index.head_end()), account["head_end"].as_u64());
        assert_eq!(index.data_start(), account["data_start"].as_u64());
        let view = View::new(&index, &file.bytes);
        metadata(&view, &account);
        tensors(&view, &file.bytes, &account);
        held += 1;
    }
    assert!(held >= 3, "little, big and aligned");
}

#[test]
fn the_same_in_pieces() {
    for file in corpus::files(&corpus::data(env!("CARGO_MANIFEST_DIR")), "gguf") {
        let whole = account(&parse(&file.bytes, Options::new()));
        for piece in [1, 3, 17, 64, 1000] {
            assert_eq!(
                account(&in_pieces(&file.bytes, Options::new(), |_| piece)),
                whole,
                "{} by {piece}",
                file.name
            );
        }
    }
}

#[test]
fn base64_as_in_rfc_4648() {
    for (text, bytes) in [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob")] {
        assert_eq!(base64(text), bytes.as_bytes());
    }
}
