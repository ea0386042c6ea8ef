//! Records of the tensor table.

use crate::rule::family;

mod names;
mod recorded;

family![
    tensor_name_empty,
    tensor_name_too_long,
    tensor_name_duplicate,
    tensor_name_nul,
    tensor_name_equal_at_nul,
    tensor_name_utf8,
    tensor_name_control_characters,
    too_many_dims,
    scalar_tensor,
    empty_tensor,
    dim_negative,
    elements_overflow,
    bytes_overflow,
    block_misfit,
    tensor_type_removed,
    tensor_type_unknown,
    tensor_type_compute_only,
    orig_shape_mismatch,
    orig_shape_without_tensor,
    tensor_extra_mismatch,
];
