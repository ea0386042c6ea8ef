use ggufkit_format::{Path, Span, TensorPart};

use crate::facts::{self, Facts, counted};
use crate::finding::Finding;
use crate::place;
use crate::rule::rule;
use crate::rules::layout::fate::{Fate, laid};
use crate::sink::Sink;

rule! {
    /// The head is whole, but the file ends before the data of its tensors does.
    ///
    /// A download or copy that stopped leaves such a file, and metadata tools accept it without a word. llama.cpp refuses
    /// it ("data is not within the file bounds, model is corrupted or incomplete"); gguf-py fails with an obscure shape
    /// error; a loader that maps the file without a check dies with a bus error in the middle of a computation.
    ///
    /// Compare the size with the publisher's, then resume the download or fetch the file again. A file that ends with its
    /// head is what programs fetch to look at a remote model: good for inspection, not for loading.
    GG015 "data-cut-short" Container Error: "the file ends before its tensor data does"
        "张量数据还没结束，文件就结束了"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for laid in laid(facts) {
        let Some(size) = laid.size else { continue };
        if laid.overflow.is_some() {
            continue;
        }
        let cut = || laid.extents.iter().zip(laid.fates).filter(|(_, fate)| **fate == Fate::Cut);
        let Some((first, _)) = cut().next() else { continue };
        let (view, index) = (laid.view, laid.view.index());
        let Some(tensor) = index.tensors().get(first.tensor) else { continue };
        sink.add(&RULE, || {
            let here = laid.data_start.saturating_add(first.offset);
            let end = |offset: u64, len: Option<u64>| {
                laid.data_start.saturating_add(offset).saturating_add(len.unwrap_or(0))
            };
            let wanted = cut().map(|(extent, _)| end(extent.offset, extent.len())).max().unwrap_or(size);
            let missing = counted(wanted.saturating_sub(size), "byte");
            let count = cut().count() as u64;
            let all = count == laid.extents.len() as u64 && size <= laid.data_start;
            let message = if all {
                format!("the file has no tensor data: it ends with its head, and {missing} are missing")
            } else {
                format!("the file ends before its tensor data does: {missing} are missing")
            };
            let mut primary = place::bytes_label(laid.at, Span::new(size, 0), &Path::Data)
                .text(format!("the file ends here, at {size} bytes"));
            primary.path = Path::tensor(first.tensor as u64, TensorPart::Data).to_string();
            primary.name = Some(view.name(tensor).0.to_vec());
            let cause = facts::tensor_label(laid.at, &view, first.tensor, tensor, TensorPart::Offset);
            let cause = cause.text(match first.len() {
                Some(len) => format!("its data is {} at {here:#x}", counted(len, "byte")),
                None => format!("its data begins at {here:#x}"),
            });
            let whole = match (count, laid.extents.len()) {
                (1, 1) => "the only tensor is not whole".to_owned(),
                (1, of) => format!("1 of {of} tensors is not whole"),
                (n, of) => format!("{n} of {of} tensors are not whole"),
            };
            Finding::new(&RULE, message, primary)
                .because(cause)
                .note(format!("the data ends at {wanted} bytes, the file has {size}; {whole}"))
                .note("llama.cpp refuses the file as corrupted or incomplete; loaders that do not check crash")
                .help("compare the size with the publisher's, and resume the download or fetch the file again")
        });
    }
}

#[cfg(test)]
fn whole() -> ggufkit_testkit::Builder {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("a.weight", &[8])).tensor(Tensor::f32("b.weight", &[8]))
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    let mut file = whole().build();
    let len = file.size() - 20;
    file.truncate(len);
    file.into_bytes().into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    whole().into()
}
