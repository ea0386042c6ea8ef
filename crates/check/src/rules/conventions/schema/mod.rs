//! What architectures are made of, as data: one table per architecture in `arch/`.
//!
//! A [`Schema`] names the tensors of a model, each with its shape in terms of the hyperparameters; the keys that a loader
//! cannot do without are in the table that the configuration is made with (`ggufkit_inspect::config::required_keys`). Tables
//! hold facts only; what is said about a file that differs is said by the rules. How to add one is told in CONTRIBUTING.md.
//!
//! When in doubt a tensor is [`may`], a dimension is [`Dim::Any`] and a schema is [`Coverage::Partial`]: a wrong word about
//! a sound model is worse than silence about a broken one.

pub(crate) mod arch;
pub(crate) mod params;
mod rows;

pub(crate) use rows::ROUTER;

/// What an architecture is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schema {
    /// The value of `general.architecture`.
    pub(crate) name: &'static str,
    /// How much of it the table knows.
    pub(crate) coverage: Coverage,
    /// Tensors that occur once.
    pub(crate) globals: &'static [&'static [Row]],
    /// Its stacks of layers.
    pub(crate) stacks: &'static [Stack],
}

/// How much of an architecture a table knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Coverage {
    /// Every tensor that a loader takes is listed: others can be called unexpected.
    Complete,
    /// Only what is listed is looked at.
    Partial,
}

/// Layers that are alike.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stack {
    /// What stands before the number of the layer: `blk` in `blk.0.attn_q.weight`.
    pub(crate) prefix: &'static str,
    /// Suffixes of the keys that may count the layers; the first one that is there does.
    pub(crate) counts: &'static [&'static str],
    /// The tensors of a layer, without `blk.N.` in front.
    pub(crate) rows: &'static [&'static [Row]],
}

/// A tensor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// Its name; that of a tensor of a layer without the layer.
    pub(crate) name: &'static str,
    /// When it has to be there.
    pub(crate) need: Need,
    /// Its dimensions, the row length first. Empty: not looked at.
    pub(crate) shape: &'static [Dim],
}

