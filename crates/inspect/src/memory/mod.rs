//! What a context costs in memory: which layers keep what of the tokens that they have seen.
//!
//! The rules are those of llama.cpp for one sequence: what it allocates for a cache follows from the metadata alone. Layers
//! that keep the same are one [`CacheKind`]; a context's bytes are a sum over these ([`Cache::bytes`]). Where the engine has a
//! cache of another form, or a number is missing, the answer is a [`Unknown`], never a guess. Buffers for computing are no
//! part of this: they follow from the engine and its options.

mod facts;
mod window;

use ggufkit_format::shorten;
use ggufkit_format::spec::{Text, arch};

use crate::model::Model;
use crate::text::Words;
use facts::{Facts, Layer};

/// Tokens that are worked on at once, unless the engine is told otherwise: a window keeps so many more.
const BATCH: u64 = 512;

/// What layers of a window keep is rounded up to a multiple of this.
const PAD: u64 = 256;

/// Bytes of a number of a recurrent state.
const STATE_BYTES: u64 = 4;

/// The cache of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cache {
    /// The context that the model was trained on, where the file says so.
    pub trained_context: Option<u64>,
    /// What layers keep, those first that come first.
    pub kinds: Vec<CacheKind>,
}

/// Layers that keep the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CacheKind {
    /// How they look back.
    pub kind: Kind,
    /// How many there are.
    pub layers: u64,
    /// Tokens that are kept at most; `None` for all of the context.
    pub kept: Option<u64>,
    /// Numbers of the keys of a token, in one layer.
    pub k_row: u64,
    /// Numbers of the values of a token, in one layer.
    pub v_row: u64,
    /// Bytes whatever the context, of all these layers together.
    pub fixed: u64,
    /// The numbers that these come from.
    pub terms: Vec<Term>,
}

/// A number, and where it comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Term {
    /// What it is.
    pub name: Text,
    /// Its value, or how that is computed.
    pub value: String,
    /// The key, or the rule that gives it.
    pub from: Words,
}

/// How layers look back.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// At keys and values of every token.
    Full,
    /// At those of the last tokens.
    Window,
    /// At one compressed row for each token, from which keys and values are made (MLA).
    Latent,
    /// At a state of fixed size.
    Recurrent,
}

impl Kind {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> Text {
        match self {
            Self::Full => Text::new("full attention", "全注意力"),
            Self::Window => Text::new("sliding window", "滑动窗口"),
            Self::Latent => Text::new("latent (MLA)", "潜在注意力（MLA）"),
            Self::Recurrent => Text::new("recurrent state", "循环状态"),
        }
    }
}

impl Cache {
    /// Bytes of the cache for a context of so many tokens, where keys and values take so many bits a number.
    #[must_use]
    pub fn bytes(&self, context: u64, k_bits: f64, v_bits: f64) -> f64 {
        let of = |kind: &CacheKind| {
            let tokens = kind.kept.map_or(context, |kept| kept.min(context)) as f64;
            let row = kind.k_row as f64 * k_bits / 8.0 + kind.v_row as f64 * v_bits / 8.0;
            kind.layers as f64 * tokens * row + kind.fixed as f64
        };
        self.kinds.iter().map(of).sum()
    }
}

/// Why nothing is said about a cache.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Unknown {
    /// The file does not say what it is.
    NoArchitecture,
    /// llama.cpp does not know the architecture.
    Architecture(Words),
    /// Nothing of a token is kept: the model sees a text as a whole.
    NoCache(Words),
    /// It is kept in a form that is not computed here.
    OtherForm(Words),
    /// A key that it follows from is missing, or of no use.
    Key(Words),
}

impl Unknown {
    /// The reason in words.
    #[must_use]
    pub fn text(&self, zh: bool) -> String {
        match (self, zh) {
            (Self::NoArchitecture, false) => "general.architecture is absent".to_owned(),
            (Self::NoArchitecture, true) => "缺少 general.architecture".to_owned(),
            (Self::Architecture(name), false) => format!("nothing is known of the architecture \"{name}\""),
            (Self::Architecture(name), true) => format!("不了解架构 \"{name}\""),
            (Self::NoCache(name), false) => format!("{name} keeps no cache: it sees a text as a whole"),
            (Self::NoCache(name), true) => format!("{name} 不保留缓存：它一次看完整段文本"),
            (Self::OtherForm(name), false) => {
                format!("the cache of {name} has a form that is not computed here")
            }
            (Self::OtherForm(name), true) => format!("{name} 的缓存形式不在此计算之列"),
            (Self::Key(key), false) => format!("{key} is missing, or of no use here"),
            (Self::Key(key), true) => format!("缺少 {key}，或其值不可用"),
        }
    }
}

/// Architectures that see a text as a whole, and keep nothing of it.
const NO_CACHE: &[&str] = &[
    "bert",
    "dream",
    "eurobert",
    "gemma-embedding",
    "jina-bert-v2",
    "jina-bert-v3",
    "llada",
    "llada-moe",
    "modern-bert",
    "neo-bert",
    "nomic-bert",
    "nomic-bert-moe",
    "rnd1",
    "wavtokenizer-dec",
];

