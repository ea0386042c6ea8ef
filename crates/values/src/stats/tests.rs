//! Expected values come from definitions carried out in another way: two passes in `f64`, sorting.

use super::histogram::Counts;
use super::moments::Sums;
use super::*;

fn noise(count: usize) -> Vec<f32> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    (0..count)
        .map(|_| {
            let mut sum = 0.0;
            for _ in 0..4 {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                sum += (state >> 40) as f32 / (1 << 24) as f32 - 0.5;
            }
            sum * 0.1 + 3.0
        })
        .collect()
}

fn close(found: f64, wanted: f64) {
    assert!((found - wanted).abs() <= 1e-9 * wanted.abs().max(1e-3), "{found} is not {wanted}");
}

#[test]
fn moments_are_those_of_the_definition_however_the_values_are_cut() {
    let values = noise(100_003);
    let n = values.len() as f64;
    let mean = values.iter().map(|v| f64::from(*v)).sum::<f64>() / n;
    let central = |power| values.iter().map(|v| (f64::from(*v) - mean).powi(power)).sum::<f64>() / n;
    let whole = Moments::of(&values);
    let parts = values.chunks(777).map(Moments::of).fold(Moments::default(), |sum, part| sum.and(&part));
    for moments in [whole, parts] {
        assert_eq!(moments.count, 100_003);
        close(moments.mean, mean);
        close(moments.std().unwrap(), central(2).sqrt());
        close(moments.rms().unwrap(), (central(2) + mean * mean).sqrt());
        close(moments.kurtosis().unwrap(), central(4) / central(2).powi(2));
        assert!((moments.skewness().unwrap() - central(3) / central(2).powf(1.5)).abs() < 1e-9);
    }
    // Of values that are all the same there is no shape.
    let same = Moments::of(&[0.1; 1000]);
    assert_eq!((same.std(), same.kurtosis(), same.skewness()), (Some(0.0), None, None));
    close(same.mean, f64::from(0.1_f32));
    assert_eq!(Moments::of(&[]).rms(), None);
}

#[test]
fn what_is_no_finite_number_is_counted_and_kept_out_of_the_rest() {
    let stats = of_values(&[1.0, f32::NAN, -3.0, f32::INFINITY, 0.0, -0.0, f32::NEG_INFINITY, -f32::NAN]);
    assert_eq!((stats.count, stats.nan, stats.infinite, stats.zeros, stats.finite()), (8, 2, 2, 2, 4));
    assert_eq!(stats.range, Some((-3.0, 1.0)));
    close(stats.moments.mean, -0.5);
    close(stats.sparsity().unwrap(), 0.25);
    assert_eq!(stats.histogram.bins().map(|(_, _, count)| count).sum::<u64>(), 4);
    let none = of_values(&[f32::NAN]);
    assert_eq!((none.range, none.moments.rms(), none.histogram.quantile(0.5)), (None, None, None));
}

#[test]
fn bins_hold_what_lies_between_their_bounds() {
    let values = noise(5000).into_iter().map(|v| (v - 3.0) * 1e3).chain([f32::MAX, f32::MIN, 1e-45, -1e-45]);
    let values: Vec<f32> = values.collect();
    let histogram = of_values(&values).histogram;
    let mut seen = 0;
    for (low, high, count) in histogram.bins() {
        let inside = values.iter().filter(|v| {
            if low < 0.0 { **v > low && **v <= high } else { **v >= low && (**v < high || high == f32::MAX) }
        });
        // The largest magnitudes are the end of their bins.
        let at_end = if low == -f32::MAX { 1 } else { 0 };
        assert_eq!(inside.count() + at_end, count as usize, "{low} .. {high}");
        seen += count;
    }
    assert_eq!(seen, 5004);
}

#[test]
fn quantiles_are_near_those_of_the_sorted_values() {
    let mut values = noise(20_000);
    let histogram = of_values(&values).histogram;
    values.sort_by(f32::total_cmp);
    for part in [0.0, 0.01, 0.25, 0.5, 0.75, 0.99, 1.0] {
        let wanted = values[((values.len() - 1) as f64 * part) as usize];
        let found = histogram.quantile(part).unwrap();
        assert!((found - wanted).abs() <= wanted.abs() / 32.0, "{part}: {found} is not near {wanted}");
    }
}

/// A bin is as wide as 1/32 of its values, and its ends may lie beyond all of them.
#[test]
fn no_quantile_lies_outside_of_the_values() {
    let ramp: Vec<f32> = (0..128).map(|value| value as f32).collect();
    for values in [ramp, vec![2.4e-38; 50], vec![-7.0; 50], vec![1e30, 1e30, -1e30]] {
        let stats = of_values(&values);
        let low = values.iter().copied().reduce(f32::min).unwrap();
        let high = values.iter().copied().reduce(f32::max).unwrap();
        for part in [0.0, 0.001, 0.5, 0.999, 1.0] {
            let found = stats.quantile(part).unwrap();
            assert!((low..=high).contains(&found), "{part}: {found} of {low} to {high}");
        }
    }
}

#[test]
fn outliers_are_counted_beyond_a_bound_that_is_told() {
    let mut values = vec![1.0_f32; 9_998];
    values.extend([50.0, -80.0]);
    // The root of (9,998 + 2,500 + 6,400) / 10,000 is 1.37470: six times that is 8.24820.
    let outliers = of_values(&values).outliers.unwrap();
    assert_eq!(outliers.count, 2);
    let bound = f64::from(outliers.from.unwrap());
    assert!((8.2482..=8.2482 * 33.0 / 32.0).contains(&bound), "{bound}");
    assert_eq!(of_values(&values).histogram.beyond(80.0).0, 1);
    assert_eq!(of_values(&[0.0; 10]).outliers, None);
    // Together they are those of each: the bounds are two.
    let mut both = of_values(&values);
    both.add(&of_values(&[&[0.1_f32; 99][..], &[5.0]].concat()));
    assert_eq!(both.outliers, Some(Outliers { count: 3, from: None }));
}

