//! What is kept of the statistics of a tensor or a group, once its values are passed.

use ggufkit::format::spec::TensorType;
use ggufkit::values::stats::{Scales, Stats};
use serde::Serialize;
use serde::ser::Serializer;

/// Columns of a drawn histogram.
pub(super) const COLUMNS: usize = 48;

/// Columns of the small picture that stands in a row.
const SMALL: usize = 16;

/// Lines of a drawn histogram.
pub(super) const TALL: usize = 8;

/// The parts of all values whose quantiles are told.
const QUANTILES: [f64; 5] = [0.01, 0.25, 0.5, 0.75, 0.99];

/// The statistics of a tensor, or of a group of them. There may be a hundred thousand of them: what can be worked out is not kept.
pub(super) struct Line {
    /// The tensor's name, or the group's.
    pub(super) name: Box<[u8]>,
    /// The type of a tensor.
    pub(super) ty: Option<TensorType>,
    pub(super) tensors: u64,
    /// Without its histogram.
    stats: Stats,
    quantiles: [Option<f32>; QUANTILES.len()],
    /// How high each column of the small picture is, in eighths of a line.
    pub(super) picture: [u8; SMALL],
    /// The same of the drawn histogram, of [`TALL`] lines, where one is asked for and there are values.
    pub(super) drawn: Option<Box<[u8; COLUMNS]>>,
}

/// A number that may be missing, or be infinite, which JSON has no number for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Real(pub(crate) Option<f64>);

impl Serialize for Real {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(value) if value.is_finite() => serializer.serialize_f64(value),
            Some(value) if value.is_nan() => serializer.serialize_str("NaN"),
            Some(value) if value > 0.0 => serializer.serialize_str("Infinity"),
            Some(_) => serializer.serialize_str("-Infinity"),
            None => serializer.serialize_none(),
        }
    }
}

/// The numbers of a line, as JSON has them.
#[derive(Serialize)]
pub(super) struct Numbers {
    pub(super) elements: u64,
    pub(super) min: Real,
    pub(super) max: Real,
    pub(super) mean: Real,
    pub(super) std: Real,
    pub(super) rms: Real,
    pub(super) skewness: Real,
    pub(super) kurtosis: Real,
    pub(super) zeros: u64,
    pub(super) sparsity: Real,
    pub(super) nan: u64,
    pub(super) infinite: u64,
    pub(super) outliers: Option<u64>,
    /// The magnitude from which on values are outliers; of tensors together there is one for each.
    pub(super) outliers_from: Real,
    /// At 1, 25, 50, 75 and 99 percent.
    pub(super) quantiles: [Real; 5],
    pub(super) scales: Option<ScaleNumbers>,
}

/// The scales of blocks.
#[derive(Serialize)]
pub(super) struct ScaleNumbers {
    blocks: u64,
    zeros: u64,
    not_finite: u64,
    pub(super) min: Real,
    pub(super) max: Real,
}

impl ScaleNumbers {
    fn of(scales: &Scales) -> Self {
        let bound = |of: fn((f32, f32)) -> f32| Real(scales.magnitudes.map(|both| shortest(of(both).into())));
        Self {
            blocks: scales.blocks,
            zeros: scales.zeros,
            not_finite: scales.not_finite,
            min: bound(|(low, _)| low),
            max: bound(|(_, high)| high),
        }
    }
}

/// A float with the digits that tell it apart, so that 0.1 is not 0.10000000149011612; a double as it is. Where these digits are
/// less than the four that are shown, below the smallest normal number, it is the number itself, so that no digit is made up.
fn shortest(value: f64) -> f64 {
    let float = value as f32;
    if f64::from(float) == value && !float.is_subnormal() {
        float.to_string().parse().unwrap_or(value)
    } else {
        value
    }
}

impl Line {
    pub(super) fn of(
        name: &[u8],
        ty: Option<TensorType>,
        tensors: u64,
        mut stats: Stats,
        draw: bool,
    ) -> Self {
        let quantiles = QUANTILES.map(|part| stats.quantile(part));
        let histogram = std::mem::take(&mut stats.histogram);
        let columns =
            stats.range.map(|(low, high)| histogram.columns(low, high, COLUMNS)).unwrap_or_default();
        let small: Vec<f64> = columns.chunks(COLUMNS / SMALL).map(|some| some.iter().sum()).collect();
        let any = columns.iter().any(|count| *count > 0.0);
        Self {
            name: name.into(),
            ty,
            tensors,
            quantiles,
            picture: heights(&small, 1),
            drawn: (draw && any).then(|| Box::new(heights(&columns, TALL))),
            stats,
        }
    }

    /// How many values have which numbers.
    pub(super) fn numbers(&self) -> Numbers {
        let stats = &self.stats;
        let moments = &stats.moments;
        let some = |value: f64| Real(Some(shortest(value)));
        let bound = |value: f64| if stats.wide { Real(Some(value)) } else { some(value) };
        let outliers = stats.outliers;
        let from = outliers.and_then(|outliers| outliers.from);
        Numbers {
            elements: stats.count,
            min: stats.range.map_or(Real(None), |(low, _)| bound(low)),
            max: stats.range.map_or(Real(None), |(_, high)| bound(high)),
            mean: Real(moments.mean()),
            std: Real(moments.std()),
            rms: Real(moments.rms()),
            skewness: Real(moments.skewness()),
            kurtosis: Real(moments.kurtosis()),
            zeros: stats.zeros,
            sparsity: Real(stats.sparsity()),
            nan: stats.nan,
            infinite: stats.infinite,
            outliers: outliers.map(|outliers| outliers.count),
            outliers_from: from.map_or(Real(None), |from| some(from.into())),
            quantiles: self.quantiles.map(|value| value.map_or(Real(None), |value| some(value.into()))),
            scales: stats.scales.as_ref().map(ScaleNumbers::of),
        }
    }
}

/// How high columns are in eighths, where the highest has `lines` lines; what is there at all can be seen.
fn heights<const N: usize>(columns: &[f64], lines: usize) -> [u8; N] {
    let most = columns.iter().copied().fold(0.0, f64::max);
    let eighths = lines as f64 * 8.0;
    let mut heights = [0; N];
    for (height, count) in heights.iter_mut().zip(columns).filter(|(_, count)| **count > 0.0) {
        *height = (count / most * eighths).round().clamp(1.0, eighths) as u8;
    }
    heights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_at_all_can_be_seen() {
        assert_eq!(heights(&[0.0, 1.0, 1000.0, 500.0], 1), [0, 1, 8, 4]);
        assert_eq!(heights(&[0.0, 1.0, 1000.0, 500.0], 8), [0, 1, 64, 32]);
        assert_eq!(heights::<2>(&[], 8), [0, 0]);
    }

    #[test]
    fn floats_have_the_digits_that_tell_them_apart() {
        for (value, told) in [(0.1_f32, "0.1"), (1.0e30, "1000000000000000000000000000000"), (-0.25, "-0.25")]
        {
            assert_eq!(shortest(f64::from(value)).to_string(), told);
        }
        // The smallest of all is 2^-149; one digit tells it apart, and is no digit of it.
        assert_eq!(shortest(f64::from(f32::from_bits(1))), 2.0_f64.powi(-149));
    }
}
