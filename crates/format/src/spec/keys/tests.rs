use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::*;

fn pattern(key: &str) -> Option<&'static str> {
    lookup(key.as_bytes()).map(|info| info.pattern)
}

#[test]
fn patterns_are_unique_and_found_by_an_example_of_themselves() {
    for (i, info) in KEYS.iter().enumerate() {
        assert!(!KEYS[..i].iter().any(|other| other.pattern == info.pattern), "{} twice", info.pattern);
        let example: String =
            info.pattern.replace("{arch}", "qwen3moe").replace("{i}", "17").replace("{name}", "tool_use.v2");
        assert!(!example.contains('{'), "{example}");
        assert_eq!(pattern(&example), Some(info.pattern));
    }
}

#[test]
fn rows_are_complete() {
    for info in KEYS {
        assert!(!info.types.is_empty(), "{}", info.pattern);
        let texts =
            core::iter::once(info.meaning).chain(info.unit).chain(info.values.iter().map(|v| v.meaning));
        for text in texts {
            assert!(!text.en.is_empty() && text.en.is_ascii(), "{}: {}", info.pattern, text.en);
            assert!(!text.zh.is_empty(), "{}", info.pattern);
        }
        assert!(info.meaning.en.ends_with('.') && info.meaning.zh.ends_with('。'), "{}", info.pattern);
        if let Some(instead) = info.deprecated {
            assert!(KEYS.iter().any(|other| other.pattern == instead && other.deprecated.is_none()));
        }
        for ty in info.types {
            assert!(ty.element().is_known() && ty.element() != ValueType::ARRAY, "{}", info.pattern);
        }
        for value in info.values {
            let matching = info
                .types
                .iter()
                .any(|ty| (ty.element() == ValueType::STRING) == matches!(value.value, Choice::Str(_)));
            assert!(matching, "{}", info.pattern);
        }
    }
}

#[test]
fn placeholders_match_what_they_stand_for() {
    assert_eq!(pattern("llama.attention.head_count"), Some("{arch}.attention.head_count"));
    assert_eq!(pattern("ernie4_5-moe.context_length"), Some("{arch}.context_length"));
    assert_eq!(pattern("general.base_model.0.name"), Some("general.base_model.{i}.name"));
    assert_eq!(pattern("general.base_model.123.repo_url"), Some("general.base_model.{i}.repo_url"));
    assert_eq!(pattern("tokenizer.chat_template"), Some("tokenizer.chat_template"));
    assert_eq!(pattern("tokenizer.chat_template.Tool-Use"), Some("tokenizer.chat_template.{name}"));
    assert_eq!(
        pattern("comfy.gguf.orig_shape.input_blocks.0.0.weight"),
        Some("comfy.gguf.orig_shape.{name}")
    );
    assert_eq!(pattern("clip.vision.attention.head_count"), Some("clip.vision.attention.head_count"));
}

#[test]
fn what_is_not_a_key_is_not_found() {
    for key in [
        "",
        ".",
        "general",
        "general.",
        ".context_length",
        "context_length",
        "general.context_length",
        "tokenizer.block_count",
        "a.b.context_length",
        "llama.context_length.",
        "llama.Context_Length",
        "general.base_model..name",
        "general.base_model.x.name",
        "general.base_model.1.",
        "general.base_model.{i}.name",
        "tokenizer.chat_template.",
        "split.nope",
    ] {
        assert_eq!(pattern(key), None, "{key}");
    }
    assert_eq!(lookup(b"llama.context_length\xff").map(|i| i.pattern), None);
}

#[test]
fn types_of_the_keys_that_loaders_are_strict_about() {
    let first = |key: &str| lookup(key.as_bytes()).unwrap().types[0].to_string();
    for (key, ty) in [
        ("general.architecture", "string"),
        ("general.alignment", "u32"),
        ("general.tensor_extra.prec_a4", "array[bool]"),
        ("general.sampling.top_k", "i32"),
        ("general.sampling.temp", "f32"),
        ("split.no", "u16"),
        ("split.count", "u16"),
        ("split.tensors.count", "i32"),
        ("tokenizer.ggml.token_type", "array[i32]"),
        ("tokenizer.ggml.scores", "array[f32]"),
        ("llama.context_length", "u32"),
        ("llama.rope.freq_base", "f32"),
        ("llama.rope.dimension_sections", "array[i32]"),
        ("qwen4exp.ple.head_offsets", "array[u64]"),
        ("adapter.alora.invocation_tokens", "array[u32]"),
        ("controlvector.layer_count", "i32"),
        ("imatrix.chunk_count", "u32"),
    ] {
        assert_eq!(first(key), ty, "{key}");
    }
    let heads = lookup(b"llama.attention.head_count").unwrap();
    assert!(heads.accepts(KeyType::Scalar(ValueType::UINT32)));
    assert!(heads.accepts(KeyType::Array(ValueType::UINT32)));
    assert!(!heads.accepts(KeyType::Scalar(ValueType::UINT64)));
}

#[test]
fn enumerated_values_have_names() {
    let pooling = lookup(b"bert.pooling_type").unwrap();
    assert_eq!(pooling.choice_int(3).map(|v| v.name), Some("LAST"));
    assert_eq!(pooling.choice_int(9), None);
    let gating = lookup(b"deepseek2.expert_gating_func").unwrap();
    assert_eq!(gating.choice_int(2).map(|v| v.name), Some("SIGMOID"));
    let scaling = lookup(b"llama.rope.scaling.type").unwrap();
    assert!(scaling.choice_str("yarn").is_some() && scaling.choice_str("YARN").is_none());
    let kinds = lookup(b"tokenizer.ggml.token_type").unwrap();
    let ids: Vec<_> = kinds.values.iter().map(|v| v.value).collect();
    assert_eq!(ids, [1, 2, 3, 4, 5, 6].map(Choice::Int));
}

#[test]
fn near_finds_what_was_meant() {
    let best = |key: &str| near(key.as_bytes(), 3).first().copied();
    assert_eq!(best("general.achitecture"), Some("general.architecture"));
    assert_eq!(best("general.Name"), Some("general.name"));
    assert_eq!(best("general.file-type"), Some("general.file_type"));
    assert_eq!(best("llama.contxet_length"), Some("{arch}.context_length"));
    assert_eq!(best("qwen2.attention.head_count_vk"), Some("{arch}.attention.head_count_kv"));
    assert_eq!(best("general.base_model.0.nmae"), Some("general.base_model.{i}.name"));
    assert_eq!(best("tokenizer.ggml.seperater_token_id"), Some("tokenizer.ggml.seperator_token_id"));
    assert_eq!(best("tokenizer.chat_tempalte"), Some("tokenizer.chat_template"));
    assert_eq!(best("block_count"), Some("{arch}.block_count"));
    assert_eq!(best("general.block_count"), Some("{arch}.block_count"));
    assert_eq!(best("clip.vision.image_sise"), Some("clip.vision.image_size"));
}

#[test]
fn near_is_silent_about_known_foreign_and_monstrous_keys() {
    assert!(near(b"general.name", 5).is_empty());
    assert!(near(b"llama.context_length", 5).is_empty());
    assert!(near(b"general.name2", 0).is_empty());
    assert!(near(b"", 5).is_empty());
    assert!(near(b"ollama.private.cache_directory", 5).is_empty());
    assert!(near(&[b'a'; 1 << 20], 5).is_empty());
    assert!(near(b"\xff\xfe.\x00", 5).is_empty());
    assert!(near(b"general.base_model.0.urll", 2).len() <= 2);
}
