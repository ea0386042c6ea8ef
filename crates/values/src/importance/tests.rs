//! Files of both forms, whole and broken.

use super::*;
use ggufkit_testkit as testkit;
use tempfile::NamedTempFile;

/// What is read of a file of these bytes, which is there as long as it is held.
fn file(bytes: &[u8]) -> (NamedTempFile, Result<ImportanceMatrix, ImportanceError>) {
    let file = NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    let read = FileSource::open(file.path()).map_err(Into::into).and_then(ImportanceMatrix::read);
    (file, read)
}

fn dat(entries: &[(&str, i32, &[f32])], end: &[u8]) -> Vec<u8> {
    let mut bytes = i32::try_from(entries.len()).unwrap().to_le_bytes().to_vec();
    for (name, calls, numbers) in entries {
        bytes.extend(i32::try_from(name.len()).unwrap().to_le_bytes());
        bytes.extend(name.as_bytes());
        bytes.extend(calls.to_le_bytes());
        bytes.extend(i32::try_from(numbers.len()).unwrap().to_le_bytes());
        numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    }
    bytes.extend(end);
    bytes
}

#[test]
fn the_older_form_is_read() {
    let end = [7_i32.to_le_bytes().as_slice(), &4_i32.to_le_bytes(), b"wiki"].concat();
    let (_file, read) = file(&dat(&[("a", 2, &[2.0, 4.0, 6.0, 8.0]), ("b", 0, &[3.0])], &end));
    let read = read.unwrap();
    assert_eq!((read.len(), read.chunks(), read.datasets()), (2, Some(7), [b"wiki".to_vec()].as_slice()));
    let mut out = Vec::new();
    read.columns(b"a", 2, 1, &mut out).unwrap();
    assert_eq!(out, [3.0, 4.0]);
    read.columns(b"b", 1, 0, &mut out).unwrap();
    assert_eq!(out, [3.0], "what was never called is taken as it stands");
    assert!(matches!(read.columns(b"a", 3, 1, &mut out), Err(ImportanceError::Length { .. })));
    assert!(read.columns(b"c", 1, 0, &mut out).is_err());
}

#[test]
fn what_is_broken_is_refused() {
    let good = dat(&[("a", 2, &[2.0, 4.0])], b"");
    for (name, bytes, code) in [
        ("empty", Vec::new(), "not-an-imatrix"),
        ("cut", good[..good.len() - 1].to_vec(), "not-an-imatrix"),
        ("nan", dat(&[("a", 2, &[2.0, f32::NAN])], b""), "imatrix-number"),
        ("below", dat(&[("a", 2, &[-2.0])], b""), "imatrix-number"),
        ("twice", dat(&[("a", 2, &[2.0]), ("a", 2, &[2.0])], b""), "not-an-imatrix"),
        ("calls", dat(&[("a", -1, &[2.0])], b""), "not-an-imatrix"),
        (
            "more",
            dat(&[("a", 2, &[2.0])], &[[1, 0, 0, 0, 1, 0, 0, 0].as_slice(), b"dx"].concat()),
            "not-an-imatrix",
        ),
        ("many", [i32::MAX.to_le_bytes(); 9].concat(), "not-an-imatrix"),
        ("negative", [(-1_i32).to_le_bytes(); 9].concat(), "not-an-imatrix"),
        ("text", b"this is a text and no importance matrix at all".to_vec(), "not-an-imatrix"),
    ] {
        let (_file, read) = file(&bytes);
        assert_eq!(read.unwrap_err().code(), code, "{name}");
    }
}

fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

#[test]
fn sums_and_counts_of_experts_are_brought_together() {
    let built = testkit::Builder::new()
        .tensor(testkit::Tensor::f32("x.in_sum2", &[2, 3]).data(floats(&[2.0, 4.0, 5.0, 6.0, 9.0, 12.0])))
        .tensor(testkit::Tensor::f32("x.counts", &[1, 3]).data(floats(&[2.0, 0.0, 3.0])));
    let (_file, read) = file(&built.bytes());
    let read = read.unwrap();
    let mut out = Vec::new();
    let mut all = Vec::new();
    for matrix in 0..3 {
        read.columns(b"x", 2, matrix, &mut out).unwrap();
        all.extend(out.iter().copied());
    }
    assert_eq!(all, [1.0, 2.0, 1.0, 1.0, 3.0, 4.0], "an expert that was never called counts evenly");
    assert!(read.columns(b"x", 2, 3, &mut out).is_err());
}

