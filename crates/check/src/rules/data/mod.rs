//! The values of the weights.

use crate::rule::family;

family![];
