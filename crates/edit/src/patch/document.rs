//! Operations as a document: JSON that a person or a program writes, and that `gguf apply` takes.
//!
//! A document is read strictly: a field that is not known, or of another type than it has, is a mistake that would
//! otherwise pass in silence.

use std::fmt;

use ggufkit_format::ByteStr;
use ggufkit_format::spec::{KeyType, ValueType};
use ggufkit_inspect::json::{JsonText, SCHEMA};
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::{Map, Value as Json, json};

use crate::operation::{Element, Given, Operation};
use crate::value::NewValue;

/// What each operation is called, and its fields; those that may be left out come behind the number of those that may not.
const OPERATIONS: [(&str, usize, &[&str]); 14] = [
    ("set", 2, &["key", "value", "element", "type"]),
    ("insert", 2, &["key", "value", "element"]),
    ("remove", 2, &["key", "element"]),
    ("unset", 1, &["key"]),
    ("rename", 2, &["key", "to"]),
    ("move", 1, &["key", "before"]),
    ("clear", 1, &["key", "except"]),
    ("list", 2, &["key", "item"]),
    ("unlist", 2, &["key", "item"]),
    ("test", 1, &["key", "value", "element", "type"]),
    ("rename-tensor", 2, &["tensor", "to"]),
    ("drop-tensor", 1, &["tensor"]),
    ("move-tensor", 1, &["tensor", "before"]),
    ("upgrade", 0, &[]),
];

/// Operations, and how they are to be carried out.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PatchDocument {
    /// Whether the metadata is to be exactly that of the operations, without a padding key of the editor's.
    pub exact: bool,
    /// What is to be done, in this order.
    pub operations: Vec<Operation>,
}

/// Why a document is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PatchError {
    /// The operation that is meant, counted from 0; `None`: the document.
    pub operation: Option<usize>,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for PatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.operation {
            Some(at) => write!(f, "operations[{at}]: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for PatchError {}

impl PatchDocument {
    /// Reads a document: `{"schema": 1, "operations": [{"op": "set", "key": …}]}`, or the list alone.
    ///
    /// # Errors
    /// [`PatchError`], at the first field that is not as it should be.
    pub fn from_json(document: &Json) -> Result<Self, PatchError> {
        let whole = |message: String| PatchError { operation: None, message };
        let (list, exact) = match document {
            Json::Array(list) => (list, false),
            Json::Object(fields) => {
                if let Some(other) =
                    fields.keys().find(|name| !["schema", "exact", "operations"].contains(&name.as_str()))
                {
                    return Err(whole(format!(
                        "a patch has no {other:?}: it has \"schema\", \"exact\" and \"operations\""
                    )));
                }
                match fields.get("schema") {
                    None => {}
                    Some(schema) if schema.as_u64() == Some(SCHEMA.into()) => {}
                    Some(other) => {
                        return Err(whole(format!(
                            "the patch is of schema {}, and {SCHEMA} is known here",
                            shown(other)
                        )));
                    }
                }
                let exact = match fields.get("exact") {
                    None => false,
                    Some(Json::Bool(exact)) => *exact,
                    Some(other) => {
                        return Err(whole(format!("\"exact\" is true or false, and not {}", shown(other))));
                    }
                };
                match fields.get("operations") {
                    Some(Json::Array(list)) => (list, exact),
                    Some(_) => return Err(whole("\"operations\" is no list".to_owned())),
                    None => return Err(whole("the patch has no \"operations\"".to_owned())),
                }
            }
            _ => {
                return Err(whole("a patch is a list of operations, or an object that has one".to_owned()));
            }
        };
        let one = |(at, one): (usize, &Json)| {
            operation(one).map_err(|message| PatchError { operation: Some(at), message })
        };
        let operations = list.iter().enumerate().map(one).collect::<Result<_, _>>()?;
        Ok(Self { exact, operations })
    }

    /// The document, as it is read.
    #[must_use]
    pub fn to_json(&self) -> Json {
        json!(self)
    }
}

impl Serialize for PatchDocument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("schema", &SCHEMA)?;
        if self.exact {
            map.serialize_entry("exact", &true)?;
        }
        map.serialize_entry("operations", &self.operations.iter().map(JsonOperation).collect::<Vec<_>>())?;
        map.end()
    }
}

