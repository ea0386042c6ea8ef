use ggufkit_format::{Reason, Span};

use crate::facts::Facts;
use crate::finding::{Finding, Label};
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
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (at, file) in facts.files().iter().enumerate() {
        let Some(error) = file.error else { continue };
        // A file of another format, or an empty one, is not a head that was cut.
        if file.view.is_none() && file.diagnosis.identity.is_some() {
            continue;
        }
        let Reason::UnexpectedEnd { needed, remaining } = error.reason() else { continue };
        sink.add(&RULE, || {
            let primary = Label {
                file: at,
                span: Span::new(error.offset(), *remaining),
                path: error.path().to_string(),
                name: error.name().map(<[u8]>::to_vec),
                text: format!("{needed} bytes are needed here, {remaining} are left"),
            };
            let finding = Finding::new(&RULE, format!("the file ends inside {}", error.path()), primary);
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
