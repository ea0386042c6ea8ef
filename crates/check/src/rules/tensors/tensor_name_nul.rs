use std::collections::HashSet;

use ggufkit_format::{Span, TensorPart, shorten};

use super::names;
use crate::facts::Facts;
use crate::finding::{Change, Finding, Label, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A tensor's name holds a NUL byte.
    ///
    /// Names in GGUF have a length and no terminator. ggml keeps names as C strings: it cuts this one at the NUL and finds
    /// the tensor by what is left, while readers of counted strings know it only by the full name. So `w\0` loads in
    /// llama.cpp and is missing elsewhere, and every copy made by gguf-split or quantize has another name than the original.
    /// An early quantizer wrote every string with its terminator.
    ///
    /// Cut the name at the NUL. Two names that become one that way are reported by `tensor-name-equal-at-nul`.
    GG304 "tensor-name-nul" Tensors Warning: "a tensor name holds a NUL byte"
        "张量名称含有 NUL 字节"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let mut clashes: HashSet<(usize, usize)> = HashSet::new();
    for (file, _, view) in facts.views() {
        clashes.extend(names::equal_at_nul(file, view).iter().flat_map(|(a, b)| [(file, *a), (file, *b)]));
    }
    for row in facts.rows() {
        let (cut, true) = names::cut(&row) else { continue };
        if clashes.contains(&(row.file, row.index)) {
            continue;
        }
        sink.add(&RULE, || {
            let name = row.name();
            let ends = name.iter().skip(cut.len()).all(|&byte| byte == 0);
            let whole = row.label(TensorPart::Name);
            let span = Span::between(whole.span.start.saturating_add(cut.len() as u64), whole.span.end());
            let text = if ends { "counted as part of the name" } else { "ggml does not see this" };
            let message = format!(
                "the tensor name \"{}\" {} NUL byte",
                shorten(name, 80),
                if ends { "ends with a" } else { "holds a" }
            );
            let finding = Finding::new(&RULE, message, Label { span, ..whole }.text(text)).note(format!(
                "ggml cuts the name to \"{}\"; readers of counted strings do not find that",
                shorten(cut, 80)
            ));
            if cut.is_empty() {
                return finding.help("nothing is left of the name: convert the model again");
            }
            let safety = if ends { Safety::Safe } else { Safety::Unsafe };
            let change = Change::SetName { index: row.index as u64, name: cut.to_vec() };
            finding.fix(safety, format!("cut the name to \"{}\"", shorten(cut, 80)), change)
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("w\0", &[8])).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("w", &[8])).into()
}
