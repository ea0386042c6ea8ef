//! Whether it is certain where the data of a file begins.
//!
//! That hangs on the alignment. Where the key that gives it is written as no loader reads it, or the tensors are packed to
//! another alignment than the one that is declared, whoever wrote the file may have begun the data elsewhere. A reader takes
//! the place that follows from the file; who moves the data has to know.

use crate::extents::{Extent, is_packed};
use crate::layout::{self, DEFAULT_ALIGNMENT};
use crate::span::Span;
use crate::spec::ValueType;
use crate::view::View;

/// The key that gives the alignment.
const ALIGNMENT: &[u8] = b"general.alignment";

/// Why it is not certain where the data begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doubt {
    /// A key-value gives the alignment as no loader reads it, or again: its bytes.
    Key(Span),
    /// The tensors are packed to this alignment, by which the data would begin elsewhere.
    Packed(u64),
}

/// The lengths that decide where data can begin.
#[derive(Clone, Copy, Debug)]
pub struct Lengths {
    /// From the first byte of the data to its last, without padding.
    pub data: u64,
    /// The whole source.
    pub source: u64,
}

/// Whether the data of a file may begin elsewhere than its alignment says. `extents` are its tensors by their offsets.
/// It is of no matter where all alignments that may be meant lead to the same place, and settled where the data ends with
/// the file from one place only, the one that is taken. `mends_keys`: a key with something around it begins to count.
#[must_use]
pub fn doubt(view: &View<'_>, extents: &[Extent], lengths: Lengths, mends_keys: bool) -> Option<Doubt> {
    let index = view.index();
    index.data_start().filter(|_| !index.tensors().is_empty())?;
    let base = index.header().base;
    let head = index.head_end().saturating_sub(base);
    let size = lengths.source.saturating_sub(base);
    let begins = |alignment: u64| layout::align_up(head, alignment);
    let fits = |alignment: u64| {
        let end = begins(alignment).and_then(|start| start.checked_add(lengths.data));
        end == Some(size) || end.and_then(|end| layout::align_up(end, alignment)) == Some(size)
    };
    let taken = index.alignment();
    for (key, kv) in view.kvs() {
        let bare = key.0.strip_prefix("\u{feff}".as_bytes()).unwrap_or(key.0);
        let end = bare.iter().rposition(|byte| *byte != 0).map_or(0, |at| at.saturating_add(1));
        if bare.get(..end) != Some(ALIGNMENT) {
            continue;
        }
        let value = view.value(kv).as_u64().filter(|value| *value > 0);
        let plain = key.0 == ALIGNMENT && kv.value_type == ValueType::UINT32;
        let meant = [value, (!plain).then_some(DEFAULT_ALIGNMENT)].into_iter().flatten();
        let others = || meant.clone().filter(|other| begins(*other) != begins(taken));
        let counts_anew = key.0 != ALIGNMENT && mends_keys;
        if others().next().is_some() && (counts_anew || !fits(taken) || others().any(fits)) {
            return Some(Doubt::Key(kv.span));
        }
    }
    let packed = is_packed(extents, taken);
    if packed && taken.is_power_of_two() {
        return None;
    }
    let powers = (0..=20_u32).rev().filter_map(|n| 1_u64.checked_shl(n));
    let others = powers.filter(|other| begins(*other) != begins(taken) && is_packed(extents, *other));
    let (mut first, mut other_fits) = (None, None);
    for other in others {
        first = first.or(Some(other));
        other_fits = other_fits.or(Some(other).filter(|other| fits(*other)));
    }
    // What no loader takes for an alignment and fits the offsets may be a slip for one that fits the file as well.
    let open = if packed {
        other_fits.filter(|_| !fits(taken))
    } else {
        other_fits.or(first.filter(|_| !fits(taken)))
    };
    open.map(Doubt::Packed)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use ggufkit_testkit::{Builder, Tensor};

    use super::*;
    use crate::extents::Extents;
    use crate::{Options, parse};

    /// A file whose head ends where the alignments 16, 32 and 64 each lead elsewhere: laid out to one, declaring another.
    fn file(declared: u32, laid_out: u64) -> Vec<u8> {
        let file = |fill: usize| {
            let file = Builder::new().kv("general.alignment", declared).kv("pad", "x".repeat(fill));
            let file = file.layout_alignment(laid_out);
            file.tensor(Tensor::f32("a", &[3])).tensor(Tensor::f32("b", &[3]))
        };
        let head = |fill: usize| file(fill).build().span("head").end();
        let fill = (0..64).find(|fill| (1..=16).contains(&(head(*fill) % 64))).expect("one of 64 does");
        file(fill).bytes()
    }

    fn of(bytes: &[u8], source: u64) -> Option<Doubt> {
        let index = parse(bytes, Options::new()).into_result().expect("a sound head");
        let extents = Extents::of(&index);
        let lengths = Lengths { data: extents.known_end(), source };
        doubt(&View::new(&index, bytes), extents.as_slice(), lengths, false)
    }

    #[test]
    fn another_packing_than_the_declared_one_leaves_the_start_open() {
        for alignment in [16_u32, 32, 64] {
            let bytes = file(alignment, alignment.into());
            assert_eq!(of(&bytes, bytes.len() as u64), None, "as declared: {alignment}");
            assert_eq!(of(&bytes, bytes.len() as u64 + 5), None, "bytes behind the data are no doubt");
        }
        for (declared, laid_out) in [(33, 32), (33, 16), (64, 32), (32, 64), (16, 64)] {
            let bytes = file(declared, laid_out);
            assert_eq!(
                of(&bytes, bytes.len() as u64),
                Some(Doubt::Packed(laid_out)),
                "{declared} is said, {laid_out} is meant"
            );
        }
    }
}
