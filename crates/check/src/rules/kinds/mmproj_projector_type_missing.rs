use ggufkit_format::{Element, KvPart};

use super::mmproj::{SENSES, is_set};
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// No key says of which type the projector of a sense is.
    ///
    /// The type (`clip.projector_type`, or `clip.vision.projector_type` and `clip.audio.projector_type` in a file for both)
    /// tells how images and sounds become tokens; each type has its own tensors. Without it old programs silently take the
    /// type "mlp" of LLaVA 1.5, which for any other model means refusal at a tensor that is not there or, where names agree,
    /// pictures that are not understood.
    ///
    /// The first files of LLaVA 1.5 lack the key and are of the type "mlp": write `clip.projector_type` = "mlp" into them.
    /// Any other file was made by a converter that forgot it: convert anew.
    GG807 "mmproj-projector-type-missing" Kinds Warning: "no key says of which type a projector is"
        "没有键写明投影器的类型"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if facts.architecture() != Some("clip") || !facts.is_complete() || facts.key("clip.projector_type").is_some() {
        return;
    }
    for sense in SENSES.iter().filter(|sense| is_set(facts, sense.flag)) {
        let name = sense.name;
        let Some(place) = facts.key(sense.flag) else { continue };
        if facts.key(format!("clip.{name}.projector_type")).is_some() {
            continue;
        }
        sink.add(&RULE, || {
            let primary = facts.kv_label(&place, KvPart::Value(Element::Whole)).text("this encoder needs a projector");
            let message = format!("neither clip.projector_type nor clip.{name}.projector_type is there");
            Finding::new(&RULE, message, primary)
                .note("old programs silently take the type \"mlp\"")
                .help("write the projector's type; for LLaVA 1.5 it is \"mlp\"")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    crate::testing::Tiny::mmproj().without_key("clip.projector_type").into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    crate::testing::Tiny::mmproj().without_key("clip.projector_type").key("clip.vision.projector_type", "mlp").into()
}
