use super::{position, spot_label, title};
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A chat template holds control characters other than tabs and line ends.
    ///
    /// Printed as it is, such a template drives the terminal: ESC begins sequences that move the cursor, recolour or erase
    /// what stands there, so that the text that is seen is not the text that runs. A NUL ends the template for every
    /// loader that keeps C strings, llama.cpp among them, and what follows is lost. The tokenizer turns the others into
    /// tokens that no training text had there.
    ///
    /// Remove them. A template that needs such a character writes it as an escape inside a string, where it is seen.
    GG612 "template-control-character" Templates Warning: "a chat template holds control characters"
        "对话模板含有控制字符"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if !sink.wants(&RULE) {
        return;
    }
    for (template, issues) in &facts.templates().judged {
        let controls = &issues.controls;
        let Some((spot, c)) = controls.first() else { continue };
        sink.add(&RULE, || {
            let message = match controls.count() {
                1 => format!("{} holds the control character U+{:04X}", title(template), u32::from(*c)),
                n => format!("{} holds {n} control characters", title(template)),
            };
            let finding = Finding::new(&RULE, message, spot_label(facts, template, spot));
            let list = controls.list(|(spot, c)| format!("U+{:04X} ({})", u32::from(*c), position(template, spot.at)));
            let finding = if controls.count() == 1 { finding } else { finding.note(format!("they are {list}")) };
            let finding = match controls.kept().iter().any(|(_, c)| *c == '\0') {
                true => finding.note("loaders that keep C strings end the template at the NUL"),
                false => finding,
            };
            finding
                .note("printed as it is, the template can drive a terminal and hide what it says")
                .help("remove them; `gguf template FILE` shows them as escapes")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipe("{{ messages }}\u{1b}[2K\rharmless\0 {{ x }}")
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipe("{{ messages }}\r\n\t{{ '\\x1b' }}")
}
