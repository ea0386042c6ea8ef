use ggufkit_format::{Element, KvPart, TensorPart};

use super::layers::{self, MAX_LAYERS, is_whole, model_architecture};
use super::schema::Schema;
use crate::facts::{Facts, counted};
use crate::finding::Finding;
use crate::rule::{Severity, rule};
use crate::sink::Sink;

rule! {
    /// The layers in the tensor table are not the ones that `{arch}.block_count` announces.
    ///
    /// With too few, llama.cpp stops at the first tensor it does not find ("missing tensor 'blk.N.…'"): an error. With too
    /// many it counts what it used and stops with "wrong number of tensors"; readers that look up by name ignore the rest: a
    /// warning. Layers that predict further tokens (`nextn_predict_layers`) may be counted or not, be there or not.
    ///
    /// Too few layers come from a merge or a prune that was not finished, or from a shard that was left out; too many from
    /// a count copied from another model. If the layers are right, correct the count.
    GG406 "block-count-mismatch" Conventions Error: "the layers are not as many as block_count says"
        "层数与 block_count 不符"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let Some(arch) = model_architecture(facts) else { return };
    if !is_whole(facts, arch) {
        return;
    }
    let schema = Schema::find(arch);
    // Where it is not known how layers are counted, it may be in another way.
    let severity = if schema.is_some() { Severity::Error } else { Severity::Warning };
    for stack in layers::stacks(schema) {
        let Some((key, count)) = layers::stated(facts, arch, stack) else { continue };
        let found = layers::found(facts, stack);
        let Some((&last, beyond)) = found.last_key_value() else { continue };
        if count == 0 || count > MAX_LAYERS {
            continue;
        }
        let label = || {
            let place = facts.key(&key)?;
            Some(facts.kv_label(&place, KvPart::Value(Element::Whole)).text(format!("{} announced", counted(count, "layer"))))
        };
        let nextn = layers::nextn(facts);
        let absent: Vec<u64> =
            (0..count.saturating_sub(nextn)).filter(|layer| !found.contains_key(layer)).collect();
        if let [first, ..] = absent.as_slice() {
            let Some(primary) = label() else { continue };
            sink.add_as(&RULE, severity, || {
                let have = found.range(..count).count();
                let which = match absent.len() {
                    1 => format!("layer {first} has no tensor"),
                    n => format!("{n} layers have no tensor, the first of them {first}"),
                };
                Finding::new(&RULE, format!("{which}: the file has {have} of {}", counted(count, "layer")), primary)
                    .note(format!("llama.cpp refuses the file: missing tensor '{}.{first}.…'", stack.prefix))
                    .help("make the file anew with all layers, or correct the count if the model has fewer")
            });
        }
        // Files may hold such layers beyond the count, where the architecture has them.
        let spare = if schema.is_none_or(Schema::may_predict) { nextn } else { 0 };
        if last >= count.saturating_add(spare) {
            let Some(cause) = label() else { continue };
            sink.add_as(&RULE, Severity::Warning, || {
                let more = found.range(count..).count();
                let first = found.range(count..).next().map_or(beyond, |(_, at)| at);
                let primary = first.label(TensorPart::Name).text("a layer beyond the announced ones");
                let message = match more {
                    1 => format!("layer {last} is beyond the {count} that block_count announces"),
                    _ => format!("{more} layers are beyond the {count} that block_count announces"),
                };
                Finding::new(&RULE, message, primary)
                    .because(cause)
                    .note("llama.cpp refuses the file: wrong number of tensors; other readers leave the layers out")
                    .help("correct the count if the layers belong to the model")
            });
        }
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    crate::testing::Tiny::llama().key("llama.block_count", 3_u32).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    crate::testing::Tiny::llama().key("llama.block_count", 3_u32).key("llama.nextn_predict_layers", 2_u32).into()
}

#[cfg(test)]
mod tests {
    use crate::testing::Tiny;

    #[test]
    fn layers_beyond_the_count_are_a_warning() {
        let recipe: crate::testing::Recipe =
            Tiny::llama().tensor("blk.1.attn_norm.weight", &[8]).into();
        let found = recipe.judge(&crate::Options::default(), |report, _| {
            let of_rule = report.findings.iter().filter(|finding| finding.rule == &super::RULE);
            of_rule.map(|finding| (finding.severity, finding.message.clone())).collect::<Vec<_>>()
        });
        let message = "layer 1 is beyond the 1 that block_count announces".to_owned();
        assert_eq!(found, [(crate::Severity::Warning, message)]);
    }
}
