//! Tensors beside what they were made of: which bytes are read, in which order, and what comes of sources that do not fit.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::num::NonZeroUsize;

use ggufkit_format::spec::TensorType;
use ggufkit_format::{Endian, Options, View};
use ggufkit_io::safetensors::{self, Entry, Safetensors};
use ggufkit_testkit::Builder;
use ggufkit_testkit::sources::{Memory, Recording};
use ggufkit_values::Weights;
use ggufkit_values::compare::{Difference, Pair, compare};
use ggufkit_values::origin::{Catalog, Change, Model, NoOrigin};

fn model(arch: &str, heads: Option<(u32, u32)>) -> Model {
    let mut file = Builder::new().kv("general.architecture", arch);
    if let Some((heads, kv)) = heads {
        file = file
            .kv(format!("{arch}.attention.head_count"), heads)
            .kv(format!("{arch}.attention.head_count_kv"), vec![kv, kv * 2]);
    }
    let bytes = file.bytes();
    let index = ggufkit_format::parse(&bytes, Options::new()).into_result().unwrap();
    Model::of(View::new(&index, &bytes))
}

/// A source of F32 tensors: names, shapes (the row length first) and values.
fn source(tensors: &[(&str, &[u64], &[f32])]) -> (Recording<Memory>, Safetensors) {
    let entries: Vec<_> = tensors
        .iter()
        .map(|(name, dims, _)| Entry { name: name.as_bytes(), tensor_type: TensorType::F32, dims })
        .collect();
    let layout = safetensors::layout(&entries).unwrap();
    let data = layout.order.iter().flat_map(|at| tensors[*at].2).flat_map(|value| value.to_le_bytes());
    let bytes: Vec<u8> = layout.head.iter().copied().chain(data).collect();
    assert_eq!(bytes.len() as u64, layout.len);
    let source = Recording::new(Memory::new(bytes));
    let head = safetensors::read(&source).unwrap();
    source.clear();
    (source, head)
}

fn floats(values: &[f32]) -> Memory {
    Memory::new(values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>())
}

/// How far values of this tensor are from its origin; the changes; the ranges that were read.
fn measured(
    model: &Model,
    file: &(Recording<Memory>, Safetensors),
    name: &str,
    dims: &[u64],
    values: &[f32],
) -> (Difference, Vec<Change>, Vec<(u64, u64)>) {
    let catalog = Catalog::of([(&file.0, &file.1)]);
    let origin = catalog.origin(model, name.as_bytes(), dims).unwrap();
    let data = floats(values);
    let other = Weights::at(&data, name.as_bytes(), TensorType::F32, dims, 0, Endian::Little).unwrap();
    assert!(file.0.ranges().is_empty(), "finding it reads nothing");
    let pairs = [Pair::of(&origin, &other).unwrap()];
    let mut found = None;
    compare(&pairs, NonZeroUsize::MIN, &|_| {}, &mut |_, result| found = Some(result.unwrap()));
    (found.unwrap(), origin.changes().collect(), file.0.ranges())
}

#[test]
fn rows_are_put_in_the_order_of_heads() {
    // Two heads of four rows of two values; by heads the rows are 0 2 1 3, 4 6 5 7.
    let values: Vec<f32> = (0..16).map(|at| at as f32).collect();
    let file = source(&[("model.layers.1.self_attn.q_proj.weight", &[2, 8], &values)]);
    let order = [0, 2, 1, 3, 4, 6, 5, 7];
    let turned: Vec<f32> = order.iter().flat_map(|row| [row * 2, row * 2 + 1].map(|at| at as f32)).collect();
    let start = file.1.tensors[0].data.start;
    let (found, changes, ranges) =
        measured(&model("llama", Some((2, 1))), &file, "blk.1.attn_q.weight", &[2, 8], &turned);
    assert_eq!((found.equal, changes), (16, vec![Change::RowsByHeads]));
    let rows: Vec<_> = order.iter().map(|row| (start + row * 8, 8)).collect();
    assert_eq!(ranges, rows, "each row once");
    // The same rows of an architecture that leaves them as they are.
    let (found, changes, _) = measured(
        &model("qwen2", Some((2, 1))),
        &source(&[("model.layers.1.self_attn.q_proj.weight", &[2, 8], &values)]),
        "blk.1.attn_q.weight",
        &[2, 8],
        &values,
    );
    assert_eq!((found.equal, changes), (16, Vec::new()));
    // Keys have the heads of their layer: 2 in the second.
    let file = source(&[("model.layers.1.self_attn.k_proj.bias", &[8], &values[..8])]);
    let turned: Vec<f32> = order.iter().map(|row| *row as f32).collect();
    let (found, ..) = measured(&model("llama", Some((2, 1))), &file, "blk.1.attn_k.bias", &[8], &turned);
    assert_eq!(found.equal, 8);
}

