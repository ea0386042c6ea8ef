//! Tensors to be written, and the blocks of their types.

/// A tensor: its record, and its data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tensor {
    /// The name's bytes.
    pub name: Vec<u8>,
    /// Dimensions, the row length first.
    pub dims: Vec<u64>,
    /// The id of the type.
    pub type_id: u32,
    /// Data; may be of any length, also one that type and dimensions do not give.
    pub data: Vec<u8>,
    /// The offset to write. `None`: the running sum of padded sizes.
    pub offset: Option<u64>,
}

impl Tensor {
    /// A tensor whose data is `position % 256` (test-gguf's pattern), of the size that type and dimensions give.
    /// It has no data when the type has no size, when the size is over 16 MiB or when the row fits no block.
    #[must_use]
    pub fn new(name: impl AsRef<[u8]>, type_id: u32, dims: &[u64]) -> Self {
        let size = size(type_id, dims).filter(|&n| n <= 16 << 20).unwrap_or(0);
        let data = (0..size).map(|i| (i % 256) as u8).collect();
        Self { name: name.as_ref().to_vec(), dims: dims.to_vec(), type_id, data, offset: None }
    }

    /// A tensor of f32.
    #[must_use]
    pub fn f32(name: impl AsRef<[u8]>, dims: &[u64]) -> Self {
        Self::new(name, 0, dims)
    }

    /// The same tensor with other data.
    #[must_use]
    pub fn data(mut self, data: impl Into<Vec<u8>>) -> Self {
        self.data = data.into();
        self
    }

    /// The same tensor with this offset in its record; its data is put there unless that is over 16 MiB away.
    #[must_use]
    pub fn offset(mut self, offset: u64) -> Self {
        self.offset = Some(offset);
        self
    }
}

/// Elements and bytes of a type's block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// The type's id.
    pub id: u32,
    /// Name as gguf-py spells it.
    pub name: &'static str,
    /// Elements of a block; 0 for removed types.
    pub elems: u64,
    /// Bytes of a block; 0 for removed types.
    pub bytes: u64,
}

const fn row(id: u32, name: &'static str, elems: u64, bytes: u64) -> Block {
    Block { id, name, elems, bytes }
}

/// The table of section "Tensor types": every id from 0 to 42.
pub const BLOCKS: [Block; 43] = [
    row(0, "F32", 1, 4),
    row(1, "F16", 1, 2),
    row(2, "Q4_0", 32, 18),
    row(3, "Q4_1", 32, 20),
    row(4, "Q4_2", 0, 0),
    row(5, "Q4_3", 0, 0),
    row(6, "Q5_0", 32, 22),
    row(7, "Q5_1", 32, 24),
    row(8, "Q8_0", 32, 34),
    row(9, "Q8_1", 32, 36),
    row(10, "Q2_K", 256, 84),
    row(11, "Q3_K", 256, 110),
    row(12, "Q4_K", 256, 144),
    row(13, "Q5_K", 256, 176),
    row(14, "Q6_K", 256, 210),
    row(15, "Q8_K", 256, 292),
    row(16, "IQ2_XXS", 256, 66),
    row(17, "IQ2_XS", 256, 74),
    row(18, "IQ3_XXS", 256, 98),
    row(19, "IQ1_S", 256, 50),
    row(20, "IQ4_NL", 32, 18),
    row(21, "IQ3_S", 256, 110),
    row(22, "IQ2_S", 256, 82),
    row(23, "IQ4_XS", 256, 136),
    row(24, "I8", 1, 1),
    row(25, "I16", 1, 2),
    row(26, "I32", 1, 4),
    row(27, "I64", 1, 8),
    row(28, "F64", 1, 8),
    row(29, "IQ1_M", 256, 56),
    row(30, "BF16", 1, 2),
    row(31, "Q4_0_4_4", 0, 0),
    row(32, "Q4_0_4_8", 0, 0),
    row(33, "Q4_0_8_8", 0, 0),
    row(34, "TQ1_0", 256, 54),
    row(35, "TQ2_0", 256, 66),
    row(36, "IQ4_NL_4_4", 0, 0),
    row(37, "IQ4_NL_4_8", 0, 0),
    row(38, "IQ4_NL_8_8", 0, 0),
    row(39, "MXFP4", 32, 17),
    row(40, "NVFP4", 64, 36),
    row(41, "Q1_0", 128, 18),
    row(42, "Q2_0", 64, 18),
];

/// The block of a type; `None` for ids past the table and for removed types.
#[must_use]
pub fn block(type_id: u32) -> Option<Block> {
    BLOCKS.iter().find(|b| b.id == type_id && b.elems > 0).copied()
}

/// Bytes of a tensor, where they can be told in 64 bits.
fn size(type_id: u32, dims: &[u64]) -> Option<u64> {
    let block = block(type_id)?;
    let row = dims.first().copied().unwrap_or(1);
    if row % block.elems != 0 {
        return None;
    }
    dims.iter().skip(1).try_fold((row / block.elems).checked_mul(block.bytes)?, |n, &d| n.checked_mul(d))
}