#[test]
fn what_counts_nothing_is_found_matrix_by_matrix() {
    let numbers = [1.0, 0.0, -0.0, 1e-45, 4e-20, 0.0];
    let (_file, read) = file(&dat(&[("a", 2, &numbers), ("never", 0, &[0.0, 1e-21])], b""));
    let read = read.unwrap();
    assert_eq!(read.extreme(b"a", 2, 1).unwrap(), None, "a column may count nothing");
    assert_eq!(read.extreme(b"a", 2, 3).unwrap(), Some((1, Extreme::Faint)));
    assert_eq!(read.extreme(b"a", 6, 1).unwrap(), None);
    assert_eq!(read.extreme(b"never", 2, 1).unwrap(), Some((0, Extreme::Faint)));
    assert!(read.extreme(b"a", 4, 2).is_err());
    // What is too large is so by itself, and after the division by the calls.
    let (_file, read) = file(&dat(&[("a", 2, &[1.0, 1.5e20, 1.0, 3e38]), ("b", 0, &[1e21])], b""));
    let read = read.unwrap();
    assert_eq!(read.extreme(b"a", 2, 1).unwrap(), None);
    let huge = Extreme::Huge { column: 1, number: 1.5e38 };
    assert_eq!(read.extreme(b"a", 2, 2).unwrap(), Some((1, huge)));
    assert_eq!(read.extreme(b"b", 1, 1).unwrap(), Some((0, Extreme::Huge { column: 0, number: 1e21 })));
    // Below zero, counts too; and the same tensor twice.
    let pair = |counts: &[f32]| {
        [
            testkit::Tensor::f32("x.in_sum2", &[2]).data(floats(&[2.0, 4.0])),
            testkit::Tensor::f32("x.counts", &[1]).data(floats(counts)),
        ]
    };
    for (name, tensors, code) in [
        ("below", pair(&[-1.0]).to_vec(), "imatrix-number"),
        ("pairs", [pair(&[1.0]), pair(&[1.0])].concat(), "not-an-imatrix"),
    ] {
        let built = tensors.into_iter().fold(testkit::Builder::new(), testkit::Builder::tensor);
        let (_file, read) = file(&built.bytes());
        assert_eq!(read.unwrap_err().code(), code, "{name}");
    }
}

#[test]
fn values_are_weighted_by_the_roots_of_their_columns() {
    use crate::compare::{Pair, compare};
    use ggufkit_format::{Options, View};
    use ggufkit_io::{HeadBuffer, TensorReader};
    use std::num::NonZeroUsize;

    // Two matrices of three rows of 2,500 columns, so that stretches begin anywhere in a row.
    let (row, rows, matrices) = (2500_usize, 3_usize, 2_usize);
    let count = row * rows * matrices;
    let values = |seed: usize| (0..count).map(|at| ((at * seed) % 1009) as f32 / 500.0).collect::<Vec<f32>>();
    let stored = |values: &[f32]| {
        let file = NamedTempFile::new().unwrap();
        let dims = [row as u64, rows as u64, matrices as u64];
        let built = testkit::Builder::new().tensor(testkit::Tensor::f32("x", &dims).data(floats(values)));
        std::fs::write(file.path(), built.bytes()).unwrap();
        file
    };
    let numbers: Vec<f32> = (0..row * matrices).map(|at| (at % 17) as f32 * 0.5).collect();
    let (_file, importance) = file(&dat(&[("x", 1, &numbers)], b""));
    let importance = importance.unwrap();
    let (one, two) = (values(7), values(11));
    let files = [stored(&one), stored(&two)];
    let sources = files.each_ref().map(|file| FileSource::open(file.path()).unwrap());
    let heads = sources.each_ref().map(|source| {
        let mut buffer = HeadBuffer::new();
        (buffer.read(source, Options::new()).unwrap().into_result().unwrap(), buffer.into_bytes())
    });
    let weights = [0, 1].map(|at| {
        let (index, head) = &heads[at];
        let reader = TensorReader::new(&sources[at], View::new(index, head));
        crate::Weights::of(&sources[at], &reader, &index.tensors()[0]).unwrap()
    });
    let sides = weights.each_ref().map(|one| Weighted::new(one, &importance, rows as u64, matrices as u64));
    let pair = Pair::of(&sides[0], &sides[1]).unwrap();
    let mut found = None;
    compare(&[pair], NonZeroUsize::MIN, &|_| {}, &mut |_, result| found = result.unwrap().relative());
    let of = |at: usize| f64::from(numbers[at / (row * rows) * row + at % row]);
    let sum = |of: &dyn Fn(usize) -> f64| (0..count).map(of).sum::<f64>();
    let errors = sum(&|at| of(at) * (f64::from(one[at]) - f64::from(two[at])).powi(2));
    let squares = sum(&|at| of(at) * f64::from(one[at]).powi(2));
    let expected = (errors / squares).sqrt();
    assert!((found.unwrap() / expected - 1.0).abs() < 1e-6, "{found:?} {expected}");
}
