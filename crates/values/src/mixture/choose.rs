//! From a mixture, the facts of a model and what the user wishes to the type of each tensor.

use std::cmp::Ordering;
use std::fmt;

use ggufkit_format::shorten;
use ggufkit_format::spec::TensorType;

use super::eligible::is_eligible;
use super::facts::{Facts, Shape};
use super::parts::Part;
use super::pattern::Rule;
use super::recipe::Recipe;
use super::rules::{Asked, Seen};
use super::shapes::{block, fits, fitting};
use super::table::Mixture;

/// What the user wishes beside the mixture.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// Types by name; the first that fits a name counts. They hold for what is quantized at all.
    pub rules: Vec<Rule>,
    /// The type of `output.weight`, or of the embedding that is used as such.
    pub output: Option<TensorType>,
    /// The type of the token embedding.
    pub embedding: Option<TensorType>,
    /// `output.weight` keeps its type.
    pub leave_output: bool,
    /// No rules of the mixture: its base type everywhere.
    pub pure: bool,
    /// Nothing changes its type.
    pub copy: bool,
    /// A recipe: it holds for each tensor that it names, whatever that is.
    pub recipe: Option<Recipe>,
}

/// Why a tensor has its type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Why {
    /// It is none of those that are quantized.
    NotEligible,
    /// Nothing is changed, or no rule of the recipe names it.
    Kept,
    /// The mixture.
    Mixture,
    /// A rule of the user's, by its place in the list.
    Rule(usize),
    /// A rule of the recipe, by its place in it.
    Recipe(usize),
    /// What was wished for the output or the embedding.
    Wish,
    /// It was wished that it is left as it is.
    Left,
    /// Its rows do not fit the type that it was to have.
    Shape(TensorType),
}

impl Why {
    /// A short stable word.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotEligible => "not-eligible",
            Self::Kept => "kept",
            Self::Mixture => "mixture",
            Self::Rule(_) => "rule",
            Self::Recipe(_) => "recipe",
            Self::Wish | Self::Left => "option",
            Self::Shape(_) => "shape",
        }
    }
}

/// What a tensor is to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// Its type.
    pub tensor_type: TensorType,
    /// Why.
    pub why: Why,
}

/// Why a tensor cannot have a type that would be right.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Refusal {
    /// Rows of the tensor are no whole number of blocks, and there is no type in its place.
    Row {
        /// The tensor.
        name: Vec<u8>,
        /// Values of a row.
        row: u64,
        /// The type.
        tensor_type: TensorType,
    },
}

impl Refusal {
    /// The tensor that it is about.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        let Self::Row { name, .. } = self;
        name
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Row { name, row, tensor_type } = self;
        write!(
            f,
            "{}: rows of {row} values are no whole number of {tensor_type} blocks of {}, and no other type takes its place",
            shorten(name, 80),
            block(*tensor_type)
        )
    }
}

impl std::error::Error for Refusal {}

