use ggufkit_format::{ByteStr, Index, Options, View, parse};
use ggufkit_testkit::{Builder, Tensor as Made, Value as Given};

use super::*;
use crate::model::Part;

/// Ids of types, from the table in the specification.
const F16: u32 = 1;
const Q5_0: u32 = 6;
const Q8_0: u32 = 8;
const Q4_K: u32 = 12;
const Q6_K: u32 = 14;

struct File {
    bytes: Vec<u8>,
    index: Index,
}

impl File {
    fn new(builder: Builder) -> Self {
        Self::of(builder.bytes())
    }

    fn of(bytes: Vec<u8>) -> Self {
        let index = parse(&bytes, Options::new()).into_result().unwrap();
        Self { bytes, index }
    }

    fn model(&self) -> Model<'_> {
        let view = View::new(&self.index, &self.bytes);
        Model::single(Part {
            label: ByteStr(b"f"),
            file_name: None,
            size: Some(self.bytes.len() as u64),
            view,
        })
    }

    fn summary(&self) -> Summary<'_> {
        let summary = summary(&self.model());
        let sum: u64 = summary.areas.iter().map(|area| area.bytes).sum();
        assert_eq!(sum, self.bytes.len() as u64, "{:?}", summary.areas);
        summary
    }
}

fn kv(key: &str, value: impl Into<Given>) -> Builder {
    Builder::new().kv(key, value)
}

fn codes<'a>(summary: &Summary<'a>) -> Vec<(&'static str, u64)> {
    summary.notices.iter().map(|notice| (notice.code, notice.count)).collect()
}

fn message<'s>(summary: &'s Summary<'_>, code: &str) -> &'s str {
    summary.notices.iter().find(|notice| notice.code == code).map_or("", |notice| &notice.message)
}

#[test]
fn kinds_follow_from_what_the_file_says_then_from_keys_then_from_names() {
    let tensors =
        |names: &[&str]| names.iter().fold(Builder::new(), |b, name| b.tensor(Made::f32(name, &[4, 2])));
    for (builder, kind, reason) in [
        (kv("general.type", "model"), Kind::Model, "general.type is \"model\""),
        (kv("general.type", "adapter").kv("adapter.type", "lora"), Kind::Lora, "general.type is \"adapter\""),
        (kv("general.type", "adapter"), Kind::Adapter, "general.type is \"adapter\""),
        (kv("general.type", "mmproj"), Kind::Mmproj, "general.type is \"mmproj\""),
        (kv("general.type", "imatrix"), Kind::Imatrix, "general.type is \"imatrix\""),
        (
            kv("general.type", "model").kv("tokenizer.ggml.tokens", vec!["a"]),
            Kind::Vocab,
            "general.type is \"model\", but there is no tensor, only a vocabulary",
        ),
        (kv("general.architecture", "clip"), Kind::Mmproj, "general.architecture is \"clip\""),
        (
            kv("general.architecture", "controlvector"),
            Kind::ControlVector,
            "general.architecture is \"controlvector\"",
        ),
        (kv("general.architecture", "flux"), Kind::Diffusion, "general.architecture is \"flux\""),
        (kv("adapter.type", "lora"), Kind::Lora, "it has the key adapter.type"),
        (kv("imatrix.chunk_count", 3_u32), Kind::Imatrix, "it has the key imatrix.chunk_count"),
        (tensors(&["a.lora_a", "a.lora_b"]), Kind::Lora, "tensors come in pairs .lora_a and .lora_b"),
        (tensors(&["a.in_sum2", "a.counts"]), Kind::Imatrix, "tensors come in pairs .in_sum2 and .counts"),
        (tensors(&["direction.1"]), Kind::ControlVector, "tensors are named direction.N"),
        (
            tensors(&["v.blk.0.x", "mm.0.weight"]),
            Kind::Mmproj,
            "tensors are named like those of a vision or audio encoder",
        ),
        (
            tensors(&["double_blocks.0.img_attn.qkv.weight"]),
            Kind::Diffusion,
            "tensors are named like those of an image model",
        ),
        (tensors(&["blk.0.x"]), Kind::Model, "tensors are named like those of a language model"),
        (kv("tokenizer.ggml.tokens", vec!["a"]), Kind::Vocab, "there is no tensor, only a vocabulary"),
        (kv("general.architecture", "llama"), Kind::Model, "general.architecture is \"llama\""),
        (kv("general.architecture", "nobody"), Kind::Unknown, "neither keys nor tensor names say what it is"),
        (Builder::new(), Kind::Unknown, "neither keys nor tensor names say what it is"),
        (kv("split.count", 3_u16), Kind::Model, "it is a shard of a split model"),
    ] {
        let file = File::new(builder);
        let summary = file.summary();
        assert_eq!((summary.kind, summary.kind_reason.as_str()), (kind, reason));
    }
}

