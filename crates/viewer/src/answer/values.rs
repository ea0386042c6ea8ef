//! What weights are worth: statistics of a tensor, and a tensor as a picture.

use std::io;
use std::num::NonZeroUsize;
use std::ops::Range;

use ggufkit_format::Tensor;
use ggufkit_io::TensorReader;
use ggufkit_values::{Memory, NoValues, Weights, stats};
use serde::Serialize;

use super::open::Source;
use super::query::Query;
use super::refusal::Refusal;
use super::session::{File, Session};
use super::shape::{Num, base64};
use super::zh::Said;
use super::{Answer, MAX_SIDE, json};

/// Columns of the histogram.
const COLUMNS: usize = 96;
/// The parts of all values whose quantiles are told.
const QUANTILES: [f64; 7] = [0.001, 0.01, 0.25, 0.5, 0.75, 0.99, 0.999];
/// Values that are read for one picture; where there are more, some of each cell stand for all of it.
const MAX_VALUES: u64 = 16 << 20;
/// Threads of one answer.
const THREADS: usize = 4;

#[derive(Serialize)]
struct Stats {
    elements: u64,
    min: Num,
    max: Num,
    mean: Num,
    std: Num,
    rms: Num,
    skewness: Num,
    kurtosis: Num,
    zeros: u64,
    nan: u64,
    infinite: u64,
    outliers: u64,
    outliers_from: Num,
    quantiles: Vec<Num>,
    quantiles_at: [f64; 7],
    scales: Option<Scales>,
    histogram: Histogram,
}

#[derive(Serialize)]
struct Scales {
    blocks: u64,
    zeros: u64,
    not_finite: u64,
    min: Num,
    max: Num,
}

#[derive(Serialize)]
struct Histogram {
    edges: Vec<Num>,
    counts: Vec<f64>,
}

/// Does something with the weights of the tensor that a question is about.
fn with_weights<T>(
    session: &Session,
    query: &Query<'_>,
    work: impl FnOnce(&File, &Weights<'_, Source>) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    let (_, file, view) = session.viewed(query)?;
    let at: usize = query.number("tensor")?;
    let tensor = view.index().tensors().get(at);
    let tensor = tensor
        .ok_or_else(|| Refusal::not_found(("there is no tensor with this number", "没有这个编号的张量")))?;
    let source = file.seekable()?;
    let reader = TensorReader::new(source, view);
    let weights = weights(source, &reader, tensor)?;
    work(file, &weights)
}

/// The weights of a tensor.
pub(super) fn weights<'s>(
    source: &'s Source,
    reader: &TensorReader<'_, Source>,
    tensor: &Tensor,
) -> Result<Weights<'s, Source>, Refusal> {
    Weights::of(source, reader, tensor).map_err(|error| match &error {
        NoValues::Data(_) => Refusal::malformed(Said::of(&error.to_string())),
        _ => Refusal::unsupported(Said::of(&error.to_string())),
    })
}

pub(super) fn threads() -> NonZeroUsize {
    let there = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    NonZeroUsize::new(there.min(THREADS)).unwrap_or(NonZeroUsize::MIN)
}

/// The statistics of one tensor.
pub(super) fn measured(weights: &Weights<'_, Source>) -> Result<stats::Stats, Refusal> {
    let mut found = Err(io::Error::from(io::ErrorKind::UnexpectedEof));
    let detail = stats::Detail::Full;
    stats::stats(std::slice::from_ref(weights), detail, threads(), &|_| (), &mut |_, result| found = result);
    found.map_err(|error| Refusal::io(&error))
}

pub(super) fn stats_of(session: &Session, query: &Query<'_>) -> Answer {
    with_weights(session, query, |file, weights| {
        let stats = measured(weights)?;
        file.unchanged()?;
        json(&told(&stats))
    })
}

