use ggufkit_format::identify::Identity;
use ggufkit_format::{Reason, Span};

use crate::facts::Facts;
use crate::finding::{Finding, Label};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// The magic `GGUF` is not at the file's start, though the file seems to be, or to hold, a GGUF.
    ///
    /// A program changed the bytes on their way: an editor put a byte order mark in front, a shell rewrote the text
    /// encoding, the headers of a response were saved too, the bytes were swapped or written as base64. Or the GGUF is a
    /// member of a bigger file. Loaders look only at the first four bytes and refuse the file; one that is given an offset
    /// into a bigger file must count alignment from the magic, not from the file's start.
    ///
    /// Copy or download the file again as binary. Where only bytes stand in front, `--offset` reads it in place.
    GG002 "bad-magic" Container Error: "the magic is not where a GGUF begins"
        "魔数不在 GGUF 应有的开头处"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (at, file) in facts.files().iter().enumerate() {
        if file.view.is_some() {
            continue;
        }
        let identity = file.diagnosis.identity.as_ref();
        let start = file.error.map_or(0, |error| error.offset());
        let magic = |start: u64, text: String| {
            let len = file.size.map_or(4, |size| size.saturating_sub(start).min(4));
            let path = "header.magic".to_owned();
            Label { file: at, span: Span::new(start, len), path, name: None, text }
        };
        match (identity, file.error.map(|error| error.reason())) {
            (Some(identity), _) if super::was_gguf(identity) => sink.add(&RULE, || {
                let primary = magic(start, "GGUF is expected here".to_owned());
                let mut finding = Finding::new(&RULE, identity.describe(), primary);
                if let Identity::GgufAfter { offset, .. } = identity {
                    let found = magic(start.saturating_add(*offset as u64), "it stands here".to_owned());
                    finding = finding.because(Label { path: "unparsed".to_owned(), ..found });
                }
                match identity.help() {
                    Some(help) => finding.help(help),
                    None => finding,
                }
            }),
            (None, Some(Reason::BadMagic { .. })) => sink.add(&RULE, || {
                let primary = magic(start, "GGUF is expected here".to_owned());
                Finding::new(&RULE, "the file does not begin with the magic of a GGUF", primary)
            }),
            _ => {}
        }
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().prefix(*b"\xef\xbb\xbf").kv("general.name", "edited as text").into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("general.name", "copied as binary").into()
}
