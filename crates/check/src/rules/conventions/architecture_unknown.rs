use ggufkit_format::spec::arch::{self, ARCHITECTURES};
use ggufkit_format::{Element, KvPart, shorten};
use ggufkit_inspect::summary::Kind;

use crate::facts::Facts;
use crate::finding::{Change, Finding, Safety};
use crate::rule::{Severity, rule};
use crate::sink::Sink;

rule! {
    /// The architecture is none that llama.cpp knows.
    ///
    /// llama.cpp and the programs built on it refuse the file ("unknown model architecture"). That says nothing against the
    /// file: image models (`flux`, `sd3`), speech models and many others are made for programs of their own, and newer
    /// versions of llama.cpp know names that this list lacks.
    ///
    /// It is a warning where the name differs from a known one only in case or in the signs between its words (`Qwen2`,
    /// `gemma-3`) and no other program owns the name (Ollama's `gptoss`): every key `{arch}.…` is looked up under it. Then write the known name, and
    /// name the keys of the architecture alike. Otherwise open the file with the program that it was made for.
    GG402 "architecture-unknown" Conventions Note: "the architecture is none that llama.cpp knows"
        "架构不是 llama.cpp 认识的"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let Some(name) = facts.architecture().filter(|name| !name.is_empty() && !arch::is_known(name)) else { return };
    if !matches!(facts.kind(), Kind::Model | Kind::Diffusion | Kind::Unknown | Kind::Vocab) {
        return;
    }
    let Some(place) = facts.key("general.architecture") else { return };
    let meant = ARCHITECTURES.iter().find(|known| is_same(known, name) && !OF_OTHERS.contains(&name));
    let severity = if meant.is_some() { Severity::Warning } else { RULE.severity };
    sink.add_as(&RULE, severity, || {
        let primary = facts.kv_label(&place, KvPart::Value(Element::Whole)).text("this name");
        let message = format!("llama.cpp knows no architecture \"{}\"", shorten(name.as_bytes(), 60));
        let finding = Finding::new(&RULE, message, primary)
            .note("llama.cpp and the programs built on it refuse the file: unknown model architecture");
        match meant {
            Some(known) => finding
                .help(format!("\"{known}\" is meant; keys that begin with the old name need the new one too"))
                .fix(
                    Safety::Unsafe,
                    format!("write \"{known}\""),
                    Change::SetString { index: place.index as u64, bytes: known.as_bytes().to_vec() },
                ),
            None => finding.help("open it with the program that it was made for, or with a newer llama.cpp"),
        }
    });
}

/// Names of other programs that are like one of llama.cpp.
const OF_OTHERS: [&str; 1] = ["gptoss"];

/// Whether two names differ only in case and in what stands between words.
fn is_same(known: &str, name: &str) -> bool {
    let plain = |text: &str| -> Vec<u8> {
        text.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_lowercase()).collect()
    };
    name.len() <= 60 && plain(known) == plain(name)
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("general.architecture", "Llama").into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("general.architecture", "llama").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_another_program_is_worth_a_note_only() {
        let recipe: crate::testing::Recipe =
            ggufkit_testkit::Builder::new().kv("general.architecture", "flux").into();
        let worst = recipe.judge(&crate::Options::default(), |report, _| {
            report.findings.iter().filter(|f| f.rule == &RULE).map(|f| f.severity).max()
        });
        assert_eq!(worst, Some(Severity::Note));
    }
}