/// An operation as a document has it, its fields in the order in which people read them.
#[derive(Clone, Copy, Debug)]
pub struct JsonOperation<'o>(pub &'o Operation);

impl Serialize for JsonOperation<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (op, fields) = fields(self.0);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("op", op)?;
        for (name, value) in fields {
            map.serialize_entry(name, &value)?;
        }
        map.end()
    }
}

fn text(bytes: &[u8]) -> Json {
    json!(JsonText(ByteStr(bytes)))
}

type Fields = Vec<(&'static str, Json)>;

fn fields(operation: &Operation) -> (&'static str, Fields) {
    let given = |given: &Given| match given {
        Given::Json(value) => value.clone(),
        Given::Text(words) => Json::String(words.clone()),
        Given::Bytes(bytes) => text(bytes),
    };
    let place = |element: &Element| match element {
        Element::At(at) => json!(at),
        Element::FromEnd(back) => json!(i64::try_from(*back).map_or(i64::MIN, |back| -back)),
        Element::Token(token) => text(token),
    };
    let before = |before: &Option<Vec<u8>>| before.as_deref().map_or(Json::Null, text);
    let valued = |key: &[u8], element: &Option<Element>, ty: &Option<KeyType>, value| {
        let mut fields = vec![("key", text(key))];
        fields.extend(element.iter().map(|element| ("element", place(element))));
        fields.extend(ty.iter().map(|ty| ("type", json!(ty.to_string()))));
        fields.push(("value", value));
        fields
    };
    match operation {
        Operation::Set { key, element, ty, value } => ("set", valued(key, element, ty, given(value))),
        Operation::Test { key, element, ty, value } => {
            ("test", valued(key, element, ty, value.as_ref().map_or(Json::Null, given)))
        }
        Operation::Insert { key, before, value } => ("insert", valued(key, before, &None, given(value))),
        Operation::Remove { key, element } => {
            ("remove", vec![("key", text(key)), ("element", place(element))])
        }
        Operation::List { key, item } => ("list", vec![("key", text(key)), ("item", text(item))]),
        Operation::Unlist { key, item } => ("unlist", vec![("key", text(key)), ("item", text(item))]),
        Operation::Unset(key) => ("unset", vec![("key", text(key))]),
        Operation::Clear { pattern, except } => {
            let except = except.iter().map(|key| text(key)).collect();
            ("clear", vec![("key", text(pattern)), ("except", Json::Array(except))])
        }
        Operation::Rename { from, to } => ("rename", vec![("key", text(from)), ("to", text(to))]),
        Operation::Move { key, before: next } => ("move", vec![("key", text(key)), ("before", before(next))]),
        Operation::RenameTensor { from, to } => {
            ("rename-tensor", vec![("tensor", text(from)), ("to", text(to))])
        }
        Operation::DropTensor(name) => ("drop-tensor", vec![("tensor", text(name))]),
        Operation::MoveTensor { name, before: next } => {
            ("move-tensor", vec![("tensor", text(name)), ("before", before(next))])
        }
        Operation::Upgrade => ("upgrade", Vec::new()),
    }
}

/// A value in so far as a message shows it.
fn shown(value: &Json) -> String {
    match value {
        Json::Array(_) => "a list".to_owned(),
        Json::Object(_) => "an object".to_owned(),
        other => ggufkit_format::shorten(other.to_string().as_bytes(), 40),
    }
}

fn operation(one: &Json) -> Result<Operation, String> {
    let Json::Object(fields) = one else { return Err("is no object".to_owned()) };
    let op = match fields.get("op") {
        Some(Json::String(op)) => op.as_str(),
        Some(_) => return Err("\"op\" is no text".to_owned()),
        None => return Err("has no \"op\"".to_owned()),
    };
    let Some((op, needed, allowed)) = OPERATIONS.into_iter().find(|(name, ..)| *name == op) else {
        let names = OPERATIONS.map(|(name, ..)| name).join(", ");
        return Err(format!("{:?} is no operation: {names}", ggufkit_format::shorten(op.as_bytes(), 40)));
    };
    if let Some(other) = fields.keys().find(|name| *name != "op" && !allowed.contains(&name.as_str())) {
        let other = ggufkit_format::shorten(other.as_bytes(), 40);
        return Err(match allowed {
            [] => format!("{op} has no {other:?}, nor any other field"),
            _ => format!("{op} has no {other:?}: it has {}", allowed.join(", ")),
        });
    }
    if let Some(absent) = allowed.iter().take(needed).find(|name| !fields.contains_key(**name)) {
        return Err(format!("has no \"{absent}\""));
    }
    let name = |field: &str| named(fields, field);
    let before = || match fields.get("before") {
        None | Some(Json::Null) => Ok(None),
        Some(_) => name("before").map(Some),
    };
    let value = fields.get("value").map(|value| Given::Json(value.clone()));
    Ok(match op {
        "set" => Operation::Set {
            key: name("key")?,
            element: element(fields)?,
            ty: key_type(fields)?,
            value: value.ok_or("has no \"value\"")?,
        },
        "insert" => Operation::Insert {
            key: name("key")?,
            before: element(fields)?,
            value: value.ok_or("has no \"value\"")?,
        },
        "remove" => Operation::Remove {
            key: name("key")?,
            element: element(fields)?.ok_or("\"element\" is no position and no token")?,
        },
        "unset" => Operation::Unset(name("key")?),
        "rename" => Operation::Rename { from: name("key")?, to: name("to")? },
        "move" => Operation::Move { key: name("key")?, before: before()? },
        "clear" => Operation::Clear { pattern: name("key")?, except: names(fields, "except")? },
        "list" => Operation::List { key: name("key")?, item: name("item")? },
        "unlist" => Operation::Unlist { key: name("key")?, item: name("item")? },
        "test" => Operation::Test {
            key: name("key")?,
            element: element(fields)?,
            ty: key_type(fields)?,
            value: value.filter(|value| *value != Given::Json(Json::Null)),
        },
        "rename-tensor" => Operation::RenameTensor { from: name("tensor")?, to: name("to")? },
        "drop-tensor" => Operation::DropTensor(name("tensor")?),
        "move-tensor" => Operation::MoveTensor { name: name("tensor")?, before: before()? },
        _ => Operation::Upgrade,
    })
}

/// A name: a text, or `{"bytes": base64}` of one that is not UTF-8.
fn named(fields: &Map<String, Json>, field: &str) -> Result<Vec<u8>, String> {
    let value = fields.get(field).ok_or_else(|| format!("has no \"{field}\""))?;
    bytes(value).ok_or_else(|| format!("\"{field}\" is no text, but {}", shown(value)))
}

fn names(fields: &Map<String, Json>, field: &str) -> Result<Vec<Vec<u8>>, String> {
    let name =
        |value| bytes(value).ok_or_else(|| format!("\"{field}\" has {}, which is no text", shown(value)));
    match fields.get(field) {
        None => Ok(Vec::new()),
        Some(Json::Array(list)) => list.iter().map(name).collect(),
        Some(other) => Err(format!("\"{field}\" is no list, but {}", shown(other))),
    }
}

fn bytes(value: &Json) -> Option<Vec<u8>> {
    match NewValue::from_json(value, KeyType::Scalar(ValueType::STRING)) {
        Ok(NewValue::String(bytes)) => Some(bytes),
        _ => None,
    }
}

fn key_type(fields: &Map<String, Json>) -> Result<Option<KeyType>, String> {
    match fields.get("type") {
        None | Some(Json::Null) => Ok(None),
        Some(value) => {
            let ty = value.as_str().and_then(KeyType::from_name);
            ty.map(Some)
                .ok_or_else(|| format!("\"type\": {} is no type: u32, string, array[u32], …", shown(value)))
        }
    }
}

fn element(fields: &Map<String, Json>) -> Result<Option<Element>, String> {
    match fields.get("element") {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Number(at)) => {
            let back = || at.as_i64().map(|at| Element::FromEnd(at.unsigned_abs()));
            let place = at.as_u64().map(Element::At).or_else(back);
            place
                .map(Some)
                .ok_or_else(|| format!("\"element\": {at} is no position: 0, 1, 2, … or -1, -2, …"))
        }
        Some(other) => named(fields, "element")
            .map(|token| Some(Element::Token(token)))
            .map_err(|_| format!("\"element\" is no position and no token, but {}", shown(other))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<PatchDocument, PatchError> {
        PatchDocument::from_json(&serde_json::from_str(text).unwrap())
    }

    const EVERY: &str = r#"[
        {"op": "set", "key": "a", "type": "u8", "value": 1},
        {"op": "set", "key": "t", "element": "<s>", "value": 1},
        {"op": "insert", "key": "t", "value": "x"},
        {"op": "insert", "key": "t", "element": 0, "value": "y"},
        {"op": "remove", "key": "t", "element": -1},
        {"op": "unset", "key": "b.*"},
        {"op": "rename", "key": {"bytes": "/w=="}, "to": "c"},
        {"op": "move", "key": "d", "before": null},
        {"op": "list", "key": "general.tags", "item": "chat"},
        {"op": "unlist", "key": "general.tags", "item": "chat"},
        {"op": "clear", "key": "x.*", "except": ["x.y"]},
        {"op": "test", "key": "e", "element": 3, "value": 7},
        {"op": "test", "key": "f", "value": null},
        {"op": "rename-tensor", "tensor": "t", "to": "u"},
        {"op": "drop-tensor", "tensor": "v"},
        {"op": "move-tensor", "tensor": "u", "before": "w"},
        {"op": "upgrade"}]"#;

    #[test]
    fn every_operation_is_read_and_comes_back() {
        let list = read(EVERY).unwrap();
        assert_eq!(list.operations.len(), 17);
        assert_eq!(list.operations[6], Operation::Rename { from: vec![0xff], to: b"c".to_vec() });
        let exact = read(&format!("{{\"schema\": 1, \"exact\": true, \"operations\": {EVERY}}}")).unwrap();
        assert!(exact.exact && exact.operations == list.operations);
        for document in [list, exact] {
            assert_eq!(PatchDocument::from_json(&document.to_json()).unwrap(), document);
        }
        let kinds: std::collections::BTreeSet<&str> =
            read(EVERY).unwrap().operations.iter().map(|operation| fields(operation).0).collect();
        assert_eq!(kinds.len(), OPERATIONS.len(), "an operation is not tried: {kinds:?}");
    }

    #[test]
    fn what_is_no_document_is_refused_by_name() {
        for (text, told) in [
            (
                r#"[{"op": "put", "key": "a"}]"#,
                "\"put\" is no operation: set, insert, remove, unset, rename, move",
            ),
            (r#"[{"op": "put", "key": "a"}]"#, "move-tensor"),
            (r#"[{"op": 3}]"#, "\"op\" is no text"),
            (r#"[{"key": "a"}]"#, "has no \"op\""),
            (r#"[3]"#, "is no object"),
            (r#"[{"op": "unset"}]"#, "operations[0]: has no \"key\""),
            (r#"[{"op": "unset", "key": 3}]"#, "\"key\" is no text, but 3"),
            (r#"[{"op": "unset", "key": "a", "kez": 1}]"#, "unset has no \"kez\""),
            (r#"[{"op": "unset", "key": "a"}, {"op": "upgrade", "to": 3}]"#, "operations[1]: upgrade has no"),
            (r#"[{"op": "set", "key": "a", "type": "u9", "value": 1}]"#, "is no type"),
            (r#"[{"op": "set", "key": "a", "type": 3, "value": 1}]"#, "is no type"),
            (r#"[{"op": "set", "key": "a"}]"#, "has no \"value\""),
            (r#"[{"op": "set", "key": "a", "element": 1.5, "value": 1}]"#, "is no position"),
            (r#"[{"op": "set", "key": "a", "element": [], "value": 1}]"#, "no position and no token"),
            (r#"[{"op": "move", "key": "a", "before": true}]"#, "\"before\" is no text"),
            (r#"[{"op": "clear", "key": "a", "except": "b"}]"#, "\"except\" is no list"),
            (r#"[{"op": "clear", "key": "a", "except": [1]}]"#, "\"except\" has 1"),
            (r#"{"a": 1}"#, "a patch has no \"a\""),
            (r#"{"schema": 1}"#, "has no \"operations\""),
            (r#"{"operations": {}}"#, "\"operations\" is no list"),
            (r#"{"schema": 2, "operations": []}"#, "schema 2, and 1 is known"),
            (r#"{"schema": "1", "operations": []}"#, "schema \"1\""),
            (r#"{"exact": "yes", "operations": []}"#, "\"exact\" is true or false"),
            (r#""set""#, "a patch is a list"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(told), "{text}: {error}");
        }
    }
}
