//! All registers against the plain numbers, codec by codec; and slices that end where their buffers end.
//!
//! Run with the address sanitizer, the last test sees any byte that is touched beyond a slice.

use ggufkit_format::spec::{PartUnit, TensorType};

use super::{Numbers, testing};
use crate::wide::Registers;
use crate::{Codec, Importance, codecs};

/// Values that a test may take per type: few where a debug build takes its time over each.
fn budget(codec: &Codec, encoding: bool) -> usize {
    let searched = matches!(codec.tensor_type().name(), Some(name) if name.starts_with("IQ"));
    match (encoding, searched) {
        (false, _) => 1 << 16,
        (true, false) => 1 << 13,
        (true, true) => 1 << 11,
    }
}

fn decoded(codec: &Codec, registers: Registers, bytes: &[u8]) -> Vec<f32> {
    let mut out = vec![0.0; bytes.len() / codec.block_bytes() * codec.block_elements()];
    testing::with(registers, || codec.decode(bytes, &mut out)).unwrap();
    out
}

/// Equal to the bit, unless neither is a number.
fn assert_same(codec: &Codec, registers: Registers, plain: &[f32], wide: &[f32]) {
    for (i, (plain, wide)) in plain.iter().zip(wide).enumerate() {
        let same = plain.to_bits() == wide.to_bits() || plain.is_nan() && wide.is_nan();
        let ty = codec.tensor_type();
        assert!(same, "{ty}: value {i} of {plain} is {wide} by {registers:?}");
    }
}

fn hold_decoding(codec: &Codec, bytes: &[u8]) {
    let plain = decoded(codec, Registers::Any, bytes);
    for registers in testing::wider() {
        assert_same(codec, registers, &plain, &decoded(codec, registers, bytes));
    }
}

#[test]
fn all_bytes_in_all_places() {
    let mut numbers = Numbers(11);
    for codec in codecs() {
        let size = codec.block_bytes();
        // Each byte of a block has each value, beside bytes of any value.
        let mut bytes = Vec::new();
        for value in 0..=u8::MAX {
            let shared: Vec<u8> = (0..size).map(|_| numbers.bits() as u8).collect();
            for turn in 0..8.min(size) {
                let place = |(i, byte): (usize, &u8)| if i % 8 == turn { value } else { *byte };
                bytes.extend(shared.iter().enumerate().map(place));
            }
        }
        hold_decoding(codec, &bytes);
    }
}

#[test]
fn all_scales_of_sixteen_bits() {
    let mut numbers = Numbers(12);
    for codec in codecs() {
        let Some(info) = codec.tensor_type().info() else { continue };
        let scales = info.parts.iter().filter(|part| matches!(part.unit, PartUnit::F16 | PartUnit::Bf16));
        let places: Vec<usize> = scales.map(|part| part.offset as usize).collect();
        // All of them where blocks are small; else as many as there is time for, every exponent among them.
        let count = (budget(codec, false) / codec.block_elements()).min(65_536);
        let step = 65_536 / count;
        let mut bytes = vec![0; count * codec.block_bytes()];
        for (i, block) in bytes.chunks_exact_mut(codec.block_bytes()).enumerate() {
            block.iter_mut().for_each(|byte| *byte = numbers.bits() as u8);
            let scale = (i * step + numbers.bits() as usize % step) as u16;
            for place in &places {
                block[*place..*place + 2].copy_from_slice(&scale.to_le_bytes());
            }
        }
        hold_decoding(codec, &bytes);
    }
}

/// Rows of several kinds, one after the other.
fn rows(numbers: &mut Numbers, width: usize, count: usize) -> Vec<f32> {
    let mut values = Vec::with_capacity(width * count);
    for row in 0..count {
        let reach = [1.0, 0.02, 1e-7, 1e4, 1e-40][row / 8 % 5];
        values.extend((0..width).map(|i| {
            let bits = numbers.bits();
            // Four bytes added up: about normal.
            let normal =
                bits.to_le_bytes()[..4].iter().map(|byte| f32::from(byte.cast_signed())).sum::<f32>();
            let value = match row % 8 {
                0 | 1 => normal / 256.0,
                2 => ((bits >> 32) % 33) as f32 / 2.0 - 8.0,
                3 if bits >> 58 != 0 => 0.0,
                4 => normal.abs() + 100.0,
                5 => (normal / 128.0).powi(3),
                6 => row as f32 + 0.25,
                7 if i % 32 == 5 => normal * 100.0,
                _ => normal,
            };
            value * reach
        }));
    }
    values
}

fn encoded(
    codec: &Codec,
    registers: Registers,
    values: &[f32],
    row: usize,
    weights: Option<&[f32]>,
) -> Vec<u8> {
    let mut out = vec![0; values.len() / codec.block_elements() * codec.block_bytes()];
    testing::with(registers, || codec.encode(values, row, weights, &mut out)).unwrap();
    out
}

/// Whether the blocks are of the same values, some of which are not numbers.
fn same_values(codec: &Codec, plain: &[u8], wide: &[u8]) -> bool {
    let of = |bytes| decoded(codec, Registers::Any, bytes);
    let mut pairs = of(plain).into_iter().zip(of(wide));
    of(plain).iter().any(|x| x.is_nan())
        && pairs.all(|(a, b)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan())
}

