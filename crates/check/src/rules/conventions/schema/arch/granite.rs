//! Granite, dense.

use super::prelude::*;

pub(super) const SCHEMA: Schema =
    Schema { name: "granite", keys: &[RMS, "logit_scale"], ..super::llama::SCHEMA };
