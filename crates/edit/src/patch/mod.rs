//! A diff as operations: what makes the second file's metadata of the first's, order and types included.
//!
//! Every operation that changes a value comes with a test of the old one, so that the patch of one file is not applied to
//! another. What operations cannot say (data, tensors that are new, a key that is there twice) is [left](Patch::left), by name.

mod document;

use std::collections::BTreeSet;

use ggufkit_format::spec::{KeyType, ValueType};
use ggufkit_format::{ArrayRef, Kv, Scalar, Value};
use ggufkit_inspect::diff::{Data, Diff, Record, Side, differing, still};
use ggufkit_inspect::json::{JsonText, non_finite};
use serde_json::{Value as Json, json};

use crate::document::ALIGNMENT;
use crate::operation::{Element, Given, Operation};

pub use document::{JsonOperation, PatchDocument, PatchError};

/// Elements of an array that are changed one by one; of more of them the array is given whole.
const FEW: u64 = 1024;

/// Operations, and what they leave.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Patch {
    /// What is to be done, in this order.
    pub operations: Vec<Operation>,
    /// What remains different.
    pub left: Vec<Left>,
}

/// Something that no operation can say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Left {
    /// What it is.
    pub what: &'static str,
    /// Keys or tensors that it is about.
    pub names: Vec<Vec<u8>>,
}

impl Patch {
    /// The operations that lead from the first model of a diff to the second.
    #[must_use]
    pub fn of(diff: &Diff<'_>) -> Self {
        let mut patch = Self::default();
        let single = diff.a.parts.len() == 1 && diff.b.parts.len() == 1;
        let (mut tests, mut changes) = (Vec::new(), Vec::new());
        let mut inexact = Vec::new();
        let order = metadata(diff, &mut tests, &mut changes, &mut patch, &mut inexact);
        patch.operations.append(&mut tests);
        patch.operations.append(&mut changes);
        patch.leave("values that JSON has no exact form for", inexact);
        if single {
            moves(&order, |name, before| Operation::Move { key: name, before }, &mut patch.operations);
        } else if !diff.metadata.moved.is_empty() {
            patch.leave("the order of keys in a set of shards", Vec::new());
        }
        tensors(diff, single, &mut patch);
        let fields = diff.header.iter().filter(|change| change.field != "alignment");
        let fields: Vec<Vec<u8>> = fields.map(|change| change.field.as_bytes().to_vec()).collect();
        patch.leave("fields of the header", fields);
        if diff.layout.count() > 0 {
            patch.left.push(Left { what: "the layout of the data", names: Vec::new() });
        }
        patch
    }

    fn leave(&mut self, what: &'static str, names: Vec<Vec<u8>>) {
        if !names.is_empty() {
            self.left.push(Left { what, names });
        }
    }
}

/// A name with the place that it is to have, in the order in which it stands before anything is moved. `None`: the place is
/// not known, so it is moved.
struct Standing {
    name: Vec<u8>,
    place: usize,
    known: bool,
}

/// Moves that put names in order: from the last place to the first, each before the next.
fn moves(order: &[Standing], make: impl Fn(Vec<u8>, Option<Vec<u8>>) -> Operation, out: &mut Vec<Operation>) {
    let known: Vec<&Standing> = order.iter().filter(|one| one.known).collect();
    let places: Vec<usize> = known.iter().map(|one| one.place).collect();
    let stays: BTreeSet<usize> =
        places.iter().zip(still(&places)).filter(|(_, stays)| *stays).map(|(place, _)| *place).collect();
    let mut wanted: Vec<&Standing> = order.iter().collect();
    wanted.sort_by_key(|one| std::cmp::Reverse(one.place));
    let mut next: Option<&Standing> = None;
    for one in wanted {
        if !stays.contains(&one.place) {
            out.push(make(one.name.clone(), next.map(|next| next.name.clone())));
        }
        next = Some(one);
    }
}

/// Names that a list has more than once.
fn twice<'a, T>(list: &[Record<'a, T>]) -> BTreeSet<&'a [u8]> {
    list.iter().filter(|record| record.occurrence > 0).map(|record| record.name.0).collect()
}