fn hold_encoding(codec: &Codec, values: &[f32], row: usize, weights: &[f32]) {
    for weights in [None, Some(weights)] {
        match (codec.importance(), weights) {
            (None, _) | (Some(Importance::Required), None) | (Some(Importance::Unused), Some(_)) => continue,
            _ => {}
        }
        let plain = encoded(codec, Registers::Any, values, row, weights);
        for registers in testing::wider() {
            let wide = encoded(codec, registers, values, row, weights);
            // Neither sign nor payload of a scale that is not a number are told: what blocks are worth is the same.
            let sizes = (codec.block_bytes(), codec.block_elements());
            let mut blocks = plain.chunks(sizes.0).zip(wide.chunks(sizes.0));
            let at = blocks.position(|(plain, wide)| plain != wide && !same_values(codec, plain, wide));
            let block = at.map(|at| &values[at * sizes.1..][..sizes.1]);
            let (ty, given) = (codec.tensor_type(), weights.is_some());
            assert_eq!(at, None, "{ty}, importance {given}, by {registers:?}: {block:?}");
        }
    }
}

#[test]
fn rows_of_many_kinds() {
    let mut numbers = Numbers(13);
    for codec in codecs().filter(|codec| codec.can_encode()) {
        let row = 2 * codec.block_elements();
        let weights: Vec<f32> = (0..row).map(|_| numbers.bits() as u16 as f32 / 65_536.0).collect();
        let values = rows(&mut numbers, row, (budget(codec, true) / row).max(8));
        hold_encoding(codec, &values, row, &weights);
    }
}

/// Infinities, not-a-numbers and subnormals among them.
///
/// Which payload is left where two not-a-numbers meet is open, and a search makes an integer of it: those that searches see
/// have none.
#[test]
fn rows_of_any_bits() {
    let mut numbers = Numbers(14);
    for codec in codecs().filter(|codec| codec.can_encode()) {
        let row = 2 * codec.block_elements();
        let weights: Vec<f32> = (0..row).map(|_| numbers.bits() as u16 as f32 / 65_536.0).collect();
        let count = (budget(codec, true) / 2 / row).max(8) * row;
        let searched = codec.importance() != Some(Importance::Unused);
        let plain = |x: f32| if x.is_nan() && searched { f32::NAN } else { x };
        let any: Vec<f32> = (0..count).map(|_| plain(numbers.float())).collect();
        hold_encoding(codec, &any, row, &weights);
        let mut few = rows(&mut numbers, row, count / row);
        for value in &mut few {
            let odd = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -f32::NAN, f32::MAX];
            if numbers.bits().is_multiple_of(64) {
                *value = odd[numbers.bits() as usize % odd.len()];
            }
        }
        hold_encoding(codec, &few, row, &weights);
    }
}

/// The values of F16 and BF16, all of them, there and back.
#[test]
fn all_halves_as_tensors() {
    for ty in [TensorType::F16, TensorType::BF16] {
        let codec = crate::codec(ty).unwrap();
        let bytes: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
        hold_decoding(codec, &bytes);
        hold_encoding(codec, &decoded(codec, Registers::Any, &bytes), 65_536, &[]);
    }
}

/// Buffers of exactly the bytes that a slice has, which begins at any byte of them: what lies beyond is nobody's to read or
/// to write, and where a slice begins does not matter.
#[test]
fn slices_that_end_where_their_buffers_end() {
    let mut numbers = Numbers(15);
    for codec in codecs() {
        let (elements, size) = (codec.block_elements(), codec.block_bytes());
        // Blocks are made up to sixteen at a time; plain values are read as many at a time as there is room for.
        for blocks in if elements == 1 { vec![1, 3, 17, 63] } else { vec![1, 2, 17] } {
            let block: Vec<u8> = (0..size * blocks).map(|_| numbers.bits() as u8).collect();
            let values = rows(&mut numbers, elements, blocks);
            let weights: Vec<f32> = vec![1.0; elements];
            let plain = decoded(codec, Registers::Any, &block);
            let written =
                codec.can_encode().then(|| encoded(codec, Registers::Any, &values, elements, Some(&weights)));
            // Writing searched types takes its time.
            let offsets = if elements == 256 { 0..5_usize } else { 0..33 };
            for (offset, registers) in offsets
                .flat_map(|offset| testing::all().into_iter().map(move |registers| (offset, registers)))
            {
                let bytes: Box<[u8]> = std::iter::repeat_n(0, offset).chain(block.iter().copied()).collect();
                let mut out = vec![0.0; offset + plain.len()].into_boxed_slice();
                testing::with(registers, || codec.decode(&bytes[offset..], &mut out[offset..])).unwrap();
                assert_same(codec, registers, &plain, &out[offset..]);
                if offset % 4 == 3
                    && let Some(written) = &written
                {
                    let floats: Box<[f32]> =
                        std::iter::repeat_n(0.0, offset).chain(values.iter().copied()).collect();
                    let columns: Box<[f32]> = weights.as_slice().into();
                    let mut out = vec![0; offset + written.len()].into_boxed_slice();
                    testing::with(registers, || {
                        codec.encode(&floats[offset..], elements, Some(&columns), &mut out[offset..])
                    })
                    .unwrap();
                    assert_eq!(&out[offset..], written, "{} by {registers:?}", codec.tensor_type());
                }
            }
        }
    }
}
