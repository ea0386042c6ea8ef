//! Operations on key-values.

use ggufkit_format::Scalar;
use ggufkit_format::spec::{KeyType, ValueType, keys};

use super::value::{position, value};
use super::{Done, Element, Given, OperationError, Shown, glob};
use crate::document::{ALIGNMENT, Document};
use crate::value::NewValue;

/// The keys that a text names: the one that is called so, or those that it matches as a pattern.
pub(super) fn matching(document: &Document<'_>, pattern: &[u8]) -> Result<Vec<u64>, OperationError> {
    let exact = document.find(pattern);
    if !exact.is_empty() {
        return Ok(exact);
    }
    let Some(glob) = glob(pattern)? else { return Ok(Vec::new()) };
    Ok(document.kv_order().filter(|&at| glob.matches(document.key(at))).collect())
}

pub(super) fn one(document: &Document<'_>, key: &[u8]) -> Result<u64, OperationError> {
    match document.find(key).as_slice() {
        [] => Err(OperationError::NoKey(key.to_vec())),
        [at] => Ok(*at),
        several => Err(OperationError::Several { name: key.to_vec(), count: several.len() as u64 }),
    }
}

pub(super) fn set(
    document: &mut Document<'_>,
    key: &[u8],
    ty: Option<KeyType>,
    given: &Given,
) -> Result<Vec<Done>, OperationError> {
    let there = match one(document, key) {
        Err(OperationError::NoKey(_)) => None,
        other => Some(other?),
    };
    let known = || keys::lookup(key).and_then(|info| info.types.first().copied());
    let ty = ty.or_else(|| there.and_then(|at| document.key_type(at))).or_else(known);
    let new = value(document, key, ty.ok_or_else(|| OperationError::NoType(key.to_vec()))?, given)?;
    if key == ALIGNMENT {
        return set_alignment(document, there, &new);
    }
    let before = there.and_then(|at| document.shown(at));
    let (at, changed) = match there {
        Some(at) => (at, document.set_value(at, new)?),
        None => (document.add(key, new)?, true),
    };
    let done = Done::new("set", key).values(before, document.shown(at));
    Ok(changed.then_some(done).into_iter().collect())
}

/// The number of the key of a list; `None` where there is no such key.
fn texts(document: &Document<'_>, key: &[u8]) -> Result<Option<u64>, OperationError> {
    match one(document, key) {
        Err(OperationError::NoKey(_)) => Ok(None),
        Ok(at) if document.key_type(at) == Some(KeyType::Array(ValueType::STRING)) => Ok(Some(at)),
        Ok(_) => Err(OperationError::NoElement { key: key.to_vec(), element: 0, len: None }),
        Err(error) => Err(error),
    }
}

pub(super) fn list(
    document: &mut Document<'_>,
    key: &[u8],
    item: &[u8],
) -> Result<Vec<Done>, OperationError> {
    let there = texts(document, key)?;
    let before = there.and_then(|at| document.shown(at));
    let at = match there {
        Some(at) if !document.put_text(at, item)? => return Ok(Vec::new()),
        Some(at) => at,
        None => {
            let item = NewValue::String(item.to_vec());
            document.add(key, NewValue::Array(ValueType::STRING, vec![item]))?
        }
    };
    Ok(vec![Done::new("set", key).values(before, document.shown(at))])
}

pub(super) fn unlist(
    document: &mut Document<'_>,
    key: &[u8],
    item: &[u8],
) -> Result<Vec<Done>, OperationError> {
    let Some(at) = texts(document, key)? else { return Ok(Vec::new()) };
    let before = document.shown(at);
    let changed = document.take_text(at, item)? > 0;
    if changed && document.array_len(at) == Some(0) {
        return take_out(document, at).map(|done| vec![Done { before, ..done }]);
    }
    let done = Done::new("set", key).values(before, document.shown(at));
    Ok(changed.then_some(done).into_iter().collect())
}

