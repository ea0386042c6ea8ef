//! Tensors that are taken out, put in another order, or added.

use ggufkit_format::Span;
use ggufkit_format::spec::TensorType;

use super::{Document, Slot, lookup};
use crate::error::EditError;
use crate::placement::Placement;

/// A tensor that the source has not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Added {
    pub(super) dims: Vec<u64>,
    pub(super) ty: TensorType,
    pub(super) data: Span,
}

impl Document<'_> {
    /// The numbers of all tensors with this name, in the order in which they are written.
    pub fn find_tensors(&self, name: &[u8]) -> Vec<u64> {
        let all = || (0..self.tensor_count()).map(|at| self.name(at));
        let found = self.names.find(name, all).iter().map(|&at| at as u64);
        let found: Vec<u64> = found.filter(|&at| self.has_tensor(at)).collect();
        match &self.tensor_order {
            Some(order) if found.len() > 1 => {
                order.iter().map(|&at| at as u64).filter(|at| found.contains(at)).collect()
            }
            _ => found,
        }
    }

    /// The name of a tensor.
    #[must_use]
    pub fn name(&self, at: u64) -> &[u8] {
        let Ok(at) = usize::try_from(at) else { return &[] };
        match self.tensors.get(at).and_then(|slot| slot.name.as_deref()) {
            Some(name) => name,
            None => self.index().tensors().get(at).map(|tensor| self.view.name(tensor).0).unwrap_or_default(),
        }
    }

    /// Gives a tensor another name; false when it has this one.
    ///
    /// # Errors
    /// There is none with this number.
    pub fn set_name(&mut self, at: u64, name: &[u8]) -> Result<bool, EditError> {
        let place = usize::try_from(at).map_err(|_| EditError::NoTensor(at))?;
        let old = self.name(at);
        let differs = old != name;
        let old = if differs { old.to_vec() } else { Vec::new() };
        let slot = self.tensors.get_mut(place).filter(|slot| !slot.removed).ok_or(EditError::NoTensor(at))?;
        if differs {
            slot.name = Some(name.to_vec());
            self.names.remove(&old, place);
            self.names.add(name, place);
        }
        Ok(differs)
    }

    /// Number of tensors, the removed ones and the added ones included.
    #[must_use]
    pub fn tensor_count(&self) -> u64 {
        self.tensors.len() as u64
    }

    /// Whether the tensor with this number is there and was not removed.
    #[must_use]
    pub fn has_tensor(&self, at: u64) -> bool {
        usize::try_from(at).is_ok_and(|at| self.tensors.get(at).is_some_and(|slot| !slot.removed))
    }

    /// The tensors that are there, in the order in which they are written.
    pub(super) fn tensor_order(&self) -> impl Iterator<Item = usize> {
        let given = self.tensor_order.iter().flatten().copied();
        let all = if self.tensor_order.is_none() { 0..self.tensors.len() } else { 0..0 };
        given.chain(all).filter(|&at| self.tensors.get(at).is_some_and(|slot| !slot.removed))
    }

    /// Where the data of a tensor is.
    pub(super) fn data(&self, placement: &Placement, at: usize) -> Option<Span> {
        match &self.tensors.get(at)?.added {
            Some(added) => Some(added.data),
            None => placement.spans.get(at).copied(),
        }
    }

    /// Takes a tensor out, with its data: the data is laid out anew. Others keep their numbers.
    ///
    /// # Errors
    /// There is none with this number (any more), or [`EditError::Data`].
    pub fn remove_tensor(&mut self, at: u64) -> Result<(), EditError> {
        self.relayout()?;
        let place = usize::try_from(at).map_err(|_| EditError::NoTensor(at))?;
        let slot = self.tensors.get_mut(place).filter(|slot| !slot.removed);
        slot.ok_or(EditError::NoTensor(at))?.removed = true;
        Ok(())
    }

    /// Puts the tensors in this order, those that are not named behind the others; the data is laid out anew, in the
    /// same order. False when it is theirs.
    ///
    /// # Errors
    /// There is none with one of these numbers, or [`EditError::Data`].
    pub fn order_tensors(&mut self, first: &[u64]) -> Result<bool, EditError> {
        let old: Vec<usize> = self.tensor_order().collect();
        let mut named = vec![false; self.tensors.len()];
        let mut new = Vec::with_capacity(old.len());
        for &at in first {
            let place = usize::try_from(at).ok().filter(|_| self.has_tensor(at));
            let place = place.ok_or(EditError::NoTensor(at))?;
            if let Some(seen) = named.get_mut(place).filter(|seen| !**seen) {
                *seen = true;
                new.push(place);
            }
        }
        new.extend(old.iter().copied().filter(|&at| named.get(at) == Some(&false)));
        if new == old {
            return Ok(false);
        }
        self.relayout()?;
        self.tensor_order = Some(new);
        Ok(true)
    }

    /// Moves a tensor before another one, or behind all, with its data; false when it stands there.
    ///
    /// # Errors
    /// There is none with one of these numbers, or [`EditError::Data`].
    pub fn move_tensor(&mut self, at: u64, before: Option<u64>) -> Result<bool, EditError> {
        if let Some(missing) = [Some(at), before].into_iter().flatten().find(|&at| !self.has_tensor(at)) {
            return Err(EditError::NoTensor(missing));
        }
        let number = |at: u64| usize::try_from(at).map_err(|_| EditError::NoTensor(at));
        let (place, before) = (number(at)?, before.map(number).transpose()?);
        let count = self.tensors.len();
        let mut order = self.tensor_order.take().unwrap_or_else(|| (0..count).collect());
        let there = |at: usize| self.tensors.get(at).is_some_and(|slot| !slot.removed);
        let stays = before == Some(place) || lookup::stands(&order, place, before, there);
        let laid = if stays { Ok(false) } else { self.relayout() };
        if !stays && laid.is_ok() {
            lookup::put(&mut order, place, before);
        }
        self.tensor_order = Some(order);
        laid.map(|_| !stays)
    }

    /// Adds a tensor behind the others; the value is its number. `data` is where its bytes are, in the source that the plan
    /// will be carried out with: further sources may follow the document's own end to end.
    ///
    /// # Errors
    /// [`EditError::Data`].
    pub fn add_tensor(
        &mut self,
        name: &[u8],
        dims: &[u64],
        ty: TensorType,
        data: Span,
    ) -> Result<u64, EditError> {
        // Where there was no data there is none to be laid out anew, and what is added is laid out all the same.
        if self.index().tensors().is_empty() {
            let (index, size) = (self.index(), self.size);
            self.anew.get_or_insert_with(|| Placement::of(index, size));
        } else {
            self.relayout()?;
        }
        let at = self.tensors.len();
        self.names.add(name, at);
        let added = Some(Added { dims: dims.to_vec(), ty, data });
        self.tensors.push(Slot { name: Some(name.to_vec()), added, removed: false });
        if let Some(order) = &mut self.tensor_order {
            order.push(at);
        }
        Ok(at as u64)
    }

    /// Takes all tensors out, and with them what is behind the head: what is added then is all that the file has. The data
    /// of the source may be anything, its head is all that is kept.
    pub(crate) fn clear_tensors(&mut self) {
        self.tensors.iter_mut().for_each(|slot| slot.removed = true);
        self.tensor_order = None;
        // Nothing of the source's data is laid out, and nothing follows it.
        self.anew = Some(Placement { end: self.end, ..Placement::default() });
    }
}
