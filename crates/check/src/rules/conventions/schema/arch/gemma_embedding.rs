//! EmbeddingGemma.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema { name: "gemma-embedding", ..super::gemma3::SCHEMA };
