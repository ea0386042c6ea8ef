//! BLAKE3 of data whose pieces are hashed apart and in any order.
//!
//! BLAKE3 is a tree over chunks of 1024 bytes. A piece of a power of two of them, at a multiple of its length, is a
//! subtree of its own; what is above the pieces is made of their chaining values alone.

use blake3::hazmat::{ChainingValue, HasherExt as _, Mode, merge_subtrees_non_root, merge_subtrees_root};

use crate::{Algorithm, Digest};

/// Bytes of a piece.
pub(crate) const PIECE: u64 = 512 << 10;

/// What a piece comes to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Node {
    /// The piece is all there is.
    Root(Digest),
    /// It is one of several.
    Inner(ChainingValue),
}

/// Hashes the piece that begins at `offset`, a multiple of [`PIECE`], of data of `total` bytes.
pub(crate) fn piece(bytes: &[u8], offset: u64, total: u64) -> Node {
    if total <= PIECE {
        return Node::Root(Digest::new(Algorithm::Blake3, blake3::hash(bytes).as_bytes()));
    }
    Node::Inner(blake3::Hasher::new().set_input_offset(offset).update(bytes).finalize_non_root())
}

/// Puts the pieces of some data together, in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    pieces: Vec<ChainingValue>,
    root: Option<Digest>,
}

impl Tree {
    pub(crate) fn add(&mut self, node: Node) {
        match node {
            Node::Root(digest) => self.root = Some(digest),
            Node::Inner(value) => self.pieces.push(value),
        }
    }

    /// The digest; the tree is empty again.
    pub(crate) fn finish(&mut self) -> Option<Digest> {
        let Self { pieces, root } = std::mem::take(self);
        if root.is_some() {
            return root;
        }
        let (left, right) = pieces.split_at_checked(left(pieces.len())?)?;
        let hash = merge_subtrees_root(&merged(left)?, &merged(right)?, Mode::Hash);
        Some(Digest::new(Algorithm::Blake3, hash.as_bytes()))
    }
}

/// Pieces in the left half of a tree of several: the greatest power of two that leaves something to the right.
fn left(count: usize) -> Option<usize> {
    if count < 2 { None } else { count.div_ceil(2).checked_next_power_of_two() }
}

/// As deep as the count has bits.
fn merged(pieces: &[ChainingValue]) -> Option<ChainingValue> {
    if let [only] = pieces {
        return Some(*only);
    }
    let (left, right) = pieces.split_at_checked(left(pieces.len())?)?;
    Some(merge_subtrees_non_root(&merged(left)?, &merged(right)?, Mode::Hash))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_make_the_digest_of_the_whole() {
        let all: Vec<u8> = (0..PIECE * 7 + 5).map(|i| (i % 251) as u8).collect();
        let step = PIECE as usize;
        for len in [0, 1, step - 1, step, step + 1, 2 * step, 3 * step, 4 * step + 9, 7 * step, all.len()] {
            let (bytes, total) = (&all[..len], len as u64);
            let mut tree = Tree::default();
            if len == 0 {
                tree.add(piece(bytes, 0, 0));
            }
            for (n, part) in bytes.chunks(step).enumerate() {
                tree.add(piece(part, n as u64 * PIECE, total));
            }
            let plain = blake3::hash(bytes);
            assert_eq!(tree.finish().map(|d| d.to_string()), Some(plain.to_hex().to_string()), "{len}");
        }
    }
}
