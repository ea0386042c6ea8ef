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
                (plain[9][2], plain[10][2], plain[11][2]),
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
