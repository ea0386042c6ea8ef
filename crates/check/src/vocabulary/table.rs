//! Texts by what they say: open addressing over hashes, without a copy of any text.

use std::hash::{BuildHasher as _, Hasher as _};

use foldhash::quality::RandomState;

/// Numbers of texts, found by the texts. The texts themselves stay with whoever asks.
///
/// The hash is seeded anew in every process, so that no file can be made whose texts all want the same slot. What a
/// look-up costs is the memory that it touches: hashes and numbers are kept apart, and a miss is told by the hashes alone.
#[derive(Debug)]
pub(super) struct Table {
    /// The hash of the text in each slot, 0 for an empty one.
    hashes: Vec<u64>,
    /// The number of the text in each slot.
    numbers: Vec<u32>,
    seed: RandomState,
}

enum Slot {
    Empty(usize),
    Holds(usize),
}

impl Table {
    /// A table that stays at most half full with this many texts.
    pub(super) fn with_room_for(texts: usize) -> Self {
        let slots = texts.saturating_mul(2).saturating_add(1).next_power_of_two();
        Self { hashes: vec![0; slots], numbers: vec![0; slots], seed: RandomState::default() }
    }

    /// The hash of a text, never 0.
    pub(super) fn hash(&self, text: &[u8]) -> u64 {
        let mut hasher = self.seed.build_hasher();
        hasher.write(text);
        hasher.finish().max(1)
    }

    /// Keeps the number of a text. Where an equal text is there already, its number is handed back instead.
    pub(super) fn insert<'t>(
        &mut self,
        text: &[u8],
        number: u32,
        texts: impl Fn(u32) -> &'t [u8],
    ) -> Option<u32> {
        let hash = self.hash(text);
        match self.slot(hash, |number| texts(number) == text)? {
            Slot::Holds(at) => self.numbers.get(at).copied(),
            Slot::Empty(at) => {
                if let (Some(slot), Some(place)) = (self.hashes.get_mut(at), self.numbers.get_mut(at)) {
                    (*slot, *place) = (hash, number);
                }
                None
            }
        }
    }

    /// The number of a text.
    pub(super) fn find<'t>(&self, text: &[u8], texts: impl Fn(u32) -> &'t [u8]) -> Option<u32> {
        match self.slot(self.hash(text), |number| texts(number) == text)? {
            Slot::Holds(at) => self.numbers.get(at).copied(),
            Slot::Empty(_) => None,
        }
    }

    /// Whether there is a text with this hash. That another text has it, under a seed that nobody knows, is out of the
    /// question: one look-up in 2^45 with a million texts.
    pub(super) fn has_hash(&self, hash: u64) -> bool {
        matches!(self.slot(hash, |_| true), Some(Slot::Holds(_)))
    }

    /// Where the text with a hash is, or would be.
    fn slot(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Option<Slot> {
        // The number of slots is a power of two.
        let mask = self.hashes.len() - 1;
        let mut at = hash as usize & mask;
        for _ in 0..self.hashes.len() {
            let there = *self.hashes.get(at)?;
            if there == 0 {
                return Some(Slot::Empty(at));
            }
            if there == hash && is_it(*self.numbers.get(at)?) {
                return Some(Slot::Holds(at));
            }
            at = (at + 1) & mask;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn every_text_is_found_and_no_other() {
        let texts: Vec<Vec<u8>> = (0..1000).map(|n: u32| (n / 2).to_string().into_bytes()).collect();
        let mut table = Table::with_room_for(texts.len());
        let at = |number: u32| texts[number as usize].as_slice();
        for (number, text) in (0_u32..).zip(&texts) {
            let before = table.insert(text, number, at);
            assert_eq!(before, (number % 2 == 1).then(|| number - 1));
        }
        assert_eq!(table.find(b"17", at), Some(34));
        assert_eq!(table.find(b"500", at), None);
        assert!(table.has_hash(table.hash(b"17")) && !table.has_hash(table.hash(b"500")));
        assert_eq!(Table::with_room_for(0).find(b"", at), None);
    }
}
