//! The map from bits to their purposes, for every type.
//!
//! Source: the `block_*` structs of ggml-common.h and the reference codecs. The loops say what `Part::bits` says in
//! words.

use ggufkit_format::spec::{TensorType, TensorTypeInfo};

use super::{Cell, Sym};

/// Cells being collected.
struct Map(Vec<Cell>);

impl Map {
    /// `width` bits from bit `bit` of the little-endian word at `byte`: bits `shift` and up of a number.
    fn put(&mut self, byte: u32, bit: u32, width: u8, sym: Sym, index: u32, shift: u8) {
        let (mut at, mut left, mut shift) = (byte * 8 + bit, width, shift);
        while left > 0 {
            let low = (at % 8) as u8;
            let width = left.min(8 - low);
            self.0.push(Cell { byte: at / 8, low, width, sym, index, shift });
            (at, left, shift) = (at + u32::from(width), left - width, shift + width);
        }
    }

    /// One number for the whole block.
    fn number(&mut self, byte: u32, bytes: u32, name: &'static str) {
        self.put(byte, 0, (bytes * 8) as u8, Sym::Number(name), 0, 0);
    }

    /// A floating-point number by its fields.
    fn float(&mut self, mantissa: u8, exponent: u8) {
        self.put(0, 0, mantissa, Sym::Number("mantissa"), 0, 0);
        self.put(0, mantissa.into(), exponent, Sym::Number("exponent"), 0, 0);
        self.put(0, u32::from(mantissa) + u32::from(exponent), 1, Sym::Number("sign"), 0, 0);
    }

    /// Consecutive numbers of `bits` bits each, packed from the lowest bit of the first byte on.
    fn packed(&mut self, byte: u32, count: u32, bits: u8, sym: Sym, shift: u8) {
        for i in 0..count {
            self.put(byte, i * u32::from(bits), bits, sym, i, shift);
        }
    }

    /// The two halves of `bytes` bytes: low nibbles are elements `first..`, high nibbles those `bytes` further on.
    fn nibbles(&mut self, byte: u32, bytes: u32, first: u32) {
        for i in 0..bytes {
            self.put(byte + i, 0, 4, Sym::Quant, first + i, 0);
            self.put(byte + i, 4, 4, Sym::Quant, first + bytes + i, 0);
        }
    }

    /// Two bits for each of 256 elements in 64 bytes, as the K types lay them.
    fn crumbs(&mut self, byte: u32, shift: u8) {
        for (h, i, k) in grid(2, 32, 4) {
            self.put(byte + 32 * h + i, 2 * k, 2, Sym::Quant, 128 * h + 32 * k + i, shift);
        }
    }

    /// One more bit for each of 256 elements in 32 bytes: bit k of byte i belongs to element 32k + i.
    fn planes(&mut self, byte: u32, shift: u8) {
        for (i, k) in pairs(32, 8) {
            self.put(byte + i, k, 1, Sym::Quant, 32 * k + i, shift);
        }
    }

    /// Eight scales and eight minimums of six bits in 12 bytes (Q4_K, Q5_K).
    fn six_bits(&mut self, byte: u32) {
        for (half, sym) in [(0, Sym::Scale), (1, Sym::Min)] {
            for j in 0..4 {
                self.put(byte + 4 * half + j, 0, 6, sym, j, 0);
                self.put(byte + 8 + j, 4 * half, 4, sym, 4 + j, 0);
                self.put(byte + 4 * half + j, 6, 2, sym, 4 + j, 4);
            }
        }
    }

    /// Four 7-bit sign patterns and a 4-bit scale in a 32-bit word.
    fn signs_and_scale(&mut self, byte: u32, j: u32) {
        for k in 0..4 {
            self.put(byte, 7 * k, 7, Sym::Pattern, 4 * j + k, 0);
        }
        self.put(byte, 28, 4, Sym::Scale, j, 0);
    }
}

fn pairs(n: u32, m: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..n).flat_map(move |a| (0..m).map(move |b| (a, b)))
}

