//! Words of answers that a page says in its own language.

use std::collections::BTreeMap;

use ggufkit_check::{Family, Safety, Severity};
use ggufkit_format::spec::TensorType;
use ggufkit_inspect::hex::Kind as FieldKind;
use ggufkit_inspect::regions::RegionKind;

use super::bytes::{role, word};
use super::{refusal, tokens, two};

/// Every word that answers may have for one of few things, by the beginning of the names under which the page's catalogues have
/// what is said for them: of `kind.` the word `gap` is called `kind.gap` there.
#[must_use]
pub fn words() -> BTreeMap<&'static str, Vec<String>> {
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let mut fields: Vec<String> = FieldKind::ALL.iter().map(|kind| word(*kind)).collect();
    for ty in (0..=u32::from(u8::MAX)).map(TensorType).filter_map(TensorType::info) {
        fields.extend(ty.parts.iter().map(|part| role(part.role).to_owned()));
    }
    fields.extend(owned(&["before", "gap", "trailing", "data"]));
    let mut out = BTreeMap::from([
        ("kind.", RegionKind::ALL.iter().filter_map(word_of).collect()),
        ("field.", fields),
        ("family.", Family::ALL.iter().map(|family| family.name().to_owned()).collect()),
        ("check.", owned(&[Severity::Error, Severity::Warning, Severity::Note].map(Severity::name))),
        ("safety.", owned(&[Safety::Safe, Safety::Unsafe].map(Safety::name))),
        ("token.", owned(&tokens::TYPES)),
        (
            "compare.",
            two::Kind::ALL
                .iter()
                .filter_map(word_of)
                .chain(two::What::ALL.iter().filter_map(word_of))
                .collect(),
        ),
        ("differs.", owned(&["version", "endian", "dialect", "alignment", "files"])),
        ("load.from-", owned(&["key", "default", "derived", "missing", "unread"])),
        ("refused.", refusal::Kind::ALL.iter().filter_map(word_of).collect()),
    ]);
    for words in out.values_mut() {
        words.sort_unstable();
        words.dedup();
    }
    out
}

/// A word as answers write it.
fn word_of<T: serde::Serialize>(value: &T) -> Option<String> {
    serde_json::to_value(value).ok()?.as_str().map(str::to_owned)
}
