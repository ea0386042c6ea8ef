use std::collections::BTreeMap;

use ggufkit_format::{Element, KvPart, shorten};

use super::layers::{model_architecture};
use super::schema::params::Params;
use super::schema::{Dim, Found, Row, Schema};
use crate::facts::{Facts, TensorAt};
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A tensor's shape is not the one that the hyperparameters give.
    ///
    /// llama.cpp computes each tensor's shape from the metadata and stops with "has wrong shape; expected …, got …". Engines
    /// that trust the metadata read beyond the tensor or mix its rows up. Dimensions are written the row length first; a
    /// dimension whose hyperparameter is absent is not compared, nor is the number of rows of the vocabulary, which has a
    /// rule of its own.
    ///
    /// When many tensors differ in the same number, the hyperparameter is wrong: correct it (`head_count_kv` and
    /// `attention.key_length` are the ones that converters forget). When one tensor differs, it was changed: take it from
    /// the original.
    GG414 "shape-mismatch" Conventions Error: "a tensor's shape contradicts the hyperparameters"
        "张量的形状与超参数矛盾"
}

/// Layers beyond any count need not be looked into.
const MAX_LAYER: u64 = 1 << 16;

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let Some(arch) = model_architecture(facts) else { return };
    let Some(schema) = Schema::find(arch) else { return };
    // Defaults stand in for absent keys, so all keys have to have been read.
    if !facts.is_complete() || !sink.wants(&RULE) {
        return;
    }
    let params = Params::new(facts, arch);
    let mut found: BTreeMap<(&str, &str), Wrong<'_>> = BTreeMap::new();
    for at in facts.rows() {
        let Some(Found { row: Some(row), stack, .. }) = schema.place(at.name()) else { continue };
        let layer = stack.map_or(0, |(_, layer)| layer);
        if layer > MAX_LAYER || fits(&params, row.shape, layer, at.dims()) {
            continue;
        }
        let like = (stack.map_or("", |(stack, _)| stack.prefix), row.name);
        found.entry(like).or_insert(Wrong { at, row, layer, count: 0 }).count += 1;
    }
    let mut found: Vec<Wrong<'_>> = found.into_values().collect();
    found.sort_by_key(|wrong| wrong.at.position());
    // One number of the metadata that is wrong shows in many tensors: it is told once.
    let mut groups: Vec<(Option<&Dim>, Vec<Wrong<'_>>)> = Vec::new();
    for wrong in found {
        let dim = wrong.dim(&params);
        match groups.iter_mut().find(|(of, _)| dim.is_some() && *of == dim) {
            Some((_, group)) => group.push(wrong),
            None => groups.push((dim, vec![wrong])),
        }
    }
    for (_, group) in groups {
        let Some((first, others)) = group.split_first() else { continue };
        sink.add(&RULE, || first.finding(facts, &params, others));
    }
}

/// A tensor whose shape is wrong; that of the first layer where there are more.
struct Wrong<'a> {
    at: TensorAt<'a>,
    row: &'static Row,
    layer: u64,
    count: u64,
}

impl Wrong<'_> {
    /// The first dimension that is wrong; none where there are too many of them.
    fn dim(&self, params: &Params<'_, '_>) -> Option<&'static Dim> {
        let dims = self.at.dims();
        let is_wrong = |(axis, dim): &(usize, &'static Dim)| {
            let got = dims.get(*axis).copied().unwrap_or(1);
            params.size(dim, self.layer).is_some_and(|wanted| wanted != got)
        };
        self.row.shape.iter().enumerate().find(is_wrong).map(|(_, dim)| dim)
    }

    fn finding(&self, facts: &Facts<'_>, params: &Params<'_, '_>, others: &[Self]) -> Finding {
        let dims = self.at.dims();
        let size = |dim: &Dim| params.size(dim, self.layer).map_or_else(|| "any".to_owned(), |n| n.to_string());
        let expected: Vec<String> = self.row.shape.iter().map(size).collect();
        let list: Vec<String> = dims.iter().map(u64::to_string).collect();
        let name = shorten(self.at.name(), 80);
        let more = match self.count {
            1 => String::new(),
            n => format!("; {n} tensors alike"),
        };
        let message = format!("{name} is [{}], expected [{}]{more}", list.join(", "), expected.join(", "));
        let wrong = self.dim(params);
        let text = match wrong {
            Some(dim) => format!("should hold {}", params.words(dim, self.layer)),
            None => format!("{} dimensions are expected", self.row.shape.len()),
        };
        let mut finding = Finding::new(&RULE, message, self.at.shape_label().text(text));
        let cause = wrong.and_then(key_of).and_then(|suffix| facts.arch_key(suffix));
        if let Some(cause) = cause {
            let label = facts.kv_label(&cause, KvPart::Value(Element::Whole));
            finding = finding.because(label.text("by this hyperparameter"));
        }
        if !others.is_empty() {
            let names: Vec<&str> = others.iter().take(6).map(|wrong| wrong.row.name).collect();
            let more = if others.len() > names.len() { ", …" } else { "" };
            finding = finding.note(format!("in the same number differ {}{more}", names.join(", ")));
        }
        finding
            .note("llama.cpp refuses the file: tensor has wrong shape")
            .help("if many tensors differ in one number, correct the hyperparameter; if one differs, the tensor")
    }
}

