//! Names of published files, with what a person would say about each.
//!
//! The publishers' habits behind them: Hugging Face's converters, TheBloke (`.Q4_K_M`), bartowski (`Owner_Name`),
//! mradermacher (`.i1-`, `.part1of2`, `.split-aa`), unsloth (`UD-`), ubergarm (`ik_llama.cpp` types), ByteShape (`bpw`).

use super::super::{PartKind, parse_lenient};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Three lines for each name: the name; its parts in order, `.gguf` left out; the deviations in order.
const NAMES: &str = r"
Qwen3-0.6B-Q4_K_M.gguf
  base-name=Qwen3 size-label=0.6B encoding=Q4_K_M
  version-missing
Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf
  base-name=Meta-Llama-3.1 size-label=8B fine-tune=Instruct encoding=Q4_K_M
  base-name-dot version-missing
Mistral-7B-Instruct-v0.2.Q4_K_M.gguf
  base-name=Mistral size-label=7B fine-tune=Instruct version=v0.2 encoding=Q4_K_M
  separator
TinyLlama-1.1B-Chat-v1.0.Q8_0.gguf
  base-name=TinyLlama size-label=1.1B fine-tune=Chat version=v1.0 encoding=Q8_0
  separator
Mixtral-8x7B-Instruct-v0.1.Q5_K_M.gguf
  base-name=Mixtral size-label=8x7B fine-tune=Instruct version=v0.1 encoding=Q5_K_M
  separator
DeepSeek-R1-UD-IQ1_S-00001-of-00003.gguf
  base-name=DeepSeek-R1 encoding=UD-IQ1_S shard=00001-of-00003
  size-label-missing version-missing encoding-form
DeepSeek-R1.BF16-00001-of-00030.gguf
  base-name=DeepSeek-R1 encoding=BF16 shard=00001-of-00030
  size-label-missing version-missing separator
DeepSeek-V3-0324-UD-Q2_K_XL-00001-of-00006.gguf
  base-name=DeepSeek-V3-0324 encoding=UD-Q2_K_XL shard=00001-of-00006
  size-label-missing version-missing encoding-form
DeepSeek-R1-Distill-Qwen-1.5B-Q8_0.gguf
  base-name=DeepSeek-R1-Distill-Qwen size-label=1.5B encoding=Q8_0
  version-missing
Qwen3-30B-A3B-Instruct-2507-UD-Q4_K_XL.gguf
  base-name=Qwen3 size-label=30B-A3B fine-tune=Instruct-2507 encoding=UD-Q4_K_XL
  version-missing encoding-form
Qwen3-Coder-30B-A3B-Instruct-1M-IQ4_NL.gguf
  base-name=Qwen3-Coder size-label=30B-A3B fine-tune=Instruct-1M encoding=IQ4_NL
  version-missing
Qwen_Qwen3-4B-Q6_K_L.gguf
  base-name=Qwen_Qwen3 size-label=4B encoding=Q6_K_L
  base-name-underscore version-missing
gpt-oss-20b-MXFP4.gguf
  base-name=gpt-oss size-label=20b encoding=MXFP4
  size-label-case version-missing
gpt-oss-120b-mxfp4-00001-of-00003.gguf
  base-name=gpt-oss size-label=120b encoding=mxfp4 shard=00001-of-00003
  size-label-case version-missing encoding-case
gemma-3-270m-it-qat-Q4_0.gguf
  base-name=gemma-3 size-label=270m fine-tune=it-qat encoding=Q4_0
  size-label-case version-missing
gemma-3-1b-it-q4_0.gguf
  base-name=gemma-3 size-label=1b fine-tune=it encoding=q4_0
  size-label-case version-missing encoding-case
gemma-3n-E2B-it-UD-Q4_K_XL.gguf
  base-name=gemma-3n size-label=E2B fine-tune=it encoding=UD-Q4_K_XL
  base-name-word size-label-form version-missing encoding-form
mmproj-model-f16.gguf
  sidecar=mmproj base-name=model encoding=f16
  size-label-missing version-missing encoding-case
