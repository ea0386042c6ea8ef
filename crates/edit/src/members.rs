//! Operations on a model that several files hold: each on the files that it is about, and what its shards have to say of
//! each other follows.

use ggufkit_format::Scalar;
use ggufkit_format::spec::KeyType;

use crate::document::{ALIGNMENT, Document};
use crate::error::EditError;
use crate::operation::{Done, Operation, OperationError, Shown};
use crate::shards::SPLIT_KEYS;
use crate::together::Together;

/// The key in which every shard tells how many tensors there are in all of them.
const TENSORS: &[u8] = SPLIT_KEYS[2].as_bytes();

/// Carries operations out on the files of a model, in the order of their numbers: each on those that it is about, or, where
/// that is none, on the first one. The values are what was done, file by file.
///
/// What all files of a set have to agree in is changed in all of them: an alignment that is set, since each is laid out by
/// its own, and the number of tensors of the whole set, where tensors are taken out. A tensor does not get the name that one
/// in another file has. A file whose version is another one for what is changed in it has that among what was done.
///
/// # Errors
/// The file's number, and why not; the documents may then be changed in part.
pub fn apply(
    operations: &[Operation],
    documents: &mut [Document<'_>],
) -> Result<Vec<Vec<Done>>, (usize, OperationError)> {
    carry_out(operations, documents, None)
}

/// The same of operations that are given at once: elements, keys and tensors are those that the files have before any of
/// them is carried out, however they are named, and what is taken out twice is taken out once. Elements that are put in
/// before the same one stand in the order of the operations.
///
/// # Errors
/// As [`apply`].
pub fn apply_together(
    operations: &[Operation],
    documents: &mut [Document<'_>],
) -> Result<Vec<Vec<Done>>, (usize, OperationError)> {
    let files = operations.iter().map(|operation| concerned(operation, documents)).collect();
    let together = Together::of(operations, files, documents);
    carry_out(operations, documents, Some(together))
}

fn carry_out<'o>(
    operations: &'o [Operation],
    documents: &mut [Document<'_>],
    mut together: Option<Together<'o>>,
) -> Result<Vec<Vec<Done>>, (usize, OperationError)> {
    let mut done: Vec<Vec<Done>> = documents.iter().map(|_| Vec::new()).collect();
    let before = tensors(documents);
    for (number, operation) in operations.iter().enumerate() {
        let files = together.as_ref().map(|together| together.files(number));
        for at in files.unwrap_or_else(|| concerned(operation, documents)) {
            if let Operation::RenameTensor { from, to } = operation
                && from != to
                && documents.iter().any(|document| !document.find_tensors(to).is_empty())
            {
                return Err((at, OperationError::Taken(to.clone())));
            }
            let Some(document) = documents.get_mut(at) else { continue };
            let made = match &mut together {
                Some(together) => together.apply((number, operation), (at, document)),
                None => operation.apply(document),
            };
            let made = made.map_err(|error| (at, error))?;
            if let Some(done) = done.get_mut(at) {
                done.extend(made);
            }
        }
    }
    let after = tensors(documents);
    if documents.len() > 1 && before != after && !operations.iter().any(is_count) {
        for (at, (document, done)) in documents.iter_mut().zip(&mut done).enumerate() {
            done.extend(recount(document, before, after).map_err(|error| (at, error.into()))?);
        }
    }
    for (document, done) in documents.iter().zip(&mut done) {
        let told = done.iter().any(|one| one.what == "upgrade");
        if !done.is_empty() && !told {
            done.extend(Done::of_version(document));
        }
    }
    Ok(done)
}

/// The numbers of the files that an operation is carried out on.
fn concerned(operation: &Operation, documents: &[Document<'_>]) -> Vec<usize> {
    if matches!(operation, Operation::Set { key, element: None, .. } if key == ALIGNMENT) {
        return (0..documents.len()).collect();
    }
    let about = |document: &&Document<'_>| operation.concerns(document);
    let found: Vec<usize> =
        documents.iter().enumerate().filter(|(_, document)| about(document)).map(|(at, _)| at).collect();
    if found.is_empty() { vec![0] } else { found }
}

/// Whether somebody decides about the number of tensors.
fn is_count(operation: &Operation) -> bool {
    match operation {
        Operation::Set { key, .. } | Operation::Unset(key) => key == TENSORS,
        Operation::Rename { from, to } => from == TENSORS || to == TENSORS,
        _ => false,
    }
}

fn tensors(documents: &[Document<'_>]) -> u64 {
    let there = |document: &Document<'_>| {
        (0..document.tensor_count()).filter(|&at| document.has_tensor(at)).count() as u64
    };
    documents.iter().fold(0, |sum, document| sum.saturating_add(there(document)))
}

/// Lets the number of tensors of the set that a file tells go with them, of the type that it has; `None` where the file tells
/// none, or one that does not fit.
///
/// It goes by what was taken out or added: files of the set that are not at hand have tensors too.
///
/// # Errors
/// [`EditError`], of a value that cannot be written.
pub fn recount(document: &mut Document<'_>, before: u64, after: u64) -> Result<Option<Done>, EditError> {
    let found = document.find(TENSORS);
    let Some(&at) = found.first() else { return Ok(None) };
    let (Some(KeyType::Scalar(ty)), Some(old)) = (document.key_type(at), document.scalar(at)) else {
        return Ok(None);
    };
    let told = old.as_integer().and_then(|told| {
        told.checked_sub(i128::from(before))?.checked_add(i128::from(after)).filter(|new| *new >= 0)
    });
    let Some(new) = told.and_then(|told| Scalar::integer(ty, told)) else { return Ok(None) };
    if !document.set_scalar(at, new)? {
        return Ok(None);
    }
    let (before, after) = (Some(Shown::Scalar(old)), Some(Shown::Scalar(new)));
    Ok(Some(Done { what: "set", name: TENSORS.to_vec(), element: None, before, after }))
}
