use ggufkit_format::{Path, Span};

use super::fate::{Fate, laid};
use super::peek::Peek;
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
        "缺少最后一个张量之后的填充"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for laid in laid(facts) {
        let Some(size) = laid.size else { continue };
        if laid.fates.iter().any(|fate| *fate != Fate::Inside) {
            continue;
        }
        let Some(padding) = laid.last_padding().filter(|padding| padding.end() > size) else { continue };
        sink.add(&RULE, || {
            let missing = counted(padding.end().saturating_sub(size), "byte");
            let label = place::bytes_label(laid.at, Span::new(size, 0), &Path::Data)
                .text(format!("the file ends here; {missing} of padding would follow"));
            let finding = Finding::new(&RULE, RULE.summary, label)
                .note("readers that load the data section as one block, such as `llama-gguf-hash`, fail; others do not");
            // Behind zeros, other bytes would become padding.
            match Peek::new(laid.file).nonzero(Span::between(padding.start, size)) {
                Ok(None) if !laid.start_is_open() => {
                    let change = Change::Extend { to: padding.end() };
                    finding.fix(Safety::Safe, format!("append {missing} of zeros"), change)
                }
                Ok(None) => finding,
                _ => finding.note("what stands behind the last tensor is not zero, or could not be read"),
            }
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
