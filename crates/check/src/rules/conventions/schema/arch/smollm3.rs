//! SmolLM3: llama, some layers without rotary embedding.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema { name: "smollm3", ..super::internlm2::SCHEMA };
