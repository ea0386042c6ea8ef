//! What goes with a model: adapters, projectors, importance matrices, control vectors.

use ggufkit_format::{Scalar, Value};
use serde::ser::{Serialize, Serializer};

use super::kind::Kind;
use super::{Facts, Figure, MAX_LISTED};
use crate::json::JsonScalar;
use crate::text::Text;

/// A number of the metadata, kept as it is. In JSON: a number, a string where it is not finite.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Number(pub Scalar);

impl Number {
    /// The number as JSON writes it, without quotes.
    #[must_use]
    pub fn text(&self) -> String {
        crate::units::scalar_text(self.0)
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        JsonScalar(self.0).serialize(serializer)
    }
}

/// An adapter for a model.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct Adapter<'a> {
    /// `adapter.type`.
    pub adapter_type: Option<Text<'a>>,
    /// The rank, from the shapes of the tensors.
    pub rank: Option<Figure>,
    /// `adapter.lora.alpha`.
    pub alpha: Option<Number>,
    /// Number of tensors `X.lora_a` that have their `X.lora_b`.
    pub pairs: u64,
    /// Number of `X.lora_a` and `X.lora_b` without the other.
    pub unpaired: u64,
    /// `adapter.lora.task_name`.
    pub task_name: Option<Text<'a>>,
    /// `adapter.lora.prompt_prefix`.
    pub prompt_prefix: Option<Text<'a>>,
    /// Number of tokens that invoke it (`adapter.alora.invocation_tokens`).
    pub invocation_tokens: Option<u64>,
}

impl<'a> Adapter<'a> {
    pub(super) fn of(facts: &Facts<'a>, kind: Kind) -> Option<Self> {
        if !matches!(kind, Kind::Lora | Kind::Adapter) {
            return None;
        }
        let (mut pairs, mut unpaired) = (0, 0);
        let mut ranks: Option<(u64, u64, u64)> = None;
        for (part, name, tensor) in facts.model.tensors() {
            let name = name.as_bytes();
            if let Some(base) = name.strip_suffix(b".lora_a") {
                let paired = facts.tensors.find(&[base, b".lora_b"].concat()).is_some();
                *(if paired { &mut pairs } else { &mut unpaired }) += 1;
                // The rank is the second dimension of A, but that of a token embedding is turned around.
                let flipped = base.starts_with(b"token_embd");
                let rank = part.view.index().dims(tensor).get(usize::from(!flipped)).copied().unwrap_or(1);
                let (min, max, n) = ranks.unwrap_or((rank, rank, 0));
                ranks = Some((min.min(rank), max.max(rank), n + 1));
            } else if let Some(base) = name.strip_suffix(b".lora_b") {
                unpaired += u64::from(facts.tensors.find(&[base, b".lora_a"].concat()).is_none());
            }
        }
        let alpha = match facts.keys.get("adapter.lora.alpha") {
            Some(Value::Scalar(scalar)) => Some(Number(scalar)),
            _ => None,
        };
        Some(Self {
            adapter_type: facts.text("adapter.type"),
            rank: ranks.map(
                |(min, max, values)| {
                    if min == max { Figure::One(min) } else { Figure::Layers { min, max, values } }
                },
            ),
            alpha,
            pairs,
            unpaired,
            task_name: facts.text("adapter.lora.task_name"),
            prompt_prefix: facts.text("adapter.lora.prompt_prefix"),
            invocation_tokens: facts
                .keys
                .get("adapter.alora.invocation_tokens")
                .and_then(|value| value.as_array())
                .map(|tokens| tokens.len()),
        })
    }
}

/// What a projector file holds for one sense.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct Projector<'a> {
    /// `vision`, `audio`, `gen.audio`; `unknown` where nothing tells.
    pub modality: &'static str,
    /// The type of the projector. Absent where no key states it; it is not guessed.
    pub projector_type: Option<Text<'a>>,
    /// `block_count` of the encoder.
    pub layers: Option<Figure>,
    /// `embedding_length` of the encoder.
    pub embedding_length: Option<Figure>,
    /// `projection_dim`: the language model's embedding length.
    pub projection_dim: Option<Figure>,
    /// `image_size`.
    pub image_size: Option<Figure>,
    /// `patch_size`.
    pub patch_size: Option<Figure>,
    /// `num_mel_bins`.
    pub mel_bins: Option<Figure>,
}

