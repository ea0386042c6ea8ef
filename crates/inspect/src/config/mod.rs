//! The metadata resolved to what an engine needs to load the model, each value with where it comes from.
//!
//! The rules are those of llama.cpp, which most files are made for. A value that the metadata lacks is given the
//! default that the engine would use, and the rule is named; nothing is guessed beyond that.

mod required;

use ggufkit_format::glob::layer_of;
use ggufkit_format::spec::{ValueType, arch, keys};
use ggufkit_format::{ArrayRef, Kv, Scalar, Value, shorten};
use serde::{Serialize, Serializer};

use crate::json::{JsonScalar, JsonText};
use crate::model::{Model, Part};
use crate::reach::Reach;
use crate::text::Words;

/// Elements of a per-layer array that are looked at; no model has so many layers (llama.cpp stops at 512).
const MAX_LAYERS: usize = 4096;

/// Characters of a name of the file that stand in a sentence.
const MAX_NAME: usize = 80;

/// A model's configuration.
#[derive(Clone, Debug, Serialize)]
pub struct Config<'a> {
    /// `general.architecture`, where it is there.
    pub architecture: Option<&'a str>,
    /// Whether llama.cpp knows the architecture.
    pub architecture_known: bool,
    /// How far the key-values were read. Where that is not to their end, no key is called absent: neither is one
    /// [missing](Self::missing), nor does a default stand for it.
    pub keys: Reach,
    /// Whether the table of required keys has a row for it; without one only the generic keys are looked for.
    pub requirements_known: bool,
    /// The resolved values, grouped as they are shown.
    pub entries: Vec<Entry<'a>>,
    /// Required keys that are absent.
    pub missing: Vec<String>,
    /// Values that stand in the way of loading, in words.
    pub notes: Vec<Words>,
}

impl Config<'_> {
    fn note(&mut self, text: impl Into<Words>) {
        self.notes.push(text.into());
    }
}

/// One resolved value.
#[derive(Clone, Debug, Serialize)]
pub struct Entry<'a> {
    /// The group it is shown in: `model`, `attention`, `rope`, `experts`, `state space`, `vocabulary`.
    pub group: &'static str,
    /// Its name within the group.
    pub name: &'static str,
    /// The value; `null` when the engine needs none.
    pub value: Setting<'a>,
    /// Where it comes from.
    #[serde(flatten)]
    pub source: Source,
}

/// A value of a configuration.
#[derive(Clone, Debug)]
pub enum Setting<'a> {
    /// No value.
    None,
    /// A whole number.
    Integer(u64),
    /// Any other scalar of the file.
    Scalar(Scalar),
    /// A number that a rule gave.
    Float(f64),
    /// Text of the file.
    Text(ggufkit_format::ByteStr<'a>),
    /// A word that a rule gave.
    Word(&'static str),
    /// A value for each layer.
    Layers(Vec<Scalar>),
}

impl Serialize for Setting<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::None => serializer.serialize_none(),
            Self::Integer(n) => serializer.serialize_u64(*n),
            Self::Scalar(scalar) => JsonScalar(*scalar).serialize(serializer),
            Self::Float(value) => JsonScalar(Scalar::F64(*value)).serialize(serializer),
            Self::Text(text) => JsonText(*text).serialize(serializer),
            Self::Word(word) => serializer.serialize_str(word),
            Self::Layers(values) => serializer.collect_seq(values.iter().map(|v| JsonScalar(*v))),
        }
    }
}

/// Where a value comes from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "from", rename_all = "kebab-case")]
pub enum Source {
    /// The metadata.
    Key {
        /// The key.
        key: String,
        /// Absolute position of the value.
        offset: u64,
    },
    /// The key is absent: the engine's default.
    Default {
        /// The rule that gives it.
        rule: Words,
        /// The key that would set it.
        key: String,
    },
    /// The key was not found among those that were read, and not all were: what it is cannot be told.
    Unread {
        /// The key that would set it.
        key: String,
    },
    /// Something else in the file.
    Derived {
        /// The rule that gives it.
        rule: Words,
    },
}

/// Resolves the configuration of a model.
#[must_use]
pub fn config<'a>(model: &Model<'a>) -> Config<'a> {
    config_within(model, Reach::of_keys(model))
}

