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

mod lookup;
mod metadata;
mod padding;
mod plan;
mod tensors;

use std::collections::BTreeMap;

use ggufkit_check::Change;
use ggufkit_format::encode::{Bools, Encoder, widen, written_type};
use ggufkit_format::spec::{TensorType, ValueType};
use ggufkit_format::{Dialect, Endian, Index, Kv, Payload, Scalar, Span, Value, View, layout};

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
}

/// A key-value: what differs from the source's.
#[derive(Clone, Debug, Default)]
struct Entry {
    key: Option<Vec<u8>>,
    value: Option<New>,
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

/// What is decided about the data of a document.
pub(crate) struct DataState {
    anew: Option<Placement>,
    clean_gap: bool,
    behind_head: bool,
    end: u64,
    to: u64,
}

/// A value that is new.
#[derive(Clone, PartialEq, Debug)]
struct New {
    ty: ValueType,
    scalar: Option<Scalar>,
    bytes: Vec<u8>,
    /// The elements, of an array whose elements may be changed again.
    items: Option<(ValueType, Vec<NewValue>)>,
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
        let copies = header.dialect == Dialect::STANDARD && matches!(header.version, 2 | 3);
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

    /// The alignment that the document declares: that of the first `general.alignment` that is a positive integer, or 32.
    #[must_use]
    pub fn alignment(&self) -> u64 {
        let declared = (0..self.kv_count()).filter(|&at| self.is_there(at) && self.key(at) == ALIGNMENT);
        layout::declared_alignment(declared.filter_map(|at| self.scalar(at)?.as_u64()))
    }

    /// Declares an alignment: where the document has a `general.alignment`, in it, else in one that is added.
    pub fn set_alignment(&mut self, alignment: u32) {
        let mut declared = (0..self.kv_count()).filter(|&at| self.is_there(at) && self.key(at) == ALIGNMENT);
        let at = declared.next();
        let bytes = match self.encoder.endian() {
            Endian::Little => alignment.to_le_bytes(),
            Endian::Big => alignment.to_be_bytes(),
        };
        let scalar = Some(Scalar::U32(alignment));
        let value = New { ty: ValueType::UINT32, scalar, bytes: bytes.to_vec(), items: None };
        match at.and_then(|at| self.entry(at).ok()) {
            Some(entry) => entry.value = Some(value),
            None => {
                self.push(ALIGNMENT, value);
            }
        }
    }

    /// Number of key-values, the removed ones and the added ones included.
    #[must_use]
    pub fn kv_count(&self) -> u64 {
        self.kvs.len() as u64
    }

    /// Whether the key-value with this number is there and was not removed.
    #[must_use]
    pub fn is_there(&self, at: u64) -> bool {
        self.slot(at).is_some_and(|entry| !entry.removed)
    }

    /// Whether the key-value with this number is other than in the source.
    #[must_use]
    pub fn is_changed(&self, at: u64) -> bool {
        self.slot(at).is_some_and(|entry| entry.is_changed())
    }

    /// The key of a key-value.
    #[must_use]
    pub fn key(&self, at: u64) -> &[u8] {
        match self.slot(at).and_then(|entry| entry.key.as_deref()) {
            Some(key) => key,
            None => self.source_kv(at).map(|kv| self.view.key(kv).0).unwrap_or_default(),
        }
    }

    fn slot(&self, at: u64) -> Option<&Entry> {
        self.kvs.get(usize::try_from(at).ok()?)
    }

    fn source_kv(&self, at: u64) -> Option<&'a Kv> {
        self.index().kvs().get(usize::try_from(at).ok()?)
    }

