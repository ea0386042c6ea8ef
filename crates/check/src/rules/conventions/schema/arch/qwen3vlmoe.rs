//! The language model of Qwen 3 VL with experts.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "qwen3vlmoe",
    keys: &[RMS, "rope.dimension_sections", "expert_count", "expert_used_count"],
    ..super::qwen3moe::SCHEMA
};
