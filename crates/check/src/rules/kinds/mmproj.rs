//! What a projector file can hold, for the rules about them.

use crate::facts::Facts;

/// A sense that a projector file serves.
pub(super) struct Sense {
    /// Its name in keys: `clip.vision.…`.
    pub(super) name: &'static str,
    /// The key that says that the file has its encoder.
    pub(super) flag: &'static str,
    /// What the names of its tensors begin with.
    pub(super) tensors: &'static str,
    /// Keys without which its encoder does not load, beyond those of [`KEYS`].
    pub(super) keys: &'static [&'static str],
}

/// Keys without which no encoder loads.
pub(super) const KEYS: [&str; 6] = [
    "embedding_length",
    "feed_forward_length",
    "block_count",
    "projection_dim",
    "attention.head_count",
    "attention.layer_norm_epsilon",
];

pub(super) const SENSES: [Sense; 2] = [
    Sense {
        name: "vision",
        flag: "clip.has_vision_encoder",
        tensors: "v.blk.",
        keys: &["image_size", "patch_size"],
    },
    Sense { name: "audio", flag: "clip.has_audio_encoder", tensors: "a.blk.", keys: &["num_mel_bins"] },
];

/// The key of the third sense, of which little is known.
pub(super) const GEN_AUDIO: &str = "clip.has_gen_audio_encoder";

/// Whether a flag is there and true.
pub(super) fn is_set(facts: &Facts<'_>, flag: &str) -> bool {
    facts.get(flag).and_then(|value| value.as_bool()) == Some(true)
}
