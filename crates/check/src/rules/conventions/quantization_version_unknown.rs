use ggufkit_format::{Element, KvPart, Scalar};
use ggufkit_format::spec::ValueType;

use crate::facts::Facts;
use crate::finding::{Change, Finding, Safety};
use crate::rule::{Severity, rule};
use crate::sink::Sink;

rule! {
    /// `general.quantization_version` is not 2.
    ///
    /// Version 1 means the block layouts from before May 2023, when Q4, Q5 and Q8 blocks were laid out otherwise; no GGUF
    /// file was written with them. A number above 2 would mean layouts that no reader knows yet. A loader that goes by
    /// the key refuses the file; llama.cpp ignores it and reads the blocks as version 2. Where no tensor is quantized, the
    /// number means nothing, and this is a note.
    ///
    /// It is nearly always a slip: the version of the model or of the file was written here. If the file runs in llama.cpp
    /// and gives sensible text, the blocks are version 2: write 2.
    GG417 "quantization-version-unknown" Conventions Warning: "general.quantization_version is not 2"
        "general.quantization_version 不是 2"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let Some(place) = facts.key("general.quantization_version") else { return };
    let Some(version) = facts.u64("general.quantization_version").filter(|version| *version != 2) else { return };
    let quantized = facts
        .rows()
        .any(|at| at.tensor.tensor_type.info().is_some_and(|info| info.is_quantized()));
    let severity = if quantized { Severity::Warning } else { Severity::Note };
    sink.add_as(&RULE, severity, || {
        let primary = facts.kv_label(&place, KvPart::Value(Element::Whole)).text("not 2");
        let finding = Finding::new(&RULE, format!("general.quantization_version is {version}"), primary)
            .note("blocks of GGUF files are of version 2; llama.cpp reads them so whatever the key says")
            .help("write 2 if the model gives sensible text in llama.cpp");
        if place.record.value_type == ValueType::UINT32 {
            let change = Change::SetScalar { index: place.index as u64, value: Scalar::U32(2) };
            return finding.fix(Safety::Unsafe, "write 2", change);
        }
        finding
    });
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("general.quantization_version", 3_u32)
        .tensor(ggufkit_testkit::Tensor::new("blk.0.ffn_up.weight", 8, &[32]))
        .into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("general.quantization_version", 2_u32).into()
}
