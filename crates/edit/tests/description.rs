//! Files in words: what is taken for one, and what is told of what is not.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use ggufkit_edit::{Description, NewValue};
use ggufkit_format::Scalar;
use ggufkit_format::spec::{TensorType, ValueType};
use serde_json::{Value as Json, json};

fn value(kv: Json) -> Result<NewValue, String> {
    let read = Description::from_json(&json!({ "metadata": [kv] }));
    read.map(|description| description.kvs[0].1.clone()).map_err(|error| error.to_string())
}

#[test]
fn values_are_of_the_type_that_is_told_or_known() {
    assert_eq!(value(json!({"key": "k", "type": "u8", "value": 7})), Ok(7_u8.into()));
    assert_eq!(value(json!({"key": "k", "value": "text"})), Ok("text".into()));
    assert_eq!(value(json!({"key": "k", "value": true})), Ok(true.into()));
    assert_eq!(value(json!({"key": "llama.context_length", "value": 7})), Ok(7_u32.into()));
    assert!(value(json!({"key": "k", "value": 7})).unwrap_err().contains("the type of \"k\" is not known"));
    let array = json!({"key": "k", "type": "array", "element_type": "i16", "value": [-1]});
    assert_eq!(value(array), Ok([-1_i16].into()));
    // Half precision, of mis-written files, keeps its number.
    assert_eq!(value(json!({"key": "k", "type": "f16", "value": 0.5})), Ok(0.5_f32.into()));
    let nested = json!({"key": "k", "type": "array", "element_type": "array",
        "value": [{"type": "array[u8]", "value": [1]}, {"type": "array[string]", "value": []}]});
    let wanted = NewValue::Array(ValueType::ARRAY, vec![[1_u8].into(), Vec::<String>::new().into()]);
    assert_eq!(value(nested), Ok(wanted.clone()));
    // Type 9, count 2: type 0, count 1, 1; type 8, count 0.
    let bytes = "CQAAAAIAAAAAAAAAAAAAAAEAAAAAAAAAAQgAAAAAAAAAAAAAAA==";
    let exact = |value: Json| json!({"key": "k", "type": "array[array]", "exact": bytes, "value": value});
    assert_eq!(value(exact(json!([[1], []]))), Ok(wanted));
    assert!(value(exact(json!([[2], []]))).unwrap_err().contains("is not the value that the bytes"));
}

#[test]
fn what_json_leaves_out_is_taken_from_the_bytes_beside_it() {
    let nan = value(json!({"key": "k", "type": "f32", "value": "NaN", "exact": "AQCAfw=="})).unwrap();
    assert!(matches!(nan, NewValue::Scalar(Scalar::F32(nan)) if nan.to_bits() == 0x7f80_0001));
    assert_eq!(
        value(json!({"key": "k", "type": "bool", "value": true, "byte": 2})),
        Ok(NewValue::Scalar(Scalar::Bool(2)))
    );
    for (kv, told) in [
        (json!({"key": "k", "type": "f32", "value": 1.0, "exact": "AQCAfw=="}), "is not the value"),
        (json!({"key": "k", "type": "f64", "value": "NaN", "exact": "AQCAfw=="}), "not the bytes"),
        (json!({"key": "k", "type": "f32", "value": "NaN", "exact": "AQCAfwA="}), "not the bytes"),
        (json!({"key": "k", "type": "f32", "value": "NaN", "exact": "?"}), "not the bytes"),
        (json!({"key": "k", "type": "bool", "value": false, "byte": 2}), "is not the value's"),
        (json!({"key": "k", "type": "bool", "value": true, "byte": 300}), "is not the value's"),
        (json!({"key": "k", "type": "u8", "value": 1, "byte": 1}), "one of a bool alone"),
        (json!({"key": "k", "type": "u8"}), "has no \"value\""),
        (json!({"type": "u8", "value": 1}), "has no \"key\""),
        (json!({"key": "k", "type": "array", "value": []}), "is no type"),
        (json!({"key": "k", "type": "u8", "element_type": "u8", "value": 1}), "one of an array alone"),
        (
            json!({"key": "k", "type": "array[u8]", "length": 9, "shown": 3, "value": [1]}),
            "3 of the 9 elements",
        ),
        (json!(7), "is no object"),
    ] {
        let said = value(kv.clone()).unwrap_err();
        assert!(said.contains(told) && said.starts_with("metadata[0]"), "{kv}: {said}");
    }
}

#[test]
fn tensors_are_told_by_name_or_number() {
    let tensor = |tensor: Json| {
        let read = Description::from_json(&json!({ "tensors": [tensor] }));
        read.map(|description| description.tensors[0].tensor_type).map_err(|error| error.to_string())
    };
    assert_eq!(tensor(json!({"name": "t", "type": "Q8_0"})), Ok(Some(TensorType::Q8_0)));
    assert_eq!(tensor(json!({"name": "t", "type_id": 8})), Ok(Some(TensorType::Q8_0)));
    let unknown = json!({"name": "t", "type": "unknown(156)", "type_id": 156});
    assert_eq!(tensor(unknown), Ok(Some(TensorType(156))));
    assert_eq!(tensor(json!({"name": "t"})), Ok(None));
    for (one, told) in [
        (json!({"name": "t", "type": "Q8_0", "type_id": 2}), "is not the number of the type"),
        (json!({"name": "t", "type": "Q9"}), "\"Q9\" is no type"),
        (json!({"name": "t", "shape": [1.5]}), "no list of whole numbers"),
        (json!({"name": "t", "source": 7}), "is no file"),
        (json!({"name": "t", "source": {"tensor": "x"}}), "has no \"file\""),
        (json!({"name": 7}), "is no text"),
    ] {
        let said = tensor(one.clone()).unwrap_err();
        assert!(said.contains(told), "{one}: {said}");
    }
}

#[test]
fn a_document_is_of_one_file_that_was_read_whole() {
    for (document, told) in [
        (json!({"files": []}), "there are 0"),
        (json!({"files": [{}, {}]}), "there are 2"),
        (json!({"header": null}), "there was none to read"),
        (json!({"errors": [{}]}), "not read to its end"),
        (json!({"metadata": 1}), "is no list"),
        (json!({"header": {"endian": "middle"}}), "neither little nor big"),
        (json!({"header": {"kv_count": 1}}), "1 key-values are counted, and 0"),
        (json!({"header": {"alignment": 64}}), "is 64, and the metadata says 32"),
        (json!([]), "is no object"),
    ] {
        let said = Description::from_json(&document).unwrap_err().to_string();
        assert!(said.contains(told), "{document}: {said}");
    }
    // The alignment of a header that had room for it becomes a key.
    let header = json!({"header": {"alignment": 64, "alignment_source": "header", "kv_count": 0}});
    let description = Description::from_json(&header).unwrap();
    assert_eq!(description.builder().alignment(), 64);
    assert_eq!(Description::from_json(&json!({"files": [{}]})).unwrap().version, 3);
}