#[test]
fn an_absent_architecture_is_not_guessed() {
    let file = File::new(
        Builder::new().tensor(Made::f32("blk.0.attn_q.weight", &[4, 4])).kv("llama.block_count", 1_u32),
    );
    let summary = file.summary();
    assert_eq!((summary.architecture, summary.architecture_known), (None, None));
    assert_eq!(summary.figures, Figures { layers_found: Some(1), ..Figures::default() });
    let file = File::new(kv("general.architecture", "myarch").kv("myarch.block_count", 2_u32));
    assert_eq!(file.summary().architecture_known, Some(false));
    assert_eq!(file.summary().figures.layers, Some(Figure::One(2)));
    let file = File::new(kv("general.architecture", 5_u32));
    assert_eq!(codes(&file.summary()), [("architecture-type", 1)]);
}

#[test]
fn figures_of_layers_are_ranges_and_odd_ones_are_kept_apart() {
    let file = File::new(
        kv("general.architecture", "x")
            .kv("x.block_count", "32")
            .kv("x.attention.head_count", vec![32_u32, 32, 32])
            .kv("x.attention.head_count_kv", vec![8_u32, 0, 4])
            .kv("x.context_length", -1_i32)
            .kv("x.embedding_length", 0.1_f32)
            .kv("x.expert_count", u64::MAX),
    );
    let figures = file.summary().figures;
    let odd = |ty: &str, text: &str| Some(Figure::Odd { ty: ty.to_owned(), text: text.to_owned() });
    assert_eq!(figures.layers, odd("string", "32"));
    assert_eq!(figures.heads, Some(Figure::Layers { min: 32, max: 32, values: 3 }));
    assert_eq!(figures.kv_heads, Some(Figure::Layers { min: 0, max: 8, values: 3 }));
    assert_eq!(figures.context_length, odd("i32", "-1"));
    assert_eq!(figures.embedding_length, odd("f32", "0.1"));
    assert_eq!(figures.experts, Some(Figure::One(u64::MAX)));
    let file = File::new(
        kv("general.architecture", "x")
            .kv("x.block_count", 4_u32)
            .kv("x.attention.head_count", vec![8_u32, 8, 8]),
    );
    let summary = file.summary();
    assert_eq!(
        message(&summary, "layer-array-length"),
        "attention.head_count has 3 values, but block_count is 4"
    );
}

/// One layer of 256-wide matrices, and an embedding.
fn quantized(file_type: u32, layer: u32, rows: u64) -> File {
    File::new(
        kv("general.file_type", file_type)
            .tensor(Made::new("token_embd.weight", Q6_K, &[256, 100]))
            .tensor(Made::f32("blk.0.attn_norm.weight", &[256]))
            .tensor(Made::new("blk.0.attn_q.weight", layer, &[256, rows]))
            .tensor(Made::new("blk.0.attn_v.weight", Q6_K, &[256, 2])),
    )
}

#[test]
fn the_mix_is_by_bytes_and_the_recipe_is_compared_with_the_layers() {
    // Bytes: embedding 100 * 210, norm 256 * 4, q 8 * 144, v 2 * 210.
    let file = quantized(15, Q4_K, 8);
    let q = file.summary().quantization.unwrap();
    let mix: Vec<_> = q.mix.iter().map(|share| (share.name.as_str(), share.tensors, share.bytes)).collect();
    assert_eq!(mix, [("Q6_K", 2, 21_420), ("Q4_K", 1, 1_152), ("F32", 1, 1_024)]);
    assert_eq!(q.bytes, 23_596);
    assert_eq!(q.mix[0].share, 21_420.0 / 23_596.0);
    assert_eq!(q.mix[0].bits_per_weight, Some(6.5625));
    // Elements: 256 * (100 + 1 + 8 + 2).
    assert_eq!(q.bits_per_weight, Some(23_596.0 * 8.0 / 28_416.0));
    assert_eq!(q.stated, Some(Stated { id: Some(15), name: "Q4_K_M".to_owned() }));
    assert_eq!((q.dominant.as_deref(), q.agrees), (Some("Q4_K"), Some(true)));
    assert_eq!((q.embedding.as_deref(), q.output), (Some("Q6_K"), None));
    assert_eq!(q.resembles.as_deref(), Some("Q4_K_M"));
    assert_eq!(file.summary().parameters, Parameters { total: Some(28_416), active: None });
}

