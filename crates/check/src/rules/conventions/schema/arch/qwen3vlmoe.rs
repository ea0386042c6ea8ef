//! The language model of Qwen 3 VL with experts.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema { name: "qwen3vlmoe", ..super::qwen3moe::SCHEMA };
