use ggufkit_format::spec::arch;
use ggufkit_format::{KvPart, shorten};

use super::layers::{architecture_label, model_architecture};
use crate::facts::{self, Facts};
use crate::finding::{Change, Finding, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// The hyperparameters are those of another architecture than `general.architecture` names.
    ///
    /// Every hyperparameter is looked up under the architecture's name: for `llama` it is `llama.block_count`. Where
    /// only `gemma2.block_count` is there, llama.cpp stops with "key not found in model: llama.context_length", and readers
    /// with defaults run on 0 layers or on another model's sizes.
    ///
    /// Somebody edited one and not the other, mostly to make an engine take an architecture that it does not know. The name
    /// in front of the keys was written by the converter and is nearly always the true one: write it as
    /// `general.architecture`. If the other is meant, all keys have to be renamed, and the tensors have to fit.
    GG421 "architecture-prefix-mismatch" Conventions Error: "the hyperparameters are another architecture's"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let Some(name) = model_architecture(facts) else { return };
    if !facts.is_complete() || facts.arch_key("block_count").is_some() {
        return;
    }
    for (file, _, view) in facts.views() {
        for (index, (key, kv)) in view.kvs().enumerate() {
            let Some(other) = key.0.strip_suffix(b".block_count") else { continue };
            // A part of a model may have layers of its own: `clip.vision.block_count`, `talker.block_count`.
            if !core::str::from_utf8(other).is_ok_and(arch::is_known) {
                continue;
            }
            let Some(cause) = architecture_label(facts) else { return };
            let Some(place) = facts.key("general.architecture") else { return };
            sink.add(&RULE, || {
                let (name, other_name) = (shorten(name.as_bytes(), 60), shorten(other, 60));
                let primary = facts::kv_label(file, &view, index, kv, KvPart::Key);
                Finding::new(
                    &RULE,
                    format!("the architecture is \"{name}\", but the hyperparameters are those of \"{other_name}\""),
                    primary.text(format!("a hyperparameter of {other_name}")),
                )
                .because(cause.text("readers look for keys that begin with this"))
                .note(format!("llama.cpp refuses the file: key not found in model: {name}.context_length"))
                .help(format!("write general.architecture = \"{other_name}\", or rename the keys"))
                .fix(
                    Safety::Unsafe,
                    format!("write \"{other_name}\" as the architecture"),
                    Change::SetString { index: place.index as u64, bytes: other.to_vec() },
                )
            });
            return;
        }
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::tiny::Tiny::llama().key("general.architecture", "gemma").into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::tiny::Tiny::llama().key("gemma.block_count", 1_u32).into()
}
