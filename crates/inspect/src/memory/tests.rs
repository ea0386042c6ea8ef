use super::*;
use crate::model::Part;
use ggufkit_format::{ByteStr, Options, View, parse};
use ggufkit_testkit::Builder;

fn of(builder: &Builder) -> Result<Cache, Unknown> {
    let bytes = builder.bytes();
    let index = parse(&bytes, Options::new()).index.unwrap();
    let part = Part { label: ByteStr(b""), file_name: None, size: None, view: View::new(&index, &bytes) };
    cache(&Model::single(part))
}

/// A file of an architecture with these numbers.
fn file(arch: &str, numbers: &[(&str, u32)]) -> Builder {
    numbers.iter().fold(Builder::new().kv("general.architecture", arch), |file, (key, n)| {
        file.kv(format!("{arch}.{key}"), *n)
    })
}

/// Kind, layers, kept, numbers of a key row and a value row.
fn kinds(cache: &Cache) -> Vec<(Kind, u64, Option<u64>, u64, u64)> {
    cache.kinds.iter().map(|k| (k.kind, k.layers, k.kept, k.k_row, k.v_row)).collect()
}

#[test]
fn a_plain_model_keeps_keys_and_values_of_every_token() {
    // Llama 3.1 8B: 32 layers, 8 key-value heads of 4096 / 32 = 128. At 8192 tokens of f16 that is 1 GiB.
    let llama = file(
        "llama",
        &[
            ("block_count", 32),
            ("context_length", 131_072),
            ("embedding_length", 4096),
            ("attention.head_count", 32),
            ("attention.head_count_kv", 8),
        ],
    );
    let cache = of(&llama).unwrap();
    assert_eq!(kinds(&cache), [(Kind::Full, 32, None, 1024, 1024)]);
    assert_eq!(cache.bytes(8192, 16.0, 16.0), f64::from(1 << 30));
    assert_eq!(cache.trained_context, Some(131_072));
    // Q8_0 has 8.5 bits a number.
    assert_eq!(cache.bytes(8192, 8.5, 8.5), f64::from(1 << 30) * 8.5 / 16.0);
}

#[test]
fn windows_keep_their_tokens_and_a_batch() {
    // Gemma 3 27B: 62 layers, of every 6 the last is full: layers 5, 11, ..., 59, which are 10.
    let gemma = file(
        "gemma3",
        &[
            ("block_count", 62),
            ("embedding_length", 5376),
            ("attention.head_count", 32),
            ("attention.head_count_kv", 16),
            ("attention.key_length", 128),
            ("attention.value_length", 128),
            ("attention.sliding_window", 1024),
        ],
    );
    let cache = of(&gemma).unwrap();
    // 1024 + 512 is a multiple of 256 already.
    let expected = [(Kind::Window, 52, Some(1536), 2048, 2048), (Kind::Full, 10, None, 2048, 2048)];
    assert_eq!(kinds(&cache), expected);
    let row = 2.0 * 2048.0 * 2.0;
    assert_eq!(cache.bytes(131_072, 16.0, 16.0), (52.0 * 1536.0 + 10.0 * 131_072.0) * row);
    // gpt-oss 20B: 24 layers, every other one full, a window of 128.
    let oss = file(
        "gpt-oss",
        &[
            ("block_count", 24),
            ("embedding_length", 2880),
            ("attention.head_count", 64),
            ("attention.head_count_kv", 8),
            ("attention.key_length", 64),
            ("attention.value_length", 64),
            ("attention.sliding_window", 128),
        ],
    );
    let expected = [(Kind::Window, 12, Some(768), 512, 512), (Kind::Full, 12, None, 512, 512)];
    assert_eq!(kinds(&of(&oss).unwrap()), expected);
    // Of phi3 nothing is made of the key.
    let phi = file(
        "phi3",
        &[
            ("block_count", 32),
            ("embedding_length", 3072),
            ("attention.head_count", 32),
            ("attention.sliding_window", 2047),
        ],
    );
    assert_eq!(kinds(&of(&phi).unwrap()), [(Kind::Full, 32, None, 3072, 3072)]);
}

#[test]
fn a_latent_row_stands_for_keys_and_values() {
    // DeepSeek V3: 61 layers and one that predicts further; 512 + 64 numbers a token.
    let deepseek = file(
        "deepseek2",
        &[
            ("block_count", 62),
            ("nextn_predict_layers", 1),
            ("embedding_length", 7168),
            ("attention.head_count", 128),
            ("attention.head_count_kv", 1),
            ("attention.key_length", 576),
            ("attention.value_length", 512),
            ("attention.key_length_mla", 192),
            ("attention.value_length_mla", 128),
        ],
    );
    assert_eq!(kinds(&of(&deepseek).unwrap()), [(Kind::Latent, 61, None, 576, 0)]);
}

