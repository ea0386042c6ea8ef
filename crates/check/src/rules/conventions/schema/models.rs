//! A model of every architecture, made from its table: what the rules say about it, and about one thing of it changed.

use std::collections::BTreeSet;

use ggufkit_format::spec::{ValueType, keys};
use ggufkit_testkit::{Builder, Tensor, Value};

use super::arch::ALL;
use super::params::Params;
use super::{Dim, Need, Row, Schema, full_key};
use crate::facts::Facts;
use crate::testing::Recipe;
use crate::{Options, Severity};

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
        "rope.dimension_count" => 4,
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

fn head(schema: &Schema) -> Builder {
    let name = schema.name;
    let mut keys: BTreeSet<String> = Schema::required_keys(name).into_iter().collect();
    for suffix in [
        "feed_forward_length",
        "attention.head_count",
        "attention.head_count_kv",
        "expert_feed_forward_length",
        "expert_count",
        "expert_used_count",
    ] {
        keys.insert(full_key(name, suffix));
    }
    let file =
        Builder::new().kv("general.architecture", name).kv("tokenizer.ggml.tokens", vec!["a", "b", "c"]);
    keys.iter().fold(file, |file, key| file.kv(key, value(key, name)))
}

/// The rows of a layer, or of what occurs once, that a model has to have.
fn needed(rows: &[&'static Row]) -> Vec<&'static Row> {
    let mut names: BTreeSet<&str> =
        rows.iter().filter(|row| matches!(row.need, Need::Must)).map(|row| row.name).collect();
    for row in rows {
        if matches!(row.need, Need::Unless(others) if !others.iter().any(|other| names.contains(other))) {
            names.insert(row.name);
        }
    }
    for row in rows {
        if matches!(row.need, Need::With(other, _) if names.contains(other)) {
            names.insert(row.name);
        }
    }
    // A layer has something, also where nothing of it is asked for.
    if names.is_empty() {
        names.extend(rows.first().map(|row| row.name));
    }
    let mut seen = BTreeSet::new();
    rows.iter().copied().filter(|row| names.contains(row.name) && seen.insert(row.name)).collect()
}

/// The tensors of a model: name and dimensions, and which of the dimensions are known.
fn tensors(schema: &'static Schema) -> Vec<(String, Vec<u64>, Vec<bool>, Need)> {
    let recipe: Recipe = head(schema).into();
    recipe.judge(&Options::default(), |_, subject| {
        let parts = subject.parts();
        let facts = Facts::new(subject, &parts, None);
        let params = Params::new(&facts, schema.name);
        let make = |name: String, row: &Row, layer: u64| {
            let size = |dim: &Dim| match dim {
                Dim::Vocab => 3,
                dim => params.size(dim, layer).unwrap_or(11),
            };
            let known = row.shape.iter().map(|dim| params.size(dim, layer).is_some()).collect();
            let dims = if row.shape.is_empty() { vec![1] } else { row.shape.iter().map(size).collect() };
            (name, dims, known, row.need)
        };
        let globals: Vec<&Row> = schema.globals().collect();
        let mut out: Vec<_> =
            needed(&globals).into_iter().map(|row| make(row.name.to_owned(), row, 0)).collect();
        for stack in schema.stacks {
            let rows: Vec<&Row> = stack.rows().collect();
            for layer in 0..2 {
                let rows = needed(&rows).into_iter();
                out.extend(rows.map(|row| make(stack.name(layer, row.name), row, layer)));
            }
        }
        out
    })
}

/// What the rules of the family say above a note.
fn said(file: Builder) -> BTreeSet<&'static str> {
    let recipe: Recipe = file.into();
    recipe.judge(&Options::default(), |report, _| {
        let loud = report.findings.iter().filter(|finding| finding.severity > Severity::Note);
        loud.filter(|finding| finding.rule.family == crate::Family::Conventions)
            .map(|f| f.rule.name)
            .collect()
    })
}

#[test]
fn a_model_that_is_as_its_table_says_breaks_no_rule_and_each_tensor_counts() {
    for schema in ALL {
        let name = schema.name;
        let tensors = tensors(schema);
        let model = |skip: Option<usize>| {
            let kept = tensors.iter().enumerate().filter(|(at, _)| Some(*at) != skip);
            kept.fold(head(schema), |file, (_, (name, dims, ..))| file.tensor(Tensor::f32(name, dims)))
        };
        assert_eq!(said(model(None)), BTreeSet::new(), "{name}");
        for (at, (tensor, dims, known, need)) in tensors.iter().enumerate() {
            if matches!(need, Need::Must) {
                assert!(said(model(Some(at))).contains("tensor-missing"), "{name} without {tensor}");
            }
            let Some(axis) = known.iter().position(|known| *known) else { continue };
            let mut dims = dims.clone();
            dims[axis] += 1;
            let changed = model(Some(at)).tensor(Tensor::f32(tensor, &dims));
            assert_eq!(said(changed), BTreeSet::from(["shape-mismatch"]), "{name}: {tensor} {dims:?}");
        }
    }
}
