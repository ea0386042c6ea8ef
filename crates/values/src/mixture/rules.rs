//! What the mixtures give to which part of a model, as tables.
//!
//! Of each part the first row counts that names the mixture and whose conditions all hold; where none does, the base type
//! stays. Layers are counted: a tensor's place among those of its part, in the order of layers and names.

use ggufkit_format::spec::TensorType;
use ggufkit_format::spec::TensorType as T;

use super::facts::{Facts, Shape};
use super::parts::{Part, contains};
use super::shapes::fits;
use super::table::Mixture;

/// When a row counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum When {
    /// At least four query heads share a head of keys and values.
    Shared,
    /// That, or at least four experts.
    SharedOrExperts,
    /// Exactly eight experts.
    Eight,
    /// Any other number.
    NotEight,
    /// The architecture is `falcon`.
    Falcon,
    /// It is another one.
    NotFalcon,
    /// Among the first so many.
    First(u64),
    /// Among the first of so many parts of all layers.
    Share(u64),
    /// The first and the last eighth, and every third between.
    Spread,
    /// Neither the first nor the last eighth.
    Middle,
    /// There is an importance matrix.
    Importance,
    /// There is none.
    NoImportance,
}

use When::{
    Eight, Falcon, First, Importance, Middle, NoImportance, NotEight, NotFalcon, Share, Shared,
    SharedOrExperts, Spread,
};

/// The mixtures, when, and the type.
type Row = (&'static [&'static str], &'static [When], TensorType);

/// Mixtures of so few bits that everything but the feed-forward layers is spared.
const LOWEST: &[&str] = &["IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ2_M", "IQ1_S", "IQ1_M"];

const IQ2_LARGE: &[&str] = &["IQ2_S", "IQ2_M"];

/// The output, and the embedding where it is the output as well; [`head`] has what comes before and behind.
const HEAD: &[Row] = &[(&["IQ2_XXS", "IQ2_XS", "IQ3_XXS", "IQ1_S", "IQ2_S", "IQ2_M", "IQ1_M"], &[], T::Q5_K)];

const EMBEDDING: &[Row] = &[
    (&["IQ2_XXS", "IQ2_XS", "IQ1_S", "IQ1_M"], &[], T::Q2_K),
    (&["IQ2_S", "IQ2_M", "IQ3_XXS"], &[], T::IQ3_S),
    (&["TQ1_0", "TQ2_0", "Q2_0"], &[], T::Q4_K),
];

const VALUES: &[Row] = &[
    (LOWEST, &[SharedOrExperts], T::Q4_K),
    (IQ2_LARGE, &[], T::IQ3_S),
    (LOWEST, &[], T::Q2_K),
    (&["Q2_K", "Q2_K_S", "IQ3_XXS", "IQ3_XS", "IQ3_S"], &[Shared], T::Q4_K),
    (&["Q2_K"], &[], T::Q3_K),
    (&["IQ3_XXS"], &[NoImportance], T::IQ3_S),
    (&["IQ3_M"], &[], T::Q4_K),
    (&["Q3_K_M"], &[First(2)], T::Q5_K),
    (&["Q3_K_M"], &[], T::Q4_K),
    (&["Q3_K_L"], &[], T::Q5_K),
    (&["IQ4_NL", "IQ4_XS"], &[Shared], T::Q5_K),
    (&["Q4_K_M", "Q5_K_M"], &[Spread], T::Q6_K),
    (&["Q4_K_S"], &[First(4)], T::Q5_K),
];

const QUERIES: &[Row] = &[(&["IQ3_XS"], &[], T::IQ3_XXS), (&["IQ3_XXS"], &[], T::IQ2_S)];

