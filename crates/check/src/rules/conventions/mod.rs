//! What an architecture needs: keys, shapes, tensors.

mod layers;
mod names;
mod schema;
#[cfg(test)]
mod tiny;

use crate::rule::family;

family![
    architecture_empty,
    architecture_unknown,
    architecture_prefix_mismatch,
    required_key_missing,
    block_count_zero,
    block_count_out_of_range,
    block_count_mismatch,
    head_count_mismatch,
    head_count_kv_mismatch,
    expert_count_range,
    per_layer_array_length,
    rope_dimension_mismatch,
    tensor_missing,
    tensor_unexpected,
    shape_mismatch,
    vocab_rows_mismatch,
    quantization_version_missing,
    quantization_version_unknown,
    file_type_mismatch,
    size_label_mismatch,
    file_name_mismatch,
];
