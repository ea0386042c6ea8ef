//! In which order rows of a source become those of a GGUF tensor.

/// The row of the source that each row is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rows {
    /// The same.
    InOrder,
    /// Of every head the two halves in turn: what position turns together stands together.
    Pairs {
        /// Heads of the tensor.
        heads: u64,
    },
    /// Queries, keys and values one after the other, out of heads that have their three together.
    Interleaved {
        /// Heads.
        heads: u64,
    },
    /// The same out of groups, each of some queries, one key and one value.
    Groups {
        /// Heads of queries.
        heads: u64,
        /// Groups.
        groups: u64,
    },
}

impl Rows {
    /// Whether a tensor of so many rows can have this order.
    pub(super) fn fit(self, rows: u64) -> bool {
        let whole = |n: u64| n > 0 && rows.is_multiple_of(n);
        match self {
            Self::InOrder => true,
            Self::Pairs { heads } => heads.checked_mul(2).is_some_and(whole),
            Self::Interleaved { heads } => heads.checked_mul(3).is_some_and(whole),
            Self::Groups { heads, groups } => {
                let all = groups.checked_mul(2).and_then(|more| more.checked_add(heads));
                groups > 0 && heads.is_multiple_of(groups) && all.is_some_and(whole)
            }
        }
    }

    /// The row of the source, of so many; `row` is one of them, and they [`fit`](Self::fit).
    pub(super) fn source(self, row: u64, rows: u64) -> u64 {
        let divided = |a: u64, b: u64| (a.checked_div(b).unwrap_or(0), a.checked_rem(b).unwrap_or(0));
        let at = |head: u64, of: u64, inside: u64| head.saturating_mul(of).saturating_add(inside);
        match self {
            Self::InOrder => row,
            Self::Pairs { heads } => {
                let size = divided(rows, heads).0;
                let (head, inside) = divided(row, size);
                at(head, size, (inside % 2).saturating_mul(size / 2).saturating_add(inside / 2))
            }
            Self::Interleaved { heads } => {
                let size = divided(rows, heads.saturating_mul(3)).0;
                let (part, rest) = divided(row, size.saturating_mul(heads));
                let (head, inside) = divided(rest, size);
                at(head.saturating_mul(3).saturating_add(part), size, inside)
            }
            Self::Groups { heads, groups } => {
                let size = divided(rows, heads.saturating_add(groups.saturating_mul(2))).0;
                let (number, inside) = divided(row, size);
                let queries = divided(heads, groups).0;
                // Which group, and which of its members: its queries, its key, its value.
                let (group, member) = match number.checked_sub(heads) {
                    None => divided(number, queries),
                    Some(key) if key < groups => (key, queries),
                    Some(value) => (value.saturating_sub(groups), queries.saturating_add(1)),
                };
                at(group.saturating_mul(queries.saturating_add(2)).saturating_add(member), size, inside)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(rows: Rows, count: u64) -> Vec<u64> {
        assert!(rows.fit(count));
        (0..count).map(|row| rows.source(row, count)).collect()
    }

    /// What NumPy makes of `np.arange(12)`: `.reshape(2, 2, 3).swapaxes(1, 2)` for two heads of six rows;
    /// `.reshape(2, 3, 2).swapaxes(0, 1)` for two heads of two; `.reshape(2, 3, 2)` for two groups of one query, cut as
    /// `[:, :-2]`, `[:, [-2]]`, `[:, [-1]]`, and for one group of four queries `.reshape(1, 6, 2)`.
    #[test]
    fn orders_are_those_of_the_conversion() {
        assert_eq!(order(Rows::Pairs { heads: 2 }, 12), [0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11]);
        assert_eq!(order(Rows::Interleaved { heads: 2 }, 12), [0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11]);
        assert_eq!(order(Rows::Groups { heads: 2, groups: 2 }, 12), [0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11]);
        assert_eq!(order(Rows::Groups { heads: 4, groups: 1 }, 12), (0..12).collect::<Vec<_>>());
        assert_eq!(order(Rows::Groups { heads: 4, groups: 2 }, 8), [0, 1, 4, 5, 2, 6, 3, 7]);
        assert!(!Rows::Pairs { heads: 5 }.fit(12) && !Rows::Groups { heads: 3, groups: 2 }.fit(14));
        assert!(!Rows::Pairs { heads: 0 }.fit(12) && !Rows::Groups { heads: 0, groups: 0 }.fit(12));
    }
}