mmproj-F16.gguf
  sidecar=mmproj encoding=F16
  size-label-missing version-missing base-name-missing
mmproj-google_gemma-3-27b-it-f16.gguf
  sidecar=mmproj base-name=google_gemma-3 size-label=27b fine-tune=it encoding=f16
  base-name-underscore size-label-case version-missing encoding-case
mmproj-Qwen2.5-VL-7B-Instruct-Q8_0.gguf
  sidecar=mmproj base-name=Qwen2.5-VL size-label=7B fine-tune=Instruct encoding=Q8_0
  base-name-dot version-missing
Qwen2-VL-7B-Instruct.mmproj-fp16.gguf
  base-name=Qwen2-VL size-label=7B fine-tune=Instruct sidecar=mmproj encoding=fp16
  version-missing separator order encoding-case
m-mmproj.gguf
  base-name=m sidecar=mmproj
  size-label-missing version-missing order
mmproj-m-F16.gguf
  sidecar=mmproj base-name=m encoding=F16
  size-label-missing version-missing
minicpm-v-mmproj-model-f16.gguf
  base-name=minicpm-v sidecar=mmproj rest=model encoding=f16
  size-label-missing version-missing order unassigned encoding-case
M-UD-Q4_K_XL.gguf
  base-name=M encoding=UD-Q4_K_XL
  size-label-missing version-missing encoding-form
m-MXFP4.gguf
  base-name=m encoding=MXFP4
  size-label-missing version-missing
Model.BF16-00001-of-00002.gguf
  base-name=Model encoding=BF16 shard=00001-of-00002
  size-label-missing version-missing separator
mtp-GLM-4.5-Air-Q8_0.gguf
  sidecar=mtp base-name=GLM-4.5-Air encoding=Q8_0
  base-name-dot size-label-missing version-missing
Qwen3.5-27B-MTP-Q8_0.gguf
  base-name=Qwen3.5 size-label=27B sidecar=MTP encoding=Q8_0
  base-name-dot version-missing word-case order
TheProfessor-155b.i1-IQ1_S.gguf
  base-name=TheProfessor size-label=155b encoding=i1-IQ1_S
  size-label-case version-missing separator encoding-form
TheProfessor-155b.i1-Q2_K.gguf.split-ab
  base-name=TheProfessor size-label=155b encoding=i1-Q2_K shard=split-ab
  size-label-case version-missing separator encoding-form shard-form after-extension
Qwen1.5-110B.i1-Q4_0.gguf.part2of2
  base-name=Qwen1.5 size-label=110B encoding=i1-Q4_0 shard=part2of2
  base-name-dot version-missing separator encoding-form shard-form after-extension
file1.gguf-split-a
  base-name=file1 shard=split-a
  size-label-missing version-missing shard-form after-extension
phi-2.Q4_K_M.gguf
  base-name=phi-2 encoding=Q4_K_M
  size-label-missing version-missing separator
Phi-3-mini-4k-instruct-q4.gguf
  base-name=Phi-3-mini-4k fine-tune=instruct encoding=q4
  base-name-word size-label-missing version-missing encoding-case
Phi-3.5-mini-instruct-Q4_K_M.gguf
  base-name=Phi-3.5-mini fine-tune=instruct encoding=Q4_K_M
  base-name-dot size-label-missing version-missing
Phi-3-medium-128k-instruct-IQ2_XXS.gguf
  base-name=Phi-3-medium-128k fine-tune=instruct encoding=IQ2_XXS
  base-name-word size-label-missing version-missing
phi-4-Q4_K_M.gguf
  base-name=phi-4 encoding=Q4_K_M
  size-label-missing version-missing
ggml-model-q4_k.gguf
  base-name=ggml-model encoding=q4_k
  size-label-missing version-missing encoding-case
ggml-vocab-llama-bpe.gguf
  rest=ggml type=vocab base-name=llama-bpe
  unassigned order size-label-missing version-missing
stories260K.gguf
  base-name=stories260K
  size-label-missing version-missing
stories15M-q4_0.gguf
  base-name=stories15M encoding=q4_0
  size-label-missing version-missing encoding-case
