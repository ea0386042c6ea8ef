//! `stats` and `compare` beside the decoding of the same bytes, by as many threads: into a reused buffer for all values, and
//! stretch by stretch into a cache, where nobody could use them.

use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};

use ggufkit_format::spec::TensorType;
use ggufkit_format::{Options, ReadAt, View};
use ggufkit_io::{HeadBuffer, TensorReader};
use ggufkit_quant::Codec;
use ggufkit_values::compare::{Pair, compare};
use ggufkit_values::stats::{Detail, stats};
use ggufkit_values::{Memory, Weights};

use crate::memory::Pages;
use crate::timing::{Case, Clock, Taken, measure};

/// A file in memory, of such pages as what is decoded lies in.
struct File(Pages<u8>);

impl ReadAt for File {
    type Error = io::Error;
    fn size(&self) -> Option<u64> {
        Some(self.0.len() as u64)
    }
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let rest = self.0.get(offset as usize..).unwrap_or_default();
        let n = rest.len().min(buf.len());
        buf[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }
}

/// A file with one tensor.
fn file(ty: TensorType, elements: usize, data: &[u8]) -> File {
    let mut bytes = b"GGUF\x03\0\0\0".to_vec();
    bytes.extend(1_u64.to_le_bytes());
    bytes.extend(0_u64.to_le_bytes());
    bytes.extend(1_u64.to_le_bytes());
    bytes.extend(b"w");
    bytes.extend(1_u32.to_le_bytes());
    bytes.extend((elements as u64).to_le_bytes());
    bytes.extend(ty.0.to_le_bytes());
    bytes.extend(0_u64.to_le_bytes());
    bytes.resize(bytes.len().next_multiple_of(32), 0);
    let mut file = Pages::new((bytes.len() + data.len()).next_multiple_of(32), 0_u8);
    let (head, rest) = file.split_at_mut(bytes.len());
    head.copy_from_slice(&bytes);
    rest[..data.len()].copy_from_slice(data);
    File(file)
}

/// Elements that a thread takes at once, as the passes do.
const UNIT: usize = 1 << 18;

/// Decodes all values into memory, each thread its part.
fn whole(codec: &Codec, data: &[u8], out: &mut [f32], threads: NonZeroUsize) {
    let values = out.len().div_ceil(threads.get()).next_multiple_of(codec.block_elements());
    let bytes = values / codec.block_elements() * codec.block_bytes();
    std::thread::scope(|scope| {
        for (data, out) in data.chunks(bytes).zip(out.chunks_mut(values)) {
            scope.spawn(move || codec.decode(data, out));
        }
    });
}

/// Decodes all values, a stretch at a time, and looks at none.
fn bare(weights: &[&Weights<'_, File>], threads: NonZeroUsize) {
    let units = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads.get() {
            scope.spawn(|| {
                let mut memory = Memory::default();
                loop {
                    let start = (units.fetch_add(1, Ordering::Relaxed) * UNIT) as u64;
                    if start >= weights[0].elements() {
                        return;
                    }
                    for weights in weights {
                        let mut stretches = weights.stretches(start..start + UNIT as u64, &mut memory);
                        while let Some(stretch) = stretches.next_stretch() {
                            std::hint::black_box(stretch.map(|stretch| stretch.values.len()).unwrap_or(0));
                        }
                    }
                }
            });
        }
    });
}

/// Decoding of one tensor, statistics of one, comparison of two, and the decoding that is in these.
pub fn passes(codec: &Codec, data: &[u8], out: &mut [f32], threads: NonZeroUsize, rounds: usize) -> Result<Vec<Taken>, String> {
    let (ty, elements) = (codec.tensor_type(), out.len());
    let file = file(ty, elements, data);
    let mut buffer = HeadBuffer::new();
    let outcome = buffer.read(&file, Options::new()).map_err(|error| error.to_string())?;
    let index = outcome.index.ok_or("no index")?;
    let reader = TensorReader::new(&file, View::new(&index, buffer.bytes()));
    let tensor = index.tensors().first().ok_or("no tensor")?;
    let one = Weights::of(&file, &reader, tensor).map_err(|error| error.to_string())?;
    let two = Weights::of(&file, &reader, tensor).map_err(|error| error.to_string())?;
    let pairs = [Pair::of(&one, &two).map_err(|error| error.to_string())?];
    let only = std::slice::from_ref(&one);
    Ok(measure(
        vec![
            Case::new("decode", || whole(codec, data, out, threads)),
            Case::new("stats", || stats(only, Detail::Brief, threads, &|_| (), &mut |_, _| ())),
            Case::new("full stats", || stats(only, Detail::Full, threads, &|_| (), &mut |_, _| ())),
            Case::new("compare", || compare(&pairs, threads, &|_| (), &mut |_, _| ())),
            Case::new("stretches", || bare(&[&one], threads)),
            Case::new("stretches of both", || bare(&[&one, &two], threads)),
        ],
        rounds,
        Clock::Wall,
    ))
}
