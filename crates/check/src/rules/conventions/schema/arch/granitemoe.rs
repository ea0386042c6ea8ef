//! Granite with experts.

use super::prelude::*;

pub(super) const SCHEMA: Schema =
    Schema { name: "granitemoe", keys: &[RMS, "logit_scale"], ..super::llama::SCHEMA };
