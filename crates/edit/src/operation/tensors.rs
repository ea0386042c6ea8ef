//! Operations on tensors.

use super::{Done, OperationError, Shown, glob};
use crate::document::Document;

fn one_tensor(document: &Document<'_>, name: &[u8]) -> Result<u64, OperationError> {
    match document.find_tensors(name).as_slice() {
        [] => Err(OperationError::NoTensor(name.to_vec())),
        [at] => Ok(*at),
        several => Err(OperationError::Several { name: name.to_vec(), count: several.len() as u64 }),
    }
}

/// The tensors that a text names: the one that is called so, or those that it matches as a pattern.
pub(super) fn matching(document: &Document<'_>, pattern: &[u8]) -> Result<Vec<u64>, OperationError> {
    let exact = document.find_tensors(pattern);
    if !exact.is_empty() {
        return Ok(exact);
    }
    let Some(glob) = glob(pattern)? else { return Ok(Vec::new()) };
    let is = |at: &u64| document.has_tensor(*at) && glob.matches(document.name(*at));
    Ok((0..document.tensor_count()).filter(is).collect())
}

pub(super) fn rename(
    document: &mut Document<'_>,
    from: &[u8],
    to: &[u8],
) -> Result<Vec<Done>, OperationError> {
    let at = one_tensor(document, from)?;
    if from != to && !document.find_tensors(to).is_empty() {
        return Err(OperationError::Taken(to.to_vec()));
    }
    let changed = document.set_name(at, to)?;
    let done = Done::new("rename-tensor", from).values(None, Some(Shown::Text(to.to_vec())));
    Ok(changed.then_some(done).into_iter().collect())
}

pub(super) fn move_to(
    document: &mut Document<'_>,
    name: &[u8],
    before: Option<&[u8]>,
) -> Result<Vec<Done>, OperationError> {
    let at = one_tensor(document, name)?;
    let place = before.map(|name| one_tensor(document, name)).transpose()?;
    let moved = place != Some(at) && document.move_tensor(at, place)?;
    let done = Done::new("move-tensor", name).values(None, before.map(|name| Shown::Text(name.to_vec())));
    Ok(moved.then_some(done).into_iter().collect())
}

pub(super) fn take_out(document: &mut Document<'_>, pattern: &[u8]) -> Result<Vec<Done>, OperationError> {
    let found = matching(document, pattern)?;
    if found.is_empty() {
        return Err(OperationError::NoTensor(pattern.to_vec()));
    }
    let drop = |at: u64| {
        let name = document.name(at).to_vec();
        document.remove_tensor(at)?;
        Ok(Done::new("drop-tensor", &name))
    };
    found.into_iter().map(drop).collect()
}
