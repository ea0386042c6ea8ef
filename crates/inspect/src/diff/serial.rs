//! A diff as JSON: complete, and computed while it is written.

use ggufkit_format::{ArrayRef, Kv, Tensor, Value};
use serde::Serialize;
use serde::ser::{SerializeMap as _, SerializeSeq as _, Serializer};

use super::array::{ArrayDiff, differing};
use super::{Data, Diff, GapChange, KvChange, Owner, Record, Side, TensorChange};
use crate::json::{JsonElements, JsonText, JsonValue};
use crate::model::type_label;

/// A sequence whose items are made while it is written.
struct Each<F>(F);

impl<I: Iterator<Item: Serialize>, F: Fn() -> I> Serialize for Each<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(None)?;
        for item in (self.0)() {
            seq.serialize_element(&item)?;
        }
        seq.end()
    }
}

/// A key-value of one side.
#[derive(Clone, Copy, Debug)]
pub struct JsonEntry<'d, 'a> {
    side: &'d Side<'a>,
    kv: Record<'a, Kv>,
    /// Whether the key is told, and the whole value.
    key: bool,
    value: bool,
}

impl Serialize for JsonEntry<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if self.key {
            map.serialize_entry("key", &JsonText(self.kv.name))?;
        }
        map.serialize_entry("file", &self.kv.file)?;
        map.serialize_entry("index", &self.kv.index)?;
        map.serialize_entry("type", &type_label(self.kv.record))?;
        if self.value {
            map.serialize_entry("value", &self.side.value(&self.kv).map(JsonValue::whole))?;
        }
        map.end()
    }
}

/// A tensor of one side.
#[derive(Clone, Copy, Debug)]
pub struct JsonTensor<'d, 'a> {
    side: &'d Side<'a>,
    tensor: Record<'a, Tensor>,
    name: bool,
}

impl Serialize for JsonTensor<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if self.name {
            map.serialize_entry("name", &JsonText(self.tensor.name))?;
        }
        map.serialize_entry("file", &self.tensor.file)?;
        map.serialize_entry("index", &self.tensor.index)?;
        map.serialize_entry("type", &self.tensor.record.tensor_type.to_string())?;
        map.serialize_entry("dims", self.side.dims(&self.tensor))?;
        map.serialize_entry("offset", &self.tensor.record.offset)?;
        map.end()
    }
}

impl<'a> Diff<'a> {
    fn kv<'d>(side: &'d Side<'a>, at: usize, key: bool, value: bool) -> Option<JsonEntry<'d, 'a>> {
        side.kvs.get(at).map(|kv| JsonEntry { side, kv: *kv, key, value })
    }

    fn tensor<'d>(side: &'d Side<'a>, at: usize, name: bool) -> Option<JsonTensor<'d, 'a>> {
        side.tensors.get(at).map(|tensor| JsonTensor { side, tensor: *tensor, name })
    }
}

impl Serialize for Diff<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(4))?;
        map.serialize_entry("header", &self.header)?;
        map.serialize_entry("metadata", &OfMetadata(self))?;
        map.serialize_entry("tensors", &OfTensors(self))?;
        map.serialize_entry("layout", &OfLayout(self))?;
        map.end()
    }
}

struct OfMetadata<'d, 'a>(&'d Diff<'a>);

impl Serialize for OfMetadata<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (diff, found) = (self.0, &self.0.metadata);
        let key = |side: &Side<'_>, at: Option<usize>| {
            at.and_then(|at| side.kvs.get(at)).map(|kv| serde_json::json!(JsonText(kv.name)))
        };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("same", &found.same())?;
        map.serialize_entry("ignored", &[diff.a.ignored_kvs, diff.b.ignored_kvs])?;
        map.serialize_entry("room", &[diff.a.room(), diff.b.room()])?;
        let whole = |side, at: &usize| Diff::kv(side, *at, true, true);
        map.serialize_entry("added", &Each(|| found.added.iter().filter_map(|at| whole(&diff.b, at))))?;
        map.serialize_entry("removed", &Each(|| found.removed.iter().filter_map(|at| whole(&diff.a, at))))?;
        map.serialize_entry("changed", &Each(|| found.changed.iter().map(|change| OfChange(diff, *change))))?;
        let moved = found
            .moved
            .iter()
            .map(|(a, b)| serde_json::json!({ "key": key(&diff.a, Some(*a)), "a": a, "b": b }));
        map.serialize_entry("moved", &moved.collect::<Vec<_>>())?;
        let several = found.duplicated.iter().map(|one| {
            let name = key(&diff.a, one.a).or_else(|| key(&diff.b, one.b));
            serde_json::json!({ "key": name, "a": one.count_a, "b": one.count_b })
        });
        map.serialize_entry("duplicated", &several.collect::<Vec<_>>())?;
        map.end()
    }
}

