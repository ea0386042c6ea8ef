use ggufkit_format::{Element, KvPart, TensorPart};

use super::layers::{self, MAX_LAYERS, is_whole, lacks_layers, model_architecture};
use super::schema::Schema;
use crate::facts::{Facts, counted};
use crate::finding::Finding;
use crate::rule::{Severity, rule};
use crate::sink::Sink;

rule! {
    /// `{arch}.nextn_predict_layers` does not fit the layers that the model has.
    ///
    /// The key says how many of the last layers predict further tokens. llama.cpp reads it for every architecture and takes
    /// the number from `block_count`. Where it is the greater of both, the loading ends with a failed assertion: an error.
    /// Where the architecture has no such layers, llama.cpp never asks for the last ones, and refuses the file if they are
    /// there ("wrong number of tensors"); readers that do not know the key run all layers: a warning.
    ///
    /// The key is taken over when the `config.json` of a model with such layers (DeepSeek, GLM, Qwen 3.5) served as the
    /// pattern, or when a merge dropped them. Remove it, unless the last layers really are of this sort; then
    /// `general.architecture` is wrong.
    GG421 "nextn-layers-mismatch" Conventions Error: "nextn_predict_layers does not fit the layers"
        "nextn_predict_layers 与层数不符"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let Some(arch) = model_architecture(facts).filter(|arch| is_whole(facts, arch) || lacks_layers(facts, arch)) else { return };
    let nextn = layers::nextn(facts);
    let Some(place) = facts.arch_key("nextn_predict_layers").filter(|_| nextn > 0) else { return };
    let Some(count) = facts.arch_u64("block_count").filter(|count| (1..=MAX_LAYERS).contains(count)) else {
        return;
    };
    let label = || facts.kv_label(&place, KvPart::Value(Element::Whole)).text(format!("{} of this sort", counted(nextn, "layer")));
    if nextn > count {
        sink.add(&RULE, || {
            let have = counted(count, "layer");
            Finding::new(&RULE, format!("nextn_predict_layers is {nextn}, and the model has {have}"), label())
                .note("llama.cpp aborts on an assertion")
                .help("remove the key, or write how many of the last layers predict further tokens")
        });
        return;
    }
    let Some(schema) = Schema::find(arch).filter(|schema| !schema.may_predict()) else { return };
    for stack in schema.stacks {
        let found = layers::found(facts, stack);
        let mut last = found.range(count.saturating_sub(nextn)..count);
        let Some((first, at)) = last.next() else { continue };
        sink.add_as(&RULE, Severity::Warning, || {
            let message = match last.count() {
                0 => format!("layer {first} is said to predict further tokens, and {arch} has no such layers"),
                more => format!("layers {first} to {} are said to predict further tokens, and {arch} has no such layers", first.saturating_add(more as u64)),
            };
            Finding::new(&RULE, message, label())
                .because(at.label(TensorPart::Name).text("the first tensor that is not asked for"))
                .note("llama.cpp refuses the file: wrong number of tensors; others run these layers like the rest")
                .help("remove the key, unless general.architecture is wrong")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    crate::testing::Tiny::llama().key("llama.nextn_predict_layers", 1_u32).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    crate::testing::Tiny::llama().key("llama.block_count", 3_u32).key("llama.nextn_predict_layers", 2_u32).into()
}

#[cfg(test)]
mod tests {
    use crate::testing::Tiny;
    use super::RULE;
    use crate::Severity;

    #[test]
    fn more_layers_than_there_are_is_an_error_and_layers_that_are_asked_for_are_none() {
        let severity = |tiny: Tiny| {
            let recipe: crate::testing::Recipe = tiny.into();
            recipe.judge(&crate::Options::default(), |report, _| {
                report.findings.iter().find(|finding| finding.rule == &RULE).map(|finding| finding.severity)
            })
        };
        let nextn = |count: u32| Tiny::llama().key("llama.nextn_predict_layers", count);
        assert_eq!(severity(nextn(0)), None);
        assert_eq!(severity(nextn(1)), Some(Severity::Warning));
        assert_eq!(severity(nextn(2)), Some(Severity::Error));
        // Its loader asks for the layers, whether the table is complete or not.
        for arch in ["glm4", "qwen35"] {
            let other = Tiny::llama()
                .key("general.architecture", arch)
                .key(&format!("{arch}.block_count"), 1_u32)
                .key(&format!("{arch}.nextn_predict_layers"), 1_u32);
            assert_eq!(severity(other), None, "{arch}");
        }
    }
}
