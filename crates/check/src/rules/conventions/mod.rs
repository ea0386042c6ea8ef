//! What an architecture needs: keys, shapes, tensors.

use crate::rule::family;

family![];
