//! Tensors in another order than the file's.

use core::cmp::{Ordering, Reverse};

use super::{Row, Table};

/// What rows may be put in order by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// The place in the tensor table.
    Index,
    /// The name, by its bytes, with numbers by their value: `blk.2` before `blk.10`.
    Name,
    /// The size in bytes, the largest first; tensors of unknown size last.
    Size,
    /// The position of the data.
    Offset,
    /// The id of the type.
    Type,
    /// The layer; tensors that belong to none last.
    Layer,
}

/// The places (file, index) of the tensors that `keep` keeps, in an order; equal ones stay in the order of the table.
#[must_use]
pub fn ordered<'a>(
    table: &Table<'a>,
    order: Order,
    mut keep: impl FnMut(&Row<'a>) -> bool,
) -> Vec<(usize, usize)> {
    let kept = table.iter().filter(|row| keep(row));
    // Only the key and the place of each row are held, since rows are large.
    fn sort<K: Ord>(mut keyed: Vec<(K, usize, usize)>) -> Vec<(usize, usize)> {
        keyed.sort_by(|a, b| a.0.cmp(&b.0));
        keyed.into_iter().map(|(_, part, index)| (part, index)).collect()
    }
    match order {
        Order::Index => kept.map(|row| (row.part_index, row.index)).collect(),
        Order::Name => {
            let mut keyed: Vec<_> = kept.map(|row| (row.name.0, row.part_index, row.index)).collect();
            keyed.sort_by(|a, b| natural(a.0, b.0));
            keyed.into_iter().map(|(_, part, index)| (part, index)).collect()
        }
        Order::Size => sort(kept.map(|row| (Reverse(row.size), row.part_index, row.index)).collect()),
        Order::Offset => {
            sort(kept.map(|row| ((row.part_index, row.data), row.part_index, row.index)).collect())
        }
        Order::Type => sort(kept.map(|row| (row.tensor.tensor_type, row.part_index, row.index)).collect()),
        Order::Layer => {
            sort(kept.map(|row| (row.layer.map_or(u64::MAX, u64::from), row.part_index, row.index)).collect())
        }
    }
}

/// Compares names byte by byte, and runs of digits by their value.
fn natural(mut a: &[u8], mut b: &[u8]) -> Ordering {
    let digits = |s: &[u8]| s.iter().take_while(|c| c.is_ascii_digit()).count();
    loop {
        let (in_a, in_b) = (digits(a), digits(b));
        if in_a > 0 && in_b > 0 {
            let (number_a, rest_a) = a.split_at(in_a);
            let (number_b, rest_b) = b.split_at(in_b);
            let (value_a, value_b) = (value(number_a), value(number_b));
            // Of numbers without leading zeros the longer is the larger.
            let order = value_a.len().cmp(&value_b.len()).then(value_a.cmp(value_b)).then(in_a.cmp(&in_b));
            if order.is_ne() {
                return order;
            }
            (a, b) = (rest_a, rest_b);
            continue;
        }
        match (a.split_first(), b.split_first()) {
            (Some((x, rest_a)), Some((y, rest_b))) if x == y => (a, b) = (rest_a, rest_b),
            (x, y) => return x.map(|(x, _)| x).cmp(&y.map(|(y, _)| y)),
        }
    }
}

/// The digits of a number without leading zeros.
fn value(digits: &[u8]) -> &[u8] {
    let zeros = digits.iter().take_while(|&&c| c == b'0').count();
    digits.get(zeros..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_go_by_their_value() {
        for (a, b, expected) in [
            ("blk.2.x", "blk.10.x", Ordering::Less),
            ("blk.10.x", "blk.10.a", Ordering::Greater),
            ("a", "a", Ordering::Equal),
            ("a", "a1", Ordering::Less),
            ("a01", "a1", Ordering::Greater),
            ("a1", "b0", Ordering::Less),
            ("", "a", Ordering::Less),
            ("99999999999999999999999", "100000000000000000000000", Ordering::Less),
        ] {
            assert_eq!(natural(a.as_bytes(), b.as_bytes()), expected, "{a} and {b}");
            assert_eq!(natural(b.as_bytes(), a.as_bytes()), expected.reverse(), "{b} and {a}");
        }
    }
}
