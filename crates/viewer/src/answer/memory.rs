//! What a model takes in memory: its weights, and what a context adds.

use std::collections::BTreeMap;

use ggufkit_format::spec::{Lang, TensorType};
use ggufkit_inspect::memory::{Cache, cache};
use ggufkit_inspect::tensors::{Sizing, Table};
use serde::Serialize;

use super::query::Query;
use super::session::Session;
use super::zh::say;
use super::{Answer, json};

/// Layers that are told one by one.
const MAX_LAYERS: usize = 1000;

/// Types that a cache may have.
const TYPES: &[TensorType] = &[
    TensorType::F32,
    TensorType::F16,
    TensorType::BF16,
    TensorType::Q8_0,
    TensorType::Q5_1,
    TensorType::Q5_0,
    TensorType::Q4_1,
    TensorType::Q4_0,
    TensorType::IQ4_NL,
];

#[derive(Serialize)]
struct Memory {
    model: usize,
    weights: Weights,
    /// Nothing where it cannot be told, with a reason; without one where not all keys were read.
    cache: Option<Told>,
    reason: Option<String>,
}

#[derive(Serialize)]
struct Weights {
    total: u64,
    /// How the least sure of the sizes is known, here and below.
    sizing: Sizing,
    by_type: Vec<OfType>,
    by_layer: Vec<OfLayer>,
}

#[derive(Serialize)]
struct OfType {
    #[serde(rename = "type")]
    ty: String,
    tensors: u64,
    bytes: u64,
    sizing: Sizing,
}

#[derive(Serialize)]
struct OfLayer {
    layer: Option<u64>,
    tensors: u64,
    bytes: u64,
    sizing: Sizing,
}

#[derive(Serialize)]
struct Told {
    trained_context: Option<u64>,
    kinds: Vec<Kind>,
    types: Vec<CacheType>,
}

#[derive(Serialize)]
struct Kind {
    name: &'static str,
    layers: u64,
    window: Option<u64>,
    k_row: u64,
    v_row: u64,
    fixed: u64,
    terms: Vec<Term>,
}

#[derive(Serialize)]
struct Term {
    name: &'static str,
    value: String,
    from: String,
}

#[derive(Serialize)]
struct CacheType {
    name: &'static str,
    bits: f64,
}

pub(super) fn memory(session: &Session, query: &Query<'_>) -> Answer {
    let (number, opened) = session.opened(query, "model")?;
    let lang = query.lang()?;
    let keys = session.reach(opened).keys.reach;
    if session.parts(opened).is_empty() {
        let weights =
            Weights { total: 0, sizing: Sizing::Unknown, by_type: Vec::new(), by_layer: Vec::new() };
        return json(&Memory { model: number, weights, cache: None, reason: None });
    }
    session.with_model(opened, |model, _| {
        let (told, reason) = match cache(model) {
            // A key that was not reached may give what a rule would give in its absence.
            _ if !keys.is_whole() => (None, None),
            Ok(cache) => (Some(told(&cache, lang)), None),
            Err(unknown) => (None, Some(unknown.text(lang == Lang::Zh))),
        };
        json(&Memory { model: number, weights: weights(&Table::new(model)), cache: told, reason })
    })
}

fn weights(table: &Table<'_>) -> Weights {
    /// Tensors, their bytes, and how these are known.
    type Sum = (u64, u64, Sizing);
    const NONE: Sum = (0, 0, Sizing::Exact);
    let mut types: BTreeMap<TensorType, Sum> = BTreeMap::new();
    let mut layers: BTreeMap<Option<u64>, Sum> = BTreeMap::new();
    let (mut total, mut sizing) = (0_u64, Sizing::Exact);
    for row in table.iter() {
        let bytes = row.size.unwrap_or(0);
        total = total.saturating_add(bytes);
        sizing = sizing.max(row.sizing);
        let kept =
            row.layer.is_none_or(|layer| layers.len() < MAX_LAYERS || layers.contains_key(&Some(layer)));
        let of_layer = kept.then(|| layers.entry(row.layer).or_insert(NONE));
        for sum in [Some(types.entry(row.tensor_type()).or_insert(NONE)), of_layer].into_iter().flatten() {
            sum.0 += 1;
            sum.1 = sum.1.saturating_add(bytes);
            sum.2 = sum.2.max(row.sizing);
        }
    }
    let mut by_type: Vec<OfType> = types
        .into_iter()
        .map(|(ty, (tensors, bytes, sizing))| OfType { ty: ty.to_string(), tensors, bytes, sizing })
        .collect();
    by_type.sort_by_key(|of| core::cmp::Reverse(of.bytes));
    let by_layer =
        layers.into_iter().map(|(layer, (tensors, bytes, sizing))| OfLayer { layer, tensors, bytes, sizing });
    Weights { total, sizing, by_type, by_layer: by_layer.collect() }
}

fn told(cache: &Cache, lang: Lang) -> Told {
    let kinds = cache.kinds.iter().map(|kind| Kind {
        name: kind.kind.name().get(lang),
        layers: kind.layers,
        window: kind.kept,
        k_row: kind.k_row,
        v_row: kind.v_row,
        fixed: kind.fixed,
        terms: kind
            .terms
            .iter()
            .map(|term| Term {
                name: term.name.get(lang),
                value: say(&term.value, lang),
                from: say(term.from.as_str(), lang),
            })
            .collect(),
    });
    let types = TYPES
        .iter()
        .filter_map(|ty| ty.info())
        .map(|info| CacheType { name: info.name, bits: info.bits_per_weight() });
    Told { trained_context: cache.trained_context, kinds: kinds.collect(), types: types.collect() }
}
