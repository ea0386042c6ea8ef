//! MiniCPM 1 and 2: llama with scales.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema { name: "minicpm", ..super::llama::SCHEMA };
