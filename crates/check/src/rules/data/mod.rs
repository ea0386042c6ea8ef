//! The values of the weights. These rules speak only when the data was scanned ([`crate::scan_data`]).

use crate::rule::family;

family![data_not_finite, scale_not_finite, data_all_zero, data_repeated, data_unreadable];

#[cfg(test)]
mod recipes {
    use ggufkit_testkit::{Builder, Tensor};

    /// A file with one tensor of this data.
    pub(super) fn one(type_id: u32, dims: &[u64], data: Vec<u8>) -> crate::testing::Recipe {
        let file = Builder::new().tensor(Tensor::new("blk.0.ffn_up.weight", type_id, dims).data(data));
        crate::testing::Recipe::from(file).scanned()
    }
}