nomic-embed-text-v1.5.f16.gguf
  base-name=nomic-embed-text version=v1.5 encoding=f16
  size-label-missing separator encoding-case
all-MiniLM-L6-v2-Q8_0.gguf
  base-name=all-MiniLM-L6 version=v2 encoding=Q8_0
  size-label-missing
bge-large-en-v1.5-f32.gguf
  base-name=bge-large-en version=v1.5 encoding=f32
  size-label-missing encoding-case
mxbai-embed-large-v1-f16.gguf
  base-name=mxbai-embed-large version=v1 encoding=f16
  size-label-missing encoding-case
jina-embeddings-v2-base-en-Q8_0.gguf
  base-name=jina-embeddings-v2-base-en encoding=Q8_0
  size-label-missing version-missing
vicuna-13b-v1.5-16k.Q4_K_M.gguf
  base-name=vicuna size-label=13b version=v1.5 fine-tune=16k encoding=Q4_K_M
  size-label-case order separator
WizardLM-13B-V1.2.Q3_K_S.gguf
  base-name=WizardLM size-label=13B version=V1.2 encoding=Q3_K_S
  version-form separator
dolphin-2.9-llama3-8b-q8_0.gguf
  base-name=dolphin-2.9-llama3 size-label=8b encoding=q8_0
  base-name-dot size-label-case version-missing encoding-case
llava-v1.6-mistral-7b.Q3_K_XS.gguf
  base-name=llava-v1.6-mistral size-label=7b encoding=Q3_K_XS
  base-name-dot size-label-case version-missing separator
c4ai-command-r-v01-Q4_K_M.gguf
  base-name=c4ai-command-r version=v01 encoding=Q4_K_M
  size-label-missing
c4ai-command-r-plus-104b-q4_k-split-00001-of-00002.gguf
  base-name=c4ai-command-r-plus size-label=104b encoding=q4_k shard=split-00001-of-00002
  size-label-case version-missing encoding-case shard-form
Kimi-K2-Instruct-0905-smol-IQ4_KSS-00001-of-00011.gguf
  base-name=Kimi-K2 fine-tune=Instruct-0905-smol encoding=IQ4_KSS shard=00001-of-00011
  size-label-missing version-missing
OLMoE-1B-7B-0924-Instruct-Q4_K_M.gguf
  base-name=OLMoE size-label=1B-7B fine-tune=0924-Instruct encoding=Q4_K_M
  size-label-form version-missing
granite-3.0-1b-a400m-instruct-Q4_K_M.gguf
  base-name=granite-3.0 size-label=1b-a400m fine-tune=instruct encoding=Q4_K_M
  base-name-dot size-label-case version-missing
Llama-4-Scout-17B-16E-Instruct-UD-Q2_K_XL.gguf
  base-name=Llama-4-Scout size-label=17B-16E fine-tune=Instruct encoding=UD-Q2_K_XL
  size-label-form version-missing encoding-form
Hunyuan-A13B-Instruct-IQ4_XS.gguf
  base-name=Hunyuan size-label=A13B fine-tune=Instruct encoding=IQ4_XS
  size-label-form version-missing
LFM2-8B-A1B-Q4_K_M.gguf
  base-name=LFM2 size-label=8B-A1B encoding=Q4_K_M
  version-missing
Qwen3-30B-A3B-Instruct-2507-Q3_K_S-2.70bpw.gguf
  base-name=Qwen3 size-label=30B-A3B fine-tune=Instruct-2507 encoding=Q3_K_S-2.70bpw
  version-missing encoding-form
L3-8B-Stheno-v3.2-Q4_K_M-imat.gguf
  base-name=L3 size-label=8B fine-tune=Stheno version=v3.2 encoding=Q4_K_M-imat
  encoding-form
Mistral-7B-Instruct-v0.3.f16.q6_k.gguf
  base-name=Mistral size-label=7B fine-tune=Instruct version=v0.3 encoding=f16.q6_k
  separator encoding-case encoding-form
FusionDS_v0_Q4.gguf
  base-name=FusionDS version=v0 encoding=Q4
  size-label-missing separator separator
