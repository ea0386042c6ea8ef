use ggufkit_format::Reason;

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// The header's version is higher than 3, the newest that exists.
    ///
    /// llama.cpp ("this GGUF file is version X but this software only supports up to version 3") and gguf-py refuse the
    /// file. Readers that do not look at the version take what follows for the layout of version 3 and may show nonsense.
    /// Nothing behind the version was examined here: where the next field begins is not known.
    ///
    /// If the file comes from a tool that is newer than this program, update the program. If no such version exists yet,
    /// the four bytes are damaged: compare the file's checksum with the publisher's and download it again.
    GG004 "unsupported-version" Container Error: "the version is newer than any that is known"
        "版本号比所有已知版本都新"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (at, file, error) in super::broken(facts) {
        let Reason::BadVersion { found: found @ 1.. } = error.reason() else { continue };
        sink.add(&RULE, || {
            let primary = super::error_label(at, file, error, 4).text("1, 2 or 3 is expected here");
            Finding::new(&RULE, format!("version {found} is not supported; 1, 2 and 3 are"), primary)
                .note("llama.cpp and gguf-py refuse every version but 2 and 3")
                .help("update this program if the file is from a newer tool; otherwise fetch the file again")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().version(4).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().version(3).into()
}
