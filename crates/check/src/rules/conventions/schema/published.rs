//! Published models as they are: their hyperparameters and their tensors' shapes, one layer of each sort.
//!
//! None of the numbers was taken from a table here, and none has to be believed: the shapes, times the layers that have them,
//! are the parameters that the model's page counts, to the last one. A dimension, a tensor or a layer too many would show.

use std::collections::BTreeSet;

use ggufkit_testkit::{Builder, Tensor, Value};

use crate::testing::Recipe;
use crate::{Options, Severity};

struct Model {
    name: &'static str,
    arch: &'static str,
    /// `suffix number`, line by line.
    keys: &'static str,
    /// `name dims`, line by line.
    tensors: &'static str,
    /// How many layers are like the first one that is given, the second, …
    layers: &'static [u64],
    /// Parameters of the published checkpoint, as far as they are in the file.
    parameters: u64,
}

const MODELS: &[Model] = &[
    Model {
        name: "Llama 3.1 8B",
        arch: "llama",
        keys: "embedding_length 4096\nfeed_forward_length 14336\nattention.head_count 32\nattention.head_count_kv 8
            rope.dimension_count 128\nvocab_size 128256",
        tensors: "token_embd.weight 4096x128256\noutput.weight 4096x128256\noutput_norm.weight 4096
            rope_freqs.weight 64\nblk.0.attn_norm.weight 4096\nblk.0.attn_q.weight 4096x4096
            blk.0.attn_k.weight 4096x1024\nblk.0.attn_v.weight 4096x1024\nblk.0.attn_output.weight 4096x4096
            blk.0.ffn_norm.weight 4096\nblk.0.ffn_gate.weight 4096x14336\nblk.0.ffn_up.weight 4096x14336
            blk.0.ffn_down.weight 14336x4096",
        layers: &[32],
        parameters: 8_030_261_248,
    },
    Model {
        name: "Mixtral 8x7B",
        arch: "llama",
        keys: "embedding_length 4096\nfeed_forward_length 14336\nattention.head_count 32\nattention.head_count_kv 8
            rope.dimension_count 128\nvocab_size 32000\nexpert_count 8\nexpert_used_count 2",
        tensors: "token_embd.weight 4096x32000\noutput.weight 4096x32000\noutput_norm.weight 4096
            blk.0.attn_norm.weight 4096\nblk.0.attn_q.weight 4096x4096\nblk.0.attn_k.weight 4096x1024
            blk.0.attn_v.weight 4096x1024\nblk.0.attn_output.weight 4096x4096\nblk.0.ffn_norm.weight 4096
            blk.0.ffn_gate_inp.weight 4096x8\nblk.0.ffn_gate_exps.weight 4096x14336x8
            blk.0.ffn_up_exps.weight 4096x14336x8\nblk.0.ffn_down_exps.weight 14336x4096x8",
        layers: &[32],
        parameters: 46_702_792_704,
    },
    Model {
        name: "Llama 4 Scout",
        arch: "llama4",
        keys: "embedding_length 5120\nfeed_forward_length 16384\nexpert_feed_forward_length 8192\nexpert_count 16
            expert_used_count 1\ninterleave_moe_layer_step 1\nattention.head_count 40\nattention.head_count_kv 8
            attention.key_length 128\nattention.value_length 128\nrope.dimension_count 128\nvocab_size 202048",
        tensors: "token_embd.weight 5120x202048\noutput.weight 5120x202048\noutput_norm.weight 5120
            rope_freqs.weight 64\nblk.0.attn_norm.weight 5120\nblk.0.attn_q.weight 5120x5120
            blk.0.attn_k.weight 5120x1024\nblk.0.attn_v.weight 5120x1024\nblk.0.attn_output.weight 5120x5120
            blk.0.ffn_norm.weight 5120\nblk.0.ffn_gate_inp.weight 5120x16\nblk.0.ffn_gate_exps.weight 5120x8192x16
            blk.0.ffn_up_exps.weight 5120x8192x16\nblk.0.ffn_down_exps.weight 8192x5120x16
            blk.0.ffn_gate_shexp.weight 5120x8192\nblk.0.ffn_up_shexp.weight 5120x8192
            blk.0.ffn_down_shexp.weight 8192x5120",
        layers: &[48],
        // Without the encoder of images.
        parameters: 107_769_861_120,
    },
    Model {
        name: "Qwen 2.5 0.5B",
        arch: "qwen2",
        keys: "embedding_length 896\nfeed_forward_length 4864\nattention.head_count 14\nattention.head_count_kv 2
            vocab_size 151936",
        tensors: "token_embd.weight 896x151936\noutput_norm.weight 896\nblk.0.attn_norm.weight 896
            blk.0.attn_q.weight 896x896\nblk.0.attn_q.bias 896\nblk.0.attn_k.weight 896x128\nblk.0.attn_k.bias 128
            blk.0.attn_v.weight 896x128\nblk.0.attn_v.bias 128\nblk.0.attn_output.weight 896x896
            blk.0.ffn_norm.weight 896\nblk.0.ffn_gate.weight 896x4864\nblk.0.ffn_up.weight 896x4864
            blk.0.ffn_down.weight 4864x896",
        layers: &[24],
        parameters: 494_032_768,
    },
    Model {
        name: "Qwen 3 0.6B",
        arch: "qwen3",
        keys: "embedding_length 1024\nfeed_forward_length 3072\nattention.head_count 16\nattention.head_count_kv 8
            attention.key_length 128\nattention.value_length 128\nvocab_size 151936",
        tensors: "token_embd.weight 1024x151936\noutput_norm.weight 1024\nblk.0.attn_norm.weight 1024
            blk.0.attn_q.weight 1024x2048\nblk.0.attn_k.weight 1024x1024\nblk.0.attn_v.weight 1024x1024
            blk.0.attn_q_norm.weight 128\nblk.0.attn_k_norm.weight 128\nblk.0.attn_output.weight 2048x1024
            blk.0.ffn_norm.weight 1024\nblk.0.ffn_gate.weight 1024x3072\nblk.0.ffn_up.weight 1024x3072
            blk.0.ffn_down.weight 3072x1024",
        layers: &[28],
        parameters: 596_049_920,
    },
    Model {
        name: "Qwen 3 30B A3B",
        arch: "qwen3moe",
        keys: "embedding_length 2048\nfeed_forward_length 6144\nexpert_feed_forward_length 768\nexpert_count 128
            expert_used_count 8\nattention.head_count 32\nattention.head_count_kv 4\nattention.key_length 128
            attention.value_length 128\nvocab_size 151936",
        tensors: "token_embd.weight 2048x151936\noutput.weight 2048x151936\noutput_norm.weight 2048
            blk.0.attn_norm.weight 2048\nblk.0.attn_q.weight 2048x4096\nblk.0.attn_k.weight 2048x512
            blk.0.attn_v.weight 2048x512\nblk.0.attn_q_norm.weight 128\nblk.0.attn_k_norm.weight 128
            blk.0.attn_output.weight 4096x2048\nblk.0.ffn_norm.weight 2048\nblk.0.ffn_gate_inp.weight 2048x128
            blk.0.ffn_gate_exps.weight 2048x768x128\nblk.0.ffn_up_exps.weight 2048x768x128
            blk.0.ffn_down_exps.weight 768x2048x128",
        layers: &[48],
        parameters: 30_532_122_624,
    },
    Model {
        name: "Gemma 2 2B",
        arch: "gemma2",
        keys: "embedding_length 2304\nfeed_forward_length 9216\nattention.head_count 8\nattention.head_count_kv 4
            attention.key_length 256\nattention.value_length 256\nvocab_size 256000",
        tensors: "token_embd.weight 2304x256000\noutput_norm.weight 2304\nblk.0.attn_norm.weight 2304
            blk.0.attn_q.weight 2304x2048\nblk.0.attn_k.weight 2304x1024\nblk.0.attn_v.weight 2304x1024
            blk.0.attn_output.weight 2048x2304\nblk.0.post_attention_norm.weight 2304\nblk.0.ffn_norm.weight 2304
            blk.0.post_ffw_norm.weight 2304\nblk.0.ffn_gate.weight 2304x9216\nblk.0.ffn_up.weight 2304x9216
            blk.0.ffn_down.weight 9216x2304",
        layers: &[26],
        parameters: 2_614_341_888,
    },
    Model {
        name: "Gemma 3 4B",
        arch: "gemma3",
        keys: "embedding_length 2560\nfeed_forward_length 10240\nattention.head_count 8\nattention.head_count_kv 4
            attention.key_length 256\nattention.value_length 256\nattention.sliding_window 1024\nvocab_size 262144",
        tensors: "token_embd.weight 2560x262144\noutput_norm.weight 2560\nblk.0.attn_norm.weight 2560
            blk.0.attn_q.weight 2560x2048\nblk.0.attn_k.weight 2560x1024\nblk.0.attn_v.weight 2560x1024
            blk.0.attn_q_norm.weight 256\nblk.0.attn_k_norm.weight 256\nblk.0.attn_output.weight 2048x2560
            blk.0.post_attention_norm.weight 2560\nblk.0.ffn_norm.weight 2560\nblk.0.post_ffw_norm.weight 2560
            blk.0.ffn_gate.weight 2560x10240\nblk.0.ffn_up.weight 2560x10240\nblk.0.ffn_down.weight 10240x2560",
        layers: &[34],
        // Without the encoder of images.
        parameters: 3_880_099_328,
    },
    Model {
        name: "Phi 3.5 mini",
        arch: "phi3",
        keys: "embedding_length 3072\nfeed_forward_length 8192\nattention.head_count 32\nattention.head_count_kv 32
            rope.dimension_count 96\nvocab_size 32064",
        tensors: "token_embd.weight 3072x32064\noutput.weight 3072x32064\noutput_norm.weight 3072
            rope_factors_long.weight 48\nrope_factors_short.weight 48\nblk.0.attn_norm.weight 3072
            blk.0.attn_qkv.weight 3072x9216\nblk.0.attn_output.weight 3072x3072\nblk.0.ffn_norm.weight 3072
            blk.0.ffn_up.weight 3072x16384\nblk.0.ffn_down.weight 8192x3072",
        layers: &[32],
        parameters: 3_821_079_552,
    },
    Model {
        name: "DeepSeek R1",
        arch: "deepseek2",
        keys: "embedding_length 7168\nfeed_forward_length 18432\nexpert_feed_forward_length 2048\nexpert_count 256
            expert_used_count 8\nexpert_shared_count 1\nleading_dense_block_count 1\nattention.head_count 128
            attention.head_count_kv 1\nattention.q_lora_rank 1536\nattention.kv_lora_rank 512
            attention.key_length 576\nattention.value_length 512\nattention.key_length_mla 192
            attention.value_length_mla 128\nrope.dimension_count 64\nvocab_size 129280",
        tensors: "token_embd.weight 7168x129280\noutput.weight 7168x129280\noutput_norm.weight 7168
            blk.0.attn_norm.weight 7168\nblk.0.attn_q_a.weight 7168x1536\nblk.0.attn_q_a_norm.weight 1536
            blk.0.attn_q_b.weight 1536x24576\nblk.0.attn_kv_a_mqa.weight 7168x576\nblk.0.attn_kv_a_norm.weight 512
            blk.0.attn_k_b.weight 128x512x128\nblk.0.attn_v_b.weight 512x128x128
            blk.0.attn_output.weight 16384x7168\nblk.0.ffn_norm.weight 7168\nblk.0.ffn_gate.weight 7168x18432
            blk.0.ffn_up.weight 7168x18432\nblk.0.ffn_down.weight 18432x7168
            blk.1.attn_norm.weight 7168\nblk.1.attn_q_a.weight 7168x1536\nblk.1.attn_q_a_norm.weight 1536
            blk.1.attn_q_b.weight 1536x24576\nblk.1.attn_kv_a_mqa.weight 7168x576\nblk.1.attn_kv_a_norm.weight 512
            blk.1.attn_k_b.weight 128x512x128\nblk.1.attn_v_b.weight 512x128x128
            blk.1.attn_output.weight 16384x7168\nblk.1.ffn_norm.weight 7168
            blk.1.ffn_gate_inp.weight 7168x256\nblk.1.exp_probs_b.bias 256\nblk.1.ffn_gate_exps.weight 7168x2048x256
            blk.1.ffn_up_exps.weight 7168x2048x256\nblk.1.ffn_down_exps.weight 2048x7168x256
            blk.1.ffn_gate_shexp.weight 7168x2048\nblk.1.ffn_up_shexp.weight 7168x2048
            blk.1.ffn_down_shexp.weight 2048x7168",
        layers: &[3, 58],
        // Without the layer that predicts further tokens.
        parameters: 671_026_419_200,
    },
    Model {
        name: "gpt-oss 20B",
        arch: "gpt-oss",
        keys: "embedding_length 2880\nfeed_forward_length 2880\nexpert_feed_forward_length 2880\nexpert_count 32
            expert_used_count 4\nattention.head_count 64\nattention.head_count_kv 8\nattention.key_length 64
            attention.value_length 64\nattention.sliding_window 128\nvocab_size 201088",
        tensors: "token_embd.weight 2880x201088\noutput.weight 2880x201088\noutput_norm.weight 2880
            blk.0.attn_norm.weight 2880\nblk.0.post_attention_norm.weight 2880\nblk.0.attn_q.weight 2880x4096
            blk.0.attn_q.bias 4096\nblk.0.attn_k.weight 2880x512\nblk.0.attn_k.bias 512\nblk.0.attn_v.weight 2880x512
            blk.0.attn_v.bias 512\nblk.0.attn_output.weight 4096x2880\nblk.0.attn_output.bias 2880
            blk.0.attn_sinks.weight 64\nblk.0.ffn_gate_inp.weight 2880x32\nblk.0.ffn_gate_inp.bias 32
            blk.0.ffn_gate_exps.weight 2880x2880x32\nblk.0.ffn_gate_exps.bias 2880x32
            blk.0.ffn_up_exps.weight 2880x2880x32\nblk.0.ffn_up_exps.bias 2880x32
            blk.0.ffn_down_exps.weight 2880x2880x32\nblk.0.ffn_down_exps.bias 2880x32",
        layers: &[24],
        parameters: 20_914_757_184,
    },
    Model {
        name: "BGE small",
        arch: "bert",
        keys: "context_length 512\nembedding_length 384\nfeed_forward_length 1536\nattention.head_count 12
            vocab_size 30522\ntokenizer.ggml.token_type_count 2",
        tensors: "token_embd.weight 384x30522\ntoken_embd_norm.weight 384\ntoken_embd_norm.bias 384
            position_embd.weight 384x512\ntoken_types.weight 384x2\nblk.0.attn_q.weight 384x384\nblk.0.attn_q.bias 384
            blk.0.attn_k.weight 384x384\nblk.0.attn_k.bias 384\nblk.0.attn_v.weight 384x384\nblk.0.attn_v.bias 384
            blk.0.attn_output.weight 384x384\nblk.0.attn_output.bias 384\nblk.0.attn_output_norm.weight 384
            blk.0.attn_output_norm.bias 384\nblk.0.ffn_up.weight 384x1536\nblk.0.ffn_up.bias 1536
            blk.0.ffn_down.weight 1536x384\nblk.0.ffn_down.bias 384\nblk.0.layer_output_norm.weight 384
            blk.0.layer_output_norm.bias 384",
        layers: &[12],
        // Without the pooler.
        parameters: 33_360_000 - 384 * 385,
    },
    Model {
        name: "GPT-2",
        arch: "gpt2",
        keys: "context_length 1024\nembedding_length 768\nfeed_forward_length 3072\nattention.head_count 12
            vocab_size 50257",
        tensors: "token_embd.weight 768x50257\nposition_embd.weight 768x1024\noutput_norm.weight 768
            output_norm.bias 768\noutput.weight 768x50257\nblk.0.attn_norm.weight 768\nblk.0.attn_norm.bias 768
            blk.0.attn_qkv.weight 768x2304\nblk.0.attn_qkv.bias 2304\nblk.0.attn_output.weight 768x768
            blk.0.attn_output.bias 768\nblk.0.ffn_norm.weight 768\nblk.0.ffn_norm.bias 768
            blk.0.ffn_up.weight 768x3072\nblk.0.ffn_up.bias 3072\nblk.0.ffn_down.weight 3072x768
            blk.0.ffn_down.bias 768",
        layers: &[12],
        // The output matrix is the embedding once more.
        parameters: 124_439_808 + 768 * 50_257,
    },
    Model {
        name: "Falcon 7B",
        arch: "falcon",
        keys: "embedding_length 4544\nfeed_forward_length 18176\nattention.head_count 71\nattention.head_count_kv 1
            vocab_size 65024",
        tensors: "token_embd.weight 4544x65024\noutput_norm.weight 4544\noutput_norm.bias 4544
            output.weight 4544x65024\nblk.0.attn_norm.weight 4544\nblk.0.attn_norm.bias 4544
            blk.0.attn_qkv.weight 4544x4672\nblk.0.attn_output.weight 4544x4544\nblk.0.ffn_up.weight 4544x18176
            blk.0.ffn_down.weight 18176x4544",
        layers: &[32],
        parameters: 7_217_189_760,
    },
    Model {
        name: "Mamba 130M",
        arch: "mamba",
        keys: "embedding_length 768\nfeed_forward_length 0\nattention.head_count 0\nssm.conv_kernel 4
            ssm.inner_size 1536\nssm.state_size 16\nssm.time_step_rank 48\nvocab_size 50280",
        tensors: "token_embd.weight 768x50280\noutput_norm.weight 768\nblk.0.attn_norm.weight 768
            blk.0.ssm_in.weight 768x3072\nblk.0.ssm_conv1d.weight 4x1536\nblk.0.ssm_conv1d.bias 1536
            blk.0.ssm_x.weight 1536x80\nblk.0.ssm_dt.weight 48x1536\nblk.0.ssm_dt.bias 1536\nblk.0.ssm_a 16x1536
            blk.0.ssm_d 1536\nblk.0.ssm_out.weight 1536x768",
        layers: &[24],
        parameters: 129_135_360,
    },
    Model {
        name: "Flan-T5 small",
        arch: "t5",
        keys: "embedding_length 512\nfeed_forward_length 1024\nattention.head_count 6\nattention.key_length 64
            attention.value_length 64\nattention.relative_buckets_count 32\nvocab_size 32128",
        tensors: "token_embd.weight 512x32128\noutput.weight 512x32128\nenc.output_norm.weight 512
            dec.output_norm.weight 512\nenc.blk.0.attn_norm.weight 512\nenc.blk.0.attn_q.weight 512x384
            enc.blk.0.attn_k.weight 512x384\nenc.blk.0.attn_v.weight 512x384\nenc.blk.0.attn_o.weight 384x512
            enc.blk.0.attn_rel_b.weight 6x32\nenc.blk.0.ffn_norm.weight 512\nenc.blk.0.ffn_gate.weight 512x1024
            enc.blk.0.ffn_up.weight 512x1024\nenc.blk.0.ffn_down.weight 1024x512\ndec.blk.0.attn_norm.weight 512
            dec.blk.0.attn_q.weight 512x384\ndec.blk.0.attn_k.weight 512x384\ndec.blk.0.attn_v.weight 512x384
            dec.blk.0.attn_o.weight 384x512\ndec.blk.0.attn_rel_b.weight 6x32\ndec.blk.0.cross_attn_norm.weight 512
            dec.blk.0.cross_attn_q.weight 512x384\ndec.blk.0.cross_attn_k.weight 512x384
            dec.blk.0.cross_attn_v.weight 512x384\ndec.blk.0.cross_attn_o.weight 384x512
            dec.blk.0.ffn_norm.weight 512\ndec.blk.0.ffn_gate.weight 512x1024\ndec.blk.0.ffn_up.weight 512x1024
            dec.blk.0.ffn_down.weight 1024x512",
        layers: &[8],
        parameters: 76_961_152,
    },
    Model {
        name: "GLM 4 9B 0414",
        arch: "glm4",
        keys: "embedding_length 4096\nfeed_forward_length 13696\nattention.head_count 32\nattention.head_count_kv 2
            attention.key_length 128\nattention.value_length 128\nrope.dimension_count 64\nvocab_size 151552",
        tensors: "token_embd.weight 4096x151552\noutput.weight 4096x151552\noutput_norm.weight 4096
            blk.0.attn_norm.weight 4096\nblk.0.attn_q.weight 4096x4096\nblk.0.attn_q.bias 4096
            blk.0.attn_k.weight 4096x256\nblk.0.attn_k.bias 256\nblk.0.attn_v.weight 4096x256\nblk.0.attn_v.bias 256
            blk.0.attn_output.weight 4096x4096\nblk.0.ffn_norm.weight 4096
            blk.0.post_attention_norm.weight 4096\nblk.0.post_ffw_norm.weight 4096\nblk.0.ffn_up.weight 4096x27392
            blk.0.ffn_down.weight 13696x4096",
        layers: &[40],
        parameters: 9_400_279_040,
    },
    Model {
        name: "OLMo 2 7B",
        arch: "olmo2",
        keys: "embedding_length 4096\nfeed_forward_length 11008\nattention.head_count 32\nattention.head_count_kv 32
            vocab_size 100352",
        tensors: "token_embd.weight 4096x100352\noutput.weight 4096x100352\noutput_norm.weight 4096
            blk.0.attn_q.weight 4096x4096\nblk.0.attn_k.weight 4096x4096\nblk.0.attn_v.weight 4096x4096
            blk.0.attn_q_norm.weight 4096\nblk.0.attn_k_norm.weight 4096\nblk.0.attn_output.weight 4096x4096
            blk.0.post_attention_norm.weight 4096\nblk.0.post_ffw_norm.weight 4096\nblk.0.ffn_gate.weight 4096x11008
            blk.0.ffn_up.weight 4096x11008\nblk.0.ffn_down.weight 11008x4096",
        layers: &[32],
        parameters: 7_298_617_344,
    },
    Model {
        name: "StarCoder 2 3B",
        arch: "starcoder2",
        keys: "embedding_length 3072\nfeed_forward_length 12288\nattention.head_count 24\nattention.head_count_kv 2
            vocab_size 49152",
        tensors: "token_embd.weight 3072x49152\noutput_norm.weight 3072\noutput_norm.bias 3072
            blk.0.attn_norm.weight 3072\nblk.0.attn_norm.bias 3072\nblk.0.attn_q.weight 3072x3072
            blk.0.attn_q.bias 3072\nblk.0.attn_k.weight 3072x256\nblk.0.attn_k.bias 256\nblk.0.attn_v.weight 3072x256
            blk.0.attn_v.bias 256\nblk.0.attn_output.weight 3072x3072\nblk.0.attn_output.bias 3072
            blk.0.ffn_norm.weight 3072\nblk.0.ffn_norm.bias 3072\nblk.0.ffn_up.weight 3072x12288
            blk.0.ffn_up.bias 12288\nblk.0.ffn_down.weight 12288x3072\nblk.0.ffn_down.bias 3072",
        layers: &[30],
        parameters: 3_030_371_328,
    },
];

