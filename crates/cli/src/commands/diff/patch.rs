//! A diff as a document of operations that `gguf apply` takes.

use std::io::{self, Write as _};

use ggufkit::edit::patch::{Left, Patch};
use ggufkit::edit::{Element, Given, Operation};
use ggufkit::format::ByteStr;
use ggufkit::inspect::json::{JsonText, SCHEMA, write};
use serde_json::{Map, Value, json};

use crate::out::{self, Ink, Out};

/// Names of what is left that are told.
const FEW: usize = 3;

/// Writes the document, one operation a line, and says on standard error what it leaves.
pub(super) fn print(out: &mut Out, patch: &Patch) -> io::Result<()> {
    write!(out, "{{\"schema\":{SCHEMA},\"exact\":true,\"operations\":[")?;
    for (at, operation) in patch.operations.iter().enumerate() {
        out.write_all(if at == 0 { b"\n  " } else { b",\n  " })?;
        write(&mut *out, &document(operation), false)?;
    }
    writeln!(out, "\n]}}")?;
    for Left { what, names } in &patch.left {
        let mut list: Vec<String> = names.iter().take(FEW).map(|name| out::fit(name, 80)).collect();
        if names.len() > FEW {
            list.push(format!("and {} more", names.len() - FEW));
        }
        let list = if list.is_empty() { String::new() } else { format!(": {}", list.join(", ")) };
        out.message(Ink::Warn, "not in the patch", &format!("{what}{list}"))?;
    }
    Ok(())
}

fn text(bytes: &[u8]) -> Value {
    json!(JsonText(ByteStr(bytes)))
}

fn document(operation: &Operation) -> Value {
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| {
        fields.insert(name.to_owned(), value);
    };
    let given = |given: &Given| match given {
        Given::Json(value) => value.clone(),
        Given::Text(words) => Value::String(words.clone()),
        Given::Bytes(bytes) => text(bytes),
    };
    let place = |element: &Element| match element {
        Element::At(at) => json!(at),
        Element::Token(token) => text(token),
    };
    let before = |before: &Option<Vec<u8>>| before.as_deref().map_or(Value::Null, text);
    match operation {
        Operation::Set { key, element, ty, value } => {
            put("op", json!("set"));
            put("key", text(key));
            element.iter().for_each(|element| put("element", place(element)));
            ty.iter().for_each(|ty| put("type", json!(ty.to_string())));
            put("value", given(value));
        }
        Operation::Test { key, element, ty, value } => {
            put("op", json!("test"));
            put("key", text(key));
            element.iter().for_each(|element| put("element", place(element)));
            ty.iter().for_each(|ty| put("type", json!(ty.to_string())));
            put("value", value.as_ref().map_or(Value::Null, given));
        }
        Operation::Unset(key) => {
            put("op", json!("unset"));
            put("key", text(key));
        }
        Operation::Move { key, before: next } => {
            put("op", json!("move"));
            put("key", text(key));
            put("before", before(next));
        }
        Operation::RenameTensor { from, to } => {
            put("op", json!("rename-tensor"));
            put("tensor", text(from));
            put("to", text(to));
        }
        Operation::DropTensor(name) => {
            put("op", json!("drop-tensor"));
            put("tensor", text(name));
        }
        Operation::MoveTensor { name, before: next } => {
            put("op", json!("move-tensor"));
            put("tensor", text(name));
            put("before", before(next));
        }
        // A diff makes no others.
        _ => {}
    }
    Value::Object(fields)
}