/// Chooses the type of every tensor; the values are in the order of `tensors`, refusals in the place of those that have none.
#[must_use]
pub fn choose(
    mixture: Option<Mixture>,
    facts: &Facts,
    wishes: &Wishes,
    importance: bool,
    tensors: &[Shape<'_>],
) -> Vec<Result<Choice, Refusal>> {
    if let Some(recipe) = &wishes.recipe {
        return tensors.iter().map(|shape| of_recipe(recipe, shape)).collect();
    }
    let Some(mixture) = mixture.filter(|_| !wishes.copy) else {
        return tensors.iter().map(|shape| Ok(kept(shape, Why::Kept))).collect();
    };
    let parts = || tensors.iter().map(|shape| Part::of(shape.name));
    let asked = Asked {
        mixture,
        facts,
        tied: !parts().any(|part| part == Part::Head),
        importance,
        values: parts().filter(|part| *part == Part::Values).count() as u64,
        seen: Seen::default(),
    };
    let mut chooser = Chooser { asked, wishes };
    let mut made: Vec<_> = tensors.iter().map(|shape| Ok(kept(shape, Why::Kept))).collect();
    // Rules count layers, so the order is part of what they say.
    for at in in_order(tensors) {
        if let (Some(shape), Some(slot)) = (tensors.get(at), made.get_mut(at)) {
            *slot = chooser.choose(shape);
        }
    }
    made
}

/// The places of tensors in the order in which `llama-quantize` takes and writes them: by layer, then by name; what belongs to no
/// layer first.
#[must_use]
pub fn in_order(tensors: &[Shape<'_>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..tensors.len()).collect();
    let key = |at: &usize| tensors.get(*at).map(|shape| (shape.layer(), shape.name));
    order.sort_by(|a, b| match (key(a), key(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => Ordering::Equal,
    });
    order
}

/// Whether a tensor would be of no use in this type without importance.
#[must_use]
pub fn needs_importance(name: &[u8], tensor_type: TensorType, mixture: Option<Mixture>) -> bool {
    type T = TensorType;
    let encoder = || ggufkit_quant::codec(tensor_type).is_some_and(|codec| codec.needs_importance());
    if matches!(Part::of(name), Part::Embedding | Part::Head) {
        return encoder();
    }
    match tensor_type {
        T::IQ3_XXS | T::IQ2_XXS | T::IQ2_XS | T::IQ2_S | T::IQ1_M | T::IQ1_S => true,
        T::Q2_K => mixture.is_some_and(|mixture| mixture.name == "Q2_K_S"),
        _ => encoder(),
    }
}

fn kept(shape: &Shape<'_>, why: Why) -> Choice {
    Choice { tensor_type: shape.tensor_type, why }
}

fn of_recipe(recipe: &Recipe, shape: &Shape<'_>) -> Result<Choice, Refusal> {
    match recipe.rule_of(shape.name) {
        Some((_, rule)) if rule.tensor_type == shape.tensor_type => Ok(kept(shape, Why::Kept)),
        Some((at, rule)) => fitted(shape, rule.tensor_type, Why::Recipe(at)),
        None => Ok(kept(shape, Why::Kept)),
    }
}

/// The type, or the one in its place.
fn fitted(shape: &Shape<'_>, ty: TensorType, why: Why) -> Result<Choice, Refusal> {
    match fitting(ty, shape.row()) {
        Some(tensor_type) if tensor_type == ty => Ok(Choice { tensor_type, why }),
        Some(tensor_type) => Ok(Choice { tensor_type, why: Why::Shape(ty) }),
        None => Err(Refusal::Row { name: shape.name.to_vec(), row: shape.row(), tensor_type: ty }),
    }
}

struct Chooser<'a> {
    asked: Asked<'a>,
    wishes: &'a Wishes,
}

impl Chooser<'_> {
    fn choose(&mut self, shape: &Shape<'_>) -> Result<Choice, Refusal> {
        let wishes = self.wishes;
        let part = Part::of(shape.name);
        if !is_eligible(self.asked.facts, shape) {
            return Ok(kept(shape, Why::NotEligible));
        }
        if wishes.leave_output && part == Part::Head {
            return Ok(kept(shape, Why::Left));
        }
        let named = || {
            let found = wishes.rules.iter().enumerate().find(|(_, rule)| rule.pattern.is_in(shape.name));
            found.map(|(at, rule)| (at, rule.tensor_type))
        };
        // The embedding per layer is a large table of its own: who names it means it.
        let own = || shape.name == b"per_layer_token_embd.weight" && named().is_some();
        let wish = match part {
            Part::Embedding => wishes.embedding.filter(|_| !own()),
            Part::Head => wishes.output,
            _ => None,
        };
        if let Some(ty) = wish {
            return exact(shape, ty, Why::Wish);
        }
        let mixture = self.asked.mixture;
        if !mixture.is_quantized() {
            return Ok(Choice { tensor_type: mixture.base, why: Why::Mixture });
        }
        match named() {
            Some((at, ty)) => fitted(shape, ty, Why::Rule(at)),
            None if wishes.pure => fitted(shape, mixture.base, Why::Mixture),
            None => fitted(shape, self.asked.give(shape, wishes.output), Why::Mixture),
        }
    }
}

/// The very type that was asked for, or none.
fn exact(shape: &Shape<'_>, ty: TensorType, why: Why) -> Result<Choice, Refusal> {
    if fits(ty, shape.row()) {
        return Ok(Choice { tensor_type: ty, why });
    }
    Err(Refusal::Row { name: shape.name.to_vec(), row: shape.row(), tensor_type: ty })
}