const DOWN: &[Row] = &[
    (IQ2_LARGE, &[Share(8)], T::IQ3_S),
    (LOWEST, &[Share(8)], T::Q2_K),
    (&["Q2_K"], &[], T::Q3_K),
    (&["Q2_K_S"], &[Share(8)], T::Q4_K),
    (&["IQ3_XXS"], &[NoImportance, Share(8)], T::Q4_K),
    (&["IQ3_XXS"], &[NoImportance], T::Q3_K),
    (&["Q3_K_M"], &[Share(16)], T::Q5_K),
    (&["Q3_K_M"], &[NotFalcon], T::Q4_K),
    (&["Q3_K_M"], &[Spread], T::Q4_K),
    (&["IQ3_M"], &[Share(8)], T::Q4_K),
    (&["IQ3_M"], &[Eight, Spread], T::Q4_K),
    (&["Q3_K_L"], &[Falcon], T::Q4_K),
    (&["Q3_K_L"], &[], T::Q5_K),
    (&["Q4_K_M"], &[Falcon, Share(16)], T::Q6_K),
    (&["Q4_K_M"], &[Falcon, Spread], T::Q5_K),
    (&["Q4_K_M"], &[NotFalcon, Spread], T::Q6_K),
    (&["IQ4_NL", "IQ4_XS"], &[Share(8), NoImportance], T::Q5_K),
    (&["Q5_K_M"], &[Spread], T::Q6_K),
    (&["Q4_K_S"], &[NotFalcon, Share(8)], T::Q5_K),
    // The first layers can go astray with these, importance or not; those without importance are left as they always were.
    (&["Q4_0"], &[Importance, Share(8)], T::Q4_1),
    (&["Q5_0"], &[Importance, Share(8)], T::Q5_1),
];

const ATTENTION_OUTPUT: &[Row] = &[
    (LOWEST, &[Eight], T::Q5_K),
    (&["IQ1_S", "IQ1_M"], &[], T::IQ2_XXS),
    (IQ2_LARGE, &[], T::IQ3_S),
    (&["Q3_K_L"], &[Falcon], T::Q4_K),
    (
        &[
            "Q2_K", "IQ3_XS", "IQ3_XXS", "Q3_K_S", "Q3_K_M", "IQ4_NL", "Q4_K_S", "Q4_K_M", "IQ3_S", "IQ3_M",
            "IQ4_XS",
        ],
        &[NotFalcon, Eight],
        T::Q5_K,
    ),
    (&["Q2_K"], &[NotFalcon, NotEight], T::Q3_K),
    (&["IQ3_XXS"], &[NotFalcon, NotEight], T::IQ3_S),
    (&["Q3_K_M", "IQ3_M"], &[NotFalcon, NotEight], T::Q4_K),
    (&["Q3_K_L"], &[NotFalcon, NotEight], T::Q5_K),
];

const UP_AND_GATE: &[Row] = &[(&["IQ3_XS"], &[Middle], T::IQ3_XXS)];

/// Of one architecture: names whose tensors have at least this type, where they are not floats.
const AT_LEAST: &[(&str, &[&[u8]], TensorType)] =
    &[("glm5-next", &[b"attn_q_a", b"attn_q_b", b"nextn.eh_proj"], T::Q8_0)];

/// What the rules of a model are asked with: what does not change from tensor to tensor, and how many there were of each part.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    pub(super) mixture: Mixture,
    pub(super) facts: &'a Facts,
    /// There is no output: the embedding is it.
    pub(super) tied: bool,
    pub(super) importance: bool,
    /// All tensors of values.
    pub(super) values: u64,
    /// Those of each part that were asked about.
    pub(super) seen: Seen,
}

/// Tensors of each part so far.
#[derive(Debug, Default)]
pub(super) struct Seen {
    values: u64,
    down: u64,
    gate: u64,
    up: u64,
}

