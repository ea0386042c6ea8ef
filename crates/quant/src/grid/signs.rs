//! The signs of a group of eight where seven bits hold them.

/// Seven stored signs with the eighth (`ksigns_iq2xs` in ggml): the number of signs of a group is even, so the eighth is
/// the parity of the seven.
pub(crate) static EVEN_SIGNS: [u8; 128] = {
    let mut table = [0; 128];
    let mut stored = 0_u8;
    while stored < 128 {
        table[stored as usize] = stored | ((stored.count_ones() as u8 & 1) << 7);
        stored += 1;
    }
    table
};

/// All eight signs for the seven that are stored in the low bits of `stored`; bits above them are not looked at.
#[inline(always)]
pub(crate) fn even_signs(stored: u32) -> u8 {
    EVEN_SIGNS[(stored & 127) as usize]
}

/// For eight signs, what turns the bits of positive floats into those of the signed ones (`kmask_iq2xs` in C).
pub(crate) static SIGN_BITS: [[u32; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut bit = 0;
    while bit < 256 * 8 {
        if (bit / 8) >> (bit % 8) & 1 == 1 {
            table[bit / 8][bit % 8] = 1 << 31;
        }
        bit += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::super::points::tests::checksum;
    use super::*;

    #[test]
    fn every_group_has_an_even_number_of_signs() {
        for (stored, signs) in EVEN_SIGNS.iter().enumerate() {
            assert_eq!(usize::from(signs & 127), stored);
            assert_eq!(signs.count_ones() % 2, 0);
        }
        assert_eq!(SIGN_BITS[0b1000_0101].map(|bits| bits >> 31), [1, 0, 1, 0, 0, 0, 0, 1]);
        // The first eight of ksigns_iq2xs, and the checksum of the signs that the reference decoder answers for all 128.
        assert_eq!(EVEN_SIGNS[..8], [0, 129, 130, 3, 132, 5, 6, 135]);
        assert_eq!(checksum(&EVEN_SIGNS.map(|signs| [signs.cast_signed()])), 0xf19b_a8f8_c329_2ba5);
    }
}
