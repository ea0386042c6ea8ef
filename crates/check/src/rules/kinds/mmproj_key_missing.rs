use ggufkit_format::{Element, KvPart};

use super::mmproj::{KEYS, SENSES, is_set};
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// An encoder lacks a hyperparameter.
    ///
    /// For each sense that a projector file serves, llama.cpp demands `clip.vision.…` or `clip.audio.…` with embedding_length,
    /// feed_forward_length, block_count, projection_dim, attention.head_count and attention.layer_norm_epsilon; for images
    /// also image_size and patch_size, for sound num_mel_bins. It refuses the file at the first that is absent.
    ///
    /// Only a whole encoder is judged: one that has layers (`v.blk.N.…`, `a.blk.N.…`) and some hyperparameter. The values
    /// stand in `vision_config` or `audio_config` of the model's `config.json`; convert anew with a newer converter.
    GG808 "mmproj-key-missing" Kinds Error: "an encoder lacks a hyperparameter"
        "编码器缺少超参数"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if facts.architecture() != Some("clip") || !facts.is_complete() {
        return;
    }
    for sense in SENSES.iter().filter(|sense| is_set(facts, sense.flag)) {
        let Some(place) = facts.key(sense.flag) else { continue };
        let keys = || KEYS.iter().chain(sense.keys).map(|suffix| format!("clip.{}.{suffix}", sense.name));
        let layers = facts.rows().any(|at| at.name().starts_with(sense.tensors.as_bytes()));
        if !layers || !keys().any(|key| facts.key(key).is_some()) {
            continue;
        }
        for key in keys().filter(|key| facts.key(key).is_none()) {
            sink.add(&RULE, || {
                let primary =
                    facts.kv_label(&place, KvPart::Value(Element::Whole)).text("this encoder needs the key");
                Finding::new(&RULE, format!("the key {key} is missing"), primary)
                    .note("llama.cpp refuses the file: key not found")
                    .help("take the value from the model's config.json, or convert the model anew")
            });
        }
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    crate::testing::Tiny::mmproj().without_key("clip.vision.projection_dim").into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    crate::testing::Tiny::mmproj().into()
}
