use ggufkit_format::{Path, Span, layout};

use super::fate::{Fate, laid};
use crate::facts::{Facts, counted};
use crate::finding::{Change, Finding, Safety};
use crate::place;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// The file ends with its last tensor, without the padding that would bring it to a multiple of the alignment.
    ///
    /// llama.cpp's and gguf-py's writers put the padding there, and most readers do without it: llama.cpp's model loader
    /// checks each tensor against the file's end, gguf-py likewise. But whatever reads the data section as one block of
    /// its padded size fails at the end of such a file: llama.cpp's `llama-gguf`, `llama-gguf-hash`, and its loaders of
    /// importance matrices and control vectors do.
    ///
    /// Nothing is missing from the model. Append zeros up to the multiple if one of those readers is to open it.
    GG214 "final-padding-missing" Layout Note: "the padding behind the last tensor is missing"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for laid in laid(facts) {
        let Some(size) = laid.size else { continue };
        if laid.fates.iter().any(|fate| *fate != Fate::Inside) {
            continue;
        }
        let base = laid.view.index().header().base;
        let ends = laid.extents.iter().filter_map(|extent| extent.offset.checked_add(extent.len?));
        let end = ends.max().and_then(|end| laid.data_start.checked_add(end));
        let padded = end.and_then(|end| {
            let relative = layout::align_up(end.checked_sub(base)?, laid.alignment)?;
            relative.checked_add(base)
        });
        let Some(padded) = padded.filter(|padded| *padded > size) else { continue };
        sink.add(&RULE, || {
            let missing = counted(padded.saturating_sub(size), "byte");
            let label = place::bytes_label(laid.at, Span::new(size, 0), &Path::Data)
                .text(format!("the file ends here; {missing} of padding would follow"));
            Finding::new(&RULE, RULE.summary, label)
                .note("readers that load the data section as one block, such as `llama-gguf-hash`, fail; others do not")
                .fix(Safety::Safe, format!("append {missing} of zeros"), Change::Extend { to: padded })
        });
    }
}

#[cfg(test)]
fn file() -> ggufkit_testkit::Builder {
    ggufkit_testkit::Builder::new().tensor(ggufkit_testkit::Tensor::f32("w", &[3]))
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    file().final_padding(false).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    file().into()
}
