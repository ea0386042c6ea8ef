use ggufkit_format::View;

use super::fate::{offer, unsettled};
use crate::facts::{self, Facts};
use crate::finding::{Change, Finding};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// `general.alignment` is smaller than 32, and tensors lie where a mapped file cannot be computed on.
    ///
    /// The format asks for a multiple of 8, and llama.cpp and gguf-py accept every power of two, so the head is read. But
    /// llama.cpp maps files, and wants each buffer that it makes of the mapping to begin at a multiple of 32: it ends with
    /// "buffer pointer must be aligned" unless the first tensor happens to lie at one. `--no-mmap` gets around that. Readers
    /// in other languages that cast the mapped bytes to an array of floats panic or fall back to a copy. Small alignments are
    /// made in tests and by writers that save a few bytes of padding.
    ///
    /// With 8 or 16 nothing is said where every tensor lies at a multiple of 32. Lay the data section out anew to 32, the
    /// default.
    GG205 "alignment-small" Layout Warning: "general.alignment is too small for a file that is mapped"
        "general.alignment 太小，不适合映射文件"
}

/// What llama.cpp wants the buffers of a mapped file to begin at (`TENSOR_ALIGNMENT`).
pub(crate) const MAPPED: u32 = 32;

/// The tensors of a file that do not begin at a multiple of [`MAPPED`].
fn astray(view: &View<'_>) -> u64 {
    let index = view.index();
    let Some(start) = index.data_start() else { return 0 };
    let begins = |offset: u64| start.checked_add(offset).is_none_or(|at| at % u64::from(MAPPED) == 0);
    index.tensors().iter().filter(|tensor| !begins(tensor.offset)).count() as u64
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (at, file, view) in facts.views() {
        let alignment @ (1 | 2 | 4 | 8 | 16) = view.index().alignment() else { continue };
        let Some(label) = super::alignment_label(at, &view) else { continue };
        let astray = astray(&view);
        // What is not there lies nowhere.
        if view.index().tensors().is_empty() {
            continue;
        }
        if file.diagnosis.dialect.is_some() || (alignment >= 8 && astray == 0) {
            continue;
        }
        sink.add(&RULE, || {
            let (message, label) = match alignment {
                1 | 2 | 4 => (
                    format!("general.alignment is {alignment}, not a multiple of 8"),
                    label.text(format!("{alignment} is not a multiple of 8")),
                ),
                _ => {
                    let lie = if astray == 1 { "lies" } else { "lie" };
                    let which = facts::counted(astray, "tensor");
                    (
                        format!("general.alignment is {alignment}: {which} {lie} at no multiple of {MAPPED}"),
                        label.text(format!("tensors are laid out to {alignment} bytes")),
                    )
                }
            };
            let finding = Finding::new(&RULE, message, label)
                .note("llama.cpp maps the file and ends with \"buffer pointer must be aligned\" unless the first tensor lies at a multiple of 32");
            let title = "lay the data section out anew to 32 bytes";
            offer(finding, unsettled(facts, at), None, title, Change::Realign { to: MAPPED })
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
    Builder::new().alignment(64).tensor(Tensor::f32("w", &[8])).into()
}

#[cfg(test)]
mod tests {
    use ggufkit_testkit::{Builder, Tensor};

    #[test]
    fn small_alignments_are_told_where_tensors_lie_between_multiples_of_32() {
        // The text is as long as it takes for the data section to begin at this distance from a multiple of 32.
        let spoken = |alignment: u32, distance: u64, elements: u64| {
            let file = |fill: usize| {
                Builder::new()
                    .alignment(alignment)
                    .kv("x", "a".repeat(fill).as_str())
                    .tensor(Tensor::f32("w", &[elements]))
                    .tensor(Tensor::f32("v", &[8]))
            };
            let begins = |bytes: &[u8]| {
                let index = ggufkit_format::parse(bytes, ggufkit_format::Options::new()).into_result().unwrap();
                index.data_start().unwrap()
            };
            let fill = (0..64).find(|fill| begins(&file(*fill).bytes()) % 32 == distance).unwrap();
            let recipe: crate::testing::Recipe = file(fill).into();
            recipe.spoken().contains(super::RULE.name)
        };
        assert!(!spoken(8, 0, 8) && !spoken(16, 0, 8) && !spoken(32, 0, 8));
        assert!(spoken(8, 8, 8) && spoken(8, 16, 8) && spoken(16, 16, 8));
        assert!(spoken(8, 0, 6) && spoken(16, 0, 4), "the second tensor lies behind 24 or 16 bytes");
        assert!(spoken(4, 0, 8), "no multiple of 8");
        for alignment in [4, 8] {
            let none: crate::testing::Recipe = Builder::new().alignment(alignment).into();
            assert!(!none.spoken().contains(super::RULE.name), "no tensor is laid out");
        }
    }
}
