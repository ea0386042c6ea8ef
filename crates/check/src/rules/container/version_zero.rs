use ggufkit_format::Reason;

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// The header's version is 0, which no GGUF ever had.
    ///
    /// Readers that tell the byte order by the version's low 16 bits being zero take such a file for one of the other byte
    /// order: llama.cpp then speaks of a mismatch between host and model, which is misleading. It is neither; the field
    /// was not written, or was overwritten.
    ///
    /// A writer that fills the header in at the end and was interrupted leaves such a file, with zero counts too. Write or
    /// convert it again; a download is fetched again. The metadata behind the header may still be there, but what the
    /// counts say cannot be relied on.
    GG005 "version-zero" Container Error: "the version is 0"
        "版本号为 0"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (at, file, error) in super::broken(facts) {
        let Reason::BadVersion { found: 0 } = error.reason() else { continue };
        sink.add(&RULE, || {
            let primary = super::error_label(at, file, error, 4).text("1, 2 or 3 is expected here");
            Finding::new(&RULE, "the version is 0, which is not a GGUF version", primary)
                .note("this is no matter of byte order: 0 is 0 in both")
                .help("the writer did not finish, or the header was overwritten: convert or fetch the file again")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().version(0).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().version(2).into()
}
