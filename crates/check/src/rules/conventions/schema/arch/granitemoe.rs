//! Granite with experts.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema { name: "granitemoe", ..super::llama::SCHEMA };
