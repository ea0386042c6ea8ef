use ggufkit_format::HeaderPart;
use ggufkit_inspect::summary::Kind;

use crate::facts::Facts;
use crate::finding::Finding;
use crate::place;
use crate::rule::{Severity, rule};
use crate::sink::Sink;

rule! {
    /// There is no `general.architecture`.
    ///
    /// The specification requires the key: it names the family of the model, chooses the code that runs it, and is the prefix
    /// of the model's own keys. llama.cpp refuses a model, an adapter or a projector without it ("key not found in model:
    /// general.architecture"), and so do Ollama, LM Studio and all others that are built on it. Importance matrices have
    /// none; image models often lack it, and their programs go by the tensors' names.
    ///
    /// Add the key with the name that the engine knows the family by, `llama` or `qwen2` for example, or convert the model
    /// anew.
    GG127 "missing-architecture" Metadata Warning: "general.architecture is absent"
        "缺少 general.architecture"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let Some((file, _, view)) = facts.views().next() else { return };
    let index = view.index();
    let nothing = index.kvs().is_empty() && index.tensors().is_empty();
    if nothing || !facts.is_complete() || facts.key("general.architecture").is_some() {
        return;
    }
    // The key under another spelling has its own finding.
    if facts.key(b"general.architecture\0").is_some() || facts.kind() == Kind::Imatrix {
        return;
    }
    let severity = match facts.kind() {
        Kind::Diffusion => Severity::Note,
        _ => RULE.severity,
    };
    sink.add_as(&RULE, severity, || {
        let primary = place::header_label(file, index.header(), HeaderPart::KvCount)
            .text(match index.kvs().len() {
            1 => "1 key-value, and it is another".to_owned(),
            n => format!("{n} key-values, and none of them is general.architecture"),
        });
        let finding = Finding::new(&RULE, RULE.summary, primary);
        match facts.kind() {
            Kind::Diffusion => finding
                .note("programs for image models go by the names of the tensors; others refuse the file"),
            _ => finding
                .note("llama.cpp and everything built on it refuse the file")
                .help("add the key with the name that the engine knows the model's family by"),
        }
    });
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("general.name", "no architecture").into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("general.name", "tiny").kv("general.architecture", "llama").into()
}

#[cfg(test)]
mod tests {
    use ggufkit_testkit::Builder;

    use crate::testing::Recipe;

    #[test]
    fn what_has_no_need_of_it_is_left_alone() {
        let speaks = |file: Builder| Recipe::from(file).spoken().contains("missing-architecture");
        assert!(!speaks(Builder::new()), "a file of nothing");
        assert!(!speaks(Builder::new().kv("general.type", "imatrix")));
        assert!(!speaks(Builder::new().kv("split.count", 2_u16)), "a shard without its first one");
        let mut cut = Builder::new().kv("general.name", "cut").kv("general.architecture", "llama").bytes();
        cut.truncate(60);
        assert!(!Recipe::from(cut).spoken().contains("missing-architecture"));
    }
}
