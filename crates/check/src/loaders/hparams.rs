//! What llama.cpp does with the hyperparameters when it loads a model.
//!
//! This follows `llama_model_base::load_hparams`, in its order: each key is read with one type, and refused with any other;
//! a key that a list of layers may stand at takes exactly as many elements as there are layers. What an architecture reads
//! beyond that is followed for the epsilons and for the lists of layers. A program that is ended by a failed assertion
//! refuses the file as well.

use ggufkit_format::spec::ValueType;
use ggufkit_format::{Kv, Value};
use ggufkit_inspect::Place;

use super::vocabulary::Stop;
use crate::facts::Facts;
use crate::rules::per_layer;

/// How a key is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Read {
    /// It has to be there.
    Must(ValueType),
    /// Where it is there.
    May(ValueType),
    /// Where it is there: one number, or a list with one for each layer.
    Layers,
    /// Where it is there, and the model has heads of attention.
    Heads(ValueType),
}

use Read::{Heads, Layers, May, Must};

const U32: ValueType = ValueType::UINT32;
const F32: ValueType = ValueType::FLOAT32;
const TEXT: ValueType = ValueType::STRING;

/// What is read of every architecture.
const READ: [(&str, Read); 31] = [
    ("context_length", Must(U32)),
    ("embedding_length", Must(U32)),
    ("embedding_length_out", May(U32)),
    ("attention.causal", May(ValueType::BOOL)),
    ("pooling_type", May(U32)),
    ("classifier.pooling_type", May(U32)),
    ("block_count", Must(U32)),
    ("nextn_predict_layers", May(U32)),
    ("expert_count", May(U32)),
    ("expert_used_count", Layers),
    ("expert_group_count", May(U32)),
    ("expert_group_used_count", May(U32)),
    ("feed_forward_length", Layers),
    ("attention.head_count", Layers),
    ("attention.head_count_kv", Layers),
    ("rope.scaling.finetuned", May(ValueType::BOOL)),
    ("rope.scaling.original_context_length", May(U32)),
    ("rope.freq_base", May(F32)),
    ("rope.scaling.type", May(TEXT)),
    ("rope.scaling.factor", May(F32)),
    ("rope.scale_linear", May(F32)),
    ("rope.scaling.attn_factor", May(F32)),
    ("rope.scaling.alpha", May(F32)),
    ("attention.key_length", Heads(U32)),
    ("attention.value_length", Heads(U32)),
    ("rope.dimension_count", Heads(U32)),
    ("attention.key_length_swa", May(U32)),
    ("attention.value_length_swa", May(U32)),
    ("rope.dimension_count_swa", May(U32)),
    (RMS, May(F32)),
    (NORM, May(F32)),
];

const RMS: &str = "attention.layer_norm_rms_epsilon";
const NORM: &str = "attention.layer_norm_epsilon";

/// Architectures that read the epsilon of a layer norm, and no other.
const NORMED: [&str; 26] = [
    "bert",
    "bloom",
    "codeshell",
    "cohere2",
    "command-r",
    "dbrx",
    "falcon",
    "gpt2",
    "gptneox",
    "jais",
    "jais2",
    "jina-bert-v2",
    "jina-bert-v3",
    "modern-bert",
    "mpt",
    "nemotron",
    "nomic-bert",
    "nomic-bert-moe",
    "olmo",
    "orion",
    "phi2",
    "pockettts",
    "stablelm",
    "starcoder",
    "starcoder2",
    "wavtokenizer-dec",
];

/// Architectures that read both epsilons, or may.
const BOTH: [&str; 11] = [
    "arwkv7",
    "cohere2moe",
    "glm5-next",
    "gptj",
    "nemotron_h",
    "nemotron_h_moe",
    "qwen2vl",
    "rwkv6",
    "rwkv6qwen2",
    "rwkv7",
    "(unknown)",
];

/// Scalings of positions that it knows.
const SCALINGS: [&[u8]; 4] = [b"none", b"linear", b"yarn", b"longrope"];

/// Most experts, and most layers, that there is room for.
const MAX_EXPERTS: u64 = 1024;
const MAX_LAYERS: u64 = 512;

/// Whether an architecture that llama.cpp knows leaves a key unread that others read.
pub(crate) fn passes_over(arch: &str, suffix: &str) -> bool {
    match suffix {
        RMS => NORMED.contains(&arch),
        NORM => !NORMED.contains(&arch) && !BOTH.contains(&arch),
        _ => false,
    }
}

/// Whether [`load`] tells what becomes of a key of the architecture, whatever its value is.
pub(super) fn tells(suffix: &str) -> bool {
    READ.iter().any(|(known, _)| *known == suffix)
}

