//! Walking one stretch of strings along several chains at once.
//!
//! A walk over length prefixes is one long chain of dependent loads, and the processor waits for most of its time. Where
//! a string begins in the middle of a stretch can be guessed: a short length is a byte below 0x80 beside seven zeros.
//! So a stretch is walked from several guessed places side by side. A guess is never believed: the chain before it has
//! to arrive exactly there, and when it does not the stretch is walked again along the one chain that is certain.

/// Chains that are walked side by side.
const LANES: usize = 4;

/// Bytes of a stretch. It stays in the nearest cache until its text is judged.
pub(super) const STRETCH: usize = 16 << 10;

/// Bytes that must follow a stretch, so that its last string and the hops of a guess lie within the input.
pub(super) const SLACK: usize = 1 << 10;

/// Most strings that a stretch can begin: each takes at least its prefix of 8 bytes.
pub(super) const MOST: u64 = (STRETCH / 8 + LANES) as u64;

/// How far behind a lane's share a beginning is looked for: a string that is short enough ends within this.
const REACH: usize = 160;

/// Strings that one lane can begin.
const ROOM: usize = STRETCH / LANES / 8 + REACH / 8 + 2;

/// Where the strings of a stretch begin.
pub(super) struct Lanes([Lane; LANES]);

#[derive(Clone, Copy)]
struct Lane {
    at: usize,
    stop: usize,
    count: usize,
    begins: [u16; ROOM],
}

impl Lanes {
    pub(super) const fn new() -> Self {
        Self([Lane { at: 0, stop: 0, count: 0, begins: [0; ROOM] }; LANES])
    }

    /// Walks the stretch at the start of `bytes`, where a string begins; gives the bytes that its strings take. `None`
    /// when a guess was wrong or a string is 128 bytes long or longer; nothing is known then.
    ///
    /// `bytes` is at least [`STRETCH`] and [`SLACK`] long.
    #[inline]
    pub(super) fn walk(&mut self, bytes: &[u8], length: impl Fn([u8; 8]) -> u64) -> Option<usize> {
        let share = STRETCH.checked_div(LANES)?;
        let mut from = 0;
        for lane in &mut self.0 {
            lane.at = if from == 0 { 0 } else { beginning(bytes, from, &length)? };
            lane.count = 0;
            from = from.checked_add(share)?;
        }
        let begins: [usize; LANES] = core::array::from_fn(|k| self.0.get(k).map_or(0, |lane| lane.at));
        for (lane, next) in self.0.iter_mut().zip(begins.iter().skip(1).chain(core::iter::once(&STRETCH))) {
            lane.stop = *next;
        }
        let mut walking = true;
        while walking {
            walking = false;
            for lane in &mut self.0 {
                if lane.at < lane.stop {
                    let len = length(*bytes.get(lane.at..)?.first_chunk()?);
                    if len >= 128 {
                        return None;
                    }
                    *lane.begins.get_mut(lane.count)? = u16::try_from(lane.at).ok()?;
                    lane.count = lane.count.wrapping_add(1);
                    lane.at = lane.at.wrapping_add(8).wrapping_add(usize::try_from(len).ok()?);
                    walking = true;
                }
            }
        }
        let arrived = self.0.iter().zip(begins.iter().skip(1)).all(|(lane, next)| lane.at == *next);
        let end = self.0.last()?.at;
        (arrived && end <= bytes.len()).then_some(end)
    }

    /// Number of strings in the stretch.
    pub(super) fn count(&self) -> u64 {
        self.0.iter().map(|lane| lane.count).fold(0, usize::saturating_add).try_into().unwrap_or(u64::MAX)
    }

    /// Gives the beginning of every `stride`-th string, counted from `index`, which is the first string's.
    pub(super) fn every(&self, stride: u64, mut index: u64, mut take: impl FnMut(u64)) {
        for lane in &self.0 {
            let first = index.next_multiple_of(stride).saturating_sub(index);
            let (first, stride) = (usize::try_from(first), usize::try_from(stride));
            if let (Ok(first), Ok(stride)) = (first, stride) {
                let begins = lane.begins.get(first..lane.count).unwrap_or_default();
                begins.iter().step_by(stride.max(1)).for_each(|begin| take(u64::from(*begin)));
            }
            index = index.saturating_add(lane.count.try_into().unwrap_or(u64::MAX));
        }
    }
}

/// A place at or behind `from` where a string seems to begin: three short lengths in a row, each where the one before it
/// ends.
fn beginning(bytes: &[u8], from: usize, length: &impl Fn([u8; 8]) -> u64) -> Option<usize> {
    let hop = |at: usize| -> Option<usize> {
        let len = length(*bytes.get(at..)?.first_chunk()?);
        (len < 128).then_some(at.checked_add(8)?.checked_add(usize::try_from(len).ok()?)?)
    };
    (from..from.checked_add(REACH)?).find(|&at| hop(at).and_then(hop).and_then(hop).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// Strings of lengths that look random, as they stand in a little-endian file, and where each begins.
    fn strings(n: usize, most: u64) -> (Vec<u8>, Vec<usize>) {
        let (mut bytes, mut begins, mut state) = (Vec::new(), Vec::new(), 1_u64);
        for _ in 0..n {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let len = (state >> 33) % most;
            begins.push(bytes.len());
            bytes.extend(len.to_le_bytes());
            bytes.extend((0..len).map(|i| b'a' + (i % 26) as u8));
        }
        (bytes, begins)
    }

    #[test]
    fn a_stretch_has_every_string_once() {
        for most in [1, 2, 9, 40, 128] {
            let (bytes, begins) = strings(STRETCH + SLACK, most);
            let mut lanes = Lanes::new();
            let Some(end) = lanes.walk(&bytes, u64::from_le_bytes) else {
                // Empty strings alone are zeros: where one begins cannot be guessed.
                assert!(most <= 2, "strings shorter than {most}");
                continue;
            };
            let inside: Vec<u64> = begins.iter().filter(|b| **b < end).map(|b| *b as u64).collect();
            assert!(end >= STRETCH && begins.contains(&end));
            assert_eq!(lanes.count(), inside.len() as u64);
            let mut all = Vec::new();
            lanes.every(1, 0, |begin| all.push(begin));
            assert_eq!(all, inside);
            // Counted from 5, every 64th is the 59th, the 123rd, …
            let mut marks = Vec::new();
            lanes.every(64, 5, |begin| marks.push(begin));
            assert_eq!(marks, inside.iter().copied().skip(59).step_by(64).collect::<Vec<_>>());
        }
    }

    #[test]
    fn what_only_looks_like_a_beginning_is_not_believed() {
        // One long string whose bytes are themselves well-formed short strings, in every phase.
        let (inner, _) = strings(STRETCH, 20);
        for shift in 0..32 {
            let mut bytes = Vec::from(100_u64.to_le_bytes());
            bytes.extend(&inner[shift..]);
            let mut lanes = Lanes::new();
            if let Some(end) = lanes.walk(&bytes, u64::from_le_bytes) {
                let (mut at, mut count) = (0, 0);
                while at < STRETCH {
                    at += 8 + u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
                    count += 1;
                }
                assert_eq!((at, count), (end, lanes.count()));
            }
        }
    }

    #[test]
    fn a_long_string_ends_the_attempt() {
        let (mut bytes, begins) = strings(STRETCH, 40);
        let at = begins[100];
        bytes[at..at + 8].copy_from_slice(&128_u64.to_le_bytes());
        assert_eq!(Lanes::new().walk(&bytes, u64::from_le_bytes), None);
    }
}
