//! Texts by what they say: open addressing over numbers, without a copy of any text.

use std::hash::{BuildHasher as _, RandomState};

/// Numbers of texts, found by the texts. The texts themselves stay with whoever asks.
///
/// A slot is the upper half of a text's hash and its number plus one; 0 is an empty one. The hash is seeded anew in every
/// process, so that no file can be made whose texts all want the same slot.
#[derive(Debug)]
pub(super) struct Table {
    slots: Vec<u64>,
    seed: RandomState,
}

enum Slot {
    Empty(usize),
    Holds(u32),
}

impl Table {
    /// A table that stays at most three quarters full with this many texts.
    pub(super) fn with_room_for(texts: usize) -> Self {
        let slots = texts.saturating_add(texts / 3).saturating_add(1).next_power_of_two();
        Self { slots: vec![0; slots], seed: RandomState::new() }
    }

    /// Keeps the number of a text. Where an equal text is there already, its number is handed back instead.
    pub(super) fn insert<'t>(
        &mut self,
        text: &[u8],
        number: u32,
        texts: impl Fn(u32) -> &'t [u8],
    ) -> Option<u32> {
        let hash = self.seed.hash_one(text);
        match self.slot(hash, text, texts) {
            Some(Slot::Holds(before)) => Some(before),
            Some(Slot::Empty(at)) => {
                if let Some(slot) = self.slots.get_mut(at) {
                    *slot = (hash & TAG) | (u64::from(number) + 1);
                }
                None
            }
            None => None,
        }
    }

    /// The number of a text.
    pub(super) fn find<'t>(&self, text: &[u8], texts: impl Fn(u32) -> &'t [u8]) -> Option<u32> {
        match self.slot(self.seed.hash_one(text), text, texts)? {
            Slot::Holds(number) => Some(number),
            Slot::Empty(_) => None,
        }
    }

    /// Where a text is, or would be.
    fn slot<'t>(&self, hash: u64, text: &[u8], texts: impl Fn(u32) -> &'t [u8]) -> Option<Slot> {
        // The number of slots is a power of two.
        let mask = self.slots.len() - 1;
        let start = hash as usize & mask;
        for step in 0..self.slots.len() {
            let at = (start + step) & mask;
            let slot = *self.slots.get(at)?;
            if slot == 0 {
                return Some(Slot::Empty(at));
            }
            let number = ((slot & !TAG) - 1) as u32;
            if slot & TAG == hash & TAG && texts(number) == text {
                return Some(Slot::Holds(number));
            }
        }
        None
    }
}

/// The half of a slot that is of the hash.
const TAG: u64 = 0xffff_ffff_0000_0000;

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
        assert_eq!(Table::with_room_for(0).find(b"", at), None);
    }
}
