//! Changes that findings propose.

use ggufkit_check::Change;
use ggufkit_format::{Kv, Payload, Scalar, Span};

use super::Document;
use crate::error::EditError;

impl Document<'_> {
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
            let scalar = Scalar::read(kv.value_type, self.index().header().endian, &value).ok_or(unfit)?;
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
