use crate::facts::Facts;
use crate::finding::{Change, Finding, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// `general.alignment` is 1, 2 or 4; the format asks for a multiple of 8.
    ///
    /// llama.cpp and gguf-py accept every power of two, so the file opens. But tensors then begin at places that a vector
    /// unit cannot load from at full speed or at all: where llama.cpp maps the file, a backend that wants its buffers
    /// aligned to 32 bytes refuses them or the model is copied; readers in other languages that cast the mapped bytes to
    /// an array of floats panic or fall back to a copy. Small alignments are made in tests and by writers that save a few
    /// bytes of padding.
    ///
    /// Lay the data section out anew to 32, the default.
    GG205 "alignment-small" Layout Warning: "general.alignment is smaller than 8"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (at, file, view) in facts.views() {
        let alignment @ (1 | 2 | 4) = view.index().alignment() else { continue };
        let Some(label) = super::alignment_label(at, &view) else { continue };
        if file.diagnosis.dialect.is_some() {
            continue;
        }
        sink.add(&RULE, || {
            let label = label.text(format!("{alignment} is not a multiple of 8"));
            Finding::new(&RULE, format!("general.alignment is {alignment}, not a multiple of 8"), label)
                .note("llama.cpp and gguf-py open the file; tensors may lie where a mapped file cannot be computed on")
                .fix(Safety::Safe, "lay the data section out anew to 32 bytes", Change::Realign { to: 32 })
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().alignment(1).tensor(Tensor::f32("w", &[8])).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().alignment(8).tensor(Tensor::f32("w", &[8])).into()
}
