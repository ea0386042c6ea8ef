//! The tables, one file per architecture.

mod arcee;
mod baichuan;
mod bert;
mod bitnet;
mod bloom;
mod chatglm;
mod cohere2;
mod command_r;
mod deci;
mod deepseek;
mod deepseek2;
mod dots1;
mod ernie4_5;
mod ernie4_5_moe;
mod exaone;
mod exaone4;
mod falcon;
mod gemma;
mod gemma2;
mod gemma3;
mod gemma3n;
mod gemma4;
mod gemma_embedding;
mod glm4;
mod glm4moe;
mod gpt2;
mod gpt_oss;
mod gptneox;
mod granite;
mod granitehybrid;
mod granitemoe;
mod hunyuan_dense;
mod hunyuan_moe;
mod internlm2;
mod lfm2;
mod llama;
mod llama4;
mod mamba;
mod mamba2;
mod minicpm;
mod minicpm3;
mod minimax_m2;
mod mistral3;
mod nemotron;
mod nomic_bert;
mod nomic_bert_moe;
mod olmo;
mod olmo2;
mod olmoe;
mod orion;
mod phi2;
mod phi3;
mod qwen2;
mod qwen2moe;
mod qwen2vl;
mod qwen3;
mod qwen35;
mod qwen35moe;
mod qwen3moe;
mod qwen3next;
mod qwen3vl;
mod qwen3vlmoe;
mod seed_oss;
mod smollm3;
mod stablelm;
mod starcoder;
mod starcoder2;
mod t5;
mod t5encoder;
mod xverse;

/// What tables are written with.
mod prelude {
    pub(super) use super::super::Coverage::{Complete, Partial};
    pub(super) use super::super::Dim::{self, *};
    pub(super) use super::super::rows::*;
    pub(super) use super::super::{
        Row, Schema, Stack, blk, may, may_where, may_with, must, unless, where_, where_not, with,
    };
}

use super::Schema;

/// Every table.
pub(crate) static ALL: &[&Schema] = &[
    &arcee::SCHEMA,
    &baichuan::SCHEMA,
    &bert::SCHEMA,
    &bitnet::SCHEMA,
    &bloom::SCHEMA,
    &chatglm::SCHEMA,
    &cohere2::SCHEMA,
    &command_r::SCHEMA,
    &deci::SCHEMA,
    &deepseek::SCHEMA,
    &deepseek2::SCHEMA,
    &dots1::SCHEMA,
    &ernie4_5::SCHEMA,
    &ernie4_5_moe::SCHEMA,
    &exaone::SCHEMA,
    &exaone4::SCHEMA,
    &falcon::SCHEMA,
    &gemma::SCHEMA,
    &gemma2::SCHEMA,
    &gemma3::SCHEMA,
    &gemma3n::SCHEMA,
    &gemma4::SCHEMA,
    &gemma_embedding::SCHEMA,
    &glm4::SCHEMA,
    &glm4moe::SCHEMA,
    &gpt2::SCHEMA,
    &gpt_oss::SCHEMA,
    &gptneox::SCHEMA,
    &granite::SCHEMA,
    &granitehybrid::SCHEMA,
    &granitemoe::SCHEMA,
    &hunyuan_dense::SCHEMA,
    &hunyuan_moe::SCHEMA,
    &internlm2::SCHEMA,
    &lfm2::SCHEMA,
    &llama::SCHEMA,
    &llama4::SCHEMA,
    &mamba::SCHEMA,
    &mamba2::SCHEMA,
    &minicpm::SCHEMA,
    &minicpm3::SCHEMA,
    &minimax_m2::SCHEMA,
    &mistral3::SCHEMA,
    &nemotron::SCHEMA,
    &nomic_bert::SCHEMA,
    &nomic_bert_moe::SCHEMA,
    &olmo::SCHEMA,
    &olmo2::SCHEMA,
    &olmoe::SCHEMA,
    &orion::SCHEMA,
    &phi2::SCHEMA,
    &phi3::SCHEMA,
    &qwen2::SCHEMA,
    &qwen2moe::SCHEMA,
    &qwen2vl::SCHEMA,
    &qwen3::SCHEMA,
    &qwen35::SCHEMA,
    &qwen35moe::SCHEMA,
    &qwen3moe::SCHEMA,
    &qwen3next::SCHEMA,
    &qwen3vl::SCHEMA,
    &qwen3vlmoe::SCHEMA,
    &seed_oss::SCHEMA,
    &smollm3::SCHEMA,
    &stablelm::SCHEMA,
    &starcoder::SCHEMA,
    &starcoder2::SCHEMA,
    &t5::SCHEMA,
    &t5encoder::SCHEMA,
    &xverse::SCHEMA,
];