#[test]
fn columns_share_out_every_value() {
    let values = noise(10_000);
    let stats = of_values(&values);
    let (low, high) = stats.range.unwrap();
    let columns = stats.histogram.columns(low, high, 40);
    assert!((columns.iter().sum::<f64>() - 10_000.0).abs() < 1e-6);
    let middle = values.iter().filter(|v| f64::from(**v) < (low + high) / 2.0).count() as f64;
    assert!((columns[..20].iter().sum::<f64>() - middle).abs() < 0.05 * 10_000.0);
    assert_eq!(of_values(&[7.0; 3]).histogram.columns(7.0, 7.0, 3), [3.0, 0.0, 0.0]);
}

/// However many values come at a time, and in which order parts are put together.
#[test]
fn counts_do_not_depend_on_how_many_values_come_together() {
    let values: Vec<f32> = noise(5000)
        .into_iter()
        .enumerate()
        .map(|(at, v)| (v - 3.0) * if at % 3 == 0 { 1e-20 } else { 1e9 })
        .chain([f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, f32::MIN])
        .collect();
    let whole = of_values(&values).histogram;
    for size in [1, 7, 100, 1023, 1024, 1025, 4000] {
        let mut sum = Histogram::default();
        let mut counts = Counts::default();
        for (at, some) in values.chunks(size).enumerate() {
            counts.count(some);
            // Taken over every second time, so that a thread counts on.
            if at % 2 == 1 {
                let mut part = Histogram::default();
                counts.move_into(&mut part);
                sum.add(&part);
            }
        }
        counts.move_into(&mut sum);
        assert!(sum.bins().eq(whole.bins()), "{size}");
        assert_eq!(sum.quantile(0.9), whole.quantile(0.9), "{size}");
        assert_eq!(sum.beyond(1e8), whole.beyond(1e8), "{size}");
    }
}

/// With sums of floats as with sums of doubles, of numbers whose roundings do not make up for each other, too.
#[test]
fn rough_sums_hold_six_digits() {
    let measured = |values: &[f32], sums| {
        let mut sum = Moments::default();
        for part in values.chunks(crate::weights::STRETCH) {
            sum = sum.and(&measure::measure(part, sums, f32::INFINITY, &mut Vec::new()).moments);
        }
        sum
    };
    let alternating: Vec<f32> = (0..200_000).map(|at| if at % 2 == 0 { 0.1 } else { -0.1 }).collect();
    let spread: Vec<f32> = noise(100_003).into_iter().map(|value| (value - 3.0) * 0.3).collect();
    let mostly_one: Vec<f32> = (0..100_000).map(|at| if at % 1000 == 7 { -11.3 } else { 0.011_3 }).collect();
    for values in [alternating, spread, mostly_one] {
        let n = values.len() as f64;
        let mean = values.iter().map(|v| f64::from(*v)).sum::<f64>() / n;
        let central = |power| values.iter().map(|v| (f64::from(*v) - mean).powi(power)).sum::<f64>() / n;
        let (std, kurtosis) = (central(2).sqrt(), central(4) / central(2).powi(2));
        for (sums, moment, shape) in [(Sums::Floats, 1e-6, 3e-6), (Sums::Doubles, 1e-11, 3e-6)] {
            let found = measured(&values, sums);
            assert!((found.mean - mean).abs() <= moment * std, "{sums:?}: {} is not {mean}", found.mean);
            assert!(
                (found.std().unwrap() / std - 1.0).abs() <= moment,
                "{sums:?}: {:?} is not {std}",
                found.std()
            );
            let off = (found.kurtosis().unwrap() / kurtosis - 1.0).abs();
            assert!(off <= shape, "{sums:?}: {:?} is not {kurtosis}", found.kurtosis());
        }
    }
}

/// Few values and many are told alike, whichever way they were put together.
#[test]
fn histograms_of_few_values_and_of_many_are_alike() {
    let values = noise(4000);
    let whole = of_values(&values).histogram;
    let mut sum = Histogram::default();
    for few in values.chunks(100) {
        let part = of_values(few).histogram;
        assert_eq!(part.bins().map(|(_, _, count)| count).sum::<u64>(), few.len() as u64);
        let bounds: Vec<(f32, f32)> = part.bins().map(|(low, high, _)| (low, high)).collect();
        assert!(bounds.is_sorted_by(|one, next| one.1 <= next.0), "{bounds:?}");
        sum.add(&part);
    }
    assert!(sum.bins().eq(whole.bins()));
    let mixed: Vec<f32> = [-1.0, 3.0, -0.0, 0.0, -2.0, 3.0].into();
    let found: Vec<(f32, f32, u64)> = of_values(&mixed).histogram.bins().collect();
    let (step, wide) = (1.0 / 32.0, 2.0 / 32.0);
    let none = f32::from_bits(1 << 18);
    assert_eq!(
        found,
        [
            (-2.0 - wide, -2.0, 1),
            (-1.0 - step, -1.0, 1),
            (-none, -0.0, 1),
            (0.0, none, 1),
            (3.0, 3.0 + wide, 2)
        ]
    );
    assert_eq!(of_values(&mixed).histogram.beyond(1.5), (3, 1.5));
}
