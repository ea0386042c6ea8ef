//! Values that floats of 32 bits do not hold are measured as they are, and large tensors by all that matters.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io;
use std::num::NonZeroUsize;

use ggufkit_format::spec::TensorType;
use ggufkit_format::{Endian, ReadAt};
use ggufkit_values::Weights;
use ggufkit_values::compare::{Difference, Pair, compare};
use ggufkit_values::stats::{Detail, Stats, stats};

struct Bytes(Vec<u8>);

impl ReadAt for Bytes {
    type Error = io::Error;

    fn size(&self) -> Option<u64> {
        Some(self.0.len() as u64)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let there = self.0.get(offset as usize..).unwrap_or_default();
        let len = there.len().min(buffer.len());
        buffer[..len].copy_from_slice(&there[..len]);
        Ok(len)
    }
}

fn weights(bytes: &Bytes, ty: TensorType) -> Weights<'_, Bytes> {
    let count = bytes.0.len() as u64 / u64::from(ty.info().unwrap().block_bytes);
    Weights::at(bytes, b"w", ty, &[count], 0, Endian::Little).unwrap()
}

fn measured(bytes: Vec<u8>, ty: TensorType, detail: Detail, threads: usize) -> Stats {
    let bytes = Bytes(bytes);
    let mut found = None;
    let threads = NonZeroUsize::new(threads).unwrap();
    stats(&[weights(&bytes, ty)], detail, threads, &|_| {}, &mut |_, stats| found = Some(stats.unwrap()));
    found.unwrap()
}