fn grid(n: u32, m: u32, l: u32) -> impl Iterator<Item = (u32, u32, u32)> {
    (0..n).flat_map(move |a| pairs(m, l).map(move |(b, c)| (a, b, c)))
}

/// Every bit of a block of this type with its purpose, in the order of bytes and bits; empty for types that have no
/// block.
#[must_use]
pub fn cells(info: &TensorTypeInfo) -> Vec<Cell> {
    let mut map = Map(Vec::new());
    match info.ty {
        TensorType::Q4_0 | TensorType::IQ4_NL => {
            map.number(0, 2, "d");
            map.nibbles(2, 16, 0);
        }
        TensorType::Q4_1 => {
            map.number(0, 2, "d");
            map.number(2, 2, "m");
            map.nibbles(4, 16, 0);
        }
        TensorType::Q5_0 => {
            map.number(0, 2, "d");
            map.packed(2, 32, 1, Sym::Quant, 4);
            map.nibbles(6, 16, 0);
        }
        TensorType::Q5_1 => {
            map.number(0, 2, "d");
            map.number(2, 2, "m");
            map.packed(4, 32, 1, Sym::Quant, 4);
            map.nibbles(8, 16, 0);
        }
        TensorType::Q8_0 => {
            map.number(0, 2, "d");
            map.packed(2, 32, 8, Sym::Quant, 0);
        }
        TensorType::Q8_1 => {
            map.number(0, 2, "d");
            map.number(2, 2, "s");
            map.packed(4, 32, 8, Sym::Quant, 0);
        }
        TensorType::Q1_0 => {
            map.number(0, 2, "d");
            map.packed(2, 128, 1, Sym::Quant, 0);
        }
        TensorType::Q2_0 => {
            map.number(0, 2, "d");
            map.packed(2, 64, 2, Sym::Quant, 0);
        }
        TensorType::MXFP4 => {
            map.number(0, 1, "e");
            map.nibbles(1, 16, 0);
        }
        TensorType::NVFP4 => {
            map.packed(0, 4, 8, Sym::Scale, 0);
            (0..4).for_each(|s| map.nibbles(4 + 8 * s, 8, 16 * s));
        }
        TensorType::TQ1_0 => {
            for i in 0..52 {
                map.put(i, 0, 8, Sym::Digits, i, 0);
            }
            map.number(52, 2, "d");
        }
        TensorType::TQ2_0 => {
            map.crumbs(0, 0);
            map.number(64, 2, "d");
        }
        TensorType::Q2_K => {
            for j in 0..16 {
                map.put(j, 0, 4, Sym::Scale, j, 0);
                map.put(j, 4, 4, Sym::Min, j, 0);
            }
            map.crumbs(16, 0);
            map.number(80, 2, "d");
            map.number(82, 2, "dmin");
        }
        TensorType::Q3_K => {
            map.planes(0, 2);
            map.crumbs(32, 0);
            for i in 0..8 {
                map.put(96 + i, 0, 4, Sym::Scale, i, 0);
                map.put(96 + i, 4, 4, Sym::Scale, 8 + i, 0);
            }
            for (i, k) in pairs(4, 4) {
                map.put(104 + i, 2 * k, 2, Sym::Scale, i + 4 * k, 4);
            }
            map.number(108, 2, "d");
        }
        TensorType::Q4_K => {
            map.number(0, 2, "d");
            map.number(2, 2, "dmin");
            map.six_bits(4);
            (0..4).for_each(|g| map.nibbles(16 + 32 * g, 32, 64 * g));
        }
        TensorType::Q5_K => {
            map.number(0, 2, "d");
            map.number(2, 2, "dmin");
            map.six_bits(4);
            map.planes(16, 4);
            (0..4).for_each(|g| map.nibbles(48 + 32 * g, 32, 64 * g));
        }
        TensorType::Q6_K => {
            (0..2).for_each(|h| map.nibbles(64 * h, 64, 128 * h));
            map.crumbs(128, 4);
            map.packed(192, 16, 8, Sym::Scale, 0);
            map.number(208, 2, "d");
        }
        TensorType::Q8_K => {
            map.number(0, 4, "d");
            map.packed(4, 256, 8, Sym::Quant, 0);
            map.packed(260, 16, 16, Sym::Sum, 0);
        }
        TensorType::IQ2_XXS => {
            map.number(0, 2, "d");
            for j in 0..8 {
                for k in 0..4 {
                    map.put(2 + 8 * j + k, 0, 8, Sym::Index, 4 * j + k, 0);
                }
                map.signs_and_scale(2 + 8 * j + 4, j);
            }
        }
        TensorType::IQ2_XS => {
            map.number(0, 2, "d");
            for i in 0..32 {
                map.put(2 + 2 * i, 0, 9, Sym::Index, i, 0);
                map.put(2 + 2 * i, 9, 7, Sym::Pattern, i, 0);
            }
            map.packed(66, 16, 4, Sym::Scale, 0);
        }
        TensorType::IQ2_S => {
            map.number(0, 2, "d");
            map.packed(2, 32, 8, Sym::Index, 0);
            map.packed(34, 256, 1, Sym::Sign, 0);
            map.packed(66, 32, 2, Sym::Index, 8);
            map.packed(74, 16, 4, Sym::Scale, 0);
        }
        TensorType::IQ3_XXS => {
            map.number(0, 2, "d");
            map.packed(2, 64, 8, Sym::Index, 0);
            (0..8).for_each(|j| map.signs_and_scale(66 + 4 * j, j));
        }
        TensorType::IQ3_S => {
            map.number(0, 2, "d");
            map.packed(2, 64, 8, Sym::Index, 0);
            map.packed(66, 64, 1, Sym::Index, 8);
            map.packed(74, 256, 1, Sym::Sign, 0);
            map.packed(106, 8, 4, Sym::Scale, 0);
        }
        TensorType::IQ1_S => {
            map.number(0, 2, "d");
            map.packed(2, 32, 8, Sym::Index, 0);
            for j in 0..8 {
                (0..4).for_each(|k| map.put(34 + 2 * j, 3 * k, 3, Sym::Index, 4 * j + k, 8));
                map.put(34 + 2 * j, 12, 3, Sym::Scale, j, 0);
                map.put(34 + 2 * j, 15, 1, Sym::Delta, j, 0);
            }
        }
        TensorType::IQ1_M => {
            map.packed(0, 32, 8, Sym::Index, 0);
            for i in 0..32 {
                map.put(32, 4 * i, 3, Sym::Index, i, 8);
                map.put(32, 4 * i + 3, 1, Sym::Delta, i, 0);
            }
            for j in 0..4 {
                (0..4).for_each(|k| map.put(48 + 2 * j, 3 * k, 3, Sym::Scale, 4 * j + k, 0));
                map.put(48 + 2 * j, 12, 4, Sym::Number("d"), 0, (4 * j) as u8);
            }
        }
        TensorType::IQ4_XS => {
            map.number(0, 2, "d");
            map.packed(2, 8, 2, Sym::Scale, 4);
            map.packed(4, 8, 4, Sym::Scale, 0);
            (0..8).for_each(|j| map.nibbles(8 + 16 * j, 16, 32 * j));
        }
        TensorType::F16 => map.float(10, 5),
        TensorType::BF16 => map.float(7, 8),
        TensorType::F32 => map.float(23, 8),
        TensorType::F64 => map.float(52, 11),
        _ => {
            if info.is_plain() {
                map.number(0, info.block_bytes, "value");
            }
        }
    }
    map.0.sort_by_key(|c| (c.byte, c.low));
    map.0
}

/// The cells of each byte, most significant bit first, as a picture shows them.
#[must_use]
pub fn rows(cells: &[Cell]) -> Vec<Vec<Cell>> {
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for cell in cells {
        match rows.last_mut() {
            Some(row) if row.first().is_some_and(|first| first.byte == cell.byte) => row.insert(0, *cell),
            _ => rows.push(vec![*cell]),
        }
    }
    rows
}
