//! Names with NULs: what C programs see of them.

use std::collections::HashMap;

use ggufkit_format::View;

use crate::facts::TensorAt;

/// The name up to its first NUL, and whether it has one.
pub(super) fn cut<'a>(row: &TensorAt<'a>) -> (&'a [u8], bool) {
    let name = row.name();
    match name.iter().position(|&byte| byte == 0) {
        Some(at) => (name.get(..at).unwrap_or(name), true),
        None => (name, false),
    }
}

/// Tensors of a file whose names are those of an earlier one when both are cut at their first NUL, and differ in full.
/// Pairs of positions: the earlier one, the later one.
pub(super) fn equal_at_nul(file: usize, view: View<'_>) -> Vec<(usize, usize)> {
    let tensors = view.index().tensors().iter().enumerate();
    let rows = tensors.map(|(index, tensor)| TensorAt { file, view, index, tensor });
    let mut with_nul: HashMap<&[u8], Option<usize>> = HashMap::new();
    for row in rows.clone() {
        if let (name, true) = cut(&row) {
            with_nul.insert(name, None);
        }
    }
    if with_nul.is_empty() {
        return Vec::new();
    }
    let mut pairs = Vec::new();
    for row in rows {
        let Some(first) = with_nul.get_mut(cut(&row).0) else { continue };
        match *first {
            None => *first = Some(row.index),
            Some(first) => {
                let same =
                    view.index().tensors().get(first).is_some_and(|tensor| view.name(tensor).0 == row.name());
                // Equal in full: a duplicate.
                if !same {
                    pairs.push((first, row.index));
                }
            }
        }
    }
    pairs
}