fn doubles(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn integers(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn longs(values: &[i64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn compared(one: (Vec<u8>, TensorType), two: (Vec<u8>, TensorType)) -> Difference {
    let (a, b) = (Bytes(one.0), Bytes(two.0));
    let (a, b) = (weights(&a, one.1), weights(&b, two.1));
    let mut found = None;
    let pair = Pair::of(&a, &b).unwrap();
    compare(&[pair], NonZeroUsize::MIN, &|_| {}, &mut |_, difference| found = Some(difference.unwrap()));
    found.unwrap()
}

#[test]
fn doubles_are_measured_as_doubles() {
    let of = |values: &[f64]| measured(doubles(values), TensorType::F64, Detail::Brief, 1);
    let large = of(&[1e308, -1e308, 0.0, f64::NAN, f64::INFINITY]);
    assert_eq!((large.count, large.nan, large.infinite, large.zeros, large.finite()), (5, 1, 1, 1, 3));
    assert_eq!(large.range, Some((-1e308, 1e308)));
    assert_eq!(large.moments.mean(), Some(0.0));
    // The square of 10^308 has no place in a double.
    assert_eq!((large.moments.std(), large.moments.kurtosis(), large.outliers), (None, None, None));
    assert_eq!(large.histogram.columns(-1e308, 1e308, 3), [1.0, 1.0, 1.0]);
    // A float of 32 bits would have both be 1.
    let near = of(&[1.0, 1.0 + 2e-12]);
    assert_eq!(near.range, Some((1.0, 1.0 + 2e-12)));
    assert!((near.moments.std().unwrap() - 1e-12).abs() < 1e-16);
    // Not zero, and not one of those that a float of 32 bits would have.
    assert_eq!((of(&[1e-300]).zeros, of(&[1e-300]).range), (0, Some((1e-300, 1e-300))));
}

#[test]
fn integers_keep_their_last_digits() {
    let stats = measured(integers(&[16_777_217, -5, 0, 2_147_483_647]), TensorType::I32, Detail::Full, 1);
    assert_eq!((stats.range, stats.zeros), (Some((-5.0, 2_147_483_647.0)), 1));
    assert_eq!(stats.moments.mean(), Some(541_065_214.75));
    let stats = measured(longs(&[9_007_199_254_740_991, 1]), TensorType::I64, Detail::Full, 1);
    assert_eq!(stats.range, Some((1.0, 9_007_199_254_740_991.0)));
}

/// Six times the root of a third of 3.5e38^2 (beside which the others are nothing) is 1.2e39: above all of them, and above all floats.
#[test]
fn what_floats_do_not_hold_is_an_outlier_only_beyond_the_bound() {
    let values: Vec<f64> = (0..3000).map(|at| if at % 3 == 0 { 3.5e38 } else { 1e-3 }).collect();
    let stats = measured(doubles(&values), TensorType::F64, Detail::Full, 1);
    assert_eq!(stats.outliers.map(|outliers| (outliers.count, outliers.from)), Some((0, None)));
    // One of 10,000: six times its hundredth part is less than it is, and who else is beyond is not known.
    let values: Vec<f64> = (0..10_000).map(|at| if at == 7 { 1e41 } else { 1.0 }).collect();
    assert_eq!(measured(doubles(&values), TensorType::F64, Detail::Full, 1).outliers, None);
}

#[test]
fn what_differs_in_its_last_digit_is_not_equal() {
    let found = compared(
        (integers(&[16_777_216, 7]), TensorType::I32),
        (integers(&[16_777_217, 7]), TensorType::I32),
    );
    assert_eq!((found.count, found.equal, found.max), (2, 1, Some((1.0, 0))));
    assert!(found.relative().unwrap() > 0.0);
    let found = compared((longs(&[i64::MAX]), TensorType::I64), (longs(&[i64::MAX - 1]), TensorType::I64));
    assert_eq!((found.equal, found.max), (0, Some((1.0, 0))));
    let found = compared(
        (integers(&[16_777_217]), TensorType::I32),
        (16_777_216.0_f32.to_le_bytes().to_vec(), TensorType::F32),
    );
    assert_eq!((found.equal, found.max), (0, Some((1.0, 0))));
    let found =
        compared((doubles(&[0.1, 1e308]), TensorType::F64), (doubles(&[0.1, 1e308]), TensorType::F64));
    assert_eq!((found.equal, found.not_finite, found.relative()), (2, 0, Some(0.0)));
    // Squares that have no place in a double tell nothing, and above all not that nothing differs.
    for (a, b) in [(1e-300, 2e-300), (1e308, -1e308)] {
        let found = compared((doubles(&[a]), TensorType::F64), (doubles(&[b]), TensorType::F64));
        assert_eq!((found.equal, found.not_finite), (0, 0));
        assert_eq!((found.rmse(), found.relative(), found.snr()), (None, None, None), "{a}");
    }
    let found =
        compared((doubles(&[0.1]), TensorType::F64), (0.1_f32.to_le_bytes().to_vec(), TensorType::F32));
    assert_eq!((found.equal, found.max), (0, Some((f64::from(0.1_f32) - 0.1, 0))));
}

/// Values like weights: sums of four even ones, of which some are ten times as large.
fn noise(count: usize, size: impl Fn(usize) -> f32) -> Vec<f32> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 24) as f32 - 0.5
    };
    (0..count).map(|at| (next() + next() + next() + next()) * size(at)).collect()
}

#[test]
fn outliers_are_those_of_all_values_however_few_are_counted_by_size() {
    let odd = |at: usize| if at.is_multiple_of(5003) { 10.0 } else { 1.0 };
    let even = noise(3 << 20, odd);
    // What comes first says little of what follows: far is nearer than it seemed.
    let falling = noise(3 << 20, |at| if at < 1 << 18 { 100.0 } else { odd(at) });
    let rising = noise(3 << 20, |at| if at < 1 << 18 { 0.0 } else { odd(at) });
    // Where a value lies says how large it is: within a row, and from row to row.
    let columns = noise(3 << 20, |at| if at % 4096 < 512 { 3.0 * odd(at) } else { odd(at) });
    let rows = noise(3 << 20, |at| (0.2 + (at >> 12) as f32 / 768.0) * odd(at));
    for (name, values) in
        [("even", even), ("falling", falling), ("rising", rising), ("columns", columns), ("rows", rows)]
    {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let full = measured(bytes.clone(), TensorType::F32, Detail::Full, 1);
        let outliers = full.outliers.unwrap();
        let from = outliers.from.unwrap();
        let beyond = values.iter().filter(|value| value.abs() >= from).count() as u64;
        assert!(beyond > 100, "{name}");
        assert_eq!(outliers.count, beyond, "{name}");
        for threads in [1, 2, 5] {
            let brief = measured(bytes.clone(), TensorType::F32, Detail::Brief, threads);
            assert_eq!(brief.outliers, full.outliers, "{name}, {threads} threads");
            assert_eq!(brief.range, full.range);
            assert_eq!((brief.zeros, brief.count, brief.finite()), (full.zeros, full.count, full.finite()));
            // What a table shows of them, and two digits more.
            let (rough, exact) = (brief.moments, full.moments);
            let std = exact.std().unwrap();
            assert!((rough.mean().unwrap() - exact.mean().unwrap()).abs() < 1e-6 * std);
            assert!((rough.std().unwrap() / std - 1.0).abs() < 1e-6);
            assert!((rough.kurtosis().unwrap() / exact.kurtosis().unwrap() - 1.0).abs() < 1e-5);
            // The picture is of as many values, in about the same proportions.
            let (low, high) = full.range.unwrap();
            let columns = [brief, full.clone()].map(|stats| stats.histogram.columns(low, high, 16));
            for (one, two) in columns[0].iter().zip(&columns[1]) {
                assert!((one - two).abs() < 0.01 * values.len() as f64, "{name}: {one} is not near {two}");
            }
            let sums = columns.map(|columns| columns.iter().sum::<f64>());
            assert!((sums[0] - sums[1]).abs() < 1e3, "{name}: {sums:?}");
        }
    }
}
