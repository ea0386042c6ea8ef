//! The one order of all bytes that are hashed, cut into pieces of work.

use crate::tree::PIECE;

/// Tensors that are taken together at most.
const TOGETHER: usize = 4096;

/// Where the pieces are cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cut {
    /// At multiples of a piece's length in each large tensor; small ones are taken together, whole.
    Tensors,
    /// At multiples of a piece's length in all data as if it were one.
    Stream,
    /// Between tensors only.
    Whole,
}

/// A place in the order: a tensor, and bytes of it that lie before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct At {
    item: usize,
    offset: u64,
}

/// A piece of work: bytes of one tensor or of several in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    start: At,
    /// Behind the last byte; never behind the last byte of a tensor, which is the start of the next one.
    end: At,
    /// Bytes before it.
    pub(crate) position: u64,
    /// Bytes of it.
    pub(crate) bytes: u64,
}

/// The bytes of one tensor that a piece has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Segment {
    pub(crate) item: usize,
    /// Bytes of the tensor before it.
    pub(crate) offset: u64,
    pub(crate) len: u64,
    /// Whether the tensor ends with it.
    pub(crate) last: bool,
}

/// Cuts tensors of these lengths into pieces, in their order. Tensors without bytes belong to pieces, too.
pub(crate) fn pieces(lengths: &[u64], cut: Cut) -> impl Iterator<Item = Piece> {
    let mut at = At { item: 0, offset: 0 };
    let mut position = 0_u64;
    core::iter::from_fn(move || {
        let start = at;
        let mut bytes = 0_u64;
        while let Some(length) = lengths.get(at.item) {
            let left = length.saturating_sub(at.offset);
            let room = PIECE.saturating_sub(bytes);
            let take = match cut {
                Cut::Whole if at == start => left,
                Cut::Whole | Cut::Tensors if at != start && left > room => break,
                Cut::Whole => left,
                Cut::Tensors | Cut::Stream => left.min(room),
            };
            bytes = bytes.saturating_add(take);
            at = match take == left {
                true => At { item: at.item.saturating_add(1), offset: 0 },
                false => At { offset: at.offset.saturating_add(take), ..at },
            };
            // The end of a tensor that was cut is a piece of its own, so that the next one begins at its own beginning.
            let cut_tensor = cut == Cut::Tensors && *length > PIECE;
            let many = cut != Cut::Stream && at.item.saturating_sub(start.item) >= TOGETHER;
            if bytes >= PIECE || cut_tensor || many {
                break;
            }
        }
        let piece = Piece { start, end: at, position, bytes };
        position = position.saturating_add(bytes);
        (start != at).then_some(piece)
    })
}

impl Piece {
    /// What it has of each tensor, in order.
    pub(crate) fn segments(self, lengths: &[u64]) -> impl Iterator<Item = Segment> {
        let Self { start, end, .. } = self;
        (start.item..=end.item).filter_map(move |item| {
            if item == end.item && end.offset == 0 {
                return None;
            }
            let length = lengths.get(item).copied()?;
            let offset = if item == start.item { start.offset } else { 0 };
            let to = if item == end.item { end.offset } else { length };
            Some(Segment { item, offset, len: to.saturating_sub(offset), last: to == length })
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lengths() -> impl Strategy<Value = Vec<u64>> {
        let one = prop_oneof![Just(0), 1..100_u64, Just(PIECE), Just(PIECE - 1), PIECE..PIECE * 3];
        prop::collection::vec(one, 0..12)
    }

    proptest! {
        #[test]
        fn pieces_are_all_bytes_in_order_and_every_tensor_ends_once(lengths in lengths()) {
            for cut in [Cut::Tensors, Cut::Stream, Cut::Whole] {
                let (mut item, mut offset, mut position) = (0, 0, 0);
                for piece in pieces(&lengths, cut) {
                    prop_assert_eq!(piece.position, position);
                    prop_assert!(cut == Cut::Whole || piece.bytes <= PIECE);
                    prop_assert!(cut != Cut::Stream || position % PIECE == 0 || piece.bytes == 0);
                    let mut bytes = 0;
                    for segment in piece.segments(&lengths) {
                        prop_assert_eq!((segment.item, segment.offset), (item, offset));
                        prop_assert!(cut != Cut::Tensors || segment.offset % PIECE == 0);
                        if cut == Cut::Tensors && !segment.last {
                            prop_assert_eq!(segment.len, PIECE);
                        }
                        bytes += segment.len;
                        offset += segment.len;
                        if segment.last {
                            prop_assert_eq!(offset, lengths[item]);
                            (item, offset) = (item + 1, 0);
                        }
                    }
                    prop_assert_eq!(bytes, piece.bytes);
                    position += bytes;
                }
                prop_assert_eq!(item, lengths.len());
            }
        }
    }

    #[test]
    fn a_million_small_tensors_are_few_pieces() {
        let lengths = vec![0; 1 << 20];
        assert_eq!(pieces(&lengths, Cut::Tensors).count(), 256);
    }
}