#[test]
fn matrices_are_turned_over_in_stretches() {
    // 3,000 by 100 and back: a unit of 2^18 values ends within a row.
    let (long, wide) = (3000_usize, 100_usize);
    let value = |row: usize, column: usize| (row * 7 + column * 31) as f32;
    // Stored with a line for each input: `long` inputs, `wide` outputs.
    let stored: Vec<f32> =
        (0..long).flat_map(|row| (0..wide).map(move |column| value(row, column))).collect();
    let turned: Vec<f32> =
        (0..wide).flat_map(|column| (0..long).map(move |row| value(row, column))).collect();
    let file = source(&[("transformer.h.0.mlp.c_fc.weight", &[wide as u64, long as u64], &stored)]);
    let dims = [long as u64, wide as u64];
    let (found, changes, ranges) =
        measured(&model("gpt2", None), &file, "blk.0.ffn_up.weight", &dims, &turned);
    assert_eq!((found.equal, found.count, changes), (300_000, 300_000, vec![Change::Turned]));
    // Of each line what belongs to a unit, in two units: rows 0 to 87, and 87 to 99.
    let start = file.1.tensors[0].data.start;
    assert_eq!(ranges.len(), 2 * long);
    assert_eq!((ranges[0], ranges[1]), ((start, 88 * 4), (start + 400, 88 * 4)));
    assert_eq!(ranges[long], (start + 87 * 4, 13 * 4));
}

#[test]
fn experts_are_put_together_and_norms_get_their_one() {
    let parts: Vec<Vec<f32>> = (0..3).map(|e| (0..8).map(|at| (e * 100 + at) as f32).collect()).collect();
    let names: Vec<String> =
        (0..3).map(|e| format!("model.layers.0.mlp.experts.{e}.down_proj.weight")).collect();
    let tensors: Vec<_> = names
        .iter()
        .zip(&parts)
        .map(|(name, values)| (name.as_str(), &[4_u64, 2][..], values.as_slice()))
        .collect();
    let file = source(&tensors);
    let (found, changes, ranges) =
        measured(&model("qwen3moe", None), &file, "blk.0.ffn_down_exps.weight", &[4, 2, 3], &parts.concat());
    assert_eq!((found.equal, changes, ranges.len()), (24, vec![Change::Stacked], 3));
    let catalog = Catalog::of([(&file.0, &file.1)]);
    let more = catalog.origin(&model("qwen3moe", None), b"blk.0.ffn_down_exps.weight", &[4, 2, 1 << 40]);
    assert!(matches!(more, Err(NoOrigin::Shape { found, .. }) if found == [4, 2, 3]));
    let file = source(&[("model.norm.weight", &[2], &[0.25, -0.5])]);
    let (found, changes, _) =
        measured(&model("gemma", None), &file, "output_norm.weight", &[2], &[1.25, 0.5]);
    assert_eq!((found.equal, changes), (2, vec![Change::PlusOne]));
    let (found, changes, _) = measured(
        &model("llama", None),
        &source(&[("model.norm.weight", &[2], &[0.25, -0.5])]),
        "output_norm.weight",
        &[2],
        &[0.25, -0.5],
    );
    assert_eq!((found.equal, changes), (2, Vec::new()));
}

#[test]
fn what_does_not_fit_is_told() {
    let file = source(&[
        ("model.layers.0.self_attn.q_proj.weight", &[2, 6], &[0.0; 12]),
        ("model.layers.0.self_attn.rotary_emb.inv_freq", &[1], &[1.0]),
        ("lm_head.weight", &[2, 1], &[1.0, 2.0]),
    ]);
    let catalog = Catalog::of([(&file.0, &file.1)]);
    let origin =
        |heads, name: &str, dims: &[u64]| catalog.origin(&model("llama", heads), name.as_bytes(), dims);
    for (heads, told) in
        [(None, 0), (Some((4, 4)), 4), (Some((0, 0)), 0), (Some((u32::MAX, 1)), u32::MAX.into())]
    {
        let error = origin(heads, "blk.0.attn_q.weight", &[2, 6]).unwrap_err();
        assert!(matches!(error, NoOrigin::Heads { heads } if heads == told), "{error}");
    }
    assert!(matches!(origin(None, "rope_freqs.weight", &[1]), Err(NoOrigin::Made)));
    for name in [
        "blk.1.attn_q.weight",
        "blk.x.attn_q.weight",
        "blk.0",
        "",
        "token_embd.weight",
        "blk.0.nothing.weight",
    ] {
        assert!(matches!(origin(None, name, &[1]), Err(NoOrigin::Nothing)), "{name}");
    }
    assert!(matches!(origin(None, "output.weight", &[3, 1]), Err(NoOrigin::Shape { .. })));
    // A dimension of 1 behind the others is none.
    assert_eq!(origin(None, "output.weight", &[2]).unwrap().names(), ["lm_head.weight"]);
    let weights: Vec<_> = catalog.names().collect();
    assert_eq!(weights, ["model.layers.0.self_attn.q_proj.weight", "lm_head.weight"]);
}
