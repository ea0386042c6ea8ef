//! Keys and values, whatever they mean.

use crate::rule::family;

family![duplicate_key];