impl<'a> Projector<'a> {
    /// The senses of a projector file; empty for any other file.
    pub(super) fn all(facts: &Facts<'a>, kind: Kind) -> Vec<Self> {
        if kind != Kind::Mmproj {
            return Vec::new();
        }
        let flag = |key: &str| facts.keys.get(key).and_then(|value| value.as_bool());
        let mut found = Vec::new();
        for (modality, flag_key, named) in [
            ("vision", "clip.has_vision_encoder", facts.names.vision > 0),
            ("audio", "clip.has_audio_encoder", facts.names.audio > 0),
            ("gen.audio", "clip.has_gen_audio_encoder", false),
        ] {
            let keys = || {
                ["projector_type", "block_count", "embedding_length"]
                    .iter()
                    .any(|suffix| facts.has(format!("clip.{modality}.{suffix}")))
            };
            if flag(flag_key).unwrap_or_else(|| named || keys()) {
                found.push(Self::of(facts, modality));
            }
        }
        if found.is_empty() {
            found.push(Self::of(facts, "unknown"));
        }
        found
    }

    fn of(facts: &Facts<'a>, modality: &'static str) -> Self {
        let figure = |suffix: &str| facts.figure(format!("clip.{modality}.{suffix}"));
        Self {
            modality,
            projector_type: facts
                .text(&format!("clip.{modality}.projector_type"))
                .or_else(|| facts.text("clip.projector_type")),
            layers: figure("block_count"),
            embedding_length: figure("embedding_length"),
            projection_dim: figure("projection_dim"),
            image_size: figure("image_size"),
            patch_size: figure("patch_size"),
            mel_bins: figure("num_mel_bins"),
        }
    }
}

/// An importance matrix.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct Imatrix<'a> {
    /// `imatrix.datasets`, at most 32 of them.
    pub datasets: Vec<Text<'a>>,
    /// Number of datasets; absent where the key is.
    pub datasets_count: Option<u64>,
    /// `imatrix.chunk_count`.
    pub chunk_count: Option<Figure>,
    /// `imatrix.chunk_size`.
    pub chunk_size: Option<Figure>,
    /// Number of tensors that it speaks of: names that end in `.in_sum2`.
    pub entries: u64,
}

impl<'a> Imatrix<'a> {
    pub(super) fn of(facts: &Facts<'a>, kind: Kind) -> Option<Self> {
        if kind != Kind::Imatrix {
            return None;
        }
        let datasets = facts.keys.get("imatrix.datasets").and_then(|value| value.as_array());
        let text = |value| match value {
            Value::String(text) => Some(Text(text)),
            _ => None,
        };
        Some(Self {
            datasets: datasets.into_iter().flatten().filter_map(text).take(MAX_LISTED).collect(),
            datasets_count: datasets.map(|datasets| datasets.len()),
            chunk_count: facts.figure("imatrix.chunk_count"),
            chunk_size: facts.figure("imatrix.chunk_size"),
            entries: count(facts, |name| name.ends_with(b".in_sum2")),
        })
    }
}

/// The importance that a model was quantized by, as far as it says so.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct MadeBy<'a> {
    /// `quantize.imatrix.file`.
    pub file: Option<Text<'a>>,
    /// `quantize.imatrix.dataset`.
    pub dataset: Option<Text<'a>>,
    /// `quantize.imatrix.entries_count`.
    pub entries_count: Option<Figure>,
    /// `quantize.imatrix.chunks_count`.
    pub chunks_count: Option<Figure>,
}

impl<'a> MadeBy<'a> {
    pub(super) fn of(facts: &Facts<'a>) -> Option<Self> {
        let own = Self {
            file: facts.text("quantize.imatrix.file"),
            dataset: facts.text("quantize.imatrix.dataset"),
            entries_count: facts.figure("quantize.imatrix.entries_count"),
            chunks_count: facts.figure("quantize.imatrix.chunks_count"),
        };
        let is_said = own.file.is_some()
            || own.dataset.is_some()
            || own.entries_count.is_some()
            || own.chunks_count.is_some();
        is_said.then_some(own)
    }
}

/// A control vector.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct ControlVector<'a> {
    /// `controlvector.model_hint`: the architecture that it was made for.
    pub model_hint: Option<Text<'a>>,
    /// `controlvector.layer_count`.
    pub layers: Option<Figure>,
    /// Number of tensors `direction.N`.
    pub directions: u64,
}

impl<'a> ControlVector<'a> {
    pub(super) fn of(facts: &Facts<'a>, kind: Kind) -> Option<Self> {
        (kind == Kind::ControlVector).then(|| Self {
            model_hint: facts.text("controlvector.model_hint"),
            layers: facts.figure("controlvector.layer_count"),
            directions: count(facts, |name| name.starts_with(b"direction.")),
        })
    }
}

fn count(facts: &Facts<'_>, is: impl Fn(&[u8]) -> bool) -> u64 {
    facts.model.tensors().filter(|(_, name, _)| is(name.as_bytes())).count() as u64
}
