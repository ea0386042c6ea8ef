//! What the members of a block hold, as numbers.

use ggufkit_format::spec::{Part, PartUnit, TensorType, TensorTypeInfo};
use ggufkit_format::{Endian, Scalar};
use serde::Serialize;

use super::codebook::{e8m0, half, ue4m3};
use super::{Cell, Sym, count, number};
use crate::json::JsonScalar;

/// Numbers of one kind that a member of a block holds.
#[derive(Clone, PartialEq, Debug)]
pub struct Numbers {
    /// What they are.
    pub sym: Sym,
    /// The values, in the order of sub-blocks or elements.
    pub values: Vec<Scalar>,
}

impl Serialize for Numbers {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct as _;
        let mut out = serializer.serialize_struct("Numbers", 2)?;
        out.serialize_field("name", self.sym.name())?;
        out.serialize_field("values", &self.values.iter().map(|v| JsonScalar(*v)).collect::<Vec<_>>())?;
        out.end()
    }
}

/// A member of a block with what was read from it.
#[derive(Clone, PartialEq, Debug)]
pub struct PartReading {
    /// The member.
    pub part: Part,
    /// The numbers whose lowest bits are in this member. Upper bits that other members hold are in them already.
    pub numbers: Vec<Numbers>,
}

/// Reads every member of a block, which is given in little-endian order. Numbers whose bytes are missing are left out.
#[must_use]
pub fn readings(info: &TensorTypeInfo, block: &[u8]) -> Vec<PartReading> {
    let cells = super::cells(info);
    let mut syms: Vec<Sym> = Vec::new();
    for cell in cells.iter().filter(|c| c.shift == 0) {
        if !syms.contains(&cell.sym) {
            syms.push(cell.sym);
        }
    }
    let read = |part: &Part| {
        if part.unit == PartUnit::Bf16 || info.is_plain() {
            return plain(part, block).into_iter().collect();
        }
        let here = |cell: &Cell| cell.byte >= part.offset && cell.byte < part.offset + part.bytes;
        let own = syms.iter().filter(|sym| cells.iter().any(|c| c.sym == **sym && c.shift == 0 && here(c)));
        own.filter_map(|&sym| {
            let values: Vec<Scalar> =
                (0..count(&cells, sym)).map_while(|i| value(info, &cells, block, sym, i)).collect();
            // The digits of TQ1_0 lie in two members.
            let values = match sym {
                Sym::Digits => {
                    let from = part.offset as usize;
                    values.get(from..from + part.bytes as usize)?.to_vec()
                }
                _ => values,
            };
            Some(Numbers { sym, values })
        })
        .collect()
    };
    info.parts.iter().map(|part| PartReading { part: *part, numbers: read(part) }).collect()
}

fn value(info: &TensorTypeInfo, cells: &[Cell], block: &[u8], sym: Sym, index: u32) -> Option<Scalar> {
    let there = |c: &Cell| (c.byte as usize) < block.len();
    if !cells.iter().filter(|c| c.sym == sym && c.index == index).all(there) {
        return None;
    }
    let (raw, bits) = number(cells, block, sym, index)?;
    Some(match sym {
        Sym::Number("e") => Scalar::F32(e8m0(raw)),
        Sym::Number(_) if bits == 16 => Scalar::F32(half(raw)),
        Sym::Number(_) => Scalar::F32(f32::from_bits(raw as u32)),
        Sym::Scale if info.ty == TensorType::NVFP4 => Scalar::F32(ue4m3(raw)),
        Sym::Scale if info.ty == TensorType::Q6_K => Scalar::I8(raw as u8 as i8),
        Sym::Quant if bits == 8 => Scalar::I8(raw as u8 as i8),
        Sym::Sum => Scalar::I16(raw as u16 as i16),
        _ => Scalar::U16(raw as u16),
    })
}

/// The number of a type without blocks.
fn plain(part: &Part, block: &[u8]) -> Option<Numbers> {
    use ggufkit_format::spec::ValueType;
    let ty = match part.unit {
        PartUnit::F32 => ValueType::FLOAT32,
        PartUnit::F64 => ValueType::FLOAT64,
        PartUnit::F16 => ValueType::FLOAT16,
        PartUnit::I8 => ValueType::INT8,
        PartUnit::I16 => ValueType::INT16,
        PartUnit::I32 => ValueType::INT32,
        PartUnit::I64 => ValueType::INT64,
        PartUnit::Bf16 => {
            let bits = u32::from(u16::from_le_bytes(*block.first_chunk()?)) << 16;
            let values = vec![Scalar::F32(f32::from_bits(bits))];
            return Some(Numbers { sym: Sym::Number("value"), values });
        }
        _ => return None,
    };
    let values = vec![Scalar::read(ty, Endian::Little, block)?];
    Some(Numbers { sym: Sym::Number("value"), values })
}
