use ggufkit_format::extents::Reaching;
use ggufkit_format::{Path, Span, layout};

use super::fate::{Laid, laid};
use super::peek::Peek;
use crate::facts::{Facts, counted};
use crate::finding::{Change, Finding, Safety};
use crate::place;
use crate::report::Omission;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// The padding behind a tensor's data is not zero.
    ///
    /// The format asks for zeros between the end of a tensor and the next multiple of the alignment. No loader looks, so
    /// the file works everywhere. But the bytes came from somewhere: memory of the program that wrote the file, or data of
    /// a tensor that is longer than its type and shape say, as a wrong size table leaves it. In the second case the weights
    /// are cut; compare the tensor with the original. Otherwise the same model gets another checksum for nothing.
    ///
    /// Overwriting the padding with zeros is safe for every reader.
    GG213 "tensor-padding-nonzero" Layout Note: "the padding behind a tensor is not zero"
        "张量之后的填充不为零"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if !sink.wants(&RULE) {
        return;
    }
    for laid in laid(facts) {
        let mut peek = Peek::new(laid.file);
        let paddings = paddings(&laid);
        let open = std::cell::LazyCell::new(|| laid.start_is_open());
        for (at, (tensor, padding)) in paddings.iter().enumerate() {
            let first = match peek.nonzero(*padding) {
                Ok(None) => continue,
                Ok(Some(first)) => first,
                Err(unseen) => {
                    let rest = paddings.len().saturating_sub(at) as u64;
                    let what = format!("{} between tensors", counted(rest, "stretch of padding"));
                    let what = what.replace("stretch of paddings", "stretches of padding");
                    sink.omit(Omission { file: laid.at, what, why: unseen.why().to_owned(), span: None });
                    break;
                }
            };
            sink.add(&RULE, || {
                let span = Span::between(first, padding.end());
                let mut label = place::bytes_label(laid.at, span, &Path::Data).text("zeros are expected here");
                if let Some(record) = laid.view.index().tensors().get(*tensor) {
                    label.name = Some(laid.view.name(record).0.to_vec());
                    label.path = "data.padding".to_owned();
                }
                let finding = Finding::new(&RULE, RULE.summary, label)
                    .note("no loader looks at it; it may be the rest of a tensor that is longer than its shape says");
                // Behind the last tensor padding is told by the file's ending with it.
                let behind = laid.last_padding().filter(|last| last.start == padding.start);
                if behind.is_some_and(|last| laid.size != Some(last.end())) {
                    return finding.note("the file does not end with this padding: the bytes may be something else");
                }
                match usize::try_from(padding.len) {
                    Ok(len) if len <= 4096 && !*open => {
                        let change = Change::Patch { span: *padding, bytes: vec![0; len] };
                        finding.fix(Safety::Safe, "overwrite the padding with zeros", change)
                    }
                    _ => finding,
                }
            });
        }
    }
}

/// The padding behind each tensor, with the tensor's number: as much of it as the file has and no other tensor claims.
fn paddings(laid: &Laid<'_, '_>) -> Vec<(usize, Span)> {
    let size = laid.size.unwrap_or(u64::MAX);
    let mut out = Vec::new();
    let mut push = |from: u64, next: u64, tensor: usize| {
        let padded = layout::align_up(from, laid.alignment).unwrap_or(from).min(next);
        let absolute = |offset: u64| laid.data_start.saturating_add(offset).min(size);
        let span = Span::between(absolute(from), absolute(padded));
        if !span.is_empty() {
            out.push((tensor, span));
        }
    };
    let mut reaching = Reaching::default();
    for extent in laid.sane() {
        let reach = reaching.before(extent);
        if let (Some(reached), Some(before)) = (reach.reached(), reach.farthest)
            && extent.offset > reached
        {
            push(reached, extent.offset, before.tensor);
        }
        reaching.pass(extent);
    }
    if let Some((last, reached)) = reaching.end() {
        push(reached, u64::MAX, last.tensor);
    }
    out
}

#[cfg(test)]
fn file() -> ggufkit_testkit::Built {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("a.weight", &[5])).tensor(Tensor::f32("b.weight", &[8])).build()
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    let mut file = file();
    file.patch("data.padding[1]", *b"\0\0\0\0the rest");
    file.into_bytes().into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    file().into_bytes().into()
}
