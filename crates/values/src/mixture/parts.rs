//! What a tensor is for, told by its name.

/// A part of a model that has rules of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// From tokens to vectors.
    Embedding,
    /// From vectors to tokens.
    Head,
    /// What attention yields; it suffers most from few bits. Also where it is one matrix with queries and keys.
    Values,
    /// What attention compares with.
    Keys,
    /// What attention compares.
    Queries,
    /// Behind the attention.
    AttentionOutput,
    /// Into the feed-forward layer.
    Up,
    /// Its gate.
    Gate,
    /// Out of it.
    Down,
    /// Anything else.
    Other,
}

/// Names that have to be equal.
const WHOLE: &[(&[u8], Part)] = &[
    (b"output.weight", Part::Head),
    (b"token_embd.weight", Part::Embedding),
    (b"per_layer_token_embd.weight", Part::Embedding),
];

/// What names contain; the first that is found counts.
const WITHIN: &[(&[u8], Part)] = &[
    (b"attn_qkv.weight", Part::Values),
    (b"attn_kv_b.weight", Part::Values),
    (b"attn_v.weight", Part::Values),
    (b"attn_k.weight", Part::Keys),
    (b"attn_q.weight", Part::Queries),
    (b"attn_output.weight", Part::AttentionOutput),
    (b"ffn_up", Part::Up),
    (b"ffn_gate", Part::Gate),
    (b"ffn_down", Part::Down),
];

impl Part {
    pub(super) fn of(name: &[u8]) -> Self {
        let whole = WHOLE.iter().find(|(other, _)| *other == name);
        let found = whole.or_else(|| WITHIN.iter().find(|(word, _)| contains(name, word)));
        found.map_or(Self::Other, |(_, part)| *part)
    }
}

/// Whether a word is somewhere in a name.
pub(super) fn contains(name: &[u8], word: &[u8]) -> bool {
    name.windows(word.len().max(1)).any(|window| window == word)
}
