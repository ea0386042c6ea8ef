//! Sound files of each kind as small as can be, for the recipes: each breaks one thing of them.

use ggufkit_testkit::{Builder, Tensor, Value};

use crate::testing::Recipe;

/// A file to be changed.
pub(super) struct Tiny {
    kvs: Vec<(String, Value)>,
    tensors: Vec<Tensor>,
}

impl Tiny {
    fn new() -> Self {
        Self { kvs: Vec::new(), tensors: Vec::new() }
    }

    pub(super) fn key(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.kvs.push((key.to_owned(), value.into()));
        self
    }

    /// With another value for a key that is there.
    pub(super) fn replace(mut self, key: &str, value: impl Into<Value>) -> Self {
        let kv = self.kvs.iter_mut().find(|(name, _)| name == key);
        kv.expect("the key is there").1 = value.into();
        self
    }

    pub(super) fn remove(mut self, key: &str) -> Self {
        self.kvs.retain(|(name, _)| name != key);
        self
    }

    pub(super) fn tensor(mut self, name: &str, dims: &[u64]) -> Self {
        self.tensors.push(Tensor::f32(name, dims));
        self
    }
}

impl From<Tiny> for Recipe {
    fn from(tiny: Tiny) -> Self {
        let file = tiny.kvs.into_iter().fold(Builder::new(), |file, (key, value)| file.kv(key, value));
        tiny.tensors.into_iter().fold(file, Builder::tensor).into()
    }
}

/// A LoRA adapter with one pair of rank 2.
pub(super) fn lora() -> Tiny {
    Tiny::new()
        .key("general.architecture", "llama")
        .key("general.type", "adapter")
        .key("adapter.type", "lora")
        .key("adapter.lora.alpha", 16_f32)
        .tensor("blk.0.attn_q.weight.lora_a", &[8, 2])
        .tensor("blk.0.attn_q.weight.lora_b", &[2, 8])
}

/// A projector for images with one layer.
pub(super) fn mmproj() -> Tiny {
    Tiny::new()
        .key("general.architecture", "clip")
        .key("general.type", "mmproj")
        .key("clip.has_vision_encoder", true)
        .key("clip.projector_type", "mlp")
        .key("clip.vision.image_size", 336_u32)
        .key("clip.vision.patch_size", 14_u32)
        .key("clip.vision.embedding_length", 8_u32)
        .key("clip.vision.feed_forward_length", 16_u32)
        .key("clip.vision.block_count", 1_u32)
        .key("clip.vision.projection_dim", 8_u32)
        .key("clip.vision.attention.head_count", 2_u32)
        .key("clip.vision.attention.layer_norm_epsilon", 1e-5_f32)
        .tensor("v.blk.0.attn_q.weight", &[8, 8])
}

/// An importance matrix of one tensor.
pub(super) fn imatrix() -> Tiny {
    Tiny::new()
        .key("general.type", "imatrix")
        .key("imatrix.datasets", vec!["wiki.train.raw"])
        .key("imatrix.chunk_count", 100_u32)
        .key("imatrix.chunk_size", 512_u32)
        .tensor("blk.0.attn_q.weight.in_sum2", &[8, 1])
        .tensor("blk.0.attn_q.weight.counts", &[1, 1])
}

/// A control vector of two directions.
pub(super) fn control_vector() -> Tiny {
    Tiny::new()
        .key("general.architecture", "controlvector")
        .key("controlvector.model_hint", "llama")
        .key("controlvector.layer_count", 2_i32)
        .tensor("direction.1", &[8])
        .tensor("direction.2", &[8])
}

#[test]
fn sound_files_of_each_kind_break_no_rule_of_their_family() {
    for recipe in [lora(), mmproj(), imatrix(), control_vector()] {
        let recipe: Recipe = recipe.into();
        let names = recipe.spoken();
        let of_family =
            super::ENTRIES.iter().map(|entry| entry.rule.name).filter(|name| names.contains(name));
        assert_eq!(of_family.collect::<Vec<_>>(), Vec::<&str>::new());
    }
}
