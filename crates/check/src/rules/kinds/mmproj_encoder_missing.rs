use ggufkit_format::{Element, KvPart};

use super::mmproj::{GEN_AUDIO, SENSES, is_set};
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A projector file does not say that it has an encoder of any kind.
    ///
    /// llama.cpp reads `clip.has_vision_encoder` and `clip.has_audio_encoder` and loads what they name; where none is true it
    /// has nothing to load and refuses the file. A tensor that is there changes nothing about that.
    ///
    /// Write the flag of what the file holds: tensors `v.…` are an encoder of images, tensors `a.…` one of sound. A file
    /// with neither is a projector without its encoder, which old programs took from a second file: llama.cpp no longer
    /// does, so convert the model anew.
    GG806 "mmproj-encoder-missing" Kinds Error: "a projector file names no encoder"
        "投影器文件没有写明编码器"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if facts.architecture() != Some("clip") || !facts.is_complete() {
        return;
    }
    if SENSES.iter().any(|sense| is_set(facts, sense.flag)) || is_set(facts, GEN_AUDIO) {
        return;
    }
    let flag = SENSES.iter().find_map(|sense| facts.key(sense.flag));
    let Some(place) = flag.or_else(|| facts.key("general.architecture")) else { return };
    sink.add(&RULE, || {
        let text = if flag.is_some() { "no other is true either" } else { "no flag of an encoder follows" };
        let primary = facts.kv_label(&place, KvPart::Value(Element::Whole)).text(text);
        Finding::new(&RULE, "neither clip.has_vision_encoder nor clip.has_audio_encoder is true", primary)
            .note("llama.cpp finds nothing to load and refuses the file")
            .help("write the flag of what the file holds: tensors v.* are images, tensors a.* are sound")
    });
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    crate::testing::Tiny::mmproj().key("clip.has_vision_encoder", false).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    crate::testing::Tiny::mmproj().into()
}
