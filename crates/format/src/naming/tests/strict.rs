//! The convention's pattern.
//!
//! The expected captures are what JavaScript's engine finds with the regular expression of `docs/gguf.md`. They agree
//! with Python's `re` (ASCII classes, `\Z` for `$`).

use super::super::parse_strict;
use alloc::format;
use alloc::string::String;

/// A name, and `sidecar|base name|size label|fine-tune|version|encoding|type|shard` with `~` for an absent part; an
/// empty text where the pattern does not match. The examples of the convention's own test program come first.
const NAMES: &[(&str, &str)] = &[
    ("Mixtral-8x7B-v0.1-KQ2.gguf", "~|Mixtral|8x7B|~|v0.1|KQ2|~|~"),
    ("Grok-100B-v1.0-Q4_0-00003-of-00009.gguf", "~|Grok|100B|~|v1.0|Q4_0|~|00003-of-00009"),
    ("Hermes-2-Pro-Llama-3-8B-v1.0-F16.gguf", "~|Hermes-2-Pro-Llama-3|8B|~|v1.0|F16|~|~"),
    ("Hermes-2-Pro-Llama-3-8B-F16.gguf", ""),
    (
        "Phi-3-mini-3.8B-ContextLength4k-instruct-v1.0.gguf",
        "~|Phi-3-mini|3.8B-ContextLength4k|instruct|v1.0|~|~|~",
    ),
    ("mtp-Qwen3-27B-v1.0-Q4_K_M.gguf", "mtp|Qwen3|27B|~|v1.0|Q4_K_M|~|~"),
    ("mmproj-Qwen2-VL-7B-v1.0-F16.gguf", "mmproj|Qwen2-VL|7B|~|v1.0|F16|~|~"),
    ("not-a-known-arrangement.gguf", ""),
    ("Qwen3-0.6B-Q4_K_M.gguf", ""),
    ("Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf", ""),
    ("tiny_model-7B-v1.0.gguf", ""),
    ("Llama-v1.0-Q8_0.gguf", ""),
    ("Foo--v1.0.gguf", "~|Foo|~|~|v1.0|~|~|~"),
    ("Foo---v1.0-Q8_0.gguf", "~|Foo-|~|~|v1.0|Q8_0|~|~"),
    ("---v1.gguf", "~|-|~|~|v1|~|~|~"),
    ("--v1.gguf", "~||~|~|v1|~|~|~"),
    ("-7B-v1.0.gguf", "~||7B|~|v1.0|~|~|~"),
    ("mmproj-7B-v1.0.gguf", "~|mmproj|7B|~|v1.0|~|~|~"),
    ("mmproj--v1.0.gguf", "~|mmproj|~|~|v1.0|~|~|~"),
    ("mmproj---v1.0.gguf", "mmproj||~|~|v1.0|~|~|~"),
    ("mmproj-mtp-7B-v1.gguf", "mmproj|mtp|7B|~|v1|~|~|~"),
    ("Mmproj-Foo-7B-v1.gguf", "~|Mmproj-Foo|7B|~|v1|~|~|~"),
    ("Foo-7B-v1-v2.gguf", "~|Foo|7B|v1|v2|~|~|~"),
    ("Foo-7B-v1-v2-v3.gguf", "~|Foo|7B|v1-v2|v3|~|~|~"),
    ("Foo-7B-v1-v2-v3-v4.gguf", "~|Foo|7B|v1-v2-v3|v4|~|~|~"),
    ("Foo-7B-7B-v1.gguf", "~|Foo|7B|7B|v1|~|~|~"),
    ("Foo-7B-A3B-v1.0.gguf", "~|Foo|7B-A3B|~|v1.0|~|~|~"),
    ("Foo-7B-A3B-it-v1.0.gguf", "~|Foo|7B-A3B|it|v1.0|~|~|~"),
    ("Foo-7B-A1.5B-A2B-v1.gguf", "~|Foo|7B-A1.5B|A2B|v1|~|~|~"),
    ("Foo-2b-v1.gguf", "~|Foo|2b|~|v1|~|~|~"),
    ("Foo-E2B-v1.0.gguf", ""),
    ("Foo-3n-7B-v1.gguf", "~|Foo|3n|7B|v1|~|~|~"),
    ("Foo-n3-7B-v1.gguf", "~|Foo-n3|7B|~|v1|~|~|~"),
    ("3n-7B-v1.gguf", "~|3n|7B|~|v1|~|~|~"),
    ("Foo-8x-v1.gguf", "~|Foo|8x|~|v1|~|~|~"),
    ("Foo-8x7-v1.gguf", ""),
    ("Foo-8x3.8B-v1.gguf", "~|Foo|8x3.8B|~|v1|~|~|~"),
    ("Foo-8.5x7B-v1.gguf", ""),
    ("Foo-7BB-v1.gguf", ""),
    ("Foo-7B--v1.gguf", ""),
    ("Foo-7B---v1.gguf", "~|Foo|7B|-|v1|~|~|~"),
    ("Foo-7B-a_b-v1.gguf", ""),
    ("Foo-7B-a.b-v1.gguf", ""),
    ("Foo-7B-v1..gguf", ""),
    ("Foo-7B-v.gguf", ""),
    ("Foo-7B-V1.gguf", ""),
    ("Foo-7B-v1.0-q4_0.gguf", "~|Foo|7B|~|v1.0|q4_0|~|~"),
    ("Foo-7B-v1.0-UD-Q4_K_XL.gguf", ""),
    ("Foo-7B-v1.0-LoRA.gguf", "~|Foo|7B|~|v1.0|~|LoRA|~"),
    ("Foo-7B-v1.0-vocab.gguf", "~|Foo|7B|~|v1.0|~|vocab|~"),
    ("Foo-7B-v1.0-F16-LoRA.gguf", "~|Foo|7B|~|v1.0|F16|LoRA|~"),
    ("Foo-7B-v1.0-LoRA-F16.gguf", ""),
    ("Foo-7B-v1.0-LoRAx.gguf", ""),
    ("Foo-7B-v1.0-vocabulary.gguf", ""),
    ("Foo-7B-v1.0-lora.gguf", "~|Foo|7B|~|v1.0|lora|~|~"),
    ("Foo-7B-v1.0-F16-vocab-00001-of-00002.gguf", "~|Foo|7B|~|v1.0|F16|vocab|00001-of-00002"),
    ("Foo-7B-v1.0-00001-of-00002.gguf", "~|Foo|7B|~|v1.0|~|~|00001-of-00002"),
    ("Foo-7B-v1.0-0001-of-0002.gguf", ""),
    ("Foo-7B-v1.0-000001-of-000002.gguf", ""),
    ("Foo-7B-v1.0-00000-of-00000.gguf", "~|Foo|7B|~|v1.0|~|~|00000-of-00000"),
    ("Foo-7B-v1.0-Q4_0-00001-of-00002-LoRA.gguf", ""),
    ("Foo-7B-v1.0.GGUF", ""),
    ("Foo-7B-v1.0.gguf.part1of2", ""),
    ("Foo-7B-v1.0", ""),
    ("a b-7B-c d-v1.gguf", "~|a b|7B|c d|v1|~|~|~"),
    ("a-1 2-7B-v1.gguf", "~|a-1 2|7B|~|v1|~|~|~"),
    ("a- 3n-7B-v1.gguf", "~|a- 3n|7B|~|v1|~|~|~"),
    ("a-1 b-7B-v1.gguf", ""),
    ("Foo\u{a0}Bar-7B-v1.gguf", "~|Foo\u{a0}Bar|7B|~|v1|~|~|~"),
    ("Foo\u{200b}Bar-7B-v1.gguf", ""),
    ("Fo\u{f6}-7B-v1.gguf", ""),
    ("Foo-\u{667}B-v1.gguf", ""),
    ("Foo-7B-v1-\u{e9}.gguf", ""),
    ("Foo-7B-v1.gguf\n", ""),
    ("\u{feff}Foo-7B-v1.gguf", "~|\u{feff}Foo|7B|~|v1|~|~|~"),
];

