//! A model of every architecture, made from its table: what the rules say about it, and about one thing of it changed.

use std::collections::BTreeSet;

use ggufkit_format::spec::{ValueType, keys};
use ggufkit_inspect::config::required_keys;
use ggufkit_testkit::{Builder, Tensor, Value};

use super::super::arch::ALL;
use super::super::params::Params;
use super::super::rows::ROUTER;
use super::super::{Dim, Need, Row, Schema, full_key};
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

fn head(schema: &Schema, experts: bool) -> Builder {
    head_without(schema, experts, "")
}

fn head_without(schema: &Schema, experts: bool, gone: &str) -> Builder {
    let name = schema.name;
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
        keys.insert(full_key(name, suffix));
    }
    if name == "deepseek2" {
        keys.insert(full_key(name, "attention.q_lora_rank"));
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

/// The rows of a layer, or of what occurs once, that a model has to have.
fn needed(rows: &[&'static Row], experts: bool, says: impl Fn(&str) -> bool) -> Vec<&'static Row> {
    let mut names: BTreeSet<&str> = rows
        .iter()
        .filter(|row| match row.need {
            Need::Must => true,
            Need::Where(key) => says(key),
            Need::WhereNot(key) => !says(key),
            _ => experts && row.name == ROUTER,
        })
        .map(|row| row.name)
        .collect();
    for conditional in [false, true] {
        for row in rows {
            let of_kind = match row.need {
                Need::Unless(_) => !conditional,
                Need::With(..) => conditional,
                _ => false,
            };
            if of_kind && row.need.is_needed(|name| names.contains(name), &says) {
                names.insert(row.name);
            }
        }
    }
    // A layer has something, also where nothing of it is asked for.
    if names.is_empty() {
        let plain = |row: &&&Row| row.name.ends_with(".weight") && !row.name.contains("qkv");
        names.extend(rows.iter().filter(plain).map(|row| row.name));
    }
    let mut seen = BTreeSet::new();
    rows.iter().copied().filter(|row| names.contains(row.name) && seen.insert(row.name)).collect()
}

/// The tensors of a model: name and dimensions, and which of the dimensions are known.
fn tensors(schema: &'static Schema, experts: bool) -> Vec<(String, Vec<u64>, Vec<bool>, Need)> {
    let recipe: Recipe = head(schema, experts).into();
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
        let mut out: Vec<_> = needed(&globals, experts, |key| params.says(key))
            .into_iter()
            .map(|row| make(row.name.to_owned(), row, 0))
            .collect();
        for stack in schema.stacks {
            let rows: Vec<&Row> = stack.rows().collect();
            for layer in 0..2 {
                let rows = needed(&rows, experts, |key| params.says(key)).into_iter();
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

/// Every architecture, once more with experts in every layer where only some layers need have them.
fn variants() -> impl Iterator<Item = (&'static Schema, bool)> {
    ALL.iter().copied().flat_map(|schema| {
        let rows: Vec<&Row> = schema.stacks.iter().flat_map(|stack| stack.rows()).collect();
        let routers: Vec<&Row> = rows.iter().copied().filter(|row| row.name == ROUTER).collect();
        let both = !routers.is_empty() && routers.iter().all(|row| matches!(row.need, Need::May));
        core::iter::once((schema, false)).chain(both.then_some((schema, true)))
    })
}

#[test]
fn a_model_that_is_as_its_table_says_breaks_no_rule_and_each_tensor_counts() {
    for (schema, experts) in variants() {
        let name = schema.name;
        let tensors = tensors(schema, experts);
        let model = |skip: Option<usize>| {
            let kept = tensors.iter().enumerate().filter(|(at, _)| Some(*at) != skip);
            kept.fold(head(schema, experts), |file, (_, (name, dims, ..))| {
                file.tensor(Tensor::f32(name, dims))
            })
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

/// Writes every model into the folder that `GGUFKIT_MODELS` names, and beside it models of which one thing is changed, for
/// the comparison with real loaders in `tests/oracle/loaders.py`: `{architecture}--{what is changed}.gguf`.
#[test]
#[ignore = "writes files, tests nothing"]
fn write_models() {
    let folder = std::path::PathBuf::from(std::env::var_os("GGUFKIT_MODELS").unwrap());
    // Heads of its layers with a window have sizes that the table does not tell.
    for (schema, experts) in variants().filter(|(schema, _)| schema.name != "gemma4") {
        let arch = schema.name;
        let with = if experts { " with experts" } else { "" };
        let write = |what: &str, keys: Builder, tensors: &[(String, Vec<u64>)]| {
            let file = tensors.iter().fold(keys, |file, (name, dims)| file.tensor(Tensor::f32(name, dims)));
            std::fs::write(folder.join(format!("{arch}{with}--{what}.gguf")), file.bytes()).unwrap();
        };
        let tensors: Vec<(String, Vec<u64>)> =
            tensors(schema, experts).into_iter().map(|(name, dims, ..)| (name, dims)).collect();
        write("sound", head(schema, experts), &tensors);
        let foreign = [&tensors[..], &[("blk.0.foreign.weight".to_owned(), vec![1])]].concat();
        write("foreign", head(schema, experts), &foreign);
        for key in required_keys(arch) {
            write(&format!("no {key}"), head_without(schema, experts, &key), &tensors);
        }
        for (at, (name, dims)) in tensors.iter().enumerate().filter(|(_, (name, _))| !name.contains(".1.")) {
            let mut fewer = tensors.clone();
            fewer.remove(at);
            write(&format!("without {name}"), head(schema, experts), &fewer);
            let mut other = tensors.clone();
            other[at].1 = core::iter::once(dims[0] + 1).chain(dims.iter().skip(1).copied()).collect();
            write(&format!("shape of {name}"), head(schema, experts), &other);
            for end in ["bias", "scale"] {
                let Some(stem) = name.strip_suffix("weight") else { continue };
                let name = format!("{stem}{end}");
                if name != "output.scale" && tensors.iter().all(|(other, _)| *other != name) {
                    let scales = if name.contains("_exps.") { 4 } else { 1 };
                    let dim = if end == "bias" { dims[dims.len() - 1] } else { scales };
                    let more = [&tensors[..], &[(name.clone(), vec![dim])]].concat();
                    write(&format!("with {name}"), head(schema, experts), &more);
                }
            }
        }
        for (name, _, dims) in rows(schema, experts) {
            let dims: Option<Vec<u64>> = dims.into_iter().collect();
            let Some(dims) = dims.filter(|dims| !dims.is_empty()) else { continue };
            if tensors.iter().all(|(other, _)| *other != name) {
                let more = [&tensors[..], &[(name.clone(), dims)]].concat();
                write(&format!("with {name}"), head(schema, experts), &more);
            }
        }
    }
}

/// Every row, with its whole name in the first layer and its dimensions as far as they are known.
fn rows(schema: &'static Schema, experts: bool) -> Vec<(String, &'static Row, Vec<Option<u64>>)> {
    let recipe: Recipe = head(schema, experts).into();
    recipe.judge(&Options::default(), |_, subject| {
        let parts = subject.parts();
        let facts = Facts::new(subject, &parts, None);
        let params = Params::new(&facts, schema.name);
        let dims = |row: &Row| {
            let size = |dim: &Dim| if *dim == Dim::Vocab { Some(3) } else { params.size(dim, 0) };
            row.shape.iter().map(size).collect::<Vec<_>>()
        };
        let globals = schema.globals().map(|row| (row.name.to_owned(), row, dims(row)));
        let layers = schema.stacks.iter().flat_map(|stack| {
            stack.rows().map(|row| (stack.name(0, row.name), row, dims(row))).collect::<Vec<_>>()
        });
        globals.chain(layers).collect()
    })
}
