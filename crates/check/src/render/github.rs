//! Findings as workflow commands, which GitHub shows as annotations of a run.
//!
//! Source: the workflow commands `error`, `warning` and `notice` of GitHub Actions. Data and properties are escaped as the
//! runner unescapes them.

use std::fmt::Write as _;

use ggufkit_format::is_safe;

use super::quoted;
use crate::report::Report;
use crate::rule::Severity;
use crate::subject::Subject;

/// One workflow command a finding.
#[must_use]
pub fn github(report: &Report, subject: &Subject<'_>) -> String {
    let mut out = String::new();
    for finding in &report.findings {
        let label = &finding.primary;
        let mut text = finding.message.clone();
        let _ = write!(text, "\nat {}, {}", label.span, label.path);
        if let Some(name) = &label.name {
            let _ = write!(text, " {}", quoted(name));
        }
        if !label.text.is_empty() {
            let _ = write!(text, ": {}", label.text);
        }
        for note in &finding.notes {
            let _ = write!(text, "\nnote: {note}");
        }
        for help in &finding.help {
            let _ = write!(text, "\nhelp: {help}");
        }
        let title = format!("{} {}", finding.rule.code, finding.rule.name);
        command(&mut out, finding.severity, subject.path(label.file), &title, &text);
    }
    for count in &report.left_out {
        let title = format!("{} {}", count.rule.code, count.rule.name);
        command(&mut out, count.severity, subject.path(0), &title, &format!("and {} more", count.more));
    }
    out
}

fn command(out: &mut String, severity: Severity, file: &[u8], title: &str, text: &str) {
    let word = match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let _ = writeln!(out, "::{word} file={},title={}::{}", path(file), property(title), data(text));
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// A path in a property. The runner undoes what it names (`%25`, `%0D`, `%0A`, `%3A`, `%2C`), and nothing else: what acts on
/// who reads the log is percent-encoded all the same, so that no other file's name comes out.
fn path(path: &[u8]) -> String {
    let mut out = String::with_capacity(path.len());
    let encode = |out: &mut String, bytes: &[u8]| {
        for byte in bytes {
            let _ = write!(out, "%{byte:02X}");
        }
    };
    for chunk in path.utf8_chunks() {
        for c in chunk.valid().chars() {
            match is_safe(c) && !matches!(c, '%' | ':' | ',') {
                true => out.push(c),
                false => encode(&mut out, c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        encode(&mut out, chunk.invalid());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_property_or_a_command_is_escaped() {
        let mut out = String::new();
        command(&mut out, Severity::Note, b"a,b:c%.gguf", "t", "50%\r\nof it::");
        assert_eq!(out, "::notice file=a%2Cb%3Ac%25.gguf,title=t::50%25%0D%0Aof it::\n");
        assert_eq!(path("模\u{202e}\n\\.gguf".as_bytes()), "模%E2%80%AE%0A\\.gguf");
        assert_eq!(path(b"\xff\xfe.gguf"), "%FF%FE.gguf");
    }
}
