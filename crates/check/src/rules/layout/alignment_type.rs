use ggufkit_format::spec::ValueType;
use ggufkit_format::{Element, KvPart, Payload, Scalar};

use crate::facts::{self, Facts};
use crate::finding::{Change, Finding, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// `general.alignment` is an integer, but not of the type u32.
    ///
    /// The format fixes the type. llama.cpp checks it before it looks at the value and refuses the file (older releases
    /// aborted on an assertion); gguf-py raises a ValueError. Readers that take any integer load the file without a word,
    /// which is why such files get published. A u64 or i32 is what a writer gives that passes numbers on as they come.
    ///
    /// Write the same number as a u32. The data section's place follows from the number and from the head's length, so a
    /// program that changes the type has to lay the head out with care; the weights keep their values.
    GG204 "alignment-type" Layout Error: "general.alignment is not a u32"
        "general.alignment 不是 u32"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (at, file, view) in facts.views() {
        let Some((number, kv)) = super::alignment_kv(&view) else { continue };
        let Payload::Scalar(scalar) = &kv.payload else { continue };
        let Some(value @ 1..) = scalar.as_integer() else { continue };
        if kv.value_type == ValueType::UINT32 || file.diagnosis.dialect.is_some() {
            continue;
        }
        sink.add(&RULE, || {
            let primary = facts::kv_label(at, &view, number, kv, KvPart::Type)
                .text(format!("{}; u32 is expected", kv.value_type));
            let cause = facts::kv_label(at, &view, number, kv, KvPart::Value(Element::Whole));
            let message = format!("general.alignment is of type {}, not u32", kv.value_type);
            let finding = Finding::new(&RULE, message, primary)
                .because(cause.text(format!("the value is {value}")))
                .note("llama.cpp and gguf-py refuse the file because of the type, whatever the value");
            match u32::try_from(value) {
                Ok(value) => {
                    let change = Change::SetScalar { index: number as u64, value: Scalar::U32(value) };
                    finding.fix(Safety::Safe, format!("write {value} as a u32"), change)
                }
                Err(_) => finding.help("no u32 holds the value: lay the data section out anew"),
            }
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().kv("general.alignment", 32_i32).tensor(Tensor::f32("w", &[8])).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().kv("general.alignment", 32_u32).tensor(Tensor::f32("w", &[8])).into()
}
