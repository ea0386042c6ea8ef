use ggufkit_format::Reason;

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A budget of this reader was met before the head's end, so the rest of the file was not examined.
    ///
    /// The budgets keep a file from costing more memory or time than a real model could: 1 GiB for a head or a string,
    /// 2^20 key-values and tensors, 2^30 elements of an array, arrays nested 16 deep. llama.cpp and gguf-py refuse strings
    /// and arrays above the same two numbers, and llama.cpp refuses every array of arrays. So hardly any sound file gets
    /// here; and what was not examined cannot be called clean.
    ///
    /// If the file is known to be that large, raise the budget with the option that the finding names. Otherwise take the
    /// number for damage, or for an attempt to exhaust a loader.
    GG012 "limit-met" Container Error: "a limit was met before the head's end"
        "还没读完头部就达到了某项限制"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (at, file, error) in super::broken(facts) {
        let Reason::Limit { what, value, limit, option } = error.reason() else { continue };
        sink.add(&RULE, || {
            let primary = super::error_label(at, file, error, super::length_bytes(file))
                .text(format!("{value} is over the limit of {limit}"));
            Finding::new(&RULE, format!("the {what} is {value}, over the limit of {limit}"), primary)
                .note("nothing from here on was examined")
                .help(format!("if the file is trusted, raise the limit with --{}", option.replace('_', "-")))
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    let mut read = ggufkit_format::Options::new();
    read.limits.max_string = 8;
    crate::testing::Recipe::from(good_file()).read(read)
}

#[cfg(test)]
fn good_file() -> ggufkit_testkit::Builder {
    ggufkit_testkit::Builder::new().kv("name", "longer than eight")
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    good_file().into()
}
