//! Key-values: which there are, what they are called, and in which order they are written.

use ggufkit_format::encode::widen;
use ggufkit_format::{Kv, Payload, Scalar, layout};

use super::{ALIGNMENT, Document, Entry, lookup};
use crate::error::EditError;
use crate::value::NewValue;

impl<'a> Document<'a> {
    /// The numbers of all key-values with this key, in the order in which they are written.
    pub fn find(&self, key: &[u8]) -> Vec<u64> {
        let all = || (0..self.kv_count()).map(|at| self.key(at));
        let found = self.keys.find(key, all).iter().map(|&at| at as u64);
        let found: Vec<u64> = found.filter(|&at| self.is_there(at)).collect();
        match &self.kv_order {
            Some(order) if found.len() > 1 => {
                order.iter().map(|&at| at as u64).filter(|at| found.contains(at)).collect()
            }
            _ => found,
        }
    }

    /// The numbers of the key-values that are there, in the order in which they are written.
    pub fn kv_order(&self) -> impl Iterator<Item = u64> {
        let there = self.kv_order.iter().flatten().map(|&at| at as u64);
        let all = if self.kv_order.is_none() { 0..self.kv_count() } else { 0..0 };
        there.chain(all).filter(|&at| self.is_there(at))
    }

    /// Adds a key-value behind the others; the value is its number.
    ///
    /// # Errors
    /// The value cannot be written.
    pub fn add(&mut self, key: &[u8], value: NewValue) -> Result<u64, EditError> {
        self.encoded(&value)?;
        Ok(self.push(key, value))
    }

    pub(super) fn push(&mut self, key: &[u8], value: NewValue) -> u64 {
        let at = self.kvs.len();
        self.keys.add(key, at);
        self.kvs.push(Entry { key: Some(key.to_vec()), value: Some(value), ..Entry::default() });
        if let Some(order) = &mut self.kv_order {
            order.push(at);
        }
        at as u64
    }

    /// Moves a key-value before another one, or behind all; false when it stands there.
    ///
    /// # Errors
    /// There is none with one of these numbers.
    pub fn move_kv(&mut self, at: u64, before: Option<u64>) -> Result<bool, EditError> {
        self.entry(at)?;
        if let Some(before) = before {
            self.entry(before)?;
        }
        if before == Some(at) {
            return Ok(false);
        }
        let number = |at: u64| usize::try_from(at).map_err(|_| EditError::NoKv(at));
        let (at, before) = (number(at)?, before.map(number).transpose()?);
        let (kvs, count) = (&self.kvs, self.kvs.len());
        let order = self.kv_order.get_or_insert_with(|| (0..count).collect());
        let there = |at: usize| kvs.get(at).is_some_and(|entry| !entry.removed);
        if lookup::stands(order, at, before, there) {
            return Ok(false);
        }
        lookup::put(order, at, before);
        Ok(true)
    }

    /// The alignment that the document declares: that of the first `general.alignment` that is a positive integer, or 32.
    #[must_use]
    pub fn alignment(&self) -> u64 {
        let declared = (0..self.kv_count()).filter(|&at| self.is_there(at) && self.key(at) == ALIGNMENT);
        layout::declared_alignment(declared.filter_map(|at| self.scalar(at)?.as_u64()))
    }

    /// Declares an alignment: where the document has a `general.alignment`, in it, else in one that is added.
    pub fn set_alignment(&mut self, alignment: u32) {
        let mut declared = (0..self.kv_count()).filter(|&at| self.is_there(at) && self.key(at) == ALIGNMENT);
        let at = declared.next();
        let value = NewValue::Scalar(Scalar::U32(alignment));
        match at.and_then(|at| self.entry(at).ok()) {
            Some(entry) => entry.value = Some(value),
            None => {
                self.push(ALIGNMENT, value);
            }
        }
    }

    /// Number of key-values, the removed ones and the added ones included.
    #[must_use]
    pub fn kv_count(&self) -> u64 {
        self.kvs.len() as u64
    }

    /// Whether the key-value with this number is there and was not removed.
    #[must_use]
    pub fn is_there(&self, at: u64) -> bool {
        self.slot(at).is_some_and(|entry| !entry.removed)
    }

    /// Whether the key-value with this number is other than in the source.
    #[must_use]
    pub fn is_changed(&self, at: u64) -> bool {
        self.slot(at).is_some_and(|entry| entry.is_changed())
    }

    /// The key of a key-value.
    #[must_use]
    pub fn key(&self, at: u64) -> &[u8] {
        match self.slot(at).and_then(|entry| entry.key.as_deref()) {
            Some(key) => key,
            None => self.source_kv(at).map(|kv| self.view.key(kv).0).unwrap_or_default(),
        }
    }

    pub(super) fn slot(&self, at: u64) -> Option<&Entry> {
        self.kvs.get(usize::try_from(at).ok()?)
    }

    pub(super) fn source_kv(&self, at: u64) -> Option<&'a Kv> {
        self.index().kvs().get(usize::try_from(at).ok()?)
    }

    /// The value of a key-value, where it is of fixed size.
    #[must_use]
    pub fn scalar(&self, at: u64) -> Option<Scalar> {
        match self.slot(at).and_then(|entry| entry.value.as_ref()) {
            Some(NewValue::Scalar(scalar)) => Some(*scalar),
            Some(_) => None,
            None => match self.source_kv(at)?.payload {
                Payload::Scalar(scalar) => Some(widen(scalar)),
                _ => None,
            },
        }
    }

    pub(super) fn entry(&mut self, at: u64) -> Result<&mut Entry, EditError> {
        let place = usize::try_from(at).map_err(|_| EditError::NoKv(at))?;
        self.counts.remove(&at);
        self.kvs.get_mut(place).filter(|entry| !entry.removed).ok_or(EditError::NoKv(at))
    }

    /// Takes a key-value out. Others keep their numbers.
    ///
    /// # Errors
    /// There is none with this number (any more).
    pub fn remove(&mut self, at: u64) -> Result<(), EditError> {
        *self.entry(at)? = Entry { removed: true, ..Entry::default() };
        Ok(())
    }

    /// Gives a key-value another key; false when it has this one.
    ///
    /// # Errors
    /// There is none with this number.
    pub fn set_key(&mut self, at: u64, key: &[u8]) -> Result<bool, EditError> {
        self.entry(at)?;
        let differs = self.key(at) != key;
        if differs {
            let (old, place) = (self.key(at).to_vec(), usize::try_from(at).map_err(|_| EditError::NoKv(at))?);
            self.keys.remove(&old, place);
            self.keys.add(key, place);
            self.entry(at)?.key = Some(key.to_vec());
        }
        Ok(differs)
    }
}