/// The same, of a model whose key-values were read so far: whoever opened its files may know of one that the others tell
/// nothing about.
#[must_use]
pub fn config_within<'a>(model: &Model<'a>, keys: Reach) -> Config<'a> {
    let architecture = model.architecture();
    let mut out = Config {
        architecture,
        architecture_known: architecture.is_some_and(arch::is_known),
        keys,
        requirements_known: false,
        entries: Vec::new(),
        missing: Vec::new(),
        notes: Vec::new(),
    };
    let Some(name) = architecture else {
        if !keys.is_whole() {
            return out;
        }
        out.missing.push("general.architecture".to_owned());
        out.notes.push("without general.architecture no key of the architecture can be resolved".into());
        return out;
    };
    if !out.architecture_known {
        out.note(format!(
            "architecture \"{}\" is not one that llama.cpp knows",
            shorten(name.as_bytes(), 60)
        ));
    }
    let (needed, known) = required::of(name);
    out.requirements_known = known;
    out.missing = needed.into_iter().filter(|key| keys.is_whole() && model.find(key).is_none()).collect();
    let mut resolver = Resolver { model, arch: name, out };
    resolver.model();
    resolver.attention();
    resolver.rope();
    resolver.experts();
    resolver.state_space();
    resolver.vocabulary();
    resolver.out
}

/// The keys that a model of this architecture does not load without, beside `general.architecture`. Of one that the table
/// does not know, these are the keys that every model needs.
#[must_use]
pub fn required_keys(architecture: &str) -> Vec<String> {
    required::of(architecture).0
}

/// Whether `{architecture}.{suffix}` is one of them.
#[must_use]
pub fn is_required(architecture: &str, suffix: &[u8]) -> bool {
    required::needs(architecture, suffix)
}

struct Resolver<'a, 'm> {
    model: &'m Model<'a>,
    arch: &'a str,
    out: Config<'a>,
}

