//! Mistral 3 and Ministral 3: llama with a temperature of attention.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema { name: "mistral3", ..super::llama::SCHEMA };
