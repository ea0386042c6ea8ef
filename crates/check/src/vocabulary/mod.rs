//! The vocabulary, walked once for all rules that speak of it.
//!
//! It holds where each token's text stands and a table to find a token by its text; what a walk comes across on the way is
//! kept with it. The memory is a constant times the tokens' bytes: no text is copied.

mod merges;
mod table;

use std::cell::OnceCell;

use ggufkit_format::spec::ValueType;
use ggufkit_format::{AnomalyKind, ArrayRef, Kv, Path, Value};
use ggufkit_inspect::Place;

use crate::few::Few;
pub(crate) use merges::Merges;
use table::Table;

/// The texts of an array of strings, found by their numbers.
#[derive(Debug)]
pub(crate) struct Texts<'a> {
    bytes: &'a [u8],
    /// Where each text begins in `bytes`.
    starts: Vec<u32>,
    /// Bytes between the end of a text and the beginning of the next.
    between: usize,
    /// Bytes behind the last text.
    behind: usize,
}

impl<'a> Texts<'a> {
    fn new(place: &Place<'a, Kv>, array: ArrayRef<'a>) -> Option<Self> {
        let header = place.part.view.index().header();
        let bytes = array.as_bytes();
        // Positions and numbers are kept in 32 bits; a vocabulary of 4 GiB is not examined.
        u32::try_from(bytes.len()).ok()?;
        let width = header.length_bytes();
        let behind = usize::try_from(header.nul_bytes()).ok()?;
        let mut starts = Vec::with_capacity(usize::try_from(array.len()).ok()?.min(bytes.len() / 4));
        let mut elements = array.iter();
        loop {
            let at = elements.offset().saturating_sub(array.start()).saturating_add(width);
            if elements.next().is_none() {
                break;
            }
            starts.push(u32::try_from(at).ok()?);
        }
        (starts.len() as u64 == array.len()).then_some(())?;
        Some(Self { bytes, starts, between: usize::try_from(width).ok()? + behind, behind })
    }

    /// The text with this number; empty where there is none.
    pub(crate) fn get(&self, number: u32) -> &'a [u8] {
        let number = number as usize;
        let Some(start) = self.starts.get(number).map(|start| *start as usize) else { return &[] };
        let end = match self.starts.get(number + 1) {
            Some(next) => (*next as usize).saturating_sub(self.between),
            None => self.bytes.len().saturating_sub(self.behind),
        };
        self.bytes.get(start..end).unwrap_or_default()
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// The texts with their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &'a [u8])> + '_ {
        (0..self.starts.len() as u32).map(|number| (number, self.get(number)))
    }
}

/// `tokenizer.ggml.tokens`, where it is an array of strings.
pub(crate) struct Vocabulary<'a> {
    /// The key-value.
    pub(crate) place: Place<'a, Kv>,
    tokens: Texts<'a>,
    table: Table,
    /// Tokens whose text occurred before, each after the first with that text.
    pub(crate) duplicates: Few<(u32, u32)>,
    /// Tokens without a text.
    pub(crate) empty: Few<u32>,
    /// Tokens that are not UTF-8.
    pub(crate) not_utf8: Few<u32>,
    merges: OnceCell<Merges>,
}

impl<'a> Vocabulary<'a> {
    /// Walks the tokens. `None` when the value is no array of strings, or is not there.
    pub(crate) fn new(place: Place<'a, Kv>) -> Option<Self> {
        let tokens = Texts::new(&place, strings(&place)?)?;
        let mut table = Table::with_room_for(tokens.len());
        let (mut duplicates, mut empty, mut not_utf8) = (Few::default(), Few::default(), Few::default());
        let odd_texts = may_hold_odd_text(&place);
        for (id, text) in tokens.iter() {
            if text.is_empty() {
                // Loaders name these after their ids, so they are not the same token.
                empty.push(id);
                continue;
            }
            if odd_texts && core::str::from_utf8(text).is_err() {
                not_utf8.push(id);
            }
            if let Some(before) = table.insert(text, id, |id| tokens.get(id)) {
                duplicates.push((before, id));
            }
        }
        Some(Self { place, tokens, table, duplicates, empty, not_utf8, merges: OnceCell::new() })
    }

    /// Number of tokens.
    pub(crate) fn len(&self) -> u64 {
        self.tokens.len() as u64
    }

    /// The text of a token.
    pub(crate) fn token(&self, id: u32) -> &'a [u8] {
        self.tokens.get(id)
    }

    /// The tokens with their ids.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &'a [u8])> + '_ {
        self.tokens.iter()
    }

    /// The first token with this text.
    pub(crate) fn find(&self, text: &[u8]) -> Option<u32> {
        self.table.find(text, |id| self.tokens.get(id))
    }

    /// What is to be said about the merge rules at `place`.
    pub(crate) fn merges(&self, place: &Place<'a, Kv>) -> &Merges {
        self.merges.get_or_init(|| Merges::new(self, place).unwrap_or_default())
    }
}

/// Whether a string of an array may not be UTF-8: the reader has looked at all of them at once.
fn may_hold_odd_text(place: &Place<'_, Kv>) -> bool {
    let index = place.part.view.index();
    index.anomalies_left_out() > 0
        || index.anomalies().iter().any(|anomaly| {
            matches!(anomaly.kind, AnomalyKind::InvalidUtf8 { .. })
                && matches!(anomaly.path, Path::Kv { index, .. } if index == place.index as u64)
        })
}

/// An array of strings.
pub(crate) fn strings<'a>(place: &Place<'a, Kv>) -> Option<ArrayRef<'a>> {
    match place.part.view.value(place.record) {
        Value::Array(array) if array.element_type() == ValueType::STRING => Some(array),
        _ => None,
    }
}
