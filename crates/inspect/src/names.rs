//! A file's name beside its metadata: where they disagree, and what the name would be by the convention.

use ggufkit_format::layout;
use ggufkit_format::naming::{self, NameKind, NameParts, SuggestInput};
use ggufkit_format::spec::FileType;
use serde::Serialize;

use crate::model::Model;

/// A point on which the name and the file disagree.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Disagreement {
    /// The part of the name: `encoding`, `size-label`, `shard`, …
    pub part: &'static str,
    /// What the name says; absent when it says nothing.
    pub name: Option<String>,
    /// What the metadata says.
    pub file: String,
    /// The key that says so.
    pub key: &'static str,
}

/// Compares a parsed name with the metadata of its file. A name is never the authority: it is text that anybody can
/// change.
#[must_use]
pub fn disagreements(parts: &NameParts<'_>, model: &Model<'_>) -> Vec<Disagreement> {
    let mut out = Vec::new();
    let text = |key: &str| model.get(key).and_then(|v| v.as_str());
    let mut compare = |part, key, name: Option<String>, file: Option<String>| {
        if let Some(file) = file
            && let Some(name) = name
            && !same(&name, &file)
        {
            out.push(Disagreement { part, name: Some(name), file, key });
        }
    };
    compare("encoding", "general.file_type", parts.canonical_encoding(), encoding(model).map(str::to_owned));
    // In the form in which they are suggested, so that a file under its suggested name agrees with it.
    let stated = text("general.size_label").and_then(naming::usual_size_label);
    let label =
        parts.size_label.map(|p| naming::usual_size_label(p.text).unwrap_or_else(|| p.text.to_owned()));
    compare("size-label", "general.size_label", label, stated);
    let tune = parts.fine_tune.map(|p| p.text.to_owned());
    compare("fine-tune", "general.finetune", tune, text("general.finetune").map(str::to_owned));
    let version = parts.version.map(|p| p.text.replace('_', "."));
    let version = version.as_deref().and_then(naming::usual_version).map(str::to_owned);
    let stated = text("general.version").and_then(naming::usual_version).map(str::to_owned);
    compare("version", "general.version", version, stated);
    let kind = |kind: NameKind| kind.word().unwrap_or("model").to_owned();
    if text("general.type").is_some() || parts.kind != NameKind::Model {
        let stated = text("general.type").map(|_| kind(kind_of(model)));
        compare("type", "general.type", Some(kind(parts.kind)), stated);
    }
    // The metadata counts shards from 0, names count them from 1.
    let stated = model.get("split.no").and_then(|v| v.as_u64()).map(|no| no.saturating_add(1).to_string());
    compare("shard", "split.no", parts.shard.map(|s| s.no.to_string()), stated);
    let stated = model.get("split.count").and_then(|v| v.as_u64()).filter(|n| *n > 1).map(|n| n.to_string());
    compare("shards", "split.count", parts.shard.and_then(|s| s.count).map(|n| n.to_string()), stated);
    out
}

/// Whether two words say the same: case and the separators of words do not matter.
fn same(a: &str, b: &str) -> bool {
    let plain =
        |s: &str| s.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    plain(a) == plain(b)
}

