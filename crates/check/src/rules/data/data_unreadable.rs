use ggufkit_format::TensorPart;

use crate::data::Skipped;
use crate::facts::{self, Facts};
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A tensor's data could not be read from the disk.
    ///
    /// The file system says that the bytes are there and the device does not give them: a dying disk, a network share that
    /// went away, or a file that shrank while it was read. Engines that map the file are ended by a bus error at that
    /// place; those that read it stop with an input/output error.
    ///
    /// Copy the file to another device, or fetch it again, and look at the system's log for the device.
    GG905 "data-unreadable" Data Error: "a tensor's data cannot be read"
        "无法读取张量的数据"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let Some(scan) = facts.scan() else { return };
    for (at, _, view) in facts.views() {
        for (number, (tensor, scan)) in view.index().tensors().iter().zip(scan.of(at)).enumerate() {
            let Some(Skipped::Unreadable(error)) = &scan.skipped else { continue };
            sink.add(&RULE, || {
                let name = ggufkit_format::shorten(view.name(tensor).0, 64);
                let primary = facts::tensor_label(at, &view, number, tensor, TensorPart::Data).text(error.clone());
                Finding::new(&RULE, format!("the data of {name} cannot be read"), primary)
                    .help("copy the file to another device or fetch it again, and look at the system's log")
            });
        }
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    good().failing_beyond(70)
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipes::one(0, &[2, 2], vec![1; 16])
}
