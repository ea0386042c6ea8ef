use ggufkit_format::Reason;

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// The file does not follow the layout that it was read in with `--dialect`.
    ///
    /// The mis-written layouts differ from the format in single traits, such as a NUL after every string. Where a file was
    /// read in one of them and the trait is not there, the reader stands in the wrong place from then on, and whatever it
    /// showed would be invented. So it stops, and the rest was not examined.
    ///
    /// Read the file without `--dialect` first: a sound file needs none, and for a mis-written one the answer names the
    /// layout that fits. If none fits, the file is damaged at this place or was written by a program with mistakes of its
    /// own; `gguf hex` shows the bytes around it.
    GG014 "dialect-mismatch" Container Error: "the file does not follow the layout that it was read in"
        "文件不符合读取时指定的布局"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (at, file, error) in super::broken(facts) {
        let what = match error.reason() {
            Reason::MissingNul { found } => format!("{found:#04x} stands where the layout has a NUL"),
            Reason::Implausible { what } => format!("implausible {what}"),
            _ => continue,
        };
        sink.add(&RULE, || {
            let primary = super::error_label(at, file, error, 1).text(what);
            let message = format!("the file does not follow the layout {}", error.dialect());
            Finding::new(&RULE, message, primary)
                .note("the head was read in a layout that is not the format's; from here on it makes no sense")
                .help("read the file without --dialect: the answer names the layout that fits, if one does")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    let read = ggufkit_format::Options::new().with_dialect(ggufkit_format::Dialect::NUL_STRINGS);
    crate::testing::Recipe::from(ggufkit_testkit::Builder::new().kv("general.name", "sound")).read(read)
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("general.name", "sound").into()
}
