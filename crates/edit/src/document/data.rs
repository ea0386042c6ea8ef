//! What becomes of the data, and of the bytes around it.

use ggufkit_format::Span;
use ggufkit_format::spec::TensorType;

use super::Document;
use crate::error::EditError;
use crate::placement::Placement;

/// What is decided about the data of a document.
pub(crate) struct DataState {
    anew: Option<Placement>,
    clean_gap: bool,
    behind_head: bool,
    end: u64,
    to: u64,
}

impl Document<'_> {
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
}