/// `Ok` where the hyperparameters are taken, as far as they are followed. The file has to be a model.
pub(super) fn load(facts: &Facts<'_>, arch: &str) -> Result<(), Stop> {
    let layers = facts.arch_u64("block_count");
    for (suffix, read) in READ {
        let reads = match suffix {
            "rope.scale_linear" => facts.arch_key("rope.scaling.factor").is_none(),
            _ => !passes_over(arch, suffix),
        };
        let Some(place) = facts.arch_key(suffix).filter(|_| reads) else {
            match read {
                Must(_) if facts.is_complete() => {
                    return Err(refused(arch, suffix, Some("required-key-missing"), "it is not there"));
                }
                _ => continue,
            }
        };
        match read {
            Layers => list(arch, suffix, &place, layers)?,
            Heads(_) if !has_heads(facts) => {}
            Must(ty) | May(ty) | Heads(ty) => typed(arch, suffix, &place, ty)?,
        }
        match suffix {
            "block_count" if !layers.is_some_and(|count| (1..=MAX_LAYERS).contains(&count)) => {
                return Err(refused(arch, suffix, None, "there are no layers, or too many"));
            }
            "nextn_predict_layers" if facts.arch_u64(suffix) > layers => {
                return Err(refused(arch, suffix, Some("nextn-layers-mismatch"), "there are fewer layers"));
            }
            "rope.scaling.type" if !matches!(value(&place), Value::String(name) if SCALINGS.contains(&name.0)) =>
            {
                return Err(refused(arch, suffix, None, "the scaling is not known to it"));
            }
            _ => {}
        }
    }
    experts(facts, arch)?;
    for suffix in per_layer(arch) {
        if let Some(place) = facts.arch_key(suffix) {
            list(arch, suffix, &place, layers)?;
        }
    }
    Ok(())
}

/// The numbers of experts, which are held against each other.
fn experts(facts: &Facts<'_>, arch: &str) -> Result<(), Stop> {
    let number = |suffix| facts.arch_u64(suffix).unwrap_or(0);
    let count = number("expert_count");
    if matches!(arch, "hunyuan_vl" | "hunyuan-dense") && count <= 1 {
        return Ok(());
    }
    let used = facts.arch_key("expert_used_count").map_or(0, |place| most(&place));
    let (groups, groups_used) = (number("expert_group_count"), number("expert_group_used_count"));
    let refused = |suffix, why| Err(refused(arch, suffix, Some("expert-count-range"), why));
    if count > MAX_EXPERTS {
        return refused("expert_count", "there are more experts than it has room for");
    }
    if used > count || (used == 0) != (count == 0) {
        return refused("expert_used_count", "as many experts cannot be used");
    }
    let fits = match groups {
        0 => true,
        1 => count > 1,
        _ => groups < count && count.is_multiple_of(groups) && (1..groups).contains(&groups_used),
    };
    match fits {
        true => Ok(()),
        false => refused("expert_group_count", "the experts do not go into the groups"),
    }
}

/// The number, or the greatest of the list, as 32 bits without a sign.
fn most(place: &Place<'_, Kv>) -> u64 {
    let one = |value: Value<'_>| value.as_u64().unwrap_or(u64::from(u32::MAX));
    match value(place) {
        Value::Array(array) => array.iter().map(one).max().unwrap_or(0),
        value => one(value),
    }
}

/// Whether the first layer has heads of attention.
fn has_heads(facts: &Facts<'_>) -> bool {
    match facts.arch_key("attention.head_count").map(|place| value(&place)) {
        Some(Value::Array(array)) => array.iter().next().and_then(|value| value.as_u64()) != Some(0),
        Some(value) => value.as_u64() != Some(0),
        None => false,
    }
}

fn value<'a>(place: &Place<'a, Kv>) -> Value<'a> {
    place.part.view.value(place.record)
}

fn typed(arch: &str, suffix: &str, place: &Place<'_, Kv>, ty: ValueType) -> Result<(), Stop> {
    match place.record.value_type == ty {
        true => Ok(()),
        false => Err(refused(arch, suffix, None, &format!("it is read as {ty}"))),
    }
}

/// One number, or as many as there are layers.
fn list(arch: &str, suffix: &str, place: &Place<'_, Kv>, layers: Option<u64>) -> Result<(), Stop> {
    let of_floats = suffix.starts_with("swiglu_clamp");
    let Value::Array(array) = value(place) else {
        return typed(arch, suffix, place, if of_floats { F32 } else { U32 });
    };
    if layers.is_some_and(|layers| layers != array.len()) {
        let why = "the list is not as long as there are layers";
        return Err(refused(arch, suffix, Some("per-layer-array-length"), why));
    }
    let taken = match array.element_type() {
        // Flags are taken for numbers, and then compared with shapes as such.
        ValueType::BOOL if !of_floats => return Err(Stop::Unsure),
        ValueType::UINT32 | ValueType::INT32 => !of_floats,
        ValueType::FLOAT32 => of_floats,
        _ => false,
    };
    match taken {
        true => Ok(()),
        false => Err(refused(arch, suffix, None, "the list is of a type that it does not take")),
    }
}

fn refused(arch: &str, suffix: &str, rule: Option<&'static str>, why: &str) -> Stop {
    let key = format!("{arch}.{suffix}");
    Stop::Refused { why: format!("{}: {why}", ggufkit_format::shorten(key.as_bytes(), 80)), rule, key }
}
