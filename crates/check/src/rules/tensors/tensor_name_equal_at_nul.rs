use ggufkit_format::{TensorPart, shorten};

use super::names;
use crate::facts::{self, Facts};
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Two tensor names differ only behind a NUL byte.
    ///
    /// llama.cpp looks for duplicates among the full names and then keeps each one cut at its first NUL, so it takes both
    /// records in and has two tensors of one name: every look-up finds the first, and the other's weights are never used. A
    /// reader of counted strings sees two different names and may use the other. A scanner and an engine can be shown
    /// different weights in this way; no converter writes such names by accident.
    ///
    /// Do not trust the file. If its source is known, fetch or convert the model again.
    GG305 "tensor-name-equal-at-nul" Tensors Error: "two tensor names are equal up to a NUL byte"
        "两个张量名称在 NUL 字节之前相同"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (file, _, view) in facts.views() {
        let tensors = view.index().tensors();
        for (first, second) in names::equal_at_nul(file, view) {
            let (Some(a), Some(b)) = (tensors.get(first), tensors.get(second)) else { continue };
            sink.add(&RULE, || {
                let message = format!(
                    "the tensor names \"{}\" and \"{}\" are equal up to a NUL byte",
                    shorten(view.name(a).0, 80),
                    shorten(view.name(b).0, 80)
                );
                let primary = facts::tensor_label(file, &view, second, b, TensorPart::Name)
                    .text("the same name for programs that end it at the NUL");
                let cause = facts::tensor_label(file, &view, first, a, TensorPart::Name).text("first here");
                Finding::new(&RULE, message, primary)
                    .because(cause)
                    .note("llama.cpp takes both in and finds only the first; other readers tell them apart")
                    .help("no converter writes this by accident: ask where the file comes from")
            });
        }
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("w", &[8])).tensor(Tensor::f32("w\0x", &[8])).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("w", &[8])).tensor(Tensor::f32("v\0x", &[8])).into()
}

#[cfg(test)]
mod tests {
    use ggufkit_testkit::{Builder, Tensor};

    use crate::testing::Recipe;

    #[test]
    fn one_rule_speaks_about_one_fault() {
        let spoken = |names: [&str; 2]| {
            let file = names.iter().fold(Builder::new(), |file, name| file.tensor(Tensor::f32(name, &[8])));
            let spoken = Recipe::from(file).spoken();
            ["tensor-name-nul", "tensor-name-equal-at-nul", "tensor-name-duplicate"].map(|rule| spoken.contains(rule))
        };
        assert_eq!(spoken(["a\0x", "a"]), [false, true, false]);
        assert_eq!(spoken(["a\0x", "a\0y"]), [false, true, false]);
        assert_eq!(spoken(["a\0x", "a\0x"]), [true, false, true]);
        assert_eq!(spoken(["a\0x", "b"]), [true, false, false]);
    }
}
