//! File names beside the metadata, for the two rules about them.

use ggufkit_format::naming::parse_lenient;
use ggufkit_format::{Element, KvPart, shorten};
use ggufkit_inspect::names::disagreements;
use ggufkit_inspect::summary::Kind;

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::Rule;
use crate::sink::Sink;

/// Longest name that a file system takes.
const MAX_NAME: usize = 255;

/// Says where the name of the first file and the metadata disagree, in the parts that `is_about` takes.
pub(super) fn check(
    facts: &Facts<'_>,
    sink: &mut Sink<'_>,
    rule: &'static Rule,
    is_about: impl Fn(&str) -> bool,
) {
    // Only the first shard of a set has the metadata.
    let Some(model) = facts.model() else { return };
    let Some(name) = model.first().file_name.filter(|name| name.len() <= MAX_NAME) else { return };
    let parts = parse_lenient(name);
    for found in disagreements(&parts, &model).into_iter().filter(|found| is_about(found.part)) {
        let (Some(in_name), Some(place)) = (found.name, facts.key(found.key)) else { continue };
        // A name need not say of what kind the file is, and vocabularies state that they are models.
        if found.part == "type" && (in_name == "model" || facts.kind() == Kind::Vocab) {
            continue;
        }
        sink.add(rule, || {
            let (in_name, in_file) = (shorten(in_name.as_bytes(), 60), shorten(found.file.as_bytes(), 60));
            Finding::new(
                rule,
                format!("the file's name says {in_name}, {} says {in_file}", found.key),
                facts.kv_label(&place, KvPart::Value(Element::Whole)).text(in_file),
            )
            .note("loaders do not read the name; people and programs that choose a file do")
            .help("correct the one that is wrong: `gguf show` tells what the tensors are")
        });
    }
}
