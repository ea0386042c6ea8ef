use ggufkit_format::{Path, Span};

use crate::facts::Facts;
use crate::finding::{Change, Finding, Safety};
use crate::place;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A second GGUF begins inside this file, behind the data of the first or in a gap between its tensors.
    ///
    /// Shards of a split model were joined with `cat`, as parts of a cut-up file may be and shards may not: each shard has
    /// a head of its own. Loaders see the first head only. llama.cpp then misses the other shards ("invalid split file"),
    /// or loads the first one's tensors and reports that the others are absent; the bytes behind are dead weight.
    ///
    /// Nothing is lost: cut the file where the second magic stands, name the parts `NAME-00001-of-0000N.gguf` and so on,
    /// and load the first one. For a single file merge them with a tool that writes a new head.
    GG017 "joined-files" Container Error: "a second GGUF begins inside the file"
        "文件内部还有第二个 GGUF 的开头"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (at, file) in facts.files().iter().enumerate() {
        let Some(second) = file.diagnosis.joined else { continue };
        // A GGUF inside a bigger file may have others beside it.
        if file.view.is_some_and(|view| view.index().header().base > 0) {
            continue;
        }
        sink.add(&RULE, || {
            let primary = place::bytes_label(at, Span::new(second, 4), &Path::Unparsed)
                .text("the magic of a second GGUF");
            let finding = Finding::new(&RULE, format!("a second GGUF begins at {second:#x}"), primary)
                .note("loaders see the first head only: tensors of the second are absent for them")
                .help("`gguf repair FILE --separate -o FOLDER` cuts it apart; `llama-gguf-split --merge` joins shards rightly")
                .fix(Safety::Unsafe, "cut the file apart where the second begins", Change::Separate { at: second });
            match facts.u64("split.count") {
                Some(2..) => finding.note("the first is a shard: shards are joined by merging, never with `cat`"),
                _ => finding,
            }
        });
    }
}

#[cfg(test)]
fn shard(no: u16) -> ggufkit_testkit::Builder {
    use ggufkit_testkit::{Builder, Tensor};
    let file = Builder::new().kv("split.no", no).kv("split.count", 2_u16).kv("split.tensors.count", 2_i32);
    file.tensor(Tensor::f32(format!("blk.{no}.weight"), &[8]))
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    shard(0).trailing(shard(1).bytes()).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    shard(0).into()
}
