use super::fate::{offer, unsettled};
use crate::facts::{Facts, counted};
use crate::finding::{Change, Finding};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// `general.alignment` is larger than 1 MiB.
    ///
    /// Every tensor, and the data section itself, then begins at a multiple of that: a model of a few hundred tensors
    /// carries hundreds of such gaps, and a file with 2^31 here has gigabytes of zeros in front of its first weight.
    /// Loaders set no bound; one that allocates for the padded size runs out of memory over a file of a few kilobytes.
    /// Pages of 4 KiB, huge pages of 2 MiB at the most, are what a real layout is made for.
    ///
    /// Lay the data section out anew to 32, the default, unless the number was chosen on purpose. In a small file, or one
    /// that is cut short, take it for damage.
    GG206 "alignment-huge" Layout Warning: "general.alignment is larger than 1 MiB"
        "general.alignment 大于 1 MiB"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (at, file, view) in facts.views() {
        let alignment = view.index().alignment();
        if alignment <= 1 << 20 || file.diagnosis.dialect.is_some() {
            continue;
        }
        let Some(label) = super::alignment_label(at, &view) else { continue };
        sink.add(&RULE, || {
            let label = label.text("no more than 1 MiB is plausible");
            let message = format!("general.alignment is {}", counted(alignment, "byte"));
            let finding = Finding::new(&RULE, message, label)
                .note("loaders set no bound: each tensor is padded to a multiple of it, in the file or in memory");
            let title = "lay the data section out anew to 32 bytes";
            offer(finding, unsettled(facts, at), None, title, Change::Realign { to: 32 })
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("general.alignment", 1_u32 << 31).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("general.alignment", 1_u32 << 12).into()
}