impl Asked<'_> {
    fn is(&self, names: &[&str]) -> bool {
        names.contains(&self.mixture.name)
    }

    /// The type for a tensor, in the order of all tensors. `output` is the one that was wished for the output.
    pub(super) fn give(&mut self, shape: &Shape<'_>, output: Option<TensorType>) -> TensorType {
        let (facts, base) = (self.facts, self.mixture.base);
        let least = AT_LEAST.iter().find(|(architecture, words, _)| {
            facts.is(architecture) && words.iter().any(|word| contains(shape.name, word))
        });
        if let Some((.., ty)) = least {
            return *ty;
        }
        let part = Part::of(shape.name);
        if part == Part::Head || (self.tied && part == Part::Embedding) {
            return output.unwrap_or_else(|| self.head(shape));
        }
        if self.is(&["MXFP4_MOE"]) {
            return self.of_experts(shape, part);
        }
        let layers = facts.layers;
        let lowest = self.is(LOWEST);
        // Experts of some models are tensors of their own, in any order: there the name tells the layer.
        let layer = |seen: u64| if facts.experts > 1 { shape.layer().unwrap_or(seen) } else { seen };
        let (rows, at, of) = match part {
            Part::Embedding => (EMBEDDING, 0, 0),
            Part::Values => (VALUES, next(&mut self.seen.values), self.values),
            Part::Keys | Part::Queries => (QUERIES, 0, 0),
            Part::Down if lowest => (DOWN, next(&mut self.seen.down), layers),
            Part::Down => (DOWN, layer(next(&mut self.seen.down)), layers),
            Part::Gate => (UP_AND_GATE, layer(next(&mut self.seen.gate)), layers),
            Part::Up => (UP_AND_GATE, layer(next(&mut self.seen.up)), layers),
            Part::AttentionOutput => (ATTENTION_OUTPUT, 0, 0),
            Part::Head | Part::Other => return base,
        };
        let eight = facts.experts == 8;
        match part {
            // Of eight experts keys and values are a small part of the whole.
            Part::Values | Part::Keys if eight && !lowest => T::Q8_0,
            Part::Keys if eight => T::Q4_K,
            Part::Values => match self.of_rows(rows, at, of) {
                T::Q3_K | T::Q4_K if facts.is_70b && !lowest => T::Q5_K,
                ty => ty,
            },
            _ => self.of_rows(rows, at, of),
        }
    }

    fn of_rows(&self, rows: &[Row], at: u64, of: u64) -> TensorType {
        let holds = |when: &When| self.holds(*when, at, of);
        let row = rows.iter().find(|(mixtures, when, _)| self.is(mixtures) && when.iter().all(holds));
        row.map_or(self.mixture.base, |(.., ty)| *ty)
    }

    fn head(&self, shape: &Shape<'_>) -> TensorType {
        let base = self.mixture.base;
        if self.is(&["MXFP4_MOE"]) || self.facts.is("falcon") || !fits(base, shape.row()) {
            return T::Q8_0;
        }
        match self.of_rows(HEAD, 0, 0) {
            ty if ty == base && base != T::Q8_0 => T::Q6_K,
            ty => ty,
        }
    }

    /// Experts, and all that is beside them.
    fn of_experts(&self, shape: &Shape<'_>, part: Part) -> TensorType {
        // Other matrices come in threes there, too.
        let stacked = self.facts.is("bailingmoe3");
        let is_expert = !stacked || matches!(part, Part::Up | Part::Gate | Part::Down);
        if shape.matrices() > 1 && is_expert { T::MXFP4 } else { T::Q8_0 }
    }

    fn holds(&self, when: When, at: u64, of: u64) -> bool {
        let facts = self.facts;
        let first = of / 8;
        let last = of.saturating_mul(7) / 8;
        match when {
            Shared => facts.heads_per_kv >= 4,
            SharedOrExperts => facts.heads_per_kv >= 4 || facts.experts >= 4,
            Eight => facts.experts == 8,
            NotEight => facts.experts != 8,
            Falcon => facts.is("falcon"),
            NotFalcon => !facts.is("falcon"),
            First(n) => at < n,
            Share(n) => of.checked_div(n).is_some_and(|share| at < share),
            Spread => at < first || at >= last || at.saturating_sub(first) % 3 == 2,
            Middle => at >= first && at < last,
            Importance => self.importance,
            NoImportance => !self.importance,
        }
    }
}

/// The number of this one.
fn next(seen: &mut u64) -> u64 {
    let at = *seen;
    *seen = seen.saturating_add(1);
    at
}