#[test]
fn types_that_rows_of_odd_length_fall_back_to_contradict_no_recipe() {
    let file = File::new(
        kv("general.file_type", 15_u32)
            .tensor(Made::new("token_embd.weight", Q5_0, &[640, 4]))
            .tensor(Made::new("blk.0.attn_q.weight", Q5_0, &[640, 8]))
            .tensor(Made::new("blk.0.ffn_down.weight", Q4_K, &[256, 2])),
    );
    let q = file.summary().quantization.unwrap();
    assert_eq!((q.dominant.as_deref(), q.agrees, q.disagreement), (Some("Q5_0"), Some(true), None));
    assert_eq!(q.resembles.as_deref(), Some("Q4_K_M"));
}

#[test]
fn a_recipe_that_the_layers_contradict_is_told() {
    // q: 8 rows of 8 blocks of 22 bytes = 1408; v: 420 bytes.
    let file = quantized(15, Q5_0, 8);
    let summary = file.summary();
    let text =
        "general.file_type says Q4_K_M, which is mostly Q4_K, but by bytes the layers are mostly Q5_0 (77%)";
    assert_eq!(message(&summary, "file-type-disagrees"), text);
    assert_eq!(summary.quantization.as_ref().map(|q| q.agrees), Some(Some(false)));
    let file = quantized(7, F16, 8);
    let text = "general.file_type says Q8_0, but by bytes the layers are mostly F16 (91%)";
    assert_eq!(message(&file.summary(), "file-type-disagrees"), text);
    // A file type that nobody knows is neither right nor wrong.
    let file = quantized(99, Q4_K, 8);
    let q = file.summary().quantization.unwrap();
    assert_eq!((q.agrees, q.stated.map(|stated| stated.name)), (None, Some("unknown(99)".to_owned())));
}

#[test]
fn experts_that_are_not_used_are_not_active() {
    let model =
        || kv("general.architecture", "x").kv("x.expert_count", 4_u32).kv("x.expert_used_count", 2_u32);
    // 2 * 3 * 4 elements in all experts, half of them used; 5 * 2 elsewhere.
    let file = File::new(
        model()
            .tensor(Made::f32("blk.0.ffn_up_exps.weight", &[2, 3, 4]))
            .tensor(Made::f32("blk.0.x.weight", &[5, 2])),
    );
    assert_eq!(file.summary().parameters, Parameters { total: Some(34), active: Some(22) });
    // The same, an expert to a tensor.
    let one =
        |builder: Builder, n: u32| builder.tensor(Made::f32(format!("blk.0.ffn_up.{n}.weight"), &[2, 3]));
    let file = File::new((0..4).fold(model(), one).tensor(Made::f32("blk.0.x.weight", &[5, 2])));
    assert_eq!(file.summary().parameters, Parameters { total: Some(34), active: Some(22) });
    // Shapes that do not fit the count tell nothing.
    let file = File::new(model().tensor(Made::f32("blk.0.ffn_up_exps.weight", &[2, 3, 5])));
    assert_eq!(file.summary().parameters, Parameters { total: Some(30), active: None });
}

#[test]
fn sums_that_overflow_are_not_told() {
    let huge = |name: &str| Made::f32(name, &[1 << 32, 1 << 31]).data(vec![]);
    let file = File::new(Builder::new().tensor(huge("a")).tensor(huge("b")).without_data());
    let summary = file.summary();
    assert_eq!(summary.parameters.total, None);
    assert_eq!(codes(&summary)[0], ("tensor-size-overflow", 2));
}

