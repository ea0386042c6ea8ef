use ggufkit_format::{TensorPart, shorten};
use ggufkit_inspect::summary::Kind;

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A tensor of a control vector is not named `direction.N` with N from 1 up.
    ///
    /// N is the layer behind which the direction is added. llama.cpp refuses the whole file at a name that is not of this
    /// form ("invalid/unparsable direction tensor layer index") and at layer 0, for which it keeps
    /// no place ("invalid (zero) direction tensor layer index").
    ///
    /// Programs that count layers from 0 have to add 1: `direction.1` belongs to the first. Rename the tensors, all of them
    /// by the same step, and compare the result with `controlvector.layer_count`.
    GG812 "control-vector-name" Kinds Error: "a tensor of a control vector tells no layer"
        "控制向量的张量没有写明层"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if facts.kind() != Kind::ControlVector {
        return;
    }
    for at in facts.rows() {
        let message = match layer(at.name()) {
            Some(1..) => continue,
            Some(0) => "direction.0: layers count from 1".to_owned(),
            None => format!("{} is not direction.N", shorten(at.name(), 80)),
        };
        sink.add(&RULE, || {
            Finding::new(&RULE, message, at.label(TensorPart::Name).text("this name"))
                .note("llama.cpp refuses the whole control vector")
                .help("rename the tensors to direction.N, with N from 1 up")
        });
    }
}

/// The layer that a direction belongs to.
fn layer(name: &[u8]) -> Option<u32> {
    let digits = name.strip_prefix(b"direction.")?;
    digits.iter().all(u8::is_ascii_digit).then(|| core::str::from_utf8(digits).ok()?.parse().ok())?
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    crate::testing::Tiny::control_vector().tensor("direction.0", &[8]).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    crate::testing::Tiny::control_vector().into()
}