struct OfChange<'d, 'a>(&'d Diff<'a>, KvChange);

impl Serialize for OfChange<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(diff, change) = *self;
        let (Some(a), Some(b)) = (diff.a.kvs.get(change.a), diff.b.kvs.get(change.b)) else {
            return serializer.serialize_none();
        };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("key", &JsonText(a.name))?;
        map.serialize_entry("occurrence", &a.occurrence)?;
        map.serialize_entry("retyped", &change.retyped)?;
        let arrays = match (diff.a.value(a), diff.b.value(b)) {
            (Some(Value::Array(a)), Some(Value::Array(b))) if !change.retyped => Some((a, b)),
            _ => None,
        };
        map.serialize_entry("a", &Diff::kv(&diff.a, change.a, false, arrays.is_none()))?;
        map.serialize_entry("b", &Diff::kv(&diff.b, change.b, false, arrays.is_none()))?;
        if let Some((a, b)) = arrays {
            map.serialize_entry("elements", &OfElements(a, b))?;
        }
        map.end()
    }
}

struct OfElements<'a>(ArrayRef<'a>, ArrayRef<'a>);

impl Serialize for OfElements<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Position<'a> {
            index: u64,
            a: JsonValue<'a>,
            b: JsonValue<'a>,
        }
        #[derive(Serialize)]
        struct Stretch<'a> {
            at_a: u64,
            at_b: u64,
            a: JsonElements<'a>,
            b: JsonElements<'a>,
        }
        let (a, b) = (self.0, self.1);
        let stretch = |at_a: u64, len_a: u64, at_b: u64, len_b: u64| Stretch {
            at_a,
            at_b,
            a: JsonElements { array: a, from: at_a, to: at_a.saturating_add(len_a) },
            b: JsonElements { array: b, from: at_b, to: at_b.saturating_add(len_b) },
        };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("len_a", &a.len())?;
        map.serialize_entry("len_b", &b.len())?;
        match ArrayDiff::of(a, b) {
            ArrayDiff::Positions { differing: count } => {
                map.serialize_entry("differing", &count)?;
                let one = |(index, a, b)| Position { index, a: JsonValue::whole(a), b: JsonValue::whole(b) };
                map.serialize_entry("positions", &Each(|| differing(a, b).map(one)))?;
                let common = a.len().min(b.len());
                let tail = stretch(common, a.len() - common, common, b.len() - common);
                let tail = (a.len() != b.len()).then_some(tail);
                map.serialize_entry("runs", tail.as_slice())?;
            }
            ArrayDiff::Runs(runs) => {
                let count = runs.iter().fold(0_u64, |sum, run| sum.saturating_add(run.len_a.max(run.len_b)));
                map.serialize_entry("differing", &count)?;
                map.serialize_entry("positions", &[(); 0])?;
                let run = |run: &super::Run| stretch(run.at_a, run.len_a, run.at_b, run.len_b);
                map.serialize_entry("runs", &Each(|| runs.iter().map(run)))?;
            }
        }
        map.end()
    }
}

struct OfTensors<'d, 'a>(&'d Diff<'a>);