flux1-dev-Q4_K_S.gguf
  base-name=flux1-dev encoding=Q4_K_S
  size-label-missing version-missing
t5-v1_1-xxl-encoder-Q5_K_M.gguf
  base-name=t5-v1_1-xxl-encoder encoding=Q5_K_M
  base-name-underscore size-label-missing version-missing
umt5-xxl-encoder-Q8_0.gguf
  base-name=umt5-xxl-encoder encoding=Q8_0
  size-label-missing version-missing
wan2.1-i2v-14b-480p-Q4_K_M.gguf
  base-name=wan2.1-i2v size-label=14b fine-tune=480p encoding=Q4_K_M
  base-name-dot size-label-case version-missing
z_image_turbo-Q4_K_M.gguf
  base-name=z_image_turbo encoding=Q4_K_M
  base-name-underscore size-label-missing version-missing
imatrix.gguf
  type=imatrix
  base-name-missing size-label-missing version-missing type-unknown
imatrix_unsloth.gguf_file
  type=imatrix base-name=unsloth rest=_file
  type-unknown separator order size-label-missing version-missing after-extension
Qwen3-8B-imatrix.gguf
  base-name=Qwen3 size-label=8B type=imatrix
  version-missing type-unknown
my-adapter-lora.gguf
  base-name=my-adapter type=lora
  size-label-missing version-missing word-case
lora-adapter.gguf
  type=lora base-name=adapter
  word-case order size-label-missing version-missing
Foo-7B-v1.0-F16-lora.gguf
  base-name=Foo size-label=7B version=v1.0 encoding=F16 type=lora
  word-case
Nous-Hermes-2-Mixtral-8x7B-DPO.Q4_K_M.gguf
  base-name=Nous-Hermes-2-Mixtral size-label=8x7B fine-tune=DPO encoding=Q4_K_M
  version-missing separator
starcoder2-3b-Q4KM.gguf
  base-name=starcoder2 size-label=3b encoding=Q4KM
  size-label-case version-missing
qwen2.5-coder-7b-instruct-q4_k_m-00001-of-00002.gguf
  base-name=qwen2.5-coder size-label=7b fine-tune=instruct encoding=q4_k_m shard=00001-of-00002
  base-name-dot size-label-case version-missing encoding-case
qwen2.5-instruct-0001.gguf
  base-name=qwen2.5 fine-tune=instruct-0001
  base-name-dot size-label-missing version-missing
rubra_q4-00001-of-00006.gguf
  base-name=rubra encoding=q4 shard=00001-of-00006
  size-label-missing version-missing separator encoding-case
Meta-Llama-3-8B-Instruct-Q4_0_4_8.gguf
  base-name=Meta-Llama-3 size-label=8B fine-tune=Instruct encoding=Q4_0_4_8
  version-missing
Meta-Llama-3.1-405B-Instruct.Q2_K.gguf-00001-of-00009.gguf
  base-name=Meta-Llama-3.1 size-label=405B fine-tune=Instruct encoding=Q2_K rest=gguf shard=00001-of-00009
  base-name-dot version-missing separator separator unassigned
MiniCPM-V-2_6-Q4_K_M.gguf
  base-name=MiniCPM-V-2_6 encoding=Q4_K_M
  base-name-underscore size-label-missing version-missing
MODEL.Q4_K_M.GGUF
  base-name=MODEL encoding=Q4_K_M extension=.GGUF
  size-label-missing version-missing separator extension-case
model.gguf
  base-name=model
  size-label-missing version-missing
.gguf
  -
  base-name-missing size-label-missing version-missing
gguf
  base-name=gguf
  extension-missing size-label-missing version-missing
Q4_K_M.gguf
  encoding=Q4_K_M
  base-name-missing size-label-missing version-missing
7B.gguf
  size-label=7B
  base-name-missing version-missing
-00001-of-00002.gguf
  shard=00001-of-00002
  base-name-missing size-label-missing version-missing separator
model-Q4_K_M (1).gguf
  base-name=model encoding=Q4_K_M rest=(1)
  size-label-missing version-missing separator unassigned
