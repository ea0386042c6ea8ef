//! ERNIE 4.5, dense.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema { name: "ernie4_5", ..super::internlm2::SCHEMA };
