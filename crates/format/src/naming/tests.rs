//! Tests of names: the pattern, the shards, the suggestions, and what holds for every name.

mod strict;
mod wild;

use super::*;
use alloc::format;
use alloc::string::ToString as _;
use alloc::vec;

#[test]
fn encodings() {
    // Spelling in the wild, usual spelling.
    let known = [
        ("Q4_K_M", "Q4_K_M"),
        ("q4_k_m", "Q4_K_M"),
        ("q4-k-m", "Q4_K_M"),
        ("Q4_KM", "Q4_K_M"),
        ("q4km", "Q4_K_M"),
        ("Q4K", "Q4_K"),
        ("Q6_K_L", "Q6_K_L"),
        ("Q3_K_XS", "Q3_K_XS"),
        ("UD-Q4_K_XL", "Q4_K_XL"),
        ("UD-IQ1_S", "IQ1_S"),
        ("i1-Q4_K_M", "Q4_K_M"),
        ("Q4_K_M-imat", "Q4_K_M"),
        ("Q3_K_S-2.70bpw", "Q3_K_S"),
        ("IQ2_XXS-2bpw", "IQ2_XXS"),
        ("IQ4XS", "IQ4_XS"),
        ("IQ4_NL_4_4", "IQ4_NL_4_4"),
        ("Q4_0_8_8", "Q4_0_8_8"),
        ("IQ4_KSS", "IQ4_KSS"),
        ("Q4_K_R4", "Q4_K_R4"),
        ("Q8_KV", "Q8_KV"),
        ("Q8", "Q8"),
        ("TQ2_0", "TQ2_0"),
        ("Q1_0", "Q1_0"),
        ("MXFP4", "MXFP4"),
        ("mxfp4_moe", "MXFP4_MOE"),
        ("NVFP4", "NVFP4"),
        ("fp16", "F16"),
        ("FP32", "F32"),
        ("bf16", "BF16"),
        ("fp8_e4m3fn", "FP8_E4M3FN"),
        ("4bit", "4BIT"),
        ("f16.q6_k", "F16_Q6_K"),
    ];
    for (text, usual) in known {
        assert!(is_known_encoding(text), "{text}");
        let name = format!("Foo-7B-{text}.gguf");
        let found = parse_lenient(&name);
        assert_eq!(found.encoding.map(|p| p.text), Some(text));
        assert_eq!(found.canonical_encoding().unwrap(), usual, "{text}");
    }
    // Marks alone, sizes alone, other words, broken off.
    for text in
        ["", "UD", "i1", "imat", "K_M", "Q", "Q9", "Q0_0", "TQ1", "TQ1_1", "Q4_K_N", "F17", "it", "Q4_K_M-x"]
    {
        assert!(!is_known_encoding(text), "{text}");
    }
    // A text that is longer than any encoding, though made of encodings.
    assert!(!is_known_encoding(&"Q4_0_".repeat(12)));
}

#[test]
fn size_labels() {
    // Which word counts when several could.
    for (name, size) in [
        ("Qwen2.5-7B-Instruct-1M", Some("7B")),
        ("SmolLM2-135M-Instruct", Some("135M")),
        ("TinyStories-656K", Some("656K")),
        ("LongChat-16K", None),
        ("Phi-3-mini-128k-instruct", None),
        ("opt-125m", Some("125m")),
        ("Mixtral-8x7B-32K", Some("8x7B")),
        ("Phi-3.5-MoE-16x3.8B", Some("16x3.8B")),
        ("Mixtral-8X7B", Some("8X7B")),
        ("Ling-1T", Some("1T")),
        ("Qwen1.5-MoE-A2.7B-Chat", Some("A2.7B")),
        ("gemma-3n-e4b-it", Some("e4b")),
        ("Llama-4-Maverick-17B-128E-Instruct", Some("17B-128E")),
        ("bge-m3", None),
        ("e5-large", None),
        ("foo-3BB", None),
        ("foo-B", None),
        ("foo-7.B", None),
    ] {
        let file = format!("{name}-Q8_0.gguf");
        assert_eq!(parse_lenient(&file).size_label.map(|p| p.text), size, "{name}");
    }
}

