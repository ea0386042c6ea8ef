//! The numbers of a model's shape, as they stand in the metadata.

use ggufkit_format::{Kv, Value, View, shorten};
use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};

use super::Facts;

use crate::model::type_label;
use crate::units;

/// Elements of a per-layer array that are looked at; no model has so many layers.
const MAX_LAYERS: usize = 1 << 16;

/// Longest name of an architecture whose keys are looked for.
const MAX_ARCHITECTURE: usize = 256;

/// A number of the metadata.
#[derive(Clone, PartialEq, Debug)]
pub enum Figure {
    /// One number.
    One(u64),
    /// A number for each layer. In JSON: `{"min": 0, "max": 8, "values": 32}`.
    Layers {
        /// The smallest.
        min: u64,
        /// The largest.
        max: u64,
        /// How many values there are.
        values: u64,
    },
    /// Something that is no such number. In JSON: `{"type": "string", "text": "32"}`.
    Odd {
        /// The type of the value.
        ty: String,
        /// What it holds, escaped and short.
        text: String,
    },
}

impl Figure {
    /// Reads the value of a key-value.
    #[must_use]
    pub fn of(view: &View<'_>, kv: &Kv) -> Self {
        let odd = |text| Self::Odd { ty: type_label(kv), text };
        let value = view.value(kv);
        if let Some(n) = value.as_u64() {
            return Self::One(n);
        }
        match value {
            Value::Scalar(scalar) => odd(units::scalar_text(scalar)),
            Value::String(text) => odd(shorten(text.0, 40)),
            Value::Array(array) => {
                let (mut min, mut max) = (u64::MAX, 0);
                for value in array.iter().take(MAX_LAYERS) {
                    // A pattern of layers is also written as bools.
                    let n = value.as_u64().or_else(|| value.as_bool().map(u64::from));
                    let Some(n) = n else { return odd(String::new()) };
                    (min, max) = (min.min(n), max.max(n));
                }
                if min > max { odd(String::new()) } else { Self::Layers { min, max, values: array.len() } }
            }
        }
    }

    /// The number, where it is one and the same for all layers.
    #[must_use]
    pub const fn single(&self) -> Option<u64> {
        match self {
            Self::One(n) => Some(*n),
            Self::Layers { min, max, .. } if *min == *max => Some(*min),
            _ => None,
        }
    }
}

impl Serialize for Figure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::One(n) => serializer.serialize_u64(*n),
            Self::Layers { min, max, values } => {
                let mut map = serializer.serialize_map(Some(3))?;
                map.serialize_entry("min", min)?;
                map.serialize_entry("max", max)?;
                map.serialize_entry("values", values)?;
                map.end()
            }
            Self::Odd { ty, text } => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("type", ty)?;
                map.serialize_entry("text", text)?;
                map.end()
            }
        }
    }
}

/// The shape of a model: values of `{architecture}.*`, each absent where the metadata lacks it.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Figures {
    /// `context_length`: tokens that the model was made for.
    pub context_length: Option<Figure>,
    /// `block_count`.
    pub layers: Option<Figure>,
    /// Number of different layers in tensor names `blk.N.…`; absent when there is none.
    pub layers_found: Option<u64>,
    /// `embedding_length`.
    pub embedding_length: Option<Figure>,
    /// `feed_forward_length`.
    pub feed_forward_length: Option<Figure>,
    /// `attention.head_count`.
    pub heads: Option<Figure>,
    /// `attention.head_count_kv`.
    pub kv_heads: Option<Figure>,
    /// `attention.key_length`.
    pub key_length: Option<Figure>,
    /// `attention.sliding_window`.
    pub sliding_window: Option<Figure>,
    /// `expert_count`.
    pub experts: Option<Figure>,
    /// `expert_used_count`.
    pub experts_used: Option<Figure>,
    /// `expert_shared_count`.
    pub experts_shared: Option<Figure>,
    /// `vocab_size`.
    pub vocab_size: Option<Figure>,
}

impl Figures {
    pub(super) fn of(facts: &Facts<'_>) -> Self {
        let Some(arch) = facts.architecture.filter(|arch| arch.as_bytes().len() <= MAX_ARCHITECTURE) else {
            return Self { layers_found: facts.layers_found(), ..Self::default() };
        };
        let get = |suffix: &str| facts.figure([arch.as_bytes(), b".", suffix.as_bytes()].concat());
        Self {
            context_length: get("context_length"),
            layers: get("block_count"),
            layers_found: facts.layers_found(),
            embedding_length: get("embedding_length"),
            feed_forward_length: get("feed_forward_length"),
            heads: get("attention.head_count"),
            kv_heads: get("attention.head_count_kv"),
            key_length: get("attention.key_length"),
            sliding_window: get("attention.sliding_window"),
            experts: get("expert_count"),
            experts_used: get("expert_used_count"),
            experts_shared: get("expert_shared_count"),
            vocab_size: get("vocab_size"),
        }
    }
}
