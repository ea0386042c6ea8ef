//! Models over several files: splitting, merging, splitting anew.
//!
//! [`Whole`] is a model as its files hold it together: one list of key-values, one list of tensors, every span in the
//! space of addresses of the files laid end to end ([`ggufkit_io::Joined`]). [`split`] and [`merge`] turn it into plans.
//! Nothing here opens a file or reads a tensor.
//!
//! **What is kept.** Key-values are copied as they stand, in their order; only `split.no`, `split.count` and
//! `split.tensors.count` are the files' own and are written anew. Tensors keep their order, names, types, shapes and
//! bytes. The layout is the canonical one: each tensor at the sum of the padded sizes before it, zeros as padding. A
//! canonical file that is split and merged again is the same bytes.
//!
//! **What is refused.** Whatever would be lost: bytes that belong to nothing, key-values that only later shards have, or
//! have otherwise. Whether the files are one set at all is asked of [`ggufkit_io::check_shards`] first.

mod error;
mod merge;
mod split;

use std::collections::HashMap;

use ggufkit_format::encode::Encoder;
use ggufkit_format::spec::{TensorType, ValueType};
use ggufkit_format::{AlignmentSource, Dialect, Index, Kv, Plan, PlanError, Scalar, Span, View, layout};

use crate::error::EditError;
use crate::placement::Placement;

pub use error::{Note, Refusal, ShardsError};
pub use merge::merge;
pub use split::{By, MAX_SHARDS, Shard, Split, split};

/// The keys that say which shard of how many a file is.
pub const SPLIT_KEYS: [&str; 3] = ["split.no", "split.count", "split.tensors.count"];

/// A file that holds a model, or a part of one.
#[derive(Clone, Copy, Debug)]
pub struct Member<'a> {
    /// Its head.
    pub view: View<'a>,
    /// Its length in bytes.
    pub size: u64,
    /// Where it begins in the source of the plans: the sum of the lengths of the files before it.
    pub start: u64,
}

/// What becomes of key-values that the first shard does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Extra {
    /// The model is refused.
    #[default]
    Refuse,
    /// They follow the first shard's.
    Keep,
}

/// A tensor of a model.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// Its dimensions.
    pub dims: &'a [u64],
    /// Its type.
    pub tensor_type: TensorType,
    /// Its data in the source, without padding.
    pub data: Span,
    /// Its record in the source.
    record: Span,
    /// The offset in that record.
    offset: u64,
}

/// A model, whatever files it is in.
#[derive(Clone, Debug)]
pub struct Whole<'a> {
    encoder: Encoder,
    /// The records of the key-values, in the source.
    kvs: Vec<Span>,
    /// The record that gives the alignment, where it is not the default.
    alignment_kv: Option<Span>,
    alignment: u64,
    tensors: Vec<Item<'a>>,
    /// There are no tensors, and the file ends with its head, unpadded.
    bare: bool,
    notes: Vec<Note>,
}

