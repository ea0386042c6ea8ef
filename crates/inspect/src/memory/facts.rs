//! The numbers of a model that its cache follows from.

use ggufkit_format::spec::ValueType;
use ggufkit_format::{ArrayRef, Scalar, Value, shorten};

use super::Unknown;
use super::window::{Pattern, Rule, rule};
use crate::model::Model;
use crate::text::Words;

/// Layers at most, as many as llama.cpp takes.
const MAX_LAYERS: u64 = 512;

/// What a layer keeps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Layer {
    /// Keys and values.
    Attention {
        /// Heads that have keys and values.
        heads: u64,
        /// Numbers of a key of one head.
        k_size: u64,
        /// Numbers of a value of one head.
        v_size: u64,
        /// The last tokens that it looks at.
        window: Option<Window>,
        /// One row stands for keys and values.
        latent: bool,
    },
    /// A state.
    State {
        /// Numbers of the inputs that are kept for a convolution, or a shift.
        convolution: u64,
        /// Numbers of the state itself.
        state: u64,
    },
}

/// A window.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Window {
    pub(super) tokens: u64,
    pub(super) from: String,
}

/// How layers divide into those that look back and those that have a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mix {
    /// All look back.
    Attention,
    /// All have a state.
    Recurrent,
    /// All do both.
    Both,
    /// Those without key-value heads have a state.
    ByHeads,
    /// The same, and those with a feed-forward part keep nothing.
    ByHeadsAndFeed,
    /// One in so many looks back, the last; a key may say otherwise.
    Interval,
}

fn mix(arch: &str) -> Mix {
    match arch {
        "mamba" | "mamba2" | "rwkv6" | "rwkv6qwen2" | "rwkv7" | "arwkv7" => Mix::Recurrent,
        "falcon-h1" => Mix::Both,
        "jamba" | "plamo2" | "granitehybrid" | "lfm2" | "lfm2moe" | "kimi-linear" | "kimi-k3"
        | "bailingmoe3" => Mix::ByHeads,
        "nemotron_h" | "nemotron_h_moe" => Mix::ByHeadsAndFeed,
        "qwen3next" | "qwen35" | "qwen35moe" => Mix::Interval,
        _ => Mix::Attention,
    }
}

/// The facts of one model.
pub(super) struct Facts<'a> {
    model: Model<'a>,
    arch: &'a str,
    mix: Mix,
    rule: Option<Rule>,
    window: Option<Window>,
    layers: u64,
    latent: bool,
    /// Sizes of the heads of layers that look at everything, and of those that look at a window.
    sizes: [(u64, u64); 2],
}

fn missing(key: String) -> Unknown {
    Unknown::Key(Words::from(shorten(key.as_bytes(), 120)))
}

impl<'a> Facts<'a> {
    pub(super) fn of(model: &Model<'a>, arch: &'a str) -> Result<Self, Unknown> {
        let mut facts = Self {
            model: *model,
            arch,
            mix: mix(arch),
            rule: rule(arch),
            window: None,
            layers: 0,
            latent: false,
            sizes: [(0, 0); 2],
        };
        let all = facts.needed("block_count")?;
        if all == 0 || all > MAX_LAYERS {
            return Err(missing(facts.key("block_count")));
        }
        // Layers that predict further tokens are run beside the model, if at all.
        let further = facts.number("nextn_predict_layers").unwrap_or(0);
        facts.layers = match all.saturating_sub(further) {
            0 => all,
            layers => layers,
        };
        facts.latent = ["attention.key_length_mla", "attention.value_length_mla"]
            .iter()
            .all(|key| facts.number(key).is_some_and(|n| n > 0));
        facts.window = facts.rule.and_then(|rule| facts.window_of(&rule, all));
        if facts.mix != Mix::Recurrent {
            facts.sizes = facts.sizes()?;
        }
        Ok(facts)
    }

    pub(super) const fn layers(&self) -> u64 {
        self.layers
    }

    /// The key of a suffix of the architecture's namespace.
    pub(super) fn key(&self, suffix: &str) -> String {
        format!("{}.{suffix}", self.arch)
    }

