//! What must hold of every judging, whatever the bytes are. Tests and the fuzzer call it.

use std::num::NonZeroUsize;

use ggufkit_check::{DataScan, File, Options, Report, Source, Subject, check, loaders, render, scan_data};
use ggufkit_format::{ByteStr, Options as ReadOptions, ReadAt, View, is_safe, parse};
use ggufkit_io::diagnose;
use ggufkit_testkit::sources::Memory;

/// Reads and judges the bytes as a file, weights too, and hands the report over.
pub(crate) fn judge<T>(bytes: &[u8], then: impl FnOnce(&Report, &Subject<'_>, &DataScan) -> T) -> T {
    let source = Memory::new(bytes);
    let read = ReadOptions::new().with_size(source.size());
    let outcome = parse(bytes, read);
    let diagnosis = diagnose(&source, read, &outcome, bytes).unwrap();
    let file = File {
        label: ByteStr(b"model.gguf"),
        file_name: Some("model.gguf"),
        size: source.size(),
        view: outcome.index.as_ref().map(|index| View::new(index, bytes)),
        error: outcome.error.as_ref(),
        diagnosis: &diagnosis,
        source: Some(&source as &Source),
    };
    let subject = Subject::single(&file);
    let scan = scan_data(&subject, NonZeroUsize::MIN, &|_| ());
    let report = check(&subject, &Options::default(), Some(&scan));
    then(&report, &subject, &scan)
}

/// Judges the bytes and holds the report against what is promised of every one.
pub(crate) fn judged(bytes: &[u8]) {
    judge(bytes, |report, subject, scan| {
        let size = bytes.len() as u64;
        for finding in &report.findings {
            for label in core::iter::once(&finding.primary).chain(&finding.secondary) {
                let rule = finding.rule.name;
                assert!(label.file < subject.files.len(), "{rule} points at a file that is not there");
                assert!(
                    label.span.start <= size || label.path.ends_with(".data"),
                    "{rule}: {:?}",
                    label.span
                );
            }
        }
        let places: Vec<_> = report.findings.iter().map(|f| (f.primary.file, f.primary.span.start)).collect();
        assert!(places.is_sorted(), "findings are in the order of the file");
        // A head that could not be read is never clean, and what was not read is said.
        if subject.files[0].error.is_some() {
            assert_eq!(report.worst(), Some(ggufkit_check::Severity::Error));
            assert!(!report.omissions.is_empty());
        }
        let mut text = render::full(report, subject, &render::plain);
        text.push_str(&render::concise(report, subject, &render::plain));
        text.push_str(&render::narrated(report, subject, &render::plain));
        text.push_str(&render::github(report, subject));
        if let Some(harm) = text.chars().find(|c| *c != '\n' && !is_safe(*c)) {
            panic!("{harm:?} would reach a terminal");
        }
        let sarif = (render::sarif_results(report, subject), render::sarif_notifications(report, subject));
        let json = serde_json::to_string(&(render::json(report, subject), sarif)).unwrap();
        serde_json::from_str::<serde_json::Value>(&json).unwrap();
        assert_eq!(loaders(subject).len(), ggufkit_check::Loader::ALL.len());
        assert_eq!(
            &check(subject, &Options::default(), Some(scan)),
            report,
            "the same bytes, the same report"
        );
    });
}
