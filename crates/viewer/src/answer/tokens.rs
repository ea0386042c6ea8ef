//! The vocabulary.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {}
