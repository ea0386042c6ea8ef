use ggufkit_format::{Path, Span};

use crate::facts::{Facts, counted};
use crate::finding::{Change, Finding, Safety};
use crate::place;
use crate::rule::{Severity, rule};
use crate::rules::layout::fate::{Laid, laid};
use crate::rules::layout::peek::Peek;

use crate::sink::Sink;

rule! {
    /// Bytes stand behind the last tensor and its padding that belong to nothing in the file.
    ///
    /// No loader minds them: llama.cpp and gguf-py read what the tensor table points at. But nobody writes them on purpose.
    /// They are the rest of an older, longer file that was written over, something appended by another program, data whose
    /// tensors got lost from the table, or a hiding place. They change the checksum and cost space. Zeros, which block-wise
    /// copies and larger alignments leave, are only worth a note.
    ///
    /// If the file's size is the publisher's, leave it or ask the publisher. If it is larger, fetch the file again, or cut
    /// the bytes off after a look at them with `gguf hex`.
    GG016 "trailing-bytes" Container Warning: "bytes behind the last tensor belong to nothing"
}

/// Bytes at either end that are looked at, to tell zeros from data.
const LOOK: u64 = 64 << 10;

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for Laid { at, file, fates, .. } in laid(facts) {
        // Where an offset is not to be believed, nobody knows where the data ends.
        if fates.iter().any(|fate| !fate.is_sane()) {
            continue;
        }
        let (Some(size), trailing @ 1.., None) = (file.size, file.diagnosis.trailing, file.diagnosis.joined)
        else {
            continue;
        };
        sink.add(&RULE, || {
            let span = Span::new(size.saturating_sub(trailing), trailing);
            let mut peek = Peek::new(file);
            let ends = [
                Span::new(span.start, trailing.min(LOOK)),
                Span::new(size.saturating_sub(trailing.min(LOOK)), trailing.min(LOOK)),
            ];
            let first = ends.into_iter().map(|end| peek.nonzero(end)).find(|found| *found != Ok(None));
            let primary = place::bytes_label(at, span, &Path::Unparsed);
            let bytes = counted(trailing, "byte");
            if first.is_some() {
                let message = format!("{bytes} behind the last tensor belong to nothing");
                return Finding::new(&RULE, message, primary.text("no tensor reaches here"))
                    .note("loaders do not read them; the file was written over a longer one, or something was appended")
                    .help("compare the size with the publisher's before anything is cut off")
                    .fix(Safety::Unsafe, "cut the file behind its last tensor", Change::Cut { at: span.start });
            }
            let message = format!("{bytes} of zeros stand behind the last tensor and its padding");
            Finding::new(&RULE, message, primary.text("zeros, as far as was looked"))
                .severity(Severity::Note)
                .note("loaders do not read them")
                .fix(Safety::Safe, "cut the file behind its last tensor", Change::Cut { at: span.start })
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("output.weight", &[8])).trailing(*b"left from before").into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("output.weight", &[7])).into()
}
