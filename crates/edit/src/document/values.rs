//! Values: what they are, what they become, and their elements.

use std::borrow::Cow;
use std::collections::BTreeMap;

use ggufkit_format::encode::{Bools, EncodeError, widen, written_type};
use ggufkit_format::spec::{KeyType, ValueType};
use ggufkit_format::{Payload, Scalar, Value};

use super::{Document, Entry};
use crate::error::EditError;
use crate::operation::Shown;
use crate::value::NewValue;

/// Type and bytes of a value, as they are written.
type Written<'b> = (ValueType, Cow<'b, [u8]>);

impl<'a> Document<'a> {
    /// The type of a value, and of its elements where it is an array.
    #[must_use]
    pub fn key_type(&self, at: u64) -> Option<KeyType> {
        match self.slot(at).and_then(|entry| entry.value.as_ref()) {
            Some(new) => Some(new.key_type()),
            None => {
                let kv = self.source_kv(at)?;
                Some(match &kv.payload {
                    Payload::Array(array) => KeyType::Array(array.element_type),
                    _ => KeyType::Scalar(kv.value_type),
                })
            }
        }
    }

    /// Elements of a value that is an array.
    #[must_use]
    pub fn array_len(&self, at: u64) -> Option<u64> {
        match self.slot(at).and_then(|entry| entry.value.as_ref()) {
            Some(NewValue::Array(_, items)) => Some(items.len() as u64),
            Some(_) => None,
            None => match &self.source_kv(at)?.payload {
                Payload::Array(array) => Some(array.count),
                _ => None,
            },
        }
    }

    /// The bytes of a value that is new.
    pub(super) fn encoded(&self, value: &NewValue) -> Result<Vec<u8>, EditError> {
        let mut bytes = Vec::new();
        value.encode(&self.encoder, &mut bytes)?;
        Ok(bytes)
    }

