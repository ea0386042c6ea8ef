//! The file as a container: magic, version, counts, truncation, what stands behind the data.

use crate::rule::family;

family![unexpected_end];
