//! Chat templates: text that a program will run.

use crate::rule::family;

family![];
