use ggufkit_format::{Element, KvPart};
use ggufkit_inspect::summary::Kind;

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// `controlvector.layer_count` is not the number of directions in the file.
    ///
    /// The key is written by the programs that make control vectors; llama.cpp goes by the tensors and does not compare.
    /// Other programs make room by the count, and show it: with too small a count the last layers are left out, with too
    /// great a count the file looks as if it had been cut.
    ///
    /// If directions were removed on purpose, write their number. If not, some got lost when the file was written: make it
    /// anew.
    GG814 "control-vector-layer-count" Kinds Warning: "controlvector.layer_count is not the number of directions"
        "controlvector.layer_count 与方向数不同"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if facts.kind() != Kind::ControlVector || !facts.is_complete() {
        return;
    }
    let Some(place) = facts.key("controlvector.layer_count") else { return };
    let Some(stated) = facts.u64("controlvector.layer_count") else { return };
    let found = facts.rows().filter(|at| at.name().starts_with(b"direction.")).count() as u64;
    if stated == found {
        return;
    }
    sink.add(&RULE, || {
        let primary = facts.kv_label(&place, KvPart::Value(Element::Whole)).text("announced");
        Finding::new(&RULE, format!("controlvector.layer_count is {stated}, but there are {found} directions"), primary)
            .note("llama.cpp goes by the tensors; programs that go by the count leave directions out")
            .help("write the number of directions, or make the file anew if some got lost")
    });
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    crate::testing::Tiny::control_vector().key("controlvector.layer_count", 3_i32).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    crate::testing::Tiny::control_vector().into()
}
