use super::{position, spot_label, title};
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A chat template holds characters that are not seen, or that turn the text around.
    ///
    /// Zero-width characters, bidirectional controls and tag characters take no place on a screen, and a tokenizer reads
    /// them all the same. They hide instructions from whoever looks the template over (tag characters spell out ASCII
    /// letters), make two words look alike that differ, or show lines in another order than they run. Joiners between
    /// letters of a script that needs them, and inside emoji, are not reported.
    ///
    /// `gguf template FILE` shows each of them as `\u{…}`. Remove them, unless the original model has them.
    GG611 "template-hidden-text" Templates Warning: "a chat template holds characters that are not seen"
        "对话模板含有看不见的字符"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if !sink.wants(&RULE) {
        return;
    }
    for (template, issues) in &facts.templates().judged {
        let hidden = &issues.hidden;
        let Some((spot, c)) = hidden.first() else { continue };
        sink.add(&RULE, || {
            let message = match hidden.count() {
                1 => format!("{} holds U+{:04X}, which is not seen", title(template), u32::from(*c)),
                n => format!("{} holds {n} characters that are not seen", title(template)),
            };
            let finding = Finding::new(&RULE, message, spot_label(facts, template, spot));
            let list = hidden.list(|(spot, c)| format!("U+{:04X} ({})", u32::from(*c), position(template, spot.at)));
            let finding = if hidden.count() == 1 { finding } else { finding.note(format!("they are {list}")) };
            let finding = match hidden.kept().iter().any(|(_, c)| matches!(c, '\u{e0020}'..='\u{e007e}')) {
                true => finding.note("tag characters spell letters: a message that only the model reads"),
                false => finding,
            };
            finding
                .note("the tokenizer reads them, a person who looks the template over does not")
                .help("`gguf template FILE` shows them as escapes; remove them unless the original model has them")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipe("You are helpful.\u{e0073}\u{e0061}\u{e0079}\u{200b} {{ messages }}")
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    // A family emoji, and Persian with a joiner that keeps letters apart.
    super::recipe("\u{1f468}\u{200d}\u{1f469} \u{645}\u{6cc}\u{200c}\u{62e} <\u{ff5c}User\u{ff5c}> {{ messages }}")
}
