use super::fate::{offer, unsettled};
use crate::facts::Facts;
use crate::finding::{Change, Finding};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// `general.alignment` is not a power of two.
    ///
    /// The format's text asks for a multiple of 8, which 24 and 48 are. But llama.cpp ("is not a power of 2") and gguf-py
    /// refuse any other value, so that the file is of no use to either, and readers that round up with a bit mask compute a
    /// wrong start of the data and hand out shifted weights without a word.
    ///
    /// Lay the data section out anew to 32, the default, or another power of two. That moves the tensors and changes none
    /// of their values; the weights in this file are whole and were located by division, as the format means it.
    GG202 "alignment-not-power-of-two" Layout Error: "general.alignment is not a power of two"
        "general.alignment 不是 2 的幂"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (at, file, view) in facts.views() {
        let alignment = view.index().alignment();
        if alignment.is_power_of_two() || file.diagnosis.dialect.is_some() {
            continue;
        }
        let Some(label) = super::alignment_label(at, &view) else { continue };
        sink.add(&RULE, || {
            let label = label.text(format!("{alignment} is not a power of two"));
            let rule = match alignment % 8 {
                0 => "it is a multiple of 8, as the format asks; llama.cpp and gguf-py refuse the file all the same",
                _ => "the format asks for a multiple of 8; llama.cpp and gguf-py for a power of two, and refuse the file",
            };
            let finding = Finding::new(&RULE, format!("general.alignment is {alignment}, not a power of two"), label)
                .note(rule)
                .note("readers that round up with a bit mask locate the data in the wrong place");
            let help = Some("lay the data section out anew to 32 bytes; the values of the weights do not change");
            let title = "lay the data section out anew to 32 bytes";
            offer(finding, unsettled(facts, at), help, title, Change::Realign { to: 32 })
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().alignment(24).tensor(Tensor::f32("a", &[6])).tensor(Tensor::f32("b", &[6])).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().alignment(16).tensor(Tensor::f32("a", &[6])).tensor(Tensor::f32("b", &[6])).into()
}
