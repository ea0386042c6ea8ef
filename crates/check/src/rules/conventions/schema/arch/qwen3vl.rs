//! The language model of Qwen 3 VL, dense.

use super::prelude::*;

pub(super) const SCHEMA: Schema =
    Schema { name: "qwen3vl", keys: &[RMS, "rope.dimension_sections"], ..super::qwen3::SCHEMA };
