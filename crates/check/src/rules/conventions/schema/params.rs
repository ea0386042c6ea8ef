//! The hyperparameters of a model, and dimensions computed from them the way loaders do.

use ggufkit_format::{ArrayRef, Value};
use ggufkit_inspect::is_integer;

use super::{Dim, full_key};
use crate::facts::Facts;

/// A number, or one for each layer.
#[derive(Clone, Copy)]
enum Number<'a> {
    Absent,
    One(u64),
    Layers(ArrayRef<'a>),
    /// Something that is no number.
    Odd,
}

impl<'a> Number<'a> {
    fn of(value: Option<Value<'a>>) -> Self {
        match value {
            None => Self::Absent,
            Some(Value::Array(array)) if is_integer(array.element_type()) => Self::Layers(array),
            Some(value) => value.as_u64().map_or(Self::Odd, Self::One),
        }
    }

    fn at(self, layer: u64) -> Option<u64> {
        match self {
            Self::One(n) => Some(n),
            Self::Layers(array) => array.get(layer)?.as_u64(),
            Self::Absent | Self::Odd => None,
        }
    }
}

/// The hyperparameters.
pub(crate) struct Params<'f, 'a> {
    facts: &'f Facts<'a>,
    arch: &'a str,
    embd: Option<u64>,
    heads: Number<'a>,
    heads_kv: Number<'a>,
    ff: Number<'a>,
    ff_exp: Number<'a>,
    key_length: Number<'a>,
    value_length: Number<'a>,
}

impl<'f, 'a> Params<'f, 'a> {
    pub(crate) fn new(facts: &'f Facts<'a>, arch: &'a str) -> Self {
        let number = |suffix: &str| Number::of(facts.get(format!("{arch}.{suffix}")));
        Self {
            facts,
            arch,
            embd: facts.u64(format!("{arch}.embedding_length")),
            heads: number("attention.head_count"),
            heads_kv: number("attention.head_count_kv"),
            ff: number("feed_forward_length"),
            ff_exp: number("expert_feed_forward_length"),
            key_length: number("attention.key_length"),
            value_length: number("attention.value_length"),
        }
    }

    /// `attention.head_count` of a layer.
    pub(crate) fn heads(&self, layer: u64) -> Option<u64> {
        self.heads.at(layer)
    }

    /// `attention.head_count_kv` of a layer; where it is absent there are as many as heads.
    pub(crate) fn heads_kv(&self, layer: u64) -> Option<u64> {
        match self.heads_kv {
            Number::Absent => self.heads.at(layer),
            number => number.at(layer),
        }
    }

    /// Size of a head: what the key says, or embedding / heads of the first layer. Unknown where that leaves a rest.
    fn head(&self, stated: Number<'a>) -> Option<u64> {
        match stated {
            Number::Absent => {
                let (embd, heads) = (self.embd?, self.heads.at(0)?);
                // Models without attention say 0.
                if heads == 0 {
                    return Some(0);
                }
                (embd.checked_rem(heads)? == 0).then(|| embd.checked_div(heads)).flatten()
            }
            number => number.at(0),
        }
    }

    /// Size of a head's key.
    pub(crate) fn head_k(&self) -> Option<u64> {
        self.head(self.key_length)
    }

    /// A dimension in a layer (0 for tensors that belong to none), where its hyperparameters are known.
    pub(crate) fn size(&self, dim: &Dim, layer: u64) -> Option<u64> {
        let product = |a: Option<u64>, b: Option<u64>| a?.checked_mul(b?);
        match dim {
            Dim::Any | Dim::Vocab => None,
            Dim::N(n) => Some(*n),
            Dim::Embd => self.embd,
            Dim::Ff => self.ff.at(layer),
            Dim::FfExp => self.ff_exp.at(layer),
            Dim::Experts => self.number("expert_count"),
            Dim::Heads => self.heads(layer),
            Dim::Layers => {
                let nextn = self.number("nextn_predict_layers").unwrap_or(0);
                self.number("block_count").and_then(|count| count.checked_sub(nextn))
            }
            Dim::HeadK => self.head_k(),
            Dim::Q => product(self.heads(layer), self.head_k()),
            Dim::K => product(self.heads_kv(layer), self.head_k()),
            Dim::V => product(self.heads_kv(layer), self.head(self.value_length)),
            Dim::O => product(self.heads(layer), self.head(self.value_length)),
            Dim::Qkv => self.sum(&[Dim::Q, Dim::K, Dim::V], layer),
            Dim::Key(key) => self.number(key),
            Dim::HalfRope => {
                let turned = self.number("rope.dimension_count").or_else(|| self.head_k());
                turned.map(|n| n / 2)
            }
            Dim::MlaK => self.number("attention.key_length_mla").or_else(|| self.head_k()),
            Dim::MlaV => self.number("attention.value_length_mla").or_else(|| self.head(self.value_length)),
            Dim::FfShared => {
                let stated = self.number("expert_shared_feed_forward_length").filter(|&n| n > 0);
                stated.or_else(|| self.ff.at(layer))
            }
            Dim::Minus(dim, by) => {
                let (dim, by) = (self.size(dim, layer), self.size(by, layer));
                dim.zip(by).and_then(|(dim, by)| dim.checked_sub(by))
            }
            Dim::Product(dims) => {
                dims.iter().try_fold(1_u64, |all, dim| all.checked_mul(self.size(dim, layer)?))
            }
            Dim::Over(dim, by) => {
                let (dim, by) = (self.size(dim, layer), self.size(by, layer));
                dim.zip(by)
                    .and_then(|(dim, by)| (dim.checked_rem(by)? == 0).then(|| dim.checked_div(by)).flatten())
            }
            Dim::Times(n, dim) => product(Some(*n), self.size(dim, layer)),
            Dim::Sum(dims) => self.sum(dims, layer),
        }
    }

