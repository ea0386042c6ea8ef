//! All registers against the plain numbers.

use super::*;
use crate::number::nearest;

/// Numbers of every size, zeros, infinities and not-a-numbers.
fn numbers() -> [f32; WIDTH] {
    let tiny = f32::from_bits(1);
    [
        0.0,
        -0.0,
        1.0,
        -1.5,
        2.5,
        -0.5,
        1e-20,
        -3.25e7,
        4.2e6,
        8.4e6,
        f32::MAX,
        tiny,
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        113.5,
    ]
}

struct Operations<'a>(&'a mut Vec<[f32; WIDTH]>, [f32; WIDTH], [f32; WIDTH]);

impl Wide for Operations<'_> {
    #[inline(always)]
    fn run<L: Sixteen>(self) {
        let (a, b) = (L::from_array(&self.1), L::from_array(&self.2));
        let points = std::array::from_fn(|i| i as f32 * 9.0 - 63.0);
        let levels = std::array::from_fn(|i| i as f32);
        let truths = |mask: L::Mask| mask.select(L::all(1.0), L::all(2.0)).to_array();
        *self.0 = vec![
            (a + b).to_array(),
            (a - b).to_array(),
            (a * b).to_array(),
            (a / b).to_array(),
            a.abs().to_array(),
            a.sqrt().to_array(),
            a.nearest_within(-32, 31).to_array(),
            a.choose(&points, &levels).to_array(),
            a.codes(-128, 127).map(f32::from),
            L::from_signed(&a.codes(-128, 127).map(u8::cast_signed)).to_array(),
            L::from_halves(&a.to_halves()).to_array(),
            a.to_halves().map(|half| f32::from(u16::from_le_bytes(half))),
            a.to_brains().map(|brain| f32::from(u16::from_le_bytes(brain))),
            a.round_away().to_array(),
            (a - L::all(0.25)).round_away().to_array(),
            a.truncated().map(f32::from),
            L::all_half(a.to_halves()[3]).to_array(),
            L::from_codes(&a.codes(-128, 127), 3, 7).to_array(),
            L::from_two_codes((&a.codes(-128, 127), 4, 15), (&b.codes(-128, 127), 5, 3), 4).to_array(),
            a.turn(0x9a35).to_array(),
            L::by_bits(0x9a35, a, b).to_array(),
            truths(a.gt(b)),
            truths(a.lt(b)),
            truths(a.ne(b)),
            truths(a.gt(b).and(a.ne(b))),
            truths(a.gt(b).or(a.lt(b))),
            truths(a.ne(b).not()),
            [f32::from(u8::from(a.gt(b).any())); WIDTH],
            [f32::from(u8::from(a.ne(a).and(a.gt(a)).any())); WIDTH],
        ];
    }
}

#[test]
fn registers_say_what_plain_numbers_say() {
    let a = numbers();
    for turn in 0..WIDTH {
        let mut b = a;
        b.rotate_left(turn);
        let of = |registers| {
            let mut results = Vec::new();
            run(registers, Operations(&mut results, a, b));
            results
        };
        let plain = of(Registers::Any);
        if turn == 1 {
            assert_eq!((plain[0][2], plain[1][2], plain[2][2]), (-0.5, 2.5, -1.5), "1 and -1.5");
            assert_eq!((plain[3][3], plain[4][3], plain[5][4]), (-1.5 / 2.5, 1.5, 2.5_f32.sqrt()));
            assert_eq!(
                (plain[21][2], plain[22][2], plain[23][2]),
                (1.0, 2.0, 1.0),
                "1 is greater than -1.5, not less"
            );
        }
        assert_eq!(plain[6], a.map(|a| nearest(a).clamp(-32, 31) as f32));
        assert_eq!(plain[8], a.map(|a| (nearest(a).clamp(-128, 127) + 128) as f32));
        assert_eq!(plain[7][15], 15.0, "113.5 is not below 63");
        assert_eq!(plain[7][12], 15.0, "nor is what is not a number");
        for registers in [Registers::Avx2, Registers::Avx512] {
            for (operation, (plain, wide)) in plain.iter().zip(of(registers)).enumerate() {
                for (plain, wide) in plain.iter().zip(wide) {
                    let same = plain.to_bits() == wide.to_bits() || plain.is_nan() && wide.is_nan();
                    assert!(same, "operation {operation}: {plain} is {wide} by {registers:?}");
                }
            }
        }
    }
}

struct Halves<'a>(&'a mut [[f32; WIDTH]; 6], [[u8; 2]; WIDTH], [f32; WIDTH]);

impl Wide for Halves<'_> {
    #[inline(always)]
    fn run<L: Sixteen>(self) {
        let floats = L::from_array(&self.2);
        let number = |bytes: [u8; 2]| f32::from(u16::from_le_bytes(bytes));
        *self.0 = [
            L::from_halves(&self.1).to_array(),
            self.1.map(|half| L::all_half(half).to_array()[5]),
            floats.to_halves().map(number),
            floats.to_brains().map(number),
            floats.round_away().to_array(),
            floats.truncated().map(f32::from),
        ];
    }
}

/// All of binary16, and floats of every exponent with what decides about rounding; payloads and signs of not-a-numbers, too.
#[test]
fn conversions_are_the_same_by_all_registers() {
    for start in (0..=u16::MAX).step_by(WIDTH) {
        let halves: [[u8; 2]; WIDTH] = std::array::from_fn(|i| (start + i as u16).to_le_bytes());
        let floats = std::array::from_fn(|i| {
            let low = [0, 1, 0x0fff, 0x1000, 0x1001, 0x1fff, 0x7fff, 0x8000][i % 8] << (i / 8);
            f32::from_bits(u32::from(start + i as u16) << 16 | low)
        });
        let value = |half| crate::half::f16_to_f32(u16::from_le_bytes(half));
        let expected = [
            halves.map(value),
            halves.map(value),
            floats.map(|float| f32::from(crate::half::f32_to_f16(float))),
            floats.map(|float| f32::from(crate::half::f32_to_bf16(float))),
            floats.map(f32::round),
            floats.map(|float| f32::from(crate::number::truncate(float) as i8)),
        ];
        for registers in [Registers::Any, Registers::Avx2, Registers::Avx512] {
            let mut found = [[0.0; WIDTH]; 6];
            run(registers, Halves(&mut found, halves, floats));
            for (found, expected) in found.as_flattened().iter().zip(expected.as_flattened()) {
                let same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
                assert!(same, "{start:#x}: {found} by {registers:?} is not {expected}");
            }
        }
    }
}