fn told(stats: &stats::Stats) -> Stats {
    let moments = &stats.moments;
    let some = |value: Option<f32>| value.map_or(Num(f64::NAN), Num::single);
    let shown = if stats.wide { Num } else { Num::shortest };
    let either = |value: Option<f64>| value.map_or(Num(f64::NAN), shown);
    let (low, high) = stats.range.unwrap_or((0.0, 0.0));
    // Half of it first: the distance of two doubles may be none.
    let width = (high / 2.0 - low / 2.0) / COLUMNS as f64 * 2.0;
    let histogram = match stats.range {
        Some(_) => Histogram {
            edges: (0..=COLUMNS).map(|at| Num(low + width * at as f64)).collect(),
            counts: stats.histogram.columns(low, high, COLUMNS).iter().map(|count| count.round()).collect(),
        },
        None => Histogram { edges: Vec::new(), counts: Vec::new() },
    };
    Stats {
        elements: stats.count,
        min: either(stats.range.map(|range| range.0)),
        max: either(stats.range.map(|range| range.1)),
        mean: Num::or_nan((moments.count > 0).then_some(moments.mean)),
        std: Num::or_nan(moments.std()),
        rms: Num::or_nan(moments.rms()),
        skewness: Num::or_nan(moments.skewness()),
        kurtosis: Num::or_nan(moments.kurtosis()),
        zeros: stats.zeros,
        nan: stats.nan,
        infinite: stats.infinite,
        outliers: stats.outliers.map_or(0, |outliers| outliers.count),
        outliers_from: some(stats.outliers.and_then(|outliers| outliers.from)),
        quantiles: QUANTILES.iter().map(|part| some(stats.quantile(*part))).collect(),
        quantiles_at: QUANTILES,
        scales: stats.scales.map(|scales| Scales {
            blocks: scales.blocks,
            zeros: scales.zeros,
            not_finite: scales.not_finite,
            min: some(scales.magnitudes.map(|both| both.0)),
            max: some(scales.magnitudes.map(|both| both.1)),
        }),
        histogram,
    }
}

#[derive(Serialize)]
struct Grid {
    rows: [u64; 2],
    cols: [u64; 2],
    size: Size,
    width: u64,
    height: u64,
    mean: String,
    peak: String,
    exact: bool,
    sampled: bool,
}

#[derive(Serialize)]
struct Size {
    rows: u64,
    cols: u64,
}

/// A cell while it is filled.
#[derive(Clone, Copy, Default)]
struct Cell {
    sum: f64,
    count: u64,
    peak: f32,
}

impl Cell {
    fn add(&mut self, value: f32) {
        self.sum += f64::from(value);
        self.count += 1;
        // What is no number stands out of all that is.
        if value.is_nan() || (value.abs() > self.peak.abs()) {
            self.peak = value;
        }
    }
}

pub(super) fn values(session: &Session, query: &Query<'_>) -> Answer {
    let width = query.count("width", MAX_SIDE, ("cells in a row", "个单元格（每行）"))?;
    let height = query.count("height", MAX_SIDE, ("rows of cells", "行单元格"))?;
    let rows: Range<u64> = query.number("row_from")?..query.number("row_to")?;
    let cols: Range<u64> = query.number("col_from")?..query.number("col_to")?;
    with_weights(session, query, |file, weights| {
        let row = weights.row_elements();
        let all = weights.elements().checked_div(row).unwrap_or(0);
        let (rows, cols) = (rows.start..rows.end.min(all), cols.start..cols.end.min(row));
        if rows.is_empty() || cols.is_empty() || width == 0 || height == 0 {
            return Err(Refusal::not_found(("there is no element in this rectangle", "此矩形中没有元素")));
        }
        let (count_rows, count_cols) = (rows.end - rows.start, cols.end - cols.start);
        let (width, height) = (width.min(count_cols), height.min(count_rows));
        let mut picture = Picture::new(weights, rows.clone(), cols.clone(), width, height)?;
        picture.fill().map_err(|error| Refusal::io(&error))?;
        file.unchanged()?;
        let floats = |of: fn(&Cell) -> f32| {
            let bytes: Vec<u8> = picture.cells.iter().flat_map(|cell| of(cell).to_le_bytes()).collect();
            base64(&bytes)
        };
        json(&Grid {
            rows: [rows.start, rows.end],
            cols: [cols.start, cols.end],
            size: Size { rows: all, cols: row },
            width,
            height,
            mean: floats(|cell| (cell.sum / cell.count.max(1) as f64) as f32),
            peak: floats(|cell| cell.peak),
            exact: width == count_cols && height == count_rows,
            sampled: picture.sampled,
        })
    })
}

/// A rectangle of a tensor as cells.
struct Picture<'w> {
    weights: &'w Weights<'w, Source>,
    rows: Range<u64>,
    cols: Range<u64>,
    width: u64,
    height: u64,
    /// Elements of a block.
    block: u64,
    /// Rows that are read of each row of cells.
    rows_each: u64,
    /// Elements that are read of each cell of a row; all where there are no more.
    cols_each: u64,
    sampled: bool,
    cells: Vec<Cell>,
}

