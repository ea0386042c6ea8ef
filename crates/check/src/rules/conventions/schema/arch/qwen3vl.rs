//! The language model of Qwen 3 VL, dense.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema { name: "qwen3vl", ..super::qwen3::SCHEMA };