#[test]
fn special_tokens_and_templates() {
    let file = File::new(
        kv("tokenizer.ggml.model", "gpt2")
            .kv("tokenizer.ggml.tokens", vec!["<s>", "</s>", "x"])
            .kv("tokenizer.ggml.bos_token_id", 0_u32)
            .kv("tokenizer.ggml.eos_token_id", 3_u32)
            .kv("tokenizer.ggml.padding_token_id", u32::MAX)
            .kv("tokenizer.ggml.seperator_token_id", "2")
            .kv("tokenizer.chat_template", "12345")
            .kv("tokenizer.chat_template.tool_use", "123")
            .kv("tokenizer.chat_templates", vec!["default", "tool_use", "rag"]),
    );
    let summary = file.summary();
    let special = &summary.tokenizer.as_ref().unwrap().special;
    let told: Vec<_> =
        special.iter().map(|t| (t.name, t.text.map(|t| t.short(9)), t.in_vocabulary)).collect();
    assert_eq!(
        told,
        [
            ("bos", Some("<s>".to_owned()), Some(true)),
            ("eos", None, Some(false)),
            ("sep", None, None),
            ("pad", None, Some(false)),
        ]
    );
    assert_eq!(
        message(&summary, "special-token-outside"),
        "tokenizer.ggml.eos_token_id is 3, outside the vocabulary of 3 tokens"
    );
    let templates = summary.chat_templates.as_ref().unwrap();
    assert_eq!((templates.default, templates.named_count, templates.missing_count), (Some(5), 1, 1));
    assert_eq!(templates.named[0].bytes, Some(3));
    assert_eq!(
        message(&summary, "template-missing"),
        "tokenizer.chat_templates lists \"rag\", which has no template"
    );
    assert_eq!(codes(&summary), [("special-token-outside", 2), ("template-missing", 1)]);
}

#[test]
fn companions_of_models() {
    let file = File::new(
        kv("general.type", "adapter")
            .kv("adapter.type", "lora")
            .kv("adapter.lora.alpha", 16.0_f32)
            .tensor(Made::f32("blk.0.attn_q.weight.lora_a", &[64, 2]))
            .tensor(Made::f32("blk.0.attn_q.weight.lora_b", &[2, 64]))
            .tensor(Made::f32("token_embd.weight.lora_a", &[8, 100]))
            .tensor(Made::f32("x.lora_b", &[2, 64])),
    );
    let adapter = file.summary().adapter.unwrap();
    assert_eq!(adapter.rank, Some(Figure::Layers { min: 2, max: 8, values: 2 }));
    assert_eq!((adapter.pairs, adapter.unpaired), (1, 2));
    assert_eq!(adapter.alpha, Some(Number(ggufkit_format::Scalar::F32(16.0))));

    let file = File::new(
        kv("general.architecture", "clip")
            .kv("clip.has_vision_encoder", true)
            .kv("clip.has_audio_encoder", true)
            .kv("clip.vision.projector_type", "qwen2.5vl")
            .kv("clip.vision.image_size", 224_u32),
    );
    let projectors = file.summary().projectors;
    let told: Vec<_> =
        projectors.iter().map(|p| (p.modality, p.projector_type.map(|t| t.short(20)))).collect();
    assert_eq!(told, [("vision", Some("qwen2.5vl".to_owned())), ("audio", None)]);
    assert_eq!(projectors[0].image_size, Some(Figure::One(224)));

    let file = File::new(
        kv("general.type", "imatrix")
            .kv("imatrix.datasets", vec!["wiki.txt"])
            .kv("imatrix.chunk_count", 5_u32)
            .tensor(Made::f32("a.in_sum2", &[4]))
            .tensor(Made::f32("a.counts", &[1])),
    );
    let imatrix = file.summary().imatrix.unwrap();
    assert_eq!(
        (imatrix.entries, imatrix.datasets_count, imatrix.chunk_count),
        (1, Some(1), Some(Figure::One(5)))
    );
    assert_eq!(file.summary().importance, None);
    // A model that was quantized by one.
    let model = kv("general.architecture", "llama").kv("quantize.imatrix.file", "i.gguf");
    let file = File::new(model.kv("quantize.imatrix.chunks_count", 100_u32));
    let made = file.summary().importance.unwrap();
    assert_eq!(made.file.map(|text| text.short(20)), Some("i.gguf".to_owned()));
    assert_eq!((made.dataset, made.entries_count, made.chunks_count), (None, None, Some(Figure::One(100))));
}

