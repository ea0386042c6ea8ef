use ggufkit_format::{Element, HeaderPart, KvPart, TensorPart, shorten};

use super::layers::{self, in_layers, is_whole, lacks_layers, model_architecture};
use super::schema::Schema;
use super::schema::params::Params;
use crate::facts::{Facts, counted};
use crate::finding::{Finding, Label};
use crate::place;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A tensor is absent that every model of the architecture has.
    ///
    /// llama.cpp stops with "missing tensor '…'". Engines that fill in zeros or skip a step run and give nonsense. Tensors
    /// that only some models have are not asked for: an output matrix (the embedding serves instead), biases, queries, keys
    /// and values when one matrix holds all three, dense matrices in layers of experts.
    ///
    /// Only a whole model is judged, or one of which nothing but the layers is absent, and only layers that have some tensor; a layer that has none is told by
    /// block-count-mismatch. The cause is a conversion that dropped a name it did not know, a prune, or a wrong
    /// `general.architecture`: when nearly everything is missing, it is that. Convert anew with a newer converter.
    GG412 "tensor-missing" Conventions Error: "a tensor that the architecture needs is absent"
        "缺少该架构需要的张量"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let Some(arch) = model_architecture(facts) else { return };
    let Some(schema) = Schema::find(arch) else { return };
    if !sink.wants(&RULE) {
        return;
    }
    if !is_whole(facts, arch) {
        if lacks_layers(facts, arch) {
            without_layers(facts, sink, schema);
        }
        return;
    }
    let params = Params::new(facts, arch);
    let says = |key: &str| params.says(key);
    for row in schema.globals() {
        if row.need.is_needed(|name| facts.tensor(name).is_some(), says) && facts.tensor(row.name).is_none() {
            let Some((file, _, view)) = facts.views().next() else { return };
            sink.add(&RULE, || {
                let label = place::header_label(file, view.index().header(), HeaderPart::TensorCount);
                finding(arch, row.name, row.name, "", label.text("it is not among these tensors"))
            });
        }
    }
    for stack in schema.stacks {
        let found = layers::found(facts, stack);
        let count = layers::stated(facts, arch, stack).map_or(u64::MAX, |(_, count)| count);
        // Layers beyond the count are another rule's, as are far too many of them.
        let last = count.saturating_sub(layers::nextn(facts)).min(layers::MAX_LAYERS);
        let whole: Vec<u64> = found.range(..last).map(|(layer, _)| *layer).collect();
        for row in stack.rows() {
            let has = |layer: u64, name: &str| facts.tensor(stack.name(layer, name)).is_some();
            let lacks =
                |layer: &u64| row.need.is_needed(|name| has(*layer, name), says) && !has(*layer, row.name);
            let lacking: Vec<u64> = whole.iter().copied().filter(lacks).collect();
            let Some(at) = lacking.first().and_then(|first| found.get(first)) else { continue };
            sink.add(&RULE, || {
                let label = at.label(TensorPart::Name).text("a tensor of the layer that lacks it");
                let layers = in_layers(&lacking, whole.len() as u64);
                let whole_name = stack.name(lacking.first().copied().unwrap_or(0), row.name);
                finding(arch, row.name, &whole_name, &layers, label)
            });
        }
    }
}

/// Everything is there but the layers: one fault, however many tensors that are.
fn without_layers(facts: &Facts<'_>, sink: &mut Sink<'_>, schema: &Schema) {
    let (Some(place), Some(count)) = (facts.arch_key("block_count"), facts.arch_u64("block_count")) else { return };
    let prefix = schema.stacks.first().map_or("blk", |stack| stack.prefix);
    sink.add(&RULE, || {
        let label = facts.kv_label(&place, KvPart::Value(Element::Whole));
        let announced = counted(count, "layer");
        Finding::new(&RULE, "no layer has a tensor", label.text(format!("{announced} announced")))
            .note(format!("llama.cpp refuses the file: missing tensor '{prefix}.0.…'"))
            .help("make the file anew with its layers")
    });
}

fn finding(arch: &str, name: &str, whole_name: &str, layers: &str, label: Label) -> Finding {
    let arch = shorten(arch.as_bytes(), 60);
    Finding::new(&RULE, format!("{name} is missing{layers}"), label)
        .note(format!("every {arch} model has it; llama.cpp refuses the file: missing tensor '{whole_name}'"))
        .help("convert the model anew; if nearly everything is missing, general.architecture is wrong")
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    crate::testing::Tiny::llama().without("blk.0.attn_k.weight").into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    let tiny = ["attn_q", "attn_k", "attn_v"]
        .iter()
        .fold(crate::testing::Tiny::llama(), |tiny, name| tiny.without(&format!("blk.0.{name}.weight")));
    tiny.tensor("blk.0.attn_qkv.weight", &[8, 16]).into()
}

#[cfg(test)]
mod tests {
    use super::super::schema::Need;
    use crate::testing::{Recipe, Tiny};

    #[test]
    fn a_model_without_any_layer_is_said_once() {
        let blk = ["attn_norm", "attn_q", "attn_k", "attn_v", "attn_output", "ffn_norm", "ffn_gate", "ffn_up", "ffn_down"];
        let bare = || blk.iter().fold(Tiny::llama(), |tiny, name| tiny.without(&format!("blk.0.{name}.weight")));
        let spoken = |tiny: Tiny| {
            Recipe::from(tiny).judge(&crate::Options::default(), |report, _| {
                let errors = report.findings.iter().filter(|finding| finding.severity == crate::Severity::Error);
                errors.map(|finding| finding.rule.code).collect::<Vec<_>>()
            })
        };
        assert_eq!(spoken(bare()), ["GG412"]);
        assert_eq!(spoken(bare().key("llama.nextn_predict_layers", 2_u32)), ["GG412", "GG421"]);
        assert!(spoken(bare().without_key("llama.context_length")).is_empty());
        assert!(spoken(bare().without("output_norm.weight")).is_empty());
    }

    #[test]
    fn a_layer_of_experts_needs_experts_and_a_dense_one_does_not() {
        let has = |names: &'static [&'static str]| move |name: &str| names.contains(&name);
        let never = |_: &str| false;
        let experts = Need::With("ffn_gate_inp.weight", &["ffn_gate_up_exps.weight"]);
        assert!(experts.is_needed(has(&["ffn_gate_inp.weight"]), never));
        assert!(!experts.is_needed(has(&["ffn_gate_inp.weight", "ffn_gate_up_exps.weight"]), never));
        assert!(!experts.is_needed(has(&[]), never));
        assert!(Need::Unless(&["ffn_gate_inp.weight"]).is_needed(has(&[]), never));
        assert!(!Need::Unless(&["ffn_gate_inp.weight"]).is_needed(has(&["ffn_gate_inp.weight"]), never));
        assert!(Need::WhereNot("expert_count").is_needed(has(&[]), never));
        assert!(Need::Where("expert_count").is_needed(has(&[]), |key: &str| key == "expert_count"));
    }
}
