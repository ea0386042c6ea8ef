//! What an architecture needs: keys, shapes, tensors.

mod layers;
mod names;
pub(crate) mod schema;

use crate::rule::family;

family![
    architecture_unknown,
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
    nextn_layers_mismatch,
];

/// Whether all that the model's architecture needs is known here; `None` for a file that is no whole model.
pub(super) fn is_described(facts: &crate::facts::Facts<'_>) -> Option<bool> {
    let name = layers::model_architecture(facts).filter(|name| layers::is_whole(facts, name))?;
    let schema = schema::Schema::find(name).filter(|schema| schema.coverage == schema::Coverage::Complete);
    // How loaders treat layers that predict further tokens differs, where an architecture has them.
    Some(schema.is_some_and(|schema| !schema.may_predict() || layers::nextn(facts) == 0))
}
