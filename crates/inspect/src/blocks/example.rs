//! A block for every type to explain it by: made up, small numbers, the same every time.

use ggufkit_format::spec::TensorTypeInfo;

use super::{Sym, cells};

/// A block and an element of it that shows the type well.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Example {
    /// The block, in little-endian order.
    pub block: Vec<u8>,
    /// The element to work out.
    pub element: u32,
}

/// The example of a type; `None` for types without a block.
#[must_use]
pub fn example(info: &TensorTypeInfo) -> Option<Example> {
    if info.is_removed() {
        return None;
    }
    // A stride that is odd and not near a power of two visits all byte values without a pattern to the eye.
    let mut block: Vec<u8> = (0..info.block_bytes).map(|i| (i * 73 + 41) as u8).collect();
    let unit = |name: &str| info.parts.iter().find(|p| p.name == name).map(|p| p.unit.width());
    for cell in cells(info) {
        // 0.5, 0.25 and -1.5 in half precision; 0.5 in single precision; 2^-1.
        let number: u64 = match cell.sym {
            Sym::Number("d") if unit("d") == Some(4) => 0x3f00_0000,
            Sym::Number("d") => 0x3800,
            Sym::Number("dmin") => 0x3400,
            Sym::Number("m" | "s") => 0xbe00,
            Sym::Number("e") => 126,
            Sym::Number("sign") => 1,
            // 1.25 * 2^-3 in every width.
            Sym::Number("mantissa") => 1 << (mantissa_bits(info) - 2),
            Sym::Number("exponent") => exponent_bias(info) - 3,
            Sym::Number("value") => -300_i64 as u64,
            // 0.5, 0.75, 1, 1.25, 1.5: scales of NVFP4.
            Sym::Scale if info.ty == ggufkit_format::spec::TensorType::NVFP4 => {
                0x30 + 4 * u64::from(cell.index)
            }
            _ => continue,
        };
        let bits = (number >> cell.shift) as u8;
        let mask = ((1_u16 << cell.width) - 1) as u8;
        if let Some(byte) = block.get_mut(cell.byte as usize) {
            *byte = (*byte & !(mask << cell.low)) | ((bits & mask) << cell.low);
        }
    }
    let element = match info.block_elems {
        1 => 0,
        32 => 21,
        64 => 45,
        _ => 77,
    };
    Some(Example { block, element })
}

fn mantissa_bits(info: &TensorTypeInfo) -> u32 {
    match (info.block_bytes, info.name) {
        (2, "BF16") => 7,
        (2, _) => 10,
        (4, _) => 23,
        _ => 52,
    }
}

fn exponent_bias(info: &TensorTypeInfo) -> u64 {
    match (info.block_bytes, info.name) {
        (2, "BF16") | (4, _) => 127,
        (2, _) => 15,
        _ => 1023,
    }
}
