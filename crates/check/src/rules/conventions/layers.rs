//! What several rules ask about a model: which architecture, which layers.

use std::collections::BTreeMap;

use ggufkit_format::spec::arch;
use ggufkit_inspect::config::required_keys;
use ggufkit_inspect::summary::Kind;

use super::schema::params::Params;
use super::schema::{Schema, Stack};
use crate::facts::{Facts, TensorAt};
use crate::finding::Label;

/// Most layers that llama.cpp has room for.
pub(super) const MAX_LAYERS: u64 = 512;

/// The architecture of a model: of what runs on its own, not of an adapter, a projector or a vocabulary. Only one that
/// llama.cpp knows: what the keys and names of other programs' models mean is theirs to say.
pub(crate) fn model_architecture<'a>(facts: &Facts<'a>) -> Option<&'a str> {
    facts.architecture().filter(|&name| name != "clip" && arch::is_known(name) && facts.kind() == Kind::Model)
}

/// Keys of some architectures that loaders read as one number or as a list with a number for each layer.
const PER_LAYER: [(&str, &[&str]); 4] = [
    (
        "expert_feed_forward_length",
        &[
            "afmoe",
            "bailingmoe",
            "bailingmoe2",
            "bailingmoe3",
            "cohere2moe",
            "deepseek",
            "deepseek2",
            "deepseek2-ocr",
            "deepseek32",
            "deepseek4",
            "dots1",
            "dots3note",
            "ernie4_5-moe",
            "exaone-moe",
            "gemma4",
            "glm-dsa",
            "glm4moe",
            "glm5-next",
            "gpt-oss",
            "grok",
            "grovemoe",
            "hunyuan-moe",
            "hy_v3",
            "hy_v4",
            "kimi-k3",
            "kimi-linear",
            "laguna",
            "lfm2moe",
            "llada-moe",
            "llama4",
            "maple",
            "mellum",
            "mimo2",
            "minimax-m2",
            "minimax-m3",
            "mistral4",
            "nemotron_h",
            "nemotron_h_moe",
            "qwen2moe",
            "qwen35moe",
            "qwen3moe",
            "qwen3next",
            "qwen3vlmoe",
            "qwen4exp",
            "rnd1",
            "smallthinker",
            "step35",
        ],
    ),
    ("swiglu_clamp_exp", &["bailingmoe3", "deepseek4", "glm5-next", "hy_v4", "maple", "step35"]),
    ("swiglu_clamp_shexp", &["bailingmoe3", "deepseek4", "glm5-next", "step35"]),
    ("attention.recurrent_layers", &["minimax-01", "qwen35", "qwen35moe", "qwen3next", "qwen4exp"]),
];

/// Keys of an architecture, beside those of every one, at which a list with an element for each layer may stand.
pub(crate) fn per_layer(arch: &str) -> impl Iterator<Item = &'static str> {
    PER_LAYER.into_iter().filter(move |(_, archs)| archs.contains(&arch)).map(|(suffix, _)| suffix)
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

/// Whether the file would be a whole model, had it layers: it has every key and every single tensor that the architecture
/// cannot do without, and says that there are layers.
pub(super) fn lacks_layers<'a>(facts: &Facts<'a>, arch: &'a str) -> bool {
    let Some(schema) = Schema::find(arch).filter(|_| facts.is_complete() && !is_whole(facts, arch)) else {
        return false;
    };
    let has = |name: &str| facts.tensor(name).is_some();
    let params = Params::new(facts, arch);
    let mut needed =
        schema.globals().filter(|row| row.need.is_needed(has, |key| params.says(key))).peekable();
    let any = needed.peek().is_some();
    any && needed.all(|row| has(row.name))
        && schema.stacks.iter().all(|stack| found(facts, stack).is_empty())
        && facts.arch_u64("block_count").is_some_and(|count| (1..=MAX_LAYERS).contains(&count))
        && required_keys(arch).iter().all(|key| facts.key(key).is_some())
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
