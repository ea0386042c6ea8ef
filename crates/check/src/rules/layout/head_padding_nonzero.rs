use ggufkit_format::{Path, Span};

use super::fate::laid;
use super::peek::Peek;
use crate::facts::{Facts, counted};
use crate::finding::{Change, Finding, Safety};
use crate::place;
use crate::report::Omission;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// The padding between the tensor table and the data section is not zero.
    ///
    /// The format asks for zeros there; no loader looks, so the file works everywhere. What stands there instead is the
    /// rest of an older, longer head that was edited in place, or memory of the program that wrote the file, which may hold
    /// what nobody meant to publish. Two files with the same model then have different checksums. If the bytes look like
    /// records of tensors or keys, the header's counts may be too small: compare them with what the file should hold.
    ///
    /// Overwriting the padding with zeros is safe for every reader.
    GG212 "head-padding-nonzero" Layout Note: "the padding before the data section is not zero"
        "数据区之前的填充不为零"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if !sink.wants(&RULE) {
        return;
    }
    for laid in laid(facts) {
        let end = laid.size.map_or(laid.data_start, |size| laid.data_start.min(size));
        let span = Span::between(laid.view.index().head_end(), end);
        // Without tensors there is no data section that the bytes would lie before.
        if laid.extents.is_empty() || span.is_empty() {
            continue;
        }
        let mut peek = Peek::new(laid.file);
        match peek.nonzero(span) {
            Ok(None) => {}
            Ok(Some(first)) => sink.add(&RULE, || {
                let rest = Span::between(first, span.end());
                let label = place::bytes_label(laid.at, rest, &Path::Padding).text("zeros are expected here");
                let what = counted(span.len, "byte");
                let finding = Finding::new(&RULE, RULE.summary, label)
                    .note(format!("no loader looks at these {what}; they may tell what the writer's memory held"));
                match usize::try_from(span.len) {
                    Ok(len) if len <= 4096 && !laid.start_is_open() => {
                        let change = Change::Patch { span, bytes: vec![0; len] };
                        finding.fix(Safety::Safe, "overwrite the padding with zeros", change)
                    }
                    _ => finding,
                }
            }),
            Err(unseen) => sink.omit(Omission {
                file: laid.at,
                what: "the padding before the data section".to_owned(),
                why: unseen.why().to_owned(),
                span: Some(span),
            }),
        }
    }
}

#[cfg(test)]
fn file() -> ggufkit_testkit::Built {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().kv("general.name", "x").tensor(Tensor::f32("w", &[8])).build()
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    let mut file = file();
    let mut padding = file.get("padding").to_vec();
    padding.iter_mut().skip(2).take(4).for_each(|byte| *byte = 0xaa);
    file.patch("padding", padding);
    file.into_bytes().into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    file().into_bytes().into()
}
