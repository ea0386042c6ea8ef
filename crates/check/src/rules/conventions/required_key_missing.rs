use ggufkit_format::KvPart;
use ggufkit_inspect::config::required_keys;

use super::layers::{architecture_label, is_whole, model_architecture};
use super::schema::{Dim, Schema};
use crate::facts::{Facts, Record};
use crate::finding::{Change, Finding, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A key is absent without which the architecture cannot be loaded.
    ///
    /// llama.cpp stops with "key not found in model: …". Every model needs `{arch}.context_length`, `embedding_length`,
    /// `block_count` and `tokenizer.ggml.model`; most architectures need a norm's epsilon, some need more. Matrices of
    /// attention and of the feed-forward network need the keys that tell their shapes; the numbers of experts are taken for
    /// 0 where they are absent, and the tensors of the experts then do not fit. Readers that use
    /// a default instead (0, or the value of another model) run and give wrong text.
    ///
    /// Only a whole model is judged: a file with keys of its architecture and with tensors of layers. Vocabularies,
    /// adapters and single dumped tensors may lack the keys. The value belongs to the model, not to the file format: take
    /// it from the model's `config.json`, or convert anew with a newer converter.
    GG403 "required-key-missing" Conventions Error: "a key that the architecture cannot do without is absent"
        "缺少该架构必需的键"
}

/// Keys that llama.cpp may miss when it reads the metadata, and cannot do without when it asks for the tensors.
const LATER: [&str; 2] = [".expert_count", ".expert_used_count"];

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let Some(arch) = model_architecture(facts) else { return };
    if !is_whole(facts, arch) {
        return;
    }
    let misspelt: Vec<(Record<'_>, Vec<u8>)> = crate::rules::metadata::misspelt(facts).collect();
    let named = required_keys(arch).into_iter().map(|key| (key, "key not found in model"));
    let implied = implied(facts, arch).into_iter().map(|suffix| (format!("{arch}.{suffix}"), "a tensor has wrong shape without"));
    for (key, refusal) in named.chain(implied).filter(|(key, _)| facts.key(key).is_none()) {
        let Some(label) = architecture_label(facts) else { return };
        sink.add(&RULE, || {
            let shown = ggufkit_format::shorten(key.as_bytes(), 100);
            let message = format!("the key \"{shown}\" is missing");
            let near = misspelt.iter().find(|(_, meant)| meant == key.as_bytes());
            let finding = match near {
                Some((record, _)) => {
                    Finding::new(&RULE, message, record.label(KvPart::Key).text("was this one meant for it?"))
                        .because(label.text("this architecture needs it"))
                }
                None => Finding::new(&RULE, message, label.text("this architecture needs it")),
            };
            let finding = finding
                .note(match LATER.iter().any(|suffix| key.ends_with(suffix)) {
                    true => "llama.cpp takes it for 0 and refuses the file when it comes to the experts".to_owned(),
                    false => format!("llama.cpp refuses the file: {refusal}: {shown}"),
                });
            match near {
                Some((record, _)) => finding.fix(
                    Safety::Unsafe,
                    format!("rename the key to \"{shown}\""),
                    Change::SetKey { index: record.index as u64, key: key.into_bytes() },
                ),
                None if key.starts_with("tokenizer.") => finding.help(
                    "convert the model anew with its tokenizer; a model that is given tokens from elsewhere says \"none\" here, and vocab_size",
                ),
                None => finding.help("take the value from the model's config.json, or convert the model anew"),
            }
        });
    }
}

/// The keys that this rule calls missing.
pub(in crate::rules) fn missing(facts: &Facts<'_>) -> Vec<String> {
    let Some(arch) = model_architecture(facts).filter(|arch| is_whole(facts, arch)) else { return Vec::new() };
    let implied = implied(facts, arch).into_iter().map(|suffix| format!("{arch}.{suffix}"));
    required_keys(arch).into_iter().chain(implied).filter(|key| facts.key(key).is_none()).collect()
}

/// Keys that loaders can do without, but not beside tensors whose shapes come from them.
fn implied(facts: &Facts<'_>, arch: &str) -> Vec<&'static str> {
    let Some(schema) = Schema::find(arch) else { return Vec::new() };
    let mut keys: Vec<&'static str> = ["attention.head_count", "feed_forward_length"].into();
    keys.retain(|suffix| facts.arch_key(suffix).is_none());
    let mut found = Vec::new();
    if keys.is_empty() {
        return found;
    }
    for at in facts.rows() {
        let Some(row) = schema.place(at.name()).and_then(|found| found.row) else { continue };
        let key = row.shape.iter().find_map(|dim| match dim {
            Dim::Q | Dim::K | Dim::V | Dim::Qkv | Dim::Heads => Some("attention.head_count"),
            Dim::Ff => Some("feed_forward_length"),
            _ => None,
        });
        if let Some(key) = key.filter(|key| keys.contains(key) && !found.contains(key)) {
            found.push(key);
        }
    }
    found
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    crate::testing::Tiny::llama().without_key("llama.attention.layer_norm_rms_epsilon").into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    crate::testing::Tiny::llama().into()
}

#[cfg(test)]
mod tests {
    use crate::testing::Tiny;

    #[test]
    fn nothing_is_missing_from_a_piece() {
        let piece: crate::testing::Recipe = ggufkit_testkit::Builder::new()
            .kv("general.architecture", "llama")
            .kv("llama.block_count", 7_u32)
            .tensor(ggufkit_testkit::Tensor::f32("token_embd.weight", &[2, 1]))
            .into();
        assert!(!piece.spoken().contains(super::RULE.name));
        for key in ["context_length", "feed_forward_length", "attention.head_count"] {
            let model = Tiny::llama().without_key(&format!("llama.{key}"));
            let model: crate::testing::Recipe = model.into();
            assert!(model.spoken().contains(super::RULE.name), "{key}");
        }
    }

    #[test]
    fn a_required_key_that_is_misspelt_is_spoken_about_once() {
        for wrong in ["llama.contxt_length", "llama.Context-length"] {
            let tiny = Tiny::llama().without_key("llama.context_length").key(wrong, 32_u32);
            let model: crate::testing::Recipe = tiny.into();
            model.judge(&crate::Options::default(), |report, _| {
                let mut of_key = report.findings.iter().filter(|finding| {
                    finding.primary.name.as_deref() == Some(wrong.as_bytes())
                });
                assert_eq!(of_key.next().map(|finding| finding.rule.code), Some("GG403"), "{wrong}");
                assert!(of_key.next().is_none(), "{wrong}");
            });
        }
    }

    #[test]
    fn a_message_is_quoted_only_where_it_is_given() {
        let model: crate::testing::Recipe = Tiny::llama()
            .key("general.architecture", "qwen2moe")
            .key("qwen2moe.block_count", 1_u32)
            .into();
        model.judge(&crate::Options::default(), |report, _| {
            let missing = report.findings.iter().filter(|finding| finding.rule.code == super::RULE.code);
            let mut seen = 0;
            for finding in missing {
                let implied = ["expert_", "head_count\"", "feed_forward"];
                let later = implied.iter().any(|part| finding.message.contains(part));
                assert_eq!(finding.notes.concat().contains("key not found"), !later, "{}", finding.message);
                seen += u32::from(finding.message.contains("expert_"));
            }
            assert_eq!(seen, 2);
        });
    }
}
