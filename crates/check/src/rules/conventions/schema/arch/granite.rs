//! Granite, dense.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema { name: "granite", ..super::llama::SCHEMA };
