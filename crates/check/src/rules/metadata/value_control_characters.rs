use ggufkit_format::{Element, KvPart, Value, is_safe, shorten};

use crate::facts::Facts;
use crate::finding::{Change, Finding, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A text that describes the model holds escape sequences, or characters that turn the direction of text.
    ///
    /// Values under `general.` are shown by every tool: llama.cpp prints them while it loads, model managers list them.
    /// Escape sequences in them are carried out by the terminal (clear the screen, set the title or the clipboard, show a
    /// link that leads elsewhere), and bidirectional controls make `exe.png` of what ends in `gnp.exe`. Line feeds, tabs
    /// and zero-width characters, which honest texts hold too, are not meant.
    ///
    /// Here they are shown escaped. Take them out, and ask where the file comes from.
    GG111 "value-control-characters" Metadata Warning: "a describing text holds control characters"
        "说明文字含有控制字符"
}

fn harmful(c: char) -> bool {
    match c {
        '\n' | '\r' | '\t' | '\0' => false,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control(),
    }
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for record in facts.records().filter(|record| record.key().0.starts_with(b"general.")) {
        let Value::String(value) = record.value() else { continue };
        if !value.0.utf8_chunks().any(|chunk| chunk.valid().chars().any(harmful)) {
            continue;
        }
        sink.add(&RULE, || {
            let key = shorten(record.key().0, 80);
            let primary = record.label(KvPart::Value(Element::Whole)).text("shown escaped above");
            let message = format!("the value of \"{key}\" holds control characters: \"{}\"", shorten(value.0, 60));
            let finding = Finding::new(&RULE, message, primary)
                .note("tools that print it as it stands let it drive the terminal");
            match value.to_str() {
                Some(text) => {
                    let kept = |c: &char| is_safe(*c) || matches!(c, '\n' | '\r' | '\t');
                    let bytes = text.chars().filter(kept).collect::<String>().into_bytes();
                    let change = Change::SetString { index: record.index as u64, bytes };
                    finding.fix(Safety::Unsafe, "leave the characters out of the value", change)
                }
                None => finding,
            }
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("general.name", "tiny\x1b]0;owned\x07").into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new()
        .kv("general.name", "tiny]0;owned")
        .kv("general.description", "first\nsecond\tline, zero\u{200b}width")
        .into()
}
