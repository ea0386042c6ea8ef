//! Texts in arrays: where they are, and lists that they come into and go out of, by the thousand.

use std::collections::{BTreeMap, HashMap};

use ggufkit_format::{ArrayRef, Value};

use super::{Document, Entry};
use crate::error::EditError;
use crate::value::NewValue;

/// Where the texts of an array of the source stand: of each the first place, and how many there are.
#[derive(Clone, Debug)]
pub(super) struct Texts<'a> {
    kv: u64,
    places: HashMap<&'a [u8], (u64, u64)>,
}

/// How often a list has each of its texts.
pub(super) type Counts = HashMap<Vec<u8>, u64>;

/// The first place, and how many there are.
type Found = Option<(u64, u64)>;

impl<'a> Document<'a> {
    /// Where an array of texts has this one: the first place, and how many there are.
    #[must_use]
    pub fn find_text(&self, at: u64, text: &[u8]) -> Option<(u64, u64)> {
        let slot = self.slot(at)?;
        match &slot.value {
            Some(NewValue::Array(_, items)) => {
                counted(items.iter().map(|item| matches!(item, NewValue::String(is) if is == text)))
            }
            Some(_) => None,
            None => match self.view.value(self.source_kv(at)?) {
                Value::Array(array) => self.find_in_source(at, array, &slot.elements, text),
                _ => None,
            },
        }
    }

    /// The same of an array of the source some of whose elements are other ones.
    fn find_in_source(
        &self,
        at: u64,
        array: ArrayRef<'a>,
        elements: &BTreeMap<u64, NewValue>,
        text: &[u8],
    ) -> Found {
        let is = |new: &NewValue| matches!(new, NewValue::String(is) if is == text);
        let scan = || {
            counted((0..).zip(array.iter()).map(|(place, item)| match elements.get(&place) {
                Some(new) => is(new),
                None => matches!(item, Value::String(is) if is.0 == text),
            }))
        };
        // A vocabulary is gone through once, however many of its tokens are asked for.
        let texts = self.texts.get_or_init(|| {
            let mut places: HashMap<&'a [u8], (u64, u64)> = HashMap::new();
            for (place, item) in (0..).zip(array.iter()) {
                if let Value::String(text) = item {
                    let found = places.entry(text.0).or_insert((place, 0));
                    found.1 = found.1.saturating_add(1);
                }
            }
            Texts { kv: at, places }
        });
        if texts.kv != at {
            return scan();
        }
        let old = match texts.places.get(text) {
            Some((place, 1)) if elements.contains_key(place) => None,
            Some((_, count)) if *count > 1 && !elements.is_empty() => return scan(),
            found => found.copied(),
        };
        let new = elements.iter().filter(|(_, new)| is(new)).map(|(place, _)| (*place, 1));
        let both = |a: (u64, u64), b: (u64, u64)| (a.0.min(b.0), a.1.saturating_add(b.1));
        old.into_iter().chain(new).reduce(both)
    }

    /// Puts a text into a list of texts, behind all, where it is not in it; false where it is.
    ///
    /// # Errors
    /// There is no key-value with this number, or it is no array of texts.
    pub fn put_text(&mut self, at: u64, text: &[u8]) -> Result<bool, EditError> {
        let Some(mut counts) = self.counts(at) else {
            let is_new = self.find_text(at, text).is_none();
            if is_new {
                self.insert_element(at, None, NewValue::String(text.to_vec()))?;
            }
            return Ok(is_new);
        };
        let is_new = !counts.contains_key(text);
        if is_new {
            self.insert_element(at, None, NewValue::String(text.to_vec()))?;
            counts.insert(text.to_vec(), 1);
        }
        self.counts.insert(at, counts);
        Ok(is_new)
    }

    /// Takes a text out of a list of texts, wherever it is in it; the value is how often it was.
    ///
    /// # Errors
    /// There is no key-value with this number, or it is no array.
    pub fn take_text(&mut self, at: u64, text: &[u8]) -> Result<u64, EditError> {
        let is = |item: &NewValue| matches!(item, NewValue::String(is) if is == text);
        let mut counts = self.counts(at);
        let count = match &mut counts {
            Some(counts) => counts.remove(text).unwrap_or(0),
            None => self.find_text(at, text).map_or(0, |(_, count)| count),
        };
        if count > 0 {
            let items = self.items(at)?;
            let place = Some(count).filter(|count| *count == 1).and_then(|_| items.iter().position(is));
            match place {
                Some(place) => _ = items.remove(place),
                None => items.retain(|item| !is(item)),
            }
        }
        if let Some(counts) = counts {
            self.counts.insert(at, counts);
        }
        Ok(count)
    }

    /// The texts of an array that is new, counted once and taken out of the document: whoever changes the array by them puts
    /// them back, and all other changes forget them.
    fn counts(&mut self, at: u64) -> Option<Counts> {
        if let Some(counts) = self.counts.remove(&at) {
            return Some(counts);
        }
        let Some(Entry { value: Some(NewValue::Array(_, items)), .. }) = self.slot(at) else { return None };
        let mut counts = Counts::new();
        for item in items {
            if let NewValue::String(text) = item {
                let count = counts.entry(text.clone()).or_default();
                *count = count.saturating_add(1);
            }
        }
        Some(counts)
    }
}

/// The place of the first that is so, and how many are.
fn counted(are: impl Iterator<Item = bool>) -> Found {
    let mut places = (0_u64..).zip(are).filter(|(_, is)| *is);
    let (first, _) = places.next()?;
    Some((first, (places.count() as u64).saturating_add(1)))
}
