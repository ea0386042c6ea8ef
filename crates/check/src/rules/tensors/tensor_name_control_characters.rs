use ggufkit_format::{TensorPart, is_safe, shorten};

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A tensor's name holds characters that act on a terminal or cannot be seen.
    ///
    /// Loaders print tensor names in their logs and errors, and `gguf-dump` prints all of them: escape sequences in a name
    /// are carried out by the terminal, where they clear the screen, set the clipboard, or show a link that leads elsewhere.
    /// Bidirectional controls and zero-width characters let a name look like `output.weight` without being it, so a person
    /// sees a tensor that the engine does not find.
    ///
    /// Here such names are shown escaped. No converter writes them: ask where the file comes from.
    GG307 "tensor-name-control-characters" Tensors Warning: "a tensor name holds control or invisible characters"
        "张量名称含有控制字符或不可见字符"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for row in facts.rows() {
        let name = row.name();
        // NULs have a rule of their own.
        let odd = |text: &str| text.chars().any(|c| c != '\0' && !is_safe(c));
        if !name.utf8_chunks().any(|chunk| odd(chunk.valid())) {
            continue;
        }
        sink.add(&RULE, || {
            let message =
                format!("the tensor name \"{}\" holds control or invisible characters", shorten(name, 80));
            Finding::new(&RULE, message, row.label(TensorPart::Name).text("shown escaped above"))
                .note("tools that print it as it stands let it drive the terminal")
                .help("convert the model again from a source that is trusted")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("output\u{200b}.weight", &[8])).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("output.weight", &[8])).tensor(Tensor::f32("w\0", &[8])).into()
}