#[test]
fn states_are_there_whatever_the_context() {
    // Mamba 2.8B: 64 layers, inner size 5120, state 16, kernel 4: (3 * 5120 + 16 * 5120) * 4 bytes a layer.
    let mamba = file(
        "mamba",
        &[
            ("block_count", 64),
            ("embedding_length", 2560),
            ("ssm.conv_kernel", 4),
            ("ssm.inner_size", 5120),
            ("ssm.state_size", 16),
        ],
    );
    let cache = of(&mamba).unwrap();
    assert_eq!(cache.kinds[0].fixed, 64 * (3 * 5120 + 16 * 5120) * 4);
    assert_eq!(cache.bytes(1, 16.0, 16.0), cache.bytes(1 << 20, 16.0, 16.0));
    // Qwen3-Next 80B: 48 layers, every fourth looks back with 2 heads of 256.
    let qwen = file(
        "qwen3next",
        &[
            ("block_count", 48),
            ("embedding_length", 2048),
            ("attention.head_count", 16),
            ("attention.head_count_kv", 2),
            ("attention.key_length", 256),
            ("attention.value_length", 256),
            ("ssm.conv_kernel", 4),
            ("ssm.inner_size", 4096),
            ("ssm.state_size", 128),
            ("ssm.group_count", 16),
        ],
    );
    let cache = of(&qwen).unwrap();
    assert_eq!(kinds(&cache), [(Kind::Recurrent, 36, None, 0, 0), (Kind::Full, 12, None, 512, 512)]);
    assert_eq!(cache.kinds[0].fixed, 36 * (3 * (4096 + 2 * 16 * 128) + 128 * 4096) * 4);
    // RWKV 6: two shifts of the embedding, a state of 64 for each of its numbers.
    let rwkv = file("rwkv6", &[("block_count", 24), ("embedding_length", 2048), ("wkv.head_size", 64)]);
    assert_eq!(of(&rwkv).unwrap().kinds[0].fixed, 24 * (2 * 2048 + 64 * 2048) * 4);
}

#[test]
fn layers_may_have_numbers_of_their_own() {
    // Jamba: layers without key-value heads have a state.
    let jamba = file(
        "jamba",
        &[
            ("block_count", 4),
            ("embedding_length", 4096),
            ("attention.head_count", 32),
            ("ssm.conv_kernel", 4),
            ("ssm.inner_size", 8192),
            ("ssm.state_size", 16),
        ],
    )
    .kv("jamba.attention.head_count_kv", vec![0_u32, 0, 8, 0]);
    let expected = [(Kind::Recurrent, 3, None, 0, 0), (Kind::Full, 1, None, 1024, 1024)];
    assert_eq!(kinds(&of(&jamba).unwrap()), expected);
    // Gemma 4: the pattern is an array, window layers have heads of another size, the last layers keep nothing.
    let gemma = file(
        "gemma4",
        &[
            ("block_count", 6),
            ("embedding_length", 1536),
            ("attention.head_count", 8),
            ("attention.head_count_kv", 1),
            ("attention.key_length", 512),
            ("attention.value_length", 512),
            ("attention.key_length_swa", 256),
            ("attention.value_length_swa", 256),
            ("attention.sliding_window", 512),
            ("attention.shared_kv_layers", 2),
        ],
    )
    .kv("gemma4.attention.sliding_window_pattern", vec![true, true, false, true, true, false]);
    let expected = [(Kind::Window, 3, Some(1024), 256, 256), (Kind::Full, 1, None, 512, 512)];
    assert_eq!(kinds(&of(&gemma).unwrap()), expected);
}

#[test]
fn what_is_not_known_is_not_guessed() {
    let missing = file("llama", &[("block_count", 32), ("embedding_length", 4096)]);
    assert_eq!(of(&missing), Err(Unknown::Key("llama.attention.head_count".into())));
    let short = file("llama", &[("block_count", 3), ("embedding_length", 64), ("attention.head_count", 4)])
        .kv("llama.attention.head_count_kv", vec![1_u32, 1]);
    assert_eq!(of(&short), Err(Unknown::Key("llama.attention.head_count_kv".into())));
    assert_eq!(of(&file("bert", &[])), Err(Unknown::NoCache("bert".into())));
    assert_eq!(of(&file("flux", &[])), Err(Unknown::Architecture("flux".into())));
    assert_eq!(of(&file("deepseek4", &[])), Err(Unknown::OtherForm("deepseek4".into())));
    assert_eq!(of(&Builder::new()), Err(Unknown::NoArchitecture));
    // Numbers that no model has make none either.
    let huge = file("llama", &[("block_count", u32::MAX)]);
    assert_eq!(of(&huge), Err(Unknown::Key("llama.block_count".into())));
}
