//! The file as a container: magic, version, counts, truncation, what stands behind the data.

use ggufkit_format::identify::Identity;
use ggufkit_format::{ParseError, Span};

use crate::facts::Facts;
use crate::finding::Label;
use crate::rule::family;
use crate::subject::File;

family![
    not_gguf,
    bad_magic,
    unexpected_end,
    unsupported_version,
    version_zero,
    early_version,
    big_endian,
    early_big_endian,
    declared_too_large,
    unknown_value_type,
    position_overflow,
    limit_met,
    mis_written_layout,
    dialect_mismatch,
    data_cut_short,
    trailing_bytes,
    joined_files,
];

/// Files whose reading ended inside the head, and of which nothing else is known that explains it: neither that they are
/// no GGUF at all, nor that they follow another layout.
pub(super) fn broken<'a>(
    facts: &Facts<'a>,
) -> impl Iterator<Item = (usize, &'a File<'a>, &'a ParseError)> + use<'a> {
    facts.files().iter().enumerate().filter_map(|(at, file)| {
        let foreign = file.view.is_none() && file.diagnosis.identity.is_some();
        let explained = foreign || file.diagnosis.dialect.is_some();
        Some((at, file, file.error?)).filter(|_| !explained)
    })
}

/// A label where a reading ended, over `len` bytes as far as the file has them.
pub(super) fn error_label(at: usize, file: &File<'_>, error: &ParseError, len: u64) -> Label {
    let there = file.size.map_or(len, |size| size.saturating_sub(error.offset()));
    Label {
        file: at,
        span: Span::new(error.offset(), len.min(there)),
        path: error.path().to_string(),
        name: error.name().map(<[u8]>::to_vec),
        text: String::new(),
    }
}

/// The bytes of a length or count in a file: 4 in version 1, 8 after it.
fn length_bytes(file: &File<'_>) -> u64 {
    file.view.map_or(8, |view| view.index().header().length_bytes())
}

/// Whether a file that does not begin as a GGUF was one before something was done to its bytes.
fn was_gguf(identity: &Identity) -> bool {
    matches!(
        identity,
        Identity::GgufAfter { .. }
            | Identity::ByteSwappedMagic { .. }
            | Identity::Utf16 { gguf: true }
            | Identity::Base64Gguf
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

    use ggufkit_format::spec::ValueType;
    use ggufkit_format::{HeaderPart, ParseError, Path, Reason};
    use ggufkit_io::Diagnosis;

    use crate::{Family, File, Options, Severity, Subject, check};

    /// Every reason that ends a reading.
    fn reasons() -> Vec<Reason> {
        vec![
            Reason::UnexpectedEnd { needed: 8, remaining: 2 },
            Reason::TooLarge { what: "count", declared: 9, needed: 9, remaining: 2 },
            Reason::BadMagic { found: *b"GGUX" },
            Reason::BadVersion { found: 0 },
            Reason::BadVersion { found: 4 },
            Reason::UnknownValueType { id: 99, element: false },
            Reason::BadAlignment { value_type: ValueType::UINT32, value: Some(0) },
            Reason::BadAlignment { value_type: ValueType::ARRAY, value: None },
            Reason::Overflow { what: "position" },
            Reason::MissingNul { found: 7 },
            Reason::Implausible { what: "key" },
            Reason::Limit { what: "length", value: 9, limit: 8, option: "max_string" },
        ]
    }

    #[test]
    fn whatever_ends_a_reading_is_an_error_of_exactly_one_rule() {
        for reason in reasons() {
            let error = ParseError::new(4, Path::Header(HeaderPart::Version), reason.clone());
            let diagnosis = Diagnosis::default();
            let file = File {
                label: ggufkit_format::ByteStr(b"model.gguf"),
                file_name: None,
                size: Some(64),
                view: None,
                error: Some(&error),
                diagnosis: &diagnosis,
                source: None,
            };
            let report = check(&Subject::single(&file), &Options::default(), None);
            let errors: Vec<_> = (report.findings.iter())
                .filter(|finding| finding.severity == Severity::Error)
                .filter(|finding| matches!(finding.rule.family, Family::Container | Family::Layout))
                .map(|finding| finding.rule.name)
                .collect();
            assert_eq!(errors.len(), 1, "{reason:?}: {errors:?}");
        }
    }

    /// A file with something of everything.
    fn rich() -> ggufkit_testkit::Builder {
        use ggufkit_testkit::{Builder, Tensor};
        let file = Builder::new().kv("general.architecture", "llama").alignment(64);
        let file = file.kv("tokens", vec!["a", "b"]).kv("split.no", 0_u16).kv("split.count", 1_u16);
        file.tensor(Tensor::f32("a.weight", &[5, 2])).tensor(Tensor::new("b.weight", 2, &[64]))
    }

    /// Judges a damaged file; what ended its reading must be an error.
    fn holds(bytes: Vec<u8>, what: &str) {
        crate::testing::Recipe::from(bytes).judge(&Options::default(), |report, subject| {
            let ended = subject.files.iter().any(|file| file.error.is_some());
            assert!(!ended || report.worst() == Some(Severity::Error), "{what}");
            let text = crate::render::full(report, subject, &crate::render::plain);
            assert!(!text.chars().any(|c| c != '\n' && c.is_control()), "{what}: {text:?}");
        });
    }

    #[test]
    fn a_file_cut_anywhere_is_an_error() {
        let whole = rich().bytes();
        let data = whole.len() - 28;
        for len in 0..data {
            let bytes = whole.get(..len).unwrap().to_vec();
            crate::testing::Recipe::from(bytes).judge(&Options::default(), |report, _| {
                assert_eq!(report.worst(), Some(Severity::Error), "cut at {len}");
            });
        }
    }

    #[test]
    fn any_damaged_byte_is_judged() {
        let whole = rich().bytes();
        for at in 0..whole.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut bytes = whole.clone();
                *bytes.get_mut(at).unwrap() = value;
                holds(bytes, &format!("byte {at} is {value}"));
            }
        }
    }
}
