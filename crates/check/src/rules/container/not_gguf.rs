use ggufkit_format::Span;

use crate::facts::Facts;
use crate::finding::{Finding, Label};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// The file is not a GGUF: it does not begin with the four bytes `GGUF`, and its first bytes tell what it is instead.
    ///
    /// Every loader refuses it ("invalid magic characters" in llama.cpp, "GGUF magic invalid" in gguf-py) without saying
    /// what it was given. Mostly the file is a Git LFS pointer, the web page of a gated model, a safetensors file under
    /// another name, an empty or never filled download, or a model in one of the formats before GGUF (GGML, GGMF, GGJT).
    ///
    /// Get the file that was meant: download it again as binary, from the address that serves the file and not its page,
    /// or convert the model. The finding says which of these applies.
    GG001 "not-gguf" Container Error: "the file is not a GGUF"
        "该文件不是 GGUF"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (at, file) in facts.files().iter().enumerate() {
        let (None, Some(identity)) = (file.view, &file.diagnosis.identity) else { continue };
        if super::was_gguf(identity) {
            continue;
        }
        sink.add(&RULE, || {
            let start = file.error.map_or(0, |error| error.offset());
            let len = file.size.map_or(4, |size| size.saturating_sub(start).min(4));
            let primary = Label {
                file: at,
                span: Span::new(start, len),
                path: "header.magic".to_owned(),
                name: None,
                text: "GGUF is expected here".to_owned(),
            };
            let finding = Finding::new(&RULE, identity.describe(), primary);
            match identity.help() {
                Some(help) => finding.help(help),
                None => finding,
            }
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
        .to_vec()
        .into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().into()
}
