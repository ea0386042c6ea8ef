//! A file as something that can be changed: its records in order, each as it stands in the source or new.
//!
//! A document holds no tensor data and, of what was not changed, no values: what is kept is copied from the source when
//! the plan is carried out. Nothing here reads beyond the head or writes anything.
//!
//! **What a plan of an unchanged document makes.** Of a file in the standard layout, version 2 or 3: the same bytes,
//! padding, gaps and trailing bytes included. A file of version 1 or in a mis-written layout has no unchanged form here:
//! its head is written anew, version 3, with the values that it has (half precision, which the format lacks, as f32).
//! What precedes the magic is not part of a document.
//!
//! **The canonical form** is what [`Document::relayout`] leads to, and what llama.cpp and gguf-py write: tensors in the
//! order of the table, each at the sum of the padded sizes before it, zeros as padding, also after the head and after the
//! last tensor. A canonical file laid out anew is the same bytes too. Without tensors there is no data section: the file may
//! end with its head or with padding, and both are canonical.

mod change;
mod data;
mod lookup;
mod metadata;
mod padding;
mod plan;
mod tensors;
mod texts;
mod values;

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use ggufkit_format::encode::Encoder;
use ggufkit_format::{Dialect, Endian, Header, Index, Span, View};

use crate::error::EditError;
use crate::placement::Placement;
use crate::value::NewValue;

/// A file that can be changed.
#[derive(Clone, Debug)]
pub struct Document<'a> {
    view: View<'a>,
    size: u64,
    version: u32,
    encoder: Encoder,
    /// Whether records are copied as they stand: the source is in the standard layout, version 2 or 3.
    copies: bool,
    /// The source's key-values in their order, removed ones too, and then those that were added.
    kvs: Vec<Entry>,
    /// The order in which they are written, where it is another.
    kv_order: Option<Vec<usize>>,
    keys: lookup::Names,
    /// The source's tensors in their order, removed ones too, and then those that were added.
    tensors: Vec<Slot>,
    /// The order in which they are written, where it is another.
    tensor_order: Option<Vec<usize>>,
    names: lookup::Names,
    /// Where each tensor's data is, once it is to be laid out anew.
    anew: Option<Placement>,
    /// Whether the bytes between head and data become zeros.
    clean_gap: bool,
    /// Whether what is behind the head follows it as it is.
    behind_head: bool,
    /// Where the part of the source that is kept ends.
    end: u64,
    /// Length that the file is to have at least, in positions of the source.
    to: u64,
    patches: Vec<(Span, Vec<u8>)>,
    /// Where the texts of an array of the source stand, once somebody asked for one of them.
    texts: OnceLock<texts::Texts<'a>>,
    /// How often lists that are new have each of their texts, while nothing else is done to them.
    counts: HashMap<u64, texts::Counts>,
}

/// A key-value: what differs from the source's.
#[derive(Clone, Debug, Default)]
struct Entry {
    key: Option<Vec<u8>>,
    value: Option<NewValue>,
    /// Elements of the source's array that are other ones.
    elements: BTreeMap<u64, NewValue>,
    removed: bool,
}

impl Entry {
    fn is_changed(&self) -> bool {
        self.removed || self.key.is_some() || self.value.is_some() || !self.elements.is_empty()
    }
}

/// A tensor: what differs from the source's.
#[derive(Clone, Debug, Default)]
struct Slot {
    name: Option<Vec<u8>>,
    /// Where its data is, of one that was added.
    added: Option<tensors::Added>,
    removed: bool,
}

/// The key that says how the data is aligned.
pub(crate) const ALIGNMENT: &[u8] = b"general.alignment";

impl<'a> Document<'a> {
    /// The document of a file whose head was read to its end; `size` is the length of its source.
    ///
    /// # Errors
    /// [`EditError::IncompleteHead`].
    pub fn of(view: View<'a>, size: u64) -> Result<Self, EditError> {
        let index = view.index();
        if !index.is_complete() {
            return Err(EditError::IncompleteHead);
        }
        let header = index.header();
        let copies = stands(header);
        let mut document = Self {
            view,
            size,
            version: if copies { header.version } else { 3 },
            encoder: Encoder::new(3, header.endian)?,
            copies,
            kvs: vec![Entry::default(); index.kvs().len()],
            kv_order: None,
            keys: lookup::Names::default(),
            tensors: vec![Slot::default(); index.tensors().len()],
            tensor_order: None,
            names: lookup::Names::default(),
            anew: None,
            clean_gap: false,
            behind_head: false,
            end: size,
            to: 0,
            patches: Vec::new(),
            texts: OnceLock::new(),
            counts: HashMap::new(),
        };
        // A header that holds the alignment leaves it to the key.
        if let Some(alignment) = header.alignment
            && document.alignment() != u64::from(alignment)
        {
            document.set_alignment(alignment);
        }
        Ok(document)
    }

    /// What the source says.
    #[must_use]
    pub fn view(&self) -> View<'a> {
        self.view
    }

    fn index(&self) -> &'a Index {
        self.view.index()
    }

    /// The version that will be written.
    #[must_use]
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Whether records that were not changed are copied as they stand. If not, the whole head is written anew.
    #[must_use]
    pub fn copies(&self) -> bool {
        self.copies
    }

    /// The byte order that will be written.
    #[must_use]
    pub fn endian(&self) -> Endian {
        self.encoder.endian()
    }

    /// Writes the head in this byte order, version 3; false when that is so already. The data is for whoever carries the plan
    /// out to turn.
    ///
    /// # Errors
    /// None for the byte orders there are.
    pub fn set_endian(&mut self, endian: Endian) -> Result<bool, EditError> {
        if self.encoder.endian() == endian {
            return Ok(false);
        }
        self.encoder = Encoder::new(3, endian)?;
        self.version = 3;
        let header = self.index().header();
        self.copies = stands(header) && header.endian == endian;
        Ok(true)
    }

    /// Writes version 3; false when that is so already.
    pub fn rewrite(&mut self) -> bool {
        std::mem::replace(&mut self.version, 3) != 3
    }
}

/// Whether records can be copied as they stand, in the byte order that they have.
fn stands(header: &Header) -> bool {
    header.dialect == Dialect::STANDARD && matches!(header.version, 2 | 3)
}
