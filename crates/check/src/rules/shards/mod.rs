//! Files of a split model.

use crate::rule::family;

family![];
