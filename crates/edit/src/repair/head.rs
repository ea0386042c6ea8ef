//! Repairs of the metadata and of names.

use std::collections::{BTreeMap, HashMap};

use ggufkit_format::naming::parse_shard_suffix;
use ggufkit_format::spec::ValueType;
use ggufkit_format::spec::keys::{self, KeyType};
use ggufkit_format::{AnomalyKind, Kv, Path, Payload, Scalar, Span, Value, shorten};

use super::{Duplicates, Reason, RepairError, Step, Work};
use crate::document::ALIGNMENT;
use crate::error::EditError;

/// The byte order mark that some editors put before text.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// Alignment where the declared one is no alignment.
const ALIGNMENT_IN_USE: u32 = 32;

/// Characters of a value that are shown.
const SHOWN: usize = 60;

impl From<EditError> for RepairError {
    fn from(error: EditError) -> Self {
        Reason::of(&error).into()
    }
}

/// The text without what does not belong to it: marks before it (where they can be there), NULs behind it.
fn trimmed(text: &[u8], marks: bool) -> &[u8] {
    let mut rest = text;
    while let Some(after) = rest.strip_prefix(BOM).filter(|_| marks) {
        rest = after;
    }
    while let Some(before) = rest.strip_suffix(b"\0") {
        rest = before;
    }
    rest
}

/// What was taken from a text, in words.
fn taken(before: &[u8], after: &[u8]) -> String {
    let mark = before.starts_with(BOM) && !after.starts_with(BOM);
    let nuls = before.iter().rev().take_while(|&&byte| byte == 0).count();
    let nuls = match nuls {
        0 => None,
        1 => Some("the NUL at the end".to_owned()),
        n => Some(format!("the {n} NULs at the end")),
    };
    let mark = mark.then(|| "the byte order mark at the start".to_owned());
    mark.into_iter().chain(nuls).collect::<Vec<_>>().join(" and ")
}

