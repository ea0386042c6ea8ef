//! The vocabulary and what speaks of it.

use crate::rule::family;

family![];
