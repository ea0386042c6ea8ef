//! A head byte by byte: every field with its kind, its meaning and its value; the walk that a reader makes over it.
//!
//! Both are the one traversal of the format crate, [`View::fields`](ggufkit_format::View::fields), said in words. The
//! spans of the fields, and so of the steps, follow each other from the magic to the data section without a gap.

mod file;
mod kind;
mod note;
mod select;
mod steps;

pub use file::HexFile;
pub use kind::Kind;
pub use note::{Note, Notes, note};
pub use select::Select;
pub use steps::{Step, Steps, steps, steps_from};

#[cfg(test)]
mod tests;
