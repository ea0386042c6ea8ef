//! The tokenizer and the chat templates.

use ggufkit_format::{ByteStr, Payload, Value};
use serde::Serialize;

use super::{Facts, Figure, MAX_LISTED};
use crate::text::Text;

/// The special tokens and the keys that name them.
const SPECIAL: &[(&str, &str)] = &[
    ("bos", "bos_token_id"),
    ("eos", "eos_token_id"),
    ("eot", "eot_token_id"),
    ("eom", "eom_token_id"),
    ("unk", "unknown_token_id"),
    // The key that programs read is misspelt; the specification has it right.
    ("sep", "seperator_token_id"),
    ("sep", "separator_token_id"),
    ("pad", "padding_token_id"),
    ("mask", "mask_token_id"),
    ("cls", "cls_token_id"),
    ("fim_pre", "fim_pre_token_id"),
    ("fim_suf", "fim_suf_token_id"),
    ("fim_mid", "fim_mid_token_id"),
    ("fim_pad", "fim_pad_token_id"),
    ("fim_rep", "fim_rep_token_id"),
    ("fim_sep", "fim_sep_token_id"),
    ("prefix", "prefix_token_id"),
    ("suffix", "suffix_token_id"),
    ("middle", "middle_token_id"),
];

/// A tokenizer.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Tokenizer<'a> {
    /// `tokenizer.ggml.model`.
    pub model: Option<Text<'a>>,
    /// `tokenizer.ggml.pre`.
    pub pre: Option<Text<'a>>,
    /// Number of tokens.
    pub tokens: Option<u64>,
    /// Number of merges.
    pub merges: Option<u64>,
    /// The special tokens that keys name.
    pub special: Vec<SpecialToken<'a>>,
}

/// A special token.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SpecialToken<'a> {
    /// What it is: `bos`, `eos`, …
    pub name: &'static str,
    /// The key that says so.
    pub key: String,
    /// Its id.
    pub id: Figure,
    /// Its text; absent where there is no such token.
    pub text: Option<Text<'a>>,
    /// Whether the vocabulary has the id; absent without a vocabulary.
    pub in_vocabulary: Option<bool>,
}

impl<'a> Tokenizer<'a> {
    /// `None` where no key speaks of a tokenizer.
    pub(super) fn of(facts: &Facts<'a>) -> Option<Self> {
        let array = |key: &str| facts.keys.get(key).and_then(|value| value.as_array());
        let tokens = array("tokenizer.ggml.tokens");
        let mut special: Vec<SpecialToken<'a>> = Vec::new();
        for (name, suffix) in SPECIAL {
            let key = format!("tokenizer.ggml.{suffix}");
            let Some(id) = facts.figure(&key) else { continue };
            let known = match (&id, tokens) {
                (Figure::One(id), Some(tokens)) => Some(*id < tokens.len()),
                _ => None,
            };
            let text = match (&id, tokens.as_ref()) {
                (Figure::One(id), Some(tokens)) => match tokens.get(*id) {
                    Some(Value::String(text)) => Some(Text(text)),
                    _ => None,
                },
                _ => None,
            };
            special.push(SpecialToken { name, key, id, text, in_vocabulary: known });
        }
        let out = Self {
            model: facts.text("tokenizer.ggml.model"),
            pre: facts.text("tokenizer.ggml.pre"),
            tokens: tokens.map(|tokens| tokens.len()),
            merges: array("tokenizer.ggml.merges").map(|merges| merges.len()),
            special,
        };
        let silent =
            out.model.is_none() && out.pre.is_none() && out.tokens.is_none() && out.special.is_empty();
        (!silent).then_some(out)
    }
}

/// The chat templates.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Templates<'a> {
    /// Bytes of `tokenizer.chat_template`.
    pub default: Option<u64>,
    /// The templates with a name, at most 32.
    pub named: Vec<Template<'a>>,
    /// Number of named templates, listed here or not.
    pub named_count: u64,
    /// Names that `tokenizer.chat_templates` lists and that have no template, at most 32.
    pub missing: Vec<Text<'a>>,
    /// Number of such names, listed here or not.
    pub missing_count: u64,
}

/// A chat template with a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Template<'a> {
    /// Its name: what follows `tokenizer.chat_template.` in the key.
    pub name: Text<'a>,
    /// Its length in bytes; absent where the value is no string.
    pub bytes: Option<u64>,
}

/// What stands before a named template's name.
const NAMED: &[u8] = b"tokenizer.chat_template.";

impl<'a> Templates<'a> {
    /// `None` where there is no template, and no list of any.
    pub(super) fn of(facts: &Facts<'a>) -> Option<Self> {
        let length = |payload: &Payload| match payload {
            Payload::String(text) => Some(text.span.len),
            _ => None,
        };
        let default = facts.keys.find(b"tokenizer.chat_template");
        let list = facts.keys.get("tokenizer.chat_templates").and_then(|value| value.as_array());
        let mut out = Self {
            default: default.as_ref().and_then(|place| length(&place.record.payload)),
            named: Vec::new(),
            named_count: 0,
            missing: Vec::new(),
            missing_count: 0,
        };
        for (_, key, kv) in facts.model.kvs() {
            let Some(name) = key.0.strip_prefix(NAMED) else { continue };
            out.named_count += 1;
            if out.named.len() < MAX_LISTED {
                out.named.push(Template { name: Text(ByteStr(name)), bytes: length(&kv.payload) });
            }
        }
        for name in list.into_iter().flatten().filter_map(|value| value.as_bytes()) {
            let there =
                if name == b"default" { default.is_some() } else { facts.has([NAMED, name].concat()) };
            if there {
                continue;
            }
            out.missing_count += 1;
            if out.missing.len() < MAX_LISTED {
                out.missing.push(Text(ByteStr(name)));
            }
        }
        (default.is_some() || list.is_some() || out.named_count > 0).then_some(out)
    }
}
