//! What sort of file it is, and what says so.

use ggufkit_format::Value;
use ggufkit_format::spec::arch;
use serde::Serialize;

use super::Facts;

/// The sorts of GGUF files.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A model: weights that run on their own.
    Model,
    /// A LoRA adapter for a model.
    Lora,
    /// An adapter of another sort.
    Adapter,
    /// The projector, and mostly the encoder, that lets a language model see or hear.
    Mmproj,
    /// An importance matrix, which steers quantization.
    Imatrix,
    /// A vocabulary without weights.
    Vocab,
    /// A control vector, which is added to a model's layers.
    ControlVector,
    /// An image or video model.
    Diffusion,
    /// Nothing says what it is.
    Unknown,
}

impl Kind {
    /// What a person calls it.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Lora => "LoRA adapter",
            Self::Adapter => "adapter",
            Self::Mmproj => "multimodal projector (mmproj)",
            Self::Imatrix => "importance matrix (imatrix)",
            Self::Vocab => "vocabulary without weights",
            Self::ControlVector => "control vector",
            Self::Diffusion => "image or video model",
            Self::Unknown => "unknown",
        }
    }
}

/// Architectures of image and video models that have a name; llama.cpp knows none of them.
const DIFFUSION: &[&str] = &[
    "aura",
    "chroma",
    "cosmos",
    "flux",
    "hidream",
    "hyvid",
    "ltxv",
    "lumina2",
    "qwen_image",
    "sd1",
    "sd2",
    "sd3",
    "sdxl",
    "wan",
];

/// Beginnings of tensor names in image and video models.
const DIFFUSION_NAMES: &[&str] = &[
    "double_blocks.",
    "single_blocks.",
    "single_transformer_blocks.",
    "transformer_blocks.",
    "joint_blocks.",
    "input_blocks.",
    "down_blocks.",
    "double_layers.",
    "caption_projection.",
    "model.diffusion_model.",
];

/// How many tensor names are of which sort.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Names {
    pub(super) all: u64,
    lora: u64,
    imatrix: u64,
    direction: u64,
    pub(super) vision: u64,
    pub(super) audio: u64,
    projector: u64,
    diffusion: u64,
    language: u64,
}

impl Names {
    pub(super) fn add(&mut self, name: &[u8]) {
        self.all += 1;
        let begins = |with: &str| name.starts_with(with.as_bytes());
        let ends = |with: &str| name.ends_with(with.as_bytes());
        let count = |n: &mut u64, is: bool| *n += u64::from(is);
        count(&mut self.lora, ends(".lora_a") || ends(".lora_b"));
        count(&mut self.imatrix, ends(".in_sum2") || ends(".counts"));
        count(&mut self.direction, begins("direction."));
        count(&mut self.vision, begins("v."));
        count(&mut self.audio, begins("a."));
        count(&mut self.projector, begins("mm."));
        count(&mut self.diffusion, DIFFUSION_NAMES.iter().any(|with| begins(with)));
        let language = ["blk.", "token_embd.", "output.", "output_norm.", "enc.blk.", "dec.blk."];
        count(&mut self.language, language.iter().any(|with| begins(with)));
    }
}

/// What a file is, and why: the first of what it says itself, its keys, and the names of its tensors that settles it.
pub(super) fn kind_of(facts: &Facts<'_>) -> (Kind, String) {
    let text = |key: &str| facts.keys.get(key).and_then(|value| value.as_str());
    let names = &facts.names;
    let weightless = names.all == 0 && !facts.is_partial_set() && facts.is_complete();
    let vocabulary = facts.keys.find(b"tokenizer.ggml.tokens").is_some();
    let lora = text("adapter.type") == Some("lora");
    if let Some(stated) = text("general.type") {
        let because = |kind| Some((kind, format!("general.type is \"{stated}\"")));
        let kind = match stated {
            "model" if weightless && vocabulary => {
                let reason = "general.type is \"model\", but there is no tensor, only a vocabulary";
                Some((Kind::Vocab, reason.to_owned()))
            }
            "model" if text("general.architecture").is_some_and(|arch| DIFFUSION.contains(&arch)) => None,
            "model" => because(Kind::Model),
            "adapter" if lora => because(Kind::Lora),
            "adapter" if names.lora == 0 => because(Kind::Adapter),
            "adapter" => because(Kind::Lora),
            "mmproj" | "clip-vision" => because(Kind::Mmproj),
            "imatrix" => because(Kind::Imatrix),
            "vocab" => because(Kind::Vocab),
            _ => None,
        };
        if let Some(kind) = kind {
            return kind;
        }
    }
    if let Some(arch) = text("general.architecture") {
        let because = |kind| Some((kind, format!("general.architecture is \"{arch}\"")));
        let kind = match arch {
            "clip" => because(Kind::Mmproj),
            "controlvector" => because(Kind::ControlVector),
            arch if DIFFUSION.contains(&arch) => because(Kind::Diffusion),
            _ => None,
        };
        if let Some(kind) = kind {
            return kind;
        }
    }
    if let Some(found) = by_keys(facts).or_else(|| by_names(names)) {
        return found;
    }
    if weightless && vocabulary {
        return (Kind::Vocab, "there is no tensor, only a vocabulary".to_owned());
    }
    match text("general.architecture") {
        Some(name) if arch::is_known(name) => (Kind::Model, format!("general.architecture is \"{name}\"")),
        _ if names.language > 0 => {
            (Kind::Model, "tensors are named like those of a language model".to_owned())
        }
        _ if facts.is_partial_set() => (Kind::Model, "it is a shard of a split model".to_owned()),
        _ => (Kind::Unknown, "neither keys nor tensor names say what it is".to_owned()),
    }
}

fn by_keys(facts: &Facts<'_>) -> Option<(Kind, String)> {
    for (key, kind) in [
        ("adapter.type", if is_text(facts, "adapter.type", "lora") { Kind::Lora } else { Kind::Adapter }),
        ("adapter.lora.alpha", Kind::Lora),
        ("imatrix.chunk_count", Kind::Imatrix),
        ("imatrix.datasets", Kind::Imatrix),
        ("controlvector.layer_count", Kind::ControlVector),
        ("controlvector.model_hint", Kind::ControlVector),
        ("clip.projector_type", Kind::Mmproj),
        ("clip.has_vision_encoder", Kind::Mmproj),
        ("clip.has_audio_encoder", Kind::Mmproj),
    ] {
        if facts.keys.find(key.as_bytes()).is_some() {
            return Some((kind, format!("it has the key {key}")));
        }
    }
    None
}

fn is_text(facts: &Facts<'_>, key: &str, text: &str) -> bool {
    matches!(facts.keys.get(key), Some(Value::String(found)) if found.0 == text.as_bytes())
}

fn by_names(names: &Names) -> Option<(Kind, String)> {
    let most = |n: u64| n > 0 && n.saturating_mul(2) > names.all;
    let encoder = names.vision.saturating_add(names.audio).saturating_add(names.projector);
    let (kind, like) = if most(names.lora) {
        (Kind::Lora, "tensors come in pairs .lora_a and .lora_b")
    } else if most(names.imatrix) {
        (Kind::Imatrix, "tensors come in pairs .in_sum2 and .counts")
    } else if most(names.direction) {
        (Kind::ControlVector, "tensors are named direction.N")
    } else if most(encoder) {
        (Kind::Mmproj, "tensors are named like those of a vision or audio encoder")
    } else if names.diffusion > 0 && names.language == 0 {
        (Kind::Diffusion, "tensors are named like those of an image model")
    } else {
        return None;
    };
    Some((kind, like.to_owned()))
}
