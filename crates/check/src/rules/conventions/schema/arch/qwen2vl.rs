//! The language model of Qwen 2 VL and 2.5 VL.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema { name: "qwen2vl", ..super::qwen2::SCHEMA };
