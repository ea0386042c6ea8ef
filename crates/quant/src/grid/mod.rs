//! The codebooks of the IQ types: the points that an index of a block stands for.
//!
//! A codebook is data of the format, as much as the layout of a block is: ggml-common.h lists its points one by one
//! (33 KB as numbers), and no rule yields them, for they were picked by the statistics of real weights. They are held
//! here by what they do have in common. The points of a book are `D` digits long, each digit one of a few levels, and
//! they stand in ascending order of the number that the digits make, the first digit being the lowest. So a book is a
//! set, and a set of numbers is a row of bits: bit `k` says whether the `k`th possible point is in the book
//! (`points.rs`). The bits were taken from the answers of the reference decoder, one block per index, and
//! `tests/oracle` compares the decoders that use them.

pub(crate) mod iq1;
pub(crate) mod iq2;
pub(crate) mod iq3;
pub(crate) mod iq4;
pub(crate) mod lookup;
mod points;
pub(crate) mod signs;
