use ggufkit_format::Reason;

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A position in the head does not fit in 64 bits.
    ///
    /// No file is that long, so a length or count is damaged or was made to harm. Readers that add without checking wrap
    /// around to a small number and read, or write, somewhere else: that is how a file gets a loader to leave its memory.
    /// It is met only where the file's length is not known, as on standard input; with a length the number is refused
    /// earlier, because the bytes are not there.
    ///
    /// Fetch the file again, and compare its checksum with the publisher's. Do not give it to a loader that is not known
    /// to check its arithmetic.
    GG011 "position-overflow" Container Error: "a position in the head does not fit in 64 bits"
        "头部中的某个位置超出 64 位"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (at, file, error) in super::broken(facts) {
        let Reason::Overflow { what } = error.reason() else { continue };
        sink.add(&RULE, || {
            let primary = super::error_label(at, file, error, super::length_bytes(file))
                .text("what this declares ends beyond 2^64 bytes");
            Finding::new(&RULE, format!("the {what} behind {} does not fit in 64 bits", error.path()), primary)
                .note("readers that do not check their arithmetic wrap around and read somewhere else")
                .help("the field is damaged or was made to harm: fetch the file again")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    let mut file = ggufkit_testkit::Builder::new().kv("tokens", vec!["a"]).build();
    file.set_u64("kv[0].value[0].length", u64::MAX - 8);
    crate::testing::Recipe::from(file.into_bytes()).unbounded()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("tokens", vec!["a"]).into()
}