Qwen3-8B-Q4_K_M.gguf.part
  base-name=Qwen3 size-label=8B encoding=Q4_K_M rest=.part
  version-missing after-extension
Qwen3-8B-Q4_K_M.gguf.crdownload
  base-name=Qwen3 size-label=8B encoding=Q4_K_M rest=.crdownload
  version-missing after-extension
Llama-3_3-Nemotron-Super-49B-v1_5-Q4_K_M.gguf
  base-name=Llama-3_3-Nemotron-Super size-label=49B version=v1_5 encoding=Q4_K_M
  base-name-underscore version-form
模型-7B-Q4_K_M.gguf
  base-name=模型 size-label=7B encoding=Q4_K_M
  base-name-character version-missing
Yi-1.5-9B-Chat-16K-Q4_0.gguf
  base-name=Yi-1.5 size-label=9B fine-tune=Chat-16K encoding=Q4_0
  base-name-dot version-missing
internlm2_5-7b-chat-1m-q4_k_m.gguf
  base-name=internlm2_5 size-label=7b fine-tune=chat-1m encoding=q4_k_m
  base-name-underscore size-label-case version-missing encoding-case
Qwen3-VL-8B-Instruct-abliterated-v2.0.Q8_0.gguf
  base-name=Qwen3-VL size-label=8B fine-tune=Instruct-abliterated version=v2.0 encoding=Q8_0
  separator
Qwen3-0.6B-IQ4_XS_R8.gguf
  base-name=Qwen3 size-label=0.6B encoding=IQ4_XS_R8
  version-missing
bitnet_b1_58-3B-TQ2_0.gguf
  base-name=bitnet_b1_58 size-label=3B encoding=TQ2_0
  base-name-underscore version-missing
Bonsai-8B-Q1_0.gguf
  base-name=Bonsai size-label=8B encoding=Q1_0
  version-missing
nvidia_Nemotron-3-Nano-30B-A3B-NVFP4.gguf
  base-name=nvidia_Nemotron-3-Nano size-label=30B-A3B encoding=NVFP4
  base-name-underscore version-missing
sha256-667b0c1932bc6ffc593ed1d03f895bf2dc8dc6df21db3042284a6f4416b06a29
  base-name=sha256-667b0c1932bc6ffc593ed1d03f895bf2dc8dc6df21db3042284a6f4416b06a29
  base-name-word extension-missing size-label-missing version-missing
Foo--v1.0.gguf
  base-name=Foo version=v1.0
  -
Mixtral-8x7B-v0.1-KQ2.gguf
  base-name=Mixtral size-label=8x7B version=v0.1 encoding=KQ2
  encoding-unknown
model (1).gguf
  base-name=model rest=(1)
  size-label-missing version-missing separator unassigned
Qwen3-4B-Instruct-GGUF-Q8_0.gguf
  base-name=Qwen3 size-label=4B fine-tune=Instruct-GGUF encoding=Q8_0
  version-missing
functiongemma-it.gguf
  base-name=functiongemma fine-tune=it
  size-label-missing version-missing
v1.gguf
  base-name=v1
  size-label-missing version-missing
";

#[test]
fn names_in_the_wild() {
    let lines: Vec<&str> = NAMES.trim_matches('\n').lines().collect();
    let mut failed = String::new();
    for entry in lines.chunks(3) {
        let [name, parts, deviations] = entry else { panic!("{entry:?} is not three lines") };
        let found = parse_lenient(name);
        let shown = |list: Vec<String>| if list.is_empty() { "-".into() } else { list.join(" ") };
        let found_parts = shown(
            found
                .parts()
                .iter()
                .filter(|(kind, part)| *kind != PartKind::Extension || part.text != ".gguf")
                .map(|(kind, part)| format!("{}={}", kind.id(), part.text))
                .collect(),
        );
        let found_deviations = shown(found.deviations.iter().map(|d| d.kind.id().into()).collect());
        if found_parts != parts.trim_start() || found_deviations != deviations.trim_start() {
            failed += &format!("{name}\n  {found_parts}\n  {found_deviations}\n");
        }
    }
    assert!(failed.is_empty(), "read otherwise:\n{failed}");
}
