use ggufkit_format::layout::{self, SizeError};
use ggufkit_format::{AlignmentSource, shorten};

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A tensor's size in bytes does not fit in 64 bits, or does not when it is padded.
    ///
    /// The elements can be counted; times the size of their type, they cannot. A reader that multiplies without checking gets
    /// a few bytes for a tensor of exabytes, finds them in the file and hands out a tensor whose elements lie all over the
    /// address space; where only the rounding up to the alignment wraps, the size becomes 0 and the checks
    /// after it pass (CVE-2026-27940). llama.cpp refuses such files now.
    ///
    /// No such tensor exists. The head was damaged, or made to attack readers: fetch the file again from a source that is
    /// trusted.
    GG313 "bytes-overflow" Tensors Error: "a tensor's size in bytes does not fit in 64 bits"
        "张量的字节数超出 64 位"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for row in facts.rows() {
        let countable = |count: u64| i64::try_from(count).is_ok();
        let dims = row.dims();
        if !dims.iter().copied().all(countable) || !layout::element_count(dims).is_some_and(countable) {
            continue;
        }
        let alignment = row.view.index().alignment();
        let size = match layout::tensor_bytes(row.tensor.tensor_type, dims) {
            Err(SizeError::Overflow) => None,
            Ok(size) if layout::align_up(size, alignment).is_none() => Some(size),
            _ => continue,
        };
        sink.add(&RULE, || {
            let name = shorten(row.name(), 80);
            let ty = row.tensor.tensor_type;
            let message = match size {
                None => format!("the size of the tensor \"{name}\" does not fit in 64 bits"),
                Some(size) => format!("the size of the tensor \"{name}\", {size} bytes, cannot be padded in 64 bits"),
            };
            let elements = layout::element_count(dims).unwrap_or_default();
            let finding = Finding::new(&RULE, message, row.shape_label().text(format!("{elements} elements of {ty}")));
            let note = match size {
                None => "readers that do not check the product take the tensor for a small one, and read outside of it",
                Some(_) => "rounded up to the alignment the size wraps to 0, and later checks pass",
            };
            let finding = finding.note(note).help("fetch the file again from a source that is trusted");
            match (size, row.view.index().alignment_source()) {
                (Some(_), AlignmentSource::Default) => finding.note(format!("the alignment is {alignment}, the default")),
                (Some(_), _) => finding.note(format!("the alignment is {alignment}")),
                _ => finding,
            }
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("w", &[1152, (1 << 42) + 1, 1 << 10])).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("w", &[1152, (1 << 42) + 1])).into()
}

#[cfg(test)]
mod tests {
    use ggufkit_testkit::{Builder, Tensor};

    use crate::testing::Recipe;

    #[test]
    fn the_limit_is_that_of_the_padded_size() {
        let speaks = |ty: u32, dims: &[u64]| {
            Recipe::from(Builder::new().tensor(Tensor::new("w", ty, dims))).spoken().contains("bytes-overflow")
        };
        assert!(speaks(0, &[4, (1 << 30) - 1, (1 << 30) + 1]), "2^64 - 16, padded 2^64");
        assert!(speaks(0, &[1 << 62]), "2^64");
        assert!(!speaks(0, &[(1 << 62) - 8]), "2^64 - 32");
        assert!(!speaks(24, &[(1 << 63) - 1]), "2^63 - 1 bytes of I8");
    }
}
