//! EXAONE 3.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema { name: "exaone", ..super::llama::SCHEMA };
