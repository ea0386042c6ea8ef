use ggufkit_format::spec::ValueType;
use ggufkit_format::{Element, KvPart, Payload, shorten};

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// An array holds arrays.
    ///
    /// The specification allows it to any depth, and llama.cpp does not: it refuses the whole file with "invalid GGUF
    /// type 9", as does everything built on its reader. gguf-py flattens all levels into one list and loses the shape;
    /// JavaScript readers stop at a small depth; some readers take the inner arrays for nothing and misread all that
    /// follows. No key that anybody reads needs more than one level.
    ///
    /// Write one flat array and the row length beside it, or a JSON string.
    GG113 "nested-array" Metadata Warning: "an array of arrays, which llama.cpp refuses"
        "数组的数组，llama.cpp 拒绝读取"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for record in facts.records() {
        let Payload::Array(array) = &record.kv.payload else { continue };
        if array.element_type != ValueType::ARRAY {
            continue;
        }
        sink.add(&RULE, || {
            let primary =
                record.label(KvPart::ElementType(Element::Whole)).text("the type of the elements is array");
            let message = format!("\"{}\" is an array of arrays", shorten(record.key().0, 80));
            Finding::new(&RULE, message, primary)
                .note("llama.cpp refuses the file (\"invalid GGUF type 9\"); gguf-py flattens it and loses the shape")
                .help("write a flat array with the row length in a key of its own, or a JSON string")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::Value;
    ggufkit_testkit::Builder::new()
        .kv("x.pairs", Value::nested([vec![1_u32, 2].into(), vec![3_u32].into()]))
        .into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("x.pairs", vec![1_u32, 2, 3]).into()
}
