use ggufkit_format::spec::arch;
use ggufkit_format::{Element, KvPart, shorten};

use crate::facts::Facts;
use crate::finding::{Change, Finding, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// `general.type` says that the file is of one kind, and its tensors are of another.
    ///
    /// llama.cpp's adapter loader demands "adapter" and refuses anything else. Programs that sort a folder offer a projector
    /// as a model, or look for the base model of something that is one; hubs list the file in the wrong place.
    ///
    /// What a file is shows in its tensors: pairs `.lora_a` and `.lora_b` are an adapter, `.in_sum2` and `.counts` an
    /// importance matrix; the architecture `clip` is a projector; `token_embd.weight` and `blk.N.…` are a model. Write the
    /// type that fits. Values beyond model, adapter, mmproj, imatrix and vocab are not judged.
    GG801 "general-type-mismatch" Kinds Warning: "general.type contradicts what is in the file"
        "general.type 与文件内容矛盾"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let (Some(place), Some(stated)) = (facts.key("general.type"), facts.str("general.type")) else { return };
    if !facts.is_complete() {
        return;
    }
    let names = Names::of(facts);
    let clip = facts.architecture() == Some("clip");
    let model_arch = facts.architecture().is_some_and(|name| name != "clip" && arch::is_known(name));
    let found = match stated {
        "model" | "vocab" if names.most(names.lora) => ("adapter", "pairs .lora_a and .lora_b"),
        "model" | "vocab" if names.most(names.imatrix) => ("imatrix", "pairs .in_sum2 and .counts"),
        "model" | "vocab" if clip => ("mmproj", "the architecture is clip"),
        "vocab" if names.language > 0 => ("model", "tensors of a language model"),
        "adapter" if names.lora == 0 && names.language > 1 => ("model", "tensors of a language model"),
        "mmproj" if model_arch && names.language > 0 && names.encoder == 0 => ("model", "tensors of a language model"),
        "imatrix" if names.all > 0 && names.imatrix == 0 && names.language > 0 => {
            ("model", "tensors of a language model")
        }
        _ => return,
    };
    let (kind, reason) = found;
    sink.add(&RULE, || {
        let primary = facts.kv_label(&place, KvPart::Value(Element::Whole)).text("this type");
        let stated = shorten(stated.as_bytes(), 40);
        Finding::new(&RULE, format!("general.type is \"{stated}\", but the file is of type \"{kind}\": {reason}"), primary)
            .note("programs that choose files by their type offer it for the wrong purpose or refuse it")
            .help(format!("write \"{kind}\""))
            .fix(
                Safety::Unsafe,
                format!("write \"{kind}\""),
                Change::SetString { index: place.index as u64, bytes: kind.as_bytes().to_vec() },
            )
    });
}

/// How many tensors are named how.
#[derive(Default)]
struct Names {
    all: u64,
    lora: u64,
    imatrix: u64,
    encoder: u64,
    language: u64,
}

impl Names {
    fn of(facts: &Facts<'_>) -> Self {
        let mut out = Self::default();
        for at in facts.rows() {
            let name = at.name();
            let begins = |with: &[&[u8]]| with.iter().any(|with| name.starts_with(with));
            let ends = |with: &[&[u8]]| with.iter().any(|with| name.ends_with(with));
            out.all += 1;
            if ends(&[b".lora_a", b".lora_b"]) {
                out.lora += 1;
            } else if ends(&[b".in_sum2", b".counts"]) {
                out.imatrix += 1;
            } else if begins(&[b"v.", b"a.", b"mm."]) {
                out.encoder += 1;
            } else if begins(&[b"blk.", b"token_embd.", b"output."]) {
                out.language += 1;
            }
        }
        out
    }

    fn most(&self, n: u64) -> bool {
        n > 0 && n.saturating_mul(2) > self.all
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    crate::testing::Tiny::lora().key("general.type", "model").into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    crate::testing::Tiny::lora().into()
}
