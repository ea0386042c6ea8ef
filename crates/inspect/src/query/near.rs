//! Keys of the file that were perhaps meant.

use ggufkit_format::edits;

/// Longest key that is compared, in bytes.
const LONGEST: usize = 128;
/// Keys that are compared at most, so that a file of a million keys costs no more than one of some thousands.
const MOST_KEYS: usize = 8192;

/// Keys that are a few typing errors away from `wanted` or end in it, the closest first, at most `max`, each once.
///
/// Cheap enough to ask after every miss: at most some thousand short keys are compared.
pub fn near<'k>(wanted: &[u8], keys: impl IntoIterator<Item = &'k [u8]>, max: usize) -> Vec<&'k [u8]> {
    if max == 0 || wanted.is_empty() || wanted.len() > LONGEST {
        return Vec::new();
    }
    let wanted_lower = wanted.to_ascii_lowercase();
    let mut found: Vec<(usize, &'k [u8])> = Vec::new();
    for key in keys.into_iter().take(MOST_KEYS) {
        if key.is_empty() || key.len() > LONGEST || found.iter().any(|&(_, k)| k == key) {
            continue;
        }
        let lower = key.to_ascii_lowercase();
        if let Some(distance) = distance(&wanted_lower, &lower) {
            found.push((distance, key));
            // The list stays short: only its best entries can matter.
            if found.len() > max.saturating_mul(4).max(16) {
                found.sort_by_key(|&(d, _)| d);
                found.truncate(max);
            }
        }
    }
    // Stable: equally close ones stay in the order of the file.
    found.sort_by_key(|&(d, _)| d);
    found.truncate(max);
    found.into_iter().map(|(_, key)| key).collect()
}

/// How far apart two keys are, where that is near.
fn distance(wanted: &[u8], key: &[u8]) -> Option<usize> {
    let ends_in = |whole: &[u8], end: &[u8]| {
        whole.strip_suffix(end).is_some_and(|front| front.is_empty() || front.ends_with(b"."))
    };
    // Without its namespace ("context_length"), with it twice, or with a namespace cut short.
    if ends_in(key, wanted) || ends_in(wanted, key) {
        return Some(1);
    }
    if let Some(edits) = edits(wanted, key) {
        return Some(edits.into());
    }
    // Another first segment: "llama.block_count" asked of a qwen2.
    let after = |text: &[u8]| {
        text.iter().position(|&b| b == b'.').map(|dot| text.get(dot + 1..).unwrap_or_default().to_vec())
    };
    match (after(wanted), after(key)) {
        (Some(a), Some(b)) if a.len() >= 4 && a == b => Some(2),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: [&str; 8] = [
        "general.architecture",
        "general.name",
        "general.basename",
        "llama.context_length",
        "llama.embedding_length",
        "tokenizer.ggml.tokens",
        "tokenizer.ggml.token_type",
        "general.name",
    ];

    #[test]
    fn typing_errors_and_lost_namespaces_are_found() {
        for (wanted, expected) in [
            ("general.nam", &["general.name"][..]),
            ("general.anme", &["general.name"]),
            ("General.Name", &["general.name"]),
            ("context_length", &["llama.context_length"]),
            ("qwen2.context_length", &["llama.context_length"]),
            ("tokenizer.ggml.token", &["tokenizer.ggml.tokens"]),
            ("token_type", &["tokenizer.ggml.token_type"]),
            ("name", &["general.name"]),
            ("nothing.of.the.kind", &[]),
            ("", &[]),
        ] {
            let found = near(wanted.as_bytes(), KEYS.iter().map(|k| k.as_bytes()), 3);
            let expected: Vec<&[u8]> = expected.iter().map(|k| k.as_bytes()).collect();
            assert_eq!(found, expected, "{wanted}");
        }
    }

    #[test]
    fn a_million_keys_cost_no_more_than_some_thousand() {
        let key = b"x".repeat(LONGEST);
        let wanted = b"y".repeat(LONGEST);
        let keys = std::iter::repeat_n(&key[..], 1_000_000);
        let start = std::time::Instant::now();
        assert!(near(&wanted, keys, 3).is_empty());
        assert!(start.elapsed().as_secs() < 5);
    }
}