#[test]
fn lenient_reads_a_strict_name_by_the_pattern() {
    let name = "Foo-3n-7B-v1.gguf";
    assert_eq!(parse_lenient(name), parse_strict(name).unwrap());
    // The pattern's reading of an unknown word is kept; what the word promises is said all the same.
    let lora = parse_lenient("Foo-7B-v1.0-lora.gguf");
    assert!(lora.strict);
    assert_eq!((lora.kind, lora.encoding.map(|p| p.text)), (NameKind::Lora, Some("lora")));
    assert_eq!(lora.deviations[0].kind, DeviationKind::EncodingUnknown);
}

#[test]
fn kinds() {
    for (name, kind) in [
        ("mmproj-model-f16.gguf", NameKind::Mmproj),
        ("Foo-7B-mmproj-F16.gguf", NameKind::Mmproj),
        ("mtp-Qwen3-27B-v1.0-Q4_K_M.gguf", NameKind::Mtp),
        ("Foo-7B-v1.0-F16-LoRA.gguf", NameKind::Lora),
        ("Foo-7B-lora-F16.gguf", NameKind::Lora),
        ("ggml-vocab-qwen2.gguf", NameKind::Vocab),
        ("imatrix.gguf", NameKind::Imatrix),
        ("Vocabulary-7B-F16.gguf", NameKind::Model),
        ("Lorax-7B-F16.gguf", NameKind::Model),
    ] {
        assert_eq!(parse_lenient(name).kind, kind, "{name}");
    }
}

#[test]
fn ranges_point_into_the_name() {
    let name = "模型-7B.Q4_K_M-00002-of-00003.gguf";
    let found = parse_lenient(name);
    assert_eq!(found.base_name.unwrap().range(), 0..6);
    assert_eq!(found.size_label.unwrap().range(), 7..9);
    assert_eq!(found.encoding.unwrap().range(), 10..16);
    assert_eq!(found.shard_text.unwrap().range(), 17..31);
    assert_eq!(found.extension.unwrap().range(), 31..36);
    assert_eq!(found.shard, Some(Shard { no: 2, count: Some(3), style: ShardStyle::Gguf }));
    // The deviations point at the first character that is not allowed, at the gap, at the place of what is missing.
    let at: Vec<_> = found.deviations.iter().map(|d| (d.kind, d.range())).collect();
    assert_eq!(
        at,
        [
            (DeviationKind::BaseNameCharacter, 0..3),
            (DeviationKind::VersionMissing, 9..9),
            (DeviationKind::Separator, 9..10),
        ]
    );
}

#[test]
fn shard_suffixes() {
    let read = |name| parse_shard_suffix(name).map(|s| (s.prefix, s.no, s.count));
    assert_eq!(read("m-00001-of-00002.gguf"), Some(("m", 1, 2)));
    assert_eq!(read("dir-00001-of-00002.gguf/m-Q4_0-00009-of-00009.gguf").unwrap().1, 9);
    assert_eq!(read("-00001-of-00001.gguf"), Some(("", 1, 1)));
    assert_eq!(read("m-99999-of-99999.gguf"), Some(("m", 99999, 99999)));
    for name in [
        "m.gguf",
        "m-00001-of-00002",
        "m-00001-of-00002.GGUF",
        "m-0001-of-0002.gguf",
        "m-000001-of-000002.gguf",
        "m-00000-of-00002.gguf",
        "m-00003-of-00002.gguf",
        "m-00000-of-00000.gguf",
        "m.00001-of-00002.gguf",
        "m-+0001-of-00002.gguf",
        "m-0000١-of-00002.gguf",
        "00001-of-00002.gguf",
        "m-00001-of-00002.gguf.part1of2",
    ] {
        assert_eq!(read(name), None, "{name}");
    }
    assert_eq!(shard_name("m-Q4_0", 3, 9), "m-Q4_0-00003-of-00009.gguf");
    assert_eq!(read(&shard_name("a-1-of-2", 10, 65535)), Some(("a-1-of-2", 10, 65535)));
}