/// The key that a dimension depends on most.
fn key_of(dim: &Dim) -> Option<&'static str> {
    match dim {
        Dim::Any | Dim::Vocab | Dim::N(_) => None,
        Dim::Embd => Some("embedding_length"),
        Dim::Ff => Some("feed_forward_length"),
        Dim::FfExp => Some("expert_feed_forward_length"),
        Dim::Experts => Some("expert_count"),
        Dim::Layers => Some("block_count"),
        Dim::Heads | Dim::Q | Dim::O | Dim::Qkv => Some("attention.head_count"),
        Dim::HeadK => Some("attention.key_length"),
        Dim::K | Dim::V => Some("attention.head_count_kv"),
        Dim::Key(suffix) => Some(suffix),
        Dim::HalfRope => Some("rope.dimension_count"),
        Dim::MlaK => Some("attention.key_length_mla"),
        Dim::MlaV => Some("attention.value_length_mla"),
        Dim::FfShared => Some("expert_shared_feed_forward_length"),
        Dim::Times(_, dim) | Dim::Over(dim, _) | Dim::Minus(dim, _) => key_of(dim),
        Dim::Sum(dims) | Dim::Product(dims) => dims.first().and_then(key_of),
    }
}

/// Whether dimensions are the expected ones, as far as those are known. Dimensions of 1 at the end do not count.
fn fits(params: &Params<'_, '_>, shape: &[Dim], layer: u64, dims: &[u64]) -> bool {
    let got = |axis: usize| dims.get(axis).copied().unwrap_or(1);
    let wanted: Vec<Option<u64>> = shape.iter().map(|dim| params.size(dim, layer)).collect();
    if wanted.iter().all(Option::is_none) {
        return true;
    }
    let beyond = dims.iter().skip(shape.len()).any(|&n| n != 1);
    !beyond && wanted.iter().enumerate().all(|(axis, wanted)| wanted.is_none_or(|wanted| wanted == got(axis)))
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    crate::testing::Tiny::llama().tensor("blk.0.attn_k.weight", &[8, 8]).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    crate::testing::Tiny::llama()
        .key("llama.attention.key_length", 16_u32)
        .key("llama.attention.value_length", 2_u32)
        .tensor("blk.0.attn_q.weight", &[8, 32])
        .tensor("blk.0.attn_k.weight", &[8, 16])
        .tensor("blk.0.attn_v.weight", &[8, 2, 1])
        .tensor("blk.0.attn_output.weight", &[32, 8])
        .into()
}

#[cfg(test)]
mod tests {
    use crate::testing::Tiny;

    #[test]
    fn a_wrong_hyperparameter_is_told_once() {
        let recipe: crate::testing::Recipe = Tiny::llama().key("llama.feed_forward_length", 24_u32).into();
        let found = recipe.judge(&crate::Options::default(), |report, _| {
            report.findings.iter().map(|f| (f.rule.name, f.notes.first().cloned())).collect::<Vec<_>>()
        });
        let note = "in the same number differ ffn_up.weight, ffn_down.weight".to_owned();
        assert_eq!(found, [("shape-mismatch", Some(note))]);
    }
}
