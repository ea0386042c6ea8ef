//! Baichuan.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema { name: "baichuan", ..super::internlm2::SCHEMA };
