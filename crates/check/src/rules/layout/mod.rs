//! Where the data section and each tensor lie.

use ggufkit_format::{Element, Kv, KvPart, View};

use crate::facts;
use crate::finding::Label;
use crate::rule::family;

pub(crate) mod fate;
pub(super) mod peek;

family![
    alignment_unusable,
    alignment_not_power_of_two,
    tensor_offset_misaligned,
    alignment_type,
    alignment_small,
    alignment_huge,
    tensor_order,
    tensor_gap,
    tensor_overlap,
    tensor_out_of_range,
    data_size_overflow,
    head_padding_nonzero,
    tensor_padding_nonzero,
    final_padding_missing,
];

pub(crate) use alignment_small::MAPPED;

const ALIGNMENT: &str = "general.alignment";

/// The first `general.alignment` of a file, with its position.
fn alignment_kv<'a>(view: &View<'a>) -> Option<(usize, &'a Kv)> {
    let mut kvs = view.kvs().enumerate();
    kvs.find(|(_, (key, _))| key.0 == ALIGNMENT.as_bytes()).map(|(at, (_, kv))| (at, kv))
}

/// A label at the value that gives the alignment; `None` where it is the default.
fn alignment_label(file: usize, view: &View<'_>) -> Option<Label> {
    let (at, kv) = alignment_kv(view)?;
    Some(facts::kv_label(file, view, at, kv, KvPart::Value(Element::Whole)))
}
