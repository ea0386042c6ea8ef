//! What a tensor that cannot be read to its end does to the others: nothing.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io;
use std::num::NonZeroUsize;

use ggufkit_format::{Options, ReadAt, View};
use ggufkit_io::{HeadBuffer, TensorReader};
use ggufkit_testkit::{Builder, Tensor};
use ggufkit_values::{Weights, stats};

/// A file of which the disk does not give every stretch.
struct Bad {
    bytes: Vec<u8>,
    from: u64,
    to: u64,
}

impl ReadAt for Bad {
    type Error = io::Error;

    fn size(&self) -> Option<u64> {
        Some(self.bytes.len() as u64)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        if offset < self.to && offset + buffer.len() as u64 > self.from {
            return Err(io::Error::other("a bad sector"));
        }
        let there = self.bytes.get(offset as usize..).unwrap_or_default();
        let len = there.len().min(buffer.len());
        buffer[..len].copy_from_slice(&there[..len]);
        Ok(len)
    }
}

#[test]
fn a_tensor_that_ends_in_an_error_leaves_no_counts_to_the_next() {
    // Two readings long; the second fails.
    let long: Vec<u8> = (0..200_000).flat_map(|_| 3.0_f32.to_le_bytes()).collect();
    let short: Vec<u8> = [1.0_f32, -2.0].iter().flat_map(|value| value.to_le_bytes()).collect();
    let bytes = Builder::new()
        .kv("general.architecture", "toy")
        .tensor(Tensor::f32("long", &[200_000]).data(long))
        .tensor(Tensor::f32("short", &[2]).data(short))
        .bytes();
    let mut buffer = HeadBuffer::new();
    let whole = Bad { bytes, from: 0, to: 0 };
    let index = buffer.read(&whole, Options::new()).unwrap().into_result().unwrap();
    let start = index.data_start().unwrap();
    let source = Bad { from: start + 700_000, to: start + 790_000, ..whole };
    let reader = TensorReader::new(&source, View::new(&index, buffer.bytes()));
    let weights: Vec<_> =
        index.tensors().iter().map(|tensor| Weights::of(&source, &reader, tensor).unwrap()).collect();
    let mut found = Vec::new();
    stats::stats(&weights, stats::Detail::Full, NonZeroUsize::MIN, &|_| {}, &mut |_, result| {
        found.push(result)
    });
    assert_eq!(found[0].as_ref().unwrap_err().to_string(), "a bad sector");
    let bins = found[1].as_ref().unwrap().histogram.bins();
    let counted: Vec<_> = bins.map(|(_, high, count)| (high <= 0.0, count)).collect();
    assert_eq!(counted, [(true, 1), (false, 1)]);
}