fn metadata(
    diff: &Diff<'_>,
    tests: &mut Vec<Operation>,
    changes: &mut Vec<Operation>,
    patch: &mut Patch,
    inexact: &mut Vec<Vec<u8>>,
) -> Vec<Standing> {
    let (a, b) = (&diff.a, &diff.b);
    let (twice_a, twice_b) = (twice(&a.kvs), twice(&b.kvs));
    patch.leave("keys that are there more than once", twice_b.iter().map(|name| name.to_vec()).collect());
    let mut order = Vec::new();
    let mut new: Vec<usize> = Vec::new();
    // What was there more than once is taken out and, where one stays, put in again.
    let once: BTreeSet<&[u8]> = twice_a.difference(&twice_b).copied().collect();
    changes.extend(once.iter().map(|name| Operation::Unset(name.to_vec())));
    new.extend((0..b.kvs.len()).filter(|at| b.kvs.get(*at).is_some_and(|kv| once.contains(kv.name.0))));
    let odd = |name: &[u8]| twice_a.contains(name) || twice_b.contains(name);
    let removed = diff.metadata.removed.iter().filter_map(|at| a.kvs.get(*at));
    for kv in removed.filter(|kv| !odd(kv.name.0)) {
        guard(a, kv, tests);
        changes.push(Operation::Unset(kv.name.0.to_vec()));
    }
    for change in &diff.metadata.changed {
        let (Some(old), Some(kv)) = (a.kvs.get(change.a), b.kvs.get(change.b)) else { continue };
        if odd(old.name.0) {
            continue;
        }
        let (Some(is), Some(value)) = (a.value(old), b.value(kv)) else { continue };
        if let (Value::Array(is), Value::Array(value), false) = (is, value, change.retyped)
            && by_element(old.name.0, is, value, tests, changes)
        {
            continue;
        }
        guard(a, old, tests);
        if old.name.0 == ALIGNMENT && change.retyped {
            // A new type, and not only a new number.
            changes.push(Operation::Unset(old.name.0.to_vec()));
            new.push(change.b);
            continue;
        }
        set(kv, value, changes, inexact);
    }
    let again: BTreeSet<usize> = new.iter().copied().collect();
    for &(at_a, at_b) in &diff.metadata.pairs {
        let Some(kv) = a.kvs.get(at_a) else { continue };
        if !odd(kv.name.0) && !again.contains(&at_b) {
            order.push(Standing { name: kv.name.0.to_vec(), place: at_b, known: true });
        }
    }
    let added = diff.metadata.added.iter().copied();
    let added: BTreeSet<usize> =
        added.filter(|at| b.kvs.get(*at).is_some_and(|kv| !odd(kv.name.0))).chain(again).collect();
    for at in added {
        let Some(kv) = b.kvs.get(at) else { continue };
        if !odd(kv.name.0) && diff.metadata.added.binary_search(&at).is_ok() {
            let key = kv.name.0.to_vec();
            tests.push(Operation::Test { key, element: None, ty: None, value: None });
        }
        if let Some(value) = b.value(kv)
            && set(kv, value, changes, inexact)
        {
            order.push(Standing { name: kv.name.0.to_vec(), place: at, known: kv.name.0 != ALIGNMENT });
        }
    }
    order
}

/// Changes single elements, where they are few; false where the array is to be given whole.
fn by_element(
    key: &[u8],
    a: ArrayRef<'_>,
    b: ArrayRef<'_>,
    tests: &mut Vec<Operation>,
    changes: &mut Vec<Operation>,
) -> bool {
    if a.len() != b.len() || a.element_type() == ValueType::ARRAY {
        return false;
    }
    let most = (a.len() / 4).min(FEW);
    let mut found = Vec::new();
    for (at, old, new) in differing(a, b) {
        let (Some((old, exact_old)), Some((new, true))) = (given(old), given(new)) else { return false };
        if found.len() as u64 >= most {
            return false;
        }
        found.push((at, exact_old.then_some(old), new));
    }
    for (at, old, new) in found {
        let (key, element) = (key.to_vec(), Some(Element::At(at)));
        if let Some(old) = old {
            let value = Some(Given::Json(old));
            tests.push(Operation::Test { key: key.clone(), element: element.clone(), ty: None, value });
        }
        changes.push(Operation::Set { key, element, ty: None, value: Given::Json(new) });
    }
    true
}

/// Tests that a key has the value that it has.
fn guard(side: &Side<'_>, kv: &Record<'_, Kv>, out: &mut Vec<Operation>) {
    if let Some((value, true)) = side.value(kv).and_then(given) {
        let (ty, value) = (Some(kv.record.key_type()), Some(Given::Json(value)));
        out.push(Operation::Test { key: kv.name.0.to_vec(), element: None, ty, value });
    }
}

fn set(kv: &Record<'_, Kv>, value: Value<'_>, out: &mut Vec<Operation>, inexact: &mut Vec<Vec<u8>>) -> bool {
    let key = kv.name.0.to_vec();
    let ty = kv.record.key_type();
    let unfit = key == ALIGNMENT && ty != KeyType::Scalar(ValueType::UINT32);
    match given(value) {
        Some((value, exact)) => {
            if !exact || unfit {
                inexact.push(key.clone());
            }
            out.push(Operation::Set { key, element: None, ty: Some(ty), value: Given::Json(value) });
            true
        }
        None => {
            inexact.push(key);
            false
        }
    }
}

