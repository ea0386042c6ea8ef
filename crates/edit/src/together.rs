//! Operations that are given at once: each names what the files have before any of them is carried out.
//!
//! One after the other, an element that was taken out would give its number to the next one, and `[3]` would be another
//! element than `[-1]` was. Here names and numbers are those of the files as they are, however they are spelt; what is named
//! twice is meant once.

use std::collections::HashMap;

use crate::document::Document;
use crate::operation::{Done, Element, Operation, OperationError};

/// What operations name of files that are not changed yet, and what became of it.
pub(crate) struct Together<'o> {
    /// Of each operation the files that it is carried out on.
    files: Vec<Vec<usize>>,
    /// Of each operation what it is about in those files: the position of an element, 0 of a key or a tensor; `None` where
    /// they have no such thing.
    places: Vec<Vec<Option<u64>>>,
    /// By file and key, where the elements of an array went.
    arrays: HashMap<(usize, &'o [u8]), Moved>,
}

/// Where the elements of an array went.
#[derive(Default)]
struct Moved {
    /// Positions before which elements were put in, in rising order.
    put: Vec<u64>,
    /// Positions whose elements were taken out, in rising order.
    taken: Vec<u64>,
    /// The array is another one by now, and numbers are those of that.
    is_new: bool,
}

impl Moved {
    /// Where the element is now; `None` where it was taken out.
    fn now(&self, place: u64) -> Option<u64> {
        if self.is_new {
            return Some(place);
        }
        self.taken.binary_search(&place).is_err().then(|| self.before(place))
    }

    /// Where one that is put in before it has to go.
    fn before(&self, place: u64) -> u64 {
        if self.is_new {
            return place;
        }
        let count = |places: &[u64], is: &dyn Fn(u64) -> bool| places.partition_point(|&at| is(at)) as u64;
        let put = count(&self.put, &|at| at <= place);
        place.saturating_add(put).saturating_sub(count(&self.taken, &|at| at < place))
    }
}

impl<'o> Together<'o> {
    /// `files` are those that each operation is carried out on.
    pub(crate) fn of(
        operations: &'o [Operation],
        files: Vec<Vec<usize>>,
        documents: &[Document<'_>],
    ) -> Self {
        let places = |(operation, files): (&Operation, &Vec<usize>)| {
            files.iter().map(|at| operation.place(documents.get(*at)?)).collect()
        };
        Self { places: operations.iter().zip(&files).map(places).collect(), files, arrays: HashMap::new() }
    }

    /// The files that an operation is carried out on.
    pub(crate) fn files(&self, number: usize) -> Vec<usize> {
        self.files.get(number).cloned().unwrap_or_default()
    }

    /// Carries the operation with this number out on a file of its own.
    pub(crate) fn apply(
        &mut self,
        (number, operation): (usize, &'o Operation),
        (file, document): (usize, &mut Document<'_>),
    ) -> Result<Vec<Done>, OperationError> {
        let at = self.files.get(number).and_then(|files| files.iter().position(|&one| one == file));
        let place = at.and_then(|at| *self.places.get(number)?.get(at)?);
        match operation {
            Operation::Set { key, element: Some(_), .. }
            | Operation::Insert { key, before: Some(_), .. }
            | Operation::Remove { key, .. } => {
                let Some(place) = place else { return operation.apply(document) };
                self.element(operation, key, place, (file, document))
            }
            // What an operation before it took out is out.
            Operation::Unset(_) | Operation::DropTensor(_)
                if place.is_some() && !operation.concerns(document) =>
            {
                Ok(Vec::new())
            }
            Operation::Set { key, .. }
            | Operation::List { key, .. }
            | Operation::Unlist { key, .. }
            | Operation::Rename { to: key, .. } => {
                self.arrays.entry((file, key)).or_default().is_new = true;
                operation.apply(document)
            }
            _ => operation.apply(document),
        }
    }

    /// The same, of an operation on an element, which was at this place.
    fn element(
        &mut self,
        operation: &Operation,
        key: &'o [u8],
        place: u64,
        (file, document): (usize, &mut Document<'_>),
    ) -> Result<Vec<Done>, OperationError> {
        let moved = self.arrays.entry((file, key)).or_default();
        let at = |place: Option<u64>| place.map(Element::At);
        let mut operation = operation.clone();
        match &mut operation {
            Operation::Remove { element, .. } => match at(moved.now(place)) {
                Some(now) if !document.find(key).is_empty() => *element = now,
                // It is out already, alone or with all of its array.
                _ => return Ok(Vec::new()),
            },
            Operation::Set { element, .. } => {
                let now = at(moved.now(place));
                *element = Some(now.ok_or(OperationError::NoElement {
                    key: key.to_vec(),
                    element: place,
                    len: None,
                })?);
            }
            Operation::Insert { before, .. } => *before = Some(Element::At(moved.before(place))),
            _ => {}
        }
        let mut done = operation.apply(document)?;
        let insert = |places: &mut Vec<u64>| places.insert(places.partition_point(|&at| at <= place), place);
        match operation {
            Operation::Remove { .. } => insert(&mut moved.taken),
            Operation::Insert { .. } => return Ok(done).inspect(|_| insert(&mut moved.put)),
            _ => {}
        }
        // It is told by the number by which it was known.
        done.iter_mut().for_each(|done| done.element = done.element.map(|_| place));
        Ok(done)
    }
}
