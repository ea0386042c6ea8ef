//! What differs between two models, said field by field.
//!
//! A [`Diff`] is computed from two heads, or two sets of heads, and reads no data. Which data is to be compared it says
//! ([`Tensors::pairs`], [`Layout::gaps`]); whoever can read it tells the diff what came of it. What was not compared is never
//! called equal.
//!
//! A set of shards is one model: its metadata is that of its first file with what the others have beside it, and the keys
//! that only say how it is cut (`split.*`) are left to the layout.
//!
//! **The layout is what does not follow from the table.** Where both files lay their tensors out as the table has it, one
//! behind the other with zeros as padding, an offset that differs because a tensor is longer is no difference of its own.

mod array;
mod layout;
mod metadata;
mod order;
mod serial;
mod side;
mod tensors;
#[cfg(test)]
mod tests;
mod text;

use ggufkit_format::{AlignmentSource, View};
use serde::Serialize;

use crate::model::Model;

pub use array::{ArrayDiff, Run, differing, same_value};
pub use layout::{Gap, GapChange, Layout, OffsetChange, Owner};
pub use metadata::{Duplicated, KvChange, Metadata};
pub use order::still;
pub use serial::{JsonEntry, JsonTensor};
pub use side::{Record, Room, Side};
pub use tensors::{Candidates, Data, DataDifference, TensorChange, Tensors};
pub use text::{Hunk, Line, TextDiff};

/// A test for keys and names.
pub type Filter<'f> = &'f dyn Fn(&[u8]) -> bool;

/// What is compared.
#[derive(Clone, Copy)]
pub struct Options<'f> {
    /// Version, byte order, alignment.
    pub header: bool,
    /// Keys and values.
    pub metadata: bool,
    /// The tensor table, and the data of tensors.
    pub tensors: bool,
    /// Where the data lies, and what lies between.
    pub layout: bool,
    /// Whether only what a loader makes of the files counts: neither order nor anything of header and layout.
    pub semantic: bool,
    /// Whether keys that hold nothing but room in the head count as others do. They are an editor's, and no part of the
    /// model: a difference of them is [told](Diff::room) and counts for nothing.
    pub exact: bool,
    /// Keys and tensors that are passed over.
    pub ignore: Option<Filter<'f>>,
}

impl Options<'_> {
    /// Everything.
    pub const ALL: Self = Self {
        header: true,
        metadata: true,
        tensors: true,
        layout: true,
        semantic: false,
        exact: false,
        ignore: None,
    };
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options").field("semantic", &self.semantic).finish_non_exhaustive()
    }
}

/// A field of the header that differs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct HeaderChange {
    /// The file of the set, from 0.
    pub file: usize,
    /// `version`, `endian`, `dialect`, `alignment`.
    pub field: &'static str,
    /// What the first has.
    pub a: String,
    /// What the second has.
    pub b: String,
}

/// What differs between two models.
#[derive(Clone, Debug)]
pub struct Diff<'a> {
    /// The first model.
    pub a: Side<'a>,
    /// The second model.
    pub b: Side<'a>,
    /// Fields of the header.
    pub header: Vec<HeaderChange>,
    /// Key-values.
    pub metadata: Metadata,
    /// Tensors.
    pub tensors: Tensors,
    /// Where the data lies.
    pub layout: Layout,
}

impl<'a> Diff<'a> {
    /// Compares two models by their heads.
    #[must_use]
    pub fn new(a: &Model<'a>, b: &Model<'a>, options: &Options<'_>) -> Self {
        let sets = a.len() > 1 || b.len() > 1;
        let (mut a, mut b) = (Side::new(a, options, sets), Side::new(b, options, sets));
        let metadata = Metadata::of(&mut a, &mut b, options);
        let tensors = Tensors::of(&mut a, &mut b, options);
        let mut diff = Self { header: Vec::new(), metadata, tensors, layout: Layout::default(), a, b };
        if options.header && !options.semantic {
            diff.header = header(&diff.a, &diff.b);
        }
        if options.layout && !options.semantic {
            diff.layout = Layout::of(&diff.a, &diff.b, &diff.tensors);
            let ignored = diff.a.ignored() + diff.b.ignored() > 0;
            let whole = options.header && options.metadata && options.tensors && !ignored;
            if whole && diff.count() == 0 && diff.room().is_none() {
                diff.layout.head = heads(&diff.a, &diff.b);
            }
        }
        diff
    }

    /// Bytes of room that the heads of the two keep, where not both keep the same at the same places.
    #[must_use]
    pub fn room(&self) -> Option<(u64, u64)> {
        (self.a.room != self.b.room).then(|| (self.a.room(), self.b.room()))
    }

    /// Number of differences that are known.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.header.len() as u64 + self.metadata.count() + self.tensors.count() + self.layout.count()
    }
}

fn header(a: &Side<'_>, b: &Side<'_>) -> Vec<HeaderChange> {
    let mut out = Vec::new();
    for (file, (a, b)) in a.parts.iter().zip(&b.parts).enumerate() {
        let (a, b) = (a.view.index(), b.view.index());
        let mut field = |field, a: String, b: String| {
            if a != b {
                out.push(HeaderChange { file, field, a, b });
            }
        };
        field("version", a.header().version.to_string(), b.header().version.to_string());
        field("endian", a.header().endian.name().to_owned(), b.header().endian.name().to_owned());
        field("dialect", a.header().dialect.to_string(), b.header().dialect.to_string());
        let alignment = |index: &ggufkit_format::Index| match index.alignment_source() {
            AlignmentSource::Default => format!("{} (default)", index.alignment()),
            AlignmentSource::Unusable(_) => format!("{} (the key is unusable)", index.alignment()),
            _ => index.alignment().to_string(),
        };
        field("alignment", alignment(a), alignment(b));
    }
    out
}

/// The first position at which heads that say the same differ in their bytes all the same, counted from the magic.
fn heads<'a>(a: &Side<'a>, b: &Side<'a>) -> Option<(usize, u64)> {
    a.parts.iter().zip(&b.parts).enumerate().find_map(|(file, (a, b))| {
        let bytes = |view: View<'a>| view.bytes(view.index().head()).unwrap_or_default();
        let (a, b) = (bytes(a.view), bytes(b.view));
        let at = a.iter().zip(b).position(|(a, b)| a != b);
        let at = at.or((a.len() != b.len()).then_some(a.len().min(b.len())))?;
        Some((file, at as u64))
    })
}
