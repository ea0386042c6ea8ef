use ggufkit_format::HeaderPart;
use ggufkit_inspect::summary::Kind;

use crate::facts::Facts;
use crate::finding::Finding;
use crate::place;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// An importance matrix lacks one of its three keys.
    ///
    /// `imatrix.datasets`, `imatrix.chunk_count` and `imatrix.chunk_size` say from what text the matrix was measured, and how
    /// much of it. llama.cpp's quantizer refuses an importance matrix without any of them ("missing imatrix metadata"), and
    /// two matrices cannot be merged.
    ///
    /// Matrices that were copied from the old `.dat` form by hand look like this. `llama-imatrix --in-file old.dat
    /// -o new.gguf` converts them; a matrix without a known source should be measured anew.
    GG809 "imatrix-key-missing" Kinds Error: "an importance matrix lacks a key"
        "重要性矩阵缺少键"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if facts.kind() != Kind::Imatrix || !facts.is_complete() {
        return;
    }
    let Some((file, _, view)) = facts.views().next() else { return };
    for key in ["imatrix.datasets", "imatrix.chunk_count", "imatrix.chunk_size"] {
        if facts.key(key).is_some() {
            continue;
        }
        sink.add(&RULE, || {
            let label = place::header_label(file, view.index().header(), HeaderPart::KvCount);
            Finding::new(&RULE, format!("the key {key} is missing"), label.text("it is not among these keys"))
                .note("llama.cpp's quantizer refuses the importance matrix")
                .help("convert or measure the matrix anew with llama-imatrix")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    crate::testing::Tiny::imatrix().without_key("imatrix.chunk_size").into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    crate::testing::Tiny::imatrix().into()
}
