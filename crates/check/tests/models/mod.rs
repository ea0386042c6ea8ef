//! Models that are made from the tables of architectures. The test judges them, and the example `write_models` writes them.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use ggufkit_check::architectures::{Architecture, Planned};
use ggufkit_check::{File, Subject};
use ggufkit_format::spec::{ValueType, keys};
use ggufkit_format::{ByteStr, Options as ReadOptions, View, parse};
use ggufkit_inspect::config::required_keys;
use ggufkit_io::diagnose;
use ggufkit_testkit::sources::Memory;
use ggufkit_testkit::{Builder, Value};

/// Layers of a model.
const LAYERS: u64 = 2;

/// A key's value: a number that goes together with the others, of the type that converters write.
fn value(key: &str, arch: &str) -> Value {
    let ty = keys::lookup(key.as_bytes()).map(|info| info.types[0]);
    let number = match key.strip_prefix(arch).unwrap_or(key).trim_start_matches('.') {
        "block_count" | "decoder_block_count" => 2_u32,
        "context_length" => 32,
        "embedding_length" => 8,
        "feed_forward_length" => 16,
        "expert_feed_forward_length" => 6,
        "expert_count" => 4,
        "expert_used_count" | "attention.head_count" => 2,
        "attention.kv_lora_rank" => 3,
        "attention.q_lora_rank" => 5,
        "rope.dimension_count" if matches!(arch, "minicpm3" | "deepseek2") => 2,
        "rope.dimension_count" => 4,
        // All heads have keys of their own.
        "attention.head_count_kv" if matches!(arch, "dots1" | "olmoe" | "t5" | "t5encoder") => 2,
        // Layers without experts, with attention, with a window and without keys.
        "leading_dense_block_count" | "attention.shared_kv_layers" => 2,
        "interleave_moe_layer_step" => 3,
        "ssm.inner_size" => 16,
        "ssm.time_step_rank" => 7,
        "ssm.state_size" => 9,
        _ => 1,
    };
    match ty.map(|ty| (ty.is_array(), ty.element())) {
        Some((false, ValueType::FLOAT32)) => Value::from(0.5_f32),
        Some((false, ValueType::STRING)) => Value::from("llama"),
        Some((false, ValueType::BOOL)) => Value::from(true),
        Some((true, ValueType::INT32)) => Value::from(vec![1_i32; 4]),
        Some((true, ValueType::BOOL)) => Value::from(vec![true; 2]),
        _ => Value::from(number),
    }
}

pub(crate) fn head(architecture: Architecture, experts: bool) -> Builder {
    head_without(architecture, experts, "")
}

pub(crate) fn head_without(architecture: Architecture, experts: bool, gone: &str) -> Builder {
    let name = architecture.name();
    let mut keys: BTreeSet<String> = required_keys(name).into_iter().collect();
    for suffix in [
        "feed_forward_length",
        "attention.head_count",
        "attention.head_count_kv",
        "expert_feed_forward_length",
        "expert_count",
        "expert_used_count",
        "rope.dimension_count",
        "leading_dense_block_count",
        "full_attention_interval",
        "attention.shared_kv_layers",
    ] {
        keys.insert(format!("{name}.{suffix}"));
    }
    if name == "deepseek2" {
        keys.insert(format!("{name}.attention.q_lora_rank"));
    }
    let file =
        Builder::new().kv("general.architecture", name).kv("tokenizer.ggml.tokens", vec!["a", "b", "c"]);
    keys.iter().filter(|key| *key != gone).fold(file, |file, key| {
        let dense = ["leading_dense_block_count", "interleave_moe_layer_step"];
        let value = match dense.iter().position(|suffix| key.ends_with(suffix)) {
            // Every layer has experts.
            Some(at) if experts => Value::from(at as u32),
            _ => value(key, name),
        };
        file.kv(key, value)
    })
}

/// The tensors of a model: name and dimensions, and what the table says.
pub(crate) fn tensors(architecture: Architecture, experts: bool) -> Vec<(String, Vec<u64>, Planned)> {
    let planned =
        read(&head(architecture, experts).bytes(), |subject| architecture.model(subject, LAYERS, experts));
    let dims = |planned: &Planned| match planned.dims.as_slice() {
        [] => vec![1],
        dims => dims.iter().map(|dim| dim.unwrap_or(11)).collect(),
    };
    planned.into_iter().map(|planned| (planned.name.clone(), dims(&planned), planned)).collect()
}

/// Every architecture, once more with experts in every layer where only some layers need have them.
pub(crate) fn variants() -> impl Iterator<Item = (Architecture, bool)> {
    Architecture::all().flat_map(|architecture| {
        let both = architecture.may_have_experts();
        core::iter::once((architecture, false)).chain(both.then_some((architecture, true)))
    })
}

/// Hands the bytes over as a subject.
pub(crate) fn read<T>(bytes: &[u8], then: impl FnOnce(&Subject<'_>) -> T) -> T {
    let read = ReadOptions::new().with_size(Some(bytes.len() as u64));
    let outcome = parse(bytes, read);
    let diagnosis = diagnose(&Memory::new(bytes), read, &outcome, bytes).unwrap();
    let file = File {
        label: ByteStr(b"model.gguf"),
        file_name: Some("model.gguf"),
        size: Some(bytes.len() as u64),
        view: outcome.index.as_ref().map(|index| View::new(index, bytes)),
        error: outcome.error.as_ref(),
        diagnosis: &diagnosis,
        source: None,
    };
    then(&Subject::single(&file))
}
