//! Keys and values, whatever they mean.

use crate::rule::family;

mod kinds;

pub(in crate::rules) use misspelt_key::misspelt;

family![
    empty_key,
    key_too_long,
    duplicate_key,
    key_charset,
    key_control_characters,
    key_utf8,
    nul_in_key,
    nul_in_value,
    bom_in_text,
    value_utf8,
    value_control_characters,
    odd_bool,
    nested_array,
    empty_array,
    non_finite_float,
    integer_width,
    float_width,
    value_type,
    negative_value,
    unknown_enum_value,
    file_type_guessed,
    general_type_unknown,
    deprecated_key,
    misspelt_key,
    reserved_key,
    arch_prefix_mismatch,
    missing_architecture,
    architecture_empty,
    architecture_type,
];
