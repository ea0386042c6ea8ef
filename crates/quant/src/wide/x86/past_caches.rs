//! Stores that write past the caches. Every processor of 64 bits has them (SSE2).
//!
//! Only a line that is written whole is not read before. So what ends in the middle of a line waits in front of what is made next.
#![allow(unsafe_code, reason = "stores that the language has no word for")]

use std::arch::x86_64::*;

use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::wide::WAITING;

/// A line of the caches.
#[repr(C, align(64))]
struct Line([[u8; STORE]; 4]);

/// Bytes of a line.
const LINE: usize = size_of::<Line>();
/// Bytes of one store.
const STORE: usize = size_of::<__m128i>();

/// See [`wide::fill_past_caches`](crate::wide::fill_past_caches).
pub(in super::super) fn fill_past_caches<T: Copy + Immutable + IntoBytes + FromBytes>(
    out: &mut [T],
    memory: &mut [T],
    mut make: impl FnMut(&mut [T]),
) {
    let mut left = out.len();
    // SAFETY: any bytes are a line.
    let (mut before, lines, behind) = unsafe { out.as_mut_bytes().align_to_mut::<Line>() };
    let mut lines = Lines(lines.iter_mut());
    let start = size_of::<T>().saturating_mul(WAITING);
    let mut waiting = 0;
    while left > 0 {
        let stretch = memory.get_mut(WAITING..).unwrap_or_default();
        let count = stretch.len().min(left);
        make(stretch.get_mut(..count).unwrap_or_default());
        left = left.saturating_sub(count);
        let end = start.saturating_add(count.saturating_mul(size_of::<T>()));
        let bytes = memory.as_mut_bytes();
        let made = bytes.get(start.saturating_sub(waiting)..end).unwrap_or_default();
        // What stands in front of the first line is written as usual.
        let (first, made) = made.split_at(before.len().min(made.len()));
        let (to, rest) = std::mem::take(&mut before).split_at_mut(first.len());
        to.copy_from_slice(first);
        before = rest;
        let (whole, rest) = made.as_chunks();
        lines.write(whole);
        waiting = rest.len();
        bytes.copy_within(end.saturating_sub(waiting)..end, start.saturating_sub(waiting));
    }
    let rest = memory.as_bytes().get(start.saturating_sub(waiting)..).unwrap_or_default();
    for (to, from) in behind.iter_mut().zip(rest) {
        *to = *from;
    }
}

/// Lines that are written past the caches, one after the other, until this is dropped: such stores come in no order, and whoever
/// looks at memory after a fence finds them done.
struct Lines<'a>(std::slice::IterMut<'a, Line>);

impl Lines<'_> {
    #[inline(always)]
    fn write(&mut self, from: &[[u8; LINE]]) {
        for (from, line) in from.iter().zip(&mut self.0) {
            for (from, to) in from.as_chunks::<STORE>().0.iter().zip(&mut line.0) {
                // SAFETY: both are as long as a register, and `to` begins at a multiple of its length, as lines do. Nobody else
                // may look at it before this is dropped, which fences.
                unsafe { _mm_stream_si128(to.as_mut_ptr().cast(), _mm_loadu_si128(from.as_ptr().cast())) }
            }
        }
    }
}

impl Drop for Lines<'_> {
    fn drop(&mut self) {
        // SAFETY: every processor of 64 bits has this instruction.
        unsafe { _mm_sfence() }
    }
}