impl Serialize for OfTensors<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (diff, found) = (self.0, &self.0.tensors);
        let count = |test: fn(&TensorChange) -> bool| found.pairs.iter().filter(|pair| test(pair)).count();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("in_both", &found.pairs.len())?;
        map.serialize_entry("data_same", &count(|pair| pair.data == Data::Same))?;
        map.serialize_entry("data_differs", &count(|pair| matches!(pair.data, Data::Differs(_))))?;
        map.serialize_entry(
            "data_not_compared",
            &count(|pair| matches!(pair.data, Data::Unknown | Data::NotCompared(_))),
        )?;
        map.serialize_entry("ignored", &[diff.a.ignored_tensors, diff.b.ignored_tensors])?;
        let one = |side, at: &usize| Diff::tensor(side, *at, true);
        map.serialize_entry("added", &Each(|| found.added.iter().filter_map(|at| one(&diff.b, at))))?;
        map.serialize_entry("removed", &Each(|| found.removed.iter().filter_map(|at| one(&diff.a, at))))?;
        #[derive(Serialize)]
        struct Pair<'d, 'a> {
            a: Option<JsonTensor<'d, 'a>>,
            b: Option<JsonTensor<'d, 'a>>,
        }
        let both = |pair: &(usize, usize)| Pair {
            a: Diff::tensor(&diff.a, pair.0, true),
            b: Diff::tensor(&diff.b, pair.1, true),
        };
        map.serialize_entry("renamed", &Each(|| found.renamed.iter().map(both)))?;
        let told = |pair: &&TensorChange| pair.differs() || matches!(pair.data, Data::NotCompared(_));
        map.serialize_entry("changed", &Each(|| found.pairs.iter().filter(told).map(|p| OfTensor(diff, p))))?;
        let moved = found.moved.iter().map(|(a, b)| {
            let name = diff.a.tensors.get(*a).map(|tensor| serde_json::json!(JsonText(tensor.name)));
            serde_json::json!({ "name": name, "a": a, "b": b })
        });
        map.serialize_entry("moved", &moved.collect::<Vec<_>>())?;
        map.end()
    }
}

struct OfTensor<'d, 'a>(&'d Diff<'a>, &'d TensorChange);

impl Serialize for OfTensor<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(diff, pair) = *self;
        let mut map = serializer.serialize_map(None)?;
        if let Some(tensor) = diff.a.tensors.get(pair.a) {
            map.serialize_entry("name", &JsonText(tensor.name))?;
            map.serialize_entry("occurrence", &tensor.occurrence)?;
        }
        map.serialize_entry("retyped", &pair.retyped)?;
        map.serialize_entry("reshaped", &pair.reshaped)?;
        map.serialize_entry("a", &Diff::tensor(&diff.a, pair.a, false))?;
        map.serialize_entry("b", &Diff::tensor(&diff.b, pair.b, false))?;
        let (word, difference, why) = match &pair.data {
            Data::Unknown => ("not-compared", None, None),
            Data::NotCompared(why) => ("not-compared", None, Some(why)),
            Data::Same => ("same", None, None),
            Data::Differs(difference) => ("differs", Some(difference), None),
        };
        map.serialize_entry("data", word)?;
        map.serialize_entry("difference", &difference)?;
        map.serialize_entry("reason", &why)?;
        map.end()
    }
}

struct OfLayout<'d, 'a>(&'d Diff<'a>);

impl Serialize for OfLayout<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (diff, found) = (self.0, &self.0.layout);
        #[derive(Serialize)]
        struct Moved<'d, 'a> {
            a: Option<JsonTensor<'d, 'a>>,
            b: Option<JsonTensor<'d, 'a>>,
        }
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("files", &found.files)?;
        let moved = |one: &super::OffsetChange| Moved {
            a: Diff::tensor(&diff.a, one.a, true),
            b: Diff::tensor(&diff.b, one.b, true),
        };
        map.serialize_entry("offsets", &Each(|| found.offsets.iter().map(moved)))?;
        let gap = |gap: &GapChange| {
            let (what, tensor) = match gap.after {
                Owner::Head(_) => ("head", None),
                Owner::End(_) => ("end", None),
                Owner::Tensor(at) => ("tensor", diff.a.tensors.get(at)),
            };
            serde_json::json!({
                "after": what,
                "tensor": tensor.map(|tensor| JsonText(tensor.name)),
                "file": gap.a.file,
                "a": { "start": gap.a.span.start, "end": gap.a.span.end() },
                "b": { "start": gap.b.span.start, "end": gap.b.span.end() },
                "first": gap.first,
            })
        };
        let gaps = || found.gaps.iter().filter(|gap| gap.differs);
        map.serialize_entry("bytes_between", &Each(|| gaps().map(gap)))?;
        map.serialize_entry("head_bytes", &found.head)?;
        map.end()
    }
}
