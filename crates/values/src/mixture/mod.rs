//! Which type each tensor of a quantized model gets.
//!
//! A [`Mixture`] is what a name like `Q4_K_M` stands for: a base type, and more bits for the tensors where they count most. The
//! rules are those of llama.cpp's `llama-quantize`, held against it by `tests/oracle/quantize.py`; they look at names, at shapes
//! and at few numbers of the model ([`Facts`]), never at weights.
//!
//! * `table` has the mixtures; `rules` what they give to which part of a model; `shapes` what is done where a row does not fit.
//! * `parts` tells from its name what a tensor is for; `eligible` which tensors are quantized at all.
//! * [`choose`] puts these together, with what the user wishes ([`Wishes`]).
//! * [`recipe`] turns the types of a file into rules that can be applied to another one.
//!
//! Nothing here reads a file.

mod choose;
mod eligible;
mod facts;
mod parts;
mod pattern;
pub mod recipe;
mod rules;
mod shapes;
mod table;

pub use choose::{Choice, Refusal, Why, Wishes, choose, in_order, needs_importance};
pub use facts::{Facts, Shape};
pub use pattern::{Pattern, PatternError, Rule, RuleError};
pub use table::{MIXTURES, Mixture};
