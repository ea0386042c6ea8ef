//! InternLM 2 and 2.5.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema { name: "internlm2", ..super::llama::SCHEMA };
