//! Blocks of quantized tensors, bit by bit: which bits of a block belong to which element, and how a value comes about.
//!
//! The members of a block, their sizes and their order are in [`ggufkit_format::spec::TensorTypeInfo::parts`]. This
//! module adds the map of single bits: it draws the pictures of `gguf explain`, names the bytes of `gguf hex --data`,
//! and decodes one element at a time while saying how. It is made to be looked at; decoding whole tensors is another
//! room's work.
//!
//! Bytes and bits are those of a little-endian file. [`to_little_endian`] brings a block of a big-endian file into that
//! form.

mod cells;
mod codebook;
mod element;
mod example;
mod place;
mod read;

use ggufkit_format::Endian;
use ggufkit_format::spec::{TensorType, TensorTypeInfo};

pub use cells::{cells, rows};
pub use element::{Term, Worked, work};
pub use example::{Example, example};
pub use place::{Place, PlaceError, block_count, place};
pub use read::{Numbers, PartReading, readings};

/// What a run of bits is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sym {
    /// A number of the whole block: a member of its own (`d`, `dmin`, `m`, `s`, `e`), or a value without a block.
    Number(&'static str),
    /// The quantized value of one element.
    Quant,
    /// An index into a codebook, for several elements.
    Index,
    /// A pattern of signs for eight elements, seven bits of it stored.
    Pattern,
    /// The sign of one element.
    Sign,
    /// The scale of a sub-block.
    Scale,
    /// The minimum of a sub-block.
    Min,
    /// The direction in which a sub-block is shifted.
    Delta,
    /// A sum of quantized values, for speed.
    Sum,
    /// A byte of base-3 digits, one for each of several elements.
    Digits,
}

impl Sym {
    /// The letter or name that pictures use: `q`, `idx`, `scale`, `d`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Number(name) => name,
            Self::Quant => "q",
            Self::Index => "idx",
            Self::Pattern => "signs",
            Self::Sign => "neg",
            Self::Scale => "scale",
            Self::Min => "min",
            Self::Delta => "delta",
            Self::Sum => "sum",
            Self::Digits => "digits",
        }
    }
}

/// A run of bits within one byte of a block, and what it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cell {
    /// The byte, from the start of the block.
    pub byte: u32,
    /// The lowest bit, 0 to 7.
    pub low: u8,
    /// Number of bits.
    pub width: u8,
    /// What the bits are.
    pub sym: Sym,
    /// Which one of its kind: the element, the sub-block, the group.
    pub index: u32,
    /// The bits are those from this one up of the whole number.
    pub shift: u8,
}

impl Cell {
    /// The highest bit within the byte.
    #[must_use]
    pub const fn high(&self) -> u8 {
        self.low + self.width - 1
    }

    /// The bits' part of the number.
    #[must_use]
    pub fn read(&self, block: &[u8]) -> u64 {
        let byte = usize::try_from(self.byte).ok().and_then(|at| block.get(at)).copied().unwrap_or(0);
        let mask = (1_u64 << self.width) - 1;
        ((u64::from(byte) >> self.low) & mask) << self.shift
    }
}

/// The unsigned number that the bits of one thing make, and how many bits it has; `None` when the type has no such
/// thing.
#[must_use]
pub fn number(cells: &[Cell], block: &[u8], sym: Sym, index: u32) -> Option<(u64, u8)> {
    let mut own = cells.iter().filter(|c| c.sym == sym && c.index == index).peekable();
    own.peek()?;
    Some(own.fold((0, 0), |(n, bits), c| (n | c.read(block), bits.max(c.shift + c.width))))
}

/// How many things of one kind a block has: `count(Scale)` is the number of sub-blocks.
#[must_use]
pub fn count(cells: &[Cell], sym: Sym) -> u32 {
    cells.iter().filter(|c| c.sym == sym).map(|c| c.index + 1).max().unwrap_or(0)
}

/// The things of one kind that the element `e` uses: its sub-block, its group, itself.
#[must_use]
pub fn group_of(info: &TensorTypeInfo, cells: &[Cell], sym: Sym, e: u32) -> Option<u32> {
    let count = count(cells, sym);
    if count == 0 {
        return None;
    }
    Some(e / (info.block_elems / count).max(1))
}

/// A block with every multi-byte number in little-endian order, whatever the file's.
pub fn to_little_endian(ty: TensorType, endian: Endian, block: &mut [u8]) {
    let (Endian::Big, Some(info)) = (endian, ty.info()) else { return };
    for part in info.parts {
        let width = part.unit.width() as usize;
        let (from, to) = (part.offset as usize, (part.offset + part.bytes) as usize);
        if width > 1
            && let Some(bytes) = block.get_mut(from..to)
        {
            bytes.chunks_exact_mut(width).for_each(<[u8]>::reverse);
        }
    }
}

#[cfg(test)]
mod tests;
