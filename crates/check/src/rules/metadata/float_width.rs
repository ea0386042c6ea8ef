use ggufkit_format::{Element, KvPart, Payload, Value, shorten};

use super::kinds::{self, Misfit};
use crate::facts::Facts;
use crate::finding::{Change, Finding, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A known key holds a float of another width than loaders read.
    ///
    /// Every float that an engine reads from metadata is f32. llama.cpp compares the type exactly and refuses an f64 ("has
    /// wrong type f64 but expected type f32"), whatever the value; readers for Python and JavaScript take both, so the
    /// file looks right in viewers and does not load. Editors and scripts that write Python's `float` with its own 64
    /// bits produce such files.
    ///
    /// Write the number as f32. Where the f64 is not exactly an f32, as with 0.1, the nearest one is what a converter would
    /// have written in the first place.
    GG117 "float-width" Metadata Warning: "a known key holds a float of another width than loaders read"
        "已知键的浮点宽度与加载器读取的不同"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (record, info) in facts.known() {
        let Some(Misfit::Float(ty)) = kinds::misfit(record, info) else { continue };
        sink.add_as(&RULE, kinds::severity(facts, info), || {
            let (key, found) = (shorten(record.key().0, 80), kinds::found(record));
            let part = match record.kv.payload {
                Payload::Array(_) => KvPart::ElementType(Element::Whole),
                _ => KvPart::Type,
            };
            let message = format!("\"{key}\" is {found}, where {} is read", kinds::expected(info));
            let finding = Finding::new(&RULE, message, record.label(part).text(format!("{found}")))
                .note(kinds::consequence(facts, info));
            let scalar = match record.value() {
                Value::Scalar(scalar) => kinds::convert(scalar, ty.element()).map(|value| (scalar, value)),
                _ => None,
            };
            let Some((scalar, value)) = scalar else { return finding.help("write the numbers as f32") };
            let exact = value.as_float() == scalar.as_float();
            let (safety, title) = match exact {
                true => (Safety::Safe, format!("write the same number as {ty}")),
                false => (Safety::Unsafe, format!("write the nearest {ty}")),
            };
            finding.fix(safety, title, Change::SetScalar { index: record.index as u64, value })
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("llama.rope.freq_base", 10_000.0_f64).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("llama.rope.freq_base", 10_000.0_f32).kv("x.base", 0.5_f64).into()
}