/// When a tensor has to be there. Other tensors are those of the same layer. What is said is a condition on the number or
/// text behind `{arch}.` and a key: `key` (not 0), `key>=8`, `key=text`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Need {
    /// Always.
    Must,
    /// Never.
    May,
    /// Never; loaders look for it only where this one is there.
    MayWith(&'static str),
    /// Unless one of these is there.
    Unless(&'static [&'static str]),
    /// Where this one is there and none of those.
    With(&'static str, &'static [&'static str]),
    /// Where this is said; loaders do not look for it elsewhere.
    Where(&'static str),
    /// Where this is not said; loaders do not look for it elsewhere.
    WhereNot(&'static str),
    /// Never; loaders look for it only where this is said.
    MayWhere(&'static str),
    /// Never; loaders look for it only where this is not said.
    MayWhereNot(&'static str),
}

impl Need {
    /// Whether a tensor has to be there: `has` tells which others of its layer are, `says` what the metadata say.
    pub(crate) fn is_needed(self, has: impl Fn(&str) -> bool, says: impl Fn(&str) -> bool) -> bool {
        match self {
            Self::May | Self::MayWith(_) | Self::MayWhere(_) | Self::MayWhereNot(_) => false,
            Self::Must | Self::Unless(_) | Self::With(..) | Self::Where(_) | Self::WhereNot(_) => {
                self.is_asked(has, says)
            }
        }
    }

    /// Whether loaders look for it.
    pub(crate) fn is_asked(self, has: impl Fn(&str) -> bool, says: impl Fn(&str) -> bool) -> bool {
        match self {
            Self::Must | Self::May => true,
            Self::MayWith(other) => has(other),
            Self::Unless(others) => !others.iter().any(|other| has(other)),
            Self::With(other, others) => has(other) && !others.iter().any(|other| has(other)),
            Self::Where(what) | Self::MayWhere(what) => says(what),
            Self::WhereNot(what) | Self::MayWhereNot(what) => !says(what),
        }
    }
}

/// A dimension of a tensor. One whose hyperparameters are not known is not compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dim {
    /// Not compared.
    Any,
    /// This number.
    N(u64),
    /// `embedding_length`.
    Embd,
    /// Number of tokens; compared by a rule of its own.
    Vocab,
    /// `feed_forward_length`, of the layer where it is an array.
    Ff,
    /// `expert_feed_forward_length`, of the layer where it is an array.
    FfExp,
    /// `expert_count`.
    Experts,
    /// `attention.head_count`, of the layer where it is an array.
    Heads,
    /// `block_count` without the layers that predict further tokens.
    Layers,
    /// Size of a head's key and query: `attention.key_length`, or embedding / heads.
    HeadK,
    /// All heads' queries: heads × key size.
    Q,
    /// All heads' keys: KV heads × key size.
    K,
    /// All heads' values: KV heads × value size.
    V,
    /// What attention puts out: heads × value size.
    O,
    /// Queries, keys and values side by side.
    Qkv,
    /// The number behind `{arch}.` and this, or behind this where it begins with `tokenizer.`.
    Key(&'static str),
    /// Half of what is turned in a head: `rope.dimension_count`, or the size of a head.
    HalfRope,
    /// `attention.key_length_mla`, or the size of a head's key.
    MlaK,
    /// `attention.value_length_mla`, or the size of a head's value.
    MlaV,
    /// `expert_shared_feed_forward_length`, or `feed_forward_length`.
    FfShared,
    /// A difference.
    Minus(&'static Dim, &'static Dim),
    /// A product.
    Product(&'static [Dim]),
    /// A quotient without a rest.
    Over(&'static Dim, &'static Dim),
    /// A multiple.
    Times(u64, &'static Dim),
    /// A sum.
    Sum(&'static [Dim]),
}

/// The stack of nearly all architectures.
const fn blk(rows: &'static [&'static [Row]]) -> Stack {
    Stack { prefix: "blk", counts: &["block_count"], rows }
}

const fn must(name: &'static str, shape: &'static [Dim]) -> Row {
    Row { name, need: Need::Must, shape }
}

const fn may(name: &'static str, shape: &'static [Dim]) -> Row {
    Row { name, need: Need::May, shape }
}

const fn unless(others: &'static [&'static str], name: &'static str, shape: &'static [Dim]) -> Row {
    Row { name, need: Need::Unless(others), shape }
}

const fn may_with(other: &'static str, name: &'static str, shape: &'static [Dim]) -> Row {
    Row { name, need: Need::MayWith(other), shape }
}

const fn may_where(what: &'static str, name: &'static str, shape: &'static [Dim]) -> Row {
    Row { name, need: Need::MayWhere(what), shape }
}

const fn may_where_not(what: &'static str, name: &'static str, shape: &'static [Dim]) -> Row {
    Row { name, need: Need::MayWhereNot(what), shape }
}

const fn where_(key: &'static str, name: &'static str, shape: &'static [Dim]) -> Row {
    Row { name, need: Need::Where(key), shape }
}

const fn where_not(key: &'static str, name: &'static str, shape: &'static [Dim]) -> Row {
    Row { name, need: Need::WhereNot(key), shape }
}

const fn with(other: &'static str, name: &'static str, shape: &'static [Dim]) -> Row {
    Row { name, need: Need::With(other, &[]), shape }
}

impl Schema {
    /// The table of an architecture.
    pub(crate) fn find(name: &str) -> Option<&'static Self> {
        arch::ALL.iter().copied().find(|schema| schema.name == name)
    }

    /// Tensors that occur once.
    pub(crate) fn globals(&self) -> impl Iterator<Item = &'static Row> + use<> {
        self.globals.iter().flat_map(|group| group.iter())
    }

    /// Whether loaders may ask for layers that predict further tokens.
    pub(crate) fn may_predict(&self) -> bool {
        let listed = |stack: &Stack| stack.rows().any(|row| row.name.starts_with("nextn."));
        self.coverage == Coverage::Partial || self.stacks.iter().any(listed)
    }

    /// What the table has to do with a tensor of this name.
    pub(crate) fn place<'n>(&self, name: &'n [u8]) -> Option<Found<'n>> {
        for stack in self.stacks {
            let Some((layer, rest)) = stack.split(name) else { continue };
            return Some(Found { stack: Some((stack, layer)), row: find_row(stack.rows, rest), rest });
        }
        Some(Found { stack: None, row: find_row(self.globals, name), rest: name })
    }

    /// Whether a tensor is one that loaders of a [`Coverage::Complete`] architecture ask for: `has` tells which others of its
    /// layer are there, `says` what the metadata say. Scales of matrices pass.
    pub(crate) fn takes(
        &self,
        found: &Found<'_>,
        has: impl Fn(&str) -> bool,
        says: impl Fn(&str) -> bool,
    ) -> bool {
        let rows = found.stack.map_or(self.globals, |(stack, _)| stack.rows);
        let scaled = |row: &Row| {
            let of_blk = found.stack.is_none_or(|(stack, _)| stack.prefix == "blk");
            let stem = row.name.strip_suffix(".weight").filter(|stem| of_blk && SCALED.contains(stem));
            let rest = stem.and_then(|stem| found.rest.strip_prefix(stem.as_bytes()));
            rest.is_some_and(|rest| matches!(rest, b".scale" | b".input_scale"))
        };
        let mut rows = rows.iter().flat_map(|group| group.iter());
        rows.any(|row| (row.name.as_bytes() == found.rest || scaled(row)) && row.need.is_asked(&has, &says))
    }
}

/// Matrices that loaders look for scales of, whatever the architecture; those of the output only where it is NVFP4.
const SCALED: &[&str] = &[
    "attn_q",
    "attn_k",
    "attn_v",
    "attn_output",
    "attn_qkv",
    "attn_gate",
    "ffn_gate",
    "ffn_up",
    "ffn_down",
    "ffn_gate_shexp",
    "ffn_up_shexp",
    "ffn_down_shexp",
    "ffn_gate_exps",
    "ffn_up_exps",
    "ffn_down_exps",
    "ssm_in",
    "ssm_out",
    "ssm_alpha",
    "ssm_beta",
    "nextn.eh_proj",
    "nextn.shared_head_head",
    "output",
];

/// A tensor's place in a schema.
pub(crate) struct Found<'n> {
    /// Its stack and layer.
    pub(crate) stack: Option<(&'static Stack, u64)>,
    /// What the table says about it.
    pub(crate) row: Option<&'static Row>,
    /// Its name without the layer.
    pub(crate) rest: &'n [u8],
}

impl Stack {
    /// The layer of a tensor of this stack, and what follows in its name.
    pub(crate) fn split<'n>(&self, name: &'n [u8]) -> Option<(u64, &'n [u8])> {
        let rest = name.strip_prefix(self.prefix.as_bytes())?.strip_prefix(b".")?;
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = rest.split_at_checked(digits)?;
        let rest = rest.strip_prefix(b".")?;
        Some((core::str::from_utf8(number).ok()?.parse().ok()?, rest))
    }

    /// The tensors of a layer.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &'static Row> + use<> {
        self.rows.iter().flat_map(|group| group.iter())
    }

    /// The whole name of a tensor of a layer.
    pub(crate) fn name(&self, layer: u64, name: &str) -> String {
        format!("{}.{layer}.{name}", self.prefix)
    }
}

fn find_row(rows: &'static [&'static [Row]], name: &[u8]) -> Option<&'static Row> {
    rows.iter().flat_map(|group| group.iter()).find(|row| row.name.as_bytes() == name)
}

/// A key of a schema in full.
pub(crate) fn full_key(arch: &str, key: &str) -> String {
    if key.starts_with("tokenizer.") { key.to_owned() } else { format!("{arch}.{key}") }
}

#[cfg(test)]
mod published;
#[cfg(test)]
mod tests;