impl<'a> Resolver<'a, '_> {
    fn find(&self, key: &str) -> Option<(Part<'a>, &'a Kv, Value<'a>)> {
        let (part, kv) = self.model.find(key)?;
        Some((part, kv, part.view.value(kv)))
    }

    /// The full key of a suffix of the architecture's namespace; a key with `tokenizer.` in front is full already.
    fn full(&self, suffix: &str) -> String {
        if suffix.starts_with("tokenizer.") { suffix.to_owned() } else { format!("{}.{suffix}", self.arch) }
    }

    fn push(&mut self, group: &'static str, name: &'static str, value: Setting<'a>, source: Source) {
        let (value, source) = match source {
            Source::Default { key, .. } if !self.out.keys.is_whole() => {
                (Setting::None, Source::Unread { key })
            }
            source => (value, source),
        };
        self.out.entries.push(Entry { group, name, value, source });
    }

    /// The value of a key, as it stands in the file; notes a type that llama.cpp does not read.
    fn key(&mut self, suffix: &str) -> Option<(Setting<'a>, Source)> {
        let key = self.full(suffix);
        let (_, kv, value) = self.find(&key)?;
        let setting = match value {
            Value::Scalar(scalar) => scalar.as_u64().map_or(Setting::Scalar(scalar), Setting::Integer),
            Value::String(text) => Setting::Text(text),
            Value::Array(array) => Setting::Layers(self.layers(&key, array)),
        };
        self.judge_type(&key, kv.value_type);
        Some((setting, Source::Key { key, offset: kv.value_span.start }))
    }

    /// llama.cpp reads scalars by their exact type.
    fn judge_type(&mut self, key: &str, ty: ValueType) {
        let Some(info) = keys::lookup(key.as_bytes()) else { return };
        let Some(first) = info.types.first() else { return };
        let fits =
            info.types.iter().any(|t| if t.is_array() { ty == ValueType::ARRAY } else { t.element() == ty });
        if !fits {
            let key = shorten(key.as_bytes(), MAX_NAME);
            self.out.note(format!("{key} is a {ty}; llama.cpp reads a {first} there and refuses others"));
        }
    }

    fn layers(&mut self, key: &str, array: ArrayRef<'a>) -> Vec<Scalar> {
        if let Some(blocks) = self.integer("block_count")
            && array.len() < blocks
            && array.element_type() != ValueType::STRING
            && !key.ends_with("dimension_sections")
        {
            let (key, len) = (shorten(key.as_bytes(), MAX_NAME), array.len());
            self.out.note(format!("{key} has {len} values, fewer than the {blocks} layers"));
        }
        array
            .iter()
            .take(MAX_LAYERS)
            .filter_map(|value| match value {
                Value::Scalar(scalar) => Some(scalar),
                _ => None,
            })
            .collect()
    }

    /// A whole number of the architecture's namespace, read without note.
    fn integer(&self, suffix: &str) -> Option<u64> {
        let (_, _, value) = self.find(&self.full(suffix))?;
        value.as_u64()
    }

    /// Adds the key's value, or the default that `rule` explains.
    fn or(&mut self, group: &'static str, name: &'static str, suffix: &str, default: (Setting<'a>, String)) {
        let (value, source) = match self.key(suffix) {
            Some(found) => found,
            None => (default.0, Source::Default { rule: default.1.into(), key: self.full(suffix) }),
        };
        self.push(group, name, value, source);
    }

    /// Adds the key's value where the key is there.
    fn optional(&mut self, group: &'static str, name: &'static str, suffix: &str) -> bool {
        match self.key(suffix) {
            Some((value, source)) => {
                self.push(group, name, value, source);
                true
            }
            None => false,
        }
    }

    fn required(&mut self, group: &'static str, name: &'static str, suffix: &str) {
        self.or(
            group,
            name,
            suffix,
            (Setting::None, "required: the model does not load without it".to_owned()),
        );
    }

    fn model(&mut self) {
        const GROUP: &str = "model";
        self.required(GROUP, "layers", "block_count");
        match self.find(&self.full("block_count")).map(|(_, _, value)| value.as_u64()) {
            Some(Some(0)) => self.out.note("block_count is 0: there is no layer to load".to_owned()),
            Some(Some(n)) if n > 512 => {
                self.out.note(format!("block_count is {n}; llama.cpp stops at 512 layers"));
            }
            Some(None) => self.out.note("block_count is not a whole number".to_owned()),
            _ => self.compare_layers(),
        }
        self.required(GROUP, "context length", "context_length");
        self.required(GROUP, "embedding length", "embedding_length");
        self.or(
            GROUP,
            "feed-forward length",
            "feed_forward_length",
            (Setting::Integer(0), "absent: 0".to_owned()),
        );
        for (name, suffix) in [
            ("decoder layers", "decoder_block_count"),
            ("next-token prediction layers", "nextn_predict_layers"),
            ("pooling", "pooling_type"),
            ("logit scale", "logit_scale"),
            ("residual scale", "residual_scale"),
            ("embedding scale", "embedding_scale"),
            ("final logit softcap", "final_logit_softcapping"),
        ] {
            self.optional(GROUP, name, suffix);
        }
    }

    /// Says when the tensor table has another number of layers than the metadata.
    fn compare_layers(&mut self) {
        if !Reach::of_tensors(self.model).is_whole() {
            return;
        }
        let seen = self.model.tensors().filter_map(|(_, name, _)| layer_of(name.as_bytes())).max();
        let (Some(top), Some(blocks)) = (seen, self.integer("block_count")) else { return };
        if top.saturating_add(1) != blocks {
            self.out.note(format!(
                "block_count is {blocks}, and the tensor table has layers up to blk.{top} ({} layers)",
                top.saturating_add(1)
            ));
        }
    }

    fn attention(&mut self) {
        const GROUP: &str = "attention";
        let heads = self.key("attention.head_count");
        let first = |setting: &Setting<'_>| match setting {
            Setting::Integer(n) => Some(*n),
            Setting::Layers(values) => values.iter().filter_map(Scalar::as_u64).find(|n| *n > 0),
            _ => None,
        };
        let head_count = heads.as_ref().and_then(|(setting, _)| first(setting));
        match heads {
            Some((value, source)) => {
                self.push(GROUP, "heads", value.clone(), source);
                let rule = "absent: as many as heads".to_owned();
                self.or(GROUP, "key-value heads", "attention.head_count_kv", (value, rule));
            }
            None => {
                let source =
                    Source::Default { rule: "absent: 0".into(), key: self.full("attention.head_count") };
                self.push(GROUP, "heads", Setting::Integer(0), source);
            }
        }
        let (size, rule) = match (self.integer("embedding_length"), head_count) {
            (Some(embedding), Some(heads)) => (
                Setting::Integer(embedding / heads.max(1)),
                format!("absent: embedding length / heads = {embedding} / {heads}"),
            ),
            _ => (Setting::None, "absent, and embedding length or heads are not known".to_owned()),
        };
        self.or(GROUP, "key head size", "attention.key_length", (size.clone(), rule.clone()));
        self.or(GROUP, "value head size", "attention.value_length", (size, rule));
        let window = if self.arch == "gemma2" {
            (Setting::Integer(4096), "absent: gemma2 uses 4096".to_owned())
        } else {
            (Setting::None, "absent: every layer attends to the whole context".to_owned())
        };
        self.or(GROUP, "sliding window", "attention.sliding_window", window);
        for (name, suffix) in [
            ("sliding window pattern", "attention.sliding_window_pattern"),
            ("key head size in windows", "attention.key_length_swa"),
            ("value head size in windows", "attention.value_length_swa"),
            ("latent query rank", "attention.q_lora_rank"),
            ("latent key-value rank", "attention.kv_lora_rank"),
            ("latent key size", "attention.key_length_mla"),
            ("latent value size", "attention.value_length_mla"),
            ("layers that share key-values", "attention.shared_kv_layers"),
            ("scale", "attention.scale"),
            ("logit softcap", "attn_logit_softcapping"),
            ("clamp", "attention.clamp_kqv"),
            ("ALiBi bias", "attention.max_alibi_bias"),
        ] {
            self.optional(GROUP, name, suffix);
        }
        self.or(GROUP, "causal", "attention.causal", (Setting::Word("true"), "absent: true".to_owned()));
        let rms = self.optional(GROUP, "RMS norm epsilon", "attention.layer_norm_rms_epsilon");
        if !(rms | self.optional(GROUP, "layer norm epsilon", "attention.layer_norm_epsilon")) {
            self.push(
                GROUP,
                "norm epsilon",
                Setting::None,
                Source::Default {
                    rule: "absent: the architecture needs one of the two".into(),
                    key: self.full("attention.layer_norm_rms_epsilon"),
                },
            );
        }
    }

    fn rope(&mut self) {
        const GROUP: &str = "rope";
        // What no engine computes with is given no default; what the file says is shown all the same.
        let rotates = arch::rotates(self.arch);
        let or = |this: &mut Self, name, suffix: &str, default: (Setting<'a>, String)| {
            if rotates {
                this.or(GROUP, name, suffix, default);
            } else {
                this.optional(GROUP, name, suffix);
            }
        };
        let head = self.out.entries.iter().find(|e| e.name == "key head size").map(|e| e.value.clone());
        let default = (head.unwrap_or(Setting::None), "absent: the key head size".to_owned());
        or(self, "dimensions", "rope.dimension_count", default);
        let base = (Setting::Float(10000.0), "absent: 10000".to_owned());
        or(self, "frequency base", "rope.freq_base", base);
        self.optional(GROUP, "frequency base in windows", "rope.freq_base_swa");
        self.optional(GROUP, "dimension sections", "rope.dimension_sections");
        let none = (Setting::Word("linear"), "absent: linear, which a factor of 1 makes a no-op".to_owned());
        or(self, "scaling", "rope.scaling.type", none);
        let old = "rope.scale_linear";
        if self.find(&self.full("rope.scaling.factor")).is_some() || self.find(&self.full(old)).is_none() {
            let one = (Setting::Float(1.0), "absent: 1".to_owned());
            or(self, "scaling factor", "rope.scaling.factor", one);
        } else {
            self.optional(GROUP, "scaling factor (old key)", old);
        }
        let trained = self.integer("context_length").map_or(Setting::None, Setting::Integer);
        let rule = "absent: the context length".to_owned();
        or(self, "original context", "rope.scaling.original_context_length", (trained, rule));
        self.optional(GROUP, "scaling finetuned", "rope.scaling.finetuned");
    }

    fn experts(&mut self) {
        const GROUP: &str = "experts";
        let none = (Setting::Integer(0), "absent: 0, a dense model".to_owned());
        self.or(GROUP, "experts", "expert_count", none);
        for (name, suffix) in [
            ("experts used", "expert_used_count"),
            ("shared experts", "expert_shared_count"),
            ("expert feed-forward length", "expert_feed_forward_length"),
            ("shared expert feed-forward length", "expert_shared_feed_forward_length"),
            ("leading dense layers", "leading_dense_block_count"),
            ("expert groups", "expert_group_count"),
            ("expert groups used", "expert_group_used_count"),
            ("gating function", "expert_gating_func"),
            ("weights scale", "expert_weights_scale"),
            ("weights normalised", "expert_weights_norm"),
        ] {
            self.optional(GROUP, name, suffix);
        }
        if let (Some(all), Some(used)) = (self.integer("expert_count"), self.integer("expert_used_count"))
            && used > all
        {
            self.out.note(format!("expert_used_count is {used}, more than the {all} experts"));
        }
    }

    fn state_space(&mut self) {
        for (name, suffix) in [
            ("convolution kernel", "ssm.conv_kernel"),
            ("inner size", "ssm.inner_size"),
            ("state size", "ssm.state_size"),
            ("time step rank", "ssm.time_step_rank"),
            ("groups", "ssm.group_count"),
            ("head size", "wkv.head_size"),
        ] {
            self.optional("state space", name, suffix);
        }
    }

    fn vocabulary(&mut self) {
        const GROUP: &str = "vocabulary";
        let tokens = self.find("tokenizer.ggml.tokens").and_then(|(_, _, value)| value.as_array());
        let rows = self
            .model
            .tensors()
            .find(|(_, name, _)| name.as_bytes() == b"token_embd.weight")
            .and_then(|(part, _, tensor)| part.view.index().dims(tensor).get(1).copied());
        if !self.optional(GROUP, "size", "vocab_size") {
            let whole = self.out.keys.is_whole();
            let (value, rule) = match (&tokens, rows.filter(|_| whole)) {
                (Some(tokens), _) => {
                    (Setting::Integer(tokens.len()), "the number of tokenizer.ggml.tokens".to_owned())
                }
                (None, Some(rows)) => (Setting::Integer(rows), "the rows of token_embd.weight".to_owned()),
                (None, None) => (Setting::None, "no vocab_size, no tokens, no token_embd.weight".to_owned()),
            };
            let source = match value {
                Setting::None if !whole => Source::Unread { key: self.full("vocab_size") },
                _ => Source::Derived { rule: rule.into() },
            };
            self.push(GROUP, "size", value, source);
        }
        if let (Some(tokens), Some(rows)) = (tokens, rows)
            && tokens.len() != rows
        {
            let n = tokens.len();
            self.out.note(format!("the tokenizer has {n} tokens, and token_embd.weight has {rows} rows"));
        }
        self.required(GROUP, "tokenizer", "tokenizer.ggml.model");
        self.optional(GROUP, "pre-tokenizer", "tokenizer.ggml.pre");
        for (name, key) in [
            ("beginning of sequence", "tokenizer.ggml.bos_token_id"),
            ("end of sequence", "tokenizer.ggml.eos_token_id"),
            ("end of turn", "tokenizer.ggml.eot_token_id"),
            ("end of message", "tokenizer.ggml.eom_token_id"),
            ("unknown", "tokenizer.ggml.unknown_token_id"),
            ("padding", "tokenizer.ggml.padding_token_id"),
            ("separator", "tokenizer.ggml.seperator_token_id"),
            ("mask", "tokenizer.ggml.mask_token_id"),
        ] {
            self.optional(GROUP, name, key);
        }
        let model = self.find("tokenizer.ggml.model").and_then(|(_, _, value)| value.as_str());
        // llama.cpp: SentencePiece and WordPiece vocabularies begin with BOS, T5's ends with EOS.
        let (bos, eos) = match model {
            Some("llama" | "bert") => ("true", "false"),
            Some("t5") => ("false", "true"),
            _ => ("false", "false"),
        };
        let named = model.map_or_else(|| "absent".to_owned(), |name| shorten(name.as_bytes(), MAX_NAME));
        let rule = |what| format!("absent: {what} for tokenizer \"{named}\"");
        self.or(GROUP, "add beginning", "tokenizer.ggml.add_bos_token", (Setting::Word(bos), rule(bos)));
        self.or(GROUP, "add end", "tokenizer.ggml.add_eos_token", (Setting::Word(eos), rule(eos)));
    }
}
