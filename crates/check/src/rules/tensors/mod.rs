//! Records of the tensor table.

use crate::rule::family;

family![];
