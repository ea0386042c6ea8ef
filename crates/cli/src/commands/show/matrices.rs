//! How many matrices of an importance matrix were never called: of a model of experts that is what tells whether the text that
//! it was measured on reached all of them.

use ggufkit::format::spec::TensorType;
use ggufkit::format::{Endian, View};
use ggufkit::io::{FileSource, TensorReader, read_exact_at};
use serde::Serialize;

/// Counts of a tensor that are read: experts are a few hundred.
const MOST: u64 = 1 << 16;

/// Matrices that there are counts for.
#[derive(Serialize)]
pub(super) struct Matrices {
    /// All of them.
    pub(super) all: u64,
    /// Those that were never called.
    pub(super) never_called: u64,
}

impl Matrices {
    /// Reads the counts; nothing where there are none, or one of them cannot be read.
    pub(super) fn of(view: &View<'_>, source: &FileSource) -> Option<Self> {
        let reader = TensorReader::new(source, *view);
        let is_big = view.index().header().endian == Endian::Big;
        let mut matrices = Self { all: 0, never_called: 0 };
        for (name, tensor) in view.tensors() {
            if !name.0.ends_with(b".counts") || tensor.tensor_type != TensorType::F32 {
                continue;
            }
            let span = reader.extent(tensor).ok()?.span;
            if span.len / 4 > MOST {
                return None;
            }
            let mut bytes = vec![0; usize::try_from(span.len).ok()?];
            read_exact_at(source, &mut bytes, span.start).ok()?;
            for number in bytes.as_chunks::<4>().0 {
                let count = if is_big { f32::from_be_bytes(*number) } else { f32::from_le_bytes(*number) };
                matrices.all = matrices.all.saturating_add(1);
                matrices.never_called = matrices.never_called.saturating_add(u64::from(count.round() == 0.0));
            }
        }
        (matrices.all > 0).then_some(matrices)
    }
}
