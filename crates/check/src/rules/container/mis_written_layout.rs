use ggufkit_format::{Dialect, HeaderPart, Span};

use crate::facts::Facts;
use crate::finding::{Change, Finding, Label, Safety};
use crate::place;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// The file is written in a layout that is not GGUF's, though it carries its magic.
    ///
    /// Some tutorials and home-made writers get a detail of the format wrong: a NUL after every string, the alignment in a
    /// longer header, other numbers for the value types, an array's count before its element type, a tensor's offset
    /// before its type. llama.cpp, gguf-py and every other reader of the format refuse such a file, or take lengths from
    /// the wrong bytes and show nonsense.
    ///
    /// Mend the writer. This file's content is not lost: `--dialect` reads it, and its head can be written anew in the
    /// standard layout; the weights stay as they are.
    GG013 "mis-written-layout" Container Error: "the file follows a mis-written layout"
        "文件采用一种写错的布局"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (at, file) in facts.files().iter().enumerate() {
        let asked = file.view.map(|view| view.index().header().dialect);
        let asked = asked.filter(|dialect| *dialect != Dialect::STANDARD);
        let Some(dialect) = file.diagnosis.dialect.or(asked) else { continue };
        sink.add(&RULE, || {
            let primary = match (file.error, file.view) {
                (Some(error), _) if asked.is_none() => {
                    super::error_label(at, file, error, 4).text("here the standard layout makes no sense")
                }
                (_, Some(view)) => {
                    let header = view.index().header();
                    place::header_label(at, header, HeaderPart::Version)
                        .text("the layout of this version is another one")
                }
                _ => Label {
                    file: at,
                    span: Span::new(0, 4),
                    path: "header.magic".to_owned(),
                    name: None,
                    text: String::new(),
                },
            };
            let message = format!("the file follows a mis-written layout, {dialect}");
            let mut finding = Finding::new(&RULE, message, primary);
            for what in dialect.traits() {
                finding = finding.note(format!("its mark: {what}"));
            }
            finding = finding.note("llama.cpp and gguf-py refuse the file or misread it");
            let title = "write the head anew in the standard layout";
            match (asked, file.error) {
                (None, _) => finding
                    .help(format!("read it with --dialect {dialect}; `gguf repair FILE -o OUT` writes it anew"))
                    // The layout is a guess, though one in which every byte fits.
                    .fix(Safety::Unsafe, title, Change::Rewrite),
                (Some(_), None) => finding.fix(Safety::Safe, title, Change::Rewrite),
                (Some(_), Some(_)) => finding,
            }
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    let file = Builder::new().dialect(Dialect::NUL_STRINGS).kv("general.name", "by hand").kv("a.b", 1_u32);
    file.tensor(Tensor::f32("output.weight", &[4])).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    let file = Builder::new().kv("general.name", "by hand").kv("a.b", 1_u32);
    file.tensor(Tensor::f32("output.weight", &[4])).into()
}
