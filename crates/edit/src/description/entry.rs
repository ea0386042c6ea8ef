//! The entries of a description: a key-value, a tensor.

use base64::Engine as _;
use ggufkit_format::encode::{Encoder, written_type};
use ggufkit_format::spec::{KeyType, TensorType, ValueType, keys};
use ggufkit_format::{Endian, Options, Scalar, Value, View, parse, shorten};
use serde_json::{Map, Value as Json};

use super::{DataSource, Described, DescriptionError, number, only};
use crate::value::NewValue;

type Object = Map<String, Json>;

const KV: [&str; 15] = [
    "key",
    "type",
    "element_type",
    "value",
    "exact",
    "byte",
    "index",
    "length",
    "shown",
    "shown_inside",
    "duplicate",
    "offset",
    "size",
    "value_offset",
    "value_size",
];
const TENSOR: [&str; 13] = [
    "name",
    "type",
    "type_id",
    "shape",
    "source",
    "index",
    "elements",
    "offset",
    "data_offset",
    "size",
    "size_known",
    "info_offset",
    "info_size",
];

/// A key-value.
pub(super) fn kv(kv: &Object, path: &str) -> Result<(Vec<u8>, NewValue), DescriptionError> {
    only(kv, path, &KV)?;
    let key = bytes(kv, path, "key")?;
    let inside = kv.get("shown_inside").and_then(Json::as_u64);
    if let (Some(length), Some(shown)) = (number(kv, path, "length")?, number(kv, path, "shown")?)
        && (shown < length || (inside.is_some() && !kv.contains_key("exact")))
    {
        let message = format!("{shown} of the {length} elements of \"{}\" are shown", shorten(&key, 80));
        return Err(DescriptionError::new(path, message).help("`gguf dump --arrays all` shows all elements"));
    }
    let json = kv.get("value");
    // Half precision, of mis-written files, is written as f32, which has the same number.
    let ty = match key_type(kv, path, &key, json)? {
        KeyType::Scalar(ty) => KeyType::Scalar(written_type(ty)),
        KeyType::Array(ty) => KeyType::Array(written_type(ty)),
    };
    let value = match (kv.get("exact"), json) {
        (Some(exact), json) => {
            let value = exact.as_str().and_then(|text| decode(text, ty));
            let value = value.ok_or_else(|| {
                DescriptionError::new(format!("{path}.exact"), format!("are not the bytes of an {ty}"))
            })?;
            if json.is_some_and(|json| !agree(json, &value)) {
                let message = "is not the value that the bytes in \"exact\" are";
                return Err(DescriptionError::new(format!("{path}.value"), message)
                    .help("to change the value, take \"exact\" out"));
            }
            value
        }
        (None, Some(json)) => NewValue::from_json(json, ty)
            .map_err(|error| DescriptionError::new(format!("{path}.value"), error.to_string()))?,
        (None, None) => return Err(DescriptionError::new(path, "has no \"value\"")),
    };
    // A list that somebody has made longer or shorter by hand, and its length not, is half a change.
    if let Some(length) = number(kv, path, "length")? {
        let there = match &value {
            NewValue::Array(_, items) => items.len() as u64,
            _ => return Err(DescriptionError::new(format!("{path}.length"), "is one of an array alone")),
        };
        if length != there {
            let message = format!("is {length}, and \"{}\" has {there} elements", shorten(&key, 80));
            return Err(
                DescriptionError::new(format!("{path}.length"), message).help("a length may be left out")
            );
        }
    }
    let value = match (number(kv, path, "byte")?, value) {
        (None, value) => value,
        (Some(byte), NewValue::Scalar(Scalar::Bool(truth))) => match u8::try_from(byte) {
            Ok(byte) if (byte != 0) == (truth != 0) => NewValue::Scalar(Scalar::Bool(byte)),
            _ => return Err(DescriptionError::new(format!("{path}.byte"), "is not the value's")),
        },
        (Some(_), _) => return Err(DescriptionError::new(format!("{path}.byte"), "is one of a bool alone")),
    };
    Ok((key, value))
}

/// The type that an entry names, or that its key has, or its value.
fn key_type(kv: &Object, path: &str, key: &[u8], json: Option<&Json>) -> Result<KeyType, DescriptionError> {
    let word = |field: &str| match kv.get(field) {
        None => Ok(None),
        Some(json) => match json.as_str() {
            Some(word) => Ok(Some(word)),
            None => Err(DescriptionError::new(format!("{path}.{field}"), "is no type")),
        },
    };
    let unknown = |field: &str, name: &str| {
        let message = format!("\"{}\" is no type", shorten(name.as_bytes(), 40));
        DescriptionError::new(format!("{path}.{field}"), message).help("types are u32, string, array[u32], …")
    };
    match (word("type")?, word("element_type")?) {
        (Some("array"), Some(element)) => match ValueType::from_name(element) {
            Some(element) => Ok(KeyType::Array(element)),
            None => Err(unknown("element_type", element)),
        },
        (Some(name), None) => KeyType::from_name(name).ok_or_else(|| unknown("type", name)),
        (_, Some(_)) => {
            Err(DescriptionError::new(format!("{path}.element_type"), "is one of an array alone"))
        }
        (None, None) => {
            let known = keys::lookup(key).and_then(|info| info.types.first().copied());
            let of_value = match json {
                Some(Json::String(_)) => Some(KeyType::Scalar(ValueType::STRING)),
                Some(Json::Bool(_)) => Some(KeyType::Scalar(ValueType::BOOL)),
                _ => None,
            };
            known.or(of_value).ok_or_else(|| {
                let message = format!("the type of \"{}\" is not known", shorten(key, 80));
                DescriptionError::new(path, message).help("\"type\": \"u32\" says it")
            })
        }
    }
}

