use std::collections::BTreeMap;

use ggufkit_format::{TensorPart, shorten};

use super::layers::{is_whole, model_architecture};
use super::schema::params::Params;
use super::schema::{Coverage, Schema};
use crate::facts::{Facts, TensorAt};
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A tensor has a name that no loader of the architecture asks for.
    ///
    /// llama.cpp counts the tensors it used; if the file has more, it refuses it with "wrong number of tensors; expected X,
    /// got Y", without saying which. Readers that look tensors up by name leave the extra ones unread, so this is no error. Ollama stores vision
    /// tensors (`v.…`, `mm.…`) in the same file: it reads them, llama.cpp refuses the file and wants them in a separate
    /// mmproj.
    ///
    /// It is said only about whole models of architectures whose tensors are known completely. Remove the tensors if they
    /// are left-overs of training or of a merge; if they matter, `general.architecture` names the wrong architecture.
    GG413 "tensor-unexpected" Conventions Warning: "no loader of the architecture asks for a tensor"
        "该架构的加载器都不会读取这个张量"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let Some(arch) = model_architecture(facts) else { return };
    let Some(schema) = Schema::find(arch).filter(|schema| schema.coverage == Coverage::Complete) else { return };
    if !is_whole(facts, arch) || !sink.wants(&RULE) {
        return;
    }
    let params = Params::new(facts, arch);
    // Tensors that are named alike are told once: those of all layers, those of an encoder.
    let mut found: BTreeMap<&[u8], (TensorAt<'_>, u64)> = BTreeMap::new();
    for at in facts.rows() {
        let name = at.name();
        let Some(place) = schema.place(name) else { continue };
        let has = |other: &str| match place.stack {
            Some((stack, layer)) => facts.tensor(stack.name(layer, other)).is_some(),
            None => facts.tensor(other).is_some(),
        };
        if schema.takes(&place, has, |key| params.says(key)) {
            continue;
        }
        let encoder = ENCODERS.iter().find(|prefix| name.starts_with(prefix.as_bytes()));
        let like = encoder.map_or(place.rest, |prefix| prefix.as_bytes());
        found.entry(like).or_insert((at, 0)).1 += 1;
    }
    let mut found: Vec<(&[u8], (TensorAt<'_>, u64))> = found.into_iter().collect();
    // The first ones of the table are shown where there are very many.
    found.sort_by_key(|(_, (at, _))| at.position());
    for (like, (at, count)) in found {
        sink.add(&RULE, || {
            let encoder = ENCODERS.iter().any(|prefix| prefix.as_bytes() == like);
            let shown = shorten(like, 70);
            let message = match count {
                1 => format!("no {arch} model has a tensor {}", shorten(at.name(), 70)),
                _ if encoder => format!("no {arch} model has tensors {shown}* ({count} of them)"),
                _ => format!("no {arch} model has {shown} ({count} layers have it)"),
            };
            let label = at.label(TensorPart::Name).text(if count == 1 { "this one" } else { "the first of them" });
            let finding = Finding::new(&RULE, message, label)
                .note("llama.cpp refuses the file: wrong number of tensors; others leave the tensor unread");
            if encoder {
                finding.help("llama.cpp wants the encoder in an mmproj file of its own; Ollama reads it from this one")
            } else {
                finding.help("remove it if it is a left-over; if it matters, general.architecture is wrong")
            }
        });
    }
}

/// Beginnings of the names of encoders and projectors.
const ENCODERS: [&str; 3] = ["v.", "a.", "mm."];

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    crate::testing::Tiny::llama().tensor("blk.0.attn_q_norm.weight", &[4]).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    crate::testing::Tiny::llama().tensor("output.weight", &[8, 3]).into()
}
