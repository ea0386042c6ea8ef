use ggufkit_format::{HeaderPart, Path, Reason};

use crate::facts::{self, Facts};
use crate::finding::Finding;
use crate::place;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// The file ends inside its head: in the header, in the metadata, or in the tensor table.
    ///
    /// Nothing behind that point can be located, so no reader loads the file. The cause is nearly always a download that
    /// stopped, a proxy that sent less than it promised, or a disk that was full.
    ///
    /// Compare the size with the publisher's and resume the download, or fetch the file again. What the head holds up to
    /// the point is shown by `gguf show` and `gguf dump`.
    GG003 "unexpected-end" Container Error: "the file ends inside its head"
        "文件在头部中间就结束了"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (at, file, error) in super::broken(facts) {
        let Reason::UnexpectedEnd { needed, remaining } = error.reason() else { continue };
        sink.add(&RULE, || {
            let needed = facts::counted(*needed, "byte");
            let primary = super::error_label(at, file, error, *remaining)
                .text(format!("{needed} needed here, {remaining} left"));
            let mut finding = Finding::new(&RULE, format!("the file ends inside {}", error.path()), primary);
            if let Some(view) = file.view {
                let header = view.index().header();
                // Counts that promise much more than was read: the file was cut early, or the count is wrong.
                let promised = match error.path() {
                    Path::Kv { index, .. } => Some((HeaderPart::KvCount, header.kv_count, index, "key-value")),
                    Path::Tensor { index, .. } => Some((HeaderPart::TensorCount, header.tensor_count, index, "tensor")),
                    _ => None,
                };
                if let Some((part, count, index, what)) = promised {
                    let label = place::header_label(at, header, part);
                    finding = finding.because(label.text(format!("{} declared", facts::counted(count, what))));
                    finding = finding.note(format!("{what}s that were read: {index} of {count}"));
                }
            }
            match error.help() {
                Some(help) => finding.help(help),
                None => finding,
            }
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    let mut bytes = ggufkit_testkit::Builder::new().kv("general.name", "cut off").bytes();
    bytes.truncate(50);
    bytes.into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("general.name", "whole").into()
}
