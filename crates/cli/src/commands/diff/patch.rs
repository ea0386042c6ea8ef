//! A diff as a document of operations that `gguf apply` takes.

use std::io::{self, Write as _};

use ggufkit::edit::patch::{Left, Patch};
use ggufkit::edit::{Element, Given, Operation};
use ggufkit::format::ByteStr;
use ggufkit::format::spec::KeyType;
use ggufkit::inspect::json::{JsonText, SCHEMA, write};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

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

/// An operation with its fields in the order in which they are read.
struct Fields(Vec<(&'static str, Value)>);

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

fn document(operation: &Operation) -> Fields {
    let given = |given: &Given| match given {
        Given::Json(value) => value.clone(),
        Given::Text(words) => Value::String(words.clone()),
        Given::Bytes(bytes) => text(bytes),
    };
    let place = |element: &Element| match element {
        Element::At(at) => json!(at),
        Element::FromEnd(back) => json!(i64::try_from(*back).map_or(i64::MIN, |back| -back)),
        Element::Token(token) => text(token),
    };
    let before = |before: &Option<Vec<u8>>| before.as_deref().map_or(Value::Null, text);
    let valued = |op, key: &[u8], element: &Option<Element>, ty: &Option<KeyType>, value| {
        let mut fields = vec![("op", json!(op)), ("key", text(key))];
        fields.extend(element.iter().map(|element| ("element", place(element))));
        fields.extend(ty.iter().map(|ty| ("type", json!(ty.to_string()))));
        fields.push(("value", value));
        fields
    };
    let named = |op, field, name: &[u8]| vec![("op", json!(op)), (field, text(name))];
    let and = |mut fields: Vec<(&'static str, Value)>, name, value| {
        fields.push((name, value));
        fields
    };
    Fields(match operation {
        Operation::Set { key, element, ty, value } => valued("set", key, element, ty, given(value)),
        Operation::Test { key, element, ty, value } => {
            valued("test", key, element, ty, value.as_ref().map_or(Value::Null, given))
        }
        Operation::Unset(key) => named("unset", "key", key),
        Operation::Rename { from, to } => and(named("rename", "key", from), "to", text(to)),
        Operation::Move { key, before: next } => and(named("move", "key", key), "before", before(next)),
        Operation::RenameTensor { from, to } => and(named("rename-tensor", "tensor", from), "to", text(to)),
        Operation::DropTensor(name) => named("drop-tensor", "tensor", name),
        Operation::MoveTensor { name, before: next } => {
            and(named("move-tensor", "tensor", name), "before", before(next))
        }
        // A diff makes no others.
        _ => Vec::new(),
    })
}
