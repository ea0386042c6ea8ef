//! Sound files of each kind as small as can be, for the recipes: each breaks one thing of them.

use ggufkit_testkit::{Builder, Tensor, Value};

use crate::testing::Recipe;

/// A file to be changed.
#[derive(Clone)]
pub(crate) struct Tiny {
    kvs: Vec<(String, Value)>,
    tensors: Vec<Tensor>,
}

impl Tiny {
    fn new() -> Self {
        Self { kvs: Vec::new(), tensors: Vec::new() }
    }

    /// A model with one layer, embedding 8, two heads of 4 with one head of keys and values, three tokens.
    pub(crate) fn llama() -> Self {
        let mut tiny = Self::new()
            .key("general.architecture", "llama")
            .key("llama.block_count", 1_u32)
            .key("llama.context_length", 32_u32)
            .key("llama.embedding_length", 8_u32)
            .key("llama.feed_forward_length", 16_u32)
            .key("llama.attention.head_count", 2_u32)
            .key("llama.attention.head_count_kv", 1_u32)
            .key("llama.attention.layer_norm_rms_epsilon", 1e-5_f32)
            .key("tokenizer.ggml.model", "llama")
            .key("tokenizer.ggml.tokens", vec!["<unk>", "a", "b"]);
        for (name, dims) in [
            ("token_embd.weight", &[8, 3][..]),
            ("output_norm.weight", &[8]),
            ("blk.0.attn_norm.weight", &[8]),
            ("blk.0.attn_q.weight", &[8, 8]),
            ("blk.0.attn_k.weight", &[8, 4]),
            ("blk.0.attn_v.weight", &[8, 4]),
            ("blk.0.attn_output.weight", &[8, 8]),
            ("blk.0.ffn_norm.weight", &[8]),
            ("blk.0.ffn_gate.weight", &[8, 16]),
            ("blk.0.ffn_up.weight", &[8, 16]),
            ("blk.0.ffn_down.weight", &[16, 8]),
        ] {
            tiny = tiny.tensor(name, dims);
        }
        tiny
    }

    /// A LoRA adapter with one pair of rank 2.
    pub(crate) fn lora() -> Self {
        Self::new()
            .key("general.architecture", "llama")
            .key("general.type", "adapter")
            .key("adapter.type", "lora")
            .key("adapter.lora.alpha", 16_f32)
            .tensor("blk.0.attn_q.weight.lora_a", &[8, 2])
            .tensor("blk.0.attn_q.weight.lora_b", &[2, 8])
    }

    /// A projector for images with one layer.
    pub(crate) fn mmproj() -> Self {
        Self::new()
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
    pub(crate) fn imatrix() -> Self {
        Self::new()
            .key("general.type", "imatrix")
            .key("imatrix.datasets", vec!["wiki.train.raw"])
            .key("imatrix.chunk_count", 100_u32)
            .key("imatrix.chunk_size", 512_u32)
            .tensor("blk.0.attn_q.weight.in_sum2", &[8, 1])
            .tensor("blk.0.attn_q.weight.counts", &[1, 1])
    }

    /// A control vector of two directions.
    pub(crate) fn control_vector() -> Self {
        Self::new()
            .key("general.architecture", "controlvector")
            .key("controlvector.model_hint", "llama")
            .key("controlvector.layer_count", 2_i32)
            .tensor("direction.1", &[8])
            .tensor("direction.2", &[8])
    }

    /// With a key, in its place where it is there.
    pub(crate) fn key(mut self, key: &str, value: impl Into<Value>) -> Self {
        let value = value.into();
        match self.kvs.iter_mut().find(|(name, _)| name == key) {
            Some(kv) => kv.1 = value,
            None => self.kvs.push((key.to_owned(), value)),
        }
        self
    }

    pub(crate) fn without_key(mut self, key: &str) -> Self {
        self.kvs.retain(|(name, _)| name != key);
        self
    }

    /// With a tensor of floats, in its place where it is there.
    pub(crate) fn tensor(mut self, name: &str, dims: &[u64]) -> Self {
        let tensor = Tensor::f32(name, dims);
        match self.tensors.iter_mut().find(|other| other.name == tensor.name) {
            Some(other) => *other = tensor,
            None => self.tensors.push(tensor),
        }
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.tensors.retain(|tensor| tensor.name != name.as_bytes());
        self
    }

    pub(crate) fn bytes(self) -> Vec<u8> {
        let file = self.kvs.into_iter().fold(Builder::new(), |file, (key, value)| file.kv(key, value));
        self.tensors.into_iter().fold(file, Builder::tensor).bytes()
    }
}

impl From<Tiny> for Recipe {
    fn from(tiny: Tiny) -> Self {
        tiny.bytes().into()
    }
}

#[test]
fn nothing_is_said_about_sound_files_of_any_kind() {
    for tiny in [Tiny::llama(), Tiny::lora(), Tiny::mmproj(), Tiny::imatrix(), Tiny::control_vector()] {
        let recipe: Recipe = tiny.into();
        let loud = recipe.judge(&crate::Options::default(), |report, _| {
            let loud = report.findings.iter().filter(|finding| finding.severity > crate::Severity::Note);
            loud.map(|finding| finding.rule.name).collect::<Vec<_>>()
        });
        assert_eq!(loud, Vec::<&str>::new());
    }
}