impl<'w> Picture<'w> {
    fn new(
        weights: &'w Weights<'w, Source>,
        rows: Range<u64>,
        cols: Range<u64>,
        width: u64,
        height: u64,
    ) -> Result<Self, Refusal> {
        let codec = ggufkit_quant::codec(weights.tensor_type());
        let block = codec.map_or(1, |codec| codec.block_elements() as u64);
        let (count_rows, count_cols) = (rows.end - rows.start, cols.end - cols.start);
        let per_row = count_rows.div_ceil(height);
        let rows_each = (MAX_VALUES / height / count_cols).clamp(1, per_row);
        let whole = count_cols.div_ceil(width);
        // Even a single row of each may be too long.
        let cols_each = (MAX_VALUES / height / width).max(block).min(whole);
        let few = height.saturating_mul(count_cols) <= MAX_VALUES;
        let cols_each = if few { whole } else { cols_each };
        let cells = usize::try_from(width.saturating_mul(height)).unwrap_or(0);
        Ok(Self {
            weights,
            rows,
            cols,
            width,
            height,
            block,
            rows_each,
            cols_each,
            sampled: rows_each < per_row || cols_each < whole,
            cells: vec![Cell::default(); cells],
        })
    }

    /// The part of a range that belongs to one of `parts` cells. The parts lie side by side and cover it.
    fn part(range: &Range<u64>, at: u64, parts: u64) -> Range<u64> {
        let len = u128::from(range.end - range.start);
        let edge = |at: u64| {
            let offset = len * u128::from(at) / u128::from(parts.max(1));
            range.start.saturating_add(u64::try_from(offset).unwrap_or(u64::MAX))
        };
        edge(at)..edge(at + 1)
    }

    fn fill(&mut self) -> io::Result<()> {
        let columns: Vec<Range<u64>> =
            (0..self.width).map(|at| Self::part(&self.cols, at, self.width)).collect();
        let mut memory = Memory::default();
        for y in 0..self.height {
            let rows = Self::part(&self.rows, y, self.height);
            let len = rows.end - rows.start;
            let each = self.rows_each.min(len).max(1);
            for n in 0..each {
                // Evenly spread where not all of them are read.
                let row = rows.start.saturating_add(len.saturating_mul(n) / each);
                self.row(y, row, &columns, &mut memory)?;
            }
        }
        Ok(())
    }

    fn row(&mut self, y: u64, row: u64, columns: &[Range<u64>], memory: &mut Memory) -> io::Result<()> {
        let base = row.saturating_mul(self.weights.row_elements());
        let first = usize::try_from(y.saturating_mul(self.width)).unwrap_or(0);
        let Some(cells) = self.cells.get_mut(first..) else { return Ok(()) };
        if self.cols_each == self.cols.end.saturating_sub(self.cols.start).div_ceil(self.width) {
            return walk(self.weights, self.block, base, &self.cols, columns, cells, memory);
        }
        for (column, cell) in columns.iter().zip(cells) {
            let some = column.start..column.end.min(column.start.saturating_add(self.cols_each));
            walk(
                self.weights,
                self.block,
                base,
                &some,
                std::slice::from_ref(&some),
                std::slice::from_mut(cell),
                memory,
            )?;
        }
        Ok(())
    }
}

/// Adds the values of a run of columns of the row that begins at `base` to the cells of these columns.
fn walk(
    weights: &Weights<'_, Source>,
    block: u64,
    base: u64,
    cols: &Range<u64>,
    columns: &[Range<u64>],
    cells: &mut [Cell],
    memory: &mut Memory,
) -> io::Result<()> {
    // Rows begin at blocks, and end there.
    let from = cols.start / block * block;
    let to = cols.end.div_ceil(block).saturating_mul(block).min(weights.row_elements());
    let mut stretches = weights.stretches(base.saturating_add(from)..base.saturating_add(to), memory);
    let mut at = 0;
    while let Some(stretch) = stretches.next_stretch() {
        let stretch = stretch?;
        let start = stretch.at.saturating_sub(base);
        let end = start.saturating_add(stretch.values.len() as u64);
        while let (Some(column), Some(cell)) = (columns.get(at), cells.get_mut(at)) {
            let (low, high) = (column.start.max(start), column.end.min(end));
            let within = |n: u64| usize::try_from(n.saturating_sub(start)).unwrap_or(usize::MAX);
            for value in stretch.values.get(within(low)..within(high)).unwrap_or_default() {
                cell.add(*value);
            }
            if column.end > end {
                break;
            }
            at += 1;
        }
    }
    Ok(())
}
