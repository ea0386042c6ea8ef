//! EXAONE 3.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema { name: "exaone", ..super::internlm2::SCHEMA };