impl<'a> Whole<'a> {
    /// The model of these files, in the order of their numbers: one, or a whole set.
    ///
    /// # Errors
    /// See [`Refusal`]; all of them.
    pub fn of(members: &[Member<'a>], extra: Extra) -> Result<Self, ShardsError> {
        let Some(first) = members.first() else { return Err(ShardsError::NoFiles) };
        let index = first.view.index();
        let mut refusals = Vec::new();
        for (at, member) in members.iter().enumerate() {
            agree(at, member.view.index(), index, &mut refusals);
        }
        if !refusals.is_empty() {
            return Err(ShardsError::Refused(refusals));
        }
        let header = index.header();
        let mut whole = Self {
            encoder: Encoder::new(header.version, header.endian).map_err(EditError::from)?,
            kvs: Vec::new(),
            alignment_kv: None,
            alignment: index.alignment(),
            tensors: Vec::new(),
            bare: false,
            notes: Vec::new(),
        };
        if let AlignmentSource::Key(at) = index.alignment_source()
            && whole.alignment != layout::DEFAULT_ALIGNMENT
        {
            let kv = usize::try_from(at).ok().and_then(|at| index.kvs().get(at));
            whole.alignment_kv = kv.map(|kv| shifted(kv.span, first.start));
        }
        let own = first.view.kvs().filter(|(key, _)| !is_split_key(key.0));
        whole.kvs = own.map(|(_, kv)| shifted(kv.span, first.start)).collect();
        whole.extras(members, extra, &mut refusals);
        for (at, member) in members.iter().enumerate() {
            whole.take_tensors(at, member, &mut refusals);
        }
        let ends = first.size == index.head_end() && index.data_start() != Some(index.head_end());
        whole.bare = whole.tensors.is_empty() && ends;
        if refusals.is_empty() { Ok(whole) } else { Err(ShardsError::Refused(refusals)) }
    }

    /// The tensors, in the order of the files and of their tables.
    #[must_use]
    pub fn tensors(&self) -> &[Item<'a>] {
        &self.tensors
    }

    /// Alignment of the data, in bytes.
    #[must_use]
    pub fn alignment(&self) -> u64 {
        self.alignment
    }

    /// What will be other than in the files, beside the split keys.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// How its records are written.
    pub(crate) fn encoder(&self) -> &Encoder {
        &self.encoder
    }

    /// The records of the key-values, in the source.
    pub(crate) fn key_values(&self) -> &[Span] {
        &self.kvs
    }

    /// The record that gives the alignment, where it is not the default.
    pub(crate) fn alignment_record(&self) -> Option<Span> {
        self.alignment_kv
    }

    /// The key-values of later shards: known ones are passed over, others are kept or refused.
    fn extras(&mut self, members: &[Member<'a>], extra: Extra, refusals: &mut Vec<Refusal>) {
        let Some((first, later)) = members.split_first() else { return };
        let mut known: HashMap<&[u8], (ValueType, Option<&[u8]>)> = HashMap::new();
        let value = |member: &Member<'a>, kv: &Kv| (kv.value_type, member.view.bytes(kv.value_span));
        for (at, member) in (1..).zip(later) {
            let index = member.view.index();
            for (number, (key, kv)) in (0..).zip(member.view.kvs()) {
                // It says how this file is laid out, and it says the same as the first one.
                let alignment = matches!(index.alignment_source(), AlignmentSource::Key(n) if n == number);
                if is_split_key(key.0) || (alignment && index.alignment() == self.alignment) {
                    continue;
                }
                if known.is_empty() {
                    // Of a key that occurs again the first value is the one that counts.
                    let all = first.view.kvs().rev();
                    known.extend(all.map(|(key, kv)| (key.0, value(first, kv))));
                }
                let new = value(member, kv);
                match (known.get(key.0), extra) {
                    (Some(old), _) if *old == new => {}
                    (Some(_), _) => refusals.push(Refusal::KeyDiffers { member: at, key: key.0.to_vec() }),
                    (None, Extra::Refuse) => {
                        refusals.push(Refusal::ExtraKey { member: at, key: key.0.to_vec() });
                    }
                    (None, Extra::Keep) => {
                        known.insert(key.0, new);
                        self.kvs.push(shifted(kv.span, member.start));
                        self.notes.push(Note::KeptKey { member: at, key: key.0.to_vec() });
                    }
                }
            }
        }
    }

    fn take_tensors(&mut self, at: usize, member: &Member<'a>, refusals: &mut Vec<Refusal>) {
        let index = member.view.index();
        let placement = Placement::of(index, member.size);
        let name = |tensor: usize| {
            let tensor = index.tensors().get(tensor);
            tensor.map(|tensor| member.view.name(tensor).0.to_vec()).unwrap_or_default()
        };
        refusals.extend(placement.problems.iter().map(|problem| Refusal::Data {
            member: at,
            name: name(problem.tensor),
            problem: *problem,
        }));
        if !placement.problems.is_empty() {
            return;
        }
        let base = index.header().base;
        let data_end = placement.end.saturating_sub(base);
        let padded = placement.end.saturating_add(layout::padding(data_end, index.alignment()));
        if member.size > padded {
            refusals.push(Refusal::Trailing { member: at, bytes: member.size.saturating_sub(padded) });
        }
        let mut packer = layout::Packer::new(index.alignment());
        let mut canonical = index.tensors().is_empty() || member.size == padded;
        for ((name, tensor), data) in member.view.tensors().zip(&placement.spans) {
            canonical &= packer.put(data.len) == Some(tensor.offset);
            self.tensors.push(Item {
                name: name.0,
                dims: index.dims(tensor),
                tensor_type: tensor.tensor_type,
                data: shifted(*data, member.start),
                record: shifted(tensor.span, member.start),
                offset: tensor.offset,
            });
        }
        if !canonical {
            self.notes.push(Note::LaidOutAnew { member: at });
        }
        if index.alignment() != self.alignment && !index.tensors().is_empty() {
            self.notes.push(Note::Aligned { member: at, from: index.alignment(), to: self.alignment });
        }
    }

    /// Bytes of a file's head with these key-values and no tensors.
    fn head_len(&self, kvs: &[Span], more: &[u8]) -> u64 {
        // Magic, version and two counts: 24 bytes in versions 2 and 3.
        let kvs = kvs.iter().fold(24_u64, |sum, span| sum.saturating_add(span.len));
        kvs.saturating_add(more.len() as u64)
    }

    /// The plan of a file with these key-values, `more` of them written out, and these tensors.
    fn plan_file(&self, kvs: &[Span], more: (&[u8], u64), tensors: &[Item<'_>]) -> Result<Plan, EditError> {
        let mut plan = Plan::new();
        let mut bytes = Vec::new();
        let count = (kvs.len() as u64).saturating_add(more.1);
        self.encoder.header(&mut bytes, tensors.len() as u64, count);
        plan.literal(&bytes)?;
        for span in kvs {
            plan.copy(*span)?;
        }
        plan.literal(more.0)?;
        let mut packer = layout::Packer::new(self.alignment);
        for tensor in tensors {
            let offset = packer.put(tensor.data.len).ok_or(PlanError::TooLong)?;
            if tensor.offset == offset {
                plan.copy(tensor.record)?;
            } else {
                bytes.clear();
                self.encoder.tensor(&mut bytes, tensor.name, tensor.dims, tensor.tensor_type, offset)?;
                plan.literal(&bytes)?;
            }
        }
        if self.bare {
            return Ok(plan);
        }
        plan.zeros(layout::padding(plan.len(), self.alignment))?;
        for tensor in tensors {
            plan.copy(tensor.data)?;
            plan.zeros(layout::padding(plan.len(), self.alignment))?;
        }
        Ok(plan)
    }

    /// A key-value of fixed size, as bytes.
    fn scalar(&self, out: &mut Vec<u8>, key: &str, scalar: Scalar) -> Result<(), EditError> {
        self.encoder.string(out, key.as_bytes());
        self.encoder.value_type(out, scalar.value_type());
        Ok(self.encoder.scalar(out, scalar)?)
    }
}

/// Whether a file can be taken together with the first one.
fn agree(at: usize, index: &Index, first: &Index, refusals: &mut Vec<Refusal>) {
    let (header, other) = (index.header(), first.header());
    if !index.is_complete() {
        refusals.push(Refusal::IncompleteHead { member: at });
    }
    if header.dialect != Dialect::STANDARD || !matches!(header.version, 2 | 3) {
        refusals.push(Refusal::Layout { member: at });
    }
    if header.version != other.version {
        let (found, expected) = (header.version, other.version);
        refusals.push(Refusal::Version { member: at, found, expected });
    }
    if header.endian != other.endian {
        refusals.push(Refusal::ByteOrder { member: at });
    }
    if let AlignmentSource::Key(_) = index.alignment_source()
        && index.alignment() != first.alignment()
    {
        let (found, expected) = (index.alignment(), first.alignment());
        refusals.push(Refusal::Alignment { member: at, found, expected });
    }
}

fn is_split_key(key: &[u8]) -> bool {
    SPLIT_KEYS.iter().any(|known| known.as_bytes() == key)
}

fn shifted(span: Span, by: u64) -> Span {
    Span::new(span.start.saturating_add(by), span.len)
}
