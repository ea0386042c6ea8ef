//! Where the data section and each tensor lie.

use crate::rule::family;

family![tensor_offset_misaligned];
