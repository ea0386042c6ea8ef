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
pub(crate) fn even_signs(stored: u32) -> u8 {
    EVEN_SIGNS[(stored & 127) as usize]
}

/// 1 or -1, as bit `element` of `signs` says.
pub(crate) fn sign(signs: u8, element: usize) -> f32 {
    if signs >> (element & 7) & 1 == 1 { -1.0 } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_has_an_even_number_of_signs() {
        for (stored, signs) in EVEN_SIGNS.iter().enumerate() {
            assert_eq!(usize::from(signs & 127), stored);
            assert_eq!(signs.count_ones() % 2, 0);
        }
        // The first eight of ksigns_iq2xs.
        assert_eq!(EVEN_SIGNS[..8], [0, 129, 130, 3, 132, 5, 6, 135]);
    }
}
