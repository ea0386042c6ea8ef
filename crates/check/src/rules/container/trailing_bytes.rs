use ggufkit_format::{Path, Span};

use crate::facts::{Facts, counted};
use crate::finding::{Change, Finding, Safety};
use crate::place;
use crate::rule::{Severity, rule};
use crate::rules::layout::fate::{Laid, laid};
use crate::rules::layout::peek::{Peek, Unseen};

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
        "最后一个张量之后有不属于任何内容的字节"
}

/// Bytes at the end that are looked at where there are very many, to tell zeros from data.
const LOOK: u64 = 64 << 10;

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for laid in laid(facts) {
        let Laid { at, file, view, fates, .. } = laid;
        // Where an offset is not to be believed, nobody knows where the data ends.
        if fates.iter().any(|fate| !fate.is_sane()) {
            continue;
        }
        let (Some(size), trailing @ 1.., None) = (file.size, file.diagnosis.trailing, file.diagnosis.joined)
        else {
            continue;
        };
        // A GGUF inside a bigger file is followed by what is that file's.
        if view.index().header().base > 0 {
            continue;
        }
        if !sink.wants(&RULE) {
            continue;
        }
        let span = Span::new(size.saturating_sub(trailing), trailing);
        let mut peek = Peek::new(file);
        let seen = match peek.nonzero(span) {
            Err(Unseen::Enough) => {
                let last = trailing.min(LOOK);
                peek.nonzero(Span::new(size.saturating_sub(last), last)).map(|found| (found, false))
            }
            other => other.map(|found| (found, true)),
        };
        let severity = if let Ok((None, _)) = seen { Severity::Note } else { RULE.severity };
        sink.add_as(&RULE, severity, || {
            let primary = place::bytes_label(at, span, &Path::Unparsed);
            let bytes = counted(trailing, "byte");
            let title = "cut the file behind its last tensor";
            let cut = Change::Cut { at: span.start };
            let Ok((None, all)) = seen else {
                let message = format!("{bytes} behind the last tensor belong to nothing");
                return Finding::new(&RULE, message, primary.text("no tensor reaches here"))
                    .note(
                        "loaders do not read them; the file was written over a longer one, or something was appended",
                    )
                    .help("compare the size with the publisher's before anything is cut off")
                    .fix(Safety::Unsafe, title, cut);
            };
            let message = format!("{bytes} of zeros stand behind the last tensor and its padding");
            let expected = match laid.extents {
                [] => Some(Span::between(view.index().head_end(), laid.data_start)),
                _ => laid.last_padding(),
            };
            let clean = |padding: Span| Peek::new(file).nonzero(padding) == Ok(None);
            let (text, safety) = match all {
                true if expected.is_none_or(clean) => ("all of them zero", Safety::Safe),
                // What stands where padding is expected would be taken for it.
                true => ("all of them zero, behind others that are not", Safety::Unsafe),
                false => ("zeros at both ends; not all of them were looked at", Safety::Unsafe),
            };
            Finding::new(&RULE, message, primary.text(text))
                .note("loaders do not read them")
                .fix(safety, title, cut)
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

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

    use ggufkit_testkit::{Builder, Tensor};

    use crate::testing::Recipe;
    use crate::{Options, Severity};

    #[test]
    fn zeros_are_worth_a_note_wherever_they_end() {
        let of = |trailing: Vec<u8>| {
            let file = Builder::new().tensor(Tensor::f32("output.weight", &[8])).trailing(trailing);
            let said = |report: &crate::Report| report.findings.iter().map(|f| f.severity).collect::<Vec<_>>();
            let mut options = Options::default();
            options.selection.select("container").unwrap();
            Recipe::from(file).judge(&options, |report, _| said(report))
        };
        assert_eq!(of(vec![0; 1]), [Severity::Note]);
        assert_eq!(of(vec![0; 3 << 20]), [Severity::Note]);
        let mut late = vec![0; 3 << 20];
        late.push(1);
        assert_eq!(of(late), [Severity::Warning]);
    }
}
