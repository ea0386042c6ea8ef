use ggufkit_format::{KvPart, is_safe, shorten};

use crate::facts::Facts;
use crate::finding::{Change, Finding, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A key holds characters that act on a terminal or cannot be seen.
    ///
    /// Escape sequences in a key are carried out by every tool that prints it as it stands, `gguf-dump` of gguf-py among
    /// them: they can clear the screen, set the clipboard, or show a link that leads elsewhere. Bidirectional controls
    /// and zero-width characters let a key look like another one, while every look-up misses it. Nobody types such a
    /// key: it is an attack, or a file that was damaged.
    ///
    /// Here they are shown escaped and do no harm. Do not print the file with other tools; rename or remove the key.
    GG105 "key-control-characters" Metadata Warning: "a key holds control or invisible characters"
        "键含有控制字符或不可见字符"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for record in facts.records() {
        let key = record.key();
        // NULs have a rule of their own.
        let odd = |text: &str| text.chars().any(|c| c != '\0' && !is_safe(c));
        if !key.0.utf8_chunks().any(|chunk| odd(chunk.valid())) {
            continue;
        }
        sink.add(&RULE, || {
            let primary = record.label(KvPart::Key).text("shown escaped above");
            let message = format!("the key \"{}\" holds control or invisible characters", shorten(key.0, 80));
            let finding = Finding::new(&RULE, message, primary)
                .note("tools that print it as it stands let it drive the terminal")
                .help("rename or remove the key, and ask where the file comes from");
            match key.to_str() {
                Some(text) => {
                    let clean: String = text.chars().filter(|c| is_safe(*c)).collect();
                    let change = Change::SetKey { index: record.index as u64, key: clean.into_bytes() };
                    finding.fix(Safety::Unsafe, "leave the characters out of the key", change)
                }
                None => finding,
            }
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("x.\x1b[2Jkey", 1_u32).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("x.[2Jkey", 1_u32).kv("x.é", 1_u32).kv("x\0", 1_u32).into()
}
