use ggufkit_format::{KvPart, Payload, Value, shorten};

use super::kinds::{self, Misfit};
use crate::facts::Facts;
use crate::finding::{Change, Finding, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A known key holds an integer of another width or sign than loaders read.
    ///
    /// The specification lets counts be any unsigned integer and asks readers to accept them all. llama.cpp does not: it
    /// compares the type of a scalar exactly, so `llama.context_length` as u64 is a valid file that does not load ("has
    /// wrong type u64 but expected type u32"). Of arrays it takes i32 for u32 and the reverse, and no other width; older
    /// versions read arrays of narrow integers beyond their end.
    ///
    /// Write the usual type. Metadata editors that guess types from the value (as Python's `int`) are the common cause.
    GG116 "integer-width" Metadata Warning: "a known key holds an integer of another type than loaders read"
        "已知键的整数类型与加载器读取的不同"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (record, info) in facts.known() {
        let Some(Misfit::Integer(ty)) = kinds::misfit(record, info) else { continue };
        let scalar = match record.value() {
            Value::Scalar(scalar) => Some(scalar),
            _ => None,
        };
        // A negative number is another fault.
        if scalar.and_then(|scalar| scalar.as_integer()).is_some_and(|number| number < 0) {
            continue;
        }
        sink.add_as(&RULE, kinds::severity(facts, info), || {
            let (key, found) = (shorten(record.key().0, 80), kinds::found(record));
            let part = match record.kv.payload {
                Payload::Array(_) => KvPart::ElementType(ggufkit_format::Element::Whole),
                _ => KvPart::Type,
            };
            let message = format!("\"{key}\" is {found}, where {} is read", kinds::expected(info));
            let finding = Finding::new(&RULE, message, record.label(part).text(format!("{found}")))
                .note(kinds::consequence(facts, info));
            let Some(scalar) = scalar else {
                return finding
                    .note("older versions of llama.cpp read narrow arrays beyond their end")
                    .help(format!("write the array as {ty}"));
            };
            match kinds::convert(scalar, ty.element()) {
                Some(value) => {
                    let change = Change::SetScalar { index: record.index as u64, value };
                    finding.fix(Safety::Safe, format!("write the same number as {ty}"), change)
                }
                None => finding.help(format!("the number does not fit in {ty}: is it the one that was meant?")),
            }
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("llama.context_length", 4096_u64).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new()
        .kv("llama.context_length", 4096_u32)
        .kv("llama.attention.head_count", vec![8_i32, 8])
        .kv("llama.block_count", -1_i32)
        .kv("x.context", 4096_u64)
        .into()
}
