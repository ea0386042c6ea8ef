use ggufkit_format::{layout, shorten};

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A tensor has more elements than 63 bits can count.
    ///
    /// Each dimension is in range, and their product is not. llama.cpp refuses the file, as it counts elements signed; a
    /// reader that multiplies without checking gets a small number instead, finds that the data is long enough for it, and
    /// then computes with the dimensions as they stand, far outside the tensor (CVE-2026-33298). gguf-py had that fault with
    /// dimensions whose product wraps to 4.
    ///
    /// No such tensor exists. The head was damaged, or made to attack readers: compare the file with its publisher's checksum
    /// and fetch it again.
    GG312 "elements-overflow" Tensors Error: "a tensor's number of elements does not fit in 63 bits"
        "张量的元素数超出 63 位"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for row in facts.rows() {
        let dims = row.dims();
        let fits = layout::element_count(dims).is_some_and(|count| i64::try_from(count).is_ok());
        // Where a single dimension is too large, that is the fault.
        if fits || dims.iter().any(|dim| i64::try_from(*dim).is_err()) {
            continue;
        }
        sink.add(&RULE, || {
            let name = shorten(row.name(), 80);
            let message = format!("the number of elements of the tensor \"{name}\" does not fit in 63 bits");
            let product = dims.iter().take(8).map(u64::to_string).collect::<Vec<_>>().join(" x ");
            let more = if dims.len() > 8 { " x ..." } else { "" };
            Finding::new(&RULE, message, row.shape_label().text(format!("{product}{more}")))
                .note("llama.cpp refuses the file; readers that do not check the product read outside the tensor")
                .help("compare the file with its publisher's checksum, and fetch it again")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("w", &[4_194_305, 4_194_305, 211_106_198_978_564])).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("w", &[1 << 31, 1 << 31])).tensor(Tensor::f32("v", &[1 << 62, 4, 0])).into()
}

#[cfg(test)]
mod tests {
    use ggufkit_testkit::{Builder, Tensor};

    use crate::testing::Recipe;

    #[test]
    fn the_limit_is_that_of_a_signed_count() {
        let speaks = |dims: &[u64]| {
            Recipe::from(Builder::new().tensor(Tensor::f32("w", dims))).spoken().contains("elements-overflow")
        };
        assert!(speaks(&[1 << 32, 1 << 31]), "2^63");
        assert!(!speaks(&[(1 << 32) - 1, 1 << 31]), "2^63 - 2^31");
        assert!(!speaks(&[u64::MAX, 2]), "spoken about by another rule");
    }
}
