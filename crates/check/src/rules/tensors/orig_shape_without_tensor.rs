use ggufkit_format::{KvPart, shorten};

use super::recorded;
use crate::facts::Facts;
use crate::finding::{Change, Finding, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A shape is recorded for a tensor that is not in the file.
    ///
    /// The key `comfy.gguf.orig_shape.<tensor>` names the tensor that the converter had to reshape. Where no tensor has that
    /// name, it was renamed or removed without the key. A removed tensor does no harm; a renamed one does: ComfyUI-GGUF does not
    /// find its shape under the new name, leaves it as it is stored, and the model fails when the tensor does not fit its
    /// layer.
    ///
    /// If the tensor was renamed, rename the key as well; if it was removed, remove the key.
    GG319 "orig-shape-without-tensor" Tensors Warning: "a shape is recorded for a tensor that is absent"
        "为不存在的张量记录了形状"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if !facts.is_complete() {
        return;
    }
    for (record, name, _) in recorded::shapes(facts) {
        if facts.tensor(name).is_some() {
            continue;
        }
        sink.add(&RULE, || {
            let message = format!("a shape is recorded for the tensor \"{}\", which is absent", shorten(name, 80));
            Finding::new(&RULE, message, record.label(KvPart::Key).text("no tensor has this name"))
                .note("if the tensor was renamed, ComfyUI-GGUF does not find its original shape")
                .help("rename the key with its tensor")
                .fix(Safety::Unsafe, "remove the key", Change::RemoveKv { index: record.index as u64 })
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().kv("comfy.gguf.orig_shape.old", vec![2_i32, 4]).tensor(Tensor::f32("new", &[8])).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().kv("comfy.gguf.orig_shape.w", vec![2_i32, 4]).tensor(Tensor::f32("w", &[8])).into()
}
