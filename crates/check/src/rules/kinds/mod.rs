//! What adapters, projectors, importance matrices and control vectors need.

use crate::rule::family;

family![];