fn lines(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    text.lines().map(|line| line.trim().split_once(' ').unwrap())
}

/// The file of a model, without its data.
fn file(model: &Model) -> Recipe {
    let arch = model.arch;
    let layers =
        lines(model.tensors).filter_map(|(name, _)| ggufkit_format::glob::layer_of(name.as_bytes())).max();
    let mut keys: Vec<(String, Value)> =
        vec![(format!("{arch}.block_count"), (layers.unwrap() as u32 + 1).into())];
    keys.extend(
        lines(model.keys)
            .map(|(suffix, n)| (super::full_key(arch, suffix), Value::from(n.parse::<u32>().unwrap()))),
    );
    // What the model has is said above; what goes without saying follows.
    for (key, value) in
        [("context_length", Value::from(2048_u32)), ("tokenizer.ggml.model", Value::from("gpt2"))]
    {
        keys.push((super::full_key(arch, key), value));
    }
    for key in ["attention.layer_norm_rms_epsilon", "attention.layer_norm_epsilon"] {
        keys.push((super::full_key(arch, key), Value::from(1e-5_f32)));
    }
    let mut seen = BTreeSet::new();
    keys.retain(|(key, _)| seen.insert(key.clone()));
    let head = Builder::new().kv("general.architecture", arch).without_data();
    let head = keys.into_iter().fold(head, |file, (key, value)| file.kv(key, value));
    let tensors = lines(model.tensors).map(|(name, dims)| {
        let dims: Vec<u64> = dims.split('x').map(|n| n.parse().unwrap()).collect();
        Tensor { name: name.into(), dims, type_id: 0, data: Vec::new(), offset: None }
    });
    tensors.fold(head, Builder::tensor).into()
}

