//! Which tensors: by name, by pattern, by layer.

use std::ops::RangeInclusive;

use ggufkit_format::glob::{Glob, layer_of};

/// A choice of tensors: those that any of its parts takes. An empty selection takes none.
///
/// ```
/// use ggufkit_format::glob::{Glob, GlobError};
/// use ggufkit_io::Selection;
///
/// let selection = Selection::new().name("output.weight").glob(Glob::new("blk.*.attn_?.weight")?).layers(30..=31);
/// assert!(selection.takes(b"blk.4.attn_q.weight"));
/// assert!(selection.takes(b"blk.31.ffn_up.weight"));
/// assert!(!selection.takes(b"blk.3.ffn_up.weight"));
/// # Ok::<(), GlobError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Selection {
    names: Vec<Vec<u8>>,
    globs: Vec<Glob>,
    layers: Vec<RangeInclusive<u64>>,
}

impl Selection {
    /// A selection that takes nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self { names: Vec::new(), globs: Vec::new(), layers: Vec::new() }
    }

    /// Takes the tensors of exactly this name too.
    #[must_use]
    pub fn name(mut self, name: impl AsRef<[u8]>) -> Self {
        self.names.push(name.as_ref().to_vec());
        self
    }

    /// Takes the tensors whose names match this pattern too.
    #[must_use]
    pub fn glob(mut self, glob: Glob) -> Self {
        self.globs.push(glob);
        self
    }

    /// Takes the tensors of these layers too: see [`layer_of`].
    #[must_use]
    pub fn layers(mut self, layers: RangeInclusive<u64>) -> Self {
        self.layers.push(layers);
        self
    }

    /// Whether a tensor of this name is taken.
    #[must_use]
    pub fn takes(&self, name: &[u8]) -> bool {
        self.names.iter().any(|other| other == name)
            || self.globs.iter().any(|glob| glob.matches(name))
            || layer_of(name).is_some_and(|layer| self.layers.iter().any(|range| range.contains(&layer)))
    }
}
