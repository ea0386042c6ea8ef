//! All registers against the plain numbers, operation by operation; codecs are in `codecs`.

mod codecs;

use super::*;
use crate::number::nearest;

/// Numbers that anybody can make again.
struct Numbers(u64);

impl Numbers {
    /// Any bits: Marsaglia's xorshift.
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn float(&mut self) -> f32 {
        f32::from_bits((self.bits() >> 16) as u32)
    }
}

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

/// Every operation of one number, or of two.
struct Operations<'a>(&'a mut Vec<[f32; WIDTH]>, [f32; WIDTH], [f32; WIDTH]);

impl Wide for Operations<'_> {
    #[inline(always)]
    fn run<L: Sixteen>(self) {
        let (a, b) = (L::from_array(&self.1), L::from_array(&self.2));
        let points = Points::new(std::array::from_fn(|i| i as f32 * 9.0 - 63.0));
        let levels = std::array::from_fn(|i| i as f32);
        let truths = |mask: L::Mask| mask.select(L::all(1.0), L::all(2.0)).to_array();
        let (least, lane) = a.least();
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
            a.gt(b).select(a, b).to_array(),
            a.codes(0, 15).map(f32::from),
            a.nearest_within(i32::MIN, i32::MAX).to_array(),
            // The sign of a zero is not told.
            [least + 0.0; WIDTH],
            [lane as f32; WIDTH],
        ];
    }
}

fn operations(registers: Registers, a: [f32; WIDTH], b: [f32; WIDTH]) -> Vec<[f32; WIDTH]> {
    let mut results = Vec::new();
    run(registers, Operations(&mut results, a, b));
    results
}

/// Each of the registers says what the plain numbers say.
fn hold(a: [f32; WIDTH], b: [f32; WIDTH]) -> Vec<[f32; WIDTH]> {
    let plain = operations(Registers::Any, a, b);
    for registers in testing::wider() {
        for (operation, (plain, wide)) in plain.iter().zip(operations(registers, a, b)).enumerate() {
            for (lane, (plain, wide)) in plain.iter().zip(wide).enumerate() {
                let same = plain.to_bits() == wide.to_bits() || plain.is_nan() && wide.is_nan();
                let (a, b) = (a[lane], b[lane]);
                assert!(same, "operation {operation} of {a}, {b}: {plain} is {wide} by {registers:?}");
            }
        }
    }
    plain
}

#[test]
fn registers_say_what_plain_numbers_say() {
    let a = numbers();
    for turn in 0..WIDTH {
        let mut b = a;
        b.rotate_left(turn);
        let plain = hold(a, b);
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
        assert_eq!(least(&plain), (f32::NEG_INFINITY, 14));
    }
}

/// All numbers that either float of 16 bits has, and their opposites in all lanes.
#[test]
fn all_halves() {
    for first in (0..=u16::MAX).step_by(WIDTH) {
        for of in [crate::half::f16_to_f32, crate::half::bf16_to_f32] {
            let a = std::array::from_fn(|lane| of(first + lane as u16));
            let b = std::array::from_fn(|lane| of((first + lane as u16) ^ 0x8001));
            hold(a, b);
        }
    }
}

#[test]
fn any_numbers() {
    let mut numbers = Numbers(0x0123_4567_89ab_cdef);
    for turn in 0..20_000 {
        let mut a = std::array::from_fn(|_| numbers.float());
        let mut b = std::array::from_fn(|_| numbers.float());
        if turn % 2 == 0 {
            // Near to what is rounded and chosen.
            a = a.map(|a| (a.to_bits() as i32 >> 16) as f32 / 128.0);
            b = b.map(|b| (b.to_bits() as i32 >> 16) as f32 / 128.0);
        }
        hold(a, b);
    }
}

/// The least and its lane, which stand last.
fn least(results: &[[f32; WIDTH]]) -> (f32, usize) {
    let [.., least, lane] = results else { panic!("there are operations") };
    (least[0], lane[0] as usize)
}

/// The lesser lanes are the first ones; what is not a number, infinite or the largest there is counts for nothing.
#[test]
fn the_least_and_its_lane() {
    let say = |registers: Registers, of: [f32; WIDTH]| least(&operations(registers, of, of));
    for registers in testing::all() {
        assert_eq!(say(registers, [f32::NAN; WIDTH]), (f32::MAX, 0));
        assert_eq!(say(registers, [f32::INFINITY; WIDTH]), (f32::MAX, 0));
        let signalling = f32::from_bits(0x7f80_0001);
        for lane in 0..WIDTH {
            for other in [f32::NAN, signalling, f32::INFINITY, f32::MAX, 4.0] {
                let mut of = [other; WIDTH];
                of[lane] = 3.0;
                assert_eq!(say(registers, of), (3.0, lane));
                of[WIDTH - 1] = 3.0;
                assert_eq!(say(registers, of), (3.0, lane), "the first one of several");
                of[lane] = 0.0;
                of[WIDTH - 1] = -0.0;
                assert_eq!(say(registers, of), (0.0, lane), "zeros are equal");
            }
        }
    }
}

/// The numbers of bytes, and of tables by bytes.
struct Bytes<'a>(&'a mut [[f32; WIDTH]; 2], &'a [f32; 16], [u8; WIDTH]);

impl Wide for Bytes<'_> {
    #[inline(always)]
    fn run<L: Sixteen>(self) {
        *self.0 = [L::from_bytes(&self.2).to_array(), L::look_up(self.1, &self.2).to_array()];
    }
}

#[test]
fn all_bytes_in_all_lanes() {
    // Not-a-numbers of some payload in tables come out as they are.
    let mut numbers = Numbers(77);
    for _ in 0..16 {
        let table: [f32; 16] = std::array::from_fn(|_| numbers.float());
        for first in 0..=u8::MAX {
            let bytes = std::array::from_fn(|lane| first.wrapping_add(lane as u8 * 13));
            for registers in testing::all() {
                let mut results = [[0.0; WIDTH]; 2];
                run(registers, Bytes(&mut results, &table, bytes));
                for (lane, byte) in bytes.into_iter().enumerate() {
                    assert_eq!(results[0][lane], f32::from(byte), "{registers:?}");
                    let expected = table[usize::from(byte & 15)].to_bits();
                    assert_eq!(results[1][lane].to_bits(), expected, "{registers:?}");
                }
            }
        }
    }
}

/// Numbers beside the points, one last bit to either side.
struct Choose<'a>(&'a mut [f32; WIDTH], [f32; WIDTH], &'a Points);

impl Wide for Choose<'_> {
    #[inline(always)]
    fn run<L: Sixteen>(self) {
        let levels = std::array::from_fn(|i| 100.0 - i as f32);
        *self.0 = L::from_array(&self.1).choose(self.2, &levels).to_array();
    }
}

#[test]
fn a_number_at_a_point_is_not_below_it() {
    let mut numbers = Numbers(5);
    for _ in 0..200 {
        let mut points: [f32; 15] = std::array::from_fn(|_| (numbers.bits() as u16).cast_signed().into());
        points.sort_by(f32::total_cmp);
        let tables = Points::new(points);
        for point in points {
            for x in [point, point.next_down(), point.next_up(), f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                let not_below = points.iter().filter(|point| x.is_nan() || x >= **point).count();
                for registers in testing::all() {
                    let mut results = [0.0; WIDTH];
                    run(registers, Choose(&mut results, [x; WIDTH], &tables));
                    assert_eq!(results, [100.0 - not_below as f32; WIDTH], "{x} among {points:?}");
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
