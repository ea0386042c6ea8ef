use ggufkit_format::layout::PLAUSIBLE_SIZE;
use ggufkit_format::Reason;

use crate::facts::{self, Facts};
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A length or count is larger than the bytes that are left could hold.
    ///
    /// A string of 2^63 bytes or 2^40 array elements in a file of a few megabytes cannot be there. Readers that believe
    /// the number allocate for it, or multiply it until it wraps; a dozen advisories about GGUF loaders are of this kind.
    /// Current llama.cpp checks the number against the file's length and refuses.
    ///
    /// Where the number is moderate, the file was cut: compare the size with the publisher's and fetch it again. Where it
    /// is absurd, the field is damaged or was made to harm: do not give the file to a loader that does not check. Nothing
    /// behind the field could be located.
    GG009 "declared-too-large" Container Error: "a length or count is larger than what is left of the file"
        "某个长度或计数超过了文件剩余的部分"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (at, file, error) in super::broken(facts) {
        let Reason::TooLarge { what, declared, needed, remaining } = error.reason() else { continue };
        sink.add(&RULE, || {
            let left = facts::counted(*remaining, "byte");
            let text = match needed {
                &u64::MAX => format!("this takes more than 2^64 bytes; the file has {left} more"),
                needed if needed == declared => format!("the file has {left} more"),
                needed => format!("this takes at least {needed} bytes; the file has {left} more"),
            };
            let primary = super::error_label(at, file, error, super::length_bytes(file)).text(text);
            let message = format!("the {what} {declared} of {} does not fit in the file", error.path());
            let finding = Finding::new(&RULE, message, primary)
                .note("loaders that trust the number allocate for it or compute past the file's end");
            match (needed, error.help()) {
                (PLAUSIBLE_SIZE.., _) => finding.help("no file is so long: the field is damaged or was made to harm"),
                (_, Some(help)) => finding.help(help),
                (_, None) => finding,
            }
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    let mut file = ggufkit_testkit::Builder::new().kv("general.name", "long").build();
    file.set_u64("kv[0].value.length", 1 << 63);
    file.into_bytes().into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("general.name", "long").into()
}
