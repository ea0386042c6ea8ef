//! From a row of bits to the points of a codebook.

/// Which of the possible points a row of bits counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Counted {
    /// All of them.
    All,
    /// Those whose digits have an even sum: the books that are cut from the lattice D8 have no other.
    EvenSum,
}

/// The points of a codebook, in the order of their index.
///
/// A possible point is `D` digits below `LEVELS`, the first the lowest; `levels` has the value of each digit. Bits beyond
/// the last possible point are not looked at, points beyond `N` are not taken; the tests of the books hold that there
/// are none of either.
pub(super) const fn expand<const D: usize, const LEVELS: usize, const N: usize>(
    bits: &[u64],
    counted: Counted,
    levels: [i8; LEVELS],
) -> [[i8; D]; N] {
    let mut book = [[0; D]; N];
    let mut digits = [0_usize; D];
    let (mut possible, mut taken, mut sum) = (0, 0, 0);
    while possible / 64 < bits.len() && taken < N {
        let is_counted = matches!(counted, Counted::All) || sum % 2 == 0;
        if is_counted {
            if bits[possible / 64] >> (possible % 64) & 1 == 1 {
                let mut at = 0;
                while at < D {
                    book[taken][at] = levels[digits[at]];
                    at += 1;
                }
                taken += 1;
            }
            possible += 1;
        }
        // The next number: digits at their end go back to zero, the first that is not goes up.
        let mut at = 0;
        while at < D && digits[at] == LEVELS - 1 {
            sum -= digits[at];
            digits[at] = 0;
            at += 1;
        }
        if at == D {
            break;
        }
        digits[at] += 1;
        sum += 1;
    }
    book
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use ggufkit_testkit::random::fnv1a;

    /// FNV-1a over a book's values as bytes, in order.
    pub(in crate::grid) fn checksum<const D: usize>(book: &[[i8; D]]) -> u64 {
        fnv1a(book.iter().flatten().map(|value| value.cast_unsigned()))
    }

    /// How many points a row of bits has.
    pub(in crate::grid) fn count(bits: &[u64]) -> usize {
        bits.iter().map(|word| word.count_ones() as usize).sum()
    }

    #[test]
    fn the_first_digit_is_the_lowest() {
        let all = expand::<2, 3, 9>(&[0x1ff], Counted::All, [-1, 0, 1]);
        assert_eq!(all, [[-1, -1], [0, -1], [1, -1], [-1, 0], [0, 0], [1, 0], [-1, 1], [0, 1], [1, 1]]);
        let some = expand::<2, 3, 3>(&[0b1_0000_0110], Counted::All, [10, 20, 30]);
        assert_eq!(some, [[20, 10], [30, 10], [30, 30]]);
    }

    #[test]
    fn bits_count_even_sums_alone_where_asked() {
        let even = expand::<2, 3, 5>(&[0x1f], Counted::EvenSum, [0, 1, 2]);
        assert_eq!(even, [[0, 0], [2, 0], [1, 1], [0, 2], [2, 2]]);
        let even = expand::<2, 4, 8>(&[0xff], Counted::EvenSum, [0, 1, 2, 3]);
        assert_eq!(even, [[0, 0], [2, 0], [1, 1], [3, 1], [0, 2], [2, 2], [1, 3], [3, 3]]);
    }
}