#[test]
fn placement_is_told_once_per_sort() {
    // Data positions: a at 0..64, b at 32..96 (overlaps), c at 200 (not aligned; a gap before it).
    let file = File::new(
        Builder::new()
            .tensor(Made::f32("a", &[16]))
            .tensor(Made::f32("b", &[16]).offset(32))
            .tensor(Made::f32("c", &[16]).offset(200))
            .tensor(Made::f32("far", &[16]).offset(1 << 40).data(vec![])),
    );
    let summary = file.summary();
    let start = summary.file.data_offset.unwrap();
    let told: Vec<_> = summary.notices.iter().map(|n| (n.code, n.name.unwrap().short(9), n.offset)).collect();
    let of = |name: &str| {
        let tensor = file
            .index
            .tensors()
            .iter()
            .find(|t| View::new(&file.index, &file.bytes).name(t).0 == name.as_bytes());
        tensor.unwrap().span.start
    };
    assert_eq!(
        told,
        [
            ("tensor-outside-file", "far".to_owned(), Some(start + (1 << 40))),
            ("tensor-misaligned", "c".to_owned(), Some(of("c"))),
            ("tensor-overlap", "b".to_owned(), Some(start + 32)),
            ("tensor-gap", "c".to_owned(), Some(start + 200)),
        ]
    );
    let gap = message(&summary, "tensor-gap");
    assert!(
        gap.starts_with(&format!(
            "a gap of unused bytes lies before the data, from {:#x} to {:#x}",
            start + 96,
            start + 200
        )),
        "{gap}"
    );
    let overlap = message(&summary, "tensor-overlap");
    assert_eq!(overlap, format!("the data overlaps that of \"a\" at {:#x}..{:#x}", start + 32, start + 64));
}

#[test]
fn what_is_in_order_is_not_told() {
    // Tensors without bytes share the next one's offset; sizes that are not known give no gap.
    let file = File::new(
        Builder::new()
            .tensor(Made::new("odd", 156, &[32]).data(vec![1; 100]))
            .tensor(Made::f32("empty", &[4, 0]))
            .tensor(Made::f32("w", &[3])),
    );
    assert_eq!(codes(&file.summary()), [("unknown-tensor-type", 1)]);
}

#[test]
fn duplicates_and_disagreements() {
    let file = File::new(
        kv("general.architecture", "llama")
            .kv("llama.block_count", u32::MAX)
            .kv("llama.block_count", 2_u32)
            .kv("tokenizer.ggml.tokens", vec!["a", "b"])
            .tensor(Made::f32("token_embd.weight", &[4, 3]))
            .tensor(Made::f32("blk.0.x", &[4]))
            .tensor(Made::f32("blk.0.x", &[4])),
    );
    let summary = file.summary();
    assert_eq!(
        codes(&summary),
        [("duplicate-key", 1), ("duplicate-tensor", 1), ("layers-disagree", 1), ("vocabulary-disagrees", 1)]
    );
    assert_eq!(
        message(&summary, "layers-disagree"),
        "block_count is 4,294,967,295, but tensor names speak of 1 layer"
    );
    assert_eq!(
        message(&summary, "vocabulary-disagrees"),
        "the tokenizer has 2 tokens, but token_embd.weight has 3 rows"
    );
}

#[test]
fn hostile_tables_give_small_summaries() {
    // A type of its own and a name of its own for each of 20,000 tensors, 20,000 templates and template names.
    let mut builder = Builder::new();
    let mut names = Vec::new();
    for n in 0..20_000_u32 {
        builder = builder
            .kv(format!("tokenizer.chat_template.t{n}"), "x")
            .tensor(Made::new(format!("blk.{n}.x"), 1000 + n, &[1]).data(vec![]));
        names.push(format!("m{n}"));
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let file = File::new(builder.kv("tokenizer.chat_templates", names));
    let summary = file.summary();
    let mut json = Vec::new();
    crate::json::write(&mut json, &summary, true).unwrap();
    assert!(json.len() < 30_000, "{}", json.len());
    assert_eq!(summary.chat_templates.unwrap().missing_count, 20_000);
    assert_eq!(summary.figures.layers_found, Some(20_000));
}

#[test]
fn the_biggest_q8_file_of_all() {
    // A single huge tensor whose bytes fit in 64 bits: no sum may wrap.
    let file = File::new(Builder::new().tensor(Made::new("blk.0.w", Q8_0, &[1 << 31, 1 << 31]).data(vec![])));
    let summary = file.summary();
    assert_eq!(summary.parameters.total, Some(1 << 62));
    assert_eq!(summary.quantization.unwrap().bytes, (1_u64 << 62) / 32 * 34);
}
