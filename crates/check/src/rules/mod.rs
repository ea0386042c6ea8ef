//! The rules, in families, one file each.
//!
//! To add a rule: write `rules/<family>/<name>.rs` with a `RULE` (its doc comment is its manual), a `check`, and the
//! recipes `bad` and `good` of the smallest file that it speaks about and of one that it does not; name the module in the
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

/// Every rule, in the order of the codes.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    let mut rules: Vec<&'static Rule> =
        FAMILIES.iter().flat_map(|family| family.iter()).map(|entry| entry.rule).collect();
    rules.sort_by_key(|rule| rule.code);
    rules.into_iter()
}
