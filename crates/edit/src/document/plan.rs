//! What a document's file will be made of.

use std::borrow::Cow;

use ggufkit_format::encode::{Bools, Encoder, written_type};
use ggufkit_format::spec::ValueType;
use ggufkit_format::{Kv, Piece, Plan, Span, View, layout};

use super::Document;
use crate::error::EditError;
use crate::placement::Placement;

impl Document<'_> {
    /// What the file will be made of.
    ///
    /// # Errors
    /// Bytes of the head that are not there, and changes that exclude each other.
    pub fn plan(&self) -> Result<Plan, EditError> {
        let alignment = self.alignment();
        let mut plan = self.plan_head()?;
        match &self.anew {
            None => self.plan_kept(&mut plan, alignment)?,
            Some(placement) => self.plan_anew(&mut plan, placement, alignment)?,
        }
        let end = match &self.anew {
            Some(placement) => self.end.max(self.padded(placement)),
            None => self.end,
        };
        plan.zeros(self.to.saturating_sub(end))?;
        let data: Vec<Span> = match &self.anew {
            Some(placement) => {
                let order = placement.order.as_slice().iter();
                order.filter_map(|extent| placement.spans.get(extent.tensor).copied()).collect()
            }
            None => Vec::new(),
        };
        // Padding is zeros in a new layout, whatever becomes of the old.
        let gone = |span: Span, bytes: &[u8]| match &self.anew {
            Some(placement) => {
                let next = data.get(data.partition_point(|one| one.end() <= span.start));
                let inside = next.is_some_and(|one| one.start < span.end());
                bytes.iter().all(|&byte| byte == 0) && span.start < placement.end && !inside
            }
            None => self.clean_gap && self.index().data_start().is_some_and(|start| span.end() <= start),
        };
        let head_end = self.index().head_end();
        // In a head that is written anew they are in the values.
        let patches = self.patches.iter().filter(|(span, bytes)| match span.start < head_end {
            true => self.copies,
            false => !gone(*span, bytes),
        });
        let patches: Vec<_> = patches.cloned().collect();
        if patches.is_empty() { Ok(plan) } else { Ok(plan.patched(&patches)?) }
    }

    /// Stretches behind the head of the source that a plan of this document has not: padding and what lies between tensors,
    /// which are nobody's loss where they are zeros. Data of tensors that were taken out is none of them.
    #[must_use]
    pub fn left_out(&self, plan: &Plan) -> Vec<Span> {
        let mut kept: Vec<Span> = plan
            .pieces()
            .iter()
            .filter_map(|piece| if let Piece::Copy(span) = piece { Some(*span) } else { None })
            .collect();
        if let Some(placement) = &self.anew {
            let gone = self.tensors.iter().zip(&placement.spans).filter(|(slot, _)| slot.removed);
            kept.extend(gone.map(|(_, span)| *span));
        }
        kept.sort_unstable();
        let mut out = Vec::new();
        let mut at = self.index().head_end();
        for span in kept.into_iter().chain([Span::new(self.size, 0)]) {
            let gap = Span::between(at, span.start.min(self.size).max(at));
            if !gap.is_empty() {
                out.push(gap);
            }
            at = at.max(span.end());
        }
        out
    }

    /// The part of the plan that makes the head.
    pub(super) fn plan_head(&self) -> Result<Plan, EditError> {
        let mut plan = Plan::new();
        let mut packer = layout::Packer::new(self.alignment());
        self.plan_header(&mut plan)?;
        for at in self.kv_order() {
            self.plan_kv(&mut plan, at)?;
        }
        for at in self.tensor_order() {
            let mut offset = self.index().tensors().get(at).map_or(0, |tensor| tensor.offset);
            if let Some(placement) = &self.anew {
                let len = self.data(placement, at).map_or(0, |span| span.len);
                offset = packer.put(len).ok_or(ggufkit_format::PlanError::TooLong)?;
            }
            self.plan_tensor(&mut plan, at, offset)?;
        }
        Ok(plan)
    }

    /// Whether what is done hangs on where the data begins: the head or the alignment is another, or bytes behind the head are.
    ///
    /// # Errors
    /// As those of [`Document::plan`].
    pub(crate) fn touches_data(&self) -> Result<bool, EditError> {
        let head = self.index().head();
        if self.to > 0
            || self.end < self.size
            || self.patches.iter().any(|(span, _)| span.start >= head.end())
        {
            return Ok(true);
        }
        // Offsets take the same room whatever they are.
        Ok(self.plan_head()?.len() != head.len || self.alignment() != self.index().alignment())
    }

    fn plan_header(&self, plan: &mut Plan) -> Result<(), EditError> {
        let header = self.index().header();
        let kvs = self.kvs.iter().filter(|entry| !entry.removed).count() as u64;
        let tensors = self.tensors.iter().filter(|slot| !slot.removed).count() as u64;
        if self.copies
            && self.version == header.version
            && kvs == header.kv_count
            && tensors == header.tensor_count
        {
            return Ok(plan.copy(header.span)?);
        }
        let encoder = Encoder::new(self.version, self.encoder.endian()).unwrap_or(self.encoder);
        let mut bytes = Vec::new();
        encoder.header(&mut bytes, tensors, kvs);
        Ok(plan.literal(&bytes)?)
    }

    fn plan_kv(&self, plan: &mut Plan, at: u64) -> Result<(), EditError> {
        let Some(entry) = self.slot(at).filter(|entry| !entry.removed) else { return Ok(()) };
        let kept = self.source_kv(at).filter(|_| self.copies);
        let mut bytes = Vec::new();
        match (kept, &entry.key) {
            (Some(kv), None) => plan.copy(Span::between(kv.span.start, kv.key.span.end()))?,
            _ => {
                self.encoder.string(&mut bytes, self.key(at));
                plan.literal(&bytes)?;
                bytes.clear();
            }
        }
        let changed = match &entry.value {
            Some(new) => Some((new.ty, Cow::Borrowed(new.bytes.as_slice()))),
            None if entry.elements.is_empty() => None,
            None => Some((ValueType::ARRAY, Cow::Owned(self.with_elements(at, &entry.elements)?))),
        };
        match (kept, &changed) {
            (Some(kv), None) => plan.copy(Span::between(kv.key.span.end(), kv.span.end()))?,
            (_, Some((ty, value))) => {
                self.encoder.value_type(&mut bytes, *ty);
                bytes.extend_from_slice(value);
                plan.literal(&bytes)?;
            }
            (None, None) => {
                let Some(kv) = self.source_kv(at) else { return Ok(()) };
                let patched = self.patched_value(kv);
                let view = match &patched {
                    Some(value) => View::at(self.index(), value, kv.value_span.start),
                    None => self.view,
                };
                self.encoder.value_type(&mut bytes, written_type(kv.value_type));
                self.encoder.value(&mut bytes, view.value(kv), Bools::Keep)?;
                plan.literal(&bytes)?;
            }
        }
        Ok(())
    }

    /// The bytes of a value with the patches that fall into it.
    fn patched_value(&self, kv: &Kv) -> Option<Vec<u8>> {
        let whole = kv.value_span;
        let inside = |span: &Span| span.start >= whole.start && span.end() <= whole.end();
        let mut patches = self.patches.iter().filter(|(span, _)| inside(span)).peekable();
        patches.peek()?;
        let mut value = self.view.bytes(whole)?.to_vec();
        for (span, bytes) in patches {
            let from = usize::try_from(span.start.saturating_sub(whole.start)).ok()?;
            value.iter_mut().skip(from).zip(bytes).for_each(|(old, new)| *old = *new);
        }
        Some(value)
    }

    fn plan_tensor(&self, plan: &mut Plan, place: usize, offset: u64) -> Result<(), EditError> {
        let at = place as u64;
        let slot = self.tensors.get(place).ok_or(EditError::NoTensor(at))?;
        let mut bytes = Vec::new();
        if let Some(added) = &slot.added {
            self.encoder.tensor(&mut bytes, self.name(at), &added.dims, added.ty, offset)?;
            return Ok(plan.literal(&bytes)?);
        }
        let tensor = self.index().tensors().get(place).ok_or(EditError::NoTensor(at))?;
        if self.copies && slot.name.is_none() && offset == tensor.offset {
            return Ok(plan.copy(tensor.span)?);
        }
        if slot.name.is_none() && self.view.bytes(tensor.name.span).is_none() {
            return Err(EditError::Encode(ggufkit_format::encode::EncodeError::Incomplete));
        }
        let dims = self.index().dims(tensor);
        self.encoder.tensor(&mut bytes, self.name(at), dims, tensor.tensor_type, offset)?;
        Ok(plan.literal(&bytes)?)
    }

    /// The rest of the file as it is.
    fn plan_kept(&self, plan: &mut Plan, alignment: u64) -> Result<(), EditError> {
        let index = self.index();
        if self.behind_head {
            return Ok(plan.copy(Span::between(index.head_end(), self.end))?);
        }
        let start = index.data_start().unwrap_or(self.end);
        if start > self.end && !index.tensors().is_empty() {
            // The file ends before its data would begin. What is not there stays away, however far off it was to be, and what
            // is there is nothing that is known.
            return Ok(plan.copy(Span::between(index.head_end().min(self.end), self.end))?);
        }
        let gap = Span::between(index.head_end().min(self.end), start.min(self.end));
        let head = index.head();
        let padding = layout::padding(plan.len(), alignment);
        // A head of another length has another gap. Where the file ended with the head, it does so again.
        if plan.len() == head.len && padding == start.saturating_sub(head.end()) {
            if self.clean_gap { plan.zeros(gap.len)? } else { plan.copy(gap)? }
        } else if !index.tensors().is_empty() || !gap.is_empty() || start < self.end {
            plan.zeros(padding)?;
        }
        Ok(plan.copy(Span::between(start, self.end))?)
    }

    /// The data section in its canonical form, and what follows it in the source.
    fn plan_anew(&self, plan: &mut Plan, placement: &Placement, alignment: u64) -> Result<(), EditError> {
        plan.zeros(layout::padding(plan.len(), alignment))?;
        for at in self.tensor_order() {
            plan.copy(self.data(placement, at).unwrap_or_default())?;
            plan.zeros(layout::padding(plan.len(), alignment))?;
        }
        Ok(plan.copy(Span::between(self.padded(placement), self.end))?)
    }

    /// Where the padding behind the data of the source ends, or would end.
    fn padded(&self, placement: &Placement) -> u64 {
        let data = placement.end.saturating_sub(self.index().header().base);
        placement.end.saturating_add(layout::padding(data, self.index().alignment()))
    }
}
