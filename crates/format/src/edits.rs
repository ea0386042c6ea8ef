//! How far a word is from another, for suggestions after a typing error.

/// Longest text that is compared, in bytes.
const LONGEST: usize = 128;

/// Most edits that are taken for typing errors.
pub(crate) const MOST_EDITS: u8 = 3;

/// How many edits `a` is away from `b`, where that is few enough for a typing error: one for a shorter text of 4 to 7
/// bytes, two up to 14, three from there on; below 4 bytes the texts must be equal. `None` otherwise, and for a `b` of more
/// than 128 bytes.
///
/// An edit is a byte too many, too few or wrong, or two neighbours swapped (optimal string alignment). Upper and lower case
/// differ.
///
/// ```
/// # use ggufkit_format::edits;
/// assert_eq!(edits(b"general.anme", b"general.name"), Some(1));
/// assert_eq!(edits(b"context", b"context_length"), None);
/// ```
#[must_use]
pub fn edits(a: &[u8], b: &[u8]) -> Option<u8> {
    let shorter = a.len().min(b.len());
    let allowed = match shorter {
        0..=3 => return (a == b).then_some(0),
        4..=7 => 1,
        8..=14 => 2,
        _ => MOST_EDITS,
    };
    if a.len().abs_diff(b.len()) > usize::from(allowed) || b.len() > LONGEST {
        return None;
    }
    // Three rows of the table: the row before the last is needed for swaps.
    let mut before = [0u8; LONGEST + 1];
    let mut last = [0u8; LONGEST + 1];
    let mut row = [0u8; LONGEST + 1];
    for (j, cell) in last.iter_mut().enumerate() {
        *cell = u8::try_from(j).unwrap_or(u8::MAX);
    }
    let mut previous_a = None;
    for (i, &x) in a.iter().enumerate() {
        let mut left = u8::try_from(i).unwrap_or(u8::MAX).saturating_add(1);
        let mut best = left;
        if let Some(cell) = row.first_mut() {
            *cell = left;
        }
        for (j, &y) in b.iter().enumerate() {
            let at = |cells: &[u8; LONGEST + 1], k: usize| cells.get(k).copied().unwrap_or(u8::MAX);
            let next = j.saturating_add(1);
            let mut cell = at(&last, next)
                .saturating_add(1)
                .min(left.saturating_add(1))
                .min(at(&last, j).saturating_add(u8::from(x != y)));
            if let Some(k) = j.checked_sub(1)
                && previous_a == Some(y)
                && b.get(k) == Some(&x)
            {
                cell = cell.min(at(&before, k).saturating_add(1));
            }
            if let Some(slot) = row.get_mut(next) {
                *slot = cell;
            }
            left = cell;
            best = best.min(cell);
        }
        // No later row can be better than the best cell of two rows in a sequence.
        if best > allowed.saturating_add(1) {
            return None;
        }
        previous_a = Some(x);
        before = last;
        last = row;
    }
    last.get(b.len()).copied().filter(|&d| d <= allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted_up_to_what_the_length_allows() {
        for (a, b, expected) in [
            ("", "", Some(0)),
            ("abc", "abc", Some(0)),
            ("abc", "abd", None),
            ("abcd", "abce", Some(1)),
            ("abcd", "abdc", Some(1)),
            ("abcd", "badc", None),
            ("abcdefgh", "badcefgh", Some(2)),
            ("abcdefgh", "abcdefghij", Some(2)),
            ("abcdefgh", "abcdefghijk", None),
            ("abcdefghijklmno", "xabcdefghijkmnoy", Some(3)),
            ("ABCD", "abcd", None),
        ] {
            assert_eq!(edits(a.as_bytes(), b.as_bytes()), expected, "{a} {b}");
            assert_eq!(edits(b.as_bytes(), a.as_bytes()), expected, "{b} {a}");
        }
        let long = [b'x'; LONGEST + 1];
        assert_eq!(edits(&long[..LONGEST], &long[..LONGEST]), Some(0));
        assert_eq!(edits(&long[..LONGEST], &long), None);
    }
}