/// Another alignment moves the data.
fn set_alignment(
    document: &mut Document<'_>,
    there: Option<u64>,
    new: &NewValue,
) -> Result<Vec<Done>, OperationError> {
    let number = match new {
        NewValue::Scalar(scalar) => scalar.as_u64().and_then(|number| u32::try_from(number).ok()),
        _ => None,
    };
    let to = number.filter(|number| *number > 0).ok_or(OperationError::Alignment)?;
    let before = there.and_then(|at| document.shown(at));
    if there.is_some() && document.alignment() == u64::from(to) {
        return Ok(Vec::new());
    }
    let moves = document.alignment() != u64::from(to);
    document.set_alignment(to);
    if moves {
        document.relayout()?;
    }
    let after = Some(Shown::Scalar(Scalar::U32(to)));
    Ok(vec![Done::new("set", ALIGNMENT).values(before, after)])
}

/// An array, the type of its elements, and their number.
pub(super) fn array(document: &Document<'_>, key: &[u8]) -> Result<(u64, ValueType, u64), OperationError> {
    let at = one(document, key)?;
    match (document.key_type(at), document.array_len(at)) {
        (Some(KeyType::Array(of)), Some(len)) => Ok((at, of, len)),
        _ => Err(OperationError::NoElement { key: key.to_vec(), element: 0, len: None }),
    }
}

pub(super) fn set_element(
    document: &mut Document<'_>,
    key: &[u8],
    element: &Element,
    ty: Option<KeyType>,
    given: &Given,
) -> Result<Vec<Done>, OperationError> {
    let (at, of, len) = array(document, key)?;
    let place = position(document, key, element, len)?;
    if place >= len {
        return Err(OperationError::NoElement { key: key.to_vec(), element: place, len: Some(len) });
    }
    let new = value(document, key, ty.unwrap_or(KeyType::Scalar(of)), given)?;
    let (before, after) = (document.shown_element(at, place), Shown::new(&new));
    let changed = document.set_element(at, place, new)?;
    let done = Done::new("set", key).at(place).values(before, Some(after));
    Ok(changed.then_some(done).into_iter().collect())
}

/// An array that is not there is made, where loaders know it.
pub(super) fn insert(
    document: &mut Document<'_>,
    key: &[u8],
    before: Option<&Element>,
    given: &Given,
) -> Result<Vec<Done>, OperationError> {
    let found = array(document, key);
    let known = keys::lookup(key).and_then(|info| info.types.first().copied());
    let (at, of, len) = match (found, known) {
        (Err(OperationError::NoKey(_)), Some(KeyType::Array(of))) if before.is_none() => {
            (document.add(key, NewValue::Array(of, Vec::new()))?, of, 0)
        }
        (found, _) => found?,
    };
    let place = before.map(|element| position(document, key, element, len)).transpose()?;
    if let Some(place) = place.filter(|place| *place > len) {
        return Err(OperationError::NoElement { key: key.to_vec(), element: place, len: Some(len) });
    }
    let new = value(document, key, KeyType::Scalar(of), given)?;
    let after = Some(Shown::new(&new));
    let place = document.insert_element(at, place, new)?;
    Ok(vec![Done::new("insert", key).at(place).values(None, after)])
}

pub(super) fn remove(
    document: &mut Document<'_>,
    key: &[u8],
    element: &Element,
) -> Result<Vec<Done>, OperationError> {
    let (at, _, len) = array(document, key)?;
    let place = position(document, key, element, len)?;
    if place >= len {
        return Err(OperationError::NoElement { key: key.to_vec(), element: place, len: Some(len) });
    }
    let before = document.shown_element(at, place);
    document.remove_element(at, place)?;
    Ok(vec![Done::new("remove", key).at(place).values(before, None)])
}