#[test]
fn shapes_add_up_to_the_parameters_that_are_published() {
    for model in MODELS {
        let mut sum = 0;
        for (name, dims) in lines(model.tensors) {
            let elements: u64 = dims.split('x').map(|n| n.parse::<u64>().unwrap()).product();
            let times = match ggufkit_format::glob::layer_of(name.as_bytes()) {
                // What is computed from the hyperparameters is no parameter.
                None if name.starts_with("rope_f") => 0,
                None => 1,
                // Only the first layer has the table of relative positions.
                Some(_) if name.ends_with("attn_rel_b.weight") => 1,
                Some(layer) => model.layers[layer as usize],
            };
            sum += times * elements;
        }
        assert_eq!(sum, model.parameters, "{}", model.name);
    }
}

#[test]
fn nothing_is_said_about_published_models() {
    for model in MODELS {
        let found = file(model).judge(&Options::default(), |report, _| {
            let loud = report.findings.iter().filter(|finding| finding.severity > Severity::Note);
            let of_family = loud.filter(|finding| finding.rule.family == crate::Family::Conventions);
            of_family.map(|finding| finding.message.clone()).collect::<Vec<_>>()
        });
        assert_eq!(found, Vec::<String>::new(), "{}", model.name);
    }
}

#[test]
fn hyperparameters_that_do_not_fit_are_seen_in_published_models() {
    // The keys that converters forget: then heads have another size than the matrices.
    for (name, gone) in [("Qwen 3 0.6B", "attention.key_length"), ("Gemma 3 4B", "attention.head_count_kv")] {
        let model = MODELS.iter().find(|model| model.name == name).unwrap();
        let keys: Vec<String> =
            lines(model.keys).filter(|(key, _)| *key != gone).map(|(key, n)| format!("{key} {n}")).collect();
        let broken = Model { keys: keys.join("\n").leak(), ..*model };
        assert!(file(&broken).spoken().contains("shape-mismatch"), "{name} without {gone}");
    }
}
