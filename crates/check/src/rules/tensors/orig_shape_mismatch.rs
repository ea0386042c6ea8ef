use ggufkit_format::{Element, KvPart, TensorPart, layout, shorten};

use super::recorded;
use crate::facts::{self, Facts};
use crate::finding::{Change, Finding, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// The recorded original shape of a tensor has another number of elements than the tensor.
    ///
    /// Converters for image and video models reshape tensors that fit no block, or that have five dimensions, and keep the real
    /// shape in the key `comfy.gguf.orig_shape.<tensor>`. ComfyUI-GGUF reshapes the tensor back while it loads; with another
    /// number of elements that fails, in the middle of loading and with an error from PyTorch. Tools that show the recorded
    /// shape show one that the tensor never had.
    ///
    /// Convert the model again. Where the tensor was replaced by an edit, remove the key or record the new shape.
    GG318 "orig-shape-mismatch" Tensors Warning: "a recorded shape does not fit its tensor"
        "记录的形状与张量不符"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (record, name, shape) in recorded::shapes(facts) {
        let Some(place) = facts.tensor(name) else { continue };
        let index = place.part.view.index();
        let Some(elements) = layout::element_count(index.dims(place.record)) else { continue };
        let product = shape.iter().try_fold(1_i128, |product, dim| product.checked_mul(*dim));
        if product == Some(elements.into()) && shape.iter().all(|dim| *dim >= 0) {
            continue;
        }
        sink.add(&RULE, || {
            let shown = shape.iter().map(i128::to_string).collect::<Vec<_>>().join(", ");
            let message = format!(
                "the recorded shape [{shown}] does not fit the {elements} elements of the tensor \"{}\"",
                shorten(name, 80)
            );
            let text = match product {
                Some(product) if product >= 0 => format!("{product} elements"),
                _ => "not a shape".to_owned(),
            };
            let (file, view) = (facts.file_of(place.file), place.part.view);
            let cause = match index.dims(place.record).is_empty() {
                true => facts.tensor_label(&place, TensorPart::DimCount),
                false => facts::shape_label(file, &view, place.index, place.record),
            };
            Finding::new(&RULE, message, record.label(KvPart::Value(Element::Whole)).text(text))
                .because(cause.text(format!("{elements} elements")))
                .note("ComfyUI-GGUF reshapes the tensor to the recorded shape and fails")
                .help("convert the model again, or record the shape that the tensor has")
                .fix(Safety::Unsafe, "remove the recorded shape", Change::RemoveKv { index: record.index as u64 })
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().kv("comfy.gguf.orig_shape.w", vec![5_i32, 5]).tensor(Tensor::f32("w", &[8])).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().kv("comfy.gguf.orig_shape.w", vec![2_i32, 4]).tensor(Tensor::f32("w", &[8])).into()
}