pub(super) fn unset(document: &mut Document<'_>, pattern: &[u8]) -> Result<Vec<Done>, OperationError> {
    let found = matching(document, pattern)?;
    if found.is_empty() {
        return Err(OperationError::NoKey(pattern.to_vec()));
    }
    found.into_iter().map(|at| take_out(document, at)).collect()
}

pub(super) fn clear(
    document: &mut Document<'_>,
    pattern: &[u8],
    except: &[Vec<u8>],
) -> Result<Vec<Done>, OperationError> {
    let mut found = matching(document, pattern)?;
    found.retain(|&at| !except.iter().any(|key| key == document.key(at)));
    found.into_iter().map(|at| take_out(document, at)).collect()
}

fn take_out(document: &mut Document<'_>, at: u64) -> Result<Done, OperationError> {
    let (name, before) = (document.key(at).to_vec(), document.shown(at));
    document.remove(at)?;
    Ok(Done::new("unset", &name).values(before, None))
}

pub(super) fn rename(
    document: &mut Document<'_>,
    from: &[u8],
    to: &[u8],
) -> Result<Vec<Done>, OperationError> {
    let at = one(document, from)?;
    if from != to && !document.find(to).is_empty() {
        return Err(OperationError::Taken(to.to_vec()));
    }
    let changed = document.set_key(at, to)?;
    let done = Done::new("rename", from).values(None, Some(Shown::Text(to.to_vec())));
    Ok(changed.then_some(done).into_iter().collect())
}

pub(super) fn move_to(
    document: &mut Document<'_>,
    key: &[u8],
    before: Option<&[u8]>,
) -> Result<Vec<Done>, OperationError> {
    let at = one(document, key)?;
    let place = before.map(|key| one(document, key)).transpose()?;
    let moved = document.move_kv(at, place)?;
    let done = Done::new("move", key).values(None, before.map(|key| Shown::Text(key.to_vec())));
    Ok(moved.then_some(done).into_iter().collect())
}

pub(super) fn test(
    document: &Document<'_>,
    key: &[u8],
    ty: Option<KeyType>,
    expected: Option<&Given>,
) -> Result<(), OperationError> {
    let differs = || OperationError::Differs(key.to_vec());
    match (document.find(key).as_slice(), expected) {
        ([], None) => Ok(()),
        ([at], Some(given)) => {
            let is = document.key_type(*at).ok_or_else(differs)?;
            if ty.is_some_and(|ty| ty != is) {
                return Err(differs());
            }
            let new = value(document, key, is, given).map_err(|_| differs())?;
            if document.has_value(*at, &new)? { Ok(()) } else { Err(differs()) }
        }
        ([], Some(_)) => Err(OperationError::NoKey(key.to_vec())),
        (_, None) => Err(OperationError::There(key.to_vec())),
        (several, Some(_)) => {
            Err(OperationError::Several { name: key.to_vec(), count: several.len() as u64 })
        }
    }
}

pub(super) fn test_element(
    document: &Document<'_>,
    key: &[u8],
    element: &Element,
    expected: Option<&Given>,
) -> Result<(), OperationError> {
    let differs = || OperationError::Differs(key.to_vec());
    let (at, of, len) = array(document, key)?;
    let given = expected.ok_or_else(differs)?;
    let element = position(document, key, element, len)?;
    let new = value(document, key, KeyType::Scalar(of), given).map_err(|_| differs())?;
    // Bits and not numbers: what is no number equals nothing, itself neither.
    let same = match (document.shown_element(at, element), Shown::new(&new)) {
        (Some(Shown::Scalar(Scalar::F32(is))), Shown::Scalar(Scalar::F32(new))) => {
            is.to_bits() == new.to_bits()
        }
        (Some(Shown::Scalar(Scalar::F64(is))), Shown::Scalar(Scalar::F64(new))) => {
            is.to_bits() == new.to_bits()
        }
        (Some(Shown::Array(..)), _) => false,
        (is, new) => is == Some(new),
    };
    if same { Ok(()) } else { Err(differs()) }
}
