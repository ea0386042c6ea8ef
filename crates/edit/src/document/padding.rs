//! Room in the head: a key whose value is nothing but padding, so that the data need not move, or moves by whole blocks.

use ggufkit_format::layout;
use ggufkit_format::spec::{ValueType, keys};

use super::{Document, New};
use crate::error::EditError;

/// Most padding that a head gets. It is read with the head, by everybody, and an alignment of a hostile file may ask for any.
const MOST: u64 = 64 << 20;

/// Padding that is rather kept, as room for later changes, than taken out by moving the data.
const KEEP: u64 = 64 << 10;

/// What a padding key's record has beside its padding: the lengths of key and value, and the type.
const RECORD: u64 = 8 + 4 + 8;

impl Document<'_> {
    /// The padding key, and the bytes of padding that it holds.
    #[must_use]
    pub fn padding(&self) -> Option<(u64, u64)> {
        let at = self.padding_at()?;
        let len = match self.slot(at).and_then(|entry| entry.value.as_ref()) {
            Some(new) => (new.bytes.len() as u64).saturating_sub(8),
            None => self.source_kv(at)?.value_span.len.saturating_sub(8),
        };
        Some((at, len))
    }

    fn padding_at(&self) -> Option<u64> {
        self.kv_order().find(|&at| self.is_padding(at))
    }

    /// Gives the head a length with which the data stands where it stood, or a multiple of `block` bytes further on or
    /// further back, and at least `reserve` bytes of padding: with a padding key, where that is needed.
    ///
    /// Without `block` data that cannot stay goes where it goes, and padding that was there stays as long as it was.
    ///
    /// Data that is not there, because the file ends before it would begin, is no reason for padding.
    ///
    /// # Errors
    /// Bytes of the head that are not there; [`EditError::Padding`] and [`EditError::NoPaddingKey`].
    pub fn fit(&mut self, block: Option<u64>, reserve: u64) -> Result<(), EditError> {
        if reserve > MOST {
            return Err(EditError::Padding { asked: reserve, most: MOST });
        }
        let old = self.padding();
        let absent = self.index().data_start().is_some_and(|start| start > self.size);
        if absent || self.anew.is_some() || self.index().tensors().is_empty() {
            // All data is laid out anew, or there is none.
            return if reserve > old.map_or(0, |(_, len)| len) { self.pad(reserve) } else { Ok(()) };
        }
        let base = self.index().header().base;
        let start = self.index().data_start().unwrap_or(self.size).saturating_sub(base);
        let alignment = self.alignment();
        let Some(written) = old.map(|(at, _)| self.key(at)).or_else(|| self.free_key()) else {
            // Keys of somebody's are in the way: the data goes where it goes.
            return if reserve > 0 { Err(EditError::NoPaddingKey) } else { Ok(()) };
        };
        // The head without any padding, and what a padding key takes at least.
        let least = RECORD.saturating_add(written.len() as u64);
        let head = self.plan_head()?.len();
        let bare = match old {
            Some((_, len)) => head.saturating_sub(least).saturating_sub(len),
            None => head,
        };
        if reserve == 0 && layout::align_up(bare, alignment) == Some(start) {
            return match old {
                Some((at, _)) => self.remove(at),
                None => Ok(()),
            };
        }
        let needed = bare.saturating_add(least).saturating_add(reserve);
        // Room that somebody asked for once is not taken from them.
        let room = KEEP.max(reserve).saturating_add(old.map_or(0, |(_, len)| len));
        let step = block.and_then(|block| common_multiple(block, alignment));
        let kept = reserve.max(old.map_or(0, |(_, len)| len)).min(MOST);
        let unmoved = if old.is_some() || reserve > 0 { Some(kept) } else { None };
        let target = match step {
            _ if needed <= start && start.saturating_sub(needed) <= room => start,
            Some(step) if needed > start => {
                let steps = needed.saturating_sub(start).div_ceil(step);
                start.saturating_add(steps.saturating_mul(step))
            }
            Some(step) => {
                let steps = start.saturating_sub(needed).checked_div(step).unwrap_or(0);
                start.saturating_sub(steps.saturating_mul(step))
            }
            None if needed <= start => start,
            None => return unmoved.map_or(Ok(()), |len| self.pad(len)),
        };
        match target.saturating_sub(bare).saturating_sub(least) {
            len if len <= MOST => self.pad(len),
            _ => unmoved.map_or(Ok(()), |len| self.pad(len)),
        }
    }

    /// Gives the padding key so many bytes of padding.
    fn pad(&mut self, len: u64) -> Result<(), EditError> {
        let len = usize::try_from(len).map_err(|_| ggufkit_format::PlanError::TooLong)?;
        // Spaces: a string as any other, for readers that print it.
        let text = vec![b' '; len];
        match self.padding_at() {
            Some(at) => self.set_string(at, &text).map(|_| ()),
            None => {
                let key = self.free_key().ok_or(EditError::NoPaddingKey)?;
                let mut bytes = Vec::new();
                self.encoder.string(&mut bytes, &text);
                let value = New { ty: ValueType::STRING, scalar: None, bytes, items: None };
                self.push(key, value);
                Ok(())
            }
        }
    }

    /// The padding key that can be added: one that is there already, and is no padding, is somebody's.
    fn free_key(&self) -> Option<&'static [u8]> {
        keys::PADDING.iter().map(|key| key.as_bytes()).find(|key| self.find(key).is_empty())
    }

    /// Whether a key-value is one that pads the head.
    #[must_use]
    pub fn is_padding(&self, at: u64) -> bool {
        // One that says something is somebody's, and is not written over.
        let room = |text: &[u8]| keys::room(self.key(at), text).is_some();
        self.is_text(at)
            && match self.slot(at).and_then(|entry| entry.value.as_ref()) {
                Some(new) => new.bytes.get(8..).is_some_and(room),
                None => self.source_value(at).and_then(|value| value.as_bytes()).is_some_and(room),
            }
    }
}

fn common_multiple(a: u64, b: u64) -> Option<u64> {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x.checked_rem(y)?);
    }
    a.checked_div(x)?.checked_mul(b)
}