    fn value(&self, suffix: &str) -> Option<Value<'a>> {
        self.model.get(&self.key(suffix))
    }

    pub(super) fn number(&self, suffix: &str) -> Option<u64> {
        // What is larger is no number of a model, and no product of two of them fits.
        self.value(suffix)?.as_u64().filter(|n| *n < 1 << 31)
    }

    fn needed(&self, suffix: &str) -> Result<u64, Unknown> {
        self.number(suffix).ok_or_else(|| missing(self.key(suffix)))
    }

    /// A number that a key has for all layers, or for each; `None` where the key is absent.
    fn of_layer(&self, suffix: &str, at: u64) -> Result<Option<u64>, Unknown> {
        let wrong = || missing(self.key(suffix));
        match self.value(suffix) {
            None => Ok(None),
            Some(Value::Array(array)) => flag_or_number(array, at).map(Some).ok_or_else(wrong),
            Some(value) => value.as_u64().filter(|n| *n < 1 << 31).map(Some).ok_or_else(wrong),
        }
    }

    /// Key-value heads of a layer.
    fn heads(&self, at: u64) -> Result<u64, Unknown> {
        let own = match self.of_layer("attention.head_count_kv", at)? {
            Some(heads) => Some(heads),
            None => self.of_layer("attention.head_count", at)?,
        };
        own.ok_or_else(|| missing(self.key("attention.head_count")))
    }

    pub(super) fn heads_from(&self) -> String {
        match self.value("attention.head_count_kv") {
            Some(_) => self.key("attention.head_count_kv"),
            None => self.key("attention.head_count"),
        }
    }

    fn sizes(&self) -> Result<[(u64, u64); 2], Unknown> {
        let heads = self.of_layer("attention.head_count", 0)?.unwrap_or(0);
        let known = (self.number("attention.key_length"), self.number("attention.value_length"));
        let (k, v) = match (known, heads) {
            ((Some(k), Some(v)), _) => (k, v),
            (_, 0) => return Err(missing(self.key("attention.head_count"))),
            ((k, v), heads) => {
                let share = self.needed("embedding_length")? / heads;
                (k.unwrap_or(share), v.unwrap_or(share))
            }
        };
        let k_window = self.number("attention.key_length_swa").unwrap_or(k);
        let v_window = self.number("attention.value_length_swa").unwrap_or(v);
        Ok([(k, v), (k_window, v_window)])
    }

    /// What gives the size of a head: the key, or what stands in for it.
    pub(super) fn size_from(&self, suffix: &str) -> String {
        let plain = suffix.trim_end_matches("_swa");
        match [suffix, plain].into_iter().find(|key| self.value(key).is_some()) {
            Some(key) => self.key(key),
            None => "embedding length / heads".to_owned(),
        }
    }

    fn window_of(&self, rule: &Rule, all: u64) -> Option<Window> {
        const KEY: &str = "attention.sliding_window";
        if rule.only_with_layers.is_some_and(|layers| layers != all) {
            return None;
        }
        let rule_text = || format!("a rule of {}", self.arch);
        let window = match (self.number(KEY), rule.fixed, rule.default) {
            (Some(0), ..) => return None,
            (Some(_), Some(tokens), _) | (None, _, Some(tokens)) => Window { tokens, from: rule_text() },
            (Some(tokens), None, _) => Window { tokens, from: self.key(KEY) },
            (None, _, None) => return None,
        };
        Some(window)
    }

    fn is_window(&self, at: u64) -> Result<bool, Unknown> {
        const KEY: &str = "attention.sliding_window_pattern";
        let (Some(rule), Some(_)) = (&self.rule, &self.window) else { return Ok(false) };
        let wrong = || missing(self.key(KEY));
        match (rule.pattern, self.value(KEY)) {
            (Pattern::All, _) => Ok(true),
            (_, Some(Value::Array(array))) => flag_or_number(array, at).map(|n| n != 0).ok_or_else(wrong),
            (Pattern::Key, _) => Err(wrong()),
            (Pattern::Every { first, .. }, Some(value)) => {
                value.as_u64().map(|layers| Pattern::is_window(layers, first, at)).ok_or_else(wrong)
            }
            (Pattern::Every { layers, first }, None) => Ok(Pattern::is_window(layers, first, at)),
        }
    }

    /// What a layer keeps: of keys and values, and of states.
    pub(super) fn layer(&self, at: u64) -> Result<[Option<Layer>; 2], Unknown> {
        let state = || self.state().map(Some);
        Ok(match self.mix {
            Mix::Recurrent => [None, state()?],
            Mix::Both => [self.attention(at)?, state()?],
            Mix::Attention => [self.attention(at)?, None],
            Mix::ByHeads => match self.heads(at)? {
                0 => [None, state()?],
                _ => [self.attention(at)?, None],
            },
            Mix::ByHeadsAndFeed => {
                match (self.of_layer("feed_forward_length", at)?.unwrap_or(0), self.heads(at)?) {
                    (0, 0) => [None, state()?],
                    (0, _) => [self.attention(at)?, None],
                    _ => [None, None],
                }
            }
            Mix::Interval => {
                let is_state = match self.value("attention.recurrent_layers") {
                    Some(_) => self.of_layer("attention.recurrent_layers", at)? != Some(0),
                    None => {
                        let interval = self.number("full_attention_interval").unwrap_or(4).max(1);
                        !(at + 1).is_multiple_of(interval)
                    }
                };
                match is_state {
                    true => [None, state()?],
                    false => [self.attention(at)?, None],
                }
            }
        })
    }

    fn attention(&self, at: u64) -> Result<Option<Layer>, Unknown> {
        // Of some the later layers look at what earlier ones keep.
        let own = match self.arch {
            "gemma3n" => 20,
            "gemma4" => self.layers.saturating_sub(self.number("attention.shared_kv_layers").unwrap_or(0)),
            _ => u64::MAX,
        };
        let heads = self.heads(at)?;
        if at >= own || heads == 0 {
            return Ok(None);
        }
        let is_window = self.is_window(at)?;
        let [full, in_window] = self.sizes;
        let (k_size, v_size) = if is_window { in_window } else { full };
        let window = self.window.clone().filter(|_| is_window);
        Ok(Some(Layer::Attention { heads, k_size, v_size, window, latent: self.latent }))
    }

    fn state(&self) -> Result<Layer, Unknown> {
        let embedding = || self.needed("embedding_length");
        if let Some(size) = self.number("wkv.head_size") {
            let shifts = self.number("token_shift_count").unwrap_or(2);
            let width = embedding()?;
            return Ok(Layer::State { convolution: shifts * width, state: width * size });
        }
        if let Some(kept) = self.number("shortconv.l_cache") {
            return Ok(Layer::State { convolution: embedding()? * kept.saturating_sub(1), state: 0 });
        }
        let kernel = self.number("ssm.conv_kernel");
        if let Some(size) = self.number("kda.head_dim") {
            let heads = self.of_layer("attention.head_count", 0)?.unwrap_or(0);
            let kept = kernel.map_or(3, |kernel| kernel.saturating_sub(1));
            let inner = heads.saturating_mul(size);
            let convolution = inner.saturating_mul(kept).saturating_mul(3);
            return Ok(Layer::State { convolution, state: inner.saturating_mul(size) });
        }
        let kernel = kernel.ok_or_else(|| missing(self.key("ssm.conv_kernel")))?;
        let (inner, state) = (self.needed("ssm.inner_size")?, self.needed("ssm.state_size")?);
        let groups = self.number("ssm.group_count").unwrap_or(0);
        let width = inner.saturating_add(groups.saturating_mul(state).saturating_mul(2));
        let convolution = kernel.saturating_sub(1).saturating_mul(width);
        Ok(Layer::State { convolution, state: inner * state })
    }

    /// How the two numbers of a state come about.
    pub(super) fn state_from(&self) -> (&'static str, &'static str) {
        if self.value("wkv.head_size").is_some() {
            ("token shifts * embedding length", "embedding length * head size")
        } else if self.value("shortconv.l_cache").is_some() {
            ("embedding length * (kernel - 1)", "none")
        } else if self.value("kda.head_dim").is_some() {
            ("3 * (kernel - 1) * heads * head size", "heads * head size * head size")
        } else {
            ("(kernel - 1) * (inner size + 2 * groups * state size)", "inner size * state size")
        }
    }
}

/// A number or a bool of an array.
fn flag_or_number(array: ArrayRef<'_>, at: u64) -> Option<u64> {
    if array.element_type() == ValueType::STRING {
        return None;
    }
    match array.get(at)? {
        Value::Scalar(Scalar::Bool(flag)) => Some(u64::from(flag != 0)),
        value => value.as_u64().filter(|n| *n < 1 << 31),
    }
}
