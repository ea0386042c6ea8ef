//! Tensors in groups: by layer, by type, by file.

use std::collections::BTreeMap;

use ggufkit_format::spec::TensorType;

use super::Row;
use super::mix::{Share, Totals, by_bytes};

/// What tensors are grouped by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GroupBy {
    /// The block number in names like `blk.12.attn_q.weight`.
    Layer,
    /// The type.
    Type,
    /// The file of a shard set.
    Shard,
}

/// What the tensors of a group have in common.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum GroupKey {
    /// The layer.
    Layer(u64),
    /// They belong to no layer.
    NoLayer,
    /// The type.
    Type(TensorType),
    /// The file, by its position in the model.
    Shard(usize),
}

/// A group of tensors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// What they have in common.
    pub key: GroupKey,
    /// What they come to.
    pub totals: Totals,
    /// Their types, by bytes, the largest first.
    pub mix: Vec<Share>,
}

/// Groups rows: layers in their order and what belongs to none of them last, types by bytes, files in their order.
#[must_use]
pub fn groups<'a>(rows: impl IntoIterator<Item = Row<'a>>, by: GroupBy) -> Vec<Group> {
    let mut found: BTreeMap<(GroupKey, TensorType), Totals> = BTreeMap::new();
    for row in rows {
        let key = match by {
            GroupBy::Layer => row.layer.map_or(GroupKey::NoLayer, GroupKey::Layer),
            GroupBy::Type => GroupKey::Type(row.tensor_type()),
            GroupBy::Shard => GroupKey::Shard(row.part_index),
        };
        found.entry((key, row.tensor_type())).or_default().add(&row);
    }
    let mut groups: Vec<Group> = Vec::new();
    for ((key, tensor_type), totals) in found {
        let share = Share { tensor_type, totals };
        match groups.last_mut().filter(|group| group.key == key) {
            Some(group) => {
                group.totals.join(&totals);
                group.mix.push(share);
            }
            None => groups.push(Group { key, totals, mix: vec![share] }),
        }
    }
    groups.iter_mut().for_each(|group| by_bytes(&mut group.mix));
    if by == GroupBy::Type {
        groups.sort_by_key(|group| core::cmp::Reverse(group.totals.bytes));
    }
    groups
}