    fn sum(&self, dims: &[Dim], layer: u64) -> Option<u64> {
        dims.iter().try_fold(0_u64, |sum, dim| sum.checked_add(self.size(dim, layer)?))
    }

    /// Whether the metadata say something: `key`, `key>=8` or `key=text`, as [`Need`](super::Need) tells.
    pub(crate) fn says(&self, what: &str) -> bool {
        if let Some((key, least)) = what.split_once(">=") {
            return least.parse().is_ok_and(|least: u64| self.number(key).is_some_and(|n| n >= least));
        }
        match what.split_once('=') {
            Some((key, text)) => self.facts.str(full_key(self.arch, key)) == Some(text),
            None => self.number(what).is_some_and(|n| n > 0),
        }
    }

    fn number(&self, key: &str) -> Option<u64> {
        self.facts.u64(full_key(self.arch, key))
    }

    /// How a dimension comes about, in words: `embedding_length 4096`, `head_count_kv 8 × key_length 128`.
    pub(crate) fn words(&self, dim: &Dim, layer: u64) -> String {
        let n = |dim: &Dim| self.size(dim, layer).map_or_else(|| "?".to_owned(), |n| n.to_string());
        let kv = || self.heads_kv(layer).unwrap_or(0);
        let heads = || self.heads(layer).unwrap_or(0);
        let head = |stated| self.head(stated).unwrap_or(0);
        match dim {
            Dim::Any | Dim::Vocab => "any".to_owned(),
            Dim::N(n) => n.to_string(),
            Dim::Embd => format!("embedding_length {}", n(dim)),
            Dim::Ff => format!("feed_forward_length {}", n(dim)),
            Dim::FfExp => format!("expert_feed_forward_length {}", n(dim)),
            Dim::Experts => format!("expert_count {}", n(dim)),
            Dim::Layers => format!("block_count {}", n(dim)),
            Dim::Heads => format!("head_count {}", n(dim)),
            Dim::HeadK => format!("head size {}", n(dim)),
            Dim::Q => format!("head_count {} × head size {}", heads(), head(self.key_length)),
            Dim::K => format!("head_count_kv {} × head size {}", kv(), head(self.key_length)),
            Dim::V => format!("head_count_kv {} × value size {}", kv(), head(self.value_length)),
            Dim::O => format!("head_count {} × value size {}", heads(), head(self.value_length)),
            Dim::Qkv => format!("queries, keys and values together {}", n(dim)),
            Dim::Key(key) => format!("{key} {}", n(dim)),
            Dim::HalfRope => format!("half of what is turned {}", n(dim)),
            Dim::MlaK => format!("key_length_mla {}", n(dim)),
            Dim::MlaV => format!("value_length_mla {}", n(dim)),
            Dim::FfShared => format!("expert_shared_feed_forward_length {}", n(dim)),
            Dim::Minus(inner, by) => format!("{} - {}", self.words(inner, layer), self.words(by, layer)),
            Dim::Product(dims) => {
                dims.iter().map(|dim| self.words(dim, layer)).collect::<Vec<_>>().join(" × ")
            }
            Dim::Over(inner, by) => format!("{} / {}", self.words(inner, layer), self.words(by, layer)),
            Dim::Times(times, inner) => format!("{times} × {}", self.words(inner, layer)),
            Dim::Sum(dims) => dims.iter().map(|dim| self.words(dim, layer)).collect::<Vec<_>>().join(" + "),
        }
    }
}