/// A value as JSON, and whether it comes back bit by bit; `None` for what cannot be written at all.
fn given(value: Value<'_>) -> Option<(Json, bool)> {
    match value {
        Value::Scalar(scalar) => scalar_json(scalar),
        Value::String(text) => Some((json!(JsonText(text)), true)),
        Value::Array(array) => {
            let nested = array.element_type() == ValueType::ARRAY;
            let (mut items, mut exact) = (Vec::new(), true);
            for item in array.iter() {
                let (json, same) = given(item)?;
                exact &= same;
                items.push(match item {
                    Value::Array(inner) if nested => {
                        json!({ "type": KeyType::Array(inner.element_type()).to_string(), "value": json })
                    }
                    _ => json,
                });
            }
            let all = items.len() as u64 == array.len();
            all.then_some((Json::Array(items), exact))
        }
    }
}

fn scalar_json(scalar: Scalar) -> Option<(Json, bool)> {
    let named = |value: f64| Json::from(non_finite(value));
    Some(match scalar {
        Scalar::Bool(byte) => (Json::Bool(byte != 0), byte <= 1),
        Scalar::F32(value) if value.is_finite() => {
            // In the digits of its own width.
            let digits = value.to_string().parse::<f64>().ok()?;
            (Json::from(digits), true)
        }
        Scalar::F64(value) if value.is_finite() => (Json::from(value), true),
        Scalar::F32(value) => (named(value.into()), !value.is_nan() || value.to_bits() == f32::NAN.to_bits()),
        Scalar::F64(value) => (named(value), !value.is_nan() || value.to_bits() == f64::NAN.to_bits()),
        Scalar::F16(_) => return None,
        Scalar::U64(value) => (Json::from(value), true),
        other => (Json::from(i64::try_from(other.as_integer()?).ok()?), true),
    })
}

fn tensors(diff: &Diff<'_>, single: bool, patch: &mut Patch) {
    let (a, b, found) = (&diff.a, &diff.b, &diff.tensors);
    let name = |list: &[Record<'_, ggufkit_format::Tensor>], at: usize| {
        list.get(at).map(|tensor| tensor.name.0.to_vec()).unwrap_or_default()
    };
    let (twice_a, twice_b) = (twice(&a.tensors), twice(&b.tensors));
    let odd = |name: &[u8]| twice_a.contains(name) || twice_b.contains(name);
    let mut several: BTreeSet<Vec<u8>> = BTreeSet::new();
    let mut standing = Vec::new();
    for &(old, new) in &found.renamed {
        let (from, to) = (name(&a.tensors, old), name(&b.tensors, new));
        if odd(&from) || odd(&to) {
            several.insert(from);
            continue;
        }
        standing.push((old, new));
        patch.operations.push(Operation::RenameTensor { from, to });
    }
    for &at in &found.removed {
        let name = name(&a.tensors, at);
        if odd(&name) {
            several.insert(name);
        } else {
            patch.operations.push(Operation::DropTensor(name));
        }
    }
    let names = |list: Vec<usize>| list.into_iter().map(|at| name(&a.tensors, at)).collect::<Vec<_>>();
    let pairs = |test: &dyn Fn(&ggufkit_inspect::diff::TensorChange) -> bool| {
        names(found.pairs.iter().filter(|pair| test(pair)).map(|pair| pair.a).collect())
    };
    let (retyped, reshaped) = (pairs(&|pair| pair.retyped), pairs(&|pair| pair.reshaped && !pair.retyped));
    let data = pairs(&|pair| matches!(pair.data, Data::Differs(_)));
    let unknown = pairs(&|pair| !pair.retyped && matches!(pair.data, Data::NotCompared(_)));
    if found.moved.iter().any(|(at, _)| odd(&name(&a.tensors, *at))) {
        several.extend(found.moved.iter().map(|(at, _)| name(&a.tensors, *at)).filter(|name| odd(name)));
    }
    // Data moves with its tensor: only where the order is another one.
    let moved = !found.moved.is_empty() || !found.renamed.is_empty();
    if single && moved {
        standing.extend(found.pairs.iter().map(|pair| (pair.a, pair.b)));
        standing.sort_unstable();
        let order: Vec<Standing> = standing
            .into_iter()
            .map(|(_, new)| Standing { name: name(&b.tensors, new), place: new, known: true })
            .filter(|one| !odd(&one.name))
            .collect();
        moves(&order, |name, before| Operation::MoveTensor { name, before }, &mut patch.operations);
    } else if !found.moved.is_empty() {
        patch.leave(
            "tensors in another order, in a set of shards",
            names(found.moved.iter().map(|pair| pair.0).collect()),
        );
    }
    patch.leave("tensors that are new", found.added.iter().map(|at| name(&b.tensors, *at)).collect());
    patch.leave("tensors of another type", retyped);
    patch.leave("tensors of another shape", reshaped);
    patch.leave("tensors with other data", data);
    patch.leave("tensors whose data could not be compared", unknown);
    patch.leave("tensors that are there more than once", several.into_iter().collect());
}
