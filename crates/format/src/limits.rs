//! Budgets for a reader of files that somebody else made.

/// What a reading may cost at most. Each limit stands beside a check against the bytes that remain: a count that the
/// file cannot back is refused however high the limit is.
///
/// ```
/// use ggufkit_format::Limits;
/// let mut limits = Limits::default();
/// limits.max_head = 64 << 20;
/// assert_eq!(limits.max_depth, 16);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of the whole head (header, metadata, tensor table). Default 1 GiB; the largest heads in use have tens of MB.
    pub max_head: u64,
    /// Metadata key-values. Default 1,048,576.
    pub max_kv: u64,
    /// Tensors. Default 1,048,576.
    pub max_tensors: u64,
    /// Bytes of one key, string or tensor name. Default 1 GiB (`GGUF_MAX_STRING_LENGTH` of gguf.cpp).
    pub max_string: u64,
    /// Elements of one array. Default 2^30 (`GGUF_MAX_ARRAY_ELEMENTS` of gguf.cpp).
    pub max_array: u64,
    /// Arrays inside arrays. Default 16; a plain array has depth 1.
    pub max_depth: u32,
}

impl Limits {
    /// The documented defaults.
    pub const DEFAULT: Self = Self {
        max_head: 1 << 30,
        max_kv: 1 << 20,
        max_tensors: 1 << 20,
        max_string: 1 << 30,
        max_array: 1 << 30,
        max_depth: 16,
    };

    /// The same limits with `max_head` replaced.
    #[must_use]
    pub const fn with_max_head(mut self, bytes: u64) -> Self {
        self.max_head = bytes;
        self
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
