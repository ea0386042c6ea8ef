//! XVERSE.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema { name: "xverse", ..super::internlm2::SCHEMA };