/// The rule that a text breaks by what is around it.
fn code(text: &[u8], nul: &'static str) -> &'static str {
    if text.ends_with(b"\0") { nul } else { "bom-in-text" }
}

fn shown(text: &[u8]) -> String {
    format!("\"{}\"", shorten(text, SHOWN))
}

fn scalar_shown(scalar: Scalar) -> String {
    match (scalar.as_integer(), scalar.as_float(), scalar) {
        (Some(integer), ..) => format!("{integer} ({})", scalar.value_type()),
        (_, Some(float), _) => format!("{float} ({})", scalar.value_type()),
        (.., Scalar::Bool(byte)) => format!("byte {byte}"),
        _ => scalar.value_type().to_string(),
    }
}

impl Work<'_> {
    /// The number of key-values that the source has.
    fn kvs(&self) -> u64 {
        self.index().kvs().len() as u64
    }

    pub(super) fn kv(&self, at: u64) -> Option<&Kv> {
        self.index().kvs().get(usize::try_from(at).ok()?)
    }

    fn kv_step(&self, at: u64, code: &'static str, what: String, part: &str, span: fn(&Kv) -> Span) -> Step {
        let span = self.kv(at).map(span).unwrap_or_default();
        Step::new(code, what, format!("kv[{at}]{part}"), span).named(self.document.key(at))
    }

    /// Marks and NULs that a writer put around keys, strings and tensor names.
    pub(super) fn texts(&mut self) -> Result<(), RepairError> {
        for at in 0..self.kvs() {
            if !self.document.is_there(at) {
                continue;
            }
            let key = self.document.key(at).to_vec();
            let clean = trimmed(&key, true);
            // A key of nothing else is not a key with something around it.
            if clean.len() < key.len() && !clean.is_empty() {
                let what = format!("take {} from the key", taken(&key, clean));
                let step = self.kv_step(at, code(&key, "nul-in-key"), what, ".key", |kv| kv.key.span);
                self.step(step.change(shown(&key), shown(clean)));
                self.document.set_key(at, clean)?;
            }
            let Some(Value::String(text)) = self.document.source_value(at) else { continue };
            // What is no text may be anything, and its zeros too.
            if text.to_str().is_none() {
                continue;
            }
            let clean = trimmed(text.0, true);
            if clean.len() < text.0.len() {
                let what = format!("take {} from the value", taken(text.0, clean));
                let step = self.kv_step(at, code(text.0, "nul-in-value"), what, ".value", |kv| kv.value_span);
                self.step(step.change(shown(text.0), shown(clean)));
                self.document.set_string(at, clean)?;
            }
        }
        for (at, (name, tensor)) in (0_u64..).zip(self.view.tensors()) {
            let clean = trimmed(name.0, false);
            if clean.len() < name.0.len() && !clean.is_empty() {
                let what = format!("take {} from the tensor's name", taken(name.0, clean));
                let path = format!("tensors[{at}].name");
                let step = Step::new("tensor-name-nul", what, path, tensor.name.span).named(name.0);
                self.step(step.change(shown(name.0), shown(clean)));
                self.document.set_name(at, clean)?;
            }
        }
        Ok(())
    }

    /// Bool bytes that are neither 0 nor 1.
    pub(super) fn bools(&mut self) -> Result<(), RepairError> {
        // Beyond the anomalies that the reader keeps, every value that holds bools is looked at.
        let all = self.index().anomalies_left_out() > 0;
        let odd =
            self.index().anomalies().iter().filter(|one| matches!(one.kind, AnomalyKind::OddBool { .. }));
        let odd = odd.filter_map(|one| match &one.path {
            Path::Kv { index, .. } => Some(*index),
            _ => None,
        });
        let mut places: Vec<u64> = if all { (0..self.kvs()).collect() } else { odd.collect() };
        places.dedup();
        places.retain(|at| self.document.is_there(*at));
        for at in places {
            let holds = match self.kv(at).map(|kv| &kv.payload) {
                Some(Payload::Scalar(Scalar::Bool(_))) => true,
                Some(Payload::Array(array)) => {
                    array.element_type == ValueType::BOOL || array.element_type == ValueType::ARRAY
                }
                _ => false,
            };
            let before = self.document.scalar(at).map(scalar_shown);
            if holds && self.document.normalise_bools(at)? {
                let what = "make 1 of every bool byte above 1, which reads as true".to_owned();
                let step = self.kv_step(at, "odd-bool", what, ".value", |kv| kv.value_span);
                self.step(step.change(before.unwrap_or_else(|| "bytes above 1".to_owned()), "byte 1"));
            }
        }
        Ok(())
    }

    /// Integers of another type than loaders ask for, which compare the type and not the number.
    pub(super) fn integers(&mut self) -> Result<(), RepairError> {
        for at in 0..self.kvs() {
            let Some(scalar) = self.document.scalar(at).filter(|_| self.document.is_there(at)) else {
                continue;
            };
            let Some(value) = scalar.as_integer() else { continue };
            let Some(info) = keys::lookup(self.document.key(at)) else { continue };
            if info.accepts(KeyType::Scalar(scalar.value_type())) {
                continue;
            }
            let wanted = info.types.iter().find_map(|ty| match ty {
                KeyType::Scalar(ty) => Scalar::integer(*ty, value),
                KeyType::Array(_) => None,
            });
            let Some(wanted) = wanted else { continue };
            let what = format!("store the number as {}, the type that loaders ask for", wanted.value_type());
            let step = self.kv_step(at, "integer-width", what, ".value", |kv| kv.value_span);
            self.step(step.change(scalar_shown(scalar), scalar_shown(wanted)));
            self.document.set_scalar(at, wanted)?;
        }
        Ok(())
    }

    /// Keys that occur again; where `alike`, only those with the same value.
    pub(super) fn duplicates(&mut self, alike: bool) -> Result<(), RepairError> {
        let mut places: HashMap<Vec<u8>, Vec<u64>> = HashMap::new();
        for at in 0..self.kvs() {
            if self.document.is_there(at) {
                places.entry(self.document.key(at).to_vec()).or_default().push(at);
            }
        }
        let again: BTreeMap<u64, Vec<u64>> = places
            .into_values()
            .filter(|at| at.len() > 1)
            .filter_map(|at| Some((*at.first()?, at)))
            .collect();
        for (first, places) in again {
            let keep = match self.policy.duplicates {
                Duplicates::KeepLast => places.last().copied().unwrap_or(first),
                _ => first,
            };
            for at in places.into_iter().filter(|at| *at != keep) {
                let same = self.document.same_value(keep, at)?;
                if alike && !same {
                    continue;
                }
                let key = shown(self.document.key(at));
                if !same && self.policy.duplicates == Duplicates::Refuse {
                    let message =
                        format!("the key {key} occurs again with another value: kv[{keep}] and kv[{at}]");
                    let span = self.kv(at).map(|kv| kv.span).unwrap_or_default();
                    let reason = Reason::new("duplicate-key", message).in_path(format!("kv[{at}]"));
                    self.refuse(reason.at(span));
                    continue;
                }
                let why = if same { "has the same value" } else { "is kept" };
                let what = format!("remove the key, which kv[{keep}] has too and {why}");
                let step = self.kv_step(at, "duplicate-key", what, "", |kv| kv.span);
                self.step(step);
                self.document.remove(at)?;
            }
        }
        Ok(())
    }

    /// Keys of a split model in a file that is whole.
    pub(super) fn split_keys(&mut self) -> Result<(), RepairError> {
        let find = |key: &[u8]| {
            let mut places = (0..self.document.kv_count()).filter(|&at| self.document.is_there(at));
            places.find(|&at| self.document.key(at) == key)
        };
        let [no, count, tensors] = [&b"split.no"[..], b"split.count", b"split.tensors.count"].map(find);
        let number = |at: Option<u64>| at.map(|at| self.document.scalar(at).and_then(|value| value.as_u64()));
        let here = self.index().tensors().len() as u64;
        // A set of one file, by its name, is what it says.
        let set = self.file_name.is_some_and(|name| parse_shard_suffix(name).is_some());
        let whole = matches!((number(count), set), (Some(Some(0)), _) | (Some(Some(1)), false))
            && matches!(number(no), None | Some(Some(0)))
            && number(tensors).is_none_or(|tensors| tensors == Some(here));
        if !whole {
            return Ok(());
        }
        for at in [no, count, tensors].into_iter().flatten() {
            let what = "remove the key of a split model: this file is whole".to_owned();
            let step = self.kv_step(at, "split-merged-leftover", what, "", |kv| kv.span);
            self.step(step);
            self.document.remove(at)?;
        }
        Ok(())
    }

    /// An alignment that loaders refuse.
    pub(super) fn alignment(&mut self) -> Result<(), RepairError> {
        let alignment = self.document.alignment();
        if alignment.is_power_of_two() {
            return Ok(());
        }
        let at = (0..self.document.kv_count())
            .find(|&at| self.document.is_there(at) && self.document.key(at) == ALIGNMENT)
            .unwrap_or_default();
        let what = format!("align the data to {ALIGNMENT_IN_USE}: loaders take powers of two");
        let step = self.kv_step(at, "alignment-not-power-of-two", what, ".value", |kv| kv.value_span);
        self.step(step.change(alignment.to_string(), ALIGNMENT_IN_USE.to_string()));
        self.document.set_alignment(ALIGNMENT_IN_USE);
        Ok(())
    }

    /// Names that two tensors share: nobody can say which one is meant.
    pub(super) fn names(&mut self) {
        let mut seen: HashMap<Vec<u8>, u64> = HashMap::new();
        let mut again = Vec::new();
        for at in 0..self.index().tensors().len() as u64 {
            let name = self.document.name(at);
            match seen.get(name) {
                Some(first) => again.push((*first, at)),
                None => {
                    seen.insert(name.to_vec(), at);
                }
            }
        }
        for (first, at) in again {
            let name = shown(self.document.name(at));
            let message = format!("tensors[{first}] and tensors[{at}] have the same name {name}");
            let tensor = usize::try_from(at).ok().and_then(|at| self.index().tensors().get(at));
            let span = tensor.map(|tensor| tensor.name.span).unwrap_or_default();
            self.refuse(
                Reason::new("tensor-name-duplicate", message).in_path(format!("tensors[{at}].name")).at(span),
            );
        }
    }
}