#[test]
fn parts_of_files_cut_by_bytes() {
    let read = |tail: &str| {
        let shard = parse_lenient(&format!("m.Q4_0.gguf{tail}")).shard?;
        assert_eq!(shard.style, ShardStyle::Bytes);
        Some((shard.no, shard.count))
    };
    assert_eq!(read(".part1of2"), Some((1, Some(2))));
    assert_eq!(read(".part12of20"), Some((12, Some(20))));
    assert_eq!(read(".part-00001-of-00002"), Some((1, Some(2))));
    assert_eq!(read(".part3"), Some((3, None)));
    assert_eq!(read("-split-a"), Some((1, None)));
    assert_eq!(read("-split-c"), Some((3, None)));
    assert_eq!(read(".split-aa"), Some((1, None)));
    assert_eq!(read(".split-ba"), Some((27, None)));
    assert_eq!(read(".001"), Some((1, None)));
    for tail in
        [".part", ".part-", ".partial", ".split", ".splitter", ".1", ".tmp", ".part1of", ".part99999999999"]
    {
        assert_eq!(read(tail), None, "{tail}");
    }
}

#[test]
fn suggestions() {
    let base = SuggestInput::default();
    let cases = [
        (base, "model-v1.0.gguf"),
        (
            SuggestInput {
                base_name: Some("Hermes 2 Pro Llama 3"),
                size_label: Some("8B"),
                encoding: Some("F16"),
                ..base
            },
            "Hermes-2-Pro-Llama-3-8B-v1.0-F16.gguf",
        ),
        (
            SuggestInput {
                base_name: Some("Grok"),
                size_label: Some("100B"),
                version: Some("v1.0"),
                encoding: Some("Q4_0"),
                shard: Some((3, 9)),
                ..base
            },
            "Grok-100B-v1.0-Q4_0-00003-of-00009.gguf",
        ),
        (
            SuggestInput {
                base_name: Some("Phi-3-mini"),
                size_label: Some("3.8B-ContextLength4k"),
                fine_tune: Some("instruct"),
                shard: Some((1, 1)),
                ..base
            },
            "Phi-3-mini-3.8B-ContextLength4k-instruct-v1.0.gguf",
        ),
        (
            SuggestInput {
                base_name: Some("Qwen2.5_VL"),
                size_label: Some("7b"),
                encoding: Some("fp16"),
                kind: NameKind::Mmproj,
                ..base
            },
            "mmproj-Qwen2-5-VL-7B-v1.0-FP16.gguf",
        ),
        (
            SuggestInput {
                base_name: Some("gemma-3n"),
                size_label: Some("30B-A3B"),
                version: Some(" V2.1-beta"),
                encoding: Some("UD-Q4_K_XL"),
                kind: NameKind::Lora,
                ..base
            },
            "gemma-3-n-30B-A3B-v2.1-UD_Q4_K_XL-LoRA.gguf",
        ),
        // Nothing of this may reach a path, a shell or a terminal.
        (
            SuggestInput {
                base_name: Some("../..\\C:\u{1b}[31m$(rm)\u{202e}x\0"),
                size_label: Some("\n/7B"),
                fine_tune: Some("-- ; é"),
                version: Some("latest"),
                encoding: Some("../Q8_0"),
                ..base
            },
            "C-31-m-rm-x-7B-v1.0-Q8_0.gguf",
        ),
    ];
    for (input, name) in cases {
        assert_eq!(suggest(&input), name);
    }
}

/// A suggestion made from ordinary parts is a strict name that says the same parts again.
#[test]
fn suggestions_are_strict() {
    for base_name in ["Qwen3", "Hermes-2-Pro-Llama-3", "gemma 3n", "01-ai 7B", "a.b_c", "3n"] {
        for size_label in ["7B", "0.5b", "8x7B", "30B-A3B"] {
            for (fine_tune, version) in
                [(None, None), (Some("Instruct 2507"), Some("v2.0.1")), (Some("it"), Some("3"))]
            {
                for kind in
                    [NameKind::Model, NameKind::Lora, NameKind::Vocab, NameKind::Mmproj, NameKind::Mtp]
                {
                    for shard in [None, Some((2, 3))] {
                        let input = SuggestInput {
                            base_name: Some(base_name),
                            size_label: Some(size_label),
                            fine_tune,
                            version,
                            encoding: Some("IQ4_XS"),
                            kind,
                            shard,
                        };
                        let name = suggest(&input);
                        let parts = parse_strict(&name).unwrap_or_else(|| panic!("{name}"));
                        assert_eq!(parts.kind, kind, "{name}");
                        assert!(parts.size_label.unwrap().text.eq_ignore_ascii_case(size_label), "{name}");
                        assert_eq!(parts.fine_tune.is_some(), fine_tune.is_some(), "{name}");
                        assert_eq!(parts.encoding.unwrap().text, "IQ4_XS", "{name}");
                        assert_eq!(parts.shard.map(|s| (s.no, s.count.unwrap())), shard, "{name}");
                        assert!(parts.deviations.is_empty(), "{name}: {:?}", parts.deviations);
                    }
                }
            }
        }
    }
}