/// The value that the bytes in `exact` are.
fn decode(text: &str, ty: KeyType) -> Option<NewValue> {
    let value = base64::engine::general_purpose::STANDARD.decode(text).ok()?;
    let encoder = Encoder::new(3, Endian::Little).ok()?;
    let mut head = Vec::new();
    encoder.header(&mut head, 0, 1);
    encoder.string(&mut head, b"k");
    encoder.value_type(&mut head, if ty.is_array() { ValueType::ARRAY } else { ty.element() });
    head.extend_from_slice(&value);
    let index = parse(&head, Options::new().with_size(Some(head.len() as u64))).into_result().ok()?;
    let value = NewValue::of(View::new(&index, &head).value(index.kvs().first()?))?;
    let whole = index.head_end() == head.len() as u64;
    (whole && value.key_type() == ty).then_some(value)
}

/// Whether JSON says a value, as far as JSON can.
fn agree(json: &Json, value: &NewValue) -> bool {
    match (json, value) {
        (Json::Array(items), NewValue::Array(_, values)) => {
            items.len() == values.len() && items.iter().zip(values).all(|(json, value)| agree(json, value))
        }
        // An array in an array, with its type.
        (Json::Object(object), NewValue::Array(..)) => {
            object.get("value").is_some_and(|json| agree(json, value))
        }
        (Json::Bool(truth), NewValue::Scalar(Scalar::Bool(byte))) => *truth == (*byte != 0),
        (Json::String(text), NewValue::Scalar(Scalar::F32(number))) if number.is_nan() => text == "NaN",
        (Json::String(text), NewValue::Scalar(Scalar::F64(number))) if number.is_nan() => text == "NaN",
        (json, value) => NewValue::from_json(json, value.key_type()).is_ok_and(|said| said == *value),
    }
}

impl NewValue {
    /// A value that was read, once more; `None` where not all of its bytes are there.
    pub(super) fn of(value: Value<'_>) -> Option<Self> {
        Some(match value {
            Value::Scalar(scalar) => Self::Scalar(scalar),
            Value::String(text) => Self::String(text.0.to_vec()),
            // No deeper than the reader has followed.
            Value::Array(array) => {
                let items: Option<Vec<_>> = array.iter().map(Self::of).collect();
                let items = items.filter(|items| items.len() as u64 == array.len())?;
                Self::Array(array.element_type(), items)
            }
        })
    }
}

/// A tensor.
pub(super) fn tensor(tensor: &Object, path: &str) -> Result<Described, DescriptionError> {
    only(tensor, path, &TENSOR)?;
    let name = bytes(tensor, path, "name")?;
    let told = match tensor.get("type") {
        None => None,
        Some(json) => Some(
            json.as_str()
                .ok_or_else(|| DescriptionError::new(format!("{path}.type"), "is no name of a type"))?,
        ),
    };
    let named = told.and_then(TensorType::from_name);
    let id = match number(tensor, path, "type_id")? {
        None => None,
        Some(id) => Some(TensorType(
            u32::try_from(id).map_err(|_| DescriptionError::new(format!("{path}.type_id"), "is no type"))?,
        )),
    };
    let tensor_type = match (told, named, id) {
        (Some(_), Some(named), Some(id)) if named != id => {
            let message = format!("is not the number of the type {named}");
            return Err(DescriptionError::new(format!("{path}.type_id"), message));
        }
        (Some(told), None, None) => {
            let message = format!("\"{}\" is no type of tensors", shorten(told.as_bytes(), 40));
            return Err(DescriptionError::new(format!("{path}.type"), message)
                .help("`gguf explain types` lists them"));
        }
        (_, named, id) => id.or(named),
    };
    let dims = match tensor.get("shape") {
        None => None,
        Some(json) => {
            let dims = json.as_array().and_then(|dims| dims.iter().map(Json::as_u64).collect());
            let wrong = || DescriptionError::new(format!("{path}.shape"), "is no list of whole numbers");
            Some(dims.ok_or_else(wrong)?)
        }
    };
    let source = match tensor.get("source") {
        None | Some(Json::Null) => None,
        Some(json) => Some(source(json, &format!("{path}.source"))?),
    };
    Ok(Described { name, tensor_type, dims, source, offset: number(tensor, path, "offset")? })
}

fn source(json: &Json, path: &str) -> Result<DataSource, DescriptionError> {
    let Json::Object(object) = json else {
        let file = json.as_str().ok_or_else(|| DescriptionError::new(path, "is no file"))?;
        return Ok(DataSource { file: file.into(), ..DataSource::default() });
    };
    only(object, path, &["file", "tensor", "offset"])?;
    let tensor = object.contains_key("tensor").then(|| bytes(object, path, "tensor")).transpose()?;
    Ok(DataSource { file: bytes(object, path, "file")?, tensor, offset: number(object, path, "offset")? })
}

/// A text, or `{"bytes": base64}` of one that is not UTF-8.
fn bytes(object: &Object, path: &str, field: &str) -> Result<Vec<u8>, DescriptionError> {
    let Some(json) = object.get(field) else {
        return Err(DescriptionError::new(path, format!("has no \"{field}\"")));
    };
    match NewValue::from_json(json, KeyType::Scalar(ValueType::STRING)) {
        Ok(NewValue::String(bytes)) => Ok(bytes),
        _ => Err(DescriptionError::new(format!("{path}.{field}"), "is no text")),
    }
}