    /// The value of a key-value, where it is of fixed size.
    #[must_use]
    pub fn scalar(&self, at: u64) -> Option<Scalar> {
        match self.slot(at).and_then(|entry| entry.value.as_ref()) {
            Some(new) => new.scalar,
            None => match self.source_kv(at)?.payload {
                Payload::Scalar(scalar) => Some(widen(scalar)),
                _ => None,
            },
        }
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

    /// Whether two key-values have the same value: type and bytes.
    ///
    /// # Errors
    /// A value whose bytes are not there.
    pub fn same_value(&self, one: u64, other: u64) -> Result<bool, EditError> {
        let value = |at: u64| self.slot(at).and_then(|entry| entry.value.as_ref());
        let source = |at: u64| {
            let kv = self.source_kv(at)?;
            Some((written_type(kv.value_type), self.view.bytes(kv.value_span)?))
        };
        Ok(match (value(one), value(other)) {
            (Some(one), Some(other)) => one.ty == other.ty && one.bytes == other.bytes,
            (None, None) => match (self.source_kv(one), self.source_kv(other)) {
                (Some(a), Some(b)) => a.value_type == b.value_type && source(one) == source(other),
                _ => false,
            },
            (Some(new), None) | (None, Some(new)) => {
                let at = if value(one).is_some() { other } else { one };
                match source(at) {
                    Some((ty, bytes)) if self.copies => new.ty == ty && new.bytes == bytes,
                    _ => self.encoded(at)? == Some((new.ty, new.bytes.clone())),
                }
            }
        })
    }

    fn encoded(&self, at: u64) -> Result<Option<(ValueType, Vec<u8>)>, EditError> {
        let Some(kv) = self.source_kv(at) else { return Ok(None) };
        let mut bytes = Vec::new();
        self.encoder.value(&mut bytes, self.view.value(kv), Bools::Keep)?;
        Ok(Some((written_type(kv.value_type), bytes)))
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

    fn entry(&mut self, at: u64) -> Result<&mut Entry, EditError> {
        let place = usize::try_from(at).map_err(|_| EditError::NoKv(at))?;
        self.kvs.get_mut(place).filter(|entry| !entry.removed).ok_or(EditError::NoKv(at))
    }

    /// Takes a key-value out. Others keep their numbers.
    ///
    /// # Errors
    /// There is none with this number (any more).
    pub fn remove(&mut self, at: u64) -> Result<(), EditError> {
        *self.entry(at)? = Entry { removed: true, ..Entry::default() };
        Ok(())
    }

    /// Gives a key-value another key; false when it has this one.
    ///
    /// # Errors
    /// There is none with this number.
    pub fn set_key(&mut self, at: u64, key: &[u8]) -> Result<bool, EditError> {
        self.entry(at)?;
        let differs = self.key(at) != key;
        if differs {
            let (old, place) = (self.key(at).to_vec(), usize::try_from(at).map_err(|_| EditError::NoKv(at))?);
            self.keys.remove(&old, place);
            self.keys.add(key, place);
            self.entry(at)?.key = Some(key.to_vec());
        }
        Ok(differs)
    }

    fn new_scalar(&self, scalar: Scalar) -> Result<New, EditError> {
        let scalar = widen(scalar);
        let mut bytes = Vec::new();
        self.encoder.scalar(&mut bytes, scalar)?;
        Ok(New { ty: scalar.value_type(), scalar: Some(scalar), bytes, items: None })
    }

    /// Whether the source has this value.
    fn source_is(&self, at: u64, new: &New) -> Result<bool, EditError> {
        Ok(match self.source_kv(at) {
            Some(kv) if self.copies => {
                kv.value_type == new.ty && self.view.bytes(kv.value_span) == Some(&new.bytes)
            }
            _ => self.encoded(at)? == Some((new.ty, new.bytes.clone())),
        })
    }

    fn set(&mut self, at: u64, new: New) -> Result<bool, EditError> {
        let entry = self.entry(at)?;
        let old = entry.value.take();
        entry.elements.clear();
        let same = match &old {
            Some(old) => *old == new,
            None => self.source_is(at, &new)?,
        };
        self.entry(at)?.value = if same { old } else { Some(new) };
        Ok(!same)
    }

    /// Gives a key-value another value of fixed size; false when it has this one.
    ///
    /// # Errors
    /// There is none with this number.
    pub fn set_scalar(&mut self, at: u64, scalar: Scalar) -> Result<bool, EditError> {
        let new = self.new_scalar(scalar)?;
        self.set(at, new)
    }

    /// Gives a key-value a string as its value; false when it has this one.
    ///
    /// # Errors
    /// There is none with this number.
    pub fn set_string(&mut self, at: u64, text: &[u8]) -> Result<bool, EditError> {
        let mut bytes = Vec::new();
        self.encoder.string(&mut bytes, text);
        self.set(at, New { ty: ValueType::STRING, scalar: None, bytes, items: None })
    }

    /// Makes 1 of all bool bytes of a value that are neither 0 nor 1; false when there are none.
    ///
    /// # Errors
    /// There is no key-value with this number, or its bytes are not there.
    pub fn normalise_bools(&mut self, at: u64) -> Result<bool, EditError> {
        self.entry(at)?;
        let (Some(value), Some(kv)) = (self.source_value(at), self.source_kv(at)) else {
            return Ok(false);
        };
        let mut bytes = Vec::new();
        self.encoder.value(&mut bytes, value, Bools::Normalise)?;
        let scalar = match value {
            Value::Scalar(Scalar::Bool(byte)) => Some(Scalar::Bool((byte != 0).into())),
            Value::Scalar(scalar) => Some(scalar),
            _ => None,
        };
        self.set(at, New { ty: written_type(kv.value_type), scalar, bytes, items: None })
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

    /// Lays the data out anew when it is written: in the order of the table, without gaps, each tensor aligned, zeros
    /// between and behind. What follows the data in the source follows it then too. False when that is asked for already,
    /// and when there are no tensors.
    ///
    /// # Errors
    /// [`EditError::Data`] when it cannot be told which bytes are whose.
    pub fn relayout(&mut self) -> Result<bool, EditError> {
        if self.anew.is_some() || self.index().tensors().is_empty() {
            return Ok(false);
        }
        let placement = Placement::of(self.index(), self.size);
        if !placement.problems.is_empty() {
            return Err(EditError::Data(placement.problems));
        }
        self.anew = Some(placement);
        Ok(true)
    }

    /// Makes zeros of the bytes between the head and the data.
    pub fn clean_gap(&mut self) {
        self.clean_gap = true;
    }

    /// Keeps the bytes behind the head of a file without tensors as they are, at once behind the new head: they are not
    /// padding, whatever the alignment says.
    pub fn keep_behind_head(&mut self) {
        self.behind_head = self.index().tensors().is_empty();
    }

    /// The byte order that will be written.
    #[must_use]
    pub fn endian(&self) -> Endian {
        self.encoder.endian()
    }

    /// Writes the head in this byte order, version 3; false when that is so already. To be asked for before anything else is
    /// changed. The data is for whoever carries the plan out to turn.
    ///
    /// # Errors
    /// None for the byte orders there are.
    pub fn set_endian(&mut self, endian: Endian) -> Result<bool, EditError> {
        if self.encoder.endian() == endian {
            return Ok(false);
        }
        self.encoder = Encoder::new(3, endian)?;
        self.version = 3;
        self.copies = false;
        Ok(true)
    }

    /// Where each tensor's data is in the source, in the order of the table, and its type.
    ///
    /// # Errors
    /// [`EditError::Data`] when it cannot be told.
    pub fn data_spans(&self) -> Result<Vec<(TensorType, Span)>, EditError> {
        let placement = Placement::of(self.index(), self.size);
        if !placement.problems.is_empty() {
            return Err(EditError::Data(placement.problems));
        }
        let types = self.index().tensors().iter().map(|tensor| tensor.tensor_type);
        Ok(types.zip(placement.spans).collect())
    }

    /// What was decided about the data; [`Document::set_data`] goes back to it.
    pub(crate) fn data_state(&self) -> DataState {
        let Self { anew, clean_gap, behind_head, end, to, .. } = self;
        DataState { anew: anew.clone(), clean_gap: *clean_gap, behind_head: *behind_head, end: *end, to: *to }
    }

    /// Takes back what was decided about the data since.
    pub(crate) fn set_data(&mut self, state: DataState) {
        let DataState { anew, clean_gap, behind_head, end, to } = state;
        (self.anew, self.clean_gap, self.behind_head) = (anew, clean_gap, behind_head);
        (self.end, self.to) = (end, to);
    }

    /// Writes version 3; false when that is so already.
    pub fn rewrite(&mut self) -> bool {
        std::mem::replace(&mut self.version, 3) != 3
    }

    /// Ends the file at a position of the source; false when it ends there or before.
    ///
    /// # Errors
    /// [`EditError::CutsData`].
    pub fn cut(&mut self, at: u64) -> Result<bool, EditError> {
        // Without tensors a file may end with its head.
        let head_end = self.index().head_end();
        let end = match self.index().tensors() {
            [] => head_end,
            _ => Placement::of(self.index(), self.size).end.max(head_end),
        };
        if at < end {
            return Err(EditError::CutsData { at, end });
        }
        let shorter = at < self.end;
        self.end = self.end.min(at);
        Ok(shorter)
    }

    /// Adds zeros at the end, as many as make the source so long; false when it is. A new layout of the data brings its
    /// own padding, which counts.
    pub fn extend(&mut self, to: u64) -> bool {
        let longer = to > self.end.max(self.to);
        self.to = self.to.max(to);
        longer
    }

    /// Puts other bytes in the place of some of the source; false when they are the same.
    ///
    /// # Errors
    /// The bytes are not as many, or not in the source, or of a head that is written anew.
    pub fn patch(&mut self, span: Span, bytes: &[u8]) -> Result<bool, EditError> {
        let unfit = EditError::NotCopied(span);
        if bytes.len() as u64 != span.len
            || span.start.checked_add(span.len).is_none_or(|end| end > self.size)
        {
            return Err(unfit);
        }
        if self.view.bytes(span) == Some(bytes) {
            return Ok(false);
        }
        let head_end = self.index().head_end();
        if span.start >= head_end {
            self.patches.push((span, bytes.to_vec()));
            return Ok(true);
        }
        // The alignment and the like are used while planning: a value that is patched is a new value.
        let kvs = self.index().kvs();
        let at = kvs.partition_point(|kv| kv.span.end() <= span.start);
        if let Some(kv) = kvs.get(at)
            && let Payload::Scalar(_) = kv.payload
            && span.start >= kv.value_span.start
            && span.end() <= kv.value_span.end()
            && let Some(mut value) = self.view.bytes(kv.value_span).map(<[u8]>::to_vec)
        {
            let from =
                usize::try_from(span.start.saturating_sub(kv.value_span.start)).map_err(|_| unfit.clone())?;
            value.iter_mut().skip(from).zip(bytes).for_each(|(old, new)| *old = *new);
            let scalar = Scalar::read(kv.value_type, self.encoder.endian(), &value).ok_or(unfit)?;
            return self.set_scalar(at as u64, scalar);
        }
        // Where the head is written anew, the elements of an array are taken from the patched bytes.
        let in_array = |kv: &Kv| match &kv.payload {
            Payload::Array(array) => span.start >= array.elements.start && span.end() <= array.elements.end(),
            _ => false,
        };
        if !self.copies && !kvs.get(at).is_some_and(in_array) {
            return Err(unfit);
        }
        self.patches.push((span, bytes.to_vec()));
        Ok(true)
    }

    /// Makes a change that a finding proposes; false when it makes no difference any more.
    ///
    /// # Errors
    /// What it is about is not there, or it cannot be done; see [`EditError`].
    pub fn apply(&mut self, change: &Change) -> Result<bool, EditError> {
        match change {
            Change::Patch { span, bytes } => self.patch(*span, bytes),
            Change::RemoveKv { index } if *index < self.kv_count() && !self.is_there(*index) => Ok(false),
            Change::RemoveKv { index } => self.remove(*index).map(|()| true),
            Change::SetKey { index, key } => self.set_key(*index, key),
            Change::SetScalar { index, value } => self.set_scalar(*index, *value),
            Change::SetString { index, bytes } => self.set_string(*index, bytes),
            Change::SetName { index, name } => self.set_name(*index, name),
            Change::RemoveKvs { indices } => indices
                .iter()
                .try_fold(false, |any, index| Ok(self.apply(&Change::RemoveKv { index: *index })? || any)),
            Change::Relayout => self.relayout(),
            Change::Realign { to } => {
                let differs = self.alignment() != u64::from(*to);
                if differs {
                    self.set_alignment(*to);
                }
                Ok(self.relayout()? || differs)
            }
            Change::Rewrite => Ok(self.rewrite()),
            Change::Cut { at } => self.cut(*at),
            Change::Extend { to } => Ok(self.extend(*to)),
            _ => Err(EditError::OtherChange),
        }
    }
}