#[test]
fn suggestions_fit_a_file_name() {
    let long = "Ab9-".repeat(300);
    let digits = "9".repeat(300);
    let dotted = "1.".repeat(300);
    for text in [long.as_str(), &digits, &dotted, &"é".repeat(300)] {
        let input = SuggestInput {
            base_name: Some(text),
            size_label: Some(text),
            fine_tune: Some(text),
            version: Some(text),
            encoding: Some(text),
            kind: NameKind::Mmproj,
            shard: Some((u32::MAX, u32::MAX)),
        };
        let name = suggest(&input);
        assert!(name.len() <= 255, "{} bytes: {name}", name.len());
        assert!(name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.')), "{name}");
    }
}

/// What holds for every name, tried on all short strings over the characters that mean something, and on some others.
#[test]
fn every_name() {
    let alphabet = ["-", ".", "_", "v1", "7B", "Q4", "of", "1", "mmproj", "A", "é", ".gguf", "00001"];
    let mut names = vec![String::new()];
    let mut last = vec![String::new()];
    for _ in 0..4 {
        let longer = last.iter().flat_map(|n| alphabet.iter().map(move |a| format!("{n}{a}")));
        last = longer.collect();
        names.extend(last.iter().cloned());
    }
    names.extend(names.clone().iter().map(|n| format!("Foo-{n}.gguf")));
    assert_eq!(names.len(), 2 * (1 + 13 + 169 + 2197 + 28561));
    for name in &names {
        check(name);
    }
}

fn check(name: &str) {
    let parts = parse_lenient(name);
    assert_eq!(parts.strict, parse_strict(name).is_some(), "{name:?}");
    assert_eq!(parts.strict, !parts.deviations.iter().any(|d| d.kind.breaks_pattern()), "{name:?}");
    let mut end = 0;
    for (kind, part) in parts.parts() {
        assert_eq!(&name[part.range()], part.text);
        assert!(part.start >= end, "{name:?}: {kind:?} overlaps");
        let gap = &name[end..part.start];
        assert!(gap.chars().all(|c| "-_. ".contains(c)), "{name:?}: {gap:?} has no role");
        end = part.end();
    }
    assert!(name[end..].chars().all(|c| "-_. ".contains(c)), "{name:?}: the end has no role");
    for d in &parts.deviations {
        assert!(name.get(d.range()).is_some(), "{name:?}: {d:?}");
        assert!(!d.kind.describe().is_empty() && !d.kind.id().to_string().is_empty());
    }
    if let Some(suffix) = parse_shard_suffix(name) {
        assert_eq!(shard_name(suffix.prefix, suffix.no, suffix.count), name);
        assert_eq!(
            parts.shard,
            Some(Shard { no: suffix.no, count: Some(suffix.count), style: ShardStyle::Gguf })
        );
    }
}

/// Names that would keep a backtracking engine busy for ever.
#[test]
fn hostile_names() {
    for piece in [
        "-",
        "a-",
        "1-",
        " ",
        "7B-",
        "-7B-v1",
        "v1-",
        ".",
        "_",
        "x7B",
        "-00001-of-00001",
        ".gguf",
        "(",
        "Q4_K_M-",
    ] {
        for tail in ["", ".gguf", "-v1.0.gguf", "-v1.0!.gguf", ".gguf.part1of2"] {
            let name = piece.repeat(60_000 / piece.len()) + tail;
            let parts = parse_lenient(&name);
            assert_eq!(parts.strict, parse_strict(&name).is_some());
            assert!(parts.deviations.len() < 24);
        }
    }
}