/// The short name of `general.file_type`.
fn encoding(model: &Model<'_>) -> Option<&'static str> {
    let ty = u32::try_from(model.get("general.file_type")?.as_u64()?).ok()?;
    FileType(ty).base().short_name()
}

/// The kind of file that the metadata states.
fn kind_of(model: &Model<'_>) -> NameKind {
    match model.get("general.type").and_then(|v| v.as_str()) {
        Some("adapter") => NameKind::Lora,
        Some("mmproj") => NameKind::Mmproj,
        Some("imatrix") => NameKind::Imatrix,
        Some("vocab") => NameKind::Vocab,
        _ if model.architecture() == Some("clip") => NameKind::Mmproj,
        _ => NameKind::Model,
    }
}

/// The conventional name of a model: from its metadata, from the given name where the metadata is silent, and its size
/// label from the tensors where both are.
///
/// `None` where these do not make a name in which nothing deviates and which agrees with the metadata: a vocabulary without
/// tensors has no size, and the convention knows no name without, nor one for an importance matrix.
#[must_use]
pub fn suggestion(parts: Option<&NameParts<'_>>, model: &Model<'_>) -> Option<String> {
    let text = |key: &str| model.get(key).and_then(|v| v.as_str());
    let named = |pick: fn(&NameParts<'_>) -> Option<String>| parts.and_then(pick);
    let base = named(|p| p.base_name.map(|b| b.text.to_owned()));
    let label = named(|p| p.size_label.map(|b| b.text.to_owned()));
    let tune = named(|p| p.fine_tune.map(|b| b.text.to_owned()));
    let version = named(|p| p.version.map(|b| b.text.to_owned()));
    let quant = named(|p| p.canonical_encoding());
    let stated = kind_of(model);
    let kind = if stated == NameKind::Model { parts.map_or(stated, |p| p.kind) } else { stated };
    let shard = |key| model.get(key).and_then(|v| v.as_u64()).and_then(|n| u32::try_from(n).ok());
    let shards = match (shard("split.no"), shard("split.count")) {
        (Some(no), Some(count)) if count > 1 && no < count => Some((no.saturating_add(1), count)),
        _ => None,
    };
    let whole = shards.is_none_or(|(_, count)| u32::try_from(model.len()) == Ok(count));
    let counted = if whole && kind != NameKind::Lora { counted_size(model) } else { None };
    let tune = text("general.finetune").or(tune.as_deref());
    let name = naming::suggest(&SuggestInput {
        base_name: text("general.basename").or(base.as_deref()).or_else(|| text("general.name")),
        size_label: text("general.size_label")
            .filter(|text| naming::usual_size_label(text).is_some())
            .or(label.as_deref())
            .or(counted.as_deref()),
        fine_tune: tune,
        version: text("general.version").or(version.as_deref()),
        encoding: encoding(model).or(quant.as_deref()),
        kind,
        shard: shards,
    });
    let parts = naming::parse_lenient(&name);
    let sound = parts.strict && parts.deviations.is_empty() && disagreements(&parts, model).is_empty();
    // `7B-A3B`: the size label takes a fine-tune of that form, and the name would be read otherwise than it was made.
    let tuned = tune.is_some_and(|tune| tune.contains(|c: char| c.is_ascii_alphanumeric()));
    (sound && tuned == parts.fine_tune.is_some()).then_some(name)
}

/// The size label that the tensors' elements make: `591K`, `1.2B`, `8x7.2B`, of experts one and what all share.
fn counted_size(model: &Model<'_>) -> Option<String> {
    let (mut shared, mut expert, mut experts) = (0_u64, 0_u64, 0_u64);
    for (part, name, tensor) in model.tensors() {
        let dims = part.view.index().dims(tensor);
        let elements = layout::element_count(dims)?;
        match dims.last().filter(|n| **n > 1 && name.0.split(|&b| b == b'.').any(|w| w.ends_with(b"_exps"))) {
            Some(&n) => {
                experts = experts.max(n);
                expert = expert.checked_add(elements.checked_div(n)?)?;
            }
            None => shared = shared.checked_add(elements)?,
        }
    }
    let size = shared.checked_add(expert).filter(|n| *n > 0)?;
    let (scale, letter) = match size {
        1_000_000_000_001.. => (1e12, 'T'),
        1_000_000_001.. => (1e9, 'B'),
        1_000_001.. => (1e6, 'M'),
        _ => (1e3, 'K'),
    };
    let scaled = size as f64 / scale;
    // Two digits at least, as converters round.
    let number = if scaled.round() < 10.0 { format!("{scaled:.1}") } else { format!("{scaled:.0}") };
    Some(if experts > 0 { format!("{experts}x{number}{letter}") } else { format!("{number}{letter}") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Part;
    use ggufkit_format::{Options, View, parse};
    use ggufkit_testkit::{Builder, Tensor};

    fn suggested(document: &Builder, name: Option<&str>) -> Option<String> {
        let file = document.build();
        let index = parse(file.bytes(), Options::new()).into_result().unwrap();
        let view = View::new(&index, file.bytes());
        let part = Part { label: ggufkit_format::ByteStr(b"x"), file_name: None, size: None, view };
        suggestion(name.map(naming::parse_lenient).as_ref(), &Model::single(part))
    }

    #[test]
    fn a_file_under_its_suggested_name_agrees_with_it() {
        let kinds = [None, Some("model"), Some("adapter"), Some("mmproj"), Some("imatrix"), Some("odd")];
        let sizes = [None, Some("7B"), Some("8x7b"), Some("3.8B-x"), Some("4x"), Some(""), Some("30B-A3B")];
        let versions = [None, Some("beta"), Some("1.0-rc1"), Some("V2"), Some(""), Some("v1.5")];
        let tunes = [None, Some("Instruct"), Some("A3B"), Some("v2"), Some("è"), Some("LoRA")];
        let mut count = 0;
        for (((kind, size), version), tune) in kinds
            .iter()
            .flat_map(|k| sizes.iter().map(move |s| (k, s)))
            .flat_map(|a| versions.iter().map(move |v| (a, v)))
            .flat_map(|a| tunes.iter().map(move |t| (a, t)))
        {
            let mut file = Builder::new().kv("general.basename", "Foo 8x7B");
            for (key, value) in
                [("type", kind), ("size_label", size), ("version", version), ("finetune", tune)]
            {
                if let Some(value) = value {
                    file = file.kv(format!("general.{key}"), *value);
                }
            }
            let file = file.tensor(Tensor::f32("token_embd.weight", &[256, 384]));
            let Some(name) = suggested(&file, None) else { continue };
            count += 1;
            let parts = naming::parse_lenient(&name);
            assert!(parts.deviations.is_empty(), "{name}: {:?}", parts.deviations);
            assert_eq!(
                suggested(&file, Some(&name)).as_deref(),
                Some(&*name),
                "{size:?} {version:?} {tune:?}"
            );
            assert_ne!(*kind, Some("imatrix"), "{name}");
        }
        assert!(count > 500, "{count}");
        let of = |key: &str, value: &str| {
            let file = Builder::new().kv("general.basename", "Foo").kv(key, value);
            suggested(&file.tensor(Tensor::f32("W", &[256, 384])), None)
        };
        assert_eq!(of("general.version", "1.0-rc1").as_deref(), Some("Foo-98K-v1.0.gguf"));
        assert_eq!(of("general.version", "V2").as_deref(), Some("Foo-98K-v2.gguf"));
        assert_eq!(of("general.size_label", "3.8B-x").as_deref(), Some("Foo-3.8B-v1.0.gguf"));
        assert_eq!(of("general.size_label", "4x").as_deref(), Some("Foo-98K-v1.0.gguf"));
    }

    #[test]
    fn what_is_suggested_is_conventional() {
        let plain = Builder::new().kv("general.basename", "Tiny Llama");
        let small = plain.clone().tensor(Tensor::f32("token_embd.weight", &[256, 384]));
        assert_eq!(suggested(&small, None).as_deref(), Some("Tiny-Llama-98K-v1.0.gguf"));
        // The file's word and the name's come before what is counted.
        let named = small.clone().kv("general.size_label", "99K");
        assert_eq!(suggested(&named, None).as_deref(), Some("Tiny-Llama-99K-v1.0.gguf"));
        let given = suggested(&small, Some("Tiny-Llama-97K-v2.0.gguf"));
        assert_eq!(given.as_deref(), Some("Tiny-Llama-97K-v2.0.gguf"));
        // 1000 shared, and 4 experts of 100 * 20.
        let experts = plain
            .clone()
            .tensor(Tensor::f32("output_norm.weight", &[1000]))
            .tensor(Tensor::f32("blk.0.ffn_up_exps.weight", &[100, 20, 4]));
        assert_eq!(suggested(&experts, None).as_deref(), Some("Tiny-Llama-4x3.0K-v1.0.gguf"));
        // Nothing to count, or only a part of it: no name rather than one that is then called unconventional.
        assert_eq!(suggested(&plain, None), None);
        let shard = small
            .kv("split.no", ggufkit_testkit::Value::U16(0))
            .kv("split.count", ggufkit_testkit::Value::U16(2));
        assert_eq!(suggested(&shard, None), None);
    }
}