/// Architectures with caches beside, or in place of, those of this module: indexers, compressed streams, encoders, other
/// models' caches; and those whose layers are run more than once.
const OTHER_FORM: &[&str] = &[
    "clip",
    "deepseek32",
    "deepseek4",
    "dflash",
    "dots3note",
    "eagle3",
    "gemma4-assistant",
    "glm-dsa",
    "glm5-next",
    "graniteswitch",
    "hrm_text",
    "hy_v4",
    "minimax-01",
    "minimax-m3",
    "nanbeige",
    "pockettts",
    "qwen3tts",
    "qwen4exp",
    "t5",
    "t5encoder",
    "talkie",
];

/// The cache of a model.
///
/// # Errors
/// [`Unknown`]: it has none, or what it takes cannot be told from the file.
pub fn cache(model: &Model<'_>) -> Result<Cache, Unknown> {
    let name = model.architecture().ok_or(Unknown::NoArchitecture)?;
    let shown = || Words::from(shorten(name.as_bytes(), 60));
    if !arch::is_known(name) {
        return Err(Unknown::Architecture(shown()));
    }
    if NO_CACHE.contains(&name) {
        return Err(Unknown::NoCache(shown()));
    }
    if OTHER_FORM.contains(&name) {
        return Err(Unknown::OtherForm(shown()));
    }
    let facts = Facts::of(model, name)?;
    let mut kinds: Vec<CacheKind> = Vec::new();
    for at in 0..facts.layers() {
        for one in facts.layer(at)?.into_iter().flatten() {
            let kind = described(&facts, one);
            let alike = |other: &&mut CacheKind| {
                (other.kind, other.kept, other.k_row, other.v_row)
                    == (kind.kind, kind.kept, kind.k_row, kind.v_row)
            };
            match kinds.iter_mut().find(alike) {
                Some(other) => {
                    other.layers = other.layers.saturating_add(1);
                    other.fixed = other.fixed.saturating_add(kind.fixed);
                }
                None => kinds.push(kind),
            }
        }
    }
    Ok(Cache { trained_context: facts.number("context_length"), kinds })
}

/// What one layer keeps, with the numbers that it comes from.
fn described(facts: &Facts<'_>, layer: Layer) -> CacheKind {
    let mut out = CacheKind {
        kind: Kind::Full,
        layers: 1,
        kept: None,
        k_row: 0,
        v_row: 0,
        fixed: 0,
        terms: Vec::new(),
    };
    match layer {
        Layer::Attention { heads, k_size, v_size, window, latent } => {
            out.k_row = k_size.saturating_mul(heads);
            out.v_row = if latent { 0 } else { v_size.saturating_mul(heads) };
            out.kind = match (latent, &window) {
                (true, _) => Kind::Latent,
                (false, Some(_)) => Kind::Window,
                (false, None) => Kind::Full,
            };
            let term = |name, value, from: String| Term { name, value, from: from.into() };
            if latent {
                let name = Text::new("numbers of a token: key size", "每个词元的数值：键长度");
                out.terms.push(term(name, out.k_row.to_string(), facts.key("attention.key_length")));
            } else {
                let sizes = match &window {
                    Some(_) => ["attention.key_length_swa", "attention.value_length_swa"],
                    None => ["attention.key_length", "attention.value_length"],
                };
                let [k_from, v_from] = sizes.map(|key| facts.size_from(key));
                let name = Text::new("key-value heads", "KV 头数");
                out.terms.push(term(name, heads.to_string(), facts.heads_from()));
                out.terms.push(term(Text::new("key head size", "K 头大小"), k_size.to_string(), k_from));
                out.terms.push(term(Text::new("value head size", "V 头大小"), v_size.to_string(), v_from));
            }
            if let Some(window) = window {
                let kept =
                    window.tokens.saturating_add(BATCH).checked_next_multiple_of(PAD).unwrap_or(u64::MAX);
                out.kept = Some(kept);
                out.terms.push(term(Text::new("window", "窗口"), window.tokens.to_string(), window.from));
                let name = Text::new("tokens that are kept", "保留的词元数");
                let sum = window.tokens.saturating_add(BATCH);
                let sign = if kept == sum { "=" } else { ">=" };
                let value = format!("{kept} {sign} {} + {BATCH}", window.tokens);
                out.terms.push(term(name, value, format!("a batch more, up to a multiple of {PAD}")));
            }
        }
        Layer::State { convolution, state } => {
            out.kind = Kind::Recurrent;
            out.fixed = convolution.saturating_add(state).saturating_mul(STATE_BYTES);
            let of = |name, numbers: u64, from: &str| Term {
                name,
                value: format!("{numbers} x {STATE_BYTES} bytes"),
                from: from.into(),
            };
            let (r_from, s_from) = facts.state_from();
            out.terms.push(of(Text::new("shifted inputs of a layer", "每层的移位输入"), convolution, r_from));
            out.terms.push(of(Text::new("state of a layer", "每层的状态"), state, s_from));
        }
    }
    out
}

#[cfg(test)]
mod tests;
