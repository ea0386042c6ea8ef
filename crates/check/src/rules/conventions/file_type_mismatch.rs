use ggufkit_format::spec::FileType;
use ggufkit_format::{Element, KvPart, shorten};
use ggufkit_inspect::summary::Kind;

use crate::facts::Facts;
use crate::finding::{Change, Finding, Safety};
use crate::rule::{Severity, rule};
use crate::sink::Sink;

rule! {
    /// `general.file_type` names another quantization than the tensors have.
    ///
    /// No loader depends on the key: each tensor has its own type. But listings, download pages and file names are made
    /// from it, so people choose by it and plan memory by it. The matrices of the layers are compared, by bytes; embedding
    /// and output have types of their own in every recipe.
    ///
    /// It is a warning where a file that claims to be unquantized is quantized, or the other way round. Mixes that were
    /// chosen tensor by tensor ("dynamic" quants) name the nearest recipe, and gpt-oss keeps its experts in MXFP4 in every
    /// file: those are notes. Write the id of the recipe that the tensors resemble.
    GG418 "file-type-mismatch" Conventions Note: "general.file_type is not what the tensors are"
        "general.file_type 与张量的实际类型不符"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if !facts.is_complete() || facts.kind() != Kind::Model {
        return;
    }
    let Some(place) = facts.key("general.file_type") else { return };
    if !sink.wants(&RULE) {
        return;
    }
    let Some(quantization) = facts.survey().and_then(|survey| survey.quantization()) else { return };
    let Some(text) = quantization.disagreement.filter(|_| quantization.agrees == Some(false)) else { return };
    sink.add(&RULE, || {
        let stated = facts.u64("general.file_type").and_then(|id| u32::try_from(id).ok()).map(FileType);
        let plain = |name: &str| matches!(name, "F32" | "F16" | "BF16" | "F64");
        let claims_plain = stated.and_then(|ty| ty.base().short_name()).is_some_and(plain);
        let dominant = quantization.dominant.as_deref().unwrap_or_default();
        let apart = claims_plain != plain(dominant) && dominant != "MXFP4";
        let primary = facts.kv_label(&place, KvPart::Value(Element::Whole)).text("this recipe");
        let text = shorten(text.as_bytes(), 240);
        let finding = Finding::new(&RULE, text, primary)
            .severity(if apart { Severity::Warning } else { Severity::Note })
            .note("loaders go by each tensor's type; listings and people go by this key");
        let resembles = quantization.resembles.as_deref();
        let Some(name) = resembles else { return finding.help("write the id of the recipe that was used") };
        let finding = finding.help(format!("the tensors resemble {name}"));
        match (FileType::from_name(name), place.record.value_type) {
            (Some(ty), ggufkit_format::spec::ValueType::UINT32) => finding.fix(
                Safety::Unsafe,
                format!("write {} ({name})", ty.0),
                Change::SetScalar { index: place.index as u64, value: ggufkit_format::Scalar::U32(ty.0) },
            ),
            _ => finding,
        }
    });
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    crate::testing::Tiny::llama().key("general.file_type", 7_u32).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    crate::testing::Tiny::llama().key("general.file_type", 0_u32).into()
}
