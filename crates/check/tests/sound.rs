//! Sound models are left in peace: no finding above a note. Whatever is excepted is listed here, with the reason.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[allow(dead_code, reason = "each test uses its part")]
mod judged;

use ggufkit_check::Severity;
use ggufkit_testkit::corpus;

/// Files of the collection that deserve a warning, with the rule and why it is right to give one.
const DESERVED: &[(&str, &str)] = &[];

#[test]
fn no_sound_file_has_a_finding_above_a_note() {
    let mut files = corpus::files(&corpus::workspace().join("samples"), "gguf");
    assert!(!files.is_empty());
    files.extend(corpus::shared_files("corpus", "published vocabularies are sound").into_iter().flatten());
    for file in files {
        judged::judge(&file.bytes, |report, _, _| {
            for finding in report.findings.iter().filter(|finding| finding.severity > Severity::Note) {
                let excepted = DESERVED.contains(&(file.name.as_str(), finding.rule.name));
                assert!(excepted, "{}: {} {}", file.name, finding.rule.name, finding.message);
            }
        });
    }
}
