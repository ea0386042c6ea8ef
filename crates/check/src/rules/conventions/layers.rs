//! What several rules ask about a model: which architecture, which layers.

use std::collections::BTreeMap;

use ggufkit_format::spec::arch;
use ggufkit_inspect::summary::Kind;

use super::schema::{Schema, Stack};
use crate::facts::{Facts, TensorAt};
use crate::finding::Label;

/// Most layers that llama.cpp has room for.
pub(super) const MAX_LAYERS: u64 = 512;

/// The architecture of a model: of what runs on its own, not of an adapter, a projector or a vocabulary. Only one that
/// llama.cpp knows: what the keys and names of other programs' models mean is theirs to say.
pub(super) fn model_architecture<'a>(facts: &Facts<'a>) -> Option<&'a str> {
    facts.architecture().filter(|&name| name != "clip" && arch::is_known(name) && facts.kind() == Kind::Model)
}

/// Whether the file is the whole of a model, so that something can be called missing from it.
///
/// It is where it has both sides of one: a hyperparameter (a key `{arch}.…`) and a tensor of a layer (`blk.N.…`, one that
/// the architecture knows where its tensors are known). One without the other is a piece: weights that were dumped for some
/// tool, a vocabulary, an example. Nothing is missing from a piece.
pub(super) fn is_whole(facts: &Facts<'_>, arch: &str) -> bool {
    let Some(model) = facts.model().filter(|_| facts.is_complete()) else { return false };
    let of_arch = |key: &[u8]| key.strip_prefix(arch.as_bytes()).is_some_and(|rest| rest.starts_with(b"."));
    let schema = Schema::find(arch);
    let layer = |name: &[u8]| match schema {
        Some(schema) => schema.place(name).is_some_and(|at| at.stack.is_some() && at.row.is_some()),
        None => STACKS.iter().any(|stack| stack.split(name).is_some()),
    };
    model.kvs().any(|(_, key, _)| of_arch(key.as_bytes()))
        && model.tensors().any(|(_, name, _)| layer(name.as_bytes()))
}

/// The stacks of architectures without a table.
const STACKS: &[Stack] = &[
    Stack { prefix: "blk", counts: &["block_count"], rows: &[] },
    Stack { prefix: "enc.blk", counts: &["block_count"], rows: &[] },
    Stack { prefix: "dec.blk", counts: &["decoder_block_count", "block_count"], rows: &[] },
];

/// The stacks of an architecture.
pub(super) fn stacks(schema: Option<&'static Schema>) -> &'static [Stack] {
    schema.map_or(STACKS, |schema| schema.stacks)
}

/// The layers of a stack that have tensors, each with its first tensor.
pub(super) fn found<'a>(facts: &Facts<'a>, stack: &Stack) -> BTreeMap<u64, TensorAt<'a>> {
    let mut layers = BTreeMap::new();
    for at in facts.rows() {
        if let Some((layer, _)) = stack.split(at.name()) {
            layers.entry(layer).or_insert(at);
        }
    }
    layers
}

/// How many layers a stack has by the metadata: the key and its value.
pub(super) fn stated(facts: &Facts<'_>, arch: &str, stack: &Stack) -> Option<(String, u64)> {
    let mut counts = stack.counts.iter().map(|suffix| format!("{arch}.{suffix}"));
    let key = counts.find(|key| facts.key(key).is_some())?;
    facts.u64(&key).map(|count| (key, count))
}

/// How many of the last layers predict further tokens. Loaders skip them, and files often come without them.
pub(super) fn nextn(facts: &Facts<'_>) -> u64 {
    facts.arch_u64("nextn_predict_layers").unwrap_or(0)
}

/// A label at `general.architecture`.
pub(super) fn architecture_label(facts: &Facts<'_>) -> Option<Label> {
    let place = facts.key("general.architecture")?;
    let part = ggufkit_format::KvPart::Value(ggufkit_format::Element::Whole);
    Some(facts.kv_label(&place, part))
}

/// `"X" is missing in layer 3`, `… in 4 of 32 layers, the first of them 3`.
pub(super) fn in_layers(layers: &[u64], of: u64) -> String {
    match layers {
        [] => String::new(),
        [one] => format!(" in layer {one}"),
        [first, ..] => format!(" in {} of {of} layers, the first of them {first}", layers.len()),
    }
}
