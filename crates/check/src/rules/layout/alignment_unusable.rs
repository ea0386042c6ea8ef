use ggufkit_format::{Element, KvPart, Payload, Reason};

use crate::facts::{self, Facts};
use crate::finding::{Change, Finding, Safety};
use crate::rule::rule;
use crate::rules::container;
use crate::sink::Sink;

rule! {
    /// `general.alignment` is 0, negative, or no integer at all, so the data section cannot be located.
    ///
    /// The section begins at the next multiple of the alignment behind the tensor table; with such a value there is none.
    /// llama.cpp and gguf-py refuse the file. Readers that divide by the value without a look crash: a zero here was the
    /// subject of several advisories (Ollama, candle, gguf-tools).
    ///
    /// Find out what the writer laid the data out to, in nearly every case 32, and set the key to that as a u32. A wrong
    /// guess shifts every weight, so compare a tensor's first bytes with the original. Where nothing is known about the
    /// file's origin, fetch it again instead.
    GG201 "alignment-unusable" Layout Error: "general.alignment cannot be used"
        "general.alignment 无法使用"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (at, file, error) in container::broken(facts) {
        let Reason::BadAlignment { value_type, value } = error.reason() else { continue };
        sink.add(&RULE, || {
            let message = match value {
                Some(value) => format!("general.alignment is {value}: the data section cannot be located"),
                None => format!("general.alignment is of type {value_type}, not an integer: the data section cannot be located"),
            };
            let kv = file.view.and_then(|view| Some((view, super::alignment_kv(&view)?)));
            let label = match kv {
                Some((view, (index, kv))) => {
                    facts::kv_label(at, &view, index, kv, KvPart::Value(Element::Whole))
                }
                None => container::error_label(at, file, error, 4),
            };
            let finding = Finding::new(&RULE, message, label.text("a power of two is expected here"))
                .note("llama.cpp and gguf-py refuse the file; readers that divide by the value crash")
                .help("set it, as a u32, to what the data was laid out to: 32 unless the writer says otherwise");
            match kv {
                Some((_, (index, _))) => {
                    let change = Change::RemoveKv { index: index as u64 };
                    finding.fix(Safety::Unsafe, "remove the key, so that the default of 32 counts", change)
                }
                None => finding,
            }
        });
    }
    // Without tensors nothing has to be located, and the reading goes on.
    for (at, _, view) in facts.views() {
        let index = view.index();
        let Some((number, kv)) = super::alignment_kv(&view).filter(|_| index.is_complete()) else { continue };
        let whole = matches!(&kv.payload, Payload::Scalar(scalar) if scalar.as_integer().is_some());
        if whole {
            continue;
        }
        sink.add(&RULE, || {
            let label = facts::kv_label(at, &view, number, kv, KvPart::Value(Element::Whole));
            let message = format!("general.alignment is of type {}, not an integer", kv.value_type);
            Finding::new(&RULE, message, label.text("a u32 is expected here"))
                .note("there is no tensor to align; llama.cpp and gguf-py refuse the file all the same")
                .fix(
                    Safety::Safe,
                    "remove the key, so that the default of 32 counts",
                    Change::RemoveKv { index: number as u64 },
                )
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().kv("general.alignment", 0_u32).tensor(Tensor::f32("w", &[8])).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().alignment(64).tensor(Tensor::f32("w", &[8])).into()
}
