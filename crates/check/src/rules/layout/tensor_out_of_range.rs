use ggufkit_format::TensorPart;

use super::fate::{Fate, laid};
use crate::facts::{self, Facts, counted};
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A tensor's data cannot be in the file: its offset, or its size, leads to where no file goes on.
    ///
    /// This is no download that stopped, for the tensors before it end long before. The offset is damaged, or was made to
    /// lead a loader out of the file: a position that wraps around 64 bits points back into it, or into memory that belongs
    /// to something else (CVE-2025-62609 in mlx is of this kind). llama.cpp refuses the file; a loader that maps it and
    /// adds without checking reads outside.
    ///
    /// Fetch the file again and compare its checksum with the publisher's. The other tensors can be read.
    GG210 "tensor-out-of-range" Layout Error: "a tensor's data lies outside of the file"
        "张量的数据在文件之外"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for laid in laid(facts) {
        let index = laid.view.index();
        for (extent, fate) in laid.extents.iter().zip(laid.fates) {
            let Some(tensor) = index.tensors().get(extent.tensor) else { continue };
            if *fate != Fate::Nowhere {
                continue;
            }
            sink.add(&RULE, || {
                let name = ggufkit_format::shorten(laid.view.name(tensor).0, 64);
                let start = laid.data_start.checked_add(extent.offset);
                let end = start.and_then(|start| start.checked_add(extent.len().unwrap_or(0)));
                // Where the offset is in the file, the size is what leads out of it.
                let within = start.zip(laid.size).is_some_and(|(start, size)| start <= size);
                let label = match within {
                    true => facts::shape_label(laid.at, &laid.view, extent.tensor, tensor),
                    false => {
                        facts::tensor_label(laid.at, &laid.view, extent.tensor, tensor, TensorPart::Offset)
                    }
                };
                let (message, text) = match (start, end) {
                    (None, _) => (
                        format!("the position of the tensor \"{name}\" does not fit in 64 bits"),
                        format!("{} behind the data section's start at {:#x}", extent.offset, laid.data_start),
                    ),
                    (Some(start), None) => (
                        format!("the end of the tensor \"{name}\" does not fit in 64 bits"),
                        format!("the data would begin at {start:#x}"),
                    ),
                    (Some(start), Some(_)) if within => (
                        format!("the tensor \"{name}\" begins in the file and is larger than any"),
                        format!("{} of data at {start:#x}", counted(extent.len().unwrap_or(0), "byte")),
                    ),
                    (Some(start), Some(_)) => (
                        format!("the tensor \"{name}\" lies outside of the file"),
                        match extent.len() {
                            Some(len) => format!("{} of data at {start:#x}", counted(len, "byte")),
                            None => format!("the data would begin at {start:#x}"),
                        },
                    ),
                };
                let mut finding = Finding::new(&RULE, message, label.text(text));
                if let Some(size) = laid.size {
                    finding = finding.note(format!("the file ends at {size:#x} ({})", counted(size, "byte")));
                }
                finding
                    .note("llama.cpp refuses the file; a loader that adds without checking reads outside of it")
                    .help("the tensor table is damaged: fetch the file again")
            });
        }
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    let file = Builder::new().tensor(Tensor::f32("a.weight", &[8]));
    file.tensor(Tensor::f32("far.weight", &[8]).offset(1 << 40)).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("a.weight", &[8])).tensor(Tensor::f32("near.weight", &[8])).into()
}

#[cfg(test)]
#[test]
fn a_size_that_leads_out_of_the_file_is_not_called_an_offset() {
    use ggufkit_testkit::{Builder, Tensor};
    let message = |tensor: Tensor| {
        let recipe: crate::testing::Recipe = Builder::new().tensor(tensor).into();
        recipe.judge(&crate::Options::default(), |report, _| {
            let finding = report.findings.iter().find(|finding| finding.rule == &RULE);
            finding.map(|finding| (finding.message.clone(), finding.primary.path.clone()))
        })
    };
    let huge = message(Tensor::new("w", 0, &[1 << 50]).data([0; 32])).unwrap();
    assert!(huge.0.ends_with("begins in the file and is larger than any"), "{huge:?}");
    assert!(!huge.1.ends_with(".offset"), "{huge:?}");
    let far = message(Tensor::f32("w", &[8]).offset(1 << 40)).unwrap();
    assert!(far.0.ends_with("lies outside of the file") && far.1.ends_with(".offset"), "{far:?}");
}