    /// Type and bytes of a value of the source, as they are written; its elements may be other ones.
    fn kept(&self, at: u64) -> Result<Option<Written<'_>>, EditError> {
        let Some(kv) = self.source_kv(at) else { return Ok(None) };
        let ty = written_type(kv.value_type);
        match self.slot(at) {
            Some(Entry { elements, .. }) if !elements.is_empty() => {
                Ok(Some((ty, self.with_elements(at, elements)?.into())))
            }
            _ if self.copies => Ok(self.view.bytes(kv.value_span).map(|bytes| (ty, bytes.into()))),
            _ => {
                let mut bytes = Vec::new();
                self.encoder.value(&mut bytes, self.view.value(kv), Bools::Keep)?;
                Ok(Some((ty, bytes.into())))
            }
        }
    }

    /// Type and bytes of a value, as they are written.
    fn bytes(&self, at: u64) -> Result<Option<Written<'_>>, EditError> {
        match self.slot(at).and_then(|entry| entry.value.as_ref()) {
            Some(new) => Ok(Some((new.value_type(), self.encoded(new)?.into()))),
            None => self.kept(at),
        }
    }

    /// Gives a key-value any value; false when it has this one.
    ///
    /// # Errors
    /// There is none with this number, or the value cannot be written.
    pub fn set_value(&mut self, at: u64, value: NewValue) -> Result<bool, EditError> {
        self.entry(at)?;
        let new = (value.value_type(), Cow::Owned(self.encoded(&value)?));
        if self.bytes(at)?.as_ref() == Some(&new) {
            return Ok(false);
        }
        let entry = self.entry(at)?;
        entry.elements.clear();
        entry.value = None;
        // What the source has is copied from there.
        if self.kept(at)? != Some(new) {
            self.entry(at)?.value = Some(value);
        }
        Ok(true)
    }

    /// Gives a key-value another value of fixed size; false when it has this one.
    ///
    /// # Errors
    /// There is none with this number.
    pub fn set_scalar(&mut self, at: u64, scalar: Scalar) -> Result<bool, EditError> {
        self.set_value(at, NewValue::Scalar(widen(scalar)))
    }

    /// Gives a key-value a string as its value; false when it has this one.
    ///
    /// # Errors
    /// There is none with this number.
    pub fn set_string(&mut self, at: u64, text: &[u8]) -> Result<bool, EditError> {
        self.set_value(at, NewValue::String(text.to_vec()))
    }

    /// Makes 1 of all bool bytes of a value that are neither 0 nor 1; false when there are none.
    ///
    /// # Errors
    /// There is no key-value with this number, or its bytes are not there.
    pub fn normalise_bools(&mut self, at: u64) -> Result<bool, EditError> {
        self.entry(at)?;
        let Some(value) = self.source_value(at) else { return Ok(false) };
        self.set_value(at, owned(value, Bools::Normalise)?)
    }

    /// Whether a key-value has this value: type and bytes.
    ///
    /// # Errors
    /// The value cannot be written.
    pub fn has_value(&self, at: u64, value: &NewValue) -> Result<bool, EditError> {
        let new = (value.value_type(), Cow::Owned(self.encoded(value)?));
        Ok(self.bytes(at)? == Some(new))
    }

    /// Whether two key-values have the same value: type and bytes.
    ///
    /// # Errors
    /// A value whose bytes are not there.
    pub fn same_value(&self, one: u64, other: u64) -> Result<bool, EditError> {
        Ok(match (self.bytes(one)?, self.bytes(other)?) {
            (Some(a), Some(b)) => a == b && self.key_type(one) == self.key_type(other),
            _ => false,
        })
    }

    /// The value as the source has it; `None` for a value that is new.
    #[must_use]
    pub fn source_value(&self, at: u64) -> Option<Value<'a>> {
        match self.slot(at)? {
            Entry { value: Some(_), .. } => None,
            Entry { elements, .. } if !elements.is_empty() => None,
            _ => Some(self.view.value(self.source_kv(at)?)),
        }
    }

    /// Gives an element of an array another value, which is of the type of its elements; false when it has this one.
    ///
    /// # Errors
    /// There is no key-value with this number, or it has no such element.
    pub fn set_element(&mut self, at: u64, element: u64, value: NewValue) -> Result<bool, EditError> {
        let none = EditError::NoElement { kv: at, element };
        let len = self.array_len(at).filter(|_| self.takes(at, &value)).ok_or_else(|| none.clone())?;
        if element >= len {
            return Err(none);
        }
        let new = self.encoded(&value)?;
        let old = match self.slot(at) {
            Some(Entry { value: Some(NewValue::Array(_, items)), .. }) => {
                let place = usize::try_from(element).ok();
                place.and_then(|place| items.get(place)).map(|item| self.encoded(item)).transpose()?
            }
            Some(Entry { elements, .. }) if elements.contains_key(&element) => {
                elements.get(&element).map(|item| self.encoded(item)).transpose()?
            }
            _ => match self.source_value(at).or_else(|| Some(self.view.value(self.source_kv(at)?))) {
                Some(Value::Array(array)) => {
                    let mut bytes = Vec::new();
                    let item = array.get(element).ok_or_else(|| none.clone())?;
                    self.encoder.value(&mut bytes, item, Bools::Keep)?;
                    Some(bytes)
                }
                _ => None,
            },
        };
        if old.as_ref() == Some(&new) {
            return Ok(false);
        }
        let entry = self.entry(at)?;
        match &mut entry.value {
            Some(NewValue::Array(_, items)) => {
                let place = usize::try_from(element).ok();
                *place.and_then(|place| items.get_mut(place)).ok_or(none)? = value;
            }
            _ => {
                entry.elements.insert(element, value);
            }
        }
        Ok(true)
    }

    /// Puts an element into an array, before the one at this place or behind all; the value is its place.
    ///
    /// # Errors
    /// There is no key-value with this number, or it is no array with elements of this type, or has no such place.
    pub fn insert_element(
        &mut self,
        at: u64,
        before: Option<u64>,
        value: NewValue,
    ) -> Result<u64, EditError> {
        let len = self.array_len(at).filter(|_| self.takes(at, &value));
        let len = len.ok_or(EditError::NoElement { kv: at, element: before.unwrap_or(0) })?;
        let place = before.unwrap_or(len);
        let none = EditError::NoElement { kv: at, element: place };
        self.encoded(&value)?;
        let items = self.items(at)?;
        match usize::try_from(place) {
            Ok(place) if place <= items.len() => items.insert(place, value),
            _ => return Err(none),
        }
        Ok(place)
    }

    /// Takes an element out of an array.
    ///
    /// # Errors
    /// There is no key-value with this number, or it has no such element.
    pub fn remove_element(&mut self, at: u64, element: u64) -> Result<(), EditError> {
        let none = EditError::NoElement { kv: at, element };
        if self.array_len(at).is_none_or(|len| element >= len) {
            return Err(none);
        }
        let items = self.items(at)?;
        let place = usize::try_from(element).ok().filter(|place| *place < items.len()).ok_or(none)?;
        items.remove(place);
        Ok(())
    }

    /// Whether a value is one that an array may have among its elements.
    fn takes(&self, at: u64, value: &NewValue) -> bool {
        matches!(self.key_type(at), Some(KeyType::Array(ty)) if value.value_type() == ty)
    }

    /// The elements of an array, each for itself.
    pub(super) fn items(&mut self, at: u64) -> Result<&mut Vec<NewValue>, EditError> {
        self.entry(at)?;
        let is_new = self.slot(at).is_some_and(|entry| entry.value.is_some());
        if let (false, Some(kv)) = (is_new, self.source_kv(at)) {
            let mut value = owned(self.view.value(kv), Bools::Keep)?;
            let entry = self.entry(at)?;
            if let NewValue::Array(_, items) = &mut value {
                for (place, item) in std::mem::take(&mut entry.elements) {
                    let place = usize::try_from(place).ok();
                    if let Some(old) = place.and_then(|place| items.get_mut(place)) {
                        *old = item;
                    }
                }
            }
            entry.value = Some(value);
        }
        match &mut self.entry(at)?.value {
            Some(NewValue::Array(_, items)) => Ok(items),
            _ => Err(EditError::NoElement { kv: at, element: 0 }),
        }
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
                (None, None) => return Err(EditError::Encode(EncodeError::Incomplete)),
            }
        }
        Ok(bytes)
    }

    /// A value, in so far as it is shown.
    #[must_use]
    pub fn shown(&self, at: u64) -> Option<Shown> {
        match &self.slot(at)?.value {
            Some(new) => Some(Shown::new(new)),
            None => Some(Shown::of(self.view.value(self.source_kv(at)?))),
        }
    }

    /// An element of a value that is an array, in so far as it is shown.
    #[must_use]
    pub fn shown_element(&self, at: u64, element: u64) -> Option<Shown> {
        let entry = self.slot(at)?;
        match (&entry.value, entry.elements.get(&element)) {
            (Some(NewValue::Array(_, items)), _) => items.get(usize::try_from(element).ok()?).map(Shown::new),
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

/// A value of the source as one of its own, of a type that can be written.
fn owned(value: Value<'_>, bools: Bools) -> Result<NewValue, EditError> {
    Ok(match value {
        Value::Scalar(Scalar::Bool(byte)) if bools == Bools::Normalise => {
            NewValue::Scalar(Scalar::Bool((byte != 0).into()))
        }
        Value::Scalar(scalar) => NewValue::Scalar(widen(scalar)),
        Value::String(text) => NewValue::String(text.0.to_vec()),
        Value::Array(array) => {
            let items: Vec<NewValue> =
                array.iter().map(|item| owned(item, bools)).collect::<Result<_, _>>()?;
            if items.len() as u64 != array.len() {
                return Err(EditError::Encode(EncodeError::Incomplete));
            }
            NewValue::Array(written_type(array.element_type()), items)
        }
    })
}
