//! What adapters, projectors, importance matrices and control vectors need.

mod mmproj;

use crate::rule::family;

family![
    general_type_mismatch,
    lora_key_missing,
    lora_pair_incomplete,
    lora_rank_mismatch,
    lora_tensor_unexpected,
    mmproj_encoder_missing,
    mmproj_projector_type_missing,
    mmproj_key_missing,
    imatrix_key_missing,
    imatrix_pair_incomplete,
    imatrix_shape_mismatch,
    control_vector_name,
    control_vector_shape,
    control_vector_layer_count,
    vocab_empty,
];
