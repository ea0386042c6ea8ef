//! A whole model as small as can be, for the recipes: each breaks one thing of it.

use ggufkit_testkit::{Builder, Tensor, Value};

use crate::testing::Recipe;

/// A model with one layer, embedding 8, two heads of 4 with one head of keys and values, three tokens.
#[derive(Clone)]
pub(super) struct Tiny {
    kvs: Vec<(String, Value)>,
    tensors: Vec<Tensor>,
}

impl Tiny {
    pub(super) fn llama() -> Self {
        let mut tiny = Self { kvs: Vec::new(), tensors: Vec::new() }
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
            tiny = tiny.tensor(Tensor::f32(name, dims));
        }
        tiny
    }

    /// With a key, in its place where it is there.
    pub(super) fn key(mut self, key: &str, value: impl Into<Value>) -> Self {
        let value = value.into();
        match self.kvs.iter_mut().find(|(name, _)| name == key) {
            Some(kv) => kv.1 = value,
            None => self.kvs.push((key.to_owned(), value)),
        }
        self
    }

    pub(super) fn without_key(mut self, key: &str) -> Self {
        self.kvs.retain(|(name, _)| name != key);
        self
    }

    /// With a tensor, in its place where it is there.
    pub(super) fn tensor(mut self, tensor: Tensor) -> Self {
        match self.tensors.iter_mut().find(|other| other.name == tensor.name) {
            Some(other) => *other = tensor,
            None => self.tensors.push(tensor),
        }
        self
    }

    pub(super) fn without(mut self, name: &str) -> Self {
        self.tensors.retain(|tensor| tensor.name != name.as_bytes());
        self
    }

    pub(super) fn bytes(self) -> Vec<u8> {
        let file = self.kvs.into_iter().fold(Builder::new(), |file, (key, value)| file.kv(key, value));
        self.tensors.into_iter().fold(file, Builder::tensor).bytes()
    }
}

impl From<Tiny> for Recipe {
    fn from(tiny: Tiny) -> Self {
        tiny.bytes().into()
    }
}
