use ggufkit_format::Reason;

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A key-value, or an array's elements, have a type that the format does not define.
    ///
    /// Ids 0 to 12 are defined. The length of a value follows from its type, so with an unknown one nothing behind it can
    /// be located: neither the other keys nor the tensors. llama.cpp ("invalid GGUF type") and gguf-py refuse the file.
    ///
    /// Mostly the bytes before this field are at fault: a string or array that is longer or shorter than its length says,
    /// so that the reader stands in the middle of something else. Look at the record before it with `gguf hex`. A writer
    /// with a numbering of its own is the other cause; the file has to be written again.
    GG010 "unknown-value-type" Container Error: "a value has a type that the format does not define"
        "某个值的类型不在格式定义之中"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (at, file, error) in super::broken(facts) {
        let Reason::UnknownValueType { id, element } = error.reason() else { continue };
        sink.add(&RULE, || {
            let what = if *element { "array element type" } else { "value type" };
            let primary =
                super::error_label(at, file, error, 4).text(format!("{id}; types 0 to 12 are defined"));
            Finding::new(&RULE, format!("the {what} {id} is not defined"), primary)
                .note("the value's length is unknown, so nothing behind it can be located; loaders refuse the file")
                .help("look at the record before it: a wrong length there puts a reader in the wrong place")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    let mut file = ggufkit_testkit::Builder::new().kv("llama.block_count", 2_u32).build();
    file.set_u64("kv[0].type", 13);
    file.into_bytes().into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("llama.block_count", 2_u64).into()
}
