//! Which layers look back at the last tokens only.

/// How an architecture alternates windows and full attention.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pattern {
    /// Of every so many layers one looks at everything: the first where `first` is set, else the last. The key of the pattern
    /// may say otherwise, with a number or layer by layer.
    Every { layers: u64, first: bool },
    /// The key of the pattern says it layer by layer, and must be there.
    Key,
    /// Every layer that looks back at all.
    All,
}

/// The windows of an architecture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Rule {
    pub(super) pattern: Pattern,
    /// The window where no key gives one; without, there are no windows then.
    pub(super) default: Option<u64>,
    /// The window whatever the key says, where it does not say 0.
    pub(super) fixed: Option<u64>,
    /// A number of layers without which there are no windows.
    pub(super) only_with_layers: Option<u64>,
}

const fn every(layers: u64, first: bool) -> Rule {
    Rule { pattern: Pattern::Every { layers, first }, default: None, fixed: None, only_with_layers: None }
}

const BY_KEY: Rule = Rule { pattern: Pattern::Key, default: None, fixed: None, only_with_layers: None };

/// What llama.cpp does for an architecture; `None` where every layer looks at everything, whatever keys say (`phi3`).
pub(super) fn rule(arch: &str) -> Option<Rule> {
    Some(match arch {
        "afmoe" | "cohere2" | "mellum" | "muse-glimmer" | "olmo2" => every(4, false),
        "cohere2moe" | "laguna" => every(4, true),
        "exaone-moe" => Rule { default: Some(128), ..every(4, false) },
        "exaone4" => Rule { default: Some(4096), only_with_layers: Some(64), ..every(4, false) },
        "gemma2" => Rule { default: Some(4096), ..every(2, false) },
        "gemma3" => every(6, false),
        "gemma3n" => every(5, false),
        "gpt-oss" => every(2, false),
        "llama4" => Rule { default: Some(8192), fixed: Some(8192), ..every(4, false) },
        "plamo3" => every(8, false),
        "smallthinker" => Rule { fixed: Some(4096), ..every(4, true) },
        "gemma4" | "granite_swa" | "maple" | "mimo2" | "spark2_5" | "step35" => BY_KEY,
        "lfm2" => Rule { pattern: Pattern::All, ..BY_KEY },
        _ => return None,
    })
}

impl Pattern {
    /// Whether a layer looks at a window, by the number of the pattern alone.
    pub(super) fn is_window(layers: u64, first: bool, at: u64) -> bool {
        match (layers, first) {
            (0, _) => true,
            (n, true) => !at.is_multiple_of(n),
            (n, false) => at % n < n.saturating_sub(1),
        }
    }
}
