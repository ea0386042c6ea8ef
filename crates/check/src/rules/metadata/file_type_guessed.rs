use ggufkit_format::spec::{FileType, KeyInfo};
use ggufkit_format::{Element, KvPart, Payload, Scalar};

use crate::facts::Facts;
use crate::finding::{Change, Finding, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// `general.file_type` carries the mark that a loader sets when it guesses.
    ///
    /// Where the key is missing, llama.cpp guesses the recipe from the tensors and adds 1024 to the number, for its own
    /// use. In a file the mark says that some program wrote a loader's value back. llama.cpp understands it and prints
    /// "(guessed)"; tools that look the number up in a table (model hubs, catalogues, download pages) find nothing and show
    /// "unknown", or sort the file under no quantization.
    ///
    /// Take the mark off: the recipe stays the one that was guessed.
    GG121 "file-type-guessed" Metadata Note: "general.file_type carries a loader's mark"
        "general.file_type 带有加载器的标记"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let is_file_type = |info: &KeyInfo| info.pattern == "general.file_type";
    for (record, _) in facts.known().iter().filter(|(_, info)| is_file_type(info)) {
        let Payload::Scalar(Scalar::U32(number)) = record.kv.payload else { continue };
        let ty = FileType(number);
        if !ty.is_guessed() || ty.info().is_none() {
            continue;
        }
        sink.add(&RULE, || {
            let base = ty.base().0;
            let name = ty.info().map_or("", |info| info.short_name());
            let message = format!("general.file_type is {number}: {base} ({name}) with the mark for a guess");
            let primary = record.label(KvPart::Value(Element::Whole)).text(format!("1024 + {base}"));
            let change = Change::SetScalar { index: record.index as u64, value: Scalar::U32(base) };
            Finding::new(&RULE, message, primary)
                .note("tools that look the number up in a table do not find it")
                .fix(Safety::Safe, format!("write {base}"), change)
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("general.file_type", 1024_u32 + 15).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("general.file_type", 15_u32).into()
}
