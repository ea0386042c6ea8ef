//! Key-values that are new, set, or moved.

use std::collections::BTreeMap;

use ggufkit_format::encode::Bools;
use ggufkit_format::spec::{KeyType, ValueType};
use ggufkit_format::{Kv, Payload, Value};

use super::{Document, Entry, New, lookup};
use crate::error::EditError;
use crate::operation::Shown;
use crate::value::NewValue;

impl Document<'_> {
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

    /// The type of a value, and of its elements where it is an array.
    #[must_use]
    pub fn key_type(&self, at: u64) -> Option<KeyType> {
        match self.slot(at).and_then(|entry| entry.value.as_ref()) {
            Some(New { items: Some((element, _)), .. }) => Some(KeyType::Array(*element)),
            Some(new) => Some(KeyType::Scalar(new.ty)),
            None => self.source_kv(at).map(Kv::key_type),
        }
    }

    /// Elements of a value that is an array.
    #[must_use]
    pub fn array_len(&self, at: u64) -> Option<u64> {
        match self.slot(at).and_then(|entry| entry.value.as_ref()) {
            Some(New { items: Some((_, items)), .. }) => Some(items.len() as u64),
            Some(_) => None,
            None => match &self.source_kv(at)?.payload {
                Payload::Array(array) => Some(array.count),
                _ => None,
            },
        }
    }

    fn new_value(&self, value: NewValue) -> Result<New, EditError> {
        let mut bytes = Vec::new();
        value.encode(&self.encoder, &mut bytes)?;
        let ty = value.value_type();
        Ok(match value {
            NewValue::Scalar(scalar) => New { ty, scalar: Some(scalar), bytes, items: None },
            NewValue::String(_) => New { ty, scalar: None, bytes, items: None },
            NewValue::Array(element, items) => New { ty, scalar: None, bytes, items: Some((element, items)) },
        })
    }

    /// Gives a key-value any value; false when it has this one.
    ///
    /// # Errors
    /// There is none with this number, or the value cannot be written.
    pub fn set_value(&mut self, at: u64, value: NewValue) -> Result<bool, EditError> {
        let new = self.new_value(value)?;
        self.set(at, new)
    }

    /// Whether a key-value has this value: type and bytes.
    ///
    /// # Errors
    /// The value cannot be written.
    pub fn has_value(&self, at: u64, value: NewValue) -> Result<bool, EditError> {
        let new = self.new_value(value)?;
        Ok(match self.slot(at) {
            Some(Entry { value: Some(old), .. }) => old.ty == new.ty && old.bytes == new.bytes,
            Some(entry) if entry.elements.is_empty() => self.source_is(at, &new)?,
            Some(entry) => {
                new.ty == ValueType::ARRAY && self.with_elements(at, &entry.elements)? == new.bytes
            }
            None => false,
        })
    }

    /// Whether an element of an array is this text.
    #[must_use]
    pub fn element_is_text(&self, at: u64, element: u64, text: &[u8]) -> bool {
        let changed = self.slot(at).is_some_and(Entry::is_changed);
        match (changed, self.source_kv(at)) {
            // Of an array as it is in the source nothing is copied.
            (false, Some(kv)) => match self.view.value(kv) {
                Value::Array(array) => matches!(array.get(element), Some(Value::String(is)) if is.0 == text),
                _ => false,
            },
            _ => matches!(self.shown_element(at, element), Some(Shown::Text(is)) if is == text),
        }
    }

    /// Gives an element of an array another value, which is of the type of its elements.
    ///
    /// # Errors
    /// There is no key-value with this number, or it has no such element.
    pub fn set_element(&mut self, at: u64, element: u64, value: NewValue) -> Result<(), EditError> {
        let fits = match self.key_type(at) {
            Some(KeyType::Array(ty)) => value.key_type() == KeyType::Scalar(ty),
            _ => false,
        };
        if !fits || self.array_len(at).is_none_or(|len| element >= len) {
            return Err(EditError::NoElement { kv: at, element });
        }
        let encoder = self.encoder;
        let entry = self.entry(at)?;
        match &mut entry.value {
            Some(New { items: Some((ty, items)), bytes, .. }) => {
                let place = usize::try_from(element).map_err(|_| EditError::NoElement { kv: at, element })?;
                if let Some(item) = items.get_mut(place) {
                    *item = value;
                }
                bytes.clear();
                encoder.array_header(bytes, *ty, items.len() as u64);
                items.iter().try_for_each(|item| item.encode(&encoder, bytes))?;
            }
            _ => {
                entry.elements.insert(element, value);
            }
        }
        Ok(())
    }

    /// The bytes of the source's array with other elements in the place of some.
    pub(super) fn with_elements(
        &self,
        at: u64,
        elements: &BTreeMap<u64, NewValue>,
    ) -> Result<Vec<u8>, EditError> {
        let Some(Value::Array(array)) = self.source_kv(at).map(|kv| self.view.value(kv)) else {
            return Err(EditError::NoKv(at));
        };
        let mut bytes = Vec::new();
        self.encoder.array_header(&mut bytes, array.element_type(), array.len());
        let mut items = array.iter();
        for place in 0..array.len() {
            let item = items.next();
            match (elements.get(&place), item) {
                (Some(new), _) => new.encode(&self.encoder, &mut bytes)?,
                (None, Some(item)) => self.encoder.value(&mut bytes, item, Bools::Keep)?,
                (None, None) => {
                    return Err(EditError::Encode(ggufkit_format::encode::EncodeError::Incomplete));
                }
            }
        }
        Ok(bytes)
    }

    /// Adds a key-value behind the others; the value is its number.
    ///
    /// # Errors
    /// The value cannot be written.
    pub fn add(&mut self, key: &[u8], value: NewValue) -> Result<u64, EditError> {
        let new = self.new_value(value)?;
        Ok(self.push(key, new))
    }

    pub(super) fn push(&mut self, key: &[u8], value: New) -> u64 {
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

    /// A value, in so far as it is shown.
    #[must_use]
    pub fn shown(&self, at: u64) -> Option<Shown> {
        match self.slot(at)? {
            Entry { value: Some(New { scalar: Some(scalar), .. }), .. } => Some(Shown::Scalar(*scalar)),
            Entry { value: Some(New { items: Some((ty, items)), .. }), .. } => {
                Some(Shown::Array(KeyType::Array(*ty), items.len() as u64))
            }
            // A string is its length and its bytes.
            Entry { value: Some(new), .. } => new.bytes.get(8..).map(|text| Shown::Text(text.to_vec())),
            _ => Some(Shown::of(self.view.value(self.source_kv(at)?))),
        }
    }

    /// An element of a value that is an array, in so far as it is shown.
    #[must_use]
    pub fn shown_element(&self, at: u64, element: u64) -> Option<Shown> {
        let entry = self.slot(at)?;
        match (&entry.value, entry.elements.get(&element)) {
            (Some(New { items: Some((_, items)), .. }), _) => {
                items.get(usize::try_from(element).ok()?).map(Shown::new)
            }
            (Some(_), _) => None,
            (None, Some(new)) => Some(Shown::new(new)),
            (None, None) => match self.view.value(self.source_kv(at)?) {
                Value::Array(array) => array.get(element).map(Shown::of),
                _ => None,
            },
        }
    }

    /// Whether a value is one of text.
    pub(super) fn is_text(&self, at: u64) -> bool {
        self.key_type(at) == Some(KeyType::Scalar(ValueType::STRING))
    }
}