#[test]
fn captures_of_the_pattern() {
    for (name, expected) in NAMES {
        let found = parse_strict(name).map_or_else(String::new, |p| {
            let parts = [
                p.sidecar,
                p.base_name,
                p.size_label,
                p.fine_tune,
                p.version,
                p.encoding,
                p.type_word,
                p.shard_text,
            ];
            let texts = parts.map(|part| part.map_or("~", |part| part.text));
            texts.join("|")
        });
        assert_eq!(&found, expected, "{name:?}");
    }
}

/// A match need not look at the whole of a long name more than a few times, nor find one where there is none.
#[test]
fn the_version_is_one_of_the_last_six_words() {
    for (tail, matches) in [
        ("", true),
        ("-Q4_0", true),
        ("-Q4_0-LoRA", true),
        ("-00001-of-00002", true),
        ("-LoRA-00001-of-00002", true),
        ("-Q4_0-vocab-00001-of-00002", true),
        ("-Q4_0-Q4_0", false),
        ("-LoRA-Q4_0", false),
        ("-LoRA-LoRA", false),
        ("-Q4_0-Q4_0-00001-of-00002", false),
        ("-Q4_0-LoRA-00001-of-00002-x", false),
        ("-00001-of", false),
        ("-of-00002", false),
    ] {
        let name = format!("Foo-7B-v1.0{tail}.gguf");
        assert_eq!(parse_strict(&name).is_some(), matches, "{name}");
    }
}
