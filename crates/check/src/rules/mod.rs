//! The rules, in families, one file each.
//!
//! To add a rule: write `rules/<family>/<name>.rs` with a `RULE` (its summary in English and in Chinese; its doc comment is its
//! manual), a `check`, and the recipes `bad` and `good` of the smallest file that it speaks about and of one that it does not; name the module in the
//! family's list. The tests hold the rest: code and name are unique, the recipes do what they say, and the snapshots of
//! what is printed are there.

mod container;
pub(crate) mod conventions;
mod data;
mod kinds;
pub(crate) mod layout;
mod metadata;
mod shards;
mod templates;
mod tensors;
pub(crate) mod tokenizer;

use crate::rule::{Entry, Rule};

/// Every family's rules. A fatal error of a head comes before what follows from it.
pub(crate) static FAMILIES: &[&[Entry]] = &[
    container::ENTRIES,
    metadata::ENTRIES,
    layout::ENTRIES,
    tensors::ENTRIES,
    conventions::ENTRIES,
    tokenizer::ENTRIES,
    templates::ENTRIES,
    shards::ENTRIES,
    kinds::ENTRIES,
    data::ENTRIES,
];

/// Recipes of every rule.
#[cfg(test)]
pub(crate) static RECIPES: &[&[crate::testing::Recipes]] = &[
    container::RECIPES,
    metadata::RECIPES,
    layout::RECIPES,
    tensors::RECIPES,
    conventions::RECIPES,
    tokenizer::RECIPES,
    templates::RECIPES,
    shards::RECIPES,
    kinds::RECIPES,
    data::RECIPES,
];

/// Whether all that the model's architecture needs is known here; `None` for a file that is no model.
pub(crate) fn is_described(facts: &crate::facts::Facts<'_>) -> Option<bool> {
    conventions::is_described(facts)
}

/// The architecture of a model that llama.cpp knows: of what runs on its own.
pub(crate) fn model_architecture<'a>(facts: &crate::facts::Facts<'a>) -> Option<&'a str> {
    conventions::model_architecture(facts)
}

/// Keys of an architecture, beside those of every one, at which a list with an element for each layer may stand.
pub(crate) fn per_layer(arch: &str) -> impl Iterator<Item = &'static str> {
    conventions::per_layer(arch)
}

/// Keys that a model cannot do without, and that are not there.
pub(crate) fn missing_keys(facts: &crate::facts::Facts<'_>) -> Vec<String> {
    conventions::missing_keys(facts)
}

/// Every rule, in the order of the codes.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    let mut rules: Vec<&'static Rule> =
        FAMILIES.iter().flat_map(|family| family.iter()).map(|entry| entry.rule).collect();
    rules.sort_by_key(|rule| rule.code);
    rules.into_iter()
}
