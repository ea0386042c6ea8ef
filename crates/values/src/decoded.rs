//! Values as floats of one type, as bytes that are read from beginning to end.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use ggufkit_format::ReadAt;
use ggufkit_format::spec::TensorType;
use ggufkit_io::map_many;

use crate::unit::UNIT;
use crate::{Memory, Weights};

/// Floats that values are written as.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Float {
    /// 32 bits.
    F32,
    /// 16 bits, IEEE 754's binary16.
    F16,
    /// 16 bits, the upper half of an `F32`.
    BF16,
}

impl Float {
    /// The type in GGUF.
    #[must_use]
    pub const fn tensor_type(self) -> TensorType {
        match self {
            Self::F32 => TensorType::F32,
            Self::F16 => TensorType::F16,
            Self::BF16 => TensorType::BF16,
        }
    }

    /// Bytes of a value.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        match self {
            Self::F32 => 4,
            Self::F16 | Self::BF16 => 2,
        }
    }
}

/// The values of a tensor as little-endian floats of one type. A few units of a quarter million values are decoded at a time,
/// each by a thread.
#[derive(Debug)]
pub struct Decoded<'w, 's, S: ?Sized> {
    weights: &'w Weights<'s, S>,
    left: Range<u64>,
    to: Float,
    threads: NonZeroUsize,
    /// What was decoded, and how much of the first of it was given.
    ready: VecDeque<Slot>,
    given: usize,
    /// Memory that is used again.
    spare: Mutex<Vec<Slot>>,
}

/// A unit on its way: its bytes, and what they are made in.
#[derive(Debug, Default)]
struct Slot {
    out: Vec<u8>,
    halves: Vec<u16>,
    memory: Memory,
}

impl<'w, 's, S> Decoded<'w, 's, S>
where
    S: ReadAt<Error = io::Error> + Sync + ?Sized,
{
    /// The values of these elements, which begin and end at blocks.
    #[must_use]
    pub fn new(weights: &'w Weights<'s, S>, elements: Range<u64>, to: Float, threads: NonZeroUsize) -> Self {
        let (ready, spare) = (VecDeque::new(), Mutex::default());
        Self { weights, left: elements, to, threads, ready, given: 0, spare }
    }

    /// Decodes the next units.
    fn go_on(&mut self) -> io::Result<()> {
        let mut units = Vec::new();
        while units.len() < self.threads.get() && !self.left.is_empty() {
            let end = self.left.start.saturating_add(UNIT).min(self.left.end);
            units.push(self.left.start..end);
            self.left.start = end;
        }
        let (weights, to, spare) = (self.weights, self.to, &self.spare);
        let made = map_many(units.len(), self.threads, &|at| {
            let mut slot = spare.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
            match units.get(at) {
                Some(unit) => slot.decode(weights, unit.clone(), to).map(|()| slot),
                None => Ok(slot),
            }
        });
        for slot in made {
            self.ready.push_back(slot?);
        }
        Ok(())
    }
}

impl Slot {
    fn decode<S>(&mut self, weights: &Weights<'_, S>, range: Range<u64>, to: Float) -> io::Result<()>
    where
        S: ReadAt<Error = io::Error> + ?Sized,
    {
        let codec = weights.codec();
        let count = range.end.saturating_sub(range.start).saturating_mul(to.bytes());
        // A unit has few bytes.
        self.out.resize(usize::try_from(count).unwrap_or(0), 0);
        let mut rest = self.out.as_mut_slice();
        let mut stretches = weights.stretches(range, &mut self.memory);
        loop {
            let narrow = match to {
                Float::F32 => {
                    let Some(stretch) = stretches.next_stretch() else { return Ok(()) };
                    let values = stretch?.values;
                    let (here, behind) = split(rest, values.len().saturating_mul(4));
                    for (value, out) in values.iter().zip(here.as_chunks_mut().0) {
                        *out = value.to_le_bytes();
                    }
                    rest = behind;
                    continue;
                }
                Float::F16 => ggufkit_quant::Codec::decode_f16,
                Float::BF16 => ggufkit_quant::Codec::decode_bf16,
            };
            let Some(blocks) = stretches.next_blocks() else { return Ok(()) };
            let blocks = blocks?;
            let count = (blocks.len() / codec.block_bytes()).saturating_mul(codec.block_elements());
            self.halves.resize(count, 0);
            narrow(codec, blocks, &mut self.halves).map_err(io::Error::other)?;
            let (here, behind) = split(rest, count.saturating_mul(2));
            for (bits, out) in self.halves.iter().zip(here.as_chunks_mut().0) {
                *out = bits.to_le_bytes();
            }
            rest = behind;
        }
    }
}

/// So many bytes, and those behind them.
fn split(bytes: &mut [u8], len: usize) -> (&mut [u8], &mut [u8]) {
    bytes.split_at_mut(len.min(bytes.len()))
}

impl<S> Read for Decoded<'_, '_, S>
where
    S: ReadAt<Error = io::Error> + Sync + ?Sized,
{
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            let Some(first) = self.ready.front() else {
                if self.left.is_empty() {
                    return Ok(0);
                }
                self.go_on()?;
                continue;
            };
            let rest = first.out.get(self.given..).unwrap_or_default();
            if rest.is_empty() {
                let spare = self.spare.get_mut().unwrap_or_else(PoisonError::into_inner);
                spare.extend(self.ready.pop_front());
                self.given = 0;
                continue;
            }
            let most = rest.len().min(buf.len());
            let pair = buf.get_mut(..most).zip(rest.get(..most));
            pair.into_iter().for_each(|(into, from)| into.copy_from_slice(from));
            self.given = self.given.saturating_add(most);
            return Ok(most);
        }
    }
}
