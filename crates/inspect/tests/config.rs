//! What an engine is told, and why: values from the metadata, defaults by llama.cpp's rules.

#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use ggufkit_format::ByteStr;
use ggufkit_format::{Options, Scalar, View, parse};
use ggufkit_inspect::config::{Config, Setting, Source, config};
use ggufkit_inspect::{Model, Part};
use ggufkit_testkit::{Builder, Tensor, Value};

fn resolved<T>(document: &Builder, look: impl FnOnce(&Config<'_>) -> T) -> T {
    let file = document.build();
    let size = file.size();
    let index = parse(file.bytes(), Options::new().with_size(Some(size))).into_result().unwrap();
    let view = View::new(&index, file.bytes());
    let part = Part { label: ByteStr(b"test.gguf"), file_name: None, size: Some(size), view };
    look(&config(&Model::single(part)))
}

fn llama() -> Builder {
    Builder::new()
        .kv("general.architecture", "llama")
        .kv("llama.block_count", 3_u32)
        .kv("llama.context_length", 4096_u32)
        .kv("llama.embedding_length", 512_u32)
        .kv("llama.attention.head_count", 8_u32)
        .kv("llama.attention.layer_norm_rms_epsilon", 1e-5_f32)
        .kv("tokenizer.ggml.model", "llama")
        .kv("tokenizer.ggml.tokens", Value::strings(["<unk>", "<s>", "</s>"]))
}

fn value<'a>(config: &'a Config<'_>, name: &str) -> &'a Setting<'a> {
    &config.entries.iter().find(|e| e.name == name).unwrap_or_else(|| panic!("no {name}")).value
}

fn integer(config: &Config<'_>, name: &str) -> Option<u64> {
    match value(config, name) {
        Setting::Integer(n) => Some(*n),
        _ => None,
    }
}

#[test]
fn absent_keys_take_the_defaults_of_the_engine() {
    resolved(&llama(), |config| {
        assert_eq!(integer(config, "key-value heads"), Some(8), "as many as heads");
        assert_eq!(integer(config, "key head size"), Some(64), "512 / 8");
        assert_eq!(integer(config, "dimensions"), Some(64), "rope over the whole head");
        assert_eq!(integer(config, "original context"), Some(4096));
        assert_eq!(integer(config, "size"), Some(3), "the number of tokens");
        assert!(matches!(value(config, "frequency base"), Setting::Float(10000.0)));
        assert!(
            matches!(value(config, "add beginning"), Setting::Word("true")),
            "SentencePiece begins with BOS"
        );
        assert!(config.missing.is_empty(), "{:?}", config.missing);
        assert!(config.notes.is_empty(), "{:?}", config.notes);
    });
}

#[test]
fn every_value_names_its_key_and_place() {
    let document = llama();
    let place = document.build().span("kv[2].value").start;
    resolved(&document, |config| {
        let entry = config.entries.iter().find(|e| e.name == "context length").unwrap();
        let expected = Source::Key { key: "llama.context_length".into(), offset: place };
        assert_eq!(entry.source, expected);
    });
}

#[test]
fn what_loading_needs_and_is_not_there_is_named() {
    let document = Builder::new().kv("general.architecture", "qwen3moe").kv("qwen3moe.block_count", 2_u32);
    resolved(&document, |config| {
        assert_eq!(
            config.missing,
            [
                "qwen3moe.context_length",
                "qwen3moe.embedding_length",
                "tokenizer.ggml.model",
                "qwen3moe.attention.layer_norm_rms_epsilon",
                "qwen3moe.expert_count",
                "qwen3moe.expert_used_count",
            ]
        );
    });
    resolved(&Builder::new(), |config| assert_eq!(config.missing, ["general.architecture"]));
}

#[test]
fn values_that_stand_in_the_way_are_noted() {
    let note = |document: Builder, words: &[&str]| {
        resolved(&document, |config| {
            let notes: Vec<_> = config.notes.iter().map(ToString::to_string).collect();
            let all = notes.join("\n");
            for word in words {
                assert!(all.contains(word), "{word} in {all:?}");
            }
        });
    };
    // A legal file that llama.cpp does not load: it reads u32 and nothing else.
    note(
        Builder::new().kv("general.architecture", "llama").kv("llama.context_length", 1_u64),
        &["u64", "u32"],
    );
    note(
        Builder::new().kv("general.architecture", "llama").kv("llama.block_count", 0_u32),
        &["block_count is 0"],
    );
    note(
        Builder::new().kv("general.architecture", "llama").kv("llama.block_count", u32::MAX),
        &["4294967295", "512"],
    );
    note(
        llama().tensor(Tensor::f32("blk.4.attn_norm.weight", &[512])),
        &["block_count is 3", "blk.4", "5 layers"],
    );
    note(llama().tensor(Tensor::f32("token_embd.weight", &[512, 4])), &["3 tokens", "4 rows"]);
    note(llama().kv("llama.attention.head_count_kv", vec![2_u32, 2]), &["2 values", "3 layers"]);
    note(Builder::new().kv("general.architecture", "my-own"), &["my-own", "not one that llama.cpp knows"]);
}

#[test]
fn per_layer_values_are_kept_as_they_are() {
    resolved(&llama().kv("llama.attention.head_count_kv", vec![8_u32, 0, 4]), |config| {
        let Setting::Layers(values) = value(config, "key-value heads") else { panic!("an array") };
        assert_eq!(values, &[Scalar::U32(8), Scalar::U32(0), Scalar::U32(4)]);
    });
}

#[test]
fn a_model_that_does_not_rotate_has_no_rope_but_what_its_file_says() {
    for arch in ["bert", "gpt2", "t5", "mamba2"] {
        let plain = Builder::new().kv("general.architecture", arch).kv(format!("{arch}.block_count"), 2_u32);
        resolved(&plain, |config| {
            assert!(config.entries.iter().all(|e| e.group != "rope"), "{arch}");
        });
        resolved(&plain.kv(format!("{arch}.rope.freq_base"), 500_000_f32), |config| {
            let rope: Vec<_> = config.entries.iter().filter(|e| e.group == "rope").collect();
            assert_eq!(rope.len(), 1, "{arch}");
            assert!(matches!(rope[0].source, Source::Key { .. }));
        });
    }
    resolved(&llama(), |config| {
        assert!(matches!(value(config, "frequency base"), Setting::Float(10000.0)));
        assert!(matches!(value(config, "scaling factor"), Setting::Float(1.0)));
    });
}
